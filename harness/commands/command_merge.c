/* pairmark merge — one run of the shares of a plan that several machines ran. */
#include "answers/summary/summary.h"
#include "campaign/rows/run_folder.h"
#include "commands/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct merge_request {
    const char *output;
    struct command_paths runs;
    bool despite_checksums;
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
    OPTION_DESPITE_CHECKSUMS(struct merge_request),
    { .name = NULL },
};

static void report_missing(const struct merge_request *request,
                           const struct merged_shares *shares) {
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
                      request->output);
    }
}

static int run(void *context, struct error *error) {
    const struct merge_request *request = context;
    struct merged_shares shares = { 0 };
    struct summary_settings summary = { .results = stdout };
    const bool merged = check_request(request, error) &&
                        runs_verify(request->runs.words, request->runs.count,
                                    request->despite_checksums, stderr, error) &&
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
                                       .summary =
                                           "join the shares that several machines ran into one run",
                                       .run = run,
                                       .options = options,
                                       COMMAND_REQUEST(struct merge_request),
                                       COMMAND_PATHS(struct merge_request, runs),
                                       .operands = OPTION_FOLDER };
