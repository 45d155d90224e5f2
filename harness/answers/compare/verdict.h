/*
 * verdict — whether a case is faster or slower than its partner, and whether that can be known.
 */
#ifndef PAIRMARK_ANSWERS_COMPARE_VERDICT_H
#define PAIRMARK_ANSWERS_COMPARE_VERDICT_H

#include "answers/compare/bootstrap.h"

/* In the order in which a comparison prints them. */
enum change {
    CHANGE_NEWLY_WRONG, /* ok in the baseline, failed in the other */
    CHANGE_NEWLY_OK,
    CHANGE_SLOWER,
    CHANGE_FASTER,
    CHANGE_UNCLEAR,
    CHANGE_SAME,
    CHANGE_UNTIMED,     /* ok in both, without a time in one of them */
    CHANGE_UNSUPPORTED, /* ok in the baseline, and the other's device cannot run it */
    CHANGE_BOTH_FAIL,
    CHANGE_ONLY_BASELINE,
    CHANGE_ONLY_OTHER,
    CHANGES
};

/* "newly wrong", "newly ok", "slower", ... */
const char *change_name(enum change change);

struct difference {
    double ratio;     /* time of the other / time of the baseline; above 1: slower */
    double low, high; /* interval of the ratio, at its share of the risk; 0 and infinity: unknown */
    double own_low,
        own_high;  /* its interval of 1 - verdict_own_risk, whatever other cases there are */
    double floor;  /* the noise floor, as |ratio - 1| */
    double within; /* what `same` means here, as |ratio - 1|: the larger of floor and threshold */
};

/* The risk of the interval by which a ratio is called the same: 0.10, half of it on either side.
 * Two one-sided tests at 5 % (Schuirmann 1987): of cases that differ by just as much as counts, one
 * in twenty is called the same. That is asked per case: more cases make no false alarm of it. */
extern const double verdict_own_risk;

/* The interval low..high holds the ratio of medians with probability 1 - risk, as far as their
 * samples show. */
struct difference difference_of(const struct log_median *baseline, const struct log_median *other,
                                double risk, double floor, double threshold);

/* A noise floor above this, as |ratio - 1|, hides so much that nothing is called the same. */
extern const double verdict_most_floor;

/* slower, faster: the interval leaves 1 out, and the ratio is further from 1 than threshold and
 * floor. same: its own interval lies within threshold or floor, and the floor is not above
 * verdict_most_floor. unclear: none of them can be said. A distance of x means a ratio above 1 + x
 * or below 1 / (1 + x). */
enum change difference_verdict(const struct difference *difference);

#endif
