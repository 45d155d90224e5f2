#include "answers/report/report.h"
#include "commands/commands.h"
#include "core/output_file.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: pairmark report DIR|rows.csv... [-o FILE]\n"
    "\n"
    "Makes one self-contained page of recorded runs: what failed, what ran where, the fastest\n"
    "correct variant at each N, the figures of `pairmark plot`, and a table of all rows that can "
    "be\n"
    "sorted and filtered. The page loads nothing; it can be sent, printed, and read without\n"
    "JavaScript. Without gnuplot it has no figures, and says so.\n";

struct report_request {
    struct command_paths paths;
    const char *output;
};

/* What is said of a page does not stand in it. */
static bool write_page(const struct report_request *request, struct error *error) {
    FILE *results = output_is_standard(request->output) ? stderr : stdout;
    return report_write(request->paths.words, request->paths.count, request->output, results,
                        stderr, error);
}

static bool take_path(void *context, const char *word, struct error *error) {
    struct report_request *request = context;
    (void)error;
    request->paths.words[request->paths.count++] = word;
    return true;
}

static const struct command_option options[] = {
    { "--output", "-o", "FILE", .values = OPTION_FILE,
      .help = "the page (default: report.html; - is standard output); its folder must be there, "
              "and of files that are there only such a page is replaced",
      OPTION_STORED(struct report_request, output) },
    { .name = NULL },
};

static int run(int argc, char **argv) {
    struct error error = { 0 };
    struct report_request request = { .paths.words =
                                          calloc((size_t)argc + 1, sizeof *request.paths.words),
                                      .output = "report.html" };
    bool asks_help = false;
    bool done = request.paths.words || fail_out_of_memory(&error, "the arguments");
    done = done && command_parse(&report_command, argc, argv, &request, NULL, &asks_help, &error);
    if (done && asks_help) {
        command_print_help(&report_command);
    } else if (done && request.paths.count == 0) {
        done =
            fail(&error, STATUS_BAD_INPUT, "nothing to report: name a run's folder or a rows.csv");
    } else if (done) {
        done = write_page(&request, &error);
    }
    free(request.paths.words);
    return done ? 0 : command_fail("report", &error);
}

const struct command report_command = { .name = "report",
                                        .summary =
                                            "recorded rows as one page: winners, figures, a table",
                                        .run = run,
                                        .help = help,
                                        .options = options,
                                        .take_operand = take_path,
                                        .operands = OPTION_FILE };
