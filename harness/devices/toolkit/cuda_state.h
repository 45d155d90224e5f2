/*
 * cuda_state — what of a CUDA program keeps its value from launch to launch.
 *
 * A kernel that has such memory could remember results. It is found in the PTX that a compiler
 * makes, where no macro hides it: declarations in the state space .global, wherever inline PTX puts
 * them and however it writes them, and calls of malloc, whose heap outlives launches. Constant and
 * shared memory is no such thing. Left out are what nothing uses and, up to 1024 bytes together,
 * what compilers declare themselves: strings, and tables of CUDA's own functions.
 */
#ifndef PAIRMARK_DEVICES_TOOLKIT_CUDA_STATE_H
#define PAIRMARK_DEVICES_TOOLKIT_CUDA_STATE_H

#include <stdbool.h>
#include <stddef.h>

/* The name that is found where the heap is used. */
#define CUDA_STATE_HEAP "malloc"

/* Whether there is any in the PTX; `name` gets the first, as PTX has it, cut to `size`. */
bool cuda_state_find(const char *ptx, char *name, size_t size);

#endif
