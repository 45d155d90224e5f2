/* What the sections of a report share: text from outside, escaped, and the runs that were read. */
#include "answers/report/report_sections.h"

#include "campaign/memory.h"
#include "campaign/rows/run_folder.h"
#include "core/error.h"
#include "core/files.h"
#include "core/quantity.h"
#include "core/strings.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- escaping ---- */

static const char *reference_of(unsigned char character) {
    switch (character) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return (character < ' ' && character != '\n' && character != '\t') || character == 127
                   ? "&#xFFFD;"
                   : NULL;
    }
}

/* A <wbr> follows each of the characters of `breaks`. */
static void append(struct strbuf *html, const char *words, const char *breaks) {
    for (; *words; words++) {
        const char *reference = reference_of((unsigned char)*words);
        if (reference) {
            strbuf_append_bytes(html, reference, strlen(reference));
        } else {
            strbuf_append_bytes(html, words, 1);
        }
        if (strchr(breaks, *words)) {
            strbuf_append_bytes(html, "<wbr>", 5);
        }
    }
}

void html_text(struct strbuf *html, const char *words) {
    append(html, words, "");
}

void html_name(struct strbuf *html, const char *name) {
    append(html, name, "_=,/:;");
}

void html_count(struct strbuf *html, size_t count, const char *noun) {
    strbuf_append(html, "%zu %s%s", count, noun, count == 1 ? "" : "s");
}

void html_seconds(struct strbuf *html, double seconds) {
    char words[24];
    quantity_seconds(seconds, words, sizeof words);
    char *unit = strchr(words, ' ');
    if (unit && strcmp(unit, " us") == 0) {
        *unit = '\0';
        strbuf_append(html, "%s \u00b5s", words);
    } else {
        strbuf_append(html, "%s", words);
    }
}

/* ---- environment ---- */

/* What is wrong with it is a warning: the rows say most of it too. */
static void read_environment(struct report_run *run, const char *rows_path, FILE *warnings) {
    char path[PATH_MAX];
    struct error reason = { 0 };
    rows_beside(rows_path, "environment.json", path);
    if (!input_read_json(path, &run->environment, &reason)) {
        log_warning(warnings, "%s; what ran where is taken from the rows alone", reason.message);
    }
}

/* ---- runs ---- */

static bool read_files(struct report_run *run, struct row_table *table, FILE *warnings,
                       struct error *error) {
    char path[PATH_MAX];
    if (!rows_locate(run->path, path, sizeof path, error) ||
        !rows_read(path, warnings, table, error) ||
        !checksums_doubt(run->path, &run->doubts, error)) {
        return false;
    }
    read_environment(run, path, warnings);
    run->noise = plot_run_noise(table);
    summary_points_make(table, &run->analysis);
    return true;
}

static bool read_run(struct report_data *data, size_t index, FILE *log, struct error *error) {
    struct report_run *run = &data->runs[index];
    size_t length = 0;
    FILE *warnings = open_memstream(&run->warnings, &length);
    memory_check(warnings != NULL);
    if (index < 26) {
        run->label[0] = (char)('A' + index);
    } else {
        (void)snprintf(run->label, sizeof run->label, "%zu", index + 1);
    }
    const bool read = read_files(run, &data->tables[index], warnings, error);
    const bool kept = !ferror(warnings);
    memory_check(fclose(warnings) == 0 && kept);
    if (log && run->warnings) {
        (void)fputs(run->warnings, log);
    }
    return read;
}

size_t report_colour(struct report_data *data, const char *variant) {
    return plot_variant_index(&data->plot_data, variant) % REPORT_COLOURS;
}

void report_data_free(struct report_data *data) {
    for (size_t i = 0; i < data->count; i++) {
        struct report_run *run = &data->runs[i];
        analysis_close(&run->analysis);
        rows_free(&data->tables[i]);
        json_object_put(run->environment);
        free(run->warnings);
        strbuf_free(&run->doubts);
    }
    plot_points_free(&data->plot_data);
    free(data->runs);
    free(data->tables);
    *data = (struct report_data){ 0 };
}

bool report_data_read(const char *const *paths, size_t count, FILE *log, struct report_data *data,
                      struct error *error) {
    *data = (struct report_data){ .runs = memory_zeroed(count + 1, sizeof *data->runs),
                                  .tables = memory_zeroed(count + 1, sizeof *data->tables) };
    bool read = true;
    for (size_t i = 0; read && i < count; i++) {
        data->count++;
        data->runs[i].path = paths[i];
        data->runs[i].rows = &data->tables[i];
        read = read_run(data, i, log, error);
        data->rows += data->tables[i].count;
    }
    if (read && data->rows == 0) {
        read = fail(error, STATUS_BAD_INPUT, "%s%s: nothing to report: no row is recorded",
                    count > 0 ? paths[0] : "no run", count > 1 ? " and the others" : "");
    }
    if (read) {
        plot_points_collect(data->tables, NULL, data->count, NULL, &data->plot_data);
    } else {
        report_data_free(data);
    }
    return read;
}
