/*
 * opencl — what the files of the OpenCL backend share.
 */
#ifndef PAIRMARK_DEVICES_OPENCL_OPENCL_H
#define PAIRMARK_DEVICES_OPENCL_OPENCL_H

#include "core/cache.h"
#include "core/error.h"
#include "core/strings.h"
#include "devices/backend.h"

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdbool.h>

/* ---- OpenCL ---- */

/* The OpenCL 1.2 functions that pairmark calls, found at run time.
 *
 * The loader libOpenCL.so.1 is opened by dlopen, so that a binary starts where there is none. Once
 * opened it stays for the life of the process: drivers keep threads and exit handlers of their own.
 */

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

/* ---- the backend ---- */

/* Programs that PoCL has built: the last so many, by the hash of text and options. */
enum { BUILT_PROGRAMS = 64 };

struct built_program {
    char hash[HASH_TEXT_SIZE]; /* "": none */
    cl_program program;
};

struct opencl_primitives; /* sort, scan and sum: programs and scratch memory, made when needed */

struct opencl_device {
    struct device head;
    struct opencl_api api;
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;   /* in order, with profiling */
    cl_command_queue adopted; /* of the program whose process this is; NULL: none now */
    cl_mem example;           /* where the context is a program's: what its cl_mem look like */
    bool nvidia;              /* NVIDIA's driver: its compiler's options, its inline PTX */
    bool pocl;                /* PoCL, which keeps what it compiled itself */
    bool keeps_blocks;        /* so that this PoCL compiles rightly: kept_blocks.h */
    bool oclgrind;            /* it takes a filled buffer for one that nobody wrote */
    uint64_t allocated;       /* bytes of all buffers; some drivers allocate only at first use */
    struct opencl_primitives *primitives;
    struct built_program built[BUILT_PROGRAMS];
    int next_built; /* the place of the next */
};

struct opencl_buffer {
    struct buffer head;
    struct opencl_device *device;
    cl_mem memory;
    size_t bytes; /* as allocated; 0: part of another */
};

struct opencl_program {
    struct program head;
    struct opencl_device *device;
    cl_program program;
    char *log; /* the compiler's, never NULL */
};

struct opencl_kernel {
    struct kernel head;
    struct opencl_program *program;
    cl_kernel kernel;
    cl_uint argument_count;
};

struct opencl_event {
    struct event head;
    struct opencl_device *device;
    cl_event event; /* NULL until recorded */
};

/* opencl_program.c */
void opencl_definitions(const struct device *head, struct strbuf *text);
void opencl_options(const struct device *head, const struct program_source *source,
                    struct strbuf *options);
bool opencl_program_from_source(struct device *head, const struct program_request *request,
                                struct program **program, struct error *error);
bool opencl_program_from_binary(struct device *head, const struct program_request *request,
                                const void *bytes, size_t length, struct program **program);
bool opencl_program_binary(const struct program *head, void **bytes, size_t *length);
void opencl_program_free(struct program *head);
void opencl_release_built(struct opencl_device *device);
bool opencl_kernel_create(struct program *head, const char *name, struct kernel **result,
                          struct error *error);
void opencl_kernel_free(struct kernel *head);
void opencl_kernel_resources(const struct kernel *head, int *registers, int64_t *local_bytes);
bool opencl_kernel_launch(struct kernel *head, size_t groups, size_t group_size,
                          const struct argument *arguments, size_t argument_count,
                          struct error *error);

/* opencl_primitives.c */
bool opencl_sort_pairs(struct device *device, struct key_values from, struct key_values to,
                       size_t n, int key_bits, struct error *error);
bool opencl_exclusive_scan(struct device *device, struct buffer *in, struct buffer *out, size_t n,
                           struct error *error);
bool opencl_sum(struct device *device, const struct summands *summands, struct buffer *out,
                struct error *error);
void opencl_primitives_free(struct opencl_primitives *primitives); /* NULL is fine */

#endif
