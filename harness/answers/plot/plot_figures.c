/* Draws the figures that are lines in panels (scripts/plot/lines.gp). */
#include "answers/plot/plot.h"
#include "core/strings.h"
#include "kernels/workload.h"
#include "measure/program.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what the script gets ---- */

enum { PLOT_NAMED = 8 };

/* A figure on its way: kinds.gp says what of its table is drawn. */
struct drawing {
    struct plot_sheet *sheet;
    const struct plot_set *set; /* whose the figure is, or the first of its sets */
    size_t key;                 /* of its points */
    const char *precision;      /* NULL: all, a panel each */
    struct plot_figure figure;
};

/* Lines by their names in the table (column 0) and what a reader is shown (column 1): those from
 * `named` on are grey. gnuplot has no empty arrays: the rest has one element at least. */
static void append_named(const struct answer *lines, size_t named, const size_t *styles,
                         struct strbuf *script) {
    const size_t count = lines->rows - named;
    plot_append_names(script, "lines", &(struct plot_names){ lines, 0, 0, named },
                      PLOT_TITLE_LETTERS);
    plot_append_names(script, "line_label", &(struct plot_names){ lines, 1, 0, named },
                      PLOT_LABEL_LETTERS);
    strbuf_append(script, "longest_label = %zu\narray line_style[%zu]\n",
                  plot_longest(lines, 1, named), named);
    for (size_t i = 0; i < named; i++) {
        strbuf_append(script, "line_style[%zu] = %zu\n", i + 1, styles[i]);
    }
    if (count > 0) {
        plot_append_names(script, "rest", &(struct plot_names){ lines, 0, named, count },
                          PLOT_TITLE_LETTERS);
    } else {
        strbuf_append(script, "array rest[1]\nrest[1] = ''\n");
    }
    strbuf_append(script, "rest_count = %zu\n", count);
}

/* The variants that are shown, those that are named first; `named`: how many these are. With
 * `front`, those on the front are named, too. */
static struct answer ask_lines(struct plot_sheet *sheet, bool front, size_t *named) {
    struct answer lines =
        analysis_ask(&sheet->data->analysis,
                     "SELECT variant, variant, style, is_named OR (%d AND variant IN"
                     " (SELECT variant FROM fronts WHERE on_front)) AS is_told"
                     " FROM lines JOIN styles USING (variant) ORDER BY is_told DESC, ordinal",
                     front);
    for (*named = 0; *named < lines.rows && answer_number(&lines, *named, 3) == 1;) {
        ++*named;
    }
    return lines;
}

/* Lines of the variants that are shown, each with the variant's own style. Returns the rule by
 * which some are named. */
static const char *append_lines(struct drawing *drawing, bool front) {
    size_t named = 0;
    struct answer lines = ask_lines(drawing->sheet, front, &named);
    size_t *styles = memory_zeroed(named + 1, sizeof *styles);
    for (size_t i = 0; i < named; i++) {
        styles[i] = (size_t)answer_number(&lines, i, 2);
    }
    append_named(&lines, named, styles, &drawing->figure.settings);
    free(styles);
    const bool are_all = named == lines.rows;
    answer_free(&lines);
    if (are_all) {
        return "";
    }
    return front ? "Named: those on the front, the slowest, the fastest on each structure that "
                   "several variants use. Grey: the others"
                 : "Named (up to eight): the fastest anywhere, the slowest, the fastest on each "
                   "structure that several variants use. Grey: the others";
}

static void append_panels(const struct answer *names, size_t count, struct strbuf *script) {
    plot_append_names(script, "panels", &(struct plot_names){ names, 0, 0, count },
                      PLOT_TITLE_LETTERS);
    plot_append_names(script, "panel_label", &(struct plot_names){ names, 0, 0, count },
                      PLOT_LABEL_LETTERS);
}

static struct answer ask_precisions(struct plot_sheet *sheet) {
    return analysis_ask(&sheet->data->analysis,
                        "SELECT precision FROM shown GROUP BY precision_rank, precision"
                        " ORDER BY precision_rank, precision");
}

/* A panel a precision. */
static void append_precisions(struct drawing *drawing) {
    struct answer precisions = ask_precisions(drawing->sheet);
    append_panels(&precisions, precisions.rows, &drawing->figure.settings);
    answer_free(&precisions);
}

/* Draws the points that there are; `append` adds titles, notes and the rest of the settings. Lines
 * take two different x. */
static bool draw(struct drawing *drawing, bool is_of_lines, void (*append)(struct drawing *drawing),
                 struct error *error) {
    struct plot_figure *figure = &drawing->figure;
    bool drawn = true;
    figure->script = "lines";
    if (plot_show(drawing->sheet, figure->kind, drawing->key, drawing->precision, figure) > 0 &&
        (!is_of_lines || figure->xmax > figure->xmin)) {
        append(drawing);
        strbuf_append(&figure->settings, "kind = '%s'\nload share.'/kinds.gp'\n", figure->kind);
        drawn = plot_draw(drawing->sheet, figure, error);
    }
    plot_figure_free(figure);
    return drawn;
}

/* A figure of a set. */
struct figure_kind {
    const char *kind;
    bool is_of_lines;
    void (*append)(struct drawing *drawing);
};

/* The same of a set, whose file is named after it, and its table, too, unless that is the set's. */
static bool draw_set(struct plot_sheet *sheet, const struct plot_set *set, const char *slug,
                     const struct figure_kind *kind, struct error *error) {
    struct drawing drawing = { .sheet = sheet,
                               .set = set,
                               .key = set->part,
                               .figure = { .kind = kind->kind,
                                           .data = kind->is_of_lines ? slug : NULL } };
    (void)snprintf(drawing.figure.slug, sizeof drawing.figure.slug, "%s", slug);
    return draw(&drawing, kind->is_of_lines, kind->append, error);
}

static const char bars_words[] = "; bars: 5th to 95th percentile";

/* ---- time, pairs and energy against N ---- */

bool plot_write_set(struct plot_sheet *sheet, const struct plot_set *set, const char *slug,
                    struct error *error) {
    struct strbuf table = { 0 };
    analysis_append_table(
        &sheet->data->analysis, &table,
        "SELECT precision, variant, CAST(n AS INTEGER) AS n, time_s, p05_s, p95_s,"
        " build_s, pairs / time_s AS pairs_per_s, pairs / p95_s AS pairs_per_s_low,"
        " pairs / p05_s AS pairs_per_s_high, error AS max_rel_force_error, repetitions,"
        " nj_per_pair, tunables FROM points WHERE part = %d ORDER BY point",
        (int)set->part);
    const bool written = plot_write_table(sheet, slug, &table, error);
    strbuf_free(&table);
    return written;
}

static const struct workload_words *words_of(const struct plot_set *set) {
    const struct workload *workload = workload_find(set->workload);
    return &(workload ? workload : workload_default())->words;
}

static void append_curve(struct drawing *drawing, const char *title, const char *bars) {
    struct strbuf *settings = &drawing->figure.settings;
    plot_append_set_titles(drawing->set, title, "", &drawing->figure);
    plot_append_setting(settings, "xlabel", words_of(drawing->set)->size);
    plot_append_ranges(&drawing->figure, 1);
    const char *rule = append_lines(drawing, false);
    plot_append_set_notes(drawing->set, bars, "", rule, settings);
    append_precisions(drawing);
    plot_append_ticks(drawing->sheet, settings);
}

static void append_noise(struct drawing *drawing) {
    const double noise = drawing->set->noise;
    strbuf_append(&drawing->figure.settings, "noise = %.9g\n", noise > 0 ? noise : 0.0);
}

static void append_time(struct drawing *drawing) {
    append_noise(drawing);
    append_curve(drawing, "Time against N", bars_words);
}

static void append_pairs(struct drawing *drawing) {
    char words[64];
    (void)snprintf(words, sizeof words, "%s per second", words_of(drawing->set)->counted);
    plot_append_setting(&drawing->figure.settings, "ylabel", words);
    words[0] = (char)toupper((unsigned char)words[0]);
    append_noise(drawing);
    append_curve(drawing, words, bars_words);
}

static void append_energy(struct drawing *drawing) {
    const char *one = words_of(drawing->set)->counted_one;
    char words[80];
    (void)snprintf(words, sizeof words, "nanojoules per %s", one);
    plot_append_setting(&drawing->figure.settings, "ylabel", words);
    (void)snprintf(words, sizeof words, "Energy per %s against N", one);
    append_curve(drawing, words, "");
}

bool plot_curves(struct plot_sheet *sheet, const struct plot_set *set, const char *slug,
                 struct error *error) {
    return draw_set(sheet, set, slug, &(struct figure_kind){ "time", true, append_time }, error) &&
           draw_set(sheet, set, slug, &(struct figure_kind){ "pairs", true, append_pairs },
                    error) &&
           draw_set(sheet, set, slug, &(struct figure_kind){ "energy", true, append_energy },
                    error);
}

/* ---- time against error ---- */

/* The front from fast to accurate, as arrays: its points are few. */
static void append_front(struct plot_sheet *sheet, struct strbuf *settings) {
    struct answer front =
        analysis_ask(&sheet->data->analysis, "SELECT x, time_s FROM fronts WHERE on_front"
                                             " GROUP BY time_s ORDER BY time_s");
    for (size_t i = 0; i < front.rows; i++) {
        strbuf_append(settings, "front_x%zu = %.9g\nfront_y%zu = %.9g\n", i + 1,
                      answer_number(&front, i, 0), i + 1, answer_number(&front, i, 1));
    }
    strbuf_append(settings, "front_count = %zu\n", front.rows);
    answer_free(&front);
}

/* Each precision has its own mark, explained by a key above the panel; a line joins the marks of a
 * variant. */
static void append_marks(struct plot_sheet *sheet, struct strbuf *settings) {
    struct answer precisions = ask_precisions(sheet);
    for (size_t p = 0; p < precisions.rows; p++) {
        char setting[32];
        (void)snprintf(setting, sizeof setting, "precision%zu", p + 1);
        plot_append_setting(settings, setting, answer_text(&precisions, p, 0));
    }
    strbuf_append(settings, "precision_count = %zu\n", precisions.rows);
    answer_free(&precisions);
}

static void append_errors(struct drawing *drawing) {
    struct analysis *analysis = &drawing->sheet->data->analysis;
    struct plot_figure *figure = &drawing->figure;
    char where[64];
    (void)snprintf(where, sizeof where, ", N = %.0f",
                   analysis_ask_number(analysis, "SELECT n FROM shown"));
    analysis_append_table(analysis, &figure->table,
                          "SELECT precision, variant, CAST(n AS INTEGER) AS n, time_s,"
                          " x AS shown_error, on_front, error FROM fronts");
    plot_append_set_titles(drawing->set, "Time against error", where, figure);
    plot_append_ranges(figure, 6);
    const char *rule = append_lines(drawing, true);
    plot_append_set_notes(
        drawing->set, "; on the front: no other is faster and at most 10 % less accurate",
        figure->xmin <= 1e-17 ? "an error of zero is drawn at 1e-17" : "", rule, &figure->settings);
    append_front(drawing->sheet, &figure->settings);
    append_marks(drawing->sheet, &figure->settings);
}

bool plot_accuracy(struct plot_sheet *sheet, const struct plot_set *set, const char *slug,
                   struct error *error) {
    return draw_set(sheet, set, slug, &(struct figure_kind){ "error", false, append_errors },
                    error);
}

/* ---- the same variants on several devices ---- */

/* Notes that hold for any of the sets hold for the figure. */
static struct plot_set join_sets(struct plot_sheet *sheet, size_t but_device, const char **what) {
    struct answer joined = analysis_ask(&sheet->data->analysis,
                                        "SELECT min(part), max(tuned), max(built), max(averaged),"
                                        " count(DISTINCT model || char(10) || backend) > 1,"
                                        " max(label <> '') FROM sets WHERE but_device = %d",
                                        (int)but_device);
    struct plot_set set = sheet->data->sets[(size_t)answer_number(&joined, 0, 0) - 1];
    set.tuned = answer_number(&joined, 0, 1) == 1;
    set.built = answer_number(&joined, 0, 2) == 1;
    set.averaged = answer_number(&joined, 0, 3) == 1;
    *what = !(answer_number(&joined, 0, 4) == 1) ? "in several runs"
            : answer_number(&joined, 0, 5) == 1  ? "on several devices, in several runs"
                                                 : "on several devices";
    answer_free(&joined);
    return set;
}

/* A line a device, which the table has by its number. */
static void append_devices(const struct drawing *drawing, struct strbuf *script) {
    static const size_t styles[PLOT_NAMED] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    struct answer devices = analysis_ask(
        &drawing->sheet->data->analysis,
        "SELECT device, label FROM rivals WHERE but_device = %d ORDER BY part", (int)drawing->key);
    append_named(&devices, devices.rows < PLOT_NAMED ? devices.rows : PLOT_NAMED, styles, script);
    answer_free(&devices);
}

/* A panel a variant: of more than eight those that figures of lines name. */
static void append_rivals(struct drawing *drawing) {
    struct plot_sheet *sheet = drawing->sheet;
    struct plot_figure *figure = &drawing->figure;
    struct strbuf *settings = &figure->settings;
    const char *what;
    const struct plot_set set = join_sets(sheet, drawing->key, &what);
    char title[256];
    char box[400];
    size_t named = 0;
    struct answer variants = ask_lines(sheet, false, &named);
    const char *rule = named < variants.rows
                           ? "Shown (up to eight): the fastest anywhere, the slowest, the "
                             "fastest on each structure that several variants use"
                           : "";
    analysis_append_table(&sheet->data->analysis, &figure->table,
                          "SELECT device, variant, CAST(n AS INTEGER) AS n, time_s, p05_s, p95_s"
                          " FROM shown JOIN rivals USING (part) ORDER BY part, point");
    plot_append_ranges(figure, 1);
    (void)snprintf(title, sizeof title, "The same variants %s: %s, %s", what,
                   plot_outputs_in_words(&set), drawing->precision);
    plot_box_in_words(&set, box, sizeof box);
    plot_append_titles(figure, title, box, set.interaction);
    plot_append_set_notes(&set, bars_words, "", rule, settings);
    append_panels(&variants, named, settings);
    append_devices(drawing, settings);
    plot_append_ticks(sheet, settings);
    plot_slug_part(figure->slug, PLOT_SLUG_SIZE, drawing->precision);
    plot_slug_box(figure->slug, &set);
    plot_slug_rest(sheet->data, figure->slug, &set);
    answer_free(&variants);
}

bool plot_devices(struct plot_sheet *sheet, struct error *error) {
    struct answer figures = analysis_ask(
        &sheet->data->analysis,
        "SELECT but_device, precision FROM points JOIN sets USING (part)"
        " GROUP BY but_device, precision HAVING count(DISTINCT part) > 1 ORDER BY"
        " (SELECT min(part) FROM sets AS s WHERE s.but_device = sets.but_device), min(part),"
        " precision_rank, precision");
    bool drawn = true;
    for (size_t i = 0; drawn && i < figures.rows; i++) {
        struct drawing drawing = { .sheet = sheet,
                                   .key = (size_t)answer_number(&figures, i, 0),
                                   .precision = answer_text(&figures, i, 1),
                                   .figure = { .kind = "devices" } };
        drawn = draw(&drawing, true, append_rivals, error);
    }
    answer_free(&figures);
    return drawn;
}

/* ---- the roofline ---- */

/* Named among the notes: what has no dot, variants whose operations are not known, since they rule
 * pairs out by other means than a distance. */
static void append_roofline_notes(struct drawing *drawing, const char *rule) {
    enum { NAMED = 2 };
    struct answer missing = analysis_ask(
        &drawing->sheet->data->analysis,
        "SELECT variant FROM points WHERE part = %d AND variant NOT IN (SELECT variant FROM shown)"
        " GROUP BY variant ORDER BY min(point)",
        (int)drawing->key);
    struct strbuf words = { 0 };
    strbuf_append(&words, "A line joins one variant's Ns; the largest is ringed");
    for (size_t i = 0; i < missing.rows && i < NAMED; i++) {
        strbuf_append(&words, "%s%s", i == 0 ? ". Operations not known: " : ", ",
                      answer_text(&missing, i, 0));
    }
    if (missing.rows > NAMED) {
        strbuf_append(&words, " and %zu more", missing.rows - NAMED);
    }
    plot_append_notes(
        "Operations: the documented count per distance and pair function. Bytes: each "
        "position read and each force written once",
        strbuf_text(&words), rule, &drawing->figure.settings);
    strbuf_free(&words);
    answer_free(&missing);
}

/* The rate at which the device copies its memory; NaN where it is not known, which the log says
 * once a device. */
static double find_copy_rate(struct plot_sheet *sheet, const struct plot_set *set) {
    struct answer device = analysis_ask(
        &sheet->data->analysis,
        "SELECT (SELECT rate FROM peaks_of_sets AS p WHERE p.part = sets.part AND kind = 'copy'),"
        " is_first_of_device, EXISTS (SELECT 1 FROM peaks WHERE peaks.model = sets.model AND"
        " peaks.backend = sets.backend AND (label = '' OR peaks.run = sets.run))"
        " FROM sets WHERE part = %d",
        (int)set->part);
    const double rate = answer_number(&device, 0, 0);
    if (isnan(rate) && answer_number(&device, 0, 1) == 1) {
        log_warning(sheet->log, "no roofline for %s (%s): %s", set->device, set->backend,
                    answer_number(&device, 0, 2) == 1
                        ? "environment.json has no rate of copying in device memory"
                        : "environment.json beside the rows has no peaks of it");
    }
    answer_free(&device);
    return rate;
}

/* The roofs above the dots. The ridge, where the two roofs meet, belongs into the figure. */
static void append_roofs(struct drawing *drawing) {
    struct analysis *analysis = &drawing->sheet->data->analysis;
    struct plot_figure *figure = &drawing->figure;
    struct answer roofs = analysis_ask(
        analysis,
        "SELECT peak.rate, copy.rate FROM shown JOIN arithmetic USING (precision)"
        " JOIN peaks_of_sets AS peak USING (part, kind) JOIN peaks_of_sets AS copy USING (part)"
        " WHERE part = %d AND copy.kind = 'copy' GROUP BY precision_rank, precision"
        " ORDER BY precision_rank, precision",
        (int)drawing->key);
    for (size_t i = 0; i < roofs.rows; i++) {
        const double peak = answer_number(&roofs, i, 0);
        const double ridge = peak / answer_number(&roofs, i, 1) / 4;
        strbuf_append(&figure->settings, "roof%zu = %.9g\ncopy_rate = %.9g\n", i + 1, peak,
                      answer_number(&roofs, i, 1));
        figure->xmin = fmin(figure->xmin, ridge);
        figure->xmax = fmax(figure->xmax, ridge);
        figure->ymax = fmax(figure->ymax, peak);
    }
    answer_free(&roofs);
}

static void append_roofline(struct drawing *drawing) {
    struct plot_figure *figure = &drawing->figure;
    analysis_append_table(&drawing->sheet->data->analysis, &figure->table,
                          "SELECT precision, variant, CAST(n AS INTEGER) AS n,"
                          " x AS operations_per_byte, low AS operations_per_s, is_largest"
                          " FROM shown");
    plot_append_set_titles(drawing->set, "Roofline", "", figure);
    append_roofs(drawing);
    plot_append_ranges(figure, 30);
    append_roofline_notes(drawing, append_lines(drawing, false));
    append_precisions(drawing);
}

bool plot_roofline(struct plot_sheet *sheet, const struct plot_set *set, const char *slug,
                   struct error *error) {
    return isnan(find_copy_rate(sheet, set)) ||
           draw_set(sheet, set, slug, &(struct figure_kind){ "roofline", false, append_roofline },
                    error);
}

/* ---- the crossover map: which variant is the fastest at each N, and by how much
 * (scripts/plot/crossover.gp) ---- */

/* One map. */
struct map {
    struct plot_sheet *sheet;
    int key;                    /* but_box of its sets */
    const struct plot_set *set; /* the most dilute */
    size_t boxes, cutoffs;
    bool with_build;
};

/* A cell a line. */
static void append_cells(const struct map *map, struct strbuf *table) {
    analysis_append_table(
        &map->sheet->data->analysis, table,
        "SELECT precision, variant, CAST(n AS INTEGER) AS n,"
        " dense_rank() OVER (ORDER BY n) AS \"column\", y AS \"row\","
        " CASE WHEN next_s IS NULL THEN 'only' WHEN is_close THEN '≈' ELSE fixed(next_s / seconds,"
        "   CASE WHEN next_s / seconds < 1.1 THEN 2 WHEN next_s / seconds < 9.95 THEN 1 ELSE 0 END)"
        "   || '×' END AS lead, seconds, box_kind AS kind,"
        " iif(box_density = '', 'open', box_density) AS density, box_cutoff AS cutoff"
        " FROM winners JOIN map_lines USING (part, precision) JOIN sets USING (part)"
        " WHERE winners.but_box = %d AND with_build = %d ORDER BY y, winners.n",
        map->key, map->with_build);
}

/* What stands at the lines, and above those of a precision. */
static void append_rows(const struct map *map, struct strbuf *settings) {
    struct answer lines =
        analysis_ask(&map->sheet->data->analysis,
                     "SELECT y, heading, precision, words FROM map_lines WHERE but_box = %d"
                     " ORDER BY y",
                     map->key);
    size_t headings = 0;
    size_t longest = 6;
    char name[32];
    for (size_t i = 0; i < lines.rows; i++) {
        const double y = answer_number(&lines, i, 0);
        const char *label = answer_text(&lines, i, 3);
        if (map->boxes > 1 && answer_number(&lines, i, 1) > (double)headings) {
            strbuf_append(settings, "heading_y%zu = %.9g\n", ++headings, y - 1.5 + 0.65);
            (void)snprintf(name, sizeof name, "heading%zu", headings);
            plot_append_setting(settings, name, answer_text(&lines, i, 2));
        }
        strbuf_append(settings, "row_y%zu = %.9g\n", i + 1, y);
        (void)snprintf(name, sizeof name, "row%zu", i + 1);
        plot_append_setting(settings, name, label);
        longest = strlen(label) > longest ? strlen(label) : longest;
    }
    strbuf_append(settings,
                  "row_count = %zu\nheading_count = %zu\nrows_high = %.9g\nlongest_row = %zu\n",
                  lines.rows, headings, (double)(lines.rows + headings), longest);
    answer_free(&lines);
}

static void append_columns(const struct map *map, struct strbuf *settings) {
    struct answer n =
        analysis_ask(&map->sheet->data->analysis,
                     "SELECT DISTINCT n FROM winners WHERE but_box = %d ORDER BY n", map->key);
    char words[32];
    strbuf_append(settings, "array column_label[%zu]\n", n.rows);
    for (size_t i = 0; i < n.rows; i++) {
        plot_count_in_words(answer_number(&n, i, 0), words, sizeof words);
        strbuf_append(settings, "column_label[%zu] = '%s'\n", i + 1, words);
    }
    answer_free(&n);
}

static void append_titles(const struct map *map, struct plot_figure *figure) {
    const struct plot_set *set = map->set;
    const bool one_cutoff = map->cutoffs == 1;
    char title[256];
    char box[400];
    (void)snprintf(title, sizeof title, "Fastest correct variant%s: %s",
                   map->with_build ? ", structure built at each evaluation" : "",
                   plot_outputs_in_words(set));
    if (map->boxes == 1) {
        plot_box_in_words(set, box, sizeof box);
    } else {
        (void)snprintf(box, sizeof box, "%s%s%s%s", one_cutoff ? "cutoff " : "several cutoffs",
                       one_cutoff ? set->cutoff : "", *set->groups ? ", " : "", set->groups);
    }
    plot_append_box_titles(set, title, box, figure);
}

static void append_notes(const struct map *map, struct strbuf *settings) {
    char floor[64] = "";
    char first[256];
    char second[256];
    if (map->set->noise > 0) {
        (void)snprintf(floor, sizeof floor, "within the noise floor (%.2g %%), or ",
                       100 * map->set->noise);
    }
    (void)snprintf(first, sizeof first,
                   "In a cell: the next time over the fastest. Hatched: %s5th to 95th percentiles "
                   "overlap.",
                   floor);
    (void)snprintf(second, sizeof second,
                   "only: nothing else ran or passed; empty: nothing did.%s%s",
                   map->with_build ? "" : " Building the structure is not included.",
                   map->set->tuned ? " Tunables: the fastest correct choice." : "");
    plot_append_notes(first, second, "", settings);
}

/* The variants that win, with the index that decides a variant's colour, and how wide their legend
 * is. */
static void append_legend(const struct map *map, struct strbuf *script) {
    struct answer variants =
        analysis_ask(&map->sheet->data->analysis,
                     "SELECT DISTINCT variant, style FROM winners JOIN styles USING (variant)"
                     " WHERE but_box = %d AND with_build = %d ORDER BY variant",
                     map->key, map->with_build);
    const size_t count = variants.rows;
    const size_t longest = plot_longest(&variants, 0, count);
    plot_append_names(script, "variants", &(struct plot_names){ &variants, 0, 0, count },
                      PLOT_TITLE_LETTERS);
    plot_append_names(script, "variant_label", &(struct plot_names){ &variants, 0, 0, count },
                      PLOT_LABEL_LETTERS);
    strbuf_append(script, "array variant_index[%zu]\n", count);
    for (size_t i = 0; i < count; i++) {
        strbuf_append(script, "variant_index[%zu] = %.0f\n", i + 1, answer_number(&variants, i, 1));
    }
    strbuf_append(script, "legend_width = %zu\n", 70 + 8 * (longest > 10 ? longest : 10));
    answer_free(&variants);
}

static bool draw_map(const struct map *map, struct error *error) {
    struct plot_figure figure = { .kind = map->with_build ? "crossover_built" : "crossover",
                                  .script = "crossover" };
    append_cells(map, &figure.table);
    append_rows(map, &figure.settings);
    append_columns(map, &figure.settings);
    append_titles(map, &figure);
    append_notes(map, &figure.settings);
    append_legend(map, &figure.settings);
    plot_slug_device(figure.slug, map->set);
    if (map->boxes == 1) {
        plot_slug_box(figure.slug, map->set);
    }
    plot_slug_rest(map->sheet->data, figure.slug, map->set);
    const bool drawn = plot_draw(map->sheet, &figure, error);
    plot_figure_free(&figure);
    return drawn;
}

bool plot_crossovers(struct plot_sheet *sheet, struct error *error) {
    struct analysis *analysis = &sheet->data->analysis;
    struct answer maps =
        analysis_ask(analysis, "SELECT but_box, boxes, cutoffs, built, first FROM maps");
    bool drawn = true;
    for (size_t i = 0; drawn && i < maps.rows; i++) {
        struct map map = { .sheet = sheet,
                           .key = (int)answer_number(&maps, i, 0),
                           .boxes = (size_t)answer_number(&maps, i, 1),
                           .cutoffs = (size_t)answer_number(&maps, i, 2),
                           .set = &sheet->data->sets[(size_t)answer_number(&maps, i, 4) - 1] };
        drawn = draw_map(&map, error);
        map.with_build = true;
        drawn = drawn && (!(answer_number(&maps, i, 3) == 1) || draw_map(&map, error));
    }
    answer_free(&maps);
    return drawn;
}
