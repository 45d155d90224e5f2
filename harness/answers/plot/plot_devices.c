#include "answers/plot/plot_figures.h"
#include "answers/plot/plot_sheet.h"
#include "core/strings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The sets that differ in the device alone, and what is drawn of them. */
struct rivals {
    const struct plot_set **sets;
    size_t count;
    const char *precision;
    struct plot_point *points; /* those drawn, of all sets */
    size_t point_count;
};

static bool has_variant(const struct plot_set *set, const char *precision, const char *variant) {
    for (size_t i = 0; i < set->count; i++) {
        if (strcmp(set->point[i].precision, precision) == 0 &&
            strcmp(set->point[i].variant, variant) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_shared(const struct rivals *rivals, const char *variant) {
    size_t devices = 0;
    for (size_t s = 0; s < rivals->count; s++) {
        devices += has_variant(rivals->sets[s], rivals->precision, variant);
    }
    return devices >= 2;
}

static void fill_table(struct rivals *rivals, struct plot_figure *figure) {
    struct strbuf *table = &figure->table;
    strbuf_append(table, "# device\tvariant\tn\ttime_s\tp05_s\tp95_s\n");
    rivals->point_count = 0;
    for (size_t s = 0; s < rivals->count; s++) {
        for (size_t i = 0; i < rivals->sets[s]->count; i++) {
            const struct plot_point *point = &rivals->sets[s]->point[i];
            if (strcmp(point->precision, rivals->precision) == 0 &&
                is_shared(rivals, point->variant)) {
                rivals->points[rivals->point_count++] = *point;
                strbuf_append(table, "%zu\t", s + 1);
                plot_append_field(table, point->variant);
                strbuf_append(table, "\t%.0f\t%.9g\t%.9g\t%.9g\n", point->n, point->time_s,
                              point->p05_s, point->p95_s);
                plot_ranges_take(&figure->ranges, point->n, point->p05_s, point->p95_s);
            }
        }
    }
}

/* As plot_device_in_words, the model cut so that what follows it has room in a label. */
static void device_label(const struct plot_set *set, char *label, size_t size) {
    char rest[RUN_NAME_SIZE + 32];
    (void)snprintf(rest, sizeof rest, " (%s)%s%s", set->backend, *set->run ? ", " : "", set->run);
    const int room = PLOT_LABEL_LETTERS - (int)strlen(rest);
    if ((int)strlen(set->device) <= room) {
        (void)snprintf(label, size, "%s%s", set->device, rest);
    } else {
        (void)snprintf(label, size, "%.*s...%s", room > 12 ? room - 3 : 9, set->device, rest);
    }
}

/* A line a device, which the table has by its number. */
static bool append_devices(const struct rivals *rivals, struct strbuf *script) {
    char(*words)[300] = calloc(rivals->count, sizeof *words);
    char(*numbers)[24] = calloc(rivals->count, sizeof *numbers);
    const char **labels = calloc(rivals->count, sizeof *labels);
    const char **names = calloc(rivals->count, sizeof *names);
    const bool built = words && numbers && labels && names;
    for (size_t s = 0; built && s < rivals->count; s++) {
        device_label(rivals->sets[s], words[s], sizeof words[s]);
        (void)snprintf(numbers[s], sizeof numbers[s], "%zu", s + 1);
        labels[s] = words[s];
        names[s] = numbers[s];
    }
    if (built) {
        plot_append_labelled(names, labels, rivals->count, script);
    }
    free(names);
    free(labels);
    free(numbers);
    free(words);
    return built;
}

/* Notes that hold for any of the sets hold for the figure. */
static struct plot_set joined(const struct rivals *rivals) {
    struct plot_set set = *rivals->sets[0];
    for (size_t s = 1; s < rivals->count; s++) {
        set.tuned = set.tuned || rivals->sets[s]->tuned;
        set.built = set.built || rivals->sets[s]->built;
        set.averaged = set.averaged || rivals->sets[s]->averaged;
    }
    return set;
}

/* What the lines are of. */
static const char *what_differs(const struct rivals *rivals) {
    const struct plot_set *first = rivals->sets[0];
    bool devices = false;
    bool runs = false;
    for (size_t s = 0; s < rivals->count; s++) {
        const struct plot_set *set = rivals->sets[s];
        devices = devices || strcmp(set->device, first->device) != 0 ||
                  strcmp(set->backend, first->backend) != 0;
        runs = runs || *set->run;
    }
    if (!devices) {
        return "in several runs";
    }
    return runs ? "on several devices, in several runs" : "on several devices";
}

static void append_words(const struct rivals *rivals, const char *rule,
                         struct plot_figure *figure) {
    const struct plot_set set = joined(rivals);
    char box[400];
    (void)snprintf(figure->title, sizeof figure->title, "The same variants %s: %s, %s",
                   what_differs(rivals), plot_outputs_in_words(&set), rivals->precision);
    plot_box_in_words(&set, box, sizeof box);
    plot_append_titles(&figure->settings, figure->title, box, set.interaction);
    plot_append_set_notes(&set, "; bars: 5th to 95th percentile", "", rule, &figure->settings);
}

/* A panel a variant: of more than eight those that figures of lines name. False: memory ran out. */
static bool append_panels(const struct rivals *rivals, struct plot_figure *figure) {
    struct strbuf *settings = &figure->settings;
    static const struct plot_axes axes = { .panel = 2,
                                           .line = 1,
                                           .x = 3,
                                           .value = 4,
                                           .low = 5,
                                           .high = 6,
                                           .xlabel = "N (particles)",
                                           .ylabel = "time of one evaluation",
                                           .xformat = "%.0s%c",
                                           .yformat = "%.0s %cs" };
    struct plot_lines variants;
    bool appended = plot_lines_choose(rivals->points, rivals->point_count, plot_place_n, &variants);
    if (appended) {
        const char *rule = variants.rest_count > 0
                               ? "Shown (up to eight): the fastest anywhere, the slowest, the "
                                 "fastest on each structure that several variants use"
                               : "";
        append_words(rivals, rule, figure);
        plot_append_axes(&axes, settings);
        plot_append_panels(variants.named, variants.named_count, settings);
        appended = append_devices(rivals, settings) &&
                   plot_append_n_ticks(rivals->points, rivals->point_count, settings);
    }
    plot_lines_free(&variants);
    return appended;
}

static bool draw(struct plot_sheet *sheet, struct rivals *rivals, struct error *error) {
    char slug[PLOT_SLUG_SIZE] = "";
    struct plot_figure figure = {
        .kind = "devices", .script = "lines", .slug = slug, .ranges = plot_no_ranges
    };
    bool drawn = true;
    fill_table(rivals, &figure);
    if (plot_ranges_are_wide(&figure.ranges)) {
        plot_append_ranges(figure.ranges, 1, &figure.settings);
        plot_slug_part(slug, PLOT_SLUG_SIZE, rivals->precision);
        plot_slug_box(slug, PLOT_SLUG_SIZE, rivals->sets[0]);
        plot_slug_rest(sheet->data, slug, rivals->sets[0]);
        drawn = plot_draw(sheet, &figure, append_panels(rivals, &figure), error);
    }
    plot_figure_free(&figure);
    return drawn;
}

/* Each precision of the first set is met once; one that it lacks is shared with no one or met as
 * another set's. */
static bool draw_precisions(struct plot_sheet *sheet, struct rivals *rivals, struct error *error) {
    for (size_t s = 0; s + 1 < rivals->count; s++) {
        const struct plot_set *set = rivals->sets[s];
        for (size_t i = 0; i < set->count; i++) {
            bool met = i > 0 && strcmp(set->point[i].precision, set->point[i - 1].precision) == 0;
            rivals->precision = set->point[i].precision;
            for (size_t before = 0; !met && before < s; before++) {
                for (size_t j = 0; !met && j < rivals->sets[before]->count; j++) {
                    met = strcmp(rivals->sets[before]->point[j].precision, rivals->precision) == 0;
                }
            }
            if (!met && !draw(sheet, rivals, error)) {
                return false;
            }
        }
    }
    return true;
}

/* The sets that differ from this one in the device alone, itself among them; none where it is not
 * the first of them. */
static void gather(const struct plot_data *data, size_t index, struct rivals *rivals) {
    rivals->count = 0;
    for (size_t s = 0; s < data->count; s++) {
        if (plot_same_but_device(&data->sets[s], &data->sets[index])) {
            if (s < index) {
                return;
            }
            rivals->sets[rivals->count++] = &data->sets[s];
        }
    }
}

bool plot_devices(struct plot_sheet *sheet, struct error *error) {
    const struct plot_data *data = sheet->data;
    struct rivals rivals = { .sets = calloc(data->count + 1, sizeof *rivals.sets),
                             .points = calloc(data->ok_rows + 1, sizeof *rivals.points) };
    bool drawn =
        (rivals.sets && rivals.points) || fail_out_of_memory(error, "the points of a figure");
    for (size_t s = 0; drawn && s < data->count; s++) {
        gather(data, s, &rivals);
        drawn = rivals.count < 2 || draw_precisions(sheet, &rivals, error);
    }
    free(rivals.sets);
    free(rivals.points);
    return drawn;
}
