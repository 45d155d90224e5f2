#include "report/report_data.h"

#include "base/text.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- rows ---- */

bool report_passed(const struct row *row) {
    return strcmp(row_text(row, "status"), "ok") == 0;
}

bool report_is_twin(const struct row *row) {
    return row_number(row, "twin") == 1;
}

/* The run's rows but its twins, as a table that shares their fields. */
static bool leave_twins_out(struct report_run *run, struct error *error) {
    run->results.rows = malloc((run->rows.count + 1) * sizeof *run->results.rows);
    if (!run->results.rows) {
        return fail_out_of_memory(error, "the rows");
    }
    for (size_t i = 0; i < run->rows.count; i++) {
        if (!report_is_twin(&run->rows.rows[i])) {
            run->results.rows[run->results.count++] = run->rows.rows[i];
        }
    }
    return true;
}

/* ---- environment ---- */

/* What is wrong with it is a warning: the rows say most of it too. */
static bool read_environment(struct report_run *run, const char *rows_path, FILE *warnings,
                             struct error *error) {
    struct text path = { 0 };
    struct error reason = { 0 };
    char *data = NULL;
    enum json_tokener_error parse_error = json_tokener_success;
    const char *slash = strrchr(rows_path, '/');
    text_append(&path, "%.*senvironment.json", slash ? (int)(slash + 1 - rows_path) : 0, rows_path);
    if (path.failed) {
        text_free(&path);
        return fail_out_of_memory(error, "a path");
    }
    if (!text_read_file(path.data, &data, NULL, &reason)) {
        (void)fprintf(warnings, "%s; what ran where is told from the rows alone\n", reason.message);
    } else {
        run->environment = json_tokener_parse_verbose(data, &parse_error);
        if (!json_object_is_type(run->environment, json_type_object)) {
            json_object_put(run->environment);
            run->environment = NULL;
            (void)fprintf(warnings, "%s: left aside: %s\n", path.data,
                          parse_error == json_tokener_success
                              ? "a JSON object is expected"
                              : json_tokener_error_desc(parse_error));
        }
    }
    free(data);
    text_free(&path);
    return true;
}

const char *report_environment_text(const struct report_run *run, const char *const *keys) {
    struct json_object *value = run->environment;
    for (; *keys && value; keys++) {
        if (!json_object_is_type(value, json_type_object) ||
            !json_object_object_get_ex(value, *keys, &value)) {
            return "";
        }
    }
    return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : "";
}

/* ---- runs ---- */

static bool read_files(struct report_run *run, FILE *warnings, struct error *error) {
    char path[PATH_MAX];
    return rows_locate(run->path, path, sizeof path, error) &&
           rows_read(path, warnings, &run->rows, error) &&
           read_environment(run, path, warnings, error) && leave_twins_out(run, error) &&
           summary_points_make(&run->results, &run->points, error);
}

static bool read_run(struct report_run *run, size_t index, FILE *log, struct error *error) {
    size_t length = 0;
    FILE *warnings = open_memstream(&run->warnings, &length);
    if (!warnings) {
        return fail_out_of_memory(error, "the warnings");
    }
    if (index < 26) {
        run->label[0] = (char)('A' + index);
    } else {
        (void)snprintf(run->label, sizeof run->label, "%zu", index + 1);
    }
    bool read = read_files(run, warnings, error);
    bool kept = !ferror(warnings);
    if ((fclose(warnings) != 0 || !kept) && read) {
        read = fail_out_of_memory(error, "the warnings");
    }
    if (log && run->warnings) {
        (void)fputs(run->warnings, log);
    }
    return read;
}

static int compare_words(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The variants with a time, sorted, each once. */
static bool list_variants(struct report_data *data, struct error *error) {
    size_t count = 0;
    data->variants = calloc(data->rows + 1, sizeof *data->variants);
    if (!data->variants) {
        return fail_out_of_memory(error, "the variants");
    }
    for (size_t r = 0; r < data->count; r++) {
        const struct row_table *table = &data->runs[r].rows;
        for (size_t i = 0; i < table->count; i++) {
            if (report_passed(&table->rows[i]) &&
                row_number(&table->rows[i], "force_s_median") > 0) {
                data->variants[count++] = row_text(&table->rows[i], "variant");
            }
        }
    }
    qsort(data->variants, count, sizeof *data->variants, compare_words);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(data->variants[i], data->variants[data->variant_count - 1]) != 0) {
            data->variants[data->variant_count++] = data->variants[i];
        }
    }
    return true;
}

size_t report_colour(const struct report_data *data, const char *variant) {
    const char **found = bsearch(&variant, data->variants, data->variant_count,
                                 sizeof *data->variants, compare_words);
    return found ? (size_t)(found - data->variants) % REPORT_COLOURS : 0;
}

bool report_data_read(const char *const *paths, size_t count, FILE *log, struct report_data *data,
                      struct error *error) {
    *data = (struct report_data){ .runs = calloc(count + 1, sizeof *data->runs) };
    bool read = data->runs || fail_out_of_memory(error, "the runs");
    for (size_t i = 0; read && i < count; i++) {
        struct report_run *run = &data->runs[data->count++];
        run->path = paths[i];
        read = read_run(run, i, log, error);
        data->rows += run->rows.count;
    }
    if (read && data->rows == 0) {
        read = fail(error, STATUS_BAD_INPUT, "%s%s: nothing to report: no row is recorded",
                    count > 0 ? paths[0] : "no run", count > 1 ? " and the others" : "");
    }
    read = read && list_variants(data, error);
    if (!read) {
        report_data_free(data);
    }
    return read;
}

void report_data_free(struct report_data *data) {
    for (size_t i = 0; i < data->count; i++) {
        struct report_run *run = &data->runs[i];
        summary_points_free(&run->points);
        free(run->results.rows);
        rows_free(&run->rows);
        json_object_put(run->environment);
        free(run->warnings);
    }
    free(data->runs);
    free(data->variants);
    *data = (struct report_data){ 0 };
}
