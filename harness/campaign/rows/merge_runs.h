/*
 * merge_runs — the shares of one plan (bench --shard), which ran on several machines, as one run.
 *
 * Rows, visits, samples and stages are joined as they are, each with the host and run that it is
 * from. The kernels that the shares kept are those of the new folder. Its environment.json is that
 * of a run of the whole plan, so that `bench --resume` measures what no share has; "merged_runs"
 * holds what each share's own said.
 */
#ifndef PAIRMARK_CAMPAIGN_ROWS_MERGE_RUNS_H
#define PAIRMARK_CAMPAIGN_ROWS_MERGE_RUNS_H

#include "core/error.h"

#include <stddef.h>
#include <stdio.h>

struct merged_shares {
    size_t of;      /* shares that the plan was dealt into */
    size_t cases;   /* of the whole plan, times repetitions */
    size_t rows;    /* of cases that have one that is final */
    bool *is_there; /* is_there[k - 1]: share k was among the runs; release with free() */
};

/* STATUS_BAD_INPUT, naming the run, before anything is written: one is no share, or of another
 * plan, sampling or kernel; two have a row of the same case; the output holds something.
 * STATUS_SYSTEM: it cannot be written. */
bool merge_runs(const char *const *runs, size_t count, const char *output, FILE *log,
                struct merged_shares *shares, struct error *error);

#endif
