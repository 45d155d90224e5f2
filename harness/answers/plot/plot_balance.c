#include "answers/plot/plot_figures.h"
#include "answers/plot/plot_sheet.h"
#include "core/strings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ratios that were asked for come to whole particles, so that the product is not quite constant. */
static const double same_product = 1.05;

static double product_of(const struct plot_point *point) {
    return point->n_a * point->n_b;
}

static bool has_ratio(const struct plot_point *point) {
    return product_of(point) > 0; /* NaN: no two groups */
}

bool plot_balance_covers(const struct plot_data *data, const struct plot_set *set) {
    for (size_t s = 0; s < data->count; s++) {
        const struct plot_set *other = &data->sets[s];
        if (other != set && has_ratio(&set->point[0]) && plot_same_but_groups(other, set) &&
            has_ratio(&other->point[0])) {
            return true;
        }
    }
    return false;
}

/* 1:16, 4:1. */
static void ratio_in_words(double ratio, char *words, size_t size) {
    char count[32];
    double times = ratio >= 1 ? ratio : 1 / ratio;
    (void)snprintf(count, sizeof count, times >= 100 ? "%.0f" : "%.3g", times);
    (void)snprintf(words, size, ratio >= 1 ? "%s:1" : "1:%s", count);
}

static int compare_points(const void *left, const void *right) {
    const struct plot_point *a = left;
    const struct plot_point *b = right;
    int order = plot_compare_precisions(a->precision, b->precision);
    if (order == 0) {
        order = strcmp(a->variant, b->variant);
    }
    double ratio_a = a->n_a / a->n_b;
    double ratio_b = b->n_a / b->n_b;
    return order != 0 ? order : (ratio_a > ratio_b) - (ratio_a < ratio_b);
}

/* Moves the points whose product is the smallest one's, or close to it, to the front; returns how
 * many. */
static size_t gather_product(struct plot_point *points, size_t count) {
    double least = INFINITY;
    size_t gathered = 0;
    for (size_t i = 0; i < count; i++) {
        least = fmin(least, product_of(&points[i]));
    }
    for (size_t i = 0; i < count; i++) {
        if (product_of(&points[i]) <= same_product * least) {
            struct plot_point point = points[i];
            points[i] = points[gathered];
            points[gathered++] = point;
        }
    }
    return gathered;
}

static void fill_table(const struct plot_point *points, size_t count, struct plot_figure *figure) {
    struct strbuf *table = &figure->table;
    strbuf_append(table, "# precision\tvariant\tratio\ttime_s\tp05_s\tp95_s\tn_a\tn_b\n");
    for (size_t i = 0; i < count; i++) {
        const struct plot_point *point = &points[i];
        double ratio = point->n_a / point->n_b;
        plot_append_names_of(table, point);
        strbuf_append(table, "\t%.9g\t%.9g\t%.9g\t%.9g\t%.0f\t%.0f\n", ratio, point->time_s,
                      point->p05_s, point->p95_s, point->n_a, point->n_b);
        plot_ranges_take(&figure->ranges, ratio, point->p05_s, point->p95_s);
    }
}

static double place_ratio(const struct plot_point *point) {
    return point->n_a / point->n_b;
}

static bool append_ratio_ticks(const struct plot_point *points, size_t count,
                               struct strbuf *script) {
    double *ratios = calloc(count + 1, sizeof *ratios);
    if (!ratios) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        ratios[i] = place_ratio(&points[i]);
    }
    bool appended = plot_append_ticks(ratios, count, 0.99, ratio_in_words, script);
    free(ratios);
    return appended;
}

/* Panels, lines and axes. False: memory ran out. */
static bool append_lines(const struct plot_data *data, const struct plot_set *set,
                         const struct plot_point *points, size_t count, struct strbuf *settings) {
    static const struct plot_axes axes = { .panel = 1,
                                           .line = 2,
                                           .x = 3,
                                           .value = 4,
                                           .low = 5,
                                           .high = 6,
                                           .xlabel = "particles of A to particles of B",
                                           .ylabel = "time of one evaluation",
                                           .xformat = "%g",
                                           .yformat = "%.0s %cs" };
    const char *rule;
    if (!plot_append_lines(data, points, count, place_ratio, &axes, &rule, settings)) {
        return false;
    }
    plot_append_set_notes(set, "; bars: 5th to 95th percentile", "", rule, settings);
    return plot_append_precisions(points, count, settings) &&
           append_ratio_ticks(points, count, settings);
}

static bool draw(struct plot_sheet *sheet, const struct plot_set *set, struct plot_point *points,
                 size_t count, struct error *error) {
    struct plot_set shown = *set;
    char slug[PLOT_SLUG_SIZE] = "";
    struct plot_figure figure = {
        .kind = "balance", .script = "lines", .slug = slug, .ranges = plot_no_ranges
    };
    char pairs[32];
    char where[64];
    bool drawn = true;
    qsort(points, count, sizeof *points, compare_points);
    fill_table(points, count, &figure);
    if (plot_ranges_are_wide(&figure.ranges)) {
        plot_count_in_words(product_of(&points[0]), pairs, sizeof pairs);
        (void)snprintf(where, sizeof where, ", |A| |B| = %s", pairs);
        shown.groups[0] = '\0'; /* it is the axis */
        plot_append_set_titles(&shown, "Time against the ratio of two groups", where, &figure);
        plot_append_ranges(figure.ranges, 1, &figure.settings);
        plot_slug_device(slug, set);
        plot_slug_box(slug, PLOT_SLUG_SIZE, set);
        plot_slug_part(slug, PLOT_SLUG_SIZE, pairs);
        plot_slug_rest(sheet->data, slug, set);
        const bool made = append_lines(sheet->data, &shown, points, count, &figure.settings);
        drawn = plot_draw(sheet, &figure, made, error);
    }
    plot_figure_free(&figure);
    return drawn;
}

/* All points with a ratio of the sets that differ from this one in the groups alone. */
static size_t collect(const struct plot_data *data, const struct plot_set *set,
                      struct plot_point *points) {
    size_t count = 0;
    for (size_t s = 0; s < data->count; s++) {
        const struct plot_set *other = &data->sets[s];
        for (size_t i = 0; plot_same_but_groups(set, other) && i < other->count; i++) {
            if (has_ratio(&other->point[i])) {
                points[count++] = other->point[i];
            }
        }
    }
    return count;
}

static bool is_first(const struct plot_data *data, size_t index) {
    for (size_t s = 0; s < index; s++) {
        if (plot_same_but_groups(&data->sets[s], &data->sets[index])) {
            return false;
        }
    }
    return true;
}

bool plot_balances(struct plot_sheet *sheet, struct error *error) {
    const struct plot_data *data = sheet->data;
    struct plot_point *points = calloc(data->ok_rows + 1, sizeof *points);
    bool drawn = points || fail_out_of_memory(error, "the points of a figure");
    for (size_t s = 0; drawn && s < data->count; s++) {
        size_t count = is_first(data, s) ? collect(data, &data->sets[s], points) : 0;
        for (size_t begin = 0; drawn && begin < count;) {
            size_t gathered = gather_product(points + begin, count - begin);
            drawn = draw(sheet, &data->sets[s], points + begin, gathered, error);
            begin += gathered;
        }
    }
    free(points);
    return drawn;
}
