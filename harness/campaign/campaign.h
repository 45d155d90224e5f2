/*
 * campaign — runs a plan to its end: measures every case, keeps its rows, and has a summary
 * written.
 *
 * One folder holds a run: rows.csv, visits.csv, samples.csv, stages.csv, benchmark.json,
 * environment.json, summary.txt, and kernels/ with the texts that were compiled
 * (rows/kept_kernels.c). Every case is visited in several sweeps (visits.h). A visit is kept as it
 * ends, and a row is appended when the last visit of a repetition ends. So a run that is stopped
 * keeps what it had, and one that is resumed measures only what is missing.
 */
#ifndef PAIRMARK_CAMPAIGN_CAMPAIGN_H
#define PAIRMARK_CAMPAIGN_CAMPAIGN_H

#include "campaign/gbench.h"
#include "campaign/plan/plan.h"
#include "campaign/rows/run_folder.h"
#include "core/error.h"
#include "devices/device.h"
#include "devices/machine/peak.h"
#include "kernels/results.h"

#include <stdbool.h>
#include <stddef.h>

/* Which devices are measured at the same time.
 *
 * A lane measures one case at a time: a card, however many devices are names for it. Lanes of a
 * shift run at the same time; shifts run one after the other. */

enum concurrency {
    /* Cards at different places of the bus, in the first shift. Each processor has a shift of its
     * own after them, since it computes with what feeds the cards; so has a device of unknown
     * place. */
    CONCURRENT_AUTO,
    CONCURRENT_NO, /* all devices are one lane */
    CONCURRENT_YES /* every device is a lane, and there is one shift */
};

/* Where a device is measured. */
struct lane_place {
    size_t lane;  /* 0, 1, ... of its shift */
    size_t shift; /* 0, 1, ... */
};

/* "auto", "no", "yes". STATUS_BAD_INPUT naming the option. */
bool lanes_parse(const char *option, const char *value, enum concurrency *concurrency,
                 struct error *error);

/* What measures cases: a worker's calls, or a test's stand-in. */
struct campaign_measurer {
    void *context;
    /* NULL, or false: not known */
    bool (*rates)(void *context, struct device_rates *rates, struct error *error);
    void (*measure)(void *context, size_t case_index, const struct sampling *sampling,
                    struct measurement *measurement);
    /* Compiles the kernels of so many cases before any is measured (plan_choose_kernels()); may be
     * NULL. */
    void (*compile)(void *context, const size_t *cases, size_t count);
    void (*restart)(
        void *context); /* what comes next is measured by another process; may be NULL */
    /* Whether the device can be opened, and why not; NULL: as long as anything is measured. */
    bool (*opens)(void *context, struct error *error);
};

struct worker;
struct campaign_measurer worker_measurer(struct worker *worker);

/* One device and what is to be measured on it. */
struct campaign_part {
    const struct plan *plan;
    struct device_info info;
    struct campaign_measurer measurer;
};

struct campaign_settings {
    const char *directory;
    bool resume;              /* go on with the rows that the directory holds */
    struct sampling sampling; /* of all visits of a case together */
    uint64_t shuffle_seed;    /* of the order of cases */
    size_t visits;            /* of every case, each in another sweep; 0 and 1: one */
    size_t most_visits;      /* of a case that so many leave unclear; at most `visits`: none more */
    bool more_on_processors; /* also there, where other work makes most of the noise */
    size_t twins;            /* at most so many cases are timed twice; 0: none */
    struct gbench_flags flags;
    enum concurrency concurrency;    /* of the parts */
    bool fail_fast;                  /* nothing more is measured after a failure */
    const char *inputs[KEPT_INPUTS]; /* files that the folder keeps, as kept_inputs; NULL: none */
    /* recorded in environment.json */
    const char *preset; /* NULL: none */
    size_t left_out;
    double deadline_s;
    char *const *command_line;             /* NULL-terminated */
    const struct environment_shard *shard; /* NULL: all of the plan */
    /* where messages go; NULL: nowhere */
    bool verbose; /* every failure in full, not only the first of each variant and status */
    FILE *log;    /* progress, failures, warnings */
    /* Called in the end, whatever stopped the run, so that what it had is shown; NULL: nothing is.
     * `log` is NULL where the rows have been warned of before. */
    bool (*conclude)(void *context, const char *directory, FILE *log, struct error *error);
    void *context;
};

struct campaign_tally {
    size_t unsupported, failed; /* repetitions of cases, those of an earlier run included */
    size_t bad_input;           /* of the unsupported: what was asked for makes no sense */
    size_t system;          /* of the failed: the system refused, not the device or the kernel */
    size_t cases, recorded; /* repetitions of cases that were to run; of them with a row */
    int signal; /* 0, or the signal that stopped the campaign (SIGINT, SIGTERM, SIGHUP) */
};

/* Runs all parts: their cases in one shuffled order, or, where several run at the same time, those
 * of each in its own; a measurer is then called by one thread of several, and no two at a time by
 * one part. A case that fails is counted, not an error. A device that does not open any more costs
 * its open cases: they have no row, and `system` counts it.
 * Errors: STATUS_BAD_INPUT when the directory cannot be used (it holds rows and `resume` is not
 * set; it records no request and `resume` is; it cannot be made; another process runs in it; its
 * rows are of other kernels or boxes than the parts'), or the filter selects nothing;
 * STATUS_SYSTEM when rows cannot be written: what had been written stays. */
bool campaign_run(const struct campaign_part *parts, size_t part_count,
                  const struct campaign_settings *settings, struct campaign_tally *tally,
                  struct error *error);

#endif
