/*
 * bench_request — what `pairmark bench` is asked for: its command line, or the one that a run
 * records.
 */
#ifndef PAIRMARK_COMMANDS_BENCH_REQUEST_H
#define PAIRMARK_COMMANDS_BENCH_REQUEST_H

#include "campaign/axes/axes.h"
#include "campaign/campaign.h"
#include "campaign/plan/plan.h"
#include "commands/commands.h"
#include "measure/measure.h"

struct bench_request {
    struct axes axes;
    const char *preset, *output, *resume;
    const char *baseline; /* variant of the summary's ratios; NULL: the fastest */
    struct sampling sampling;
    bool time_cap_given, shuffle_seed_given;
    uint64_t shuffle_seed;
    uint64_t visits, most_visits, repeats;
    bool visits_given;
    bool repeats_given;
    double deadline_s;
    enum concurrency concurrency;
    const char *store; /* of tunables; NULL: the usual one */
    struct plan_shard shard;
    bool tuned, no_plot, verbose, fail_fast;
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

/* What bench_command in command_bench.c has of this: the table, and what --help says about it. */
extern const struct command_option bench_options[];
extern const char bench_help[], bench_help_after[];
bool bench_take_option(void *request, const char *option, const char *value, struct error *error);

#endif
