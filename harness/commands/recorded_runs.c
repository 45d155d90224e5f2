/* pairmark merge, report, history, rows, plot, query — what is made of recorded runs: one run of
 * many shares, a page, times over commits, whether runs can be believed, figures, answers in SQL.
 */
#include "answers/compare/compare.h"
#include "answers/plot/plot.h"
#include "answers/report/report.h"
#include "answers/summary/summary.h"
#include "answers/tables/analysis.h"
#include "campaign/axes/axes.h"
#include "campaign/rows/run_folder.h"
#include "commands/commands.h"
#include "core/files.h"
#include "core/output_file.h"
#include "core/strings.h"
#include "measure/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The options of all these commands but query. What is not a command's own option stays as it is.
 */
struct runs_request {
    struct command_paths paths;
    bool despite_checksums;
    const char *output; /* of merge, report and plot; NULL: not given */
    bool devices, t4;   /* of report */
    struct history_view history;
    struct axes axes; /* which rows plot draws */
    unsigned formats; /* of its figures */
};

static bool verify(const struct runs_request *request, struct error *error) {
    return runs_verify(request->paths.words, request->paths.count, request->despite_checksums,
                       stderr, error);
}

/* ---- merge ---- */

static bool check_merge(const struct runs_request *request, struct error *error) {
    for (size_t i = 0; i < request->paths.count; i++) {
        if (!request->paths.words[i][0]) {
            return fail(error, STATUS_BAD_INPUT, "an empty name; expected the folder of a share");
        }
    }
    if (request->paths.count == 0) {
        return fail(error, STATUS_BAD_INPUT, "expected the folders of shares");
    }
    return request->output ||
           fail(error, STATUS_BAD_INPUT, "expected -o DIR, the folder of the whole run");
}

static const struct command_option merge_options[] = {
    { "--output", "-o", "DIR", .help = "the new folder", .values = OPTION_FOLDER,
      OPTION_STORED(struct runs_request, output) },
    OPTION_DESPITE_CHECKSUMS(struct runs_request),
    { .name = NULL },
};

static void report_missing(const char *output, const struct merged_shares *shares) {
    (void)fprintf(stderr, "pairmark merge: %zu of %zu cases have a row\n", shares->rows,
                  shares->cases);
    for (size_t k = 0; k < shares->total; k++) {
        if (!shares->is_there[k]) {
            (void)fprintf(stderr, "pairmark merge: share %zu/%zu is missing\n", k + 1,
                          shares->total);
        }
    }
    if (shares->rows < shares->cases) {
        (void)fprintf(stderr, "pairmark merge: pairmark bench --resume %s measures the others\n",
                      output);
    }
}

static int run_merge(void *context, struct error *error) {
    const struct runs_request *request = context;
    struct merged_shares shares = { 0 };
    struct summary_settings summary = { .results = stdout };
    const bool merged = check_merge(request, error) && verify(request, error) &&
                        merge_runs(request->paths.words, request->paths.count, request->output,
                                   stderr, &shares, error) &&
                        summary_of_folder(request->output, &summary, NULL, error);
    if (merged) {
        report_missing(request->output, &shares);
    }
    free(shares.is_there);
    return !merged                      ? COMMAND_FAILED
           : shares.rows < shares.cases ? status_exit_code(STATUS_WRONG)
                                        : 0;
}

const struct command merge_command = { .name = "merge",
                                       .summary =
                                           "join the shares that several machines ran into one run",
                                       .run = run_merge,
                                       .options = merge_options,
                                       COMMAND_REQUEST(struct runs_request),
                                       COMMAND_PATHS(struct runs_request, paths),
                                       .operands = OPTION_FOLDER };

/* ---- report ---- */

static const struct command_option report_options[] = {
    { "--output", "-o", "FILE", .values = OPTION_FILE,
      .help = "the page (default: report.html; - is standard output); its folder must be there, "
              "and of files that are there only such a page is replaced",
      OPTION_STORED(struct runs_request, output) },
    { "--devices",
      .help = "all cards of all runs in these folders and below on one page: which kernel wins "
              "where, by how much, in Markdown (default: devices.md)",
      OPTION_STORED(struct runs_request, devices) },
    { "--kernel-tuner",
      .help = "rows as JSON in T4, the format of Kernel Tuner and other auto-tuners, instead of a "
              "page (default: t4.json)",
      OPTION_STORED(struct runs_request, t4) },
    OPTION_DESPITE_CHECKSUMS(struct runs_request),
    { .name = NULL },
};

static bool write_report(const struct runs_request *request, struct error *error) {
    const char *const *paths = request->paths.words;
    const size_t count = request->paths.count;
    const char *usual = request->t4 ? "t4.json" : request->devices ? "devices.md" : "report.html";
    const char *output = request->output ? request->output : usual;
    /* What is said of a page does not stand in it. */
    FILE *results = output_is_standard(output) ? stderr : stdout;
    if (count == 0) {
        return fail(error, STATUS_BAD_INPUT,
                    "nothing to report: name a run's folder or a rows.csv");
    }
    if (request->devices && request->t4) {
        return fail(error, STATUS_BAD_INPUT, "--devices and --kernel-tuner: one of them");
    }
    if (request->devices && ends_with(output, ".html")) {
        return fail(error, STATUS_BAD_INPUT, "-o %s: the page of --devices is Markdown: name a .md",
                    output);
    }
    if (!request->devices && !request->t4) {
        return verify(request, error) && report_write(paths, count, output, results, stderr, error);
    }
    return runs_verify_below(paths, count, request->despite_checksums, stderr, error) &&
           report_of_all_write(request->devices ? &report_devices : &report_t4, paths, count,
                               output, stderr, error);
}

static int run_report(void *request, struct error *error) {
    return write_report(request, error) ? 0 : COMMAND_FAILED;
}

const struct command report_command = { .name = "report",
                                        .summary =
                                            "recorded runs as one page: summaries and figures",
                                        .run = run_report,
                                        .options = report_options,
                                        COMMAND_REQUEST(struct runs_request),
                                        COMMAND_PATHS(struct runs_request, paths),
                                        .operands = OPTION_FILE };

/* ---- history ---- */

static const struct command_option history_options[] = {
    { "--steps", .help = "cases that have a step alone",
      OPTION_STORED(struct runs_request, history.only_steps) },
    { "--threshold", .placeholder = "T", .help = "what counts as a difference, as a share (0.03)",
      OPTION_POSITIVE(struct runs_request, history.threshold) },
    { "--csv", .help = "CSV, numbers in full, instead of tables",
      OPTION_STORED(struct runs_request, history.csv) },
    OPTION_DESPITE_CHECKSUMS(struct runs_request),
    { .name = NULL },
};

static bool write_history(const struct runs_request *request, const struct run_folders *folders,
                          struct error *error) {
    struct run *runs = memory_zeroed(folders->count + 1, sizeof *runs);
    struct strbuf text = { 0 };
    size_t opened = 0;
    bool done = true;
    for (; done && opened < folders->count; opened += done) {
        done = run_read(folders->paths[opened], NULL, &runs[opened], error);
        runs[opened].side_name = folders->paths[opened];
    }
    done = done && history_write(runs, opened, &request->history, &text, error);
    if (done) {
        (void)fputs(text.data, stdout);
    }
    strbuf_free(&text);
    for (size_t r = 0; r < opened; r++) {
        run_free(&runs[r]);
    }
    free(runs);
    return done;
}

static void begin_history(void *request) {
    ((struct runs_request *)request)->history =
        (struct history_view){ .threshold = compare_threshold, .log = stderr };
}

static int run_history(void *context, struct error *error) {
    const struct runs_request *request = context;
    struct run_folders folders = { 0 };
    bool done =
        request->paths.count > 0 || fail(error, STATUS_BAD_INPUT, "expected folders of runs");
    for (size_t i = 0; done && i < request->paths.count; i++) {
        done = run_folders_find(&folders, request->paths.words[i], error);
    }
    done = done &&
           runs_verify((const char *const *)folders.paths, folders.count,
                       request->despite_checksums, stderr, error) &&
           write_history(request, &folders, error);
    run_folders_free(&folders);
    return done ? 0 : COMMAND_FAILED;
}

const struct command history_command = { .name = "history",
                                         .summary = "how times changed over commits",
                                         .run = run_history,
                                         .options = history_options,
                                         COMMAND_REQUEST(struct runs_request),
                                         .begin = begin_history,
                                         COMMAND_PATHS(struct runs_request, paths),
                                         .operands = OPTION_FOLDER };

/* ---- rows check ---- */

static const struct command_option rows_options[] = { { .name = NULL } };

static int run_rows(void *context, struct error *error) {
    const struct runs_request *request = context; /* its paths: "check", then folders */
    struct rows_check check = { .results = stdout };
    if (request->paths.count < 2 || strcmp(request->paths.words[0], "check") != 0) {
        (void)fail(error, STATUS_BAD_INPUT, "expected `check`, then folders of runs");
        return COMMAND_FAILED;
    }
    for (size_t i = 1; i < request->paths.count; i++) {
        if (!rows_check(&check, request->paths.words[i], error)) {
            return COMMAND_FAILED;
        }
    }
    (void)printf("%zu run%s: %zu failed; %zu errors, %zu warnings\n", check.runs,
                 check.runs == 1 ? "" : "s", check.failed, check.errors, check.warnings);
    return check.failed > 0 ? status_exit_code(STATUS_WRONG) : 0;
}

const struct command rows_command = { .name = "rows",
                                      .summary = "whether recorded rows are whole and unedited",
                                      .run = run_rows,
                                      .options = rows_options,
                                      COMMAND_REQUEST(struct runs_request),
                                      COMMAND_PATHS(struct runs_request, paths),
                                      .operands = OPTION_FOLDER };

/* ---- plot ---- */

static void append_axes(struct strbuf *text) {
    struct strbuf axes = { 0 };
    axes_append_row_options(&axes);
    help_append_lines(text, strbuf_text(&axes), 0, 0, HELP_WIDTH);
    strbuf_free(&axes);
}

static bool parse_formats(const char *list, unsigned *formats, struct error *error) {
    char **names = memory_split(list, ',');
    bool parsed = true;
    *formats = 0;
    for (size_t i = 0; parsed && names[i]; i++) {
        if (strcmp(names[i], "svg") == 0) {
            *formats |= PLOT_SVG;
        } else if (strcmp(names[i], "png") == 0) {
            *formats |= PLOT_PNG;
        } else {
            parsed = fail(error, STATUS_BAD_INPUT, "--format: no format \"%s\"; there are svg, png",
                          names[i]);
        }
    }
    free(names);
    return parsed;
}

static bool take_formats(void *context, const char *option, const char *value,
                         struct error *error) {
    (void)option; /* --format */
    return parse_formats(value, &((struct runs_request *)context)->formats, error);
}

static const struct command_option plot_options[] = {
    { "--output", "-o", "DIR", .values = OPTION_FOLDER,
      .help = "where tables (.dat), scripts (.plt) and figures go (default: figures/ beside the "
              "first rows)",
      OPTION_STORED(struct runs_request, output) },
    { "--format", .placeholder = "LIST", .values = "svg png",
      .help = "svg, png or both (default: svg,png)" },
    OPTION_DESPITE_CHECKSUMS(struct runs_request),
    { .name = NULL },
};

static void begin_plot(void *request) {
    ((struct runs_request *)request)->formats = PLOT_SVG | PLOT_PNG;
}

static int run_plot(void *context, struct error *error) {
    const struct runs_request *request = context;
    struct plot_list drawn = { 0 };
    const struct plot_runs runs = { .paths = request->paths.words,
                                    .count = request->paths.count,
                                    .axes = &request->axes,
                                    .output = request->output,
                                    .formats = request->formats };
    const bool done = verify(request, error) && plot_paths(&runs, stderr, &drawn, error);
    for (size_t i = 0; done && i < drawn.count; i++) {
        (void)printf("  %s\n", drawn.items[i].name);
    }
    plot_list_free(&drawn);
    return done ? 0 : COMMAND_FAILED;
}

const struct command plot_command = { .name = "plot",
                                      .summary = "figures from recorded rows, with gnuplot",
                                      .run = run_plot,
                                      .append_help = append_axes,
                                      .options = plot_options,
                                      .take_option = take_formats,
                                      COMMAND_REQUEST(struct runs_request),
                                      .begin = begin_plot,
                                      COMMAND_AXES(struct runs_request, axes),
                                      COMMAND_PATHS(struct runs_request, paths),
                                      .operands = OPTION_FILE,
                                      .takes_axes = true };

/* ---- query ---- */

struct query_request {
    struct command_paths words; /* the statement or its file, then the paths */
    char *file;                 /* its text; NULL: there is none */
    uint64_t rows;              /* 0: as many as the format shows */
    struct query query;
    bool despite_checksums;
};

static bool take_query_format(void *context, const char *option, const char *value,
                              struct error *error) {
    enum query_format *format = &((struct query_request *)context)->query.format;
    const enum query_format asked = strcmp(option, "--csv") == 0 ? QUERY_CSV : QUERY_JSON;
    (void)value;
    if (*format != QUERY_TABLE && *format != asked) {
        return fail(error, STATUS_BAD_INPUT, "--csv and --json: one of them");
    }
    *format = asked;
    return true;
}

static const struct command_option query_options[] = {
    { "--csv", .help = "CSV, numbers in full, instead of an aligned table" },
    { "--json", .help = "an array of objects" },
    { "--rows", .placeholder = "N",
      .help = "the most rows: of a table the others are left out (1k), of CSV and JSON more are an "
              "error (1M)",
      OPTION_COUNT(struct query_request, rows, 1, OPTION_ANY) },
    { "--timeout", .placeholder = "S", .help = "the most seconds that the query takes (60)",
      OPTION_POSITIVE(struct query_request, query.max_seconds) },
    OPTION_DESPITE_CHECKSUMS(struct query_request),
    { .name = NULL },
};

static bool check_query(struct query_request *request, struct error *error) {
    const size_t most = request->query.format == QUERY_TABLE ? 1000 : 1000000;
    if (request->words.count < 2) {
        return fail(error, STATUS_BAD_INPUT,
                    "expected a query, then the folders or rows.csv files of runs, as "
                    "\"SELECT variant, n, force_s_median FROM rows\" DIR");
    }
    const char *statement = request->words.words[0];
    if (ends_with(statement, ".sql") &&
        !input_read_text(statement, INPUT_KERNEL_BYTES, &request->file, error)) {
        return false;
    }
    request->query.sql = request->file ? request->file : statement;
    request->query.max_rows = request->rows > 0 ? (size_t)request->rows : most;
    return true;
}

static bool add_runs(struct analysis *analysis, const char *const *paths, size_t count,
                     struct error *error) {
    char(*names)[RUN_NAME_SIZE] = memory_zeroed(count, sizeof *names);
    bool added = true;
    name_runs(paths, count, names);
    for (size_t i = 0; added && i < count; i++) {
        added = analysis_add_run(analysis, paths[i], names[i], stderr, error);
    }
    free(names);
    return added;
}

static void begin_query(void *request) {
    ((struct query_request *)request)->query.max_seconds = 60;
}

static void end_query(void *request) {
    free(((struct query_request *)request)->file);
}

static int run_query(void *context, struct error *error) {
    struct query_request *request = context;
    struct analysis analysis;
    struct strbuf text = { 0 };
    bool cut = false;
    if (!check_query(request, error)) {
        return COMMAND_FAILED;
    }
    analysis_open(&analysis);
    const char *const *paths = request->words.words + 1;
    const size_t count = request->words.count - 1;
    const bool done = runs_verify(paths, count, request->despite_checksums, stderr, error) &&
                      add_runs(&analysis, paths, count, error) &&
                      query_answer(&analysis, &request->query, &text, &cut, error);
    if (done) {
        (void)fputs(text.data, stdout);
    }
    if (done && cut) {
        (void)fflush(stdout);
        (void)fprintf(stderr, "pairmark query: only the first %zu rows: --rows N shows more\n",
                      request->query.max_rows);
    }
    strbuf_free(&text);
    analysis_close(&analysis);
    return done ? 0 : COMMAND_FAILED;
}

const struct command query_command = { .name = "query",
                                       .summary = "ask recorded rows in SQL",
                                       .run = run_query,
                                       .options = query_options,
                                       .take_option = take_query_format,
                                       COMMAND_REQUEST(struct query_request),
                                       .begin = begin_query,
                                       .end = end_query,
                                       COMMAND_PATHS(struct query_request, words),
                                       .operands = OPTION_FILE };
