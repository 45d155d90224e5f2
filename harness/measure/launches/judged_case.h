/*
 * judged_case — a case whose launches are judged, and the numbers of a round of them.
 *
 * Launch -1 stands for what lies in the outputs before the first: it is overwritten with garbage
 * like what a launch has written, and what is found of it is ignored.
 */
#ifndef PAIRMARK_MEASURE_LAUNCHES_JUDGED_CASE_H
#define PAIRMARK_MEASURE_LAUNCHES_JUDGED_CASE_H

#include "measure/launches/launch_judge.h"
#include "measure/steps/steps.h"
#include "workloads/judges.h"

/* All are the caller's. */
struct judged_case {
    struct kernel_plan *plan;
    const struct expected *expected;
    const struct case_spec *spec;
    const struct launch_tools *tools;
    uint64_t random; /* of this round */
};

/* What is overwritten with garbage: each kind, and each of a kind, has garbage of its own. */
enum garbage {
    GARBAGE_OF_PLACES = 0,
    GARBAGE_OF_SUMS = MAX_SETS,
    GARBAGE_OF_PARTIAL_SUMS = GARBAGE_OF_SUMS + VARIANT_MAX_PASSES,
    GARBAGE_OF_SCRATCH = GARBAGE_OF_PARTIAL_SUMS + VARIANT_MAX_PASSES,
    GARBAGE_OF_TOTALS = GARBAGE_OF_SCRATCH + VARIANT_MAX_SCRATCH
};

/* The seed of garbage: of a round, a launch and a kind, plus which of that kind. */
static inline struct argument garbage_seed(const struct judged_case *judged, int launch,
                                           int which) {
    const uint64_t seed = judged->random ^ ((uint64_t)(launch + 2) * 0x9e3779b97f4a7c15U +
                                            (uint64_t)which * 0x632be5abU);
    return argument_int((int32_t)(seed ^ seed >> 32));
}

/* Where what a launch leaves is kept. */
static inline int launch_slot(int launch) {
    return launch < 0 ? 0 : launch;
}

static inline struct judge_question question_of(const struct judged_case *judged) {
    return (struct judge_question){ judged->spec, judged->plan->box, judged->expected->cutoff,
                                    &judged->expected->groups };
}

/* Whether results are no vectors of particles, see workload.h. */
static inline bool judged_has_places(const struct judged_case *judged) {
    return judged->spec->variant->workload->places != NULL;
}

/* What was found of one launch, where that is not STATUS_OK, as what is found of the round. */
static inline void report_verdict_of_launch(int launch, const struct verdict *of_launch,
                                            struct verdict *verdict) {
    if (of_launch->status != STATUS_OK) {
        verdict->status = of_launch->status;
        (void)snprintf(verdict->message, sizeof verdict->message, "launch %d of a round, %.*s",
                       launch + 1, (int)sizeof verdict->message - 48, of_launch->message);
    }
}

#endif
