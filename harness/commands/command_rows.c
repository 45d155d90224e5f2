/* pairmark rows — whether recorded runs can be believed. */
#include "answers/tables/analysis.h"
#include "commands/commands.h"

#include <string.h>

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
                                      .options = options,
                                      COMMAND_REQUEST(struct rows_request),
                                      COMMAND_PATHS(struct rows_request, words),
                                      .operands = OPTION_FOLDER };
