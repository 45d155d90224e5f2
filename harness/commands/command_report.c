#include "answers/report/report.h"
#include "commands/commands.h"
#include "core/output_file.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: pairmark report DIR|rows.csv... [-o FILE]\n"
    "       pairmark report --devices DIR... [-o FILE]\n"
    "\n"
    "Makes one self-contained page of recorded runs: what failed, what ran where, the fastest\n"
    "correct variant at each N, the figures of `pairmark plot`, and a table of all rows that can "
    "be\n"
    "sorted and filtered. The page loads nothing; it can be sent, printed, and read without\n"
    "JavaScript. Without gnuplot it has no figures, and says so.\n";

struct report_request {
    struct command_paths paths;
    const char *output;
    bool devices;
};

static const struct command_option options[] = {
    { "--output", "-o", "FILE", .values = OPTION_FILE,
      .help = "the page (default: report.html; - is standard output); its folder must be there, "
              "and of files that are there only such a page is replaced",
      OPTION_STORED(struct report_request, output) },
    { "--devices",
      .help = "all cards of all runs in these folders and below on one page: which kernel wins "
              "where, by how much; Markdown where FILE ends in .md",
      OPTION_STORED(struct report_request, devices) },
    { .name = NULL },
};

static int run(void *context, struct error *error) {
    const struct report_request *request = context;
    const char *output = request->output ? request->output : "report.html";
    /* What is said of a page does not stand in it. */
    FILE *results = output_is_standard(output) ? stderr : stdout;
    if (request->paths.count == 0) {
        (void)fail(error, STATUS_BAD_INPUT, "nothing to report: name a run's folder or a rows.csv");
        return COMMAND_FAILED;
    }
    if (request->devices) {
        return report_devices_write(request->paths.words, request->paths.count, output, stderr,
                                    error)
                   ? 0
                   : COMMAND_FAILED;
    }
    return report_write(request->paths.words, request->paths.count, output, results, stderr, error)
               ? 0
               : COMMAND_FAILED;
}

const struct command report_command = { .name = "report",
                                        .summary =
                                            "recorded rows as one page: winners, figures, a table",
                                        .run = run,
                                        .help = help,
                                        .options = options,
                                        COMMAND_REQUEST(struct report_request),
                                        COMMAND_PATHS(struct report_request, paths),
                                        .operands = OPTION_FILE };
