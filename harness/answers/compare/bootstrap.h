/*
 * bootstrap — how well the median of a case's samples is known, and the verdict on two of them.
 *
 * All of it is about the logarithm of a median in seconds, since a ratio of medians is then a
 * difference, and slower by a factor is as far as faster by it.
 *
 * Samples of one repetition stand in the order they were taken in, and neighbours are alike: they
 * share a batch of launches, one build of the structure, a clock. So blocks of neighbours are drawn
 * instead of samples: the circular block bootstrap (Politis and Romano 1992, after Kuensch 1989;
 * Efron and Tibshirani 1993, chapter 8).
 */
#ifndef PAIRMARK_ANSWERS_COMPARE_BOOTSTRAP_H
#define PAIRMARK_ANSWERS_COMPARE_BOOTSTRAP_H

#include "core/error.h"

#include <stdint.h>

/* Draws of the bootstrap, and where its generator starts: the same samples give the same digits. */
enum { BOOTSTRAP_DRAWS = 1000, BOOTSTRAP_SEED = 1979, FEWEST_SAMPLES = 3 };

struct log_median {
    double value;    /* natural logarithm of the median in seconds */
    double variance; /* of the value; infinite: not known */
    double freedom;  /* degrees of freedom of the variance; 0: not known */
};

/* How many neighbours to draw together: as many as a batch of the sampler once had (0.02 s of
 * launches, 32 at most), and no less than the cube root of the count, as far as at least five
 * blocks remain. At least 1.
 */
size_t bootstrap_block(double median_s, size_t count);

/* From samples in seconds, all positive, in their order. The freedom is that of the number of
 * blocks. Fewer than FEWEST_SAMPLES: the value alone. STATUS_OUT_OF_MEMORY. */
bool log_median_of_samples(const double *seconds, size_t count, struct log_median *median,
                           struct error *error);

/* From what a row keeps, where samples are missing: the standard error of a median of normal
 * numbers, 1.2533 * 1.4826 * MAD / (sqrt(blocks) * median), with blocks for samples: as if those of
 * a batch were but one. */
struct log_median log_median_of_row(double median_s, double mad_s, size_t count);

/* Repetitions of a case together: the mean of their values. Its variance is what their own
 * variances come to, or what they differ by among themselves where that is more; degrees of freedom
 * after Satterthwaite (1946). count >= 1. */
struct log_median log_median_pool(const struct log_median *repetitions, size_t count);

/* Half the width of an interval that holds value(b) - value(a) with probability 1 - risk: Student's
 * t times the root of both variances, degrees of freedom after Welch (1947). Infinite where not
 * known. */
double log_median_half_width(const struct log_median *a, const struct log_median *b, double risk);

/* ---- the verdict: whether a case is faster or slower than its partner, if that can be known ----
 */

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
