/*
 * cuda_state — variables of a CUDA program that keep their values from launch to launch.
 *
 * A kernel that has one could remember results. They are found in the PTX that NVRTC makes, where
 * no macro hides them: declarations in the state space .global, wherever inline PTX puts them.
 * Constant and shared memory is no such thing; strings, what CUDA's own functions declare and what
 * nothing uses are left out.
 */
#ifndef PAIRMARK_DEVICE_CUDA_CUDA_STATE_H
#define PAIRMARK_DEVICE_CUDA_CUDA_STATE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether there is one in the PTX that `source` became; `name` gets the first, as PTX has it, cut
 * to `size`. */
bool cuda_state_find(const char *ptx, const char *source, char *name, size_t size);

#endif
