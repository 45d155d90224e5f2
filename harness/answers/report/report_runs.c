/*
 * Two sections. What did not work comes first: it decides what the rest of the page is worth. Then
 * what ran where, by the rows, which are what was measured, and by environment.json.
 */
#include "answers/report/report_sections.h"

#include "answers/summary/summary.h"
#include "campaign/memory.h"
#include "core/strings.h"

#include <math.h>
#include <string.h>

/* ---- what did not work ---- */

enum { SHORT_MESSAGE = 160 };

/* The device or the variant says by itself that it cannot: no failure. */
#define UNSUPPORTED "status = 'unsupported'"
#define FAILED "status IS NOT 'ok' AND status IS NOT 'unsupported'"

/* A compiler's log goes on for pages: its first line, and the rest when asked for. */
static void write_message(const char *message, struct strbuf *html) {
    char first[SHORT_MESSAGE + 1];
    size_t length = strcspn(message, "\n");
    bool is_short = length <= SHORT_MESSAGE && message[length] == '\0';
    if (is_short) {
        html_text(html, *message ? message : "no message");
        return;
    }
    (void)snprintf(first, sizeof first, "%.*s", (int)length, message);
    strbuf_append(html, "<details><summary>");
    html_text(html, first);
    strbuf_append(html, "</summary><pre>");
    html_text(html, message);
    strbuf_append(html, "</pre></details>");
}

static void write_case(const struct row *row, struct strbuf *html) {
    static const enum column columns[] = { COLUMN_TUNABLES, COLUMN_PRECISION, COLUMN_INTERACTION,
                                           COLUMN_OUTPUTS, COLUMN_BOX_KIND };
    strbuf_append(html, "<th scope=row>");
    html_name(html, row_text(row, COLUMN_VARIANT));
    strbuf_append(html, "</th><td>");
    for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++) {
        html_name(html, row_text(row, columns[c]));
        strbuf_append(html, *row_text(row, columns[c]) ? ", " : "");
    }
    strbuf_append(html, "N = ");
    html_text(html, row_text(row, COLUMN_N));
    if (row_number(row, COLUMN_REPETITION) > 0) {
        strbuf_append(html, ", repetition ");
        html_text(html, row_text(row, COLUMN_REPETITION));
    }
    strbuf_append(html, "</td>");
}

static void write_row(const struct report_run *run, const struct row *row, struct strbuf *html) {
    strbuf_append(html, "<tr><td><span class=status>");
    html_text(html, *row_text(row, COLUMN_STATUS) ? row_text(row, COLUMN_STATUS) : "no status");
    strbuf_append(html, "</span></td><td>%s</td>", run->label);
    write_case(row, html);
    strbuf_append(html, "<td>");
    html_text(html, row_text(row, COLUMN_DEVICE));
    strbuf_append(html, " ");
    html_text(html, row_text(row, COLUMN_DEVICE_MODEL));
    strbuf_append(html, "</td><td class=message>");
    write_message(row_text(row, COLUMN_MESSAGE), html);
    strbuf_append(html, "</td></tr>\n");
}

/* The rows for which that holds. */
static struct answer ask_rows(struct report_data *data, const char *what) {
    return analysis_ask(&data->plot_data.analysis,
                        "SELECT rowid, run FROM rows WHERE %s ORDER BY rowid", what);
}

static void write_table(const struct report_data *data, const char *caption,
                        const struct answer *rows, struct strbuf *html) {
    strbuf_append(html,
                  "<div class=scroll role=region aria-label=\"%s\" tabindex=0><table>"
                  "<caption>%s</caption><thead><tr><th scope=col>Status</th>"
                  "<th scope=col>Run</th><th scope=col>Variant</th><th scope=col>Case</th>"
                  "<th scope=col>Device</th><th scope=col>Message</th></tr></thead><tbody>\n",
                  caption, caption);
    for (size_t i = 0; i < rows->rows; i++) {
        write_row(&data->runs[(size_t)answer_number(rows, i, 1) - 1],
                  data->plot_data.analysis.row_of[(size_t)answer_number(rows, i, 0) - 1], html);
    }
    strbuf_append(html, "</tbody></table></div>\n");
}

static void write_warnings(const struct report_data *data, struct strbuf *html) {
    bool any = false;
    for (size_t r = 0; r < data->count; r++) {
        const char *line = data->runs[r].warnings;
        for (size_t length; *line; line += length + (line[length] == '\n')) {
            char words[1024];
            length = strcspn(line, "\n");
            (void)snprintf(words, sizeof words, "%.*s", (int)length, line);
            strbuf_append(
                html, "%s<li>%s: ", any ? "" : "<h3>Warnings of reading</h3><ul class=warnings>\n",
                data->runs[r].label);
            html_text(html, words);
            strbuf_append(html, "</li>\n");
            any = true;
        }
    }
    strbuf_append(html, any ? "</ul>\n" : "");
}

void report_failures(struct report_data *data, struct strbuf *html) {
    struct answer failed = ask_rows(data, FAILED);
    struct answer unsupported = ask_rows(data, UNSUPPORTED);
    strbuf_append(html, "<section id=failures class=%s>\n<h2>Failures</h2>\n",
                  failed.rows > 0 ? "bad" : "good");
    if (failed.rows > 0) {
        strbuf_append(html, "<p><strong>");
        html_count(html, failed.rows, "row");
        strbuf_append(html,
                      " of %zu failed.</strong> A case that failed counts for nothing in what "
                      "follows.</p>\n",
                      data->rows);
        write_table(data, "Rows that failed", &failed, html);
    } else {
        strbuf_append(html, "<p><strong>No row failed</strong>: ");
        html_count(html, data->rows - unsupported.rows, "row");
        strbuf_append(html, " passed the comparison with the reference.</p>\n");
    }
    if (unsupported.rows > 0) {
        strbuf_append(html, "<details><summary>");
        html_count(html, unsupported.rows, "row");
        strbuf_append(html, " that the device or the variant does not support</summary>\n");
        write_table(data, "Rows that are not supported", &unsupported, html);
        strbuf_append(html, "</details>\n");
    }
    write_warnings(data, html);
    strbuf_append(html, "</section>\n");
    answer_free(&failed);
    answer_free(&unsupported);
}

/* ---- what the rows of a run have in common ---- */

/* The words of the columns, once for each combination that occurs; the first column stands out. */
static void write_distinct(struct analysis *analysis, const char *columns, struct strbuf *html) {
    enum { MOST = 32 };
    struct answer rows =
        analysis_ask(analysis, "SELECT %s FROM rows GROUP BY %s ORDER BY min(rowid) LIMIT %d",
                     columns, columns, MOST);
    for (size_t i = 0; i < rows.rows; i++) {
        strbuf_append(html, "<div>");
        for (size_t c = 0; c < rows.columns; c++) {
            const char *words = answer_text(&rows, i, c);
            strbuf_append(html, c == 0 || !*words ? "" : ", ");
            html_name(html, words);
        }
        strbuf_append(html, "</div>");
    }
    answer_free(&rows);
}

/* The first and the last moment, as far as they are known. */
static void write_times(struct analysis *analysis, struct strbuf *html) {
    struct answer times = analysis_ask(analysis, "SELECT first, last FROM dates");
    const char *first = answer_text(&times, 0, 0);
    const char *last = answer_text(&times, 0, 1);
    html_text(html, first);
    if (strcmp(first, last) != 0) {
        strbuf_append(html, " to<br>");
        html_text(html, last);
    }
    answer_free(&times);
}

/* Ten digits of each commit, and whether the tree was changed; all of it where one points. */
static void write_commits(struct analysis *analysis, struct strbuf *html) {
    struct answer commits = analysis_ask(
        analysis, "SELECT git_commit FROM (SELECT git_commit, lag(git_commit) OVER (ORDER BY"
                  " rowid) AS last FROM rows WHERE git_commit IS NOT NULL)"
                  " WHERE last IS NOT git_commit");
    for (size_t i = 0; i < commits.rows; i++) {
        const char *commit = answer_text(&commits, i, 0);
        const char *changed = strchr(commit, '-');
        char digits[11];
        (void)snprintf(digits, sizeof digits, "%.*s", (int)strcspn(commit, "-"), commit);
        strbuf_append(html, "<div><code title=\"");
        html_text(html, commit);
        strbuf_append(html, "\">");
        html_text(html, digits);
        html_text(html, changed ? changed : "");
        strbuf_append(html, "</code></div>");
    }
    answer_free(&commits);
}

/* What environment.json says at a place, "/plan/selected"; NULL: nothing. */
static struct json_object *recorded_at(const struct report_run *run, const char *place) {
    struct json_object *value = NULL;
    return json_pointer_get(run->environment, place, &value) == 0 ? value : NULL;
}

static size_t planned_cases(const struct report_run *run) {
    struct json_object *selected = recorded_at(run, "/plan/selected");
    const bool is_count = json_object_is_type(selected, json_type_int);
    return is_count ? (size_t)json_object_get_uint64(selected) : 0;
}

/* Rows by status; where the run was cut short, how many cases it was to have. */
static void write_rows(struct report_run *run, struct strbuf *html) {
    struct answer counts = analysis_ask(
        &run->analysis, "SELECT count(*) FILTER (WHERE status = 'ok'),"
                        " count(*) FILTER (WHERE twin IS 1), count(*) FILTER"
                        " (WHERE twin IS NOT 1 AND (repetition > 0) IS NOT 1) FROM rows");
    const size_t ok = (size_t)answer_number(&counts, 0, 0);
    const size_t repeats = (size_t)answer_number(&counts, 0, 1);
    html_count(html, run->rows->count, "row");
    strbuf_append(html, "<br>%zu ok", ok);
    if (run->rows->count > ok) {
        strbuf_append(html, ", <strong>%zu not</strong>", run->rows->count - ok);
    }
    if (repeats > 0) {
        strbuf_append(html, "<br>");
        html_count(html, repeats, "second timing");
    }
    if ((size_t)answer_number(&counts, 0, 2) < planned_cases(run)) {
        strbuf_append(html, "<br><strong>cut short: ");
        html_count(html, planned_cases(run), "case");
        strbuf_append(html, " planned</strong>");
    }
    answer_free(&counts);
}

/* ---- the table of runs ---- */

/* As it would be typed. */
static void write_command(const struct report_run *run, struct strbuf *html) {
    struct json_object *words = recorded_at(run, "/command_line");
    if (!json_object_is_type(words, json_type_array)) {
        return;
    }
    strbuf_append(html, "<code>");
    for (size_t i = 0; i < json_object_array_length(words); i++) {
        const char *word = json_object_get_string(json_object_array_get_idx(words, i));
        bool plain = word && *word && !strpbrk(word, " \t\n'\"*?[]$&;|<>()\\`");
        strbuf_append(html, "%s%s", i == 0 ? "" : " ", plain ? "" : "&#39;");
        html_name(html, word ? word : "");
        strbuf_append(html, plain ? "" : "&#39;");
    }
    strbuf_append(html, "</code>");
}

static const char *recorded_text(const struct report_run *run, const char *place) {
    struct json_object *value = recorded_at(run, place);
    return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : "";
}

static void write_run(struct report_run *run, struct strbuf *html) {
    strbuf_append(html, "<tr><th scope=row>%s</th><td>", run->label);
    html_name(html, run->path);
    strbuf_append(html, "</td><td>");
    write_distinct(&run->analysis, "device_model, device", html);
    strbuf_append(html, "</td><td>");
    write_distinct(&run->analysis, "driver, toolkit", html);
    strbuf_append(html, "</td><td>");
    write_distinct(&run->analysis, "host", html);
    html_text(html, recorded_text(run, "/host/cpu"));
    strbuf_append(html, "<div>");
    html_text(html, recorded_text(run, "/host/os"));
    strbuf_append(html, "</div></td><td class=short>");
    write_commits(&run->analysis, html);
    strbuf_append(html, "</td><td class=short>");
    write_times(&run->analysis, html);
    strbuf_append(html, "</td><td class=short>");
    write_rows(run, html);
    strbuf_append(html, "</td><td>");
    write_command(run, html);
    strbuf_append(html, "</td></tr>\n");
}

/* What the summary says of noise, short kernels, throttling and load, a line each. */
static void write_notes(struct report_data *data, struct strbuf *html) {
    for (size_t r = 0; r < data->count; r++) {
        struct strbuf notes = { 0 };
        summary_notes(&data->runs[r].analysis, data->runs[r].rows, &notes);
        memory_check(!notes.failed);
        if (notes.length > 0) {
            strbuf_append(html, "<p class=note>Run %s, how far its times can be trusted:</p><pre>",
                          data->runs[r].label);
            html_text(html, notes.data);
            strbuf_append(html, "</pre>\n");
        }
        strbuf_free(&notes);
    }
}

/* ---- environment.json as it is ---- */

static void write_json(struct json_object *value, struct strbuf *html);

static void write_members(struct json_object *object, struct strbuf *html) {
    strbuf_append(html, "<dl>");
    json_object_object_foreach(object, key, value) {
        strbuf_append(html, "<dt>");
        html_name(html, key);
        strbuf_append(html, "</dt><dd>");
        write_json(value, html);
        strbuf_append(html, "</dd>");
    }
    strbuf_append(html, "</dl>\n");
}

static void write_items(struct json_object *array, struct strbuf *html) {
    strbuf_append(html, "<ol>");
    for (size_t i = 0; i < json_object_array_length(array); i++) {
        strbuf_append(html, "<li>");
        write_json(json_object_array_get_idx(array, i), html);
        strbuf_append(html, "</li>");
    }
    strbuf_append(html, "</ol>\n");
}

/* The parser has bounded the depth. */
static void write_json(struct json_object *value, struct strbuf *html) {
    switch (json_object_get_type(value)) {
    case json_type_null:
        strbuf_append(html, "not known");
        break;
    case json_type_object:
        write_members(value, html);
        break;
    case json_type_array:
        write_items(value, html);
        break;
    case json_type_double:
        strbuf_append(html, "%.6g", json_object_get_double(value));
        break;
    default:
        html_name(html, json_object_get_string(value));
        break;
    }
}

static void write_environments(const struct report_data *data, struct strbuf *html) {
    for (size_t r = 0; r < data->count; r++) {
        const struct report_run *run = &data->runs[r];
        if (run->environment) {
            strbuf_append(html,
                          "<details class=environment><summary>All that is recorded of run %s",
                          run->label);
            strbuf_append(html, " (environment.json)</summary>\n");
            write_members(run->environment, html);
            strbuf_append(html, "</details>\n");
        }
    }
}

void report_runs(struct report_data *data, struct strbuf *html) {
    strbuf_append(
        html, "<section id=runs>\n<h2>What ran where</h2>\n"
              "<div class=scroll role=region aria-label=\"Runs\" tabindex=0><table>"
              "<caption>Runs: the letter is what the tables below call each</caption><thead><tr>"
              "<th scope=col>Run</th><th scope=col>Folder</th><th scope=col>Device</th>"
              "<th scope=col>Driver, toolkit</th><th scope=col>Host</th>"
              "<th scope=col>Commit</th><th scope=col>Date (UTC)</th>"
              "<th scope=col>Rows</th><th scope=col>Command</th></tr></thead><tbody>\n");
    for (size_t r = 0; r < data->count; r++) {
        write_run(&data->runs[r], html);
    }
    strbuf_append(html, "</tbody></table></div>\n");
    write_notes(data, html);
    write_environments(data, html);
    strbuf_append(html, "</section>\n");
}
