/*
 * plot — figures of recorded rows: .dat tables and the gnuplot scripts under scripts/plot that
 * draw them.
 *
 * A figure is drawn where the rows have what it needs:
 *
 * - for each device, box kind, density, cutoff and outputs: time, pairs/s and energy against N;
 *   error against time; roofline;
 * - for each device and outputs: the crossover map, which names the fastest variant at each N and
 *   box;
 * - for each box, outputs and precision of several devices: each variant's time on each device.
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
#include "core/error.h"
#include "core/strings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum plot_format { PLOT_SVG = 1, PLOT_PNG = 2 };

enum { PLOT_CAPTION_SIZE = 400 };

/* A figure that was drawn: NAME.svg and NAME.png in the folder. */
struct plot_item {
    char name[256];
    char caption[PLOT_CAPTION_SIZE]; /* lines above it: what it shows, of which device and box */
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

/* ---- sheets: what the figures share: file names, titles, axes, lists of variants, tables, and the
 * call of gnuplot. A figure is a table (.dat), a script of settings (.plt) that loads one of
 * scripts/plot/NAME.gp, and what gnuplot makes of it. Every text of the rows is quoted, so that
 * nothing in a name is run. ---- */

enum { PLOT_SLUG_SIZE = 200, PLOT_TITLE_LETTERS = 104, PLOT_LABEL_LETTERS = 36 };

/* Where figures go, and those drawn so far. */
struct plot_sheet {
    struct plot_data *data;
    const char *folder;  /* where tables and figures go */
    const char *scripts; /* where the gnuplot scripts are */
    unsigned formats;    /* union of enum plot_format */
    FILE *log;           /* NULL: nobody listens */
    struct plot_list *list;
    const char *doubts; /* checksums_doubt of the runs; NULL: none */
};

/* One figure to be drawn. Initialise kind, script and, where there is one, data, the rest zero;
 * release with plot_figure_free. */
struct plot_figure {
    const char *kind;                /* begins the file's name */
    const char *script;              /* scripts/plot/SCRIPT.gp draws it */
    char slug[PLOT_SLUG_SIZE];       /* the rest of the file's name */
    const char *data;                /* the table it is drawn from, without .dat; NULL: `table` */
    char caption[PLOT_CAPTION_SIZE]; /* as plot_item has it */
    double xmin, xmax, ymin, ymax;   /* of the points that are shown */
    struct strbuf table;             /* written beside the figure under its name */
    struct strbuf settings;          /* what gnuplot gets first */
};
void plot_figure_free(struct plot_figure *figure);

/* Puts the points of a view, points_of_VIEW, into the table `shown` (plot.sql), those of the key
 * and, unless NULL, the precision. Returns how many. */
size_t plot_show(struct plot_sheet *sheet, const char *view, size_t key, const char *precision,
                 struct plot_figure *figure);

/* Draws it once a format and adds it to the list. A name that is taken gets a number. */
bool plot_draw(struct plot_sheet *sheet, const struct plot_figure *figure, struct error *error);

/* Writes FOLDER/SLUG.dat. */
bool plot_write_table(const struct plot_sheet *sheet, const char *slug, const struct strbuf *table,
                      struct error *error);

/* ---- names of files ---- */

/* Adds words to a name, after a '_': letters, digits and dots, anything else one '-'. */
void plot_slug_part(char *slug, size_t size, const char *words);
/* DEVICE_BACKEND[_RUN], cut to fit beside the rest. */
void plot_slug_device(char *slug, const struct plot_set *set);
/* KIND_dDENSITY_cCUTOFF. */
void plot_slug_box(char *slug, const struct plot_set *set);
/* OUTPUTS, and the interaction where the data have several. */
void plot_slug_rest(const struct plot_data *data, char *slug, const struct plot_set *set);

/* ---- settings ---- */

void plot_append_setting(struct strbuf *script, const char *name, const char *words);
/* `count` cells of a column of an answer, from row `first` on. */
struct plot_names {
    const struct answer *answer;
    size_t column, first, count;
};
/* An array of these texts, each cut to so many letters. And the length of the longest of them,
 * between 6 and PLOT_LABEL_LETTERS. */
void plot_append_names(struct strbuf *script, const char *array, const struct plot_names *names,
                       size_t letters);
size_t plot_longest(const struct answer *names, size_t column, size_t count);

/* Appends up to three lines above the figure, cut with dots where they would not fit. */
void plot_append_titles(struct plot_figure *figure, const char *first, const char *second,
                        const char *third);
/* A title, the device, and the box and the interaction. */
void plot_append_box_titles(const struct plot_set *set, const char *title, const char *box,
                            struct plot_figure *figure);
/* "WHAT: outputs WHERE", which is the figure's title, the device, the box and the interaction. */
void plot_append_set_titles(const struct plot_set *set, const char *what, const char *where,
                            struct plot_figure *figure);
/* Appends up to three lines under it; "" is none. */
void plot_append_notes(const char *first, const char *second, const char *third,
                       struct strbuf *script);
/* What times of a set are: medians, of which tunables; `bars` and `extra` have their say in the
 * first and the second line, `third` is the third. */
void plot_append_set_notes(const struct plot_set *set, const char *bars, const char *extra,
                           const char *third, struct strbuf *script);

/* "forces and energy". */
const char *plot_outputs_in_words(const struct plot_set *set);
/* "density 0.8442, cutoff 2.5, lj". */
void plot_box_in_words(const struct plot_set *set, char *words, size_t size);
/* 16k, 1.37k, 864: three digits where it is not round. */
void plot_count_in_words(double count, char *words, size_t size);

/* ---- axes ---- */

/* xmin, xmax, ymin, ymax for logarithmic axes, widened a little, x to `least_x` times in all and y
 * to six times, so that it has two labels. */
void plot_append_ranges(struct plot_figure *figure, double least_x);

/* Labels at places that were run, but for those that would touch the one before: xtick_count,
 * xtick[] and xtick_label[]. */
void plot_append_ticks(struct plot_sheet *sheet, struct strbuf *script);

/* ---- the kinds of figures ---- */

/* The table of a set's points, which the figures of one set share. */
bool plot_write_set(struct plot_sheet *sheet, const struct plot_set *set, const char *slug,
                    struct error *error);

/* Time, interacting pairs/s and energy per pair against N, a panel per precision, a line per
 * variant: those for which some variant has two Ns. */
bool plot_curves(struct plot_sheet *sheet, const struct plot_set *set, const char *slug,
                 struct error *error);

/* Time against error, a point per variant and precision, the Pareto front marked: at the N that
 * most variants and precisions have in common; none where no N has two points. */
bool plot_accuracy(struct plot_sheet *sheet, const struct plot_set *set, const char *slug,
                   struct error *error);

/* The same variants on several devices, time against N, a panel per variant, a line per device: one
 * for each box, interaction, outputs and precision for which some variant ran on two devices, with
 * two Ns. A device is a model and the backend that drove it. */
bool plot_devices(struct plot_sheet *sheet, struct error *error);

/* Operations per second against operations per byte, under the measured roofs of the device; a
 * panel per precision, a dot per case. Operations are those of counted_percent_of_peak: a
 * documented number for each distance computed and each pair function applied. Bytes are the least
 * that any variant has to move: of each particle that takes part, position and charge read once,
 * and the force written once. A variant that reads its positions repeatedly is in truth further to
 * the left: the figure shows how far it could be from being bound by memory, not its traffic.
 * Skipped, with a line to the log, where the peaks of the device are not known. */
bool plot_roofline(struct plot_sheet *sheet, const struct plot_set *set, const char *slug,
                   struct error *error);

/* The fastest correct variant at each N and density as colours, with its lead over the next; of a
 * single box, a band over N per precision. One map for each device, interaction, outputs and groups
 * with two variants and two Ns; where some variant builds a structure a second one, with the
 * structure built at each evaluation. */
bool plot_crossovers(struct plot_sheet *sheet, struct error *error);

/* ---- gnuplot ---- */

/* The folder that holds lines.gp and the rest: $PAIRMARK_SHARE/plot, else ../share/pairmark/plot
 * from the program, else the source folder it was built from. Absolute. STATUS_BAD_INPUT where
 * $PAIRMARK_SHARE is set and does not hold them, STATUS_SYSTEM where none does. */
bool gnuplot_scripts(char *folder, size_t size, struct error *error);

#endif
