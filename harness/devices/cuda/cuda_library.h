/*
 * cuda_library — the CUDA driver and NVRTC, opened at run time, so that one binary runs with and
 * without them. Private to the CUDA backend.
 *
 * The tables' members are named as cuda.h and nvrtc.h name the functions, macros such as
 * cuMemAlloc -> cuMemAlloc_v2 included, and have their types.
 */
#ifndef PAIRMARK_DEVICES_CUDA_CUDA_LIBRARY_H
#define PAIRMARK_DEVICES_CUDA_CUDA_LIBRARY_H

#include "core/error.h"

#include <cuda.h>
#include <nvrtc.h>

#define CUDA_FUNCTIONS(X)                                                                          \
    X(cuInit)                                                                                      \
    X(cuDriverGetVersion)                                                                          \
    X(cuGetErrorName)                                                                              \
    X(cuGetErrorString)                                                                            \
    X(cuDeviceGetCount)                                                                            \
    X(cuDeviceGet)                                                                                 \
    X(cuDeviceGetName)                                                                             \
    X(cuDeviceGetAttribute)                                                                        \
    X(cuDeviceGetPCIBusId)                                                                         \
    X(cuDeviceTotalMem)                                                                            \
    X(cuDevicePrimaryCtxRetain)                                                                    \
    X(cuDevicePrimaryCtxRelease)                                                                   \
    X(cuDevicePrimaryCtxGetState)                                                                  \
    X(cuCtxGetCurrent)                                                                             \
    X(cuCtxSetCurrent)                                                                             \
    X(cuStreamCreate)                                                                              \
    X(cuStreamCreateWithPriority)                                                                  \
    X(cuStreamDestroy)                                                                             \
    X(cuStreamSynchronize)                                                                         \
    X(cuStreamQuery)                                                                               \
    X(cuStreamWaitEvent)                                                                           \
    X(cuPointerGetAttribute)                                                                       \
    X(cuMemAlloc)                                                                                  \
    X(cuMemFree)                                                                                   \
    X(cuMemcpyHtoDAsync)                                                                           \
    X(cuMemcpyDtoHAsync)                                                                           \
    X(cuMemHostAlloc)                                                                              \
    X(cuMemFreeHost)                                                                               \
    X(cuStreamBeginCapture)                                                                        \
    X(cuStreamEndCapture)                                                                          \
    X(cuGraphInstantiateWithFlags)                                                                 \
    X(cuGraphUpload)                                                                               \
    X(cuGraphLaunch)                                                                               \
    X(cuGraphExecDestroy)                                                                          \
    X(cuGraphDestroy)                                                                              \
    X(cuMemsetD8Async)                                                                             \
    X(cuMemsetD32Async)                                                                            \
    X(cuModuleLoadDataEx)                                                                          \
    X(cuModuleUnload)                                                                              \
    X(cuModuleGetFunction)                                                                         \
    X(cuModuleGetGlobal)                                                                           \
    X(cuFuncGetAttribute)                                                                          \
    X(cuFuncSetAttribute)                                                                          \
    X(cuLaunchKernel)                                                                              \
    X(cuLaunchKernelEx)                                                                            \
    X(cuOccupancyMaxActiveClusters)                                                                \
    X(cuEventCreate)                                                                               \
    X(cuEventDestroy)                                                                              \
    X(cuEventRecord)                                                                               \
    X(cuEventSynchronize)                                                                          \
    X(cuEventElapsedTime)

#define NVRTC_FUNCTIONS(X)                                                                         \
    X(nvrtcVersion)                                                                                \
    X(nvrtcGetErrorString)                                                                         \
    X(nvrtcGetNumSupportedArchs)                                                                   \
    X(nvrtcGetSupportedArchs)                                                                      \
    X(nvrtcCreateProgram)                                                                          \
    X(nvrtcDestroyProgram)                                                                         \
    X(nvrtcCompileProgram)                                                                         \
    X(nvrtcGetProgramLogSize)                                                                      \
    X(nvrtcGetProgramLog)                                                                          \
    X(nvrtcGetCUBINSize)                                                                           \
    X(nvrtcGetCUBIN)                                                                               \
    X(nvrtcGetPTXSize)                                                                             \
    X(nvrtcGetPTX)

#define LIBRARY_MEMBER(function) __typeof__(function) *(function);

struct cuda_library {
    void *handle;
    int version; /* the newest CUDA that the driver supports, as 13000 */
    CUDA_FUNCTIONS(LIBRARY_MEMBER)
    /* Where one parameter of a kernel lies; since CUDA 12.4, NULL with older drivers. */
    CUresult (*parameter_info)(CUfunction kernel, size_t index, size_t *offset, size_t *size);
    /* The number of a stream, which no other has, also after it is gone; since CUDA 12.0. */
    CUresult (*stream_number)(CUstream stream, unsigned long long *number);
};

struct nvrtc_library {
    void *handle;
    int major, minor;
    int min_architecture; /* 75 for compute capability 7.5 */
    int max_architecture;
    NVRTC_FUNCTIONS(LIBRARY_MEMBER)
};

/* cuFFT, of which no header need be here: the handle of a plan is an int, as are results, 0 where
 * all is well; complex numbers are pairs. */
#define CUFFT_FUNCTIONS(X)                                                                         \
    X(cufftPlanMany, int *, int, int *, int *, int, int, int *, int, int, int, int)                \
    X(cufftSetStream, int, CUstream)                                                               \
    X(cufftExecR2C, int, void *, void *)                                                           \
    X(cufftExecC2R, int, void *, void *)                                                           \
    X(cufftExecD2Z, int, void *, void *)                                                           \
    X(cufftExecZ2D, int, void *, void *)                                                           \
    X(cufftDestroy, int)
#define CUFFT_MEMBER(function, ...) int (*function)(__VA_ARGS__);

struct cufft_library {
    void *handle;
    CUFFT_FUNCTIONS(CUFFT_MEMBER)
};

/* Opens the newest cuFFT that is no newer than the driver (CUDA major version `newest`), where
 * NVRTC is looked for. False where there is none. */
bool cufft_library_open(int newest, struct cufft_library *library);
void cufft_library_close(struct cufft_library *library);

/* Opens the driver and starts it. Else false, with the reason ("no NVIDIA driver here") as the
 * error's message. */
bool cuda_library_open(struct cuda_library *library, struct error *error);
void cuda_library_close(struct cuda_library *library);

/* Opens the newest NVRTC that is no newer than the driver (CUDA major version `newest`): one that
 * lies beside the program (../lib), that of CUDA_HOME or CUDA_PATH, the loader's own, the usual
 * place's, the one of the build. */
bool nvrtc_library_open(int newest, struct nvrtc_library *library, struct error *error);
void nvrtc_library_close(struct nvrtc_library *library);

/* True when NVRTC makes machine code for this architecture; else it has to be PTX. */
bool nvrtc_library_supports(const struct nvrtc_library *library, int architecture);

/* Fills in *error with the driver's words for a failed call, out_of_memory or else `status`.
 * Returns false. */
bool cuda_library_fail(const struct cuda_library *library, CUresult result, enum status status,
                       const char *what, struct error *error);

#endif
