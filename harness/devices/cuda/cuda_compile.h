/*
 * cuda_compile — texts to code: by NVRTC, by nvcc, or as another compiler has left it. Private to
 * the CUDA backend.
 *
 * What keeps its value from launch to launch is refused by name.
 */
#ifndef PAIRMARK_DEVICES_CUDA_CUDA_COMPILE_H
#define PAIRMARK_DEVICES_CUDA_CUDA_COMPILE_H

#include "devices/cuda/cuda_device.h"

/* Machine code, or PTX with its NUL; each by malloc. */
struct cuda_code {
    char *bytes;
    size_t length;
    char *log; /* what the compiler said, where there is no device; NULL: nothing */
};

/* STATUS_COMPILE_ERROR with the compiler's log, or the variable that keeps its value; errors of
 * what it is compiled by. Either way *code is the caller's to free. */
bool cuda_compile(const struct cuda_device *cuda, const struct program_request *request,
                  struct cuda_code *code, struct error *error);
void cuda_code_free(struct cuda_code *code);

#endif
