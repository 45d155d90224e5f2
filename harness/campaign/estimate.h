/*
 * estimate — how long visits of cases will take, from those that were measured so far.
 *
 * What a visit costs depends on the number of particles, on whether it is the case's first (the
 * whole gate, the reference), and on whether its kernel has to be compiled. Means of each kind are
 * kept by number of particles; a kind that was not measured yet follows from what was.
 */
#ifndef PAIRMARK_CAMPAIGN_ESTIMATE_H
#define PAIRMARK_CAMPAIGN_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>

enum visit_kind {
    VISIT_COMPILING, /* the first of its kernel */
    VISIT_FIRST,     /* of its case */
    VISIT_LATER,
    VISIT_KINDS
};

enum { ESTIMATE_SIZES = 32 }; /* further ones count as the last */

struct estimate {
    struct estimate_size {
        size_t n;
        double seconds[VISIT_KINDS]; /* sums */
        size_t count[VISIT_KINDS];
        size_t cases, visits; /* of so many cases it is known how many visits they get */
    } sizes[ESTIMATE_SIZES];
    size_t size_count;
    double seconds; /* sum of all */
};

void estimate_add(struct estimate *estimate, size_t n, enum visit_kind kind, double seconds);

/* A case of n particles gets so many visits. */
void estimate_add_case(struct estimate *estimate, size_t n, size_t visits);

/* Seconds of a visit; 0 before anything was added. A VISIT_COMPILING is a VISIT_FIRST and
 * estimate_compiling(). */
double estimate_visit(const struct estimate *estimate, size_t n, enum visit_kind kind);
double estimate_compiling(const struct estimate *estimate);

/* How many visits a case gets; `most` where that is not known. */
double estimate_visits(const struct estimate *estimate, size_t n, size_t most);

#endif
