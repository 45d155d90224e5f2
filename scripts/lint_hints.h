/* What the static analyser cannot see from one file: that the fail functions return false, always.
 * Put in front of every file that clang-tidy reads. */
#ifndef __cplusplus
#include "core/error.h"
#define fail(...) ((void)(fail)(__VA_ARGS__), false)
#define fail_within(...) ((void)(fail_within)(__VA_ARGS__), false)
#define fail_out_of_memory(...) ((void)(fail_out_of_memory)(__VA_ARGS__), false)
#endif
