/*
 * check_parts — what `pairmark check` checks, and what it says of its cases.
 */
#ifndef PAIRMARK_COMMANDS_CHECK_PARTS_H
#define PAIRMARK_COMMANDS_CHECK_PARTS_H

#include "campaign/plan/plan.h"
#include "campaign/progress.h"
#include "commands/search/search.h"
#include "core/error.h"
#include "core/strings.h"
#include "kernels/case.h"
#include "kernels/results.h"
#include "measure/measure.h"

#include <json-c/json.h>
#include <stdbool.h>

/* ---- which cases: those that are drawn where the user names no boxes (drawn_make()), else those
 * that a workload lists (struct workload_check), as far as the user's words leave them ---- */

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
    size_t listed;   /* of all cases: the first are listed, not drawn */
    bool is_refused; /* a sweep has no cases */
    size_t *order;   /* in which they are run: those of a variant together, in one process */
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
void check_plan_reset(struct check_plan *plan);

/* Whether the user says what is computed or in which boxes: else all workloads are checked. */
bool check_is_particular(const struct axes *axes);

/* ---- the report: a line per failure that is the first of its kind, counts of the others, totals;
 * or one JSON object of them all; or JUnit XML ---- */

/* Whether the cases that passed had anything to be wrong about, and how long each
 * variant took.
 *
 * A box in which no pair is within the cutoff passes with forces that are all zero. That counts
 * only beside a case of the same variant, interaction and outputs whose box has pairs. */

enum { JUDGED_NAME_SIZE = 256 };

struct judged_group {
    char name[JUDGED_NAME_SIZE]; /* "all_pairs_loop, lj, forces" */
    size_t passed, with_pairs;   /* of the passed, those whose box has pairs within the cutoff */
};

struct judged_variant {
    const struct variant *variant;
    size_t cases;
    double seconds;
};

/* Empty when zeroed. */
struct judged_cases {
    struct judged_group *groups;
    struct judged_variant *variants;
    size_t group_count, variant_count;
};

struct check_report {
    bool verbose;              /* a line per case, none left out */
    bool json;                 /* nothing is printed but one object in the end */
    const char *junit;         /* a file, too; NULL: none */
    struct json_object *cases; /* all that were judged, an object each; NULL where nobody asks */
    struct json_object *empty; /* texts: groups in which nothing was judged; likewise */
    bool by_variant;           /* the case that comes next is one of a variant that need not have
                                  pairs in each interaction and kind of outputs */
    const uint64_t *seed;      /* by which cases were drawn; NULL: none were */
    bool stopped;              /* at the first failure: --fail-fast */
    size_t passed, failed, unsupported;
    size_t bad_input,
        system; /* of the failed: a box or kernel file that cannot be used; never got to run */
    size_t not_judged;                /* groups of cases: struct judged_group */
    struct verdict unsupported_first; /* says why, where anything is unsupported */
    struct verdict left_out_first;    /* the same of drawn cases that cannot be run */
    /* private: of the device whose turn it is */
    const struct device_info *device;
    size_t failed_before;
    struct failures failures;
    struct judged_cases judged;
    struct verdict log_last; /* the last of several lines that was printed */
};

/* Options as they are given (`junit`: NULL where it is not); release with check_report_free. */
struct check_report check_report_create(bool json, bool verbose, const char *junit);
void check_report_free(struct check_report *report);

/* The cases that follow ran on this device (not copied), until the end of its turn, which names the
 * driver where one failed. */
void check_report_begin_device(struct check_report *report, const struct device_info *device);
void check_report_end_device(struct check_report *report);

/* Case `done` of `total`, which begins now, on a line of stderr that is rewritten; nothing where
 * that is no terminal. */
void check_report_progress(size_t done, size_t total, const char *name);

/* How the case came out, and how long it took. */
void check_report_case(struct check_report *report, const struct case_spec *spec, const char *name,
                       const struct verdict *verdict, double seconds);

/* A case that was drawn and is none: a line where each case has one. */
void check_report_left_out(struct check_report *report, const char *name,
                           const struct verdict *verdict);

/* The totals, or the JSON object, and the JUnit file. `left_out`: see struct plan. Errors as
 * junit_write. */
bool check_report_totals(const struct check_report *report, size_t left_out, struct error *error);

/* What `pairmark check` says of its cases as JUnit XML, the form that GitLab, Jenkins and
 * most CI servers show. */

/* Before the cases run: whether the file may be written. A report of an earlier check is replaced,
 * any other file refused. STATUS_BAD_INPUT. */
bool junit_check(const char *path, struct error *error);

/* `pairmark check --compile-only`: the cases of a plan are compiled, not computed. */

struct compile_options {
    const char *targets; /* "sm_80,sm_90" */
    bool json, verbose, fail_fast;
    bool structures; /* and all else that a case needs, of its own box; then a table of all kernels,
                        a column per target. Else the texts of kernels for every kind of cell */
    bool one_each;   /* with structures: a case of each variant, not all */
};

/* Compiles each program that the cases come to once per target and prints what it takes, and every
 * error with its lines. *exit_code: 1 where one did not compile, else 0. False where nothing was
 * compiled at all: no compiler here, an unknown target, every case unsupported. */
bool check_compile(const struct plan *plan, const struct compile_options *options, int *exit_code,
                   struct error *error);

#endif
