/*
 * summary_points — rows gathered into points, points ranked, and the tables made of them.
 *
 * A point is one variant with its tunables, box and precision. Points are sorted so that what is to
 * be compared stands together. Times of repeats (`twin`) do not count; that one failed does.
 */
#ifndef PAIRMARK_ANSWERS_SUMMARY_SUMMARY_POINTS_H
#define PAIRMARK_ANSWERS_SUMMARY_SUMMARY_POINTS_H

#include "answers/tables/analysis.h"

/* ---- points ---- */

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

/* ---- points ranked: per variant and N the fastest, and how many variants are ahead of it ---- */

/* Of one variant at one N. */
struct summary_cell {
    const struct summary_point *fastest; /* that passed; NULL: none did */
    const struct summary_point *failed;  /* that did not, rather none that is unsupported; NULL: all
                                            passed */
    size_t rank;                         /* of the fastest among those of all variants, from 1 */
};

/* Zero-initialise; release with summary_cells_free. */
struct summary_cells {
    const struct summary_point *first; /* of the part */
    const char **variants;             /* by name */
    bool *is_built;                    /* of each variant: some point of it builds a structure */
    size_t variant_count;
    double *n; /* ascending; a NaN, where N is not known, comes first */
    size_t n_count;
    struct summary_cell *cells; /* variant by variant, n_count each */
};

enum summary_time { SUMMARY_FORCE, SUMMARY_END_TO_END };

/* Ranks the points of a table that has the columns `place` (a rowid of `points`) and `part`, where
 * the part is this one. Of points that are as fast the first counts as faster.
 * STATUS_OUT_OF_MEMORY. */
bool summary_cells_make(struct summary_points *points, const char *table, size_t part,
                        enum summary_time time, struct summary_cells *cells, struct error *error);
void summary_cells_free(struct summary_cells *cells);

/* The cell of a variant; NULL: it has no point in this part. */
const struct summary_cell *summary_cell_of(const struct summary_cells *cells, const char *variant,
                                           size_t n);
/* The fastest point of all variants at the n-th N with this rank; NULL: there is none. */
const struct summary_point *summary_cells_ranked(const struct summary_cells *cells, size_t n,
                                                 size_t rank);
/* The place of an N; n_count: not there. */
size_t summary_cells_find(const struct summary_cells *cells, double n);

/* ---- tables: appended to the text; STATUS_OUT_OF_MEMORY ---- */

/* Every variant's time at every N of a setting, and its ratio to a baseline: a line a variant, a
 * column an N, as many N side by side as fit in 100 characters. `baseline` is a variant's name;
 * NULL: the fastest at each N. A cell has the time of the fastest tunables and sums that passed,
 * and that time over the baseline's ("1.50x": takes half as long again); the status of what failed
 * where nothing passed; "not run" where there is no row; "-" for the ratio where the baseline has
 * no time. '*' is shorter than 3 launch overheads, '!': others of its tunables failed. Under a
 * variant that walks a structure stands the time of building it; times with transfers follow in the
 * same form. Nothing for one variant alone. Points [first, end) are those of one setting. */
bool summary_variants(struct summary_points *points, size_t first, size_t end, const char *baseline,
                      struct strbuf *text, struct error *error);

/* What an uneven ratio of two groups costs: a table for each setting in which two groups of 1:1 and
 * others were measured whose products are within 5 % of each other. A line a variant with its
 * fastest tunables and sums, its time at each ratio over its own at 1:1, the largest of a line
 * starred. Nothing where there is none. Building a structure is not in the times. */
bool summary_balance(struct summary_points *points, struct strbuf *text, struct error *error);

#endif
