/*
 * cuda_link — PTX to machine code with no device, by the toolkit's nvJitLink.
 *
 * The library is opened at run time, beside NVRTC, as cuda_library.h does it.
 */
#ifndef PAIRMARK_DEVICE_TOOLKIT_CUDA_LINK_H
#define PAIRMARK_DEVICE_TOOLKIT_CUDA_LINK_H

#include "device/cuda/cuda_library.h"

/* What ptxas says of registers, spills and shared memory goes to *log, by malloc. `architecture` is
 * "sm_90a" or another. STATUS_COMPILE_ERROR with the compiler's log; STATUS_UNSUPPORTED where there
 * is no library. */
bool cuda_link_ptx(const struct nvrtc_library *nvrtc, const char *name, const char *ptx,
                   const char *architecture, char **log, struct error *error);

#endif
