/*
 * random — what random numbers are expected: Philox4x32-10, and what is made of its words.
 *
 * J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2,
 * 3", Proc. SC11 (2011), doi 10.1145/2063384.2063405. Written from the paper by itself: it shares
 * nothing with variants/random.cl, which says what a stream is and how draws are made of words.
 *
 * Words and uniform draws are exact, and so are the u and v of Gaussian draws; sine, logarithm and
 * root of these are taken in double, whatever the precision is.
 */
#ifndef PAIRMARK_REFERENCE_RANDOM_H
#define PAIRMARK_REFERENCE_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ten rounds: four words of a counter and two of a key. */
void reference_philox4x32_10(const uint32_t counter[4], const uint32_t key[2], uint32_t words[4]);

struct random_stream {
    uint64_t seed; /* the key, its low word first */
    uint64_t step; /* y and z of the counter, the low word first */
    uint32_t use;  /* w of the counter; x is the number of the block */
};

/* Word k: of block k / 4, which must be below 2^32. */
uint32_t random_stream_word(const struct random_stream *stream, uint64_t k);

/* Draw d, within 0 and 1; `in_double` or in float. */
double random_stream_uniform(const struct random_stream *stream, uint64_t d, bool in_double);

/* Draw d, of mean 0 and variance 1. */
double random_stream_gaussian(const struct random_stream *stream, uint64_t d, bool in_double);

#endif
