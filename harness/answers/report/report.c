/* Writes the HTML page of a run: its summary, its environment and its figures. */
#include "answers/report/report.h"

#include "answers/summary/summary.h"
#include "campaign/rows/rows.h"
#include "campaign/rows/run_folder.h"
#include "core/embedded.h"
#include "core/error.h"
#include "core/files.h"
#include "core/output_file.h"
#include "core/strings.h"
#include "measure/program.h"

#include <errno.h>
#include <json.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_SIZE = 32 };

/* A run that was read. */
struct report_run {
    const char *path;       /* as it was given */
    char label[LABEL_SIZE]; /* "run A", ..., "run Z", "run 27", ...: what the page calls it */
    struct row_table rows;
    struct json_object *environment; /* NULL: not there, or not readable */
    char *warnings;                  /* of reading, a line each; NULL: not read yet */
    struct strbuf doubts;            /* checksums_doubt */
};

struct report {
    struct report_run *runs;
    size_t count;
    size_t rows, figures; /* of all runs */
};

/* ---- reading ---- */

/* What is wrong with environment.json is a warning: the rows say most of it too. */
static void read_environment(struct report_run *run, const char *rows_path, FILE *warnings) {
    char path[PATH_MAX];
    struct error reason = { 0 };
    rows_beside(rows_path, "environment.json", path);
    if (!input_read_json(path, &run->environment, &reason)) {
        log_warning(warnings, "%s; what ran where is taken from the rows alone", reason.message);
    }
}

static bool read_files(struct report_run *run, FILE *warnings, struct error *error) {
    char path[PATH_MAX];
    if (!rows_locate(run->path, path, sizeof path, error) ||
        !rows_read(path, warnings, &run->rows, error) ||
        !checksums_doubt(run->path, &run->doubts, error)) {
        return false;
    }
    read_environment(run, path, warnings);
    return true;
}

static bool read_run(struct report_run *run, size_t index, FILE *log, struct error *error) {
    size_t length = 0;
    FILE *warnings = open_memstream(&run->warnings, &length);
    memory_check(warnings != NULL);
    if (index < 26) {
        (void)snprintf(run->label, sizeof run->label, "run %c", (char)('A' + index));
    } else {
        (void)snprintf(run->label, sizeof run->label, "run %zu", index + 1);
    }
    const bool read = read_files(run, warnings, error);
    const bool kept = !ferror(warnings);
    memory_check(fclose(warnings) == 0 && kept);
    if (log) {
        (void)fputs(run->warnings, log);
    }
    return read;
}

static void report_free(struct report *report) {
    for (size_t r = 0; r < report->count; r++) {
        struct report_run *run = &report->runs[r];
        rows_free(&run->rows);
        json_object_put(run->environment);
        free(run->warnings);
        strbuf_free(&run->doubts);
    }
    free(report->runs);
}

static bool read_runs(const char *const *paths, size_t count, FILE *log, struct report *report,
                      struct error *error) {
    bool read = true;
    *report = (struct report){ .runs = memory_zeroed(count + 1, sizeof *report->runs) };
    for (size_t r = 0; read && r < count; r++) {
        report->count++;
        report->runs[r].path = paths[r];
        read = read_run(&report->runs[r], r, log, error);
        report->rows += report->runs[r].rows.count;
    }
    return read && (report->rows > 0 ||
                    fail(error, STATUS_BAD_INPUT, "%s%s: nothing to report: no row is recorded",
                         count > 0 ? paths[0] : "no run", count > 1 ? " and the others" : ""));
}

/* ---- a run ---- */

/* What environment.json says at a place, "/plan/selected"; NULL: nothing. */
static struct json_object *recorded_at(const struct report_run *run, const char *place) {
    struct json_object *value = NULL;
    return json_pointer_get(run->environment, place, &value) == 0 ? value : NULL;
}

/* The words of the command line, ended by NULL, to be freed; they are the environment's. */
static char **recorded_command(const struct report_run *run) {
    struct json_object *words = recorded_at(run, "/command_line");
    if (!json_object_is_type(words, json_type_array)) {
        return NULL;
    }
    const size_t count = json_object_array_length(words);
    char **command = memory_zeroed(count + 1, sizeof *command);
    for (size_t w = 0; w < count; w++) {
        command[w] = (char *)json_object_get_string(json_object_array_get_idx(words, w));
    }
    return command;
}

/* How many cases a run that was cut short was to have; 0: it was not. */
static size_t missed_plan(const struct report_run *run) {
    struct json_object *selected = recorded_at(run, "/plan/selected");
    const size_t planned =
        json_object_is_type(selected, json_type_int) ? (size_t)json_object_get_uint64(selected) : 0;
    size_t cases = 0;
    for (size_t r = 0; r < run->rows.count; r++) {
        const struct row *row = &run->rows.rows[r];
        cases += !row_is_twin(row) && !(row_number(row, COLUMN_REPETITION) > 0);
    }
    return cases < planned ? planned : 0;
}

static void write_block(const char *attributes, const char *text, struct strbuf *html) {
    strbuf_append(html, "<pre%s>", attributes);
    strbuf_append_markup(html, text);
    strbuf_append(html, "</pre>\n");
}

static void write_environment(const struct report_run *run, struct strbuf *html) {
    if (run->environment) {
        strbuf_append(html,
                      "<details><summary>All that is recorded of %s (environment.json)"
                      "</summary>\n",
                      run->label);
        write_block("",
                    json_object_to_json_string_ext(
                        run->environment, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE),
                    html);
        strbuf_append(html, "</details>\n");
    }
}

/* What the summary says of it: failures come before times. */
static void write_run(const struct report_run *run, struct strbuf *html) {
    struct strbuf summary = { 0 };
    char **command = recorded_command(run);
    const struct summary_settings settings = { .command_line = command };
    const size_t planned = missed_plan(run);
    summary_write(&run->rows, &settings, &summary);
    strbuf_append(html, "<section>\n<h2>%s: ", run->label);
    strbuf_append_markup(html, run->path);
    strbuf_append(html, "</h2>\n");
    if (run->doubts.data) {
        strbuf_append(html, "<p class=bad role=alert>doubtful: ");
        strbuf_append_markup(html, run->doubts.data);
        strbuf_append(html, "</p>\n");
    }
    if (planned > 0) {
        strbuf_append(html, "<p class=bad>cut short: %zu cases planned</p>\n", planned);
    }
    if (*run->warnings) {
        write_block(" class=bad", run->warnings, html);
    }
    write_block("", summary.data, html);
    write_environment(run, html);
    strbuf_append(html, "</section>\n");
    strbuf_free(&summary);
    free(command);
}

enum { FIGURE_PATH = PATH_MAX + NAME_MAX + 8 };

/* ---- figures ---- */

/* An image in the page itself. What an image holds runs no script and shares no ids with others. */
static void append_image(const char *svg, const char *title, struct strbuf *html) {
    strbuf_append(html, "<img src=\"data:image/svg+xml,");
    for (; *svg; svg++) {
        const unsigned char byte = (unsigned char)*svg;
        if (byte <= ' ' || byte >= 127 || strchr("\"#%&'<>", byte)) {
            strbuf_append(html, "%%%02X", byte);
        } else {
            strbuf_append_bytes(html, svg, 1);
        }
    }
    strbuf_append(html, "\" alt=\"");
    strbuf_append_markup(html, title);
    strbuf_append(html, "\">");
}

static bool append_figure(const char *folder, const struct plot_item *item, struct strbuf *html,
                          struct error *error) {
    char path[FIGURE_PATH];
    char *svg = NULL;
    (void)snprintf(path, sizeof path, "%s/%s.svg", folder, item->name);
    if (!fs_read(path, &svg, NULL, error)) {
        return false;
    }
    strbuf_append(html, "<figure>");
    append_image(svg, item->caption, html);
    strbuf_append(html, "<figcaption>");
    strbuf_append_markup(html, item->caption);
    strbuf_append(html, "</figcaption></figure>\n");
    free(svg);
    return true;
}

static void note(struct strbuf *html, FILE *log, const char *what, const struct error *error) {
    strbuf_append(html, "<p class=note>%s: ", what);
    strbuf_append_markup(html, error->message);
    strbuf_append(html, "</p>\n");
    log_warning(log, "%s: %s", what, error->message);
}

/* Appends the figures that were drawn; returns how many could be read. */
static size_t append_figures(const char *folder, const struct plot_list *list, struct strbuf *html,
                             FILE *log) {
    size_t figures = 0;
    strbuf_append(html, "<div class=figures>\n");
    for (size_t i = 0; i < list->count; i++) {
        struct error error = { 0 };
        if (append_figure(folder, &list->items[i], html, &error)) {
            figures++;
        } else {
            note(html, log, "A figure is missing", &error);
        }
    }
    strbuf_append(html, "</div>\n");
    return figures;
}

/* The section #figures of the page: what plot draws of the runs, in line. Where gnuplot is missing
 * or nothing can be drawn, the section and `log` (may be NULL) say why. The runs name no folder for
 * figures. Returns how many figures there are. */
static size_t report_figures(const struct plot_runs *runs, struct strbuf *html, FILE *log) {
    struct plot_list list = { 0 };
    struct error error;
    char folder[PATH_MAX];
    size_t figures = 0;
    strbuf_append(html, "<section id=figures>\n<h2>Figures</h2>\n");
    struct plot_runs drawing = *runs;
    drawing.output = folder;
    drawing.formats = PLOT_SVG;
    const bool made = fs_make_temporary("report", folder, sizeof folder, &error);
    const bool drawn = made && plot_paths(&drawing, NULL, &list, &error);
    /* Those that were drawn before one failed are shown. */
    if (made) {
        figures = append_figures(folder, &list, html, log);
        fs_remove_folder(folder);
    }
    plot_list_free(&list);
    if (!drawn) {
        note(html, log, figures > 0 ? "Further figures are missing" : "No figures", &error);
    }
    strbuf_append(html, "</section>\n");
    return figures;
}

/* ---- the page ---- */

static size_t write_figures(const struct report *report, struct strbuf *html, FILE *log) {
    const char **paths = memory_zeroed(report->count + 1, sizeof *paths);
    const char **labels = memory_zeroed(report->count + 1, sizeof *labels);
    for (size_t r = 0; r < report->count; r++) {
        paths[r] = report->runs[r].path;
        labels[r] = report->runs[r].label;
    }
    const struct plot_runs runs = { .paths = paths, .labels = labels, .count = report->count };
    const size_t figures = report_figures(&runs, html, log);
    free(labels);
    free(paths);
    return figures;
}

/* The page has no script, and its policy forbids any that a text might bring in. */
static const char head[] =
    "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
    "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; "
    "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
    "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=color-scheme content=\"light dark\">\n"
    "<meta name=generator content=\"pairmark " PAIRMARK_VERSION "\">\n"
    "<link rel=icon href=\"data:,\">\n<title>pairmark report</title>\n<style>\n";

static void write_page(struct report *report, FILE *log, struct strbuf *html) {
    strbuf_append(html, "%s%s</style>\n</head>\n<body>\n<h1>pairmark report</h1>\n", head,
                  embedded_text("harness/answers/report/report.css"));
    for (size_t r = 0; r < report->count; r++) {
        write_run(&report->runs[r], html);
    }
    report->figures = write_figures(report, html, log);
    strbuf_append(html, "</body>\n</html>\n");
}

/* ---- the file ---- */

static bool is_page(const char *text) {
    return begins_with(text, "<!DOCTYPE html>") &&
           strstr(text, "<meta name=generator content=\"pairmark ");
}

static const struct output_kind page_output = { "a page of pairmark's", is_page };

static bool check_output(const char *const *paths, size_t count, const char *output,
                         struct error *error) {
    for (size_t i = 0; i < count; i++) {
        if (!rows_spare(paths[i], output, error)) {
            return false;
        }
    }
    return output_check(output, &page_output, error) || fail_within(error, "-o");
}

bool report_write(const char *const *paths, size_t count, const char *output, FILE *results,
                  FILE *log, struct error *error) {
    struct report report;
    struct strbuf html = { 0 };
    if (!check_output(paths, count, output, error)) {
        return false;
    }
    bool written = read_runs(paths, count, log, &report, error);
    if (written) {
        write_page(&report, log, &html);
        written = output_write(output, &page_output, html.data, html.length, error);
    }
    if (written && results) {
        (void)fprintf(results, "%s: %zu row%s of %zu run%s, %zu figure%s\n", output, report.rows,
                      report.rows == 1 ? "" : "s", report.count, report.count == 1 ? "" : "s",
                      report.figures, report.figures == 1 ? "" : "s");
    }
    strbuf_free(&html);
    report_free(&report);
    return written;
}
