/*
 * plot_points — from recorded rows to the points of figures.
 *
 * A sample is one row with status ok. Samples of the same case (repetitions) become one point by
 * medians; of the points of one variant, precision and N that differ in the knobs of the variant
 * (ROLE_KNOB), the fastest stays. Points are collected in sets that share device, box, outputs and
 * what is paired with what. Where several runs, hosts or devices of one model have the same line,
 * all of that model are in sets of their own. Rows with `twin` set measure a run's own noise and
 * are no samples.
 */
#ifndef PAIRMARK_ANSWERS_PLOT_PLOT_POINTS_H
#define PAIRMARK_ANSWERS_PLOT_PLOT_POINTS_H

#include "answers/tables/analysis.h"

#include <stddef.h>

struct plot_point {
    const char *variant;
    const char *precision;
    const char *tunables;
    const char *structure; /* what the variant walks */
    double n;
    double time_s, p05_s, p95_s; /* of one evaluation over a built structure; never NaN */
    double build_s;              /* NaN where there is no structure to build */
    double pairs_per_s;          /* interacting pairs; NaN where not known */
    double error;                /* largest force error / RMS force; NaN where not known */
    double nj_per_pair;          /* nanojoules an interacting pair; NaN where not known */
    double percent_of_peak; /* as counted; NaN where not known, and where distances do not measure
                               the work: of variants that rule out pairs by other means */
    double n_a, n_b;        /* particles of two groups; NaN where there are no two */
    size_t repetitions;     /* rows behind this point */
};

/* Texts point into the rows. */
struct plot_set {
    const char *workload, *interaction, *outputs;
    const char *backend, *device;
    char run[RUN_NAME_SIZE]; /* which of several runs or devices of the model; "": all */
    size_t table;            /* the run's; of several, one */
    const char *kind;
    char density[24]; /* 4 digits; empty in an open box */
    char cutoff[24];  /* a number, "half the edge" or "none" */
    char groups[32];  /* "" (all), "part of the particles", "pairs", or as "|A|:|B| = 1:16" */
    double noise;     /* what times of one run differ by at most that are the same: their ratio
                         less one; NaN: not known */
    struct plot_point *point; /* by precision (float, mixed, double), then variant, then n */
    size_t count;
    bool tuned;    /* some point is the best of several tunables */
    bool averaged; /* some point has several repetitions */
    bool built;    /* some variant builds a structure first */
};

struct plot_data {
    struct plot_set *sets;
    size_t count;
    const char **variants; /* all that occur, sorted */
    size_t variant_count;
    size_t rows, ok_rows; /* read; of them with status ok and a time */
    size_t repeats;       /* of the rows, second timings that are no samples */
    struct plot_point *points;
};

/* A time with the percentiles of its samples, NaN where they are not known. */
struct plot_time {
    double median, p05, p95;
};

/* Whether a run does not separate the next time from the fastest: it is within the run's noise (a
 * ratio less one; NaN: not known), or the 5th to 95th percentiles of the two overlap. What figures,
 * tables and pages call a winner goes by this. */
bool plot_times_alike(double noise, struct plot_time fastest, struct plot_time next);

/* The noise of a run, as plot_set has it: what second timings of its cases show, or else what
 * visits do. STATUS_OUT_OF_MEMORY. */
bool plot_run_noise(const struct row_table *table, double *noise, struct error *error);

/* The tables must outlive the data. Errors: STATUS_OUT_OF_MEMORY. No usable row: count is 0. */
bool plot_points_collect(const struct row_table *tables, size_t count, struct plot_data *data,
                         struct error *error);
void plot_points_free(struct plot_data *data);

/* What decides a variant's colour and marker, the same in every figure: of those that figures show
 * most often, a place of their own; then its place among the other built-in variants of its
 * workload; others come after those, in the order of data->variants. */
size_t plot_variant_index(const struct plot_data *data, const char *variant);

/* Gives the SQL of an analysis the function row_words(rowid, which): what a set calls the density
 * (0), cutoff (1) and groups (2) of a row of `rows`; "half" where its cutoff is half the edge (3).
 */
bool plot_words_add(struct analysis *analysis, struct error *error);

/* Whether a row's cutoff is half the edge of its box, so that it grows with N. */
bool plot_is_half_edge(const struct row *row);

/* What a row pairs with what, in words that stay the same as N grows: as plot_set has them. */
void plot_groups_in_words(const struct row *row, char *words, size_t size);

/* float, mixed, double, then anything else by name: <0, 0, >0. */
int plot_compare_precisions(const char *a, const char *b);

/* "NVIDIA H200 (cuda), before": the device, and which of several runs. */
void plot_device_in_words(const struct plot_set *set, char *words, size_t size);

/* Whether two sets differ in nothing but the device and the run, or in nothing but box kind,
 * density and cutoff, or in nothing but the groups. */
bool plot_same_but_device(const struct plot_set *a, const struct plot_set *b);
bool plot_same_but_box(const struct plot_set *a, const struct plot_set *b);
bool plot_same_but_groups(const struct plot_set *a, const struct plot_set *b);

#endif
