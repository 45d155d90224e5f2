/*
 * batches — boxes that are computed in one launch and know nothing of each other: in which order
 * kernels find them, what kernels are told of them, and how they are judged: box by box, each by
 * the judge of the workload, as if it were alone.
 */
#ifndef PAIRMARK_WORKLOADS_BATCHES_H
#define PAIRMARK_WORKLOADS_BATCHES_H

#include "boxes/box.h"
#include "workloads/judges.h"
#include "workloads/member_order.h"

/* ---- the order of boxes ---- */

/* An order of a batch of drawn sizes, drawn by the bits: boxes stay whole; they begin with another
 * one, and all particles may be turned round. Of boxes of one size member_order_draw() has more. */
struct member_order batch_order_draw(const struct box *box, uint64_t bits);

/* Where kernels find the boxes. */
struct batch_places {
    size_t *box;    /* of each place: which box is there */
    int32_t *begin; /* ... and its first particle, by places; one more: n */
};
bool batch_places_find(const struct box *box, const struct member_order *order,
                       struct batch_places *places, struct error *error);
void batch_places_free(struct batch_places *places); /* also of zeroed ones */

/* ---- judging ---- */

struct expectation;

/* Members of judges whose expectation is one of gate.h, where the question is of a batch. The
 * judge's own members are called for each box that has particles. */
bool batch_expect(const struct judge_question *question, enum expect_use use,
                  struct expectation **expected, struct error *error);
bool batch_expect_some(const struct judge_question *question, const uint32_t *particle,
                       size_t count, struct expectation **expected, struct error *error);
void batch_compare(const struct judge_question *question, const struct expectation *expected,
                   const struct evaluation *got, struct verdict *verdict);
void batch_compare_orders(const struct judge_question *question, const struct expectation *expected,
                          const struct evaluation *before, const struct evaluation *got,
                          struct verdict *verdict);
void batch_compare_scalars(const struct judge_question *question,
                           const struct expectation *expected, const struct evaluation *got,
                           struct verdict *verdict);
bool batch_bounds(const struct judge_question *question, const struct expectation *expected,
                  enum judged_field field, double *wanted, double *tolerance, struct error *error);
void batch_work(const struct judge_question *question, const struct expectation *expected,
                struct expected_work *work);

/* Members of judges of sums, of one box or of a batch, but for `compare`: sums_or_batch_compare()
 * or what calls it. */
void sums_or_batch_compare(const struct judge_question *question,
                           const struct expectation *expected, const struct evaluation *got,
                           struct verdict *verdict);
void sums_or_batch_compare_scalars(const struct judge_question *question,
                                   const struct expectation *expected, const struct evaluation *got,
                                   struct verdict *verdict);
void sums_or_batch_compare_orders(const struct judge_question *question,
                                  const struct expectation *expected,
                                  const struct evaluation *before, const struct evaluation *got,
                                  struct verdict *verdict);
bool sums_or_batch_bounds(const struct judge_question *question, const struct expectation *expected,
                          enum judged_field field, double *wanted, double *tolerance,
                          struct error *error);
void sums_or_batch_work(const struct judge_question *question, const struct expectation *expected,
                        struct expected_work *work);
#define BATCHED_JUDGE_MEMBERS                                                                      \
    .free = sums_free, .hash = sums_hash, .compare_scalars = sums_or_batch_compare_scalars,        \
    .compare_orders = sums_or_batch_compare_orders, .bounds = sums_or_batch_bounds,                \
    .work = sums_or_batch_work

/* Why kernels of pairs cannot run a batch; NULL: they can, or it is none. */
const char *batch_refuse(const struct case_spec *spec);
/* Likewise of kernels of terms or constraints, whose lists are concatenated: what to say where
 * files say those of one box; cells that differ are those of box_cells. */
const char *batch_refuse_lists(const struct case_spec *spec, const char *of_files);

#endif
