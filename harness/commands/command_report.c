#include "commands/commands.h"
#include "files/output_file.h"
#include "report/report.h"

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
    const char **paths;
    size_t count;
    const char *output;
};

/* One argument: an option with its value, or a path. */
static bool take_argument(int argc, char **argv, int *index, struct report_request *request,
                          struct error *error) {
    bool taken = false;
    if (!command_take_value("--output", argc, argv, index, &request->output, &taken, error) ||
        (!taken && !command_take_value("-o", argc, argv, index, &request->output, &taken, error))) {
        return false;
    }
    if (taken) {
        return true;
    }
    if (argv[*index][0] == '-') {
        return command_unknown_option(argv[*index], "report", error);
    }
    request->paths[request->count++] = argv[(*index)++];
    return true;
}

int command_report(int argc, char **argv) {
    struct error error = { 0 };
    struct report_request request = { .output = "report.html" };
    request.paths = calloc((size_t)argc + 1, sizeof *request.paths);
    bool done = true;
    if (!request.paths) {
        (void)fail_out_of_memory(&error, "the arguments");
        return command_fail("report", &error);
    }
    for (int i = 1; done && i < argc;) {
        if (command_is_help(argv[i])) {
            (void)fputs(help, stdout);
            free(request.paths);
            return 0;
        }
        done = take_argument(argc, argv, &i, &request, &error);
    }
    if (done && request.count == 0) {
        done =
            fail(&error, STATUS_BAD_INPUT, "nothing to report: name a run's folder or a rows.csv");
    }
    /* What is said of a page does not stand in it. */
    FILE *results = output_is_standard(request.output) ? stderr : stdout;
    done =
        done && report_write(request.paths, request.count, request.output, results, stderr, &error);
    free(request.paths);
    return done ? 0 : command_fail("report", &error);
}
