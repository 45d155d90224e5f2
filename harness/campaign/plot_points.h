/*
 * plot_points — from recorded rows to the points of figures.
 *
 * A sample is one row with status ok. Samples of the same case (repetitions, also over several
 * files) become one point by medians; of the points of one variant, precision and N that differ in
 * tunables, the fastest stays. Points are collected in sets that share device, box and outputs.
 */
#ifndef PAIRMARK_CAMPAIGN_PLOT_POINTS_H
#define PAIRMARK_CAMPAIGN_PLOT_POINTS_H

#include "campaign/rows.h"

#include <stddef.h>

struct plot_point {
    const char *variant;
    const char *precision;
    const char *tunables;
    double n;
    double time_s, p05_s, p95_s; /* of one evaluation over a built structure; never NaN */
    double build_s;              /* NaN where there is no structure to build */
    double pairs_per_s;          /* interacting pairs; NaN where not known */
    double error;                /* largest force error / RMS force; NaN where not known */
    size_t repetitions;          /* rows behind this point */
};

/* Texts point into the rows. */
struct plot_set {
    const char *workload, *interaction, *outputs;
    const char *backend, *device;
    const char *kind;
    char density[24];         /* 4 digits; empty in an open box */
    char cutoff[24];          /* a number, "half the edge" or "none" */
    struct plot_point *point; /* by precision (float, mixed, double), then variant, then n */
    size_t count;
    bool tuned;    /* some point is the best of several tunables */
    bool averaged; /* some point has several repetitions */
    bool built;    /* some variant builds a structure first */
};

struct plot_data {
    struct plot_set *sets;
    size_t count;
    const char **variants; /* all that occur, sorted: the index decides the colour */
    size_t variant_count;
    size_t rows, ok_rows; /* read; of them with status ok and a time */
    struct plot_point *points;
};

/* The tables must outlive the data. Errors: STATUS_OUT_OF_MEMORY. No usable row: count is 0. */
bool plot_points_collect(const struct row_table *tables, size_t count, struct plot_data *data,
                         struct error *error);
void plot_points_free(struct plot_data *data);

/* Index of a variant in data->variants. */
size_t plot_variant_index(const struct plot_data *data, const char *variant);

#endif
