/*
 * sums — the judges of results that are sums for each particle: forces, and what is judged as they
 * are, within tolerances.h. What they expect is a struct reference.
 */
#ifndef PAIRMARK_WORKLOADS_SUMS_H
#define PAIRMARK_WORKLOADS_SUMS_H

#include "reference/pairs/reference.h"
#include "workloads/judges.h"

struct expectation {
    struct reference reference;
};

/* An empty one to compute into. NULL: no memory. */
struct expectation *sums_allocate(struct error *error);
/* Hands over what was computed; frees it where that failed. Returns `computed`. */
bool sums_take(struct expectation *made, bool computed, struct expectation **expected);

/* Members of the judges. */
void sums_free(struct expectation *expected);
void sums_hash(const struct expectation *expected, struct hash_state *hash);
void sums_compare(const struct judge_question *question, const struct expectation *expected,
                  const struct evaluation *got, struct verdict *verdict);
void sums_compare_totals(const struct judge_question *question, const struct expectation *expected,
                         const struct evaluation *got, struct verdict *verdict);
bool sums_bounds(const struct judge_question *question, const struct expectation *expected,
                 enum judged_field field, double *wanted, double *tolerance, struct error *error);
void sums_work(const struct judge_question *question, const struct expectation *expected,
               struct expected_work *work);

#endif
