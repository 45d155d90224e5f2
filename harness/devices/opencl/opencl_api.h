/*
 * opencl_api — the OpenCL 1.2 functions that pairmark calls, found at run time.
 *
 * The loader libOpenCL.so.1 is opened by dlopen, so that a binary starts where there is none. Once
 * opened it stays for the life of the process: drivers keep threads and exit handlers of their own.
 */
#ifndef PAIRMARK_DEVICES_OPENCL_OPENCL_API_H
#define PAIRMARK_DEVICES_OPENCL_OPENCL_API_H

#include "core/error.h"
#include "core/strings.h"

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdbool.h>

/* clCreateCommandQueue is deprecated since OpenCL 2.0 and still the only one that a 1.2 driver has.
 */
#define OPENCL_FUNCTIONS(X)                                                                        \
    X(clBuildProgram)                                                                              \
    X(clCreateBuffer)                                                                              \
    X(clCreateCommandQueue)                                                                        \
    X(clCreateContext)                                                                             \
    X(clCreateKernel)                                                                              \
    X(clCreateProgramWithBinary)                                                                   \
    X(clCreateProgramWithSource)                                                                   \
    X(clCreateSubBuffer)                                                                           \
    X(clEnqueueBarrierWithWaitList)                                                                \
    X(clEnqueueCopyBuffer)                                                                         \
    X(clEnqueueFillBuffer)                                                                         \
    X(clEnqueueMarkerWithWaitList)                                                                 \
    X(clEnqueueNDRangeKernel)                                                                      \
    X(clEnqueueReadBuffer)                                                                         \
    X(clEnqueueWriteBuffer)                                                                        \
    X(clFlush)                                                                                     \
    X(clFinish)                                                                                    \
    X(clGetCommandQueueInfo)                                                                       \
    X(clGetDeviceIDs)                                                                              \
    X(clGetDeviceInfo)                                                                             \
    X(clGetEventProfilingInfo)                                                                     \
    X(clGetKernelInfo)                                                                             \
    X(clGetKernelWorkGroupInfo)                                                                    \
    X(clGetMemObjectInfo)                                                                          \
    X(clGetPlatformIDs)                                                                            \
    X(clGetPlatformInfo)                                                                           \
    X(clGetProgramBuildInfo)                                                                       \
    X(clGetProgramInfo)                                                                            \
    X(clReleaseCommandQueue)                                                                       \
    X(clReleaseContext)                                                                            \
    X(clReleaseEvent)                                                                              \
    X(clReleaseKernel)                                                                             \
    X(clReleaseMemObject)                                                                          \
    X(clReleaseProgram)                                                                            \
    X(clRetainContext)                                                                             \
    X(clRetainMemObject)                                                                           \
    X(clRetainProgram)                                                                             \
    X(clSetKernelArg)                                                                              \
    X(clWaitForEvents)

struct opencl_api {
#define OPENCL_MEMBER(name) __typeof__(&name) name;
    OPENCL_FUNCTIONS(OPENCL_MEMBER)
#undef OPENCL_MEMBER
};

/* The platforms of this machine. False with one line in `note` where there is no loader, no
 * platform, or a function is missing. Caller frees *platforms. */
bool opencl_load(struct opencl_api *api, cl_platform_id **platforms, cl_uint *count,
                 struct strbuf *note);

/* CL_INVALID_VALUE and so on, without the CL_; "unknown error" for one that 1.2 does not name. */
const char *opencl_error_name(cl_int code);

/* Whether the code is CL_SUCCESS; if not, "what: OUT_OF_RESOURCES (-5)". A code that means a full
 * device is STATUS_OUT_OF_MEMORY. */
bool opencl_check(struct error *error, enum status status, cl_int code, const char *what);

#endif
