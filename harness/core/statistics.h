/*
 * statistics — of samples of time and of visits, and quantiles of the distributions that they are
 * compared with.
 */
#ifndef PAIRMARK_CORE_STATISTICS_H
#define PAIRMARK_CORE_STATISTICS_H

#include "core/error.h"

#include <stddef.h>
#include <stdint.h>

/* ---- order statistics ---- */

/* Of samples of time: order statistics, since such samples have long tails to one side. */

/* Sorts in place, ascending. */
void sort_numbers(double *values, size_t count);
void sort_ints(int32_t *values, size_t count);

/* The value below which `fraction` (0..1) of ascending `sorted` lies, interpolated; NaN when count
 * is 0. */
double quantile_of_sorted(const double *sorted, size_t count, double fraction);

/* Median absolute deviation of ascending `sorted` about `median`; `scratch` holds count numbers. */
double mad_of_sorted(const double *sorted, size_t count, double median, double *scratch);

/* Standard error of the median relative to it, from the MAD as if the middle of the samples were
 * normal: 1.2533 * 1.4826 * MAD / (sqrt(count) * median). Infinite for fewer than 2 samples. */
double relative_error_of_median(double median, double mad, size_t count);

/* How far from 1 a ratio of two times of the same thing is to be expected, from the logarithms of
 * `count` such ratios: the bound that, with 95 % confidence, 99 % of such ratios keep, as |ratio -
 * 1|. Were the logarithms normal about 0 (which of the two times is above is a toss) their variance
 * s^2 = sum of squares / count would give the tolerance bound z s sqrt(count / c), z being the 99.5
 * % quantile of the normal distribution and c the 5 % quantile of chi-square with `count` degrees
 * of freedom (Wald and Wolfowitz 1946, with the mean known): 4.4 s for 8 ratios, 41 s for one. Real
 * times have longer tails, so the largest ratio seen is a bound below which this does not go. NaN
 * for none. */
double ratio_spread_of(const double *log_ratios, size_t count);

/* ---- Student's t and Fisher's F ---- */

/* Quantiles of Student's t distribution, for few degrees of freedom and small tails; tails of
 * Fisher's F distribution. */

/* The value that a t-distributed number of `freedom` degrees exceeds with probability `tail`; 0 <
 * tail <= 1/2. `freedom` need not be whole. Infinite where freedom is not positive: nothing is
 * known then. Right to a relative 1e-9. */
double student_quantile(double tail, double freedom);

/* The probability that an F-distributed number, the ratio of two mean squares of so many degrees of
 * freedom (both positive), exceeds `value`. 1 where value is not positive. */
double fisher_tail(double value, double numerator, double denominator);

/* ---- visits, moderated ---- */

/* How far the visits of a case stray, estimated better than from its own few visits.
 *
 * Three visits give a variance with two degrees of freedom, which is next to nothing. But cases of
 * like variant and duration stray alike: the variances of a run are draws around that of their
 * class. G. K. Smyth (Stat. Appl. Genet. Mol. Biol. 3 (2004) 3) gives each case the weighted mean
 * of its own variance and of its class's, and the degrees of freedom of both. How much the class
 * counts, d0 degrees of freedom, follows from how much the logarithms of the variances scatter
 * beyond what their own freedom explains.
 *
 * Where this goes further than Smyth: what the samples within a visit predict of the variance
 * between visits is taken out first, as limma's trend is (C. W. Law, Y. Chen, W. Shi, G. K. Smyth,
 * Genome Biol. 15 (2014) R29): the logarithms of the variances are fitted by a line over those of
 * the samples' deviations, and classes are of what remains. The class is local (the cases nearest
 * in duration, those of other variants being further away); its variance is no less than a share of
 * its second largest, since a few that are tiny by chance, as where times have two values, drag a
 * mean of logarithms to nothing; and a case that strays far more than its class is left to itself.
 */

/* Visits of one case on one device, in one run or in both of a comparison. */
struct visit_spread {
    const char *variant;
    double log_seconds; /* natural logarithm of its time */
    double variance;    /* of the logarithms of its visits' times */
    double freedom;     /* of the variance: visits - 1; 0: there was one visit */
    double scatter;     /* of samples within a visit: their median absolute deviation over the
                         * median; NaN: not known */
};

struct moderated {
    double variance; /* of the logarithm of one visit's time; NaN: not known */
    double freedom;  /* 0: not known */
};

/* What a class is. */
enum { MODERATE_CLASS = 12 };

/* Moderates cases of one run and device, which stray alike where variant and duration are alike.
 * `moderated` has room for `count`. */
void moderate(const struct visit_spread *spreads, size_t count, struct moderated *moderated);

/* The degrees of freedom d0 that a class counts, for logarithms of variances that scatter by
 * `excess` beyond their own freedom: trigamma(d0 / 2) = excess. Infinite where excess is not
 * positive. */
double moderate_prior_freedom(double excess);

/* The variance of the median of `count` normal numbers of variance 1. count >= 1. */
double moderate_variance_of_median(size_t count);

/* Derivatives of the logarithm of the gamma function, of x > 0: relative 1e-12. */
double digamma(double x);
double trigamma(double x);

#endif
