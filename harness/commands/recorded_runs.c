/* pairmark merge, report, history, rows — what is made of recorded runs without asking for cases:
 * one run of many shares, a page, times over commits, whether runs can be believed. */
#include "answers/compare/compare.h"
#include "answers/report/report.h"
#include "answers/summary/summary.h"
#include "answers/tables/analysis.h"
#include "campaign/rows/run_folder.h"
#include "commands/commands.h"
#include "core/output_file.h"
#include "core/strings.h"
#include "measure/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of all four. What is not a command's own option stays as it is. */
struct runs_request {
    struct command_paths paths;
    bool despite_checksums;
    const char *output; /* of merge and report; NULL: not given */
    bool devices, t4;   /* of report */
    struct history_view history;
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
