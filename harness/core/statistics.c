#include "core/statistics.h"

#include <math.h>
#include <stdlib.h>

/* ---- order statistics ---- */

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

/* ---- Student's t and Fisher's F ---- */

/* The continued fraction of the incomplete beta function, DLMF 8.17.22, by Lentz's method. */
static double beta_fraction(double a, double b, double x) {
    const double tiny = 1e-300;
    double c = 1;
    double d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double fraction = d;
    for (int m = 1; m < 500; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        for (int half = 0; half < 2; half++) {
            const double term = half == 0 ? even : odd;
            d = 1 + term * d;
            c = 1 + term / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            fraction *= c * d;
        }
        if (fabs(c * d - 1) < 1e-15) {
            break;
        }
    }
    return fraction;
}

/* The regularised incomplete beta function; the symmetry is used where the fraction is slow. */
static double beta_incomplete(double a, double b, double x) {
    const double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2)) {
        return front * beta_fraction(a, b, x) / a;
    }
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* P(T > t) for t > 0: half of I_x(freedom / 2, 1 / 2) at x = freedom / (freedom + t^2). */
static double upper_tail(double t, double freedom) {
    return 0.5 * beta_incomplete(0.5 * freedom, 0.5, freedom / (freedom + t * t));
}

double student_quantile(double tail, double freedom) {
    double low = 0;
    double high = 1;
    if (!(freedom > 0)) {
        return INFINITY;
    }
    if (!(tail < 0.5)) {
        return 0;
    }
    while (upper_tail(high, freedom) > tail) {
        low = high;
        high *= 2;
        if (!(high < 1e30)) {
            return INFINITY;
        }
    }
    for (int i = 0; i < 100 && high - low > 1e-12 * high; i++) {
        const double middle = 0.5 * (low + high);
        if (upper_tail(middle, freedom) > tail) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return 0.5 * (low + high);
}

double fisher_tail(double value, double numerator, double denominator) {
    if (!(value > 0)) {
        return 1;
    }
    return beta_incomplete(0.5 * denominator, 0.5 * numerator,
                           denominator / (denominator + numerator * value));
}
