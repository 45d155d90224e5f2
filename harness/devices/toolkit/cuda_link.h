/*
 * cuda_link — PTX to machine code with no device, by the toolkit's nvJitLink.
 *
 * The library is opened at run time, beside NVRTC, as cuda_library.h does it.
 */
#ifndef PAIRMARK_DEVICES_TOOLKIT_CUDA_LINK_H
#define PAIRMARK_DEVICES_TOOLKIT_CUDA_LINK_H

#include "devices/cuda/cuda_library.h"

/* Why a program does not compile, by the compiler's log: STATUS_UNSUPPORTED where a work-group
 * would need more local memory than the device gives one, else STATUS_COMPILE_ERROR. Returns false.
 */
bool cuda_fail_by_log(const char *name, const char *log, struct error *error);

/* What ptxas says of registers, spills and shared memory goes to *log, by malloc. `architecture` is
 * "sm_90a" or another. Errors of cuda_fail_by_log(); STATUS_UNSUPPORTED where there is no library.
 */
bool cuda_link_ptx(const struct nvrtc_library *nvrtc, const char *name, const char *ptx,
                   const char *architecture, char **log, struct error *error);

#endif
