/*
 * cuda_nvcc — CUDA C++ to machine code by nvcc, for what NVRTC cannot compile.
 *
 * A text that says @compiler nvcc is compiled as a file in a temporary folder, which goes again.
 */
#ifndef PAIRMARK_DEVICES_TOOLKIT_CUDA_NVCC_H
#define PAIRMARK_DEVICES_TOOLKIT_CUDA_NVCC_H

#include "core/error.h"

#include <stddef.h>

/* What came of it, each by malloc. */
struct nvcc_output {
    char *cubin;
    size_t cubin_bytes;
    char *ptx; /* what the machine code was made from */
    char *log; /* NULL: nothing was said */
};

/* `words` are the compiler and its options, and end with NULL. STATUS_COMPILE_ERROR with what nvcc
 * said; STATUS_UNSUPPORTED where there is no such program; STATUS_SYSTEM. */
bool cuda_nvcc_compile(const char *name, const char *text, char *const *words,
                       struct nvcc_output *output, struct error *error);
void nvcc_output_free(struct nvcc_output *output);

#endif
