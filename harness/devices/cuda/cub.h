/*
 * cub — device-wide sort, scan and sums for the CUDA backend: CUB's, and a sum of our own.
 *
 * The C face of cub.cu, the one file that nvcc compiles. Pointers are device memory of the current
 * context, `stream` is a CUstream of it; the calls only enqueue. Each returns 0 or the number of a
 * cudaError, whose words cub_error_words() gives; driver and runtime number their errors alike.
 */
#ifndef PAIRMARK_DEVICES_CUDA_CUB_H
#define PAIRMARK_DEVICES_CUDA_CUB_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "cudaErrorName: what it means" in words[size]. */
void cub_error_words(int error, char *words, size_t size);

/* The CUDA version this file was compiled with, as 13000 for 13.0. */
int cub_runtime_version(void);

/* Scratch, CUB's way: called with scratch NULL, the functions below store the bytes that they need
 * and do nothing else; the bytes depend on the sizes alone. */

/* Stable, by the lowest key_bits bits; the inputs stay as they were. n <= INT32_MAX. */
int cub_sort_pairs(void *scratch, size_t *scratch_bytes, const uint32_t *keys_in,
                   const uint32_t *values_in, uint32_t *keys_out, uint32_t *values_out, size_t n,
                   int key_bits, void *stream);

/* out may be in. n <= INT32_MAX. */
int cub_exclusive_scan(void *scratch, size_t *scratch_bytes, const int32_t *in, int32_t *out,
                       size_t n, void *stream);

/* out[s] = the sum of in[s * n .. s * n + n - 1], added as a binary tree whose shape depends on n
 * alone. `tickets` holds a 32-bit zero for each segment and is left so. */
enum cub_type { CUB_FLOAT, CUB_DOUBLE, CUB_INT64 };
int cub_sum(void *scratch, size_t *scratch_bytes, uint32_t *tickets, enum cub_type type,
            const void *in, size_t n, size_t segments, void *out, void *stream);

/* The same sums by CUB: its device-wide sum for one segment, else its segmented one. The
 * order of additions is CUB's own. n * segments <= INT32_MAX. */
int cub_library_sum(void *scratch, size_t *scratch_bytes, enum cub_type type, const void *in,
                    size_t n, size_t segments, void *out, void *stream);

#ifdef __cplusplus
}
#endif

#endif
