/*
 * sum — compensated sums. Private to reference/.
 */
#ifndef PAIRMARK_REFERENCE_PAIRS_SUM_H
#define PAIRMARK_REFERENCE_PAIRS_SUM_H

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

/* The six virials that there are, and their places in the matrix. */
enum { VIRIAL_COUNT = 6 };
static const int virial_row[VIRIAL_COUNT] = { 0, 1, 2, 0, 0, 1 };
static const int virial_column[VIRIAL_COUNT] = { 0, 1, 2, 1, 2, 2 };
static const int virial_place[9] = { 0, 3, 4, 3, 1, 5, 4, 5, 2 };

#endif
