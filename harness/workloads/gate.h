/*
 * gate — decides whether what a variant computed agrees with the reference: a number passes where
 * it is no further off than its bound (tolerances.h).
 *
 * Under `mixed` the errors of pairs hide those of sums in float. But a sum of floats in double is a
 * multiple of the last digit of its smallest term, and that is at most the mean term: a component
 * of a force of m >= 16 terms that is 4 S_i / m or more has at least one digit beyond those of a
 * float, which is as often 1 as 0. Of 64 and more such numbers, all different (symmetric sites have
 * the same), some then have it: where none has, the sums are kept in float, or rounded to it.
 *
 * Such a digit can be added to a sum in float, by a factor near 1. What cannot be hidden is the
 * error itself, where pairs have none: a default case has such pairs (tolerances.h). And where
 * pairs have the same in two orders, results differ by that of sums alone: sums_compare_orders().
 *
 * Under `fixed` a sum is a whole number of units. Where S_i, and so each sum of some of its terms,
 * is at most 2^23 units, a float holds half a unit, and the last bit of what is rounded is as often
 * 1 as 0: of 64 and more different sums some are odd, unless the units are coarser. What is
 * expected to be a whole number of units (a lattice) says nothing.
 *
 * Every comparison is written as error <= tolerance, so that NaN and infinities fail.
 */
#ifndef PAIRMARK_WORKLOADS_GATE_H
#define PAIRMARK_WORKLOADS_GATE_H

#include "kernels/case.h"
#include "kernels/results.h"
#include "reference/pairs/reference.h"
#include "workloads/judges.h"
#include "workloads/tolerances.h"

enum {
    /* Fill outputs with this byte before a run that is to be checked: all bits set is a NaN both in
     * float and in double, and -1 in an integer, so that a number that no kernel wrote fails. */
    GATE_POISON_BYTE = 0xFF
};

/* What an evaluation is compared with. */
struct gate_expected {
    const struct workload_words *words; /* what messages call the numbers */
    const struct reference *reference;
    double length_scale; /* box_length_scale(); the reference's own is taken where it is longer */
    enum precision precision;
    enum outputs outputs;
};

/* Compares what `outputs` asks for and fills in the whole of *verdict (bitwise_repeatable as not
 * known).
 *
 *   STATUS_OK           every number is within its tolerance
 *   STATUS_WRONG        some are not: the message names the worst first, with the particle (counted
 *                       from 1), the component, what was got and expected, and the tolerance
 *   STATUS_UNSUPPORTED  the reference itself is not finite, or does not fit the arithmetic: names
 *                       the particles, which coincide or nearly so
 *   STATUS_OUT_OF_MEMORY
 *
 * Relative errors are 0 where exact, and infinite where the number is not finite or is compared
 * with zero. */
void gate_compare_in_words(const struct gate_expected *expected,
                           const struct evaluation *evaluation, struct verdict *verdict);
/* The same in the words of the default workload. */
static inline void gate_compare(const struct reference *reference, double length_scale,
                                enum precision precision, enum outputs outputs,
                                const struct evaluation *evaluation, struct verdict *verdict) {
    gate_compare_in_words(&(struct gate_expected){ &workload_default()->words, reference,
                                                   length_scale, precision, outputs },
                          evaluation, verdict);
}

/* The same of the energy and the virial alone, where `outputs` asks for them; the evaluation's
 * forces are not looked at. */
void gate_compare_totals(const struct gate_expected *expected, const struct evaluation *evaluation,
                         struct verdict *verdict);

/* ---- the judges of sums ---- */

/* The judges of results that are sums for each particle: forces, and what is judged as they
 * are, within tolerances.h. What they expect is a struct reference. */

struct expectation {
    struct reference reference; /* of one box */
    /* Of a batch, in its place (judges.c): what is expected of each box that has particles, or of
     * each place of a sample, and which box that is. */
    struct expectation **boxes;
    size_t *box, box_count;
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
/* Against another evaluation, of the same pairs in another order: within sqrt(2) times what sums
 * may err by where pairs do not. */
void sums_compare_orders(const struct judge_question *question, const struct expectation *expected,
                         const struct evaluation *before, const struct evaluation *got,
                         struct verdict *verdict);
void sums_compare_totals(const struct judge_question *question, const struct expectation *expected,
                         const struct evaluation *got, struct verdict *verdict);
bool sums_totals_are_small(const struct expectation *expected, enum outputs outputs);
bool sums_bounds(const struct judge_question *question, const struct expectation *expected,
                 enum judged_field field, double *wanted, double *tolerance, struct error *error);
void sums_work(const struct judge_question *question, const struct expectation *expected,
               struct expected_work *work);

/* What judges of such sums have in common, but for `compare`: sums_compare() or what calls it. */
#define SUMS_JUDGE_MEMBERS                                                                         \
    .free = sums_free, .hash = sums_hash, .compare_scalars = sums_compare_totals,                  \
    .compare_orders = sums_compare_orders, .bounds = sums_bounds, .work = sums_work,               \
    .by_box = true

#endif
