/*
 * plot_sheet — what the figures share: file names, titles, axes, lists of variants, tables, and
 * the call of gnuplot.
 *
 * A figure is a table (.dat), a script of settings (.plt) that loads one of scripts/plot/NAME.gp,
 * and what gnuplot makes of it. Every text of the rows goes through quoting: nothing in a name is
 * run.
 */
#ifndef PAIRMARK_ANSWERS_PLOT_PLOT_SHEET_H
#define PAIRMARK_ANSWERS_PLOT_PLOT_SHEET_H

#include "answers/plot/plot.h"
#include "answers/plot/plot_points.h"
#include "core/error.h"
#include "core/strings.h"

#include <stdbool.h>
#include <stdio.h>

enum { PLOT_SLUG_SIZE = 200, PLOT_TITLE_LETTERS = 104, PLOT_LABEL_LETTERS = 36 };

/* Where figures go, and those drawn so far. */
struct plot_sheet {
    const struct plot_data *data;
    const char *folder;  /* where tables and figures go */
    const char *scripts; /* where the gnuplot scripts are */
    unsigned formats;    /* union of enum plot_format */
    FILE *log;           /* NULL: nobody listens */
    struct plot_list *list;
};

/* Begun with plot_no_ranges. */
struct plot_ranges {
    double xmin, xmax, ymin, ymax;
};
extern const struct plot_ranges plot_no_ranges;

/* One figure to be drawn. Initialise kind, script, slug and ranges (plot_no_ranges), the rest zero;
 * release with plot_figure_free. */
struct plot_figure {
    const char *kind;   /* begins the file's name */
    const char *script; /* scripts/plot/SCRIPT.gp draws it */
    const char *slug;   /* the rest of the file's name */
    const char *data;   /* the table it is drawn from, without .dat; NULL: `table` */
    char title[256];    /* as the list prints it */
    struct plot_ranges ranges;
    struct strbuf table;    /* written beside the figure under its name */
    struct strbuf settings; /* what gnuplot gets first */
};
void plot_figure_free(struct plot_figure *figure);

/* Draws it once a format and adds it to the list. A name that is taken gets a number. `made`:
 * false where memory ran out while it was made. */
bool plot_draw(struct plot_sheet *sheet, const struct plot_figure *figure, bool made,
               struct error *error);

/* Writes FOLDER/SLUG.dat. */
bool plot_write_table(const struct plot_sheet *sheet, const char *slug, const struct strbuf *table,
                      struct error *error);
/* A field of a table: tabs and line ends become spaces. And the first two of a point's line. */
void plot_append_field(struct strbuf *table, const char *words);
void plot_append_names_of(struct strbuf *table, const struct plot_point *point);

/* ---- names of files ---- */

/* Adds words to a name, after a '_': letters, digits and dots, anything else one '-'. */
void plot_slug_part(char *slug, size_t size, const char *words);
/* DEVICE_BACKEND[_RUN], cut to fit beside the rest. */
void plot_slug_device(char *slug, const struct plot_set *set);
/* KIND_dDENSITY_cCUTOFF. */
void plot_slug_box(char *slug, size_t size, const struct plot_set *set);
/* OUTPUTS, and the interaction where the data have several. */
void plot_slug_rest(const struct plot_data *data, char *slug, const struct plot_set *set);

/* ---- settings ---- */

void plot_append_setting(struct strbuf *script, const char *name, const char *words);
/* An array of texts, each cut to so many letters. */
void plot_append_names(struct strbuf *script, const char *array, const char *const *names,
                       size_t count, size_t letters);

/* The precisions of points that are sorted by them; returns how many. */
size_t plot_list_precisions(const struct plot_point *points, size_t count, const char **names);

/* The variants of some points with the index that decides a variant's colour, and how wide their
 * legend is. False: memory ran out. */
bool plot_append_legend(const struct plot_data *data, const struct plot_point *points, size_t count,
                        struct strbuf *script);

/* Up to three lines above the figure. Cut where they would not fit, with dots. */
void plot_append_titles(struct strbuf *script, const char *first, const char *second,
                        const char *third);
/* "WHAT: outputs WHERE", which is the figure's title, the device, the box and the interaction. */
void plot_append_set_titles(const struct plot_set *set, const char *what, const char *where,
                            struct plot_figure *figure);
/* Up to three lines under it; "" is none. */
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

void plot_ranges_take(struct plot_ranges *ranges, double x, double low, double high);
/* Whether there are two different x, without which there is no line to draw. */
bool plot_ranges_are_wide(const struct plot_ranges *ranges);
/* xmin, xmax, ymin, ymax for logarithmic axes, widened a little, x to `least_x` times in all and y
 * to six times, so that it has two labels. */
void plot_append_ranges(struct plot_ranges ranges, double least_x, struct strbuf *script);

/* Labels at places that were run, beginning with the first that is not under `from` and leaving out
 * those that would touch the one before: xtick_count, xtick[] and xtick_label[]. Sorts the values.
 * False: memory ran out. */
typedef void plot_label(double value, char *words, size_t size);
bool plot_append_ticks(double *values, size_t count, double from, plot_label *label,
                       struct strbuf *script);
/* At the Ns of the points. */
bool plot_append_n_ticks(const struct plot_point *points, size_t count, struct strbuf *script);

/* ---- lines in panels (scripts/plot/lines.gp): which are named, and what the script gets ---- */

enum { PLOT_NAMED = 8 };

/* The lines of a figure by their names: at most PLOT_NAMED are named, the rest is grey. */
struct plot_lines {
    const char *named[PLOT_NAMED];
    size_t named_count;
    const char **rest; /* release with plot_lines_free */
    size_t rest_count;
};

/* Where a point stands on the x axis. */
typedef double plot_place(const struct plot_point *point);
double plot_place_n(const struct plot_point *point);

/* Chooses among the variants of some points, a time each. Eight or fewer are all named. Of more:
 * those that are the fastest of a precision at some place, more often first; the slowest, compared
 * with the fastest at the last place that it has; and of each structure that several variants walk
 * the fastest at the last place that one of them has, the most common structure first. False:
 * memory ran out. */
bool plot_lines_choose(const struct plot_point *points, size_t count, plot_place *place,
                       struct plot_lines *lines);
/* The words of that rule; "" where all are named. */
const char *plot_lines_rule(const struct plot_lines *lines);
void plot_lines_free(struct plot_lines *lines);

/* Lines whose names in the table are not what a reader is shown. Those beyond PLOT_NAMED are grey.
 */
void plot_append_labelled(const char *const *names, const char *const *labels, size_t count,
                          struct strbuf *script);

/* A panel a precision of the points, which are sorted by it. False: memory ran out. */
bool plot_append_precisions(const struct plot_point *points, size_t count, struct strbuf *script);
void plot_append_panels(const char *const *names, size_t count, struct strbuf *script);

/* Columns of the table, counted from 1, and axes; 0 and NULL: none. */
struct plot_axes {
    int panel, line, x, value, low, high;
    int ring; /* 1 there: the point is ringed */
    int end;  /* a line ends where this is largest; 0: at the largest x */
    const char *xlabel, *ylabel;
    const char *xformat, *yformat;           /* of axes over several decades */
    const char *xformat_fine, *yformat_fine; /* over fewer; NULL: the same */
    const char *backdrop;                    /* commands that draw behind the lines */
    double noise;                            /* as plot_set has it */
    double line_width;                       /* 0: 1.5 */
};
void plot_append_axes(const struct plot_axes *axes, struct strbuf *script);

/* Axes, and lines of the points' variants, named as plot_lines_choose has it, with styles that are
 * near the variant's own of plot_variant_index. *rule: by which some are named. False: memory ran
 * out. */
bool plot_append_lines(const struct plot_data *data, const struct plot_point *points, size_t count,
                       plot_place *place, const struct plot_axes *axes, const char **rule,
                       struct strbuf *script);

/* ---- gnuplot ---- */

/* The folder that holds lines.gp and the rest: $PAIRMARK_SHARE/plot, else ../share/pairmark/plot
 * from the program, else the source folder it was built from. Absolute. STATUS_BAD_INPUT where
 * $PAIRMARK_SHARE is set and does not hold them, STATUS_SYSTEM where none does. */
bool gnuplot_scripts(char *folder, size_t size, struct error *error);

/* Runs `gnuplot SCRIPT` in a folder. STATUS_SYSTEM where it is missing (naming the package) or
 * fails (with what it said). */
bool gnuplot_run(const char *folder, const char *script, struct error *error);

#endif
