#include "answers/plot/plot_roofline.h"

#include "answers/plot/plot_lines.h"
#include "core/error.h"
#include "core/strings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double plot_least_bytes(const char *precision) {
    static const struct {
        const char *precision;
        double bytes;
    } kinds[] = { { "float", 4 * 4 + 3 * 4 },
                  { "mixed", 4 * 4 + 3 * 8 },
                  { "double", 4 * 8 + 3 * 8 },
                  { "fixed", 4 * 4 + 3 * 8 } };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].precision, precision) == 0) {
            return kinds[i].bytes;
        }
    }
    return NAN;
}

/* How many particles take part: of two groups, their members. */
static double particles(const struct plot_point *point) {
    double members = point->n_a + point->n_b;
    return members < point->n ? members : point->n; /* NaN: all */
}

/* Whether no point of the same line has a larger N; points of a line stand together, N ascending.
 */
static bool is_last(const struct plot_set *set, size_t index) {
    const struct plot_point *point = &set->point[index];
    return index + 1 == set->count || strcmp(point[1].variant, point->variant) != 0 ||
           strcmp(point[1].precision, point->precision) != 0;
}

/* The dots, and the ranges of the axes with the roofs above them. The points that have one are
 * `dots`; returns how many. */
static size_t fill_table(const struct plot_set *set, const struct plot_device_peaks *peaks,
                         struct plot_ranges *ranges, struct plot_point *dots,
                         struct strbuf *table) {
    size_t count = 0;
    strbuf_append(table,
                  "# precision\tvariant\tn\toperations_per_byte\toperations_per_s\tis_largest\n");
    for (size_t i = 0; i < set->count; i++) {
        const struct plot_point *point = &set->point[i];
        double peak = plot_peaks_operations(peaks, point->precision);
        double rate = point->percent_of_peak / 100 * peak;
        double bytes = plot_least_bytes(point->precision) * particles(point);
        double intensity = rate * point->time_s / bytes;
        if (rate > 0 && isfinite(rate) && intensity > 0) {
            plot_append_field(table, point->precision);
            strbuf_append_bytes(table, "\t", 1);
            plot_append_field(table, point->variant);
            strbuf_append(table, "\t%.0f\t%.9g\t%.9g\t%d\n", point->n, intensity, rate,
                          is_last(set, i));
            plot_ranges_take(ranges, intensity, rate, peak);
            dots[count++] = *point;
        }
    }
    return count;
}

static bool is_among(const struct plot_point *points, size_t count, const char *variant) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(points[i].variant, variant) == 0) {
            return true;
        }
    }
    return false;
}

/* Named among them: what has no dot, variants whose operations are not known, since they rule pairs
 * out by other means than a distance. */
static void append_notes(const struct plot_set *set, const struct plot_point *dots, size_t count,
                         const char *rule, struct strbuf *settings) {
    enum { NAMED = 2 };
    struct strbuf words = { 0 };
    size_t missing = 0;
    strbuf_append(&words, "A line joins one variant's Ns; the largest is ringed");
    for (size_t i = 0; i < set->count; i++) {
        const char *variant = set->point[i].variant;
        if (is_among(dots, count, variant) || is_among(set->point, i, variant)) {
            continue;
        }
        if (missing < NAMED) {
            strbuf_append(&words, "%s%s", missing == 0 ? ". Operations not known: " : ", ",
                          variant);
        }
        missing++;
    }
    if (missing > NAMED) {
        strbuf_append(&words, " and %zu more", missing - NAMED);
    }
    plot_append_notes(
        "Operations: the documented count per distance and pair function. Bytes: each "
        "position read and each force written once",
        words.data ? words.data : "", rule, settings);
    strbuf_free(&words);
}

/* Panels, lines, axes and notes. False: memory ran out. */
static bool append_lines(const struct plot_data *data, const struct plot_set *set,
                         const struct plot_point *dots, size_t count, struct strbuf *settings) {
    static const struct plot_axes axes = { .panel = 1,
                                           .line = 2,
                                           .x = 4,
                                           .value = 5,
                                           .ring = 6,
                                           .end = 3,
                                           .xlabel = "operations per byte of the least traffic",
                                           .ylabel = "operations per second",
                                           .xformat = "10^{%L}",
                                           .xformat_fine = "%g",
                                           .yformat = "10^{%L}",
                                           .yformat_fine = "%.0t×10^{%T}",
                                           .backdrop = "load share.'/roofline.gp'",
                                           .line_width = 0.8 };
    struct plot_lines lines;
    bool appended = plot_lines_choose(dots, count, plot_place_n, &lines);
    if (appended) {
        append_notes(set, dots, count, plot_lines_rule(&lines), settings);
        plot_append_axes(&axes, settings);
        plot_append_variants(data, &lines, settings);
        strbuf_append(settings, "xtick_count = 0\n");
        appended = plot_append_precisions(dots, count, settings);
    }
    plot_lines_free(&lines);
    return appended;
}

/* The ridge, where the two roofs meet, belongs into the figure. */
static void append_roofs(const struct plot_point *dots, size_t count,
                         const struct plot_device_peaks *peaks, struct plot_ranges *ranges,
                         struct strbuf *settings) {
    size_t panels = 0;
    for (size_t i = 0; i < count; i++) {
        const char *precision = dots[i].precision;
        if (i == 0 || strcmp(precision, dots[i - 1].precision) != 0) {
            double peak = plot_peaks_operations(peaks, precision);
            double ridge = peak / peaks->copy_bytes_per_s;
            strbuf_append(settings, "roof%zu = %.9g\n", ++panels, isnan(peak) ? 0 : peak);
            if (ridge > 0) {
                plot_ranges_take(ranges, ridge / 4, ranges->ymin, peak);
            }
        }
    }
    strbuf_append(settings, "copy_rate = %.9g\n", peaks->copy_bytes_per_s);
}

static bool draw(struct plot_sheet *sheet, const struct plot_set *set,
                 const struct plot_device_peaks *peaks, const char *slug, struct error *error) {
    struct plot_ranges ranges = plot_no_ranges;
    struct strbuf table = { 0 };
    struct strbuf settings = { 0 };
    char title[256];
    bool drawn = true;
    struct plot_point *dots = calloc(set->count + 1, sizeof *dots);
    const size_t count = dots ? fill_table(set, peaks, &ranges, dots, &table) : 0;
    if (count > 0) {
        plot_append_set_titles(set, "Roofline", "", title, sizeof title, &settings);
        append_roofs(dots, count, peaks, &ranges, &settings);
        plot_append_ranges(ranges, 30, &settings);
        const struct plot_figure figure = { .kind = "roofline",
                                            .script = "lines",
                                            .slug = slug,
                                            .title = title,
                                            .table = &table,
                                            .settings = &settings };
        drawn = append_lines(sheet->data, set, dots, count, &settings)
                    ? plot_draw(sheet, &figure, error)
                    : fail_out_of_memory(error, "the script of a figure");
    }
    drawn = dots ? drawn : fail_out_of_memory(error, "the points of a figure");
    free(dots);
    strbuf_free(&table);
    strbuf_free(&settings);
    return drawn;
}

/* Once for each device: sets of one device need not stand together. */
static bool is_first_of_device(const struct plot_data *data, const struct plot_set *set) {
    for (const struct plot_set *other = data->sets; other < set; other++) {
        if (strcmp(other->device, set->device) == 0 && strcmp(other->backend, set->backend) == 0) {
            return false;
        }
    }
    return true;
}

static void report_skipped(const struct plot_sheet *sheet, const struct plot_set *set,
                           const char *why) {
    if (is_first_of_device(sheet->data, set)) {
        log_warning(sheet->log, "no roofline for %s (%s): %s", set->device, set->backend, why);
    }
}

bool plot_roofline(struct plot_sheet *sheet, const struct plot_set *set,
                   const struct plot_peaks *peaks, const char *slug, struct error *error) {
    const struct plot_device_peaks *own = plot_peaks_of(peaks, set->device, set->backend);
    if (!own) {
        report_skipped(sheet, set, "environment.json beside the rows has no peaks of it");
        return true;
    }
    if (isnan(own->copy_bytes_per_s)) {
        report_skipped(sheet, set, "environment.json has no rate of copying in device memory");
        return true;
    }
    return draw(sheet, set, own, slug, error);
}
