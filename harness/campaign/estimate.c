#include "campaign/estimate.h"

#include <math.h>

/* Where nothing else is known: measured on two cores by PoCL and on an H200 by CUDA, where kinds
 * differ by about as much. */
static const double later_by_first = 0.6;
static const double first_by_compiling = 0.25;
static const double growth = 0.5; /* seconds go with this power of the number of particles */

static struct estimate_size *size_of(struct estimate *estimate, size_t n) {
    size_t i = 0;
    while (i < estimate->size_count && estimate->sizes[i].n != n) {
        i++;
    }
    if (i == ESTIMATE_SIZES) {
        return &estimate->sizes[ESTIMATE_SIZES - 1];
    }
    if (i == estimate->size_count) {
        estimate->sizes[i].n = n;
        estimate->size_count++;
    }
    return &estimate->sizes[i];
}

void estimate_add(struct estimate *estimate, size_t n, enum visit_kind kind, double seconds) {
    struct estimate_size *size = size_of(estimate, n);
    size->seconds[kind] += seconds;
    size->count[kind]++;
    estimate->seconds += seconds;
}

void estimate_add_case(struct estimate *estimate, size_t n, size_t visits) {
    struct estimate_size *size = size_of(estimate, n);
    size->cases++;
    size->visits += visits;
}

static double log_of(size_t n) {
    return log((double)(n > 0 ? n : 1));
}

/* The mean at the nearest number of particles, scaled to n; 0: none of the kind. */
static double scaled_mean(const struct estimate *estimate, size_t n, enum visit_kind kind) {
    double nearest = INFINITY;
    double mean = 0;
    for (size_t i = 0; i < estimate->size_count; i++) {
        const struct estimate_size *size = &estimate->sizes[i];
        const double further = log_of(n) - log_of(size->n);
        if (size->count[kind] > 0 && fabs(further) < nearest) {
            nearest = fabs(further);
            mean = size->seconds[kind] / (double)size->count[kind] * exp(growth * further);
        }
    }
    return mean;
}

static double first_visit(const struct estimate *estimate, size_t n) {
    const double first = scaled_mean(estimate, n, VISIT_FIRST);
    return first > 0 ? first : first_by_compiling * scaled_mean(estimate, n, VISIT_COMPILING);
}

/* What is expected counts as one measured visit more: the first later one of a size is often dear.
 */
static double later_visit(const struct estimate *estimate, size_t n, double expected) {
    for (size_t i = 0; i < estimate->size_count; i++) {
        const struct estimate_size *size = &estimate->sizes[i];
        if (size->n == n) {
            return (expected + size->seconds[VISIT_LATER]) / (double)(1 + size->count[VISIT_LATER]);
        }
    }
    return expected;
}

double estimate_visit(const struct estimate *estimate, size_t n, enum visit_kind kind) {
    if (kind == VISIT_COMPILING) {
        return first_visit(estimate, n) + estimate_compiling(estimate);
    }
    const double first = first_visit(estimate, n);
    if (first <= 0) {
        return scaled_mean(estimate, n, VISIT_LATER);
    }
    return kind == VISIT_FIRST ? first : later_visit(estimate, n, later_by_first * first);
}

double estimate_compiling(const struct estimate *estimate) {
    double seconds = 0;
    size_t count = 0;
    for (size_t i = 0; i < estimate->size_count; i++) {
        const struct estimate_size *size = &estimate->sizes[i];
        seconds += size->seconds[VISIT_COMPILING] -
                   (double)size->count[VISIT_COMPILING] * first_visit(estimate, size->n);
        count += size->count[VISIT_COMPILING];
    }
    return count > 0 && seconds > 0 ? seconds / (double)count : 0;
}

double estimate_visits(const struct estimate *estimate, size_t n, size_t most) {
    for (size_t i = 0; i < estimate->size_count; i++) {
        const struct estimate_size *size = &estimate->sizes[i];
        if (size->n == n && size->cases > 0) {
            return (double)size->visits / (double)size->cases;
        }
    }
    return (double)most;
}
