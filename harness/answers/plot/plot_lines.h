/*
 * plot_lines — figures of lines in panels (scripts/plot/lines.gp): which lines are named, and what
 * the script gets of panels, lines and axes.
 */
#ifndef PAIRMARK_ANSWERS_PLOT_PLOT_LINES_H
#define PAIRMARK_ANSWERS_PLOT_PLOT_LINES_H

#include "answers/plot/plot_sheet.h"

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

/* Named lines with their labels and styles, a different one each: near the variant's own of
 * plot_variant_index. */
void plot_append_variants(const struct plot_data *data, const struct plot_lines *lines,
                          struct strbuf *script);
/* The same for lines whose names in the table are not what a reader is shown. Those beyond
 * PLOT_NAMED are grey. */
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

#endif
