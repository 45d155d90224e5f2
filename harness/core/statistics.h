/*
 * statistics — statistics of samples of time, and quantiles of the distributions that they are
 * compared with.
 */
#ifndef PAIRMARK_CORE_STATISTICS_H
#define PAIRMARK_CORE_STATISTICS_H

#include <stddef.h>

/* ---- order statistics ---- */

/* Of samples of time: order statistics, since such samples have long tails to one side. */

/* Sorts in place, ascending. */
void sort_numbers(double *values, size_t count);

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

#endif
