/*
 * command_parts — what two files of a command share: JSON, the report of eval, the request of
 * tune and best, that of bench, what list prints besides variants.
 */
#ifndef PAIRMARK_COMMANDS_COMMAND_PARTS_H
#define PAIRMARK_COMMANDS_COMMAND_PARTS_H

#include "campaign/axes/axes.h"
#include "campaign/campaign.h"
#include "campaign/plan/plan.h"
#include "campaign/worker/worker.h"
#include "commands/commands.h"
#include "commands/search/search.h"
#include "kernels/case.h"
#include "kernels/results.h"
#include "measure/measure.h"
#include "reference/bonded/bonded.h"
#include "workloads/judges.h"

#include <json-c/json.h>
#include <limits.h>
#include <stdbool.h>

/* ---- what commands print with --json: members by their types, and a case and its verdict by the
 * names that rows.csv has for them (campaign/axes/columns.def) ---- */

void json_add_text(struct json_object *object, const char *name, const char *text); /* NULL: null */
void json_add_count(struct json_object *object, const char *name, int64_t count);
void json_add_flag(struct json_object *object, const char *name, bool flag);
/* A number of six digits; nothing where it is none. */
void json_add_number(struct json_object *object, const char *name, double number);

/* In lines, on standard output. */
void json_print(struct json_object *object);

/* case_id, workload, interaction, variant... seed; the box as it was asked for, box_file where it
 * is read. A cutoff of none is null; what is not known has no member. */
void json_add_case(struct json_object *object, const struct case_spec *spec);

/* status, message, worst_ratio and its like. */
void json_add_verdict(struct json_object *object, const struct verdict *verdict);

/* ---- the report of eval ---- */

/* What `pairmark eval` prints: the case, its numbers, and how they compare with the
 * reference. */

struct eval_result {
    const struct case_spec *spec;
    const char *device;
    const struct evaluation *evaluation;
    const struct verdict *verdict; /* NULL: not compared */
    bool has_terms;                /* there are bonded terms, whose energies were computed: */
    struct bonded_energies terms;  /* those of the reference */
    struct beside beside[JUDGE_MOST_BESIDE]; /* what the judge has besides */
    size_t beside_count;
};

/* To stdout: a line per number, or one JSON object on one line, numbers with 17 digits. */
void eval_report(const struct eval_result *result, bool json);

/* The energies of the kinds of bonded terms, which kernels add up in one number: as the reference
 * has them for the box that the device gets. Errors: those of making or reading the box, of
 * bonded_resolve() and reference_bonded(). */
bool eval_terms(const struct case_spec *spec, struct bonded_energies *energies,
                struct error *error);
/* What the judge of the case has besides the results; nothing where it has nothing. */
bool eval_beside(struct eval_result *result, struct error *error);

/* ---- the request of tune and best ---- */

/* What `pairmark tune` (command_tune.c) and `pairmark best` have in common:
 * options, the sweep over tunables, the store of the best, and a worker that tries them. */

struct tuning_request {
    struct axes axes;
    const char *store_option; /* NULL: not given */
    double budget_s;          /* INFINITY: none */
    uint64_t seed;
    double deadline_s;
    struct tuning_effort effort;
    /* from tuning_request_begin() on */
    char store[PATH_MAX];
    struct tuning_sweep sweep;
    /* of the device that is being asked */
    struct worker *worker;
    struct device_info info;
    size_t wrong, without; /* combinations that were wrong; questions with none that passed */
    size_t unusable;       /* of these, whose input is why */
};

struct tuning_request tuning_request_defaults(void);

/* Spans the sweep and finds the store. `breadth`: see tuning_sweep_make(). */
bool tuning_request_begin(struct tuning_request *request, enum tuning_breadth breadth,
                          struct error *error);
void tuning_request_end(struct tuning_request *request);

/* Starts the device's worker, to be released by worker_free() whatever is returned. */
bool tuning_request_open(struct tuning_request *request, const char *device, struct error *error);

/* The case that stands for a question of the sweep. */
const struct case_spec *tuning_request_case(const struct tuning_request *request, size_t question);

/* STATUS_WRONG's where something was wrong or nothing passed, else 0; `what` was wrong, for a
 * message in the name of the command. */
int tuning_request_exit_code(const struct tuning_request *request, const char *command,
                             const char *what);

/* ---- the request of bench ---- */

/* What `pairmark bench` is asked for: its command line, or the one that a run
 * records. */

struct bench_request {
    struct axes axes;
    const char *preset, *output, *resume;
    const char *baseline; /* variant of the summary's ratios; NULL: the fastest */
    struct sampling sampling;
    bool time_cap_given, shuffle_seed_given;
    uint64_t shuffle_seed;
    uint64_t visits, most_visits, twins;
    bool visits_given;
    bool twins_given;
    double deadline_s;
    enum concurrency concurrency;
    const char *store; /* of tunables; NULL: the usual one */
    struct plan_shard shard;
    bool tuned, no_plot, verbose, fail_fast, despite_checksums;
    char **argv; /* the whole command line, from the command's name on */
    int argc;
    char **words; /* after `--`, which are Google Benchmark's */
    size_t word_count;
};

/* Nothing is asked for yet. */
void bench_request_begin(void *request);

/* Keeps a command line and what stands after its `--`; returns how many words are before that. */
int bench_request_cut_words(void *context, int argc, char **argv);

/* Whether what was said goes together. */
bool bench_request_check(const struct bench_request *request, struct error *error);

/* `--resume DIR` without axes and preset, else nothing: the request that the folder records, then
 * the options of this command line over it. *recorded holds the recorded words, for the caller to
 * free after the request. STATUS_BAD_INPUT: the folder has no environment.json, or it records no
 * request of bench.
 */
bool bench_request_take_recorded(struct bench_request *request, const struct command *command,
                                 char ***recorded, struct error *error);

/* A folder's rows go on with the kernels that it keeps. A --variant-file that the user names now is
 * read as it is: campaign_run() refuses one that differs. */
bool bench_request_take_kept(struct bench_request *request, bool is_recorded, struct error *error);

/* What bench_command in command_bench.c has of this: the table. */
extern const struct command_option bench_options[];
bool bench_take_option(void *request, const char *option, const char *value, struct error *error);

/* ---- what `list` prints besides variants: what kernels may ask for by name, columns ---- */

/* What each structure provides to kernels, is built from, and looks at. */
void list_structures(bool json);
/* The parameters and launch units of a workload's kernels that no structure provides; NULL: of all
 * workloads. */
void list_parameters(const struct workload *workload, bool json);
/* The columns of rows.csv. */
void list_columns(bool json);

#endif
