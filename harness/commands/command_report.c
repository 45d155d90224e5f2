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
    "JavaScript. Without gnuplot it has no figures, and says so.\n"
    "\n"
    "  -o FILE, --output FILE   the page (default: report.html; - is standard output); its folder\n"
    "                           must be there, and of files that are there only such a page is\n"
    "                           replaced\n";

struct report_request {
    struct command_paths paths;
    const char *output;
};

static bool take_output(void *context, const char *option, const char *value, struct error *error) {
    struct report_request *request = context;
    (void)option;
    (void)error;
    request->output = value;
    return true;
}

/* What is said of a page does not stand in it. */
static bool write_page(const struct report_request *request, struct error *error) {
    FILE *results = output_is_standard(request->output) ? stderr : stdout;
    return report_write(request->paths.words, request->paths.count, request->output, results,
                        stderr, error);
}

int command_report(int argc, char **argv) {
    struct error error = { 0 };
    struct report_request request = { .paths.words =
                                          calloc((size_t)argc + 1, sizeof *request.paths.words),
                                      .output = "report.html" };
    bool done = request.paths.words || fail_out_of_memory(&error, "the arguments");
    done = done && command_take_paths("report", argc, argv, take_output, &request, NULL,
                                      &request.paths, &error);
    if (done && !request.paths.help && request.paths.count == 0) {
        done =
            fail(&error, STATUS_BAD_INPUT, "nothing to report: name a run's folder or a rows.csv");
    }
    if (done && request.paths.help) {
        (void)fputs(help, stdout);
    } else if (done) {
        done = write_page(&request, &error);
    }
    free(request.paths.words);
    return done ? 0 : command_fail("report", &error);
}
