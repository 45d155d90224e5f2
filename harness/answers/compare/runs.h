/*
 * runs — what was recorded of a run, as `compare` reads it: rows, how far visits differ, samples,
 * its own noise floor.
 *
 * Whatever can be used is: what cannot is logged with its place, and nothing else is lost.
 */
#ifndef PAIRMARK_ANSWERS_COMPARE_RUNS_H
#define PAIRMARK_ANSWERS_COMPARE_RUNS_H

#include "answers/compare/bootstrap.h"
#include "campaign/rows/rows.h"
#include "core/moderate.h"

/* The samples of one repetition of a case on a device, in the order they were taken. */
struct sample_set {
    char *case_id, *device, *repetition, *run_id; /* "" where the file has none */
    double *seconds;
    size_t count, capacity;
};

struct run {
    const char *name; /* as it was given */
    size_t side;      /* runs of the same number are repetitions of one side; the caller's */
    const char *side_name;
    char *rows_path;
    struct row_table table;
    struct moderated *visits; /* of each row, how far its visits stray; variance NaN: not known */
    struct sample_set *sets;  /* sorted by these names */
    size_t set_count;
    bool has_samples;   /* there is a samples.csv that can be read */
    double floor;       /* noise_floor.ratio_spread of environment.json; NaN: none */
    size_t floor_pairs; /* A/A pairs behind it */
};

/* `path` is a run's folder, or its rows.csv, with the other files beside it. `log` gets a line for
 * what is skipped; may be NULL. STATUS_BAD_INPUT when there are no rows to read. */
bool run_read(const char *path, FILE *log, struct run *run, struct error *error);
void run_free(struct run *run);

enum time_source { TIME_FROM_VISITS, TIME_FROM_SAMPLES, TIME_FROM_MAD, TIME_UNKNOWN };

/* How long the repetition that the row records took. From its visits where the run has their
 * differences. In older runs from its samples where they are complete, else from the median and the
 * MAD of the row; where the row disagrees with its complete samples, those are believed and the log
 * hears of it. TIME_UNKNOWN: the row has no usable time. STATUS_OUT_OF_MEMORY. */
bool run_time_of(const struct run *run, const struct row *row, FILE *log, struct log_median *median,
                 enum time_source *source, struct error *error);

#endif
