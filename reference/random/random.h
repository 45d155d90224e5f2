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
#ifndef PAIRMARK_REFERENCE_RANDOM_RANDOM_H
#define PAIRMARK_REFERENCE_RANDOM_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

/* Ten rounds: four words of a counter and two of a key. */
void reference_philox4x32_10(const uint32_t counter[4], const uint32_t key[2], uint32_t words[4]);

struct random_stream {
    uint64_t seed; /* the key, its low word first */
    uint64_t step; /* y and z of the counter, the low word first */
    uint32_t use;  /* w of the counter; x is the number of the block */
};

/* Block b, of words 4b to 4b + 3; b is below 2^32. */
void random_stream_block(const struct random_stream *stream, uint64_t b, uint32_t words[4]);

/* Word k: of block k / 4, which must be below 2^32. */
uint32_t random_stream_word(const struct random_stream *stream, uint64_t k);

/* What is made of words, whichever generator they are from: a uniform draw of one of them in float,
 * of two in double; a pair of Gaussian draws of two in float, of four in double. */
double random_uniform_of(const uint32_t *words, bool in_double);
void random_gaussian_pair_of(const uint32_t *words, bool in_double, double pair[2]);

/* xorshift128: G. Marsaglia, "Xorshift RNGs", J. Stat. Softw. 8 (2003) 14, doi
 * 10.18637/jss.v008.i14, the generator of four words with shifts 11, 8 and 19. A stream begins with
 * Philox's block `stream`, use 1, step 0 of the seed; were all four words zero, the first is 1. */
struct random_xorshift {
    uint32_t x, y, z, w;
};
struct random_xorshift random_xorshift_begin(uint64_t seed, uint32_t stream);
uint32_t random_xorshift_next(struct random_xorshift *state);

/* KISS: G. Marsaglia, "Random numbers for C: The END?", sci.stat.math, 20 January 1999: two
 * multiply-with-carry generators of 16 bits, three shifts (17, 13, 5) and a congruence. A stream
 * begins with the words z, w, jsr, jcong of Philox's block `stream`, use 1, step 0 of the seed;
 * what would never change (z of 0 or 36969 * 2^16 - 1, w of 0 or 18000 * 2^16 - 1, jsr of 0) is
 * 1 instead. */
struct random_kiss {
    uint32_t z, w, jsr, jcong;
};
struct random_kiss random_kiss_begin(uint64_t seed, uint32_t stream);
uint32_t random_kiss_next(struct random_kiss *state);

/* Draw d, within 0 and 1; `in_double` or in float. */
double random_stream_uniform(const struct random_stream *stream, uint64_t d, bool in_double);

/* Draw d, of mean 0 and variance 1. */
double random_stream_gaussian(const struct random_stream *stream, uint64_t d, bool in_double);

#endif
