/* What did not work comes first: it decides what the rest of the page is worth. */
#include "answers/report/html.h"
#include "answers/report/report_sections.h"
#include "core/strings.h"

#include <string.h>

enum { SHORT_MESSAGE = 160 };

/* The device or the variant says by itself that it cannot: no failure. */
static bool is_unsupported(const struct row *row) {
    return strcmp(row_text(row, COLUMN_STATUS), "unsupported") == 0;
}

static bool has_failed(const struct row *row) {
    return !report_passed(row) && !is_unsupported(row);
}

static size_t count_rows(const struct report_data *data, bool (*is_counted)(const struct row *)) {
    size_t count = 0;
    for (size_t r = 0; r < data->count; r++) {
        for (size_t i = 0; i < data->runs[r].rows->count; i++) {
            count += is_counted(&data->runs[r].rows->rows[i]);
        }
    }
    return count;
}

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

static void write_table(const struct report_data *data, const char *caption,
                        bool (*is_shown)(const struct row *), struct strbuf *html) {
    strbuf_append(html,
                  "<div class=scroll role=region aria-label=\"%s\" tabindex=0><table>"
                  "<caption>%s</caption><thead><tr><th scope=col>Status</th>"
                  "<th scope=col>Run</th><th scope=col>Variant</th><th scope=col>Case</th>"
                  "<th scope=col>Device</th><th scope=col>Message</th></tr></thead><tbody>\n",
                  caption, caption);
    for (size_t r = 0; r < data->count; r++) {
        const struct row_table *table = data->runs[r].rows;
        for (size_t i = 0; i < table->count; i++) {
            if (is_shown(&table->rows[i])) {
                write_row(&data->runs[r], &table->rows[i], html);
            }
        }
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

void report_failures(const struct report_data *data, struct strbuf *html) {
    size_t failed = count_rows(data, has_failed);
    size_t unsupported = count_rows(data, is_unsupported);
    size_t passed = count_rows(data, report_passed);
    strbuf_append(html, "<section id=failures class=%s>\n<h2>Failures</h2>\n",
                  failed > 0 ? "bad" : "good");
    if (failed > 0) {
        strbuf_append(html, "<p><strong>");
        html_count(html, failed, "row");
        strbuf_append(html,
                      " of %zu failed.</strong> A case that failed counts for nothing in what "
                      "follows.</p>\n",
                      data->rows);
        write_table(data, "Rows that failed", has_failed, html);
    } else {
        strbuf_append(html, "<p><strong>No row failed</strong>: ");
        html_count(html, passed, "row");
        strbuf_append(html, " passed the comparison with the reference.</p>\n");
    }
    if (unsupported > 0) {
        strbuf_append(html, "<details><summary>");
        html_count(html, unsupported, "row");
        strbuf_append(html, " that the device or the variant does not support</summary>\n");
        write_table(data, "Rows that are not supported", is_unsupported, html);
        strbuf_append(html, "</details>\n");
    }
    write_warnings(data, html);
    strbuf_append(html, "</section>\n");
}
