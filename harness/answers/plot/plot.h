/*
 * plot — figures of recorded rows: .dat tables and the gnuplot scripts under scripts/plot that
 * draw them.
 *
 * A figure is drawn where the rows have what it needs:
 *
 *   for each device, box kind, density, cutoff, outputs   time, pairs/s and energy against N; error
 *                                                         against time; roofline
 *   for each device, outputs                              crossover map: the fastest variant at
 * each N and box for each box, outputs, precision of several devices   time of each variant on each
 * device for groups of several ratios                          time against the ratio
 *
 * Rows with another status than ok and second timings (`twin`) are not drawn. Repetitions of a case
 * become their median; of several tunables the fastest at each N is drawn. If two runs, hosts or
 * devices of one model have the same case, they get figures of their own, and one that compares
 * them.
 */
#ifndef PAIRMARK_ANSWERS_PLOT_PLOT_H
#define PAIRMARK_ANSWERS_PLOT_PLOT_H

#include "answers/tables/analysis.h"
#include "campaign/plan/plan.h"

#include <stddef.h>
#include <stdio.h>

enum plot_format { PLOT_SVG = 1, PLOT_PNG = 2 };

enum { PLOT_CAPTION_SIZE = 400 };

/* A figure that was drawn: NAME.svg and NAME.png in the folder. */
struct plot_item {
    char name[256];
    char
        caption[PLOT_CAPTION_SIZE]; /* the lines above it: what it shows, of which device and box */
};

/* Zero-initialise; release with plot_list_free. */
struct plot_list {
    struct plot_item *items; /* in the order in which they were drawn */
    size_t count;
};
void plot_list_free(struct plot_list *list);

/* Draws DIRECTORY/rows.csv into DIRECTORY/figures, SVG and PNG. How much was drawn and what was
 * skipped, and why, is logged, a line each. Errors: STATUS_BAD_INPUT for rows that cannot
 * be read or hold nothing to draw, STATUS_SYSTEM where gnuplot is missing (naming its package) or
 * fails. */
bool plot_directory(const char *directory, FILE *log, struct error *error);

/* What is drawn of which runs. */
struct plot_runs {
    const char *const *paths;  /* a run's folder or a rows.csv */
    const char *const *labels; /* what figures call the runs where they are drawn apart; NULL: the
                                  names of their folders */
    size_t count;
    const struct axes *axes; /* choose among the rows (rows.h); NULL: all */
    const char *output;      /* a folder; NULL: figures/ beside the first path's rows */
    unsigned formats;        /* a union of enum plot_format */
};

/* The same for the rows of several runs at once. The peaks of the roofline come from
 * environment.json beside the rows. `list`, unless NULL, gets what was drawn, also where it ends in
 * an error. */
bool plot_paths(const struct plot_runs *runs, FILE *log, struct plot_list *list,
                struct error *error);

/* ---- points of figures ---- */

/* From recorded rows to the points of figures, as tables of an analysis (plot.sql).
 *
 * A point is the median of the repetitions of a case, of rows that a figure draws. Of the points of
 * one variant, precision and N, the fastest stays: they differ in tunables and other columns of
 * ROLE_KNOB. A set has the points of one device, box and outputs, and of one choice of groups. */

/* What titles say of the points of a set, and what they have in common. Texts point into the rows.
 */
struct plot_set {
    size_t part;       /* its number in SQL: the place among the sets, from 1 */
    size_t but_device; /* equal where sets differ in the device alone */
    const char *workload, *interaction, *outputs;
    const char *backend, *device;
    char run[RUN_NAME_SIZE]; /* which of several runs or devices of the model; "": all */
    const char *kind;
    char density[24]; /* 4 digits; empty in an open box */
    char cutoff[24];  /* a number, "half the edge" or "none" */
    char groups[32];  /* "" (all), "part of the particles", "pairs", or as "|A|:|B| = 1:16" */
    double noise;     /* what times of one run differ by at most that are the same: their ratio
                         less one; NaN: not known */
    bool tuned;       /* some point is the best of several tunables */
    bool averaged;    /* some point has several repetitions */
    bool built;       /* some variant builds a structure first */
    bool is_ratio;    /* of groups of several ratios, drawn against the ratio (`balance`) */
};

struct plot_data {
    struct analysis analysis; /* with the tables and views of plot.sql */
    struct plot_set *sets;
    size_t count;
    size_t rows, ok_rows; /* read; of them with status ok and a time */
    size_t twins;         /* of the rows, second timings that are no samples */
};

/* Adds the rows of runs, which must outlive the data, and what environment.json beside them says of
 * peaks; `files` are their rows.csv, or NULL: nothing is known of peaks. No usable row: count is 0.
 */
void plot_points_collect(const struct row_table *tables, const char *const *files, size_t count,
                         FILE *log, struct plot_data *data);
void plot_points_free(struct plot_data *data);

/* What a row pairs with what, in words that stay the same as N grows: as plot_set has them. */
void plot_groups_in_words(const struct row *row, char *words, size_t size);

/* "NVIDIA H200 (cuda), before": the device, and which of several runs. */
void plot_device_in_words(const struct plot_set *set, char *words, size_t size);

#endif
