#include "answers/plot/plot_figures.h"
#include "answers/plot/plot_sheet.h"
#include "core/strings.h"

#include <math.h>
#include <stdlib.h>

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

/* The points at n, the front's marked, and their ranges. They are `shown`, too; returns how many.
 */
static size_t fill_table(const struct plot_set *set, double n, struct plot_point *shown,
                         struct plot_figure *figure) {
    struct strbuf *table = &figure->table;
    size_t count = 0;
    strbuf_append(table, "# precision\tvariant\tn\ttime_s\tshown_error\ton_front\terror\n");
    for (size_t i = 0; i < set->count; i++) {
        const struct plot_point *point = &set->point[i];
        if (point->n == n && point->error >= 0) {
            double place = fmax(point->error, error_floor);
            shown[count++] = *point;
            plot_append_names_of(table, point);
            strbuf_append(table, "\t%.0f\t%.9g\t%.9g\t%d\t%.9g\n", n, point->time_s, place,
                          plot_on_front(set, point), point->error);
            plot_ranges_take(&figure->ranges, place, point->time_s, point->time_s);
        }
    }
    return count;
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
        strbuf_append(settings, "front_x%zu = %.9g\nfront_y%zu = %.9g\n", count,
                      fmax(next->error, error_floor), count, next->time_s);
    }
    strbuf_append(settings, "front_count = %zu\n", count);
}

/* One mark a precision, which a key above the panel explains; a line joins those of a variant.
 * False: memory ran out. */
static bool append_marks(const struct plot_point *points, size_t count, struct strbuf *settings) {
    const char **names = calloc(count + 1, sizeof *names);
    char setting[32];
    if (!names) {
        return false;
    }
    const size_t found = plot_list_precisions(points, count, names);
    for (size_t p = 0; p < found; p++) {
        (void)snprintf(setting, sizeof setting, "precision%zu", p + 1);
        plot_append_setting(settings, setting, names[p]);
    }
    free(names);
    strbuf_append(settings,
                  "precision_count = %zu\nmarks_of_points = 'precision'\n"
                  "shape(p) = p eq 'float' ? 7 : (p eq 'mixed' ? 9 : (p eq 'double' ? 5 : 13))\n"
                  "mark(l) = shape(strcol(1))\n",
                  found);
    return true;
}

/* Lines, axes and the front of the points that are shown. False: memory ran out. */
static bool append_lines(const struct plot_data *data, const struct plot_set *set, double n,
                         const struct plot_point *shown, size_t count, bool has_zero,
                         struct strbuf *settings) {
    static const char *const panels[] = { "" };
    static const struct plot_axes axes = { .line = 2,
                                           .x = 5,
                                           .value = 4,
                                           .ring = 6,
                                           .xlabel = "largest force error / RMS force",
                                           .ylabel = "time of one evaluation",
                                           .xformat = "10^{%L}",
                                           .xformat_fine = "%.0t×10^{%T}",
                                           .yformat = "%.0s %cs",
                                           .backdrop = "load share.'/front.gp'",
                                           .line_width = 0.8 };
    const char *rule;
    if (!plot_append_lines(data, shown, count, plot_place_n, &axes, &rule, settings)) {
        return false;
    }
    plot_append_set_notes(set, "; on the front: no other is faster and at most 10 % less accurate",
                          has_zero ? "an error of zero is drawn at 1e-17" : "", rule, settings);
    plot_append_panels(panels, 1, settings);
    append_front(set, n, settings);
    strbuf_append(settings, "xtick_count = 0\n");
    return append_marks(shown, count, settings);
}

bool plot_accuracy(struct plot_sheet *sheet, const struct plot_set *set, const char *slug,
                   struct error *error) {
    struct plot_figure figure = {
        .kind = "error", .script = "lines", .slug = slug, .ranges = plot_no_ranges
    };
    const double n = common_n(set);
    char where[64];
    if (n == 0) {
        return true;
    }
    struct plot_point *shown = calloc(set->count + 1, sizeof *shown);
    const size_t count = shown ? fill_table(set, n, shown, &figure) : 0;
    (void)snprintf(where, sizeof where, ", N = %.0f", n);
    plot_append_set_titles(set, "Time against error", where, &figure);
    plot_append_ranges(figure.ranges, 6, &figure.settings);
    const bool made = shown && append_lines(sheet->data, set, n, shown, count,
                                            figure.ranges.xmin <= error_floor, &figure.settings);
    const bool drawn = plot_draw(sheet, &figure, made, error);
    free(shown);
    plot_figure_free(&figure);
    return drawn;
}
