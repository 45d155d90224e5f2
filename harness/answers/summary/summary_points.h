/*
 * summary_points — rows gathered into points: one for each variant with its tunables, box and
 * precision, sorted so that what is to be compared stands together. The times of repeats are left
 * out; that one failed counts.
 */
#ifndef PAIRMARK_ANSWERS_SUMMARY_SUMMARY_POINTS_H
#define PAIRMARK_ANSWERS_SUMMARY_SUMMARY_POINTS_H

#include "answers/tables/analysis.h"

/* The texts belong to the rows. */
struct summary_point {
    const struct row *row; /* one of its rows: identity and box */
    double n;
    /* medians over its rows; NaN: unknown */
    double force_s, p05_s, p95_s, build_s, end_to_end_s, pairs_per_s, percent_of_peak;
    bool passed;        /* every one of its rows is ok and has a time; so has its repeat */
    const char *status; /* "ok" where it passed; else that of the first row that did not, "no time",
                           or "two kernels" where rows of one repetition are of several */
    bool is_short;      /* shorter than 3 launch overheads */
    size_t setting;     /* 1, 2, ...: points of one number differ in no column of a setting */
};

/* What a table of the summary is about: all but N, variant and its knobs (ROLE_KNOB). */
extern const enum column summary_setting_columns[]; /* ended by COLUMN_COUNT */

struct summary_points {
    struct summary_point *points;
    size_t count;
    struct analysis analysis; /* the rows, the table `points`, in the order of theirs, and the view
                                 `settings` of the part (its setting) of each place in it */
};

/* Sorted by setting, then N, then variant, then time. The rows must outlive the points. */
bool summary_points_make(const struct row_table *table, struct summary_points *points,
                         struct error *error);
void summary_points_free(struct summary_points *points);

/* The plainest variant for what a row computes, which the fastest is compared with. */
const char *summary_plainest(const struct row *row);

#endif
