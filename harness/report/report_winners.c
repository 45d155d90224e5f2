/*
 * For each run, the crossover map as a table (settings down, N across, the fastest correct
 * variant in each cell), and what stands behind each line of it.
 *
 * Runs are kept apart: two runs of one device may be of two commits, and their medians are not to
 * be mixed.
 */
#include "base/quantity.h"
#include "report/html.h"
#include "report/report_sections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The points of one run that share a setting: [first, end). */
struct setting {
    const struct report_run *run;
    size_t first, end;
};

/* Of one run. */
struct winners {
    const struct report_data *data;
    const struct report_run *run;
    struct setting *settings;
    size_t setting_count;
    double *n; /* all that occur, ascending */
    size_t n_count;
    bool *varies; /* for each of summary_setting_columns: whether settings differ in it */
};

/* ---- gathering ---- */

static int compare_numbers(const void *a, const void *b) {
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}

static void gather_settings(struct winners *winners) {
    const struct summary_points *points = &winners->run->points;
    for (size_t first = 0, end; first < points->count; first = end) {
        for (end = first; end < points->count &&
                          summary_same_setting(&points->points[first], &points->points[end]);
             end++) {
            winners->n[winners->n_count++] = points->points[end].n;
        }
        winners->settings[winners->setting_count++] = (struct setting){ winners->run, first, end };
    }
}

static const struct row *row_of(const struct setting *setting) {
    return setting->run->points.points[setting->first].row;
}

static void find_what_varies(struct winners *winners) {
    for (size_t c = 0; summary_setting_columns[c]; c++) {
        const char *column = summary_setting_columns[c];
        for (size_t s = 1; s < winners->setting_count; s++) {
            winners->varies[c] =
                winners->varies[c] || strcmp(row_text(row_of(&winners->settings[0]), column),
                                             row_text(row_of(&winners->settings[s]), column)) != 0;
        }
    }
}

static void free_winners(struct winners *winners) {
    free(winners->settings);
    free(winners->n);
    free(winners->varies);
}

static bool gather(struct winners *winners, struct error *error) {
    size_t points = winners->run->points.count;
    size_t columns = 0;
    while (summary_setting_columns[columns]) {
        columns++;
    }
    winners->settings = calloc(points + 1, sizeof *winners->settings);
    winners->n = calloc(points + 1, sizeof *winners->n);
    winners->varies = calloc(columns + 1, sizeof *winners->varies);
    if (!winners->settings || !winners->n || !winners->varies) {
        free_winners(winners);
        return fail_out_of_memory(error, "the winners");
    }
    gather_settings(winners);
    find_what_varies(winners);
    size_t all = winners->n_count;
    qsort(winners->n, all, sizeof *winners->n, compare_numbers);
    winners->n_count = 0;
    for (size_t i = 0; i < all; i++) {
        if (isfinite(winners->n[i]) &&
            (winners->n_count == 0 || winners->n[i] != winners->n[winners->n_count - 1])) {
            winners->n[winners->n_count++] = winners->n[i];
        }
    }
    return true;
}

/* ---- the best of one N ---- */

/* The fastest that passed at this N, of `variant` alone or of all but `other` (either NULL). */
static const struct summary_point *fastest(const struct setting *setting, double n,
                                           const char *variant, const char *other) {
    const struct summary_point *best = NULL;
    for (size_t i = setting->first; i < setting->end; i++) {
        const struct summary_point *point = &setting->run->points.points[i];
        const char *name = row_text(point->row, "variant");
        if (point->n == n && point->passed && (!best || point->force_s < best->force_s) &&
            (!variant || strcmp(name, variant) == 0) && (!other || strcmp(name, other) != 0)) {
            best = point;
        }
    }
    return best;
}

static bool has_points(const struct setting *setting, double n) {
    for (size_t i = setting->first; i < setting->end; i++) {
        if (setting->run->points.points[i].n == n) {
            return true;
        }
    }
    return false;
}

/* ---- words ---- */

static bool is_column(const char *column, const char *name) {
    return strcmp(column, name) == 0;
}

/* What a value of a setting's column reads as; nothing where it goes without saying. */
static void write_value(const struct row *row, const char *column, struct text *html) {
    const char *value = row_text(row, column);
    if (is_column(column, "periodic")) {
        html_text(html, strcmp(value, "0") == 0 ? "open box" : "periodic");
    } else if (is_column(column, "density")) {
        text_append(html, *value ? "density " : "no density");
        html_text(html, value);
    } else if (is_column(column, "cutoff")) {
        text_append(html, isinf(row_number(row, column)) ? "no cutoff" : "cutoff ");
        html_text(html, isinf(row_number(row, column)) ? "" : value);
    } else if (is_column(column, "outputs") || is_column(column, "workload") ||
               is_column(column, "host")) {
        text_append(html, "%s ", column);
        html_text(html, value);
    } else if (is_column(column, "device")) {
        html_name(html, *row_text(row, "device_model") ? row_text(row, "device_model") : value);
        text_append(html, " (");
        html_text(html, value);
        text_append(html, ")");
    } else {
        html_name(html, value);
    }
}

/* The columns that vary in the run, or those that do not, separated by commas. */
static void write_setting(const struct winners *winners, const struct setting *setting,
                          bool varying, struct text *html) {
    bool first = true;
    for (size_t c = 0; summary_setting_columns[c]; c++) {
        const char *column = summary_setting_columns[c];
        if (winners->varies[c] == varying && *row_text(row_of(setting), column)) {
            text_append(html, first ? "" : ", ");
            write_value(row_of(setting), column, html);
            first = false;
        }
    }
    text_append(html, first && varying ? "all" : "");
}

/* What tables of the run are headed by. */
static void write_common(const struct winners *winners, struct text *html) {
    text_append(html, "%s: ", winners->run->label);
    write_setting(winners, &winners->settings[0], false, html);
}

/* ---- the map ---- */

static void write_map_cell(const struct winners *winners, const struct setting *setting, double n,
                           struct text *html) {
    const struct summary_point *best = fastest(setting, n, NULL, NULL);
    if (!best) {
        text_append(html, has_points(setting, n) ? "<td class=none>none passed</td>"
                                                 : "<td class=none><span "
                                                   "aria-label=\"not run\">&middot;</span></td>");
        return;
    }
    text_append(html, "<td class=v%zu><b>",
                report_colour(winners->data, row_text(best->row, "variant")));
    html_name(html, row_text(best->row, "variant"));
    text_append(html, "</b> ");
    html_seconds(html, best->force_s);
    text_append(html, "</td>");
}

static void write_map(const struct winners *winners, struct text *html) {
    text_append(html,
                "<div class=scroll role=region aria-label=\"Crossover map of run %s\" tabindex=0>"
                "<table class=map><caption>Run ",
                winners->run->label);
    write_common(winners, html);
    text_append(html, "</caption><thead><tr><th scope=col>Setting \\ N</th>");
    for (size_t i = 0; i < winners->n_count; i++) {
        text_append(html, "<th scope=col>%.0f</th>", winners->n[i]);
    }
    text_append(html, "</tr></thead><tbody>\n");
    for (size_t s = 0; s < winners->setting_count; s++) {
        text_append(html, "<tr><th scope=row>");
        write_setting(winners, &winners->settings[s], true, html);
        text_append(html, "</th>");
        for (size_t i = 0; i < winners->n_count; i++) {
            write_map_cell(winners, &winners->settings[s], winners->n[i], html);
        }
        text_append(html, "</tr>\n");
    }
    text_append(html, "</tbody></table></div>\n");
}

/* ---- one setting ---- */

static void write_ratio(const struct summary_point *other, const struct summary_point *best,
                        const char *name, struct text *html) {
    char gain[24];
    text_append(html, "<td>");
    if (other) {
        quantity_number(other->force_s / best->force_s, "&times;", gain, sizeof gain);
        text_append(html, "%s", gain);
        if (name) {
            text_append(html, " ");
            html_name(html, name);
        }
    }
    text_append(html, "</td>");
}

static void write_winner(const struct winners *winners, const struct setting *setting, double n,
                         struct text *html) {
    const struct summary_point *best = fastest(setting, n, NULL, NULL);
    char pairs[24], peak[24];
    text_append(html, "<tr><th scope=row>%.0f</th>", n);
    if (!best) {
        text_append(html, "<td colspan=8 class=none>none passed</td></tr>\n");
        return;
    }
    const char *variant = row_text(best->row, "variant");
    const struct summary_point *second = fastest(setting, n, NULL, variant);
    quantity_number(best->pairs_per_s, "", pairs, sizeof pairs);
    quantity_number(best->percent_of_peak, " %", peak, sizeof peak);
    text_append(html, "<td class=v%zu><b>", report_colour(winners->data, variant));
    html_name(html, variant);
    text_append(html, "</b></td><td>");
    html_name(html, row_text(best->row, "tunables"));
    text_append(html, "</td><td>");
    html_seconds(html, best->force_s);
    text_append(html, "</td><td>");
    html_seconds(html, best->build_s);
    text_append(html, "</td><td>%s</td><td>%s</td>", pairs, peak);
    write_ratio(second, best, second ? row_text(second->row, "variant") : NULL, html);
    write_ratio(fastest(setting, n, "all_pairs_loop", NULL), best, NULL, html);
    text_append(html, "</tr>\n");
}

static void write_setting_body(const struct winners *winners, const struct setting *setting,
                               struct text *html) {
    text_append(html, "<tbody><tr><th scope=rowgroup colspan=9>");
    write_setting(winners, setting, true, html);
    text_append(html, "</th></tr>\n");
    for (size_t i = 0; i < winners->n_count; i++) {
        if (has_points(setting, winners->n[i])) {
            write_winner(winners, setting, winners->n[i], html);
        }
    }
    text_append(html, "</tbody>\n");
}

static void write_details(const struct winners *winners, struct text *html) {
    const char *label = winners->run->label;
    text_append(html,
                "<details%s><summary>Run %s: tunables, building and runners-up</summary>\n"
                "<div class=scroll role=region aria-label=\"Winners of run %s\" tabindex=0>"
                "<table class=numbers><caption>Run ",
                winners->data->count == 1 ? " open" : "", label, label);
    write_common(winners, html);
    text_append(html, "</caption><thead><tr><th scope=col>N</th><th scope=col>Fastest</th>"
                      "<th scope=col>Tunables</th><th scope=col>Time</th>"
                      "<th scope=col>Building</th><th scope=col>Pairs/s</th>"
                      "<th scope=col>Of peak</th><th scope=col>Next variant takes</th>"
                      "<th scope=col>all_pairs_loop takes</th></tr></thead>\n");
    for (size_t s = 0; s < winners->setting_count; s++) {
        write_setting_body(winners, &winners->settings[s], html);
    }
    text_append(html, "</table></div></details>\n");
}

static bool write_run(const struct report_data *data, const struct report_run *run,
                      struct text *html, struct error *error) {
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

bool report_winners(const struct report_data *data, struct text *html, struct error *error) {
    text_append(html,
                "<section id=winners>\n<h2>Winners by N</h2>\n"
                "<p>The fastest correct variant of each setting at each N, at its fastest "
                "tunables. Times are medians of one evaluation; building the structure is not in "
                "them. Variants closer than the noise of the run are equally fast.</p>\n");
    for (size_t r = 0; r < data->count; r++) {
        if (!write_run(data, &data->runs[r], html, error)) {
            return false;
        }
    }
    text_append(html, "</section>\n");
    return true;
}
