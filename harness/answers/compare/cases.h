/*
 * cases — the rows of one side of a comparison, gathered into cases.
 *
 * A case is joined with its partner by what it is: the columns of ROLE_IDENTITY
 * (campaign/axes/columns.def); not by device, driver, commit, or the text of the kernel. What the
 * comparison is made by is left out of that.
 */
#ifndef PAIRMARK_ANSWERS_COMPARE_CASES_H
#define PAIRMARK_ANSWERS_COMPARE_CASES_H

#include "answers/compare/runs.h"

enum compare_by { BY_RUN, BY_DEVICE, BY_VARIANT, BY_PRECISION, BY_COMMIT };

/* Whether the sides of such a comparison differ in the column, so that it identifies no case.
 * What identifies a case are the columns of ROLE_IDENTITY; a box from a file is known by its
 * box_hash, which counts for no box that was made. */
bool column_is_compared(enum compare_by by, enum column column);

/* A row and the run that it is from. */
struct placed_row {
    const struct run *run;
    const struct row *row;
};

struct compared_case {
    char *key;             /* what is joined */
    const struct row *row; /* one of its rows: a failed one where there is one */
    const struct run *run;
    enum status status;     /* the first failure of its repetitions; STATUS_OK: none */
    bool timed;             /* ok, and `time` is known */
    bool from_visits;       /* all of its time is known by how visits differ */
    bool from_mad;          /* some of its time is from MADs: samples are missing */
    struct log_median time; /* of its repetitions together */
    size_t repetitions;     /* that have a time */
    double machine_load;    /* the largest of theirs; NaN: not known */
    /* What is independent of each other: runs where there are several, else repetitions. */
    size_t units;
    bool units_are_runs;
    double sum_of_squares; /* of the units' values about their mean */
};

struct compared_cases {
    struct compared_case *cases; /* sorted by key, then tunables */
    size_t count;
};

/* "NVIDIA H200 cuda:0": what a device is called in a comparison. */
void device_label(const struct row *row, char *text, size_t size);

/* Gathers rows, those of a run together; repetitions of a case become one, first within each run,
 * then over runs. `by_device`: devices of one side are distinguished.
 * A row of an unknown status and a duplicate row are skipped and logged.
 * STATUS_OUT_OF_MEMORY. */
bool cases_gather(const struct placed_row *rows, size_t count, enum compare_by by, bool by_device,
                  FILE *log, struct compared_cases *cases, struct error *error);
void cases_free(struct compared_cases *cases);

/* Keeps of the cases that share a key the fastest that is ok: of a variant, its best tunables. */
void cases_keep_fastest(struct compared_cases *cases);

#endif
