#include "plot/plot_curves.h"
#include "base/strbuf.h"

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
        plot_append_field(&table, point->precision);
        strbuf_append_bytes(&table, "\t", 1);
        plot_append_field(&table, point->variant);
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

struct curve_words {
    const char *kind, *bars;
};

static const struct curve_words curve_words[CURVES] = {
    [CURVE_TIME] = { "time", "; bars: 5th to 95th percentile" },
    [CURVE_PAIRS] = { "pairs", "; bars: 5th to 95th percentile" },
    [CURVE_ENERGY] = { "energy", "" },
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

/* The points that have something to show are `points`. */
static bool draw_points(struct plot_sheet *sheet, const struct plot_set *set, const char *slug,
                        enum curve curve, const struct plot_point *points, size_t count,
                        struct plot_ranges ranges, struct error *error) {
    const struct curve_words *words = &curve_words[curve];
    struct strbuf settings = { 0 };
    char what[64];
    char title[256];
    title_of(set, curve, what, sizeof what);
    plot_append_set_titles(set, what, "", title, sizeof title, &settings);
    plot_append_notes(set, words->bars, "", &settings);
    plot_append_ranges(ranges, 1, &settings);
    plot_append_setting(&settings, "counted", workload_of(set)->words.counted);
    plot_append_setting(&settings, "counted_one", workload_of(set)->words.counted_one);
    if (workload_of(set)->is_of_draws) {
        plot_append_setting(&settings, "xlabel", "N (draws)");
    }
    strbuf_append(&settings, "noise = %.9g\n",
                  set->noise > 0 && curve != CURVE_ENERGY ? set->noise : 0.0);
    const struct plot_figure figure = { .kind = words->kind,
                                        .script = words->kind,
                                        .slug = slug,
                                        .title = title,
                                        .data = slug,
                                        .settings = &settings };
    bool drawn = plot_append_lists(sheet->data, points, count, &settings) &&
                         plot_append_n_ticks(points, count, &settings)
                     ? plot_draw(sheet, &figure, error)
                     : fail_out_of_memory(error, "the script of a figure");
    strbuf_free(&settings);
    return drawn;
}

static bool draw_curve(struct plot_sheet *sheet, const struct plot_set *set, const char *slug,
                       enum curve curve, struct error *error) {
    struct plot_ranges ranges = plot_no_ranges;
    size_t count = 0;
    struct plot_point *points = calloc(set->count, sizeof *points);
    if (!points) {
        return fail_out_of_memory(error, "the points of a figure");
    }
    for (size_t i = 0; i < set->count; i++) {
        if (take_point(&set->point[i], curve, &ranges)) {
            points[count++] = set->point[i];
        }
    }
    bool drawn = !plot_ranges_are_wide(&ranges) ||
                 draw_points(sheet, set, slug, curve, points, count, ranges, error);
    free(points);
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
