/*
 * cuda_folders — where the toolkit keeps its headers, found at run time. Private to the CUDA
 * backend.
 *
 * Looked for beside NVRTC, so that headers and compiler are of one version; then in CUDA_HOME,
 * CUDA_PATH, /usr/local/cuda, and where the nvcc of PATH lies. Layouts: include/ beside lib64/ or
 * lib/ of a toolkit, targets/x86_64-linux/include, nvidia/cu13/include of pip's packages. CCCL
 * (CUB, libcu++) is in include/cccl since CUDA 13, in include before.
 */
#ifndef PAIRMARK_DEVICES_TOOLKIT_CUDA_FOLDERS_H
#define PAIRMARK_DEVICES_TOOLKIT_CUDA_FOLDERS_H

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

#endif
