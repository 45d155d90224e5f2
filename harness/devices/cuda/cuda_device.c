#include "devices/cuda/cuda_device.h"

bool cuda_enter(struct cuda_device *cuda, struct error *error) {
    CUresult result = cuda->driver.cuCtxSetCurrent(cuda->context);
    return result == CUDA_SUCCESS ||
           cuda_fail(cuda, result, "entering the device's context", error);
}

bool cuda_fail(const struct cuda_device *cuda, CUresult result, const char *what,
               struct error *error) {
    return cuda_library_fail(&cuda->driver, result, STATUS_LAUNCH_ERROR, what, error);
}

bool cuda_scratch_grow(struct cuda_device *cuda, struct cuda_scratch *scratch, size_t bytes,
                       struct error *error) {
    if (scratch->bytes >= bytes) {
        return true;
    }
    cuda_scratch_free(cuda, scratch);
    CUresult result = cuda->driver.cuMemAlloc(&scratch->address, bytes);
    if (result != CUDA_SUCCESS) {
        scratch->address = 0;
        return cuda_fail(cuda, result, "scratch memory", error);
    }
    scratch->bytes = bytes;
    return true;
}

void cuda_scratch_free(struct cuda_device *cuda, struct cuda_scratch *scratch) {
    if (scratch->bytes > 0) {
        (void)cuda->driver.cuStreamSynchronize(cuda->stream);
        (void)cuda->driver.cuMemFree(scratch->address);
        *scratch = (struct cuda_scratch){ 0 };
    }
}
