/*
 * judges — what is expected of a case, and whether what it computed is that.
 *
 * A workload names its judge (workload.h); a judge serves all workloads that are sums of like
 * terms. `struct reference` is what is expected, in the workload's own sign: where the reference
 * computes forces and the workload is of derivatives, its judge has turned them. Nobody else does.
 */
#ifndef PAIRMARK_WORKLOADS_JUDGES_JUDGES_H
#define PAIRMARK_WORKLOADS_JUDGES_JUDGES_H

#include "kernels/case.h"
#include "kernels/results.h"
#include "reference/pairs/reference.h"

/* What is asked: a case in a box as the device has it. All outlive the question. */
struct judge_question {
    const struct case_spec *spec;
    const struct box *box;
    double cutoff;               /* resolved; INFINITY: none */
    const struct groups *groups; /* NULL: all particles, one group */
};

enum expect_use {
    EXPECT_KEPT, /* may be read from the cache, and written there */
    EXPECT_ONCE  /* of a box that nobody will ask for again: not kept */
};

struct judge {
    const char *name;

    /* Computes what is expected of every particle, and of the case as a whole. */
    bool (*expect)(const struct judge_question *question, enum expect_use use,
                   struct reference *expected, struct error *error);
    /* Of some particles alone: place k is that of particle[k]. NULL where all are expected or none:
     * judge_expect_some(). */
    bool (*expect_some)(const struct judge_question *question, const uint32_t *particle,
                        size_t count, struct reference *expected, struct error *error);
    /* From how many places, of a cutoff's width, some particles should be taken, so that what is
     * expected of them does not take all others; NULL or 0: from anywhere. */
    size_t (*places)(const struct judge_question *question);
    /* Compares what the outputs of the case ask for, and fills in the whole of *verdict. */
    void (*compare)(const struct judge_question *question, const struct reference *expected,
                    const struct evaluation *got, struct verdict *verdict);
    /* The same of the scalars alone; got->force is not looked at. */
    void (*compare_scalars)(const struct judge_question *question, const struct reference *expected,
                            const struct evaluation *got, struct verdict *verdict);
    /* The same of the results of all particles, vectors alone: what two of them show together that
     * each by itself does not. NULL: each particle by itself is enough. */
    void (*compare_all)(const struct judge_question *question, const struct reference *expected,
                        const struct evaluation *got, struct verdict *verdict);
    /* How far each component of the result may be from what is expected: 3 * expected->n. */
    bool (*tolerances)(const struct judge_question *question, const struct reference *expected,
                       double *tolerances, struct error *error);
};

/* `compare`, `compare_scalars` and `tolerances` of judges whose results are forces, or what is
 * judged as they are: within tolerances.h. */
void judge_compare_forces(const struct judge_question *question, const struct reference *expected,
                          const struct evaluation *got, struct verdict *verdict);
void judge_compare_totals(const struct judge_question *question, const struct reference *expected,
                          const struct evaluation *got, struct verdict *verdict);
bool judge_force_tolerances(const struct judge_question *question, const struct reference *expected,
                            double *numbers, struct error *error);

/* Of displacements that are expected of all: takes over `all`, of which `count` particles stay, in
 * the order of `particle`.
 * Errors: no memory; then `all` is freed. */
bool judge_pick_displacements(struct reference *all, const uint32_t *particle, size_t count,
                              struct reference *expected, struct error *error);

/* The judge of the workload of a case. */
const struct judge *judge_of(const struct case_spec *spec);

/* What it expects of some particles, as `expect_some`: of displacements, some are picked of all. */
bool judge_expect_some(const struct judge_question *question, const uint32_t *particle,
                       size_t count, struct reference *expected, struct error *error);

#endif
