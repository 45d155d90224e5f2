/* What ran where, by the rows, which are what was measured, and by environment.json. */
#include "answers/report/html.h"
#include "answers/report/report_sections.h"
#include "answers/summary/summary_notes.h"
#include "core/strings.h"

#include <math.h>
#include <string.h>

/* ---- what the rows of a run have in common ---- */

/* Same words in all columns; COLUMN_COUNT ends them. */
static bool is_same(const struct row *a, const struct row *b, const enum column *columns) {
    for (; *columns != COLUMN_COUNT; columns++) {
        if (strcmp(row_text(a, *columns), row_text(b, *columns)) != 0) {
            return false;
        }
    }
    return true;
}

/* The words of the columns, once for each combination that occurs; the first column stands out.
 * Rows of one device follow one another or are few, so looking back is cheap where it matters. */
static void write_distinct(const struct row_table *table, const enum column *columns,
                           struct strbuf *html) {
    enum { MOST = 32 };
    const struct row *told[MOST];
    size_t count = 0;
    for (size_t i = 0; i < table->count && count < MOST; i++) {
        const struct row *row = &table->rows[i];
        bool seen = false;
        for (size_t k = 0; k < count && !seen; k++) {
            seen = is_same(told[k], row, columns);
        }
        if (seen) {
            continue;
        }
        told[count++] = row;
        strbuf_append(html, "<div>");
        for (const enum column *column = columns; *column != COLUMN_COUNT; column++) {
            const char *words = row_text(row, *column);
            strbuf_append(html, column == columns || !*words ? "" : ", ");
            html_name(html, words);
        }
        strbuf_append(html, "</div>");
    }
}

/* The first and the last moment, as far as they are known. */
static void write_times(const struct row_table *table, struct strbuf *html) {
    const char *first = "";
    const char *last = "";
    for (size_t i = 0; i < table->count; i++) {
        const char *utc = row_text(&table->rows[i], COLUMN_UTC);
        first = *utc && (!*first || strcmp(utc, first) < 0) ? utc : first;
        last = strcmp(utc, last) > 0 ? utc : last;
    }
    html_text(html, first);
    if (strcmp(first, last) != 0) {
        strbuf_append(html, " to<br>");
        html_text(html, last);
    }
}

/* Ten digits of each commit, and whether the tree was changed; all of it where one points. */
static void write_commits(const struct row_table *table, struct strbuf *html) {
    const char *last = "";
    for (size_t i = 0; i < table->count; i++) {
        const char *commit = row_text(&table->rows[i], COLUMN_GIT_COMMIT);
        const char *changed = strchr(commit, '-');
        char digits[11];
        if (!*commit || strcmp(commit, last) == 0) {
            continue;
        }
        last = commit;
        (void)snprintf(digits, sizeof digits, "%.*s", (int)strcspn(commit, "-"), commit);
        strbuf_append(html, "<div><code title=\"");
        html_text(html, commit);
        strbuf_append(html, "\">");
        html_text(html, digits);
        html_text(html, changed ? changed : "");
        strbuf_append(html, "</code></div>");
    }
}

static size_t planned_cases(const struct report_run *run) {
    struct json_object *plan = NULL, *selected = NULL;
    return json_object_object_get_ex(run->environment, "plan", &plan) &&
                   json_object_is_type(plan, json_type_object) &&
                   json_object_object_get_ex(plan, "selected", &selected) &&
                   json_object_is_type(selected, json_type_int)
               ? (size_t)json_object_get_uint64(selected)
               : 0;
}

/* Rows by status; where the run was cut short, how many cases it was to have. */
static void write_rows(const struct report_run *run, struct strbuf *html) {
    size_t ok = 0;
    size_t repeats = 0;
    size_t first_repetitions = 0;
    for (size_t i = 0; i < run->rows->count; i++) {
        const struct row *row = &run->rows->rows[i];
        ok += report_passed(row);
        repeats += row_is_repeat(row);
        first_repetitions += !row_is_repeat(row) && !(row_number(row, COLUMN_REPETITION) > 0);
    }
    html_count(html, run->rows->count, "row");
    strbuf_append(html, "<br>%zu ok", ok);
    if (run->rows->count > ok) {
        strbuf_append(html, ", <strong>%zu not</strong>", run->rows->count - ok);
    }
    if (repeats > 0) {
        strbuf_append(html, "<br>");
        html_count(html, repeats, "second timing");
    }
    if (first_repetitions < planned_cases(run)) {
        strbuf_append(html, "<br><strong>cut short: ");
        html_count(html, planned_cases(run), "case");
        strbuf_append(html, " planned</strong>");
    }
}

/* ---- the table of runs ---- */

/* As it would be typed. */
static void write_command(const struct report_run *run, struct strbuf *html) {
    struct json_object *words = NULL;
    if (!json_object_object_get_ex(run->environment, "command_line", &words) ||
        !json_object_is_type(words, json_type_array)) {
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

static void write_run(const struct report_run *run, struct strbuf *html) {
    static const enum column device[] = { COLUMN_DEVICE_MODEL, COLUMN_DEVICE, COLUMN_COUNT };
    static const enum column driver[] = { COLUMN_DRIVER, COLUMN_TOOLKIT, COLUMN_COUNT };
    static const enum column host[] = { COLUMN_HOST, COLUMN_COUNT };
    static const char *const cpu[] = { "host", "cpu", NULL };
    static const char *const os[] = { "host", "os", NULL };
    strbuf_append(html, "<tr><th scope=row>%s</th><td>", run->label);
    html_name(html, run->path);
    strbuf_append(html, "</td><td>");
    write_distinct(run->rows, device, html);
    strbuf_append(html, "</td><td>");
    write_distinct(run->rows, driver, html);
    strbuf_append(html, "</td><td>");
    write_distinct(run->rows, host, html);
    html_text(html, report_environment_text(run, cpu));
    strbuf_append(html, "<div>");
    html_text(html, report_environment_text(run, os));
    strbuf_append(html, "</div></td><td class=short>");
    write_commits(run->rows, html);
    strbuf_append(html, "</td><td class=short>");
    write_times(run->rows, html);
    strbuf_append(html, "</td><td class=short>");
    write_rows(run, html);
    strbuf_append(html, "</td><td>");
    write_command(run, html);
    strbuf_append(html, "</td></tr>\n");
}

/* What the summary says of noise, short kernels, throttling and load, a line each. */
static bool write_notes(const struct report_data *data, struct strbuf *html, struct error *error) {
    for (size_t r = 0; r < data->count; r++) {
        struct strbuf notes = { 0 };
        bool told = summary_notes(data->runs[r].rows, &notes, error) &&
                    (!notes.failed || fail_out_of_memory(error, "the notes"));
        if (told && notes.length > 0) {
            strbuf_append(html, "<p class=note>Run %s, how far its times can be trusted:</p><pre>",
                          data->runs[r].label);
            html_text(html, notes.data);
            strbuf_append(html, "</pre>\n");
        }
        strbuf_free(&notes);
        if (!told) {
            return false;
        }
    }
    return true;
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

bool report_runs(const struct report_data *data, struct strbuf *html, struct error *error) {
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
    if (!write_notes(data, html, error)) {
        return false;
    }
    write_environments(data, html);
    strbuf_append(html, "</section>\n");
    return true;
}
