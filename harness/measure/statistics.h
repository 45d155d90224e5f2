/*
 * statistics — of samples of time: order statistics, since such samples have long tails to one
 * side.
 */
#ifndef PAIRMARK_MEASURE_STATISTICS_H
#define PAIRMARK_MEASURE_STATISTICS_H

#include <stddef.h>

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

#endif
