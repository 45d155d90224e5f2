/*
 * cuda_toolkit — what the CUDA toolkit of this machine has beside NVRTC: headers, nvJitLink,
 * nvcc. All of it is found at run time. Private to the CUDA backend.
 *
 * Headers are looked for beside NVRTC, so that headers and compiler are of one version; then in
 * CUDA_HOME, CUDA_PATH, /usr/local/cuda, and where the nvcc of PATH lies. Layouts: include/ beside
 * lib64/ or lib/ of a toolkit, targets/x86_64-linux/include, nvidia/cu13/include of pip's packages.
 * CCCL (CUB, libcu++) is in include/cccl since CUDA 13, in include before.
 */
#ifndef PAIRMARK_DEVICES_TOOLKIT_CUDA_TOOLKIT_H
#define PAIRMARK_DEVICES_TOOLKIT_CUDA_TOOLKIT_H

#include "core/error.h"
#include "devices/cuda/cuda_library.h"

#include <stddef.h>

enum { MAX_CUDA_FOLDERS = 4 };

struct cuda_folders {
    char *options[MAX_CUDA_FOLDERS]; /* "-I/usr/local/cuda/include" */
    int count;                       /* 0: no headers here */
};

/* False: memory ran out. Finding none is no error: a kernel may include nothing. */
bool cuda_folders_find(const struct nvrtc_library *nvrtc, struct cuda_folders *folders);
void cuda_folders_free(struct cuda_folders *folders);

/* The nvcc of CUDA_HOME, CUDA_PATH, PATH or /usr/local/cuda, links resolved, so that the path shows
 * its version where toolkits lie side by side; false and "nvcc" where there is none. */
bool cuda_folders_nvcc(char *path, size_t size);

/* ---- nvJitLink ---- */

/* PTX to machine code with no device. The library is opened beside NVRTC. */

/* Why a program does not compile, by the compiler's log: STATUS_UNSUPPORTED where a work-group
 * would need more local memory than the device gives one, else STATUS_COMPILE_ERROR. Returns false.
 */
bool cuda_fail_by_log(const char *name, const char *log, struct error *error);

/* What ptxas says of registers, spills and shared memory goes to *log, by malloc. `architecture` is
 * "sm_90a" or another. Errors of cuda_fail_by_log(); STATUS_UNSUPPORTED where there is no library.
 */
bool cuda_link_ptx(const struct nvrtc_library *nvrtc, const char *name, const char *ptx,
                   const char *architecture, char **log, struct error *error);

/* ---- nvcc ---- */

/* CUDA C++ to machine code, for a text that says @compiler nvcc. It is compiled in a temporary
 * folder. */

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
