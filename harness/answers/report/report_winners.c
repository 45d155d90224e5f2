/*
 * For each run, the crossover map as a table (settings down, N across, the fastest correct
 * variant in each cell), and what stands behind each line of it.
 *
 * Runs are kept apart: two runs of one device may be of two commits, and their medians are not to
 * be mixed.
 */
#include "answers/report/report_sections.h"
#include "answers/summary/summary_points.h"
#include "core/quantity.h"
#include "core/strings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP_WORDS = 48, MAX_SETTING_COLUMNS = 32 };

/* What the map has a line for: a setting of the summary, of which half the edge and the numbers of
 * groups grow with N, though the user asked for one thing. */
struct setting {
    const struct row *row; /* one of its rows */
    struct summary_cells cells;
};

/* Of one run. */
struct winners {
    struct report_data *data;
    struct report_run *run;
    struct setting *settings;
    size_t setting_count;
    double *n; /* all that occur, ascending */
    size_t n_count;
    bool varies[MAX_SETTING_COLUMNS]; /* for each of summary_setting_columns: whether settings
                                         differ in it */
};

/* ---- gathering ---- */

/* What is the same in rows of one line, as SQL over `points` and `rows`; of rows that say the same,
 * what the first of them means. */
static void append_value(enum column column, struct strbuf *sql) {
    const char *name = column_names[column];
    if (column == COLUMN_CUTOFF) {
        strbuf_append(sql,
                      "first_value(iif(row_words(id, 3) = 'half', 'half', coalesce(%s, '')))"
                      " OVER (PARTITION BY %s ORDER BY points.rowid)",
                      name, name);
    } else if (column == COLUMN_GROUPS) {
        strbuf_append(sql,
                      "first_value(coalesce(nullif(row_words(id, 2), ''), %s, ''))"
                      " OVER (PARTITION BY %s ORDER BY points.rowid)",
                      name, name);
    } else {
        strbuf_append(sql, "coalesce(rows.%s, '')", name);
    }
}

/* The table `lines`: of each place in `points` the part, the line of the map that it belongs to, in
 * the order in which they first occur; and value_0, value_1, ..., what is the same in a line. */
static bool make_lines(struct analysis *analysis, struct error *error) {
    struct strbuf values = { 0 };
    struct strbuf names = { 0 };
    struct strbuf sql = { 0 };
    for (size_t c = 0; summary_setting_columns[c] != COLUMN_COUNT; c++) {
        append_value(summary_setting_columns[c], &values);
        strbuf_append(&values, " AS value_%zu, ", c);
        strbuf_append(&names, "%svalue_%zu", c > 0 ? ", " : "", c);
    }
    strbuf_append(&sql,
                  "CREATE TABLE lines AS WITH"
                  " of AS (SELECT %s points.rowid AS place FROM points"
                  "   JOIN rows ON rows.rowid = points.id),"
                  " firsts AS (SELECT *, min(place) OVER (PARTITION BY %s) AS first FROM of)"
                  " SELECT *, dense_rank() OVER (ORDER BY first) AS part FROM firsts",
                  values.data ? values.data : "", names.data ? names.data : "");
    bool made = !values.failed && !names.failed && !sql.failed
                    ? plot_words_add(analysis, error) && analysis_execute(analysis, sql.data, error)
                    : fail_out_of_memory(error, "the winners");
    strbuf_free(&values);
    strbuf_free(&names);
    strbuf_free(&sql);
    return made;
}

static bool find_what_varies(struct winners *winners, struct error *error) {
    struct analysis *analysis = &winners->run->points.analysis;
    for (size_t c = 0; summary_setting_columns[c] != COLUMN_COUNT; c++) {
        winners->varies[c] =
            analysis_ask_number(analysis, "SELECT count(DISTINCT value_%d) FROM lines", (int)c) > 1;
    }
    return analysis_passed(analysis, error);
}

static bool take_n(void *context, sqlite3_stmt *row, struct error *error) {
    struct winners *winners = context;
    (void)error;
    winners->n[winners->n_count++] = analysis_number(row, 0);
    return true;
}

/* All N that are known, of all lines. */
static bool list_n(struct winners *winners, struct error *error) {
    static const char sql[] =
        "SELECT DISTINCT n FROM points WHERE n BETWEEN -1e300 AND 1e300 ORDER BY n";
    return analysis_each(&winners->run->points.analysis, sql, 0, take_n, winners, error);
}

static bool list_settings(struct winners *winners, struct error *error) {
    struct summary_points *points = &winners->run->points;
    const double lines = analysis_ask_number(&points->analysis, "SELECT max(part) FROM lines");
    for (size_t s = 0; (double)s < lines; s++) {
        struct setting *setting = &winners->settings[s];
        if (!summary_cells_make(points, "lines", s + 1, SUMMARY_FORCE, &setting->cells, error)) {
            return false;
        }
        setting->row = setting->cells.first->row;
        winners->setting_count++;
    }
    return analysis_passed(&points->analysis, error);
}

static void free_winners(struct winners *winners) {
    for (size_t s = 0; s < winners->setting_count; s++) {
        summary_cells_free(&winners->settings[s].cells);
    }
    free(winners->settings);
    free(winners->n);
}

static bool gather(struct winners *winners, struct error *error) {
    const size_t points = winners->run->points.count;
    winners->settings = calloc(points + 1, sizeof *winners->settings);
    winners->n = calloc(points + 1, sizeof *winners->n);
    const bool gathered =
        ((winners->settings && winners->n) || fail_out_of_memory(error, "the winners")) &&
        make_lines(&winners->run->points.analysis, error) && find_what_varies(winners, error) &&
        list_n(winners, error) && list_settings(winners, error);
    if (!gathered) {
        free_winners(winners);
    }
    return gathered;
}

/* ---- the best of one N ---- */

/* The fastest that passed at this N is of rank 1. */
static const struct summary_point *ranked(const struct winners *winners, size_t setting, double n,
                                          size_t rank) {
    const struct summary_cells *cells = &winners->settings[setting].cells;
    const size_t place = summary_cells_find(cells, n);
    return place < cells->n_count ? summary_cells_ranked(cells, place, rank) : NULL;
}

static bool has_points(const struct winners *winners, size_t setting, double n) {
    const struct summary_cells *cells = &winners->settings[setting].cells;
    return summary_cells_find(cells, n) < cells->n_count;
}

/* The fastest of the plainest variant. */
static const struct summary_point *plainest(const struct winners *winners, size_t setting,
                                            const struct summary_point *best) {
    const struct summary_cells *cells = &winners->settings[setting].cells;
    const struct summary_cell *cell =
        summary_cell_of(cells, summary_plainest(best->row), summary_cells_find(cells, best->n));
    return cell ? cell->fastest : NULL;
}

static struct plot_time time_of(const struct summary_point *point) {
    return (struct plot_time){ point->force_s, point->p05_s, point->p95_s };
}

/* As the crossover map hatches its cells. */
static bool is_as_fast(const struct winners *winners, const struct summary_point *best,
                       const struct summary_point *other) {
    return other && plot_times_alike(winners->run->noise, time_of(best), time_of(other));
}

/* ---- words ---- */

/* Whether a value of the column would not be understood by itself. */
static bool needs_name(enum column column) {
    return column == COLUMN_OUTPUTS || column == COLUMN_WORKLOAD || column == COLUMN_HOST ||
           column == COLUMN_DENSITY;
}

/* What a value of a setting's column reads as. */
static void write_value(const struct row *row, enum column column, struct strbuf *html) {
    const char *value = row_text(row, column);
    char groups[GROUP_WORDS];
    if (needs_name(column)) {
        strbuf_append(html, "%s ", column_names[column]);
    }
    if (column == COLUMN_PERIODIC) {
        strbuf_append(html, strcmp(value, "0") == 0 ? "open box" : "periodic");
    } else if (column == COLUMN_CUTOFF && plot_is_half_edge(row)) {
        strbuf_append(html, "cutoff half the edge");
    } else if (column == COLUMN_CUTOFF) {
        strbuf_append(html, isinf(row_number(row, column)) ? "no cutoff" : "cutoff ");
        html_text(html, isinf(row_number(row, column)) ? "" : value);
    } else if (column == COLUMN_GROUPS) {
        plot_groups_in_words(row, groups, sizeof groups);
        html_text(html, *groups ? groups : value);
    } else if (column == COLUMN_DEVICE) {
        html_name(html,
                  *row_text(row, COLUMN_DEVICE_MODEL) ? row_text(row, COLUMN_DEVICE_MODEL) : value);
        strbuf_append(html, " (");
        html_text(html, value);
        strbuf_append(html, ")");
    } else {
        html_name(html, value);
    }
}

/* The columns that vary in the run, or those that do not, separated by commas. */
static void write_setting(const struct winners *winners, size_t setting, bool varying,
                          struct strbuf *html) {
    const struct row *row = winners->settings[setting].row;
    bool first = true;
    for (size_t c = 0; summary_setting_columns[c] != COLUMN_COUNT; c++) {
        enum column column = summary_setting_columns[c];
        if (winners->varies[c] == varying && *row_text(row, column)) {
            strbuf_append(html, first ? "" : ", ");
            write_value(row, column, html);
            first = false;
        }
    }
    strbuf_append(html, first && varying ? "all" : "");
}

/* What tables of the run are headed by. */
static void write_common(const struct winners *winners, struct strbuf *html) {
    strbuf_append(html, "Run %s: ", winners->run->label);
    write_setting(winners, 0, false, html);
}

/* ---- the map ---- */

static void write_map_cell(const struct winners *winners, size_t setting, double n,
                           struct strbuf *html) {
    const struct summary_point *best = ranked(winners, setting, n, 1);
    if (!best) {
        strbuf_append(html,
                      has_points(winners, setting, n)
                          ? "<td class=none>none passed</td>"
                          : "<td class=none><span aria-label=\"not run\">&middot;</span></td>");
        return;
    }
    const struct summary_point *second = ranked(winners, setting, best->n, 2);
    strbuf_append(html, "<td class=v%zu><b>",
                  report_colour(winners->data, row_text(best->row, COLUMN_VARIANT)));
    html_name(html, row_text(best->row, COLUMN_VARIANT));
    strbuf_append(html, "</b> ");
    html_seconds(html, best->force_s);
    strbuf_append(html, best->is_short ? "*" : "");
    if (is_as_fast(winners, best, second)) {
        strbuf_append(html, " <i>and ");
        html_name(html, row_text(second->row, COLUMN_VARIANT));
        strbuf_append(html, "</i>");
    }
    strbuf_append(html, "</td>");
}

static void write_map(const struct winners *winners, struct strbuf *html) {
    strbuf_append(html,
                  "<div class=scroll role=region aria-label=\"Crossover map of run %s\" tabindex=0>"
                  "<table class=map><caption>",
                  winners->run->label);
    write_common(winners, html);
    strbuf_append(html, "</caption><thead><tr><th scope=col>Setting \\ N</th>");
    for (size_t i = 0; i < winners->n_count; i++) {
        strbuf_append(html, "<th scope=col>%.0f</th>", winners->n[i]);
    }
    strbuf_append(html, "</tr></thead><tbody>\n");
    for (size_t s = 0; s < winners->setting_count; s++) {
        strbuf_append(html, "<tr><th scope=row>");
        write_setting(winners, s, true, html);
        strbuf_append(html, "</th>");
        for (size_t i = 0; i < winners->n_count; i++) {
            write_map_cell(winners, s, winners->n[i], html);
        }
        strbuf_append(html, "</tr>\n");
    }
    strbuf_append(html, "</tbody></table></div>\n");
}

/* ---- what stands behind it ---- */

/* How many times as long another point takes than the best. */
static void write_other(const struct winners *winners, const struct summary_point *other,
                        const struct summary_point *best, struct strbuf *html) {
    char gain[QUANTITY_SIZE];
    strbuf_append(html, "<td>");
    if (other) {
        quantity_ratio(other->force_s / best->force_s, gain, sizeof gain);
        strbuf_append(html, "%s&times; ", gain);
        html_name(html, row_text(other->row, COLUMN_VARIANT));
        strbuf_append(html, other != best && is_as_fast(winners, best, other)
                                ? ": the same, within the noise"
                                : "");
    }
    strbuf_append(html, "</td>");
}

static void write_knobs(const struct row *row, struct strbuf *html) {
    struct strbuf knobs = { 0 };
    row_append_knobs(row, &knobs);
    html->failed = html->failed || knobs.failed;
    html_name(html, knobs.data ? knobs.data : "");
    strbuf_free(&knobs);
}

static void write_winner(const struct winners *winners, size_t setting, double n,
                         struct strbuf *html) {
    const struct summary_point *best = ranked(winners, setting, n, 1);
    char pairs[QUANTITY_SIZE], peak[QUANTITY_SIZE];
    strbuf_append(html, "<tr><th scope=row>%.0f</th>", n);
    if (!best) {
        strbuf_append(html, "<td colspan=8 class=none>none passed</td></tr>\n");
        return;
    }
    const char *variant = row_text(best->row, COLUMN_VARIANT);
    quantity_large(best->pairs_per_s, pairs, sizeof pairs);
    quantity_percent(0.01 * best->percent_of_peak, peak, sizeof peak);
    strbuf_append(html, "<td class=v%zu><b>", report_colour(winners->data, variant));
    html_name(html, variant);
    strbuf_append(html, "</b></td><td>");
    html_seconds(html, best->force_s);
    strbuf_append(html, best->is_short ? "*</td><td>" : "</td><td>");
    html_seconds(html, best->build_s);
    strbuf_append(html, "</td><td>%s</td><td>%s</td>", pairs, peak);
    write_other(winners, ranked(winners, setting, best->n, 2), best, html);
    write_other(winners, plainest(winners, setting, best), best, html);
    strbuf_append(html, "<td>");
    write_knobs(best->row, html);
    strbuf_append(html, "</td></tr>\n");
}

static void write_setting_body(const struct winners *winners, size_t setting, struct strbuf *html) {
    strbuf_append(html, "<tbody><tr><th scope=rowgroup colspan=9>");
    write_setting(winners, setting, true, html);
    strbuf_append(html, "</th></tr>\n");
    for (size_t i = 0; i < winners->n_count; i++) {
        if (has_points(winners, setting, winners->n[i])) {
            write_winner(winners, setting, winners->n[i], html);
        }
    }
    strbuf_append(html, "</tbody>\n");
}

static void write_details(const struct winners *winners, struct strbuf *html) {
    const char *label = winners->run->label;
    strbuf_append(html,
                  "<details%s><summary>Run %s: tunables, building and runners-up</summary>\n"
                  "<div class=scroll role=region aria-label=\"Winners of run %s\" tabindex=0>"
                  "<table class=numbers><caption>",
                  winners->data->count == 1 ? " open" : "", label, label);
    write_common(winners, html);
    strbuf_append(html, "</caption><thead><tr><th scope=col>N</th><th scope=col>Fastest</th>"
                        "<th scope=col>Time</th>"
                        "<th scope=col>Building</th><th scope=col>Pairs/s</th>"
                        "<th scope=col>Of peak</th><th scope=col>The next takes</th>"
                        "<th scope=col>The plainest takes</th>"
                        "<th scope=col>Tunables</th></tr></thead>\n");
    for (size_t s = 0; s < winners->setting_count; s++) {
        write_setting_body(winners, s, html);
    }
    strbuf_append(html, "</table></div></details>\n");
}

static bool write_run(struct report_data *data, struct report_run *run, struct strbuf *html,
                      struct error *error) {
    struct winners winners = { .data = data, .run = run };
    if (!gather(&winners, error)) {
        return false;
    }
    if (winners.setting_count > 0) {
        write_map(&winners, html);
        write_details(&winners, html);
    }
    free_winners(&winners);
    return true;
}

bool report_winners(struct report_data *data, struct strbuf *html, struct error *error) {
    strbuf_append(html,
                  "<section id=winners>\n<h2>Winners by N</h2>\n"
                  "<p>The fastest correct variant of each setting at each N, at its fastest "
                  "tunables. Times are medians of one evaluation; building the structure is not in "
                  "them. Where the next variant is within the noise of the run, or the 5th to 95th "
                  "percentiles of the two overlap, it is named, too; * is shorter than 3 launch "
                  "overheads.</p>\n");
    for (size_t r = 0; r < data->count; r++) {
        if (!write_run(data, &data->runs[r], html, error)) {
            return false;
        }
    }
    strbuf_append(html, "</section>\n");
    return true;
}
