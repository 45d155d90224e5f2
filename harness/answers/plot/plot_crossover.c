/* Draws the crossover map: which variant is the fastest at each N, and by how much
 * (scripts/plot/crossover.gp). */
#include "answers/plot/plot_sheet.h"
#include "core/strings.h"

#include <string.h>

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
