/*
 * gbench — Google Benchmark behind a C interface. Each case is a benchmark, each visit of it an
 * iteration with manual time, and each sweep over the cases a run of the library. So the library's
 * names, filter, repetitions, interleaving, counters, reporters and JSON are the user's, while our
 * own sampler decides how often a visit launches.
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
struct gbench_flags {
    bool lists_only;    /* --benchmark_list_tests: names, and nothing is run */
    bool own_output;    /* --benchmark_out: the JSON goes there and not to the campaign's folder */
    bool own_display;   /* --benchmark_format: the library's own table or JSON on stdout */
    size_t repetitions; /* of every case */
};

/* Gives the words after `--` to the library; those it does not know are STATUS_BAD_INPUT, as is
 * --benchmark_min_warmup_time (warming up is the sampler's business). `--help` prints the library's
 * help and exits. */
bool gbench_take_words(char *const *words, size_t count, struct gbench_flags *flags,
                       struct error *error);

/* What one visit of one case yielded. Counters that are NaN are left out. */
struct gbench_outcome {
    const char *failure; /* NULL: passed; lives until the next visit */
    double seconds;      /* manual time of the one iteration */
    double pairs_per_s, evaluated_pairs_per_s, ns_per_particle, hit_ratio;
};

/* One visit of case `index`; called once for each repetition. */
typedef void gbench_visit_function(void *context, size_t index, struct gbench_outcome *outcome);

/* Which of the names the filter in the user's words selects (chosen[i]; NULL: not asked), and how
 * many. STATUS_BAD_INPUT when the filter is no regular expression or selects none. */
bool gbench_select(const char *const *names, size_t count, bool *chosen, size_t *selected,
                   struct error *error);

struct gbench_sweep {
    const char *const *names; /* of all cases, by index */
    const size_t *cases;      /* the indices of this sweep's, in the order in which they run */
    size_t count;
    gbench_visit_function *visit; /* NULL where the flags ask for names alone */
    void *context;
};

/* Begins a report of all sweeps that follow. It goes to `json_path` (NULL: nowhere), or where and
 * how the flags say. `context_words` (name, value, ..., NULL) are put into its context.
 * STATUS_BAD_INPUT when the file cannot be opened, STATUS_SYSTEM. */
bool gbench_open(const struct gbench_flags *flags, const char *json_path,
                 const char *const *context_words, struct error *error);

/* Runs the library over one sweep, or lists its cases. STATUS_SYSTEM. */
bool gbench_run(const struct gbench_sweep *sweep, struct error *error);

/* Ends the report. STATUS_SYSTEM when it could not be written. */
bool gbench_close(struct error *error);

#ifdef __cplusplus
}
#endif

#endif
