#include "answers/plot/plot_figures.h"
#include "answers/plot/plot_sheet.h"
#include "core/strings.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the table ---- */

bool plot_write_set(const struct plot_sheet *sheet, const struct plot_set *set, const char *slug,
                    struct error *error) {
    struct strbuf table = { 0 };
    strbuf_append(&table, "# precision\tvariant\tn\ttime_s\tp05_s\tp95_s\tbuild_s\tpairs_per_s\t"
                          "pairs_per_s_low\tpairs_per_s_high\tmax_rel_force_error\trepetitions\t"
                          "nj_per_pair\ttunables\n");
    for (size_t i = 0; i < set->count; i++) {
        const struct plot_point *point = &set->point[i];
        double pairs = point->pairs_per_s > 0 ? point->pairs_per_s * point->time_s : NAN;
        plot_append_names_of(&table, point);
        strbuf_append(&table, "\t%.0f\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t%zu\t%.9g\t",
                      point->n, point->time_s, point->p05_s, point->p95_s, fabs(point->build_s),
                      pairs / point->time_s, pairs / point->p95_s, pairs / point->p05_s,
                      fabs(point->error), point->repetitions, fabs(point->nj_per_pair));
        plot_append_field(&table, *point->tunables ? point->tunables : "-");
        strbuf_append_bytes(&table, "\n", 1);
    }
    bool written = plot_write_table(sheet, slug, &table, error);
    strbuf_free(&table);
    return written;
}

/* ---- figures ---- */

enum curve { CURVE_TIME, CURVE_PAIRS, CURVE_ENERGY, CURVES };

/* How each is drawn; columns of the table that plot_write_set() writes. */
static const struct {
    const char *kind, *bars;
    int value, low, high;
    const char *format, *format_fine;
} curves[CURVES] = {
    [CURVE_TIME] = { "time", "; bars: 5th to 95th percentile", 4, 5, 6, "%.0s %cs", NULL },
    [CURVE_PAIRS] = { "pairs", "; bars: 5th to 95th percentile", 8, 9, 10, "10^{%L}",
                      "%.0t×10^{%T}" },
    [CURVE_ENERGY] = { "energy", "", 13, 0, 0, "10^{%L}", "%g" },
};

static const struct workload *workload_of(const struct plot_set *set) {
    const struct workload *workload = workload_find(set->workload);
    return workload ? workload : workload_default();
}

/* "Terms per second" */
static void title_of(const struct plot_set *set, enum curve curve, char *title, size_t size) {
    const struct workload_words *words = &workload_of(set)->words;
    if (curve == CURVE_TIME) {
        (void)snprintf(title, size, "Time against N");
    } else if (curve == CURVE_PAIRS) {
        (void)snprintf(title, size, "%c%s per second", toupper((unsigned char)*words->counted),
                       words->counted + 1);
    } else {
        (void)snprintf(title, size, "Energy per %s against N", words->counted_one);
    }
}

/* What a point has to show, into the ranges. False: nothing. */
static bool take_point(const struct plot_point *point, enum curve curve,
                       struct plot_ranges *ranges) {
    double pairs = point->pairs_per_s * point->time_s;
    if (curve == CURVE_TIME) {
        plot_ranges_take(ranges, point->n, point->p05_s, point->p95_s);
        return true;
    }
    if (curve == CURVE_PAIRS && pairs > 0) {
        plot_ranges_take(ranges, point->n, pairs / point->p95_s, pairs / point->p05_s);
        return true;
    }
    if (curve == CURVE_ENERGY && point->nj_per_pair > 0) {
        plot_ranges_take(ranges, point->n, point->nj_per_pair, point->nj_per_pair);
        return true;
    }
    return false;
}

/* Lines, axes and notes of the points that have something to show. False: memory ran out. */
static bool append_lines(const struct plot_data *data, const struct plot_set *set, enum curve curve,
                         const struct plot_point *points, size_t count, struct strbuf *settings) {
    const char *rule;
    const struct workload *workload = workload_of(set);
    char ylabel[80] = "time of one evaluation";
    if (curve == CURVE_PAIRS) {
        (void)snprintf(ylabel, sizeof ylabel, "%s per second", workload->words.counted);
    } else if (curve == CURVE_ENERGY) {
        (void)snprintf(ylabel, sizeof ylabel, "nanojoules per %s", workload->words.counted_one);
    }
    const struct plot_axes axes = { .panel = 1,
                                    .line = 2,
                                    .x = 3,
                                    .value = curves[curve].value,
                                    .low = curves[curve].low,
                                    .high = curves[curve].high,
                                    .xlabel = workload->words.size,
                                    .ylabel = ylabel,
                                    .xformat = "%.0s%c",
                                    .yformat = curves[curve].format,
                                    .yformat_fine = curves[curve].format_fine,
                                    .noise = curve != CURVE_ENERGY ? set->noise : 0 };
    if (!plot_append_lines(data, points, count, plot_place_n, &axes, &rule, settings)) {
        return false;
    }
    plot_append_set_notes(set, curves[curve].bars, "", rule, settings);
    return plot_append_precisions(points, count, settings) &&
           plot_append_n_ticks(points, count, settings);
}

static bool draw_curve(struct plot_sheet *sheet, const struct plot_set *set, const char *slug,
                       enum curve curve, struct error *error) {
    struct plot_figure figure = { .kind = curves[curve].kind,
                                  .script = "lines",
                                  .slug = slug,
                                  .data = slug,
                                  .ranges = plot_no_ranges };
    struct plot_point *points = calloc(set->count, sizeof *points);
    size_t count = 0;
    bool drawn = true;
    char what[64];
    for (size_t i = 0; points && i < set->count; i++) {
        if (take_point(&set->point[i], curve, &figure.ranges)) {
            points[count++] = set->point[i];
        }
    }
    if (!points || plot_ranges_are_wide(&figure.ranges)) {
        title_of(set, curve, what, sizeof what);
        plot_append_set_titles(set, what, "", &figure);
        plot_append_ranges(figure.ranges, 1, &figure.settings);
        const bool made =
            points && append_lines(sheet->data, set, curve, points, count, &figure.settings);
        drawn = plot_draw(sheet, &figure, made, error);
    }
    free(points);
    plot_figure_free(&figure);
    return drawn;
}

bool plot_curves(struct plot_sheet *sheet, const struct plot_set *set, const char *slug,
                 struct error *error) {
    for (int curve = 0; curve < CURVES; curve++) {
        if (!draw_curve(sheet, set, slug, (enum curve)curve, error)) {
            return false;
        }
    }
    return true;
}
