/* pairmark rows — whether recorded runs can be believed. */
#include "answers/check/rows_check.h"
#include "commands/commands.h"

#include <string.h>

static const char help[] =
    "usage: pairmark rows check DIR...\n"
    "\n"
    "Checks the run of a folder, or all runs below it: whole, of a released commit, unedited (the\n"
    "hashes of files, cases, kernels and boxes; times that fit their samples), judged, with the\n"
    "device's name, driver, clock and power. A line per reason; a warning says what cannot be\n"
    "known, as of runs that are older than checksums.txt. docs/rows.md has the rules.\n";

static const char help_after[] = "Exit status: 0 all pass, 1 an error, 2 unusable arguments.\n";

struct rows_request {
    struct command_paths words; /* "check", then folders */
};

static const struct command_option options[] = { { .name = NULL } };

static int run(void *context, struct error *error) {
    const struct rows_request *request = context;
    struct rows_check check = { .results = stdout };
    if (request->words.count < 2 || strcmp(request->words.words[0], "check") != 0) {
        (void)fail(error, STATUS_BAD_INPUT, "expected `check`, then folders of runs");
        return COMMAND_FAILED;
    }
    for (size_t i = 1; i < request->words.count; i++) {
        if (!rows_check(&check, request->words.words[i], error)) {
            return COMMAND_FAILED;
        }
    }
    (void)printf("%zu run%s: %zu failed; %zu errors, %zu warnings\n", check.runs,
                 check.runs == 1 ? "" : "s", check.failed, check.errors, check.warnings);
    return check.failed > 0 ? status_exit_code(STATUS_WRONG) : 0;
}

const struct command rows_command = { .name = "rows",
                                      .summary = "whether recorded rows are whole and unedited",
                                      .run = run,
                                      .help = help,
                                      .help_after = help_after,
                                      .options = options,
                                      COMMAND_REQUEST(struct rows_request),
                                      COMMAND_PATHS(struct rows_request, words),
                                      .operands = OPTION_FOLDER };
