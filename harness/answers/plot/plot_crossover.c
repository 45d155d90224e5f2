#include "answers/plot/plot_figures.h"
#include "core/statistics.h"
#include "core/strings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One map. */
struct map {
    const struct plot_set **sets; /* differing in the box alone, from dilute to dense */
    size_t set_count;
    double *n; /* all Ns of theirs, ascending */
    size_t n_count;
    const char *precisions[8]; /* theirs, in order */
    size_t precision_count;
    struct plot_point *winners; /* by precision */
    size_t winner_count;
    bool with_build;
};

/* ---- who wins ---- */

static double build_of(const struct plot_point *point, bool with_build) {
    return with_build && point->build_s > 0 ? point->build_s : 0;
}

/* What a point takes, its structure built when asked. */
static struct plot_time time_of(const struct plot_point *point, bool with_build) {
    const double build = build_of(point, with_build);
    return (struct plot_time){ point->time_s + build, point->p05_s + build, point->p95_s + build };
}

struct plot_winner plot_winner_of(const struct plot_set *set, const char *precision, double n,
                                  bool with_build) {
    struct plot_winner winner = { NULL, INFINITY, NAN, false };
    const struct plot_point *next = NULL;
    double next_seconds = INFINITY;
    for (size_t i = 0; i < set->count; i++) {
        const struct plot_point *point = &set->point[i];
        double seconds = point->time_s + build_of(point, with_build);
        if (point->n != n || strcmp(point->precision, precision) != 0) {
            continue;
        }
        if (seconds < winner.seconds) {
            next = winner.point;
            next_seconds = winner.seconds;
            winner.point = point;
            winner.seconds = seconds;
        } else if (seconds < next_seconds) {
            next = point;
            next_seconds = seconds;
        }
    }
    if (next && winner.point) {
        winner.lead = next_seconds / winner.seconds;
        winner.is_close = plot_times_alike(set->noise, time_of(winner.point, with_build),
                                           time_of(next, with_build));
    }
    return winner;
}

/* ---- what is on the map ---- */

static int compare_densities(const void *left, const void *right) {
    const struct plot_set *a = *(const struct plot_set *const *)left;
    const struct plot_set *b = *(const struct plot_set *const *)right;
    double density_a = strtod(a->density, NULL); /* an open box: 0 */
    double density_b = strtod(b->density, NULL);
    int order = (density_a > density_b) - (density_a < density_b);
    if (order == 0) {
        order = strcmp(a->kind, b->kind);
    }
    return order != 0 ? order : strcmp(a->cutoff, b->cutoff);
}

static int compare_names(const void *left, const void *right) {
    return plot_compare_precisions(*(const char *const *)left, *(const char *const *)right);
}

static void take_precision(struct map *map, const char *precision) {
    const size_t most = sizeof map->precisions / sizeof map->precisions[0];
    for (size_t p = 0; p < map->precision_count; p++) {
        if (strcmp(map->precisions[p], precision) == 0) {
            return;
        }
    }
    if (map->precision_count < most) {
        map->precisions[map->precision_count++] = precision;
    }
}

static void list_axes(struct map *map) {
    size_t count = 0;
    map->precision_count = 0;
    for (size_t s = 0; s < map->set_count; s++) {
        for (size_t i = 0; i < map->sets[s]->count; i++) {
            map->n[count++] = map->sets[s]->point[i].n;
            take_precision(map, map->sets[s]->point[i].precision);
        }
    }
    sort_numbers(map->n, count);
    qsort(map->precisions, map->precision_count, sizeof map->precisions[0], compare_names);
    map->n_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (map->n_count == 0 || map->n[i] > map->n[map->n_count - 1]) {
            map->n[map->n_count++] = map->n[i];
        }
    }
}

static bool has_precision(const struct plot_set *set, const char *precision) {
    for (size_t i = 0; i < set->count; i++) {
        if (strcmp(set->point[i].precision, precision) == 0) {
            return true;
        }
    }
    return false;
}

static bool has_rivals(const struct map *map) {
    for (size_t s = 0; s < map->set_count; s++) {
        for (size_t i = 0; i < map->sets[s]->count; i++) {
            if (strcmp(map->sets[s]->point[i].variant, map->sets[0]->point[0].variant) != 0) {
                return true;
            }
        }
    }
    return false;
}

/* ---- the table: a cell a line ---- */

static void lead_in_words(const struct plot_winner *winner, char *words, size_t size) {
    double lead = winner->lead;
    if (isnan(lead)) {
        (void)snprintf(words, size, "only");
    } else if (winner->is_close) {
        (void)snprintf(words, size, "≈");
    } else {
        const int decimals = lead < 1.1 ? 2 : lead < 9.95 ? 1 : 0;
        (void)snprintf(words, size, "%.*f×", decimals, lead);
    }
}

static void append_cells(struct map *map, const struct plot_set *set, const char *precision,
                         double y, struct strbuf *table) {
    char lead[32];
    for (size_t i = 0; i < map->n_count; i++) {
        struct plot_winner winner = plot_winner_of(set, precision, map->n[i], map->with_build);
        if (winner.point) {
            map->winners[map->winner_count++] = *winner.point;
            lead_in_words(&winner, lead, sizeof lead);
            plot_append_names_of(table, winner.point);
            strbuf_append(table, "\t%.0f\t%zu\t%.9g\t%s\t%.9g\t", map->n[i], i + 1, y, lead,
                          winner.seconds);
            plot_append_field(table, set->kind);
            strbuf_append(table, "\t%s\t%s\n", *set->density ? set->density : "open", set->cutoff);
        }
    }
}

/* What of the box distinguishes the rows. */
static void row_in_words(const struct map *map, const struct plot_set *set, char *words,
                         size_t size) {
    bool cutoffs = false;
    for (size_t s = 1; s < map->set_count; s++) {
        cutoffs = cutoffs || strcmp(map->sets[s]->cutoff, map->sets[0]->cutoff) != 0;
    }
    (void)snprintf(words, size, "%s %s", set->kind, *set->density ? set->density : "open");
    size_t length = strlen(words);
    if (cutoffs && length + 1 < size) {
        (void)snprintf(words + length, size - length, ", cutoff %s", set->cutoff);
    }
}

/* Rows from the top down, y growing; a heading above the rows of each precision, or where the map
 * has one box a row a precision. Returns how high it is, in rows. */
static double append_rows(struct map *map, struct strbuf *table, struct strbuf *settings) {
    double y = 0;
    char words[200];
    bool bands = map->set_count == 1;
    size_t rows = 0;
    size_t headings = 0;
    size_t longest = 6;
    strbuf_append(table,
                  "# precision\tvariant\tn\tcolumn\trow\tlead\tseconds\tkind\tdensity\tcutoff\n");
    for (size_t p = 0; p < map->precision_count; p++) {
        if (!bands) {
            strbuf_append(settings, "heading_y%zu = %.9g\n", ++headings, y + 0.65);
            (void)snprintf(words, sizeof words, "heading%zu", headings);
            plot_append_setting(settings, words, map->precisions[p]);
            y += 1;
        }
        for (size_t s = map->set_count; s-- > 0;) {
            char name[32];
            if (!has_precision(map->sets[s], map->precisions[p])) {
                continue;
            }
            append_cells(map, map->sets[s], map->precisions[p], y + 0.5, table);
            row_in_words(map, map->sets[s], words, sizeof words);
            strbuf_append(settings, "row_y%zu = %.9g\n", ++rows, y + 0.5);
            (void)snprintf(name, sizeof name, "row%zu", rows);
            const char *label = bands ? map->precisions[p] : words;
            plot_append_setting(settings, name, label);
            longest = strlen(label) > longest ? strlen(label) : longest;
            y += 1;
        }
    }
    strbuf_append(settings,
                  "row_count = %zu\nheading_count = %zu\nrows_high = %.9g\nlongest_row = %zu\n",
                  rows, headings, y, longest);
    return y;
}

/* ---- the figure ---- */

static void append_columns(const struct map *map, struct strbuf *settings) {
    char words[32];
    strbuf_append(settings, "array column_label[%zu]\n", map->n_count);
    for (size_t i = 0; i < map->n_count; i++) {
        plot_count_in_words(map->n[i], words, sizeof words);
        strbuf_append(settings, "column_label[%zu] = '%s'\n", i + 1, words);
    }
}

static void append_words(const struct map *map, struct plot_figure *figure) {
    struct strbuf *settings = &figure->settings;
    const struct plot_set *set = map->sets[0];
    char device[256];
    char box[512];
    (void)snprintf(figure->title, sizeof figure->title, "Fastest correct variant%s: %s",
                   map->with_build ? ", structure built at each evaluation" : "",
                   plot_outputs_in_words(set));
    plot_device_in_words(set, device, sizeof device);
    if (map->set_count == 1) {
        plot_box_in_words(set, box, sizeof box);
    } else {
        bool one_cutoff = true;
        for (size_t s = 1; s < map->set_count; s++) {
            one_cutoff = one_cutoff && strcmp(map->sets[s]->cutoff, set->cutoff) == 0;
        }
        (void)snprintf(box, sizeof box, "%s%s%s%s", one_cutoff ? "cutoff " : "several cutoffs",
                       one_cutoff ? set->cutoff : "", *set->groups ? ", " : "", set->groups);
    }
    size_t length = strlen(box);
    (void)snprintf(box + length, sizeof box - length, ", %s", set->interaction);
    plot_append_titles(settings, figure->title, device, box);
    char floor[64] = "";
    if (set->noise > 0) {
        (void)snprintf(floor, sizeof floor, "within the noise floor (%.2g %%), or ",
                       100 * set->noise);
    }
    char note[256];
    (void)snprintf(note, sizeof note,
                   "In a cell: the next time over the fastest. Hatched: %s5th to 95th percentiles "
                   "overlap.",
                   floor);
    (void)snprintf(box, sizeof box, "only: nothing else ran or passed; empty: nothing did.%s%s",
                   map->with_build ? "" : " Building the structure is not included.",
                   set->tuned ? " Tunables: the fastest correct choice." : "");
    plot_append_notes(note, box, "", settings);
}

static int compare_winners(const void *left, const void *right) {
    const struct plot_point *a = left;
    const struct plot_point *b = right;
    int order = plot_compare_precisions(a->precision, b->precision);
    return order != 0 ? order : strcmp(a->variant, b->variant);
}

static bool draw_map(struct plot_sheet *sheet, struct map *map, struct error *error) {
    const struct plot_set *set = map->sets[0];
    char slug[PLOT_SLUG_SIZE] = "";
    struct plot_figure figure = { .kind = map->with_build ? "crossover_built" : "crossover",
                                  .script = "crossover",
                                  .slug = slug };
    map->winner_count = 0;
    (void)append_rows(map, &figure.table, &figure.settings);
    append_columns(map, &figure.settings);
    append_words(map, &figure);
    qsort(map->winners, map->winner_count, sizeof *map->winners, compare_winners);
    plot_slug_device(slug, set);
    if (map->set_count == 1) {
        plot_slug_box(slug, PLOT_SLUG_SIZE, set);
    }
    plot_slug_rest(sheet->data, slug, set);
    const bool made =
        plot_append_legend(sheet->data, map->winners, map->winner_count, &figure.settings);
    const bool drawn = plot_draw(sheet, &figure, made, error);
    plot_figure_free(&figure);
    return drawn;
}

/* The sets that differ from this one in the box alone, itself among them; none where it is not the
 * first of them. */
static void gather(const struct plot_data *data, size_t index, struct map *map) {
    map->set_count = 0;
    for (size_t s = 0; s < data->count; s++) {
        if (plot_same_but_box(&data->sets[s], &data->sets[index])) {
            if (s < index) {
                map->set_count = 0;
                return;
            }
            map->sets[map->set_count++] = &data->sets[s];
        }
    }
    qsort(map->sets, map->set_count, sizeof *map->sets, compare_densities);
}

static bool is_built(const struct map *map) {
    for (size_t s = 0; s < map->set_count; s++) {
        if (map->sets[s]->built) {
            return true;
        }
    }
    return false;
}

static bool draw_maps(struct plot_sheet *sheet, struct map *map, struct error *error) {
    list_axes(map);
    if (map->n_count < 2 || !has_rivals(map)) {
        return true;
    }
    map->with_build = false;
    if (!draw_map(sheet, map, error)) {
        return false;
    }
    map->with_build = true;
    return !is_built(map) || draw_map(sheet, map, error);
}

bool plot_crossovers(struct plot_sheet *sheet, struct error *error) {
    const struct plot_data *data = sheet->data;
    struct map map = { .sets = calloc(data->count + 1, sizeof *map.sets),
                       .n = calloc(data->ok_rows + 1, sizeof *map.n),
                       .winners = calloc(data->ok_rows + 1, sizeof *map.winners) };
    bool drawn =
        (map.sets && map.n && map.winners) || fail_out_of_memory(error, "the points of a figure");
    for (size_t s = 0; drawn && s < data->count; s++) {
        gather(data, s, &map);
        drawn = map.set_count == 0 || draw_maps(sheet, &map, error);
    }
    free(map.sets);
    free(map.n);
    free(map.winners);
    return drawn;
}
