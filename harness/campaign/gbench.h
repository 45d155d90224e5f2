/*
 * gbench — Google Benchmark behind a C interface: each case is one benchmark with manual time and
 * one iteration a repetition, so that the library's names, filter, repetitions, interleaving,
 * counters and JSON are the user's, while our own sampler decides how often to launch.
 *
 * The library keeps its flags and benchmarks in globals of its own: one campaign a process.
 */
#ifndef PAIRMARK_CAMPAIGN_GBENCH_H
#define PAIRMARK_CAMPAIGN_GBENCH_H

#include "core/error.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the user's words ask of Google Benchmark. */
struct bench_options {
    bool lists_only;    /* --benchmark_list_tests: names, and nothing is run */
    bool own_output;    /* --benchmark_out: the JSON goes there and not to the campaign's folder */
    bool own_display;   /* --benchmark_format: the library's own table or JSON on stdout */
    size_t repetitions; /* of every case */
};

/* Gives the words after `--` to the library; those it does not know are STATUS_BAD_INPUT, as is
 * --benchmark_min_warmup_time (warming up is the sampler's business). `--help` prints the library's
 * help and exits. */
bool gbench_take_words(char *const *words, size_t count, struct bench_options *wishes,
                       struct error *error);

/* What one repetition of one case yielded. Counters that are NaN are left out. */
struct gbench_outcome {
    const char *failure; /* NULL: passed; lives until the next repetition */
    double seconds;      /* manual time of the one iteration */
    double pairs_per_s, evaluated_pairs_per_s, ns_per_particle, hit_ratio;
};

/* One repetition of case `index`. */
typedef void gbench_case_function(void *context, size_t index, struct gbench_outcome *outcome);

/* Which of the names the filter in the user's words selects (chosen[i]; NULL: not asked), and how
 * many. STATUS_BAD_INPUT when the filter is no regular expression or selects none. */
bool gbench_select(const char *const *names, size_t count, bool *chosen, size_t *selected,
                   struct error *error);

struct gbench_campaign {
    const char *const *names; /* in the order in which they are to run */
    size_t count;
    gbench_case_function *run;
    void *context;
    const char *json_path; /* where the JSON goes; NULL: nowhere, or where --benchmark_out says */
    const char *const *context_words; /* name, value, ..., NULL: put into the JSON's context */
};

/* Runs (or lists) what the filter selects. STATUS_BAD_INPUT when the output file cannot be opened,
 * STATUS_OUT_OF_MEMORY. */
bool gbench_run(const struct gbench_campaign *campaign, const struct bench_options *wishes,
                struct error *error);

#ifdef __cplusplus
}
#endif

#endif
