/*
 * check_plan — what `pairmark check` checks: cases that are drawn where the user names no boxes
 * (campaign/plan/drawn.h), else those that a workload lists (struct workload_check), as far as the
 * user's words leave them.
 */
#ifndef PAIRMARK_COMMANDS_CHECK_PLAN_H
#define PAIRMARK_COMMANDS_CHECK_PLAN_H

#include "campaign/plan/drawn.h"
#include "campaign/plan/plan.h"

/* What is asked for besides the axes. */
struct check_draw {
    double budget_s;     /* of each variant; 0: nothing is drawn */
    bool is_budget_said; /* else 60 on two cores, or 600 where triples are asked for */
    bool thorough;       /* triples */
    bool listed;         /* only cases that are listed: nothing is run */
};

/* The cases of all sweeps, then those that are drawn: they point into the plans' variants. */
struct check_plan {
    struct plan *sweeps;
    struct axes *axes; /* what each sweep says */
    size_t count;
    struct drawn *drawn; /* of one workload each */
    size_t drawn_count;
    uint64_t seed; /* of what is drawn */
    struct plan all;
    size_t listed; /* of all cases: the first are listed, not drawn */
    size_t *order; /* in which they are run: those of a variant together, in one process */
};

/* False with *error set; free it in any case. */
bool check_plan_make(const struct axes *axes, const struct check_draw *draw,
                     struct check_plan *plan, struct error *error);
void check_plan_free(struct check_plan *plan);

/* Where a case of plan->all comes from; NULL: it is listed. */
struct drawn *check_plan_drawn(const struct check_plan *plan, size_t index,
                               struct drawn_case *origin);

/* How much of what is drawn was met: a line; `verbose`: a line for each that was not, before it. */
void check_plan_append_coverage(const struct check_plan *plan, int strength, bool verbose,
                                struct strbuf *lines);
/* Notes, for `bench`, for which kernel files all values were met and nothing failed. */
void check_plan_remember(const struct check_plan *plan, const char *device);
/* Nothing was met: another device's turn. */
void check_plan_forget(struct check_plan *plan);

/* Whether the user says what is computed or in which boxes: else all workloads are checked. */
bool check_is_particular(const struct axes *axes);

#endif
