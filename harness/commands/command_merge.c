/* pairmark merge — one run of the shares of a plan that several machines ran. */
#include "answers/summary/summary.h"
#include "campaign/rows/run_folder.h"
#include "commands/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: pairmark merge DIR... -o DIR\n"
    "\n"
    "Joins the folders of `pairmark bench --shard K/N` into one run: rows, visits, samples, "
    "stages\n"
    "and kernels, with a summary. Folders of another plan, other sampling or other kernel texts\n"
    "are refused, and so are two rows of one case. A share that is missing, or that was cut\n"
    "short, costs its open cases alone: `pairmark bench --resume DIR` names and measures them.\n";

static const char help_after[] =
    "Exit status: 0 every case has a row, 1 some have none, 2 unusable folders, 3 a system "
    "failure.\n";

struct merge_request {
    const char *output;
    struct command_paths runs;
};

static bool check_request(const struct merge_request *request, struct error *error) {
    for (size_t i = 0; i < request->runs.count; i++) {
        if (!request->runs.words[i][0]) {
            return fail(error, STATUS_BAD_INPUT, "an empty name; expected the folder of a share");
        }
    }
    if (request->runs.count == 0) {
        return fail(error, STATUS_BAD_INPUT, "expected the folders of shares");
    }
    return request->output ||
           fail(error, STATUS_BAD_INPUT, "expected -o DIR, the folder of the whole run");
}

static const struct command_option options[] = {
    { "--output", "-o", "DIR", .help = "the new folder", .values = OPTION_FOLDER,
      OPTION_STORED(struct merge_request, output) },
    { .name = NULL },
};

static void report_missing(const struct merge_request *request,
                           const struct merged_shares *shares) {
    (void)fprintf(stderr, "pairmark merge: %zu of %zu cases have a row\n", shares->rows,
                  shares->cases);
    for (size_t k = 0; k < shares->of; k++) {
        if (!shares->is_there[k]) {
            (void)fprintf(stderr, "pairmark merge: share %zu/%zu is missing\n", k + 1, shares->of);
        }
    }
    if (shares->rows < shares->cases) {
        (void)fprintf(stderr, "pairmark merge: pairmark bench --resume %s measures the others\n",
                      request->output);
    }
}

static int run(void *context, struct error *error) {
    const struct merge_request *request = context;
    struct merged_shares shares = { 0 };
    struct summary_settings summary = { .results = stdout };
    const bool merged = check_request(request, error) &&
                        merge_runs(request->runs.words, request->runs.count, request->output,
                                   stderr, &shares, error) &&
                        summary_of_folder(request->output, &summary, NULL, error);
    if (merged) {
        report_missing(request, &shares);
    }
    free(shares.is_there);
    return !merged                      ? COMMAND_FAILED
           : shares.rows < shares.cases ? status_exit_code(STATUS_WRONG)
                                        : 0;
}

const struct command merge_command = { .name = "merge",
                                       .summary = "one run of the shares that several machines ran",
                                       .run = run,
                                       .help = help,
                                       .help_after = help_after,
                                       .options = options,
                                       COMMAND_REQUEST(struct merge_request),
                                       COMMAND_PATHS(struct merge_request, runs),
                                       .operands = OPTION_FOLDER };
