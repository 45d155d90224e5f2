/*
 * random — a small generator of its own, so that a seed means the same box on every machine.
 *
 * xoshiro256** seeded through splitmix64, after D. Blackman and S. Vigna, "Scrambled linear
 * pseudorandom number generators", ACM TOMS 47 (2021), algorithms in the public domain at
 * prng.di.unimi.it. Integers and exact scaling by powers of two only.
 */
#ifndef PAIRMARK_BOXES_RANDOM_H
#define PAIRMARK_BOXES_RANDOM_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

struct random {
    uint64_t state[4];
};

static inline struct random random_from_seed(uint64_t seed) {
    struct random random;
    for (int i = 0; i < 4; i++) {
        seed += 0x9e3779b97f4a7c15u;
        uint64_t mixed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9u;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
        random.state[i] = mixed ^ (mixed >> 31);
    }
    return random;
}

static inline uint64_t random_rotate(uint64_t word, int bits) {
    return (word << bits) | (word >> (64 - bits));
}

static inline uint64_t random_next(struct random *random) {
    uint64_t *s = random->state;
    uint64_t result = random_rotate(s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = random_rotate(s[3], 45);
    return result;
}

/* Evenly in [0, 1): 53 random bits. */
static inline double random_unit(struct random *random) {
    return (double)(random_next(random) >> 11) * 0x1p-53;
}

/* Puts items of so many bytes each in another order, each order as likely as any (Fisher, Yates).
 */
static inline void random_shuffle(void *items, size_t count, size_t size, struct random *random) {
    char *bytes = items;
    for (size_t i = count; i > 1; i--) {
        char *one = bytes + (size_t)(random_next(random) % i) * size;
        char *last = bytes + (i - 1) * size;
        for (size_t b = 0; b < size; b++) {
            const char moved = one[b];
            one[b] = last[b];
            last[b] = moved;
        }
    }
}

/* Evenly in [-1, 1). */
static inline double random_signed(struct random *random) {
    return 2.0 * random_unit(random) - 1.0;
}

/* A direction, evenly over the sphere. */
static inline void draw_direction(struct random *random, double direction[3]) {
    double length2;
    do {
        length2 = 0.0;
        for (size_t axis = 0; axis < 3; axis++) {
            direction[axis] = random_signed(random);
            length2 += direction[axis] * direction[axis];
        }
    } while (!(length2 > 0.01 && length2 < 1.0));
    for (size_t axis = 0; axis < 3; axis++) {
        direction[axis] /= sqrt(length2);
    }
}

#endif
