#include "answers/plot/plot_figures.h"

#include "answers/plot/plot_sheet.h"
#include "core/error.h"
#include "core/files.h"
#include "core/strings.h"

#include <json.h>

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- peaks ---- */

void plot_peaks_free(struct plot_peaks *peaks) {
    free(peaks->items);
    *peaks = (struct plot_peaks){ 0 };
}

const struct plot_device_peaks *plot_peaks_of(const struct plot_peaks *peaks, const char *model,
                                              const char *backend) {
    for (size_t i = 0; i < peaks->count; i++) {
        const struct plot_device_peaks *item = &peaks->items[i];
        if (strcmp(item->model, model) == 0 && strcmp(item->backend, backend) == 0) {
            return item;
        }
    }
    return NULL;
}

double plot_peaks_operations(const struct plot_device_peaks *peaks, const char *precision) {
    if (strcmp(precision, "double") == 0) {
        return peaks->double_operations_per_s;
    }
    bool in_float = strcmp(precision, "float") == 0 || strcmp(precision, "mixed") == 0 ||
                    strcmp(precision, "fixed") == 0;
    return in_float ? peaks->float_operations_per_s : NAN;
}

/* ---- peaks from environment.json ---- */

/* A positive number under a name; NaN otherwise, also where `object` is no object. */
static double number_in(struct json_object *object, const char *name) {
    struct json_object *member = NULL;
    if (!json_object_is_type(object, json_type_object) ||
        !json_object_object_get_ex(object, name, &member) ||
        !(json_object_is_type(member, json_type_double) ||
          json_object_is_type(member, json_type_int))) {
        return NAN;
    }
    double value = json_object_get_double(member);
    return value > 0 && isfinite(value) ? value : NAN;
}

static struct json_object *member_of(struct json_object *object, const char *name) {
    struct json_object *member = NULL;
    return json_object_is_type(object, json_type_object) &&
                   json_object_object_get_ex(object, name, &member)
               ? member
               : NULL;
}

static const char *text_in(struct json_object *object, const char *name) {
    struct json_object *member = member_of(object, name);
    return json_object_is_type(member, json_type_string) ? json_object_get_string(member) : "";
}

static double known(double first, double second) {
    return isnan(first) ? second : first;
}

/* Runs from before the memory rate was measured have the multiply-adds alone, under another name.
 */
static void read_device(struct json_object *device, struct plot_device_peaks *item) {
    struct json_object *peaks = member_of(device, "peaks");
    struct json_object *older = member_of(device, "peak_operations_per_s");
    *item = (struct plot_device_peaks){
        .float_operations_per_s =
            known(number_in(peaks, "fp32_operations_per_s"), number_in(older, "float")),
        .double_operations_per_s =
            known(number_in(peaks, "fp64_operations_per_s"), number_in(older, "double")),
        .copy_bytes_per_s = number_in(peaks, "copy_bytes_per_s")
    };
    (void)snprintf(item->backend, sizeof item->backend, "%s", text_in(device, "backend"));
    (void)snprintf(item->model, sizeof item->model, "%s", text_in(device, "model"));
}

static bool take_device(struct plot_peaks *peaks, const struct plot_device_peaks *found,
                        struct error *error) {
    for (size_t i = 0; i < peaks->count; i++) {
        struct plot_device_peaks *item = &peaks->items[i];
        if (strcmp(item->model, found->model) == 0 && strcmp(item->backend, found->backend) == 0) {
            item->float_operations_per_s =
                known(item->float_operations_per_s, found->float_operations_per_s);
            item->double_operations_per_s =
                known(item->double_operations_per_s, found->double_operations_per_s);
            item->copy_bytes_per_s = known(item->copy_bytes_per_s, found->copy_bytes_per_s);
            return true;
        }
    }
    struct plot_device_peaks *items = realloc(peaks->items, (peaks->count + 1) * sizeof *items);
    if (!items) {
        return fail_out_of_memory(error, "the peaks of the devices");
    }
    peaks->items = items;
    items[peaks->count++] = *found;
    return true;
}

static bool take_devices(struct json_object *environment, struct plot_peaks *peaks,
                         struct error *error) {
    struct json_object *devices = member_of(environment, "devices");
    size_t count =
        json_object_is_type(devices, json_type_array) ? json_object_array_length(devices) : 0;
    for (size_t i = 0; i < count; i++) {
        struct plot_device_peaks item;
        read_device(json_object_array_get_idx(devices, i), &item);
        if (!take_device(peaks, &item, error)) {
            return false;
        }
    }
    return true;
}

bool plot_peaks_read(const char *rows_path, FILE *log, struct plot_peaks *peaks,
                     struct error *error) {
    char path[PATH_MAX];
    const char *slash = strrchr(rows_path, '/');
    int folder = slash ? (int)(slash - rows_path + 1) : 0;
    int length = snprintf(path, sizeof path, "%.*senvironment.json", folder, rows_path);
    if (length < 0 || (size_t)length >= sizeof path || access(path, F_OK) != 0) {
        return true;
    }
    struct json_object *environment = NULL;
    struct error reason;
    if (!input_read_json(path, &environment, &reason)) {
        log_warning(log, "%s: the peaks of its devices are not known", reason.message);
        return true;
    }
    bool taken = take_devices(environment, peaks, error);
    json_object_put(environment);
    return taken;
}

/* ---- the figure ---- */

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
                         struct plot_point *dots, struct plot_figure *figure) {
    struct strbuf *table = &figure->table;
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
            plot_append_names_of(table, point);
            strbuf_append(table, "\t%.0f\t%.9g\t%.9g\t%d\n", point->n, intensity, rate,
                          is_last(set, i));
            plot_ranges_take(&figure->ranges, intensity, rate, peak);
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
    const char *rule;
    if (!plot_append_lines(data, dots, count, plot_place_n, &axes, &rule, settings)) {
        return false;
    }
    append_notes(set, dots, count, rule, settings);
    strbuf_append(settings, "xtick_count = 0\n");
    return plot_append_precisions(dots, count, settings);
}

/* The ridge, where the two roofs meet, belongs into the figure. */
static void append_roofs(const struct plot_point *dots, size_t count,
                         const struct plot_device_peaks *peaks, struct plot_figure *figure) {
    struct strbuf *settings = &figure->settings;
    size_t panels = 0;
    for (size_t i = 0; i < count; i++) {
        const char *precision = dots[i].precision;
        if (i == 0 || strcmp(precision, dots[i - 1].precision) != 0) {
            double peak = plot_peaks_operations(peaks, precision);
            double ridge = peak / peaks->copy_bytes_per_s;
            strbuf_append(settings, "roof%zu = %.9g\n", ++panels, isnan(peak) ? 0 : peak);
            if (ridge > 0) {
                plot_ranges_take(&figure->ranges, ridge / 4, figure->ranges.ymin, peak);
            }
        }
    }
    strbuf_append(settings, "copy_rate = %.9g\n", peaks->copy_bytes_per_s);
}

static bool draw(struct plot_sheet *sheet, const struct plot_set *set,
                 const struct plot_device_peaks *peaks, const char *slug, struct error *error) {
    struct plot_figure figure = {
        .kind = "roofline", .script = "lines", .slug = slug, .ranges = plot_no_ranges
    };
    struct plot_point *dots = calloc(set->count + 1, sizeof *dots);
    const size_t count = dots ? fill_table(set, peaks, dots, &figure) : 0;
    bool drawn = true;
    if (!dots || count > 0) {
        plot_append_set_titles(set, "Roofline", "", &figure);
        append_roofs(dots, count, peaks, &figure);
        plot_append_ranges(figure.ranges, 30, &figure.settings);
        const bool made = dots && append_lines(sheet->data, set, dots, count, &figure.settings);
        drawn = plot_draw(sheet, &figure, made, error);
    }
    free(dots);
    plot_figure_free(&figure);
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
