#include "core/statistics.h"

#include <math.h>
#include <stdlib.h>

static int compare_numbers(const void *left, const void *right) {
    const double a = *(const double *)left;
    const double b = *(const double *)right;
    return (a > b) - (a < b);
}

void sort_numbers(double *values, size_t count) {
    qsort(values, count, sizeof *values, compare_numbers);
}

double quantile_of_sorted(const double *sorted, size_t count, double fraction) {
    if (count == 0) {
        return NAN;
    }
    const double place = fraction * (double)(count - 1);
    const size_t below = (size_t)place;
    if (below + 1 >= count) {
        return sorted[count - 1];
    }
    return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

double mad_of_sorted(const double *sorted, size_t count, double median, double *scratch) {
    for (size_t i = 0; i < count; i++) {
        scratch[i] = fabs(sorted[i] - median);
    }
    sort_numbers(scratch, count);
    return quantile_of_sorted(scratch, count, 0.5);
}

double relative_error_of_median(double median, double mad, size_t count) {
    if (count < 2 || !(median > 0)) {
        return INFINITY;
    }
    return 1.2533 * 1.4826 * mad / (sqrt((double)count) * median);
}

/* The chance that chi-square with `freedom` degrees is at most x: the series of the lower
 * incomplete gamma function, which converges fast where it is used, x not far above freedom. */
static double chi_square_below(double x, double freedom) {
    const double a = 0.5 * freedom;
    const double z = 0.5 * x;
    double term = 1;
    double sum = 1;
    for (int n = 1; term > 1e-15 * sum; n++) {
        term *= z / (a + n);
        sum += term;
    }
    return exp(a * log(z) - z - lgamma(a + 1)) * sum;
}

/* By halving: the 5 % quantile lies below the mean, which is `freedom`. */
static double chi_square_5_percent(double freedom) {
    double low = 0;
    double high = freedom;
    for (int i = 0; i < 100; i++) {
        const double middle = 0.5 * (low + high);
        *(chi_square_below(middle, freedom) < 0.05 ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

double ratio_spread_of(const double *log_ratios, size_t count) {
    static const double normal_995 = 2.5758293035489004;
    double squares = 0;
    double largest = 0;
    if (count == 0) {
        return NAN;
    }
    for (size_t i = 0; i < count; i++) {
        squares += log_ratios[i] * log_ratios[i];
        largest = fmax(largest, fabs(log_ratios[i]));
    }
    /* sqrt(squares / count) * sqrt(count / chi-square): the count goes away. */
    const double bound = normal_995 * sqrt(squares / chi_square_5_percent((double)count));
    return expm1(fmax(bound, largest));
}
