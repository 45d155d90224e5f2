/* pairmark history — how the time of each case changed over commits. */
#include "answers/compare/compare.h"
#include "commands/commands.h"
#include "measure/program.h"

#include <stdlib.h>

struct history_request {
    struct command_paths folders;
    struct history_view view;
    bool despite_checksums;
};

static const struct command_option options[] = {
    { "--steps", .help = "cases that have a step alone",
      OPTION_STORED(struct history_request, view.only_steps) },
    { "--threshold", .placeholder = "T", .help = "what counts as a difference, as a share (0.03)",
      OPTION_POSITIVE(struct history_request, view.threshold) },
    { "--csv", .help = "CSV, numbers in full, instead of tables",
      OPTION_STORED(struct history_request, view.csv) },
    OPTION_DESPITE_CHECKSUMS(struct history_request),
    { .name = NULL },
};

static bool write_history(const struct history_request *request, const struct run_folders *folders,
                          struct error *error) {
    struct run *runs = memory_zeroed(folders->count + 1, sizeof *runs);
    struct strbuf text = { 0 };
    size_t opened = 0;
    bool done = true;
    for (; done && opened < folders->count; opened += done) {
        done = run_read(folders->paths[opened], NULL, &runs[opened], error);
        runs[opened].side_name = folders->paths[opened];
    }
    done = done && history_write(runs, opened, &request->view, &text, error);
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

static void begin(void *request) {
    ((struct history_request *)request)->view =
        (struct history_view){ .threshold = compare_threshold, .log = stderr };
}

static int run(void *context, struct error *error) {
    const struct history_request *request = context;
    struct run_folders folders = { 0 };
    bool done =
        request->folders.count > 0 || fail(error, STATUS_BAD_INPUT, "expected folders of runs");
    for (size_t i = 0; done && i < request->folders.count; i++) {
        done = run_folders_find(&folders, request->folders.words[i], error);
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
                                         .run = run,
                                         .options = options,
                                         COMMAND_REQUEST(struct history_request),
                                         .begin = begin,
                                         COMMAND_PATHS(struct history_request, folders),
                                         .operands = OPTION_FOLDER };
