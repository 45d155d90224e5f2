#include "reference/random/random.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

static uint32_t low_word(uint64_t number) {
    return (uint32_t)(number & 0xffffffffu);
}

static uint32_t high_word(uint64_t number) {
    return (uint32_t)(number >> 32);
}

void reference_philox4x32_10(const uint32_t counter[4], const uint32_t key[2], uint32_t words[4]) {
    enum { ROUNDS = 10 };
    static const uint64_t multiplier[2] = { 0xd2511f53u, 0xcd9e8d57u };
    static const uint64_t weyl[2] = { 0x9e3779b9u, 0xbb67ae85u }; /* golden ratio; sqrt(3) - 1 */
    uint32_t c[4] = { counter[0], counter[1], counter[2], counter[3] };
    for (uint64_t round = 0; round < ROUNDS; round++) {
        const uint64_t first = multiplier[0] * c[0];
        const uint64_t second = multiplier[1] * c[2];
        c[0] = high_word(second) ^ c[1] ^ low_word(key[0] + round * weyl[0]);
        c[1] = low_word(second);
        c[2] = high_word(first) ^ c[3] ^ low_word(key[1] + round * weyl[1]);
        c[3] = low_word(first);
    }
    for (int k = 0; k < 4; k++) {
        words[k] = c[k];
    }
}

void random_stream_block(const struct random_stream *stream, uint64_t b, uint32_t words[4]) {
    const uint32_t counter[4] = { low_word(b), low_word(stream->step), high_word(stream->step),
                                  stream->use };
    const uint32_t key[2] = { low_word(stream->seed), high_word(stream->seed) };
    reference_philox4x32_10(counter, key, words);
}

uint32_t random_stream_word(const struct random_stream *stream, uint64_t k) {
    uint32_t words[4];
    random_stream_block(stream, k / 4, words);
    return words[k % 4];
}

/* ---- xorshift128 ---- */

struct random_xorshift random_xorshift_begin(uint64_t seed, uint32_t stream) {
    const struct random_stream seeding = { .seed = seed, .use = 1 };
    uint32_t words[4];
    random_stream_block(&seeding, stream, words);
    const bool none = (words[0] | words[1] | words[2] | words[3]) == 0;
    return (struct random_xorshift){ none ? 1 : words[0], words[1], words[2], words[3] };
}

uint32_t random_xorshift_next(struct random_xorshift *state) {
    const uint32_t t = state->x ^ (state->x << 11);
    state->x = state->y;
    state->y = state->z;
    state->z = state->w;
    state->w = state->w ^ (state->w >> 19) ^ (t ^ (t >> 8));
    return state->w;
}

/* ---- KISS ---- */

/* A half of the one with its carry: a state of 0, or of a 2^16 - 1, would stay what it is. */
static uint32_t carrying(uint32_t word, uint32_t multiplier) {
    return word == 0 || word == (multiplier << 16) - 1 ? 1 : word;
}

struct random_kiss random_kiss_begin(uint64_t seed, uint32_t stream) {
    const struct random_stream seeding = { .seed = seed, .use = 1 };
    uint32_t words[4];
    random_stream_block(&seeding, stream, words);
    return (struct random_kiss){ .z = carrying(words[0], 36969),
                                 .w = carrying(words[1], 18000),
                                 .jsr = words[2] == 0 ? 1 : words[2],
                                 .jcong = words[3] };
}

uint32_t random_kiss_next(struct random_kiss *state) {
    state->z = 36969 * (state->z % 65536) + state->z / 65536;
    state->w = 18000 * (state->w % 65536) + state->w / 65536;
    state->jsr ^= state->jsr << 17;
    state->jsr ^= state->jsr >> 13;
    state->jsr ^= state->jsr << 5;
    state->jcong = 69069 * state->jcong + 1234567;
    const uint32_t carried = (state->z << 16) + state->w;
    return (carried ^ state->jcong) + state->jsr;
}

/* ---- draws ---- */

/* The middle of one of 2^23 or 2^52 intervals of equal length. */
double random_uniform_of(const uint32_t *words, bool in_double) {
    if (!in_double) {
        return ((double)(words[0] >> 9) + 0.5) * 0x1p-23;
    }
    const uint64_t both = (uint64_t)words[0] << 32 | words[1];
    return ((double)(both >> 12) + 0.5) * 0x1p-52;
}

/* u of a pair: of a float, the nearest to a word's share, for which (float)word is rounded first
 * and then the sum. */
static double radial(const uint32_t *words, bool in_double) {
    return in_double ? random_uniform_of(words, true)
                     : (double)fmaf((float)words[0], 0x1p-32F, 0x1p-33F);
}

/* cos and sin of v turns. Of the angle an eighth of a turn at most is left, so that 2 pi v is
 * rounded once. */
static void turn(double v, double *cosine, double *sine) {
    const double eighths = floor(8.0 * v);
    const int octant = (int)eighths;
    const double rest = octant % 2 == 0 ? v - eighths / 8.0 : (eighths + 1.0) / 8.0 - v;
    const double along = cos(2.0 * pi * rest);
    const double off = sin(2.0 * pi * rest);
    /* Octants 1, 2, 5 and 6 are about the second axis, 2 to 5 left of it, 4 to 7 below the first.
     */
    const bool about_second = octant % 4 == 1 || octant % 4 == 2;
    const double across = about_second ? off : along;
    const double up = about_second ? along : off;
    *cosine = octant >= 2 && octant < 6 ? -across : across;
    *sine = octant >= 4 ? -up : up;
}

void random_gaussian_pair_of(const uint32_t *words, bool in_double, double pair[2]) {
    const double u = radial(words, in_double);
    const double v = random_uniform_of(words + (in_double ? 2 : 1), in_double);
    const double radius = sqrt(-2.0 * log(u));
    double cosine;
    double sine;
    turn(v, &cosine, &sine);
    pair[0] = radius * cosine;
    pair[1] = radius * sine;
}

double random_stream_uniform(const struct random_stream *stream, uint64_t d, bool in_double) {
    uint32_t words[4];
    const uint64_t first = in_double ? 2 * d : d;
    random_stream_block(stream, first / 4, words);
    return random_uniform_of(words + first % 4, in_double);
}

double random_stream_gaussian(const struct random_stream *stream, uint64_t d, bool in_double) {
    uint32_t words[4];
    double pair[2];
    const uint64_t first = (d - d % 2) * (in_double ? 2 : 1);
    random_stream_block(stream, first / 4, words);
    random_gaussian_pair_of(words + first % 4, in_double, pair);
    return pair[d % 2];
}
