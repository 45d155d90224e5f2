/* Draws all figures that the rows of some runs allow. */
#include "answers/plot/plot.h"

#include "answers/tables/analysis.h"
#include "campaign/rows/rows.h"
#include "campaign/rows/run_folder.h"
#include "core/error.h"
#include "core/files.h"
#include "measure/program.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What to draw, and where. */
struct request {
    const struct plot_runs *asked;
    const char *folder;
    FILE *log;
    struct plot_list *list;
};

void plot_list_free(struct plot_list *list) {
    free(list->items);
    *list = (struct plot_list){ 0 };
}

/* ---- figures ---- */

static void name_set(const struct plot_data *data, size_t index, char *slug) {
    const struct plot_set *set = &data->sets[index];
    slug[0] = '\0';
    plot_slug_device(slug, set);
    plot_slug_box(slug, set);
    if (*set->groups) {
        plot_slug_part(slug, PLOT_SLUG_SIZE, set->groups);
    }
    plot_slug_rest(data, slug, set);
}

/* Different sets can come to the same file name, since it leaves characters out: those get a
 * number. */
static void name_uniquely(const struct plot_data *data, size_t index, char *slug) {
    char other[PLOT_SLUG_SIZE];
    size_t same = 0;
    name_set(data, index, slug);
    for (size_t s = 0; s < index; s++) {
        name_set(data, s, other);
        same += strcmp(other, slug) == 0;
    }
    if (same > 0) {
        size_t length = strlen(slug);
        (void)snprintf(slug + length, PLOT_SLUG_SIZE - length, "_%zu", same + 1);
    }
}

/* Writes all tables before any figure, so that they are there where gnuplot is missing. */
static bool draw_all(struct plot_sheet *sheet, struct error *error) {
    const struct plot_data *data = sheet->data;
    char slug[PLOT_SLUG_SIZE];
    for (size_t s = 0; s < data->count; s++) {
        name_uniquely(data, s, slug);
        if (!plot_write_set(sheet, &data->sets[s], slug, error)) {
            return false;
        }
    }
    if (!plot_crossovers(sheet, error) || !plot_devices(sheet, error)) {
        return false;
    }
    for (size_t s = 0; s < data->count; s++) {
        name_uniquely(data, s, slug);
        if (!plot_curves(sheet, &data->sets[s], slug, error) ||
            !plot_accuracy(sheet, &data->sets[s], slug, error) ||
            !plot_roofline(sheet, &data->sets[s], slug, error)) {
            return false;
        }
    }
    return true;
}

static bool draw_data(const struct request *request, const char *doubts, struct plot_data *data,
                      struct error *error) {
    char scripts[PATH_MAX];
    struct plot_sheet sheet = { .data = data,
                                .folder = request->folder,
                                .scripts = scripts,
                                .formats = request->asked->formats,
                                .log = request->log,
                                .list = request->list,
                                .doubts = doubts };
    if (!gnuplot_scripts(scripts, sizeof scripts, error) ||
        !fs_make_directories(request->folder, error) || !draw_all(&sheet, error)) {
        return false;
    }
    log_warning(request->log, "%zu figure%s in %s", request->list->count,
                request->list->count == 1 ? "" : "s", request->folder);
    return true;
}

/* ---- runs ---- */

/* The rows that are chosen, and where they are. */
struct runs {
    struct row_table *tables;
    char (*labels)[RUN_NAME_SIZE]; /* where the request has none */
    char (*files)[PATH_MAX];
    const char **names; /* of the files */
    struct strbuf doubts;
};

static bool read_tables(const struct request *request, struct runs *runs, struct error *error) {
    size_t read = 0;
    size_t chosen = 0;
    name_runs(request->asked->paths, request->asked->count, runs->labels);
    for (size_t i = 0; i < request->asked->count; i++) {
        struct row_table *table = &runs->tables[i];
        runs->names[i] = runs->files[i];
        if (!rows_locate(request->asked->paths[i], runs->files[i], sizeof runs->files[i], error) ||
            !rows_read(runs->files[i], request->log, table, error) ||
            !checksums_doubt(request->asked->paths[i], &runs->doubts, error)) {
            return false;
        }
        table->label = request->asked->labels ? request->asked->labels[i] : runs->labels[i];
        read += table->count;
        if (request->asked->axes && !row_filter_apply(request->asked->axes, table, error)) {
            return false;
        }
        chosen += table->count;
    }
    return chosen > 0 || read == 0 ||
           fail(error, STATUS_BAD_INPUT, "no row is chosen of %zu", read);
}

static void report_skipped(const struct plot_data *data, FILE *log) {
    size_t without = data->rows - data->ok_rows - data->twins;
    if (without > 0) {
        log_warning(log, "%zu of %zu rows are not drawn: no status ok, or no time", without,
                    data->rows);
    }
    if (data->twins > 0) {
        log_warning(log, "%zu of %zu rows are second timings, which measure the noise: not drawn",
                    data->twins, data->rows);
    }
}

static bool plot_tables(const struct request *request, const struct runs *runs,
                        struct error *error) {
    struct plot_data data;
    plot_points_collect(runs->tables, runs->names, request->asked->count, request->log, &data);
    bool drawn = data.count > 0
                     ? draw_data(request, runs->doubts.data, &data, error)
                     : fail(error, STATUS_BAD_INPUT,
                            "%s: nothing to draw: none of %zu rows has status ok and a time",
                            request->asked->paths[0], data.rows);
    if (drawn) {
        report_skipped(&data, request->log);
    }
    plot_points_free(&data);
    return drawn;
}

static bool plot_request(const struct request *request, struct error *error) {
    struct runs runs = { .tables = memory_zeroed(request->asked->count, sizeof *runs.tables),
                         .labels = memory_zeroed(request->asked->count, sizeof *runs.labels),
                         .files = memory_zeroed(request->asked->count, sizeof *runs.files),
                         .names = memory_zeroed(request->asked->count, sizeof *runs.names) };
    const bool done = read_tables(request, &runs, error) && plot_tables(request, &runs, error);
    for (size_t i = 0; i < request->asked->count; i++) {
        rows_free(&runs.tables[i]);
    }
    free(runs.tables);
    free(runs.labels);
    free(runs.files);
    free(runs.names);
    strbuf_free(&runs.doubts);
    return done;
}

/* figures/ beside the path's rows. */
static bool default_output(const char *path, char output[PATH_MAX], struct error *error) {
    char rows[PATH_MAX];
    if (!rows_locate(path, rows, sizeof rows, error)) {
        return false;
    }
    rows_beside(rows, "figures", output);
    return true;
}

bool plot_paths(const struct plot_runs *runs, FILE *log, struct plot_list *list,
                struct error *error) {
    struct plot_list own = { 0 };
    char folder[PATH_MAX];
    if (runs->count == 0) {
        return fail(error, STATUS_BAD_INPUT, "nothing to plot: name a run's folder or a rows.csv");
    }
    if (!runs->output && !default_output(runs->paths[0], folder, error)) {
        return false;
    }
    const struct request request = { .asked = runs,
                                     .folder = runs->output ? runs->output : folder,
                                     .log = log,
                                     .list = list ? list : &own };
    const bool done = plot_request(&request, error);
    plot_list_free(&own);
    return done;
}

bool plot_directory(const char *directory, FILE *log, struct error *error) {
    const struct plot_runs run = { .paths = &directory,
                                   .count = 1,
                                   .formats = PLOT_SVG | PLOT_PNG };
    return plot_paths(&run, log, NULL, error);
}
