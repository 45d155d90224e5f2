/*
 * For each run, the crossover map as a table (settings down, N across, the fastest correct
 * variant in each cell), and what stands behind each line of it.
 *
 * Runs are kept apart: two runs of one device may be of two commits, and their medians are not to
 * be mixed.
 */
#include "base/quantity.h"
#include "base/strbuf.h"
#include "report/html.h"
#include "report/report_sections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP_WORDS = 48 };

/* Of one run. */
struct winners {
    const struct report_data *data;
    const struct report_run *run;
    const struct row **settings; /* a row of each setting */
    size_t setting_count;
    size_t *setting_of; /* of each of the run's points, its setting */
    double *n;          /* all that occur, ascending */
    size_t n_count;
    bool *varies; /* for each of summary_setting_columns: whether settings differ in it */
};

/* ---- gathering ---- */

/* Half the edge and the numbers of groups grow with N, though the user asked for one thing. */
static bool is_same_value(const struct row *a, const struct row *b, enum column column) {
    if (strcmp(row_text(a, column), row_text(b, column)) == 0) {
        return true;
    }
    if (column == COLUMN_CUTOFF) {
        return plot_is_half_edge(a) && plot_is_half_edge(b);
    }
    if (column == COLUMN_GROUPS) {
        char left[GROUP_WORDS], right[GROUP_WORDS];
        plot_groups_in_words(a, left, sizeof left);
        plot_groups_in_words(b, right, sizeof right);
        return *left && strcmp(left, right) == 0;
    }
    return false;
}

static bool is_same_setting(const struct row *a, const struct row *b) {
    for (size_t c = 0; summary_setting_columns[c] != COLUMN_COUNT; c++) {
        if (!is_same_value(a, b, summary_setting_columns[c])) {
            return false;
        }
    }
    return true;
}

/* Points of one setting mostly follow one another: the last is tried first. */
static size_t find_setting(struct winners *winners, const struct row *row) {
    for (size_t s = winners->setting_count; s > 0; s--) {
        if (is_same_setting(winners->settings[s - 1], row)) {
            return s - 1;
        }
    }
    winners->settings[winners->setting_count] = row;
    return winners->setting_count++;
}

static void find_what_varies(struct winners *winners) {
    for (size_t c = 0; summary_setting_columns[c] != COLUMN_COUNT; c++) {
        for (size_t s = 1; s < winners->setting_count; s++) {
            winners->varies[c] =
                winners->varies[c] || !is_same_value(winners->settings[0], winners->settings[s],
                                                     summary_setting_columns[c]);
        }
    }
}

static int compare_numbers(const void *a, const void *b) {
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}

static void fill(struct winners *winners) {
    const struct summary_points *points = &winners->run->points;
    size_t all = 0;
    for (size_t i = 0; i < points->count; i++) {
        winners->setting_of[i] = find_setting(winners, points->points[i].row);
        if (isfinite(points->points[i].n)) {
            winners->n[all++] = points->points[i].n;
        }
    }
    qsort(winners->n, all, sizeof *winners->n, compare_numbers);
    for (size_t i = 0; i < all; i++) {
        if (i == 0 || winners->n[i] != winners->n[winners->n_count - 1]) {
            winners->n[winners->n_count++] = winners->n[i];
        }
    }
    find_what_varies(winners);
}

static void free_winners(struct winners *winners) {
    free(winners->settings);
    free(winners->setting_of);
    free(winners->n);
    free(winners->varies);
}

static bool gather(struct winners *winners, struct error *error) {
    size_t points = winners->run->points.count;
    size_t columns = 0;
    while (summary_setting_columns[columns] != COLUMN_COUNT) {
        columns++;
    }
    winners->settings = calloc(points + 1, sizeof *winners->settings);
    winners->setting_of = calloc(points + 1, sizeof *winners->setting_of);
    winners->n = calloc(points + 1, sizeof *winners->n);
    winners->varies = calloc(columns + 1, sizeof *winners->varies);
    if (!winners->settings || !winners->setting_of || !winners->n || !winners->varies) {
        free_winners(winners);
        return fail_out_of_memory(error, "the winners");
    }
    fill(winners);
    return true;
}

/* ---- the best of one N ---- */

/* The fastest that passed at this N, of `variant` alone or of all but `other` (either NULL). */
static const struct summary_point *fastest(const struct winners *winners, size_t setting, double n,
                                           const char *variant, const char *other) {
    const struct summary_point *best = NULL;
    for (size_t i = 0; i < winners->run->points.count; i++) {
        const struct summary_point *point = &winners->run->points.points[i];
        if (winners->setting_of[i] != setting || point->n != n || !point->passed ||
            (best && best->force_s <= point->force_s)) {
            continue;
        }
        const char *name = row_text(point->row, COLUMN_VARIANT);
        if ((!variant || strcmp(name, variant) == 0) && (!other || strcmp(name, other) != 0)) {
            best = point;
        }
    }
    return best;
}

static bool has_points(const struct winners *winners, size_t setting, double n) {
    for (size_t i = 0; i < winners->run->points.count; i++) {
        if (winners->setting_of[i] == setting && winners->run->points.points[i].n == n) {
            return true;
        }
    }
    return false;
}

/* The fastest of the other variants. */
static const struct summary_point *runner_up(const struct winners *winners, size_t setting,
                                             const struct summary_point *best) {
    return fastest(winners, setting, best->n, NULL, row_text(best->row, COLUMN_VARIANT));
}

/* Whether the run's own noise is more than the difference. Where it is not known: no. */
static bool is_as_fast(const struct winners *winners, const struct summary_point *best,
                       const struct summary_point *other) {
    return other && other->force_s <= best->force_s * (1 + winners->run->floor.ratio_spread);
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
    const struct row *row = winners->settings[setting];
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
    const struct summary_point *best = fastest(winners, setting, n, NULL, NULL);
    if (!best) {
        strbuf_append(html,
                      has_points(winners, setting, n)
                          ? "<td class=none>none passed</td>"
                          : "<td class=none><span aria-label=\"not run\">&middot;</span></td>");
        return;
    }
    const struct summary_point *second = runner_up(winners, setting, best);
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
    char gain[24];
    strbuf_append(html, "<td>");
    if (other) {
        quantity_number(other->force_s / best->force_s, "&times;", gain, sizeof gain);
        strbuf_append(html, "%s ", gain);
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
    const struct summary_point *best = fastest(winners, setting, n, NULL, NULL);
    char pairs[24], peak[24];
    strbuf_append(html, "<tr><th scope=row>%.0f</th>", n);
    if (!best) {
        strbuf_append(html, "<td colspan=8 class=none>none passed</td></tr>\n");
        return;
    }
    const char *variant = row_text(best->row, COLUMN_VARIANT);
    quantity_number(best->pairs_per_s, "", pairs, sizeof pairs);
    quantity_number(best->percent_of_peak, " %", peak, sizeof peak);
    strbuf_append(html, "<td class=v%zu><b>", report_colour(winners->data, variant));
    html_name(html, variant);
    strbuf_append(html, "</b></td><td>");
    write_knobs(best->row, html);
    strbuf_append(html, "</td><td>");
    html_seconds(html, best->force_s);
    strbuf_append(html, best->is_short ? "*</td><td>" : "</td><td>");
    html_seconds(html, best->build_s);
    strbuf_append(html, "</td><td>%s</td><td>%s</td>", pairs, peak);
    write_other(winners, runner_up(winners, setting, best), best, html);
    write_other(winners, fastest(winners, setting, n, summary_plainest(best->row), NULL), best,
                html);
    strbuf_append(html, "</tr>\n");
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
                        "<th scope=col>Tunables</th><th scope=col>Time</th>"
                        "<th scope=col>Building</th><th scope=col>Pairs/s</th>"
                        "<th scope=col>Of peak</th><th scope=col>The next takes</th>"
                        "<th scope=col>The plainest takes</th></tr></thead>\n");
    for (size_t s = 0; s < winners->setting_count; s++) {
        write_setting_body(winners, s, html);
    }
    strbuf_append(html, "</table></div></details>\n");
}

static bool write_run(const struct report_data *data, const struct report_run *run,
                      struct strbuf *html, struct error *error) {
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

bool report_winners(const struct report_data *data, struct strbuf *html, struct error *error) {
    strbuf_append(
        html, "<section id=winners>\n<h2>Winners by N</h2>\n"
              "<p>The fastest correct variant of each setting at each N, at its fastest "
              "tunables. Times are medians of one evaluation; building the structure is not in "
              "them. Where the run's own noise does not tell the next variant from the fastest, "
              "it is named, too; * is shorter than 3 launch overheads.</p>\n");
    for (size_t r = 0; r < data->count; r++) {
        if (!write_run(data, &data->runs[r], html, error)) {
            return false;
        }
    }
    strbuf_append(html, "</section>\n");
    return true;
}
