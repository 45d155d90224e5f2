#include "reference/random.h"

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

static void make_block(const struct random_stream *stream, uint64_t block, uint32_t words[4]) {
    const uint32_t counter[4] = { low_word(block), low_word(stream->step), high_word(stream->step),
                                  stream->use };
    const uint32_t key[2] = { low_word(stream->seed), high_word(stream->seed) };
    reference_philox4x32_10(counter, key, words);
}

uint32_t random_stream_word(const struct random_stream *stream, uint64_t k) {
    uint32_t words[4];
    make_block(stream, k / 4, words);
    return words[k % 4];
}

/* The middle of one of 2^23 or 2^52 intervals of equal length. */
double random_stream_uniform(const struct random_stream *stream, uint64_t d, bool in_double) {
    uint32_t words[4];
    if (!in_double) {
        return ((double)(random_stream_word(stream, d) >> 9) + 0.5) * 0x1p-23;
    }
    make_block(stream, d / 2, words);
    const uint64_t both = (uint64_t)words[2 * (d % 2)] << 32 | words[2 * (d % 2) + 1];
    return ((double)(both >> 12) + 0.5) * 0x1p-52;
}

/* u of the pair that draw d is one of: of a float, the nearest to a word's share, for which
 * (float)word is rounded first and then the sum. */
static double radial(const struct random_stream *stream, uint64_t d, bool in_double) {
    const uint64_t first = d - d % 2;
    if (in_double) {
        return random_stream_uniform(stream, first, true);
    }
    const float word = (float)random_stream_word(stream, first);
    return (double)fmaf(word, 0x1p-32F, 0x1p-33F);
}

double random_stream_gaussian(const struct random_stream *stream, uint64_t d, bool in_double) {
    const double u = radial(stream, d, in_double);
    const double v = random_stream_uniform(stream, d | 1U, in_double);
    const double radius = sqrt(-2.0 * log(u));
    /* Of the angle an eighth of a turn at most is left: 2 pi v is rounded once. */
    const double eighths = floor(8.0 * v);
    const int octant = (int)eighths;
    const double rest = octant % 2 == 0 ? v - eighths / 8.0 : (eighths + 1.0) / 8.0 - v;
    const double near_axis_cosine = cos(2.0 * pi * rest);
    const double near_axis_sine = sin(2.0 * pi * rest);
    /* Octants 1, 2, 5 and 6 are about the second axis, 2 to 5 left of it, 4 to 7 below the first.
     */
    const bool about_second = octant % 4 == 1 || octant % 4 == 2;
    const double across = about_second ? near_axis_sine : near_axis_cosine;
    const double up = about_second ? near_axis_cosine : near_axis_sine;
    const bool left = octant >= 2 && octant < 6;
    const bool below = octant >= 4;
    return d % 2 == 0 ? radius * (left ? -across : across) : radius * (below ? -up : up);
}
