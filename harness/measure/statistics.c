#include "measure/statistics.h"

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
