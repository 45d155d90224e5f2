#include "answers/report/report.h"

#include "answers/report/report_sections.h"
#include "campaign/memory.h"
#include "campaign/rows/rows.h"
#include "core/embedded.h"
#include "core/output_file.h"
#include "core/strings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { NONCE_BYTES = 16, NONCE_SIZE = 2 * NONCE_BYTES + 1 };

/* ---- the head ---- */

/* Whoever wrote a text into the rows could not know it: no script of theirs runs, even if escaping
 * failed. */
static bool make_nonce(char nonce[NONCE_SIZE], struct error *error) {
    unsigned char bytes[NONCE_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
        return fail(error, STATUS_SYSTEM, "no random bytes: %s", strerror(errno));
    }
    for (int i = 0; i < NONCE_BYTES; i++) {
        (void)snprintf(nonce + 2 * i, 3, "%02x", bytes[i]);
    }
    return true;
}

/* The devices that occur, by commas. */
static void write_devices(struct report_data *data, struct strbuf *html) {
    struct answer models = analysis_ask(
        &data->plot_data.analysis, "SELECT coalesce(device_model, device, '') AS model FROM rows"
                                   " GROUP BY model ORDER BY min(rowid) LIMIT 16");
    for (size_t i = 0; i < models.rows; i++) {
        strbuf_append(html, i > 0 ? ", " : "");
        html_text(html, answer_text(&models, i, 0));
    }
    answer_free(&models);
}

static void write_head(struct report_data *data, const char *nonce, struct strbuf *html) {
    strbuf_append(html,
                  "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
                  "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; "
                  "script-src 'nonce-%s'; style-src 'unsafe-inline'; img-src data:; "
                  "base-uri 'none'; form-action 'none'\">\n"
                  "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=color-scheme content=\"light dark\">\n"
                  "<meta name=generator content=\"pairmark %s\">\n"
                  "<link rel=icon href=\"data:,\">\n<title>pairmark: ",
                  nonce, PAIRMARK_VERSION);
    write_devices(data, html);
    strbuf_append(html, "</title>\n<style>\n%s</style>\n</head>\n",
                  embedded_text("harness/answers/report/report.css"));
}

static void write_top(struct report_data *data, struct strbuf *html) {
    strbuf_append(html, "<body>\n<header>\n"
                        "<button id=theme type=button hidden>Colours: as the system</button>\n"
                        "<h1>pairmark report</h1>\n<p>");
    write_devices(data, html);
    strbuf_append(html, ": ");
    html_count(html, data->rows, "row");
    strbuf_append(html, " of ");
    html_count(html, data->count, "run");
    strbuf_append(html, "</p>\n");
    for (size_t i = 0; i < data->count; i++) {
        if (data->runs[i].doubts.data) {
            strbuf_append(html, "<p class=status role=alert>unverified: ");
            html_text(html, data->runs[i].doubts.data);
            strbuf_append(html, "</p>\n");
        }
    }
    strbuf_append(html, "<nav aria-label=Sections><a href=\"#failures\">Failures</a> "
                        "<a href=\"#runs\">Runs</a> <a href=\"#winners\">Winners</a> "
                        "<a href=\"#figures\">Figures</a> <a href=\"#rows\">Rows</a></nav>\n"
                        "</header>\n<main>\n");
}

static bool write_page(struct report_data *data, size_t *figures, FILE *log, struct strbuf *html,
                       struct error *error) {
    char nonce[NONCE_SIZE];
    if (!make_nonce(nonce, error)) {
        return false;
    }
    write_head(data, nonce, html);
    write_top(data, html);
    report_failures(data, html);
    report_runs(data, html);
    report_winners(data, html);
    *figures = report_figures(data, html, log);
    report_rows(data, html);
    strbuf_append(html,
                  "</main>\n<footer><p>Made by pairmark %s.</p></footer>\n"
                  "<script nonce=%s>\n%s</script>\n</body>\n</html>\n",
                  PAIRMARK_VERSION, nonce, embedded_text("harness/answers/report/report.js"));
    memory_check(!html->failed);
    return true;
}

/* ---- the file ---- */

static bool is_page(const char *head) {
    return begins_with(head, "<!DOCTYPE html>") &&
           strstr(head, "<meta name=generator content=\"pairmark ");
}

static const struct output_kind page_output = { "a page of pairmark's", is_page };

bool report_write(const char *const *paths, size_t count, const char *output, FILE *results,
                  FILE *log, struct error *error) {
    struct report_data data;
    struct strbuf html = { 0 };
    size_t figures = 0;
    for (size_t i = 0; i < count; i++) {
        if (!rows_spare(paths[i], output, error)) {
            return false;
        }
    }
    if (!output_check(output, &page_output, error)) {
        return fail_within(error, "-o");
    }
    if (!report_data_read(paths, count, log, &data, error)) {
        return false;
    }
    bool written = write_page(&data, &figures, log, &html, error) &&
                   output_write(output, &page_output, html.data, html.length, error);
    if (written && results) {
        (void)fprintf(results, "%s: %zu row%s of %zu run%s, %zu figure%s\n", output, data.rows,
                      data.rows == 1 ? "" : "s", data.count, data.count == 1 ? "" : "s", figures,
                      figures == 1 ? "" : "s");
    }
    strbuf_free(&html);
    report_data_free(&data);
    return written;
}

/* ---- --kernel-tuner: rows as Kernel Tuner and other auto-tuners read them ---- */

static const char t4_head[] = "{\"schema_version\": \"1.0.0\",\n \"results\": [";

static bool is_t4(const char *text) {
    return begins_with(text, t4_head);
}

static void print_t4(struct analysis *analysis, const char *output, struct strbuf *text) {
    struct answer results = analysis_ask(analysis, "SELECT result FROM t4");
    (void)output;
    strbuf_append(text, "%s", t4_head);
    for (size_t i = 0; i < results.rows; i++) {
        strbuf_append(text, "%s\n  %s", i > 0 ? "," : "", answer_text(&results, i, 0));
    }
    strbuf_append(text, "]");
    struct answer doubts = analysis_ask(analysis, "SELECT json_quote(unverified) FROM"
                                                  " (SELECT group_concat(unverified, '; ') AS"
                                                  " unverified FROM runs)"
                                                  " WHERE unverified IS NOT NULL");
    if (doubts.rows > 0) {
        strbuf_append(text, ",\n \"unverified\": %s", answer_text(&doubts, 0, 0));
    }
    answer_free(&doubts);
    strbuf_append(text, "}\n");
    answer_free(&results);
}

const struct report_of_all report_t4 = { { "such a file of pairmark's", is_t4 },
                                         "harness/answers/report/t4.sql",
                                         print_t4 };
