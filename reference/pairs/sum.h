/*
 * sum — compensated sums. Private to reference/.
 */
#ifndef PAIRMARK_REFERENCE_PAIRS_SUM_H
#define PAIRMARK_REFERENCE_PAIRS_SUM_H

#include "reference/pairs/reference.h"

#include <math.h>

/* value + rest is the sum to about twice the precision. */
struct sum {
    double value, rest;
};

/* Knuth's two-sum: the rounding error of an addition is itself a double, and is kept. */
static inline void sum_add(struct sum *sum, double term) {
    double total = sum->value + term;
    double part = total - sum->value;
    sum->rest += (sum->value - (total - part)) + (term - part);
    sum->value = total;
}

static inline double sum_total(const struct sum *sum) {
    return sum->value + sum->rest;
}

/* Half a unit in the last place of a float as large as the longest partial sum that forces on a
 * particle may come to: of a component that is smaller, nothing is left. Whatever the order,
 * |some| + |others| <= scale and |some| - |others| <= |force|, so that |some| is at most half of
 * both. `other` is the tolerance of the force by its terms, in units of 2^-22; 0 where all that may
 * be lost is a quarter of it at most. */
static inline double sum_lost_below(const double force[3], double scale, double terms,
                                    double other) {
    const double size = sqrt(force[0] * force[0] + force[1] * force[1] + force[2] * force[2]);
    const double longest = 0.5 * (scale + size);
    return terms * longest > other && isfinite(longest)
               ? ldexp(REFERENCE_FLOAT_UNIT, ilogb(longest))
               : 0.0;
}

/* The six virials that there are, and their places in the matrix. */
enum { VIRIAL_COUNT = 6 };
static const int virial_row[VIRIAL_COUNT] = { 0, 1, 2, 0, 0, 1 };
static const int virial_column[VIRIAL_COUNT] = { 0, 1, 2, 1, 2, 2 };
static const int virial_place[9] = { 0, 3, 4, 3, 1, 5, 4, 5, 2 };

#endif
