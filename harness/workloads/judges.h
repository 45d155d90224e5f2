/*
 * judges — what is expected of a case, and whether what it computed is that.
 *
 * A workload names its judge (workload.h); a judge serves all workloads whose results are compared
 * alike. What it expects is a struct of its own: nobody else looks into it. It is in the workload's
 * own sign: where the reference computes forces and the workload is of derivatives, the judge has
 * turned them. Members that may be NULL say so; the others are there.
 */
#ifndef PAIRMARK_WORKLOADS_JUDGES_H
#define PAIRMARK_WORKLOADS_JUDGES_H

#include "core/cache.h"
#include "kernels/case.h"
#include "kernels/results.h"

/* Sets of charges a, b, a + b and a - b. */
enum { SUPERPOSED = 4 };

/* What is asked: a case in a box as the device has it. All outlive the question. */
struct judge_question {
    const struct case_spec *spec;
    const struct box *box;
    double cutoff;               /* resolved; INFINITY: none */
    const struct groups *groups; /* NULL: all particles, one group */
};

/* What a judge expects: defined in the file of each judge, or in gate.h. */
struct expectation;

enum expect_use {
    EXPECT_KEPT, /* may be read from the cache, and written there */
    EXPECT_ONCE  /* of a box that nobody will ask for again: not kept */
};

/* How a judge has kernels compute what the serial reference takes too long for. */
struct kernel_runner {
    void *context;
    const char *device;
    bool has_double;
    /* variants_embedded() and variant_parse(): who reads kernel files knows all workloads, and so
     * cannot stand below their judges. */
    const struct variant *(*built_in)(size_t *count, struct error *error);
    bool (*parse)(const char *path, const char *text, struct variant *variant, struct error *error);
    /* One evaluation over the whole box. Errors: those of compiling and running it. */
    bool (*evaluate)(void *context, const struct case_spec *spec, const struct box *box,
                     double cutoff, struct evaluation *evaluation, struct error *error);
    /* The pairs that a counting build applies its pair function to. */
    bool (*count_pairs)(void *context, const struct case_spec *spec, const struct box *box,
                        double cutoff, int64_t *pairs, struct error *error);
};

/* Fields that are compared particle by particle: the result, and what a launch leaves besides. */
enum judged_field { JUDGED_RESULT, JUDGED_VELOCITY };

/* Of results that are not over particles (workload.h): numbers that a launch left at some places,
 * for the host to compare. */
enum {
    PLACES_SAMPLE = 2048, /* at most, of every launch */
    PLACES_MANY = 1 << 18 /* and of some launches */
};
struct placed_results {
    size_t n;             /* places that the result has */
    uint64_t seed, step;  /* of the launch, where there are no particles */
    const double *got;    /* of place k, or of place[k] where there are places */
    const int32_t *place; /* NULL: all n */
    size_t count;         /* of `got` */
};

/* The work of an evaluation, as the result has it. */
struct expected_work {
    int64_t pairs;       /* or terms; -1: there are none to be counted */
    uint64_t edge_pairs; /* that rounding may count or not */
};

/* A number that the reference has besides the results. */
struct beside {
    const char *name;
    double value;
};
enum { JUDGE_MOST_BESIDE = 4 };

struct judge {
    const char *name;

    /* ---- what is expected ---- */

    /* Computes what is expected of every particle, and of the case as a whole; freed by `free`.
     * NULL: nothing is computed beforehand, and the expectation is NULL. */
    bool (*expect)(const struct judge_question *question, enum expect_use use,
                   struct expectation **expected, struct error *error);
    /* Of some particles alone: place k is that of particle[k]. NULL: it is of all or of none. */
    bool (*expect_some)(const struct judge_question *question, const uint32_t *particle,
                        size_t count, struct expectation **expected, struct error *error);
    /* From how many places, of a cutoff's width, some particles should be taken, so that what is
     * expected of them does not take all others; NULL or 0: from anywhere. */
    size_t (*places)(const struct judge_question *question);
    /* In boxes that are too large for `expect`: by kernels, which a sample of particles judges.
     * *judged says what was done. NULL: `expect` computes those, too. */
    bool (*expect_by_kernels)(const struct judge_question *question,
                              const struct kernel_runner *runner, struct expectation **expected,
                              struct judged *judged, struct error *error);
    void (*free)(struct expectation *expected);
    /* Adds all that was computed to a hash, by which it shows when somebody wrote over it. */
    void (*hash)(const struct expectation *expected, struct hash_state *hash);
    /* Appends what else of a case decides what is expected of it: besides box, interaction, cutoff,
     * groups and the precision of positions. NULL: nothing. */
    void (*append_key)(const struct case_spec *spec, struct strbuf *key);

    /* ---- comparing ---- */

    /* Compares what the outputs of the case ask for, and fills in the whole of *verdict. */
    void (*compare)(const struct judge_question *question, const struct expectation *expected,
                    const struct evaluation *got, struct verdict *verdict);
    /* The same of the scalars alone; got->force is not looked at. NULL: there are none. */
    void (*compare_scalars)(const struct judge_question *question,
                            const struct expectation *expected, const struct evaluation *got,
                            struct verdict *verdict);
    /* The same of the results of all particles, vectors alone: what two of them show together that
     * each by itself does not. NULL: each particle by itself is enough. */
    void (*compare_all)(const struct judge_question *question, const struct expectation *expected,
                        const struct evaluation *got, struct verdict *verdict);
    /* Compares two results over the same particles in two orders, where pairs err alike in both and
     * sums alone do not; fills in the whole of *verdict. NULL: nothing tells them apart. */
    void (*compare_orders)(const struct judge_question *question,
                           const struct expectation *expected, const struct evaluation *before,
                           const struct evaluation *got, struct verdict *verdict);
    /* Of results that are linear in the charges: compares those of four sets, each charge of which
     * is zero or a power of two; fills in the whole of *verdict. NULL: they are not. */
    bool (*compare_superposed)(const struct judge_question *question,
                               double *const charge[SUPERPOSED],
                               const struct evaluation got[SUPERPOSED], struct verdict *verdict,
                               struct error *error);
    /* Whether all terms of the totals that are asked for are so small that a float holds half a
     * unit of fixed point. NULL: not known. */
    bool (*totals_are_small)(const struct expectation *expected, enum outputs outputs);
    /* Of results over particles: each component and how far it may be off, 3 numbers each for every
     * particle that is expected. NULL: results are over something else. */
    bool (*bounds)(const struct judge_question *question, const struct expectation *expected,
                   enum judged_field field, double *wanted, double *tolerance, struct error *error);
    /* Of lists: some rows, entry by entry, which sums of rows stand for else. `random` chooses
     * them. NULL: nothing is listed. */
    bool (*compare_rows)(const struct judge_question *question, const struct listed_rows *rows,
                         uint64_t random, struct verdict *verdict, struct error *error);
    /* Of results over something else: status, message and worst_ratio of *verdict, STATUS_OK or
     * STATUS_WRONG. */
    void (*compare_placed)(const struct judge_question *question,
                           const struct expectation *expected, const struct placed_results *placed,
                           struct verdict *verdict);
    /* Chooses at most `most` of n places by `random`, at which launches are compared; returns how
     * many. NULL: all of them, PLACES_SAMPLE at most. */
    size_t (*choose)(const struct case_spec *spec, size_t n, uint64_t random, size_t most,
                     int32_t *place);
    /* The work of the case; NULL: none. Whether a counting build is compared with it says
     * `counts_pairs`. */
    void (*work)(const struct judge_question *question, const struct expectation *expected,
                 struct expected_work *work);
    /* What a user needs besides the results, for `eval`: JUDGE_MOST_BESIDE numbers at most. NULL:
     * nothing. */
    bool (*beside)(const struct judge_question *question, struct beside *numbers, size_t *count,
                   struct error *error);
    bool counts_pairs;
    /* It knows one box: of a batch it is asked of each that has particles, as if that were alone.
     * What it expects is a struct expectation of gate.h. */
    bool by_box;
};

static inline const struct judge *judge_of(const struct case_spec *spec) {
    return spec->variant->workload->judge;
}

/* ---- asking a judge, of one box or of a batch (judges.c) ---- */

/* The members above of the case's judge. Who asks calls these. */
bool judge_expect(const struct judge_question *question, enum expect_use use,
                  struct expectation **expected, struct error *error);
bool judge_expect_some(const struct judge_question *question, const uint32_t *particle,
                       size_t count, struct expectation **expected, struct error *error);
size_t judge_places(const struct judge_question *question); /* 0: also where it has no `places` */
void judge_compare(const struct judge_question *question, const struct expectation *expected,
                   const struct evaluation *got, struct verdict *verdict);
void judge_compare_all(const struct judge_question *question, const struct expectation *expected,
                       const struct evaluation *got, struct verdict *verdict);
void judge_compare_scalars(const struct judge_question *question,
                           const struct expectation *expected, const struct evaluation *got,
                           struct verdict *verdict);
void judge_compare_orders(const struct judge_question *question, const struct expectation *expected,
                          const struct evaluation *before, const struct evaluation *got,
                          struct verdict *verdict);
bool judge_bounds(const struct judge_question *question, const struct expectation *expected,
                  enum judged_field field, double *wanted, double *tolerance, struct error *error);
void judge_work(const struct judge_question *question, const struct expectation *expected,
                struct expected_work *work);

/* Puts in the place of *numbers, so many for each particle, those of some particles alone. */
bool numbers_pick(double **numbers, size_t each, const uint32_t *particle, size_t count,
                  struct error *error);

#endif
