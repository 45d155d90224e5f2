#include "plot/plot_accuracy.h"
#include "base/strbuf.h"

#include <math.h>

/* How many points at this N have an error to show. */
static size_t points_with_error(const struct plot_set *set, double n) {
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++) {
        count += set->point[i].n == n && set->point[i].error >= 0;
    }
    return count;
}

/* The N that most variants and precisions have in common; of several, the largest. */
static double common_n(const struct plot_set *set) {
    double chosen = 0;
    size_t most = 0;
    for (size_t i = 0; i < set->count; i++) {
        double n = set->point[i].n;
        size_t count = points_with_error(set, n);
        if (count > most || (count == most && n > chosen)) {
            most = count;
            chosen = n;
        }
    }
    return most >= 2 ? chosen : 0;
}

/* Errors this close are the same: that of one largest force or another. */
static const double same_error = 1.1;

bool plot_on_front(const struct plot_set *set, const struct plot_point *point) {
    for (size_t i = 0; i < set->count; i++) {
        const struct plot_point *other = &set->point[i];
        bool faster = other->time_s < point->time_s && other->error <= same_error * point->error;
        bool as_fast = other->time_s == point->time_s && other->error < point->error;
        if (other->n == point->n && (faster || as_fast)) {
            return false;
        }
    }
    return point->error >= 0;
}

/* An error of exactly zero has no place on a logarithmic axis: it is drawn where half an ulp of
 * double would be. */
static const double error_floor = 1e-17;

/* The points at n, the front's marked, and their ranges. */
static void fill_table(const struct plot_set *set, double n, struct plot_ranges *ranges,
                       struct strbuf *table) {
    strbuf_append(table, "# precision\tvariant\tn\ttime_s\tshown_error\ton_front\terror\n");
    for (size_t i = 0; i < set->count; i++) {
        const struct plot_point *point = &set->point[i];
        if (point->n == n && point->error >= 0) {
            double shown = fmax(point->error, error_floor);
            plot_append_field(table, point->precision);
            strbuf_append_bytes(table, "\t", 1);
            plot_append_field(table, point->variant);
            strbuf_append(table, "\t%.0f\t%.9g\t%.9g\t%d\t%.9g\n", n, point->time_s, shown,
                          plot_on_front(set, point), point->error);
            plot_ranges_take(ranges, point->time_s, shown, shown);
        }
    }
}

/* The front from fast to accurate, as arrays: their points are few. */
static void append_front(const struct plot_set *set, double n, struct strbuf *settings) {
    size_t count = 0;
    double after = 0;
    for (;;) {
        const struct plot_point *next = NULL;
        for (size_t i = 0; i < set->count; i++) {
            const struct plot_point *point = &set->point[i];
            if (point->n == n && point->time_s > after && plot_on_front(set, point) &&
                (!next || point->time_s < next->time_s)) {
                next = point;
            }
        }
        if (!next) {
            break;
        }
        after = next->time_s;
        count++;
        strbuf_append(settings, "front_x%zu = %.9g\nfront_y%zu = %.9g\n", count, next->time_s,
                      count, fmax(next->error, error_floor));
    }
    strbuf_append(settings, "front_count = %zu\n", count);
}

bool plot_accuracy(struct plot_sheet *sheet, const struct plot_set *set, const char *slug,
                   struct error *error) {
    struct plot_ranges ranges = plot_no_ranges;
    struct strbuf settings = { 0 };
    struct strbuf table = { 0 };
    double n = common_n(set);
    char where[64];
    char title[256];
    if (n == 0) {
        return true;
    }
    fill_table(set, n, &ranges, &table);
    (void)snprintf(where, sizeof where, ", N = %.0f", n);
    plot_append_set_titles(set, "Error against time", where, title, sizeof title, &settings);
    plot_append_notes(set, "; on the front: no other is faster and at most 10 % less accurate",
                      ranges.ymin <= error_floor ? "an error of zero is drawn at 1e-17" : "",
                      &settings);
    plot_append_ranges(ranges, 6, &settings);
    append_front(set, n, &settings);
    const struct plot_figure figure = { .kind = "error",
                                        .script = "error",
                                        .slug = slug,
                                        .title = title,
                                        .table = &table,
                                        .settings = &settings };
    bool drawn = plot_append_lists(sheet->data, set->point, set->count, &settings)
                     ? plot_draw(sheet, &figure, error)
                     : fail_out_of_memory(error, "the script of a figure");
    strbuf_free(&settings);
    strbuf_free(&table);
    return drawn;
}
