/* pairmark merge — one run of the shares of a plan that several machines ran. */
#include "answers/summary/summary.h"
#include "campaign/rows/merge_runs.h"
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
    const char **runs; /* words of argv */
    size_t count;
};

static bool take_run(void *context, const char *word, struct error *error) {
    struct merge_request *request = context;
    if (!*word) {
        return fail(error, STATUS_BAD_INPUT, "an empty name; expected the folder of a share");
    }
    request->runs[request->count++] = word;
    return true;
}

static bool check_request(const struct merge_request *request, struct error *error) {
    if (request->count == 0) {
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

static bool merge(const struct merge_request *request, int *status, struct error *error) {
    struct merged_shares shares;
    struct summary_settings summary = { .results = stdout };
    const bool merged =
        merge_runs(request->runs, request->count, request->output, stderr, &shares, error) &&
        summary_of_folder(request->output, &summary, NULL, error);
    if (merged) {
        report_missing(request, &shares);
        *status = shares.rows < shares.cases ? status_exit_code(STATUS_WRONG) : 0;
    }
    free(shares.is_there);
    return merged;
}

static int run(int argc, char **argv) {
    struct merge_request request = { .runs = calloc((size_t)argc + 1, sizeof *request.runs) };
    struct error error;
    int status = 0;
    bool asks_help = false;
    bool ran = request.runs || fail_out_of_memory(&error, "the arguments");
    ran = ran && command_parse(&merge_command, argc, argv, &request, NULL, &asks_help, &error);
    if (ran && asks_help) {
        command_print_help(&merge_command);
    } else if (ran) {
        ran = check_request(&request, &error) && merge(&request, &status, &error);
    }
    free(request.runs);
    return ran ? status : command_fail("merge", &error);
}

const struct command merge_command = { .name = "merge",
                                       .summary = "one run of the shares that several machines ran",
                                       .run = run,
                                       .help = help,
                                       .help_after = help_after,
                                       .options = options,
                                       .take_operand = take_run,
                                       .operands = OPTION_FOLDER };
