#include "answers/report/report.h"
#include "commands/commands.h"
#include "core/error.h"
#include "core/output_file.h"
#include "core/strings.h"

#include <stdlib.h>
#include <string.h>

struct report_request {
    struct command_paths paths;
    const char *output;
    bool devices, t4, despite_checksums;
};

static const struct command_option options[] = {
    { "--output", "-o", "FILE", .values = OPTION_FILE,
      .help = "the page (default: report.html; - is standard output); its folder must be there, "
              "and of files that are there only such a page is replaced",
      OPTION_STORED(struct report_request, output) },
    { "--devices",
      .help = "all cards of all runs in these folders and below on one page: which kernel wins "
              "where, by how much, in Markdown (default: devices.md)",
      OPTION_STORED(struct report_request, devices) },
    { "--kernel-tuner",
      .help = "rows as JSON in T4, the format of Kernel Tuner and other auto-tuners, instead of a "
              "page (default: t4.json)",
      OPTION_STORED(struct report_request, t4) },
    OPTION_DESPITE_CHECKSUMS(struct report_request),
    { .name = NULL },
};

static bool write_report(const struct report_request *request, struct error *error) {
    const char *const *paths = request->paths.words;
    const size_t count = request->paths.count;
    const char *usual = request->t4 ? "t4.json" : request->devices ? "devices.md" : "report.html";
    const char *output = request->output ? request->output : usual;
    /* What is said of a page does not stand in it. */
    FILE *results = output_is_standard(output) ? stderr : stdout;
    if (count == 0) {
        return fail(error, STATUS_BAD_INPUT,
                    "nothing to report: name a run's folder or a rows.csv");
    }
    if (request->devices && request->t4) {
        return fail(error, STATUS_BAD_INPUT, "--devices and --kernel-tuner: one of them");
    }
    if (request->devices && ends_with(output, ".html")) {
        return fail(error, STATUS_BAD_INPUT, "-o %s: the page of --devices is Markdown: name a .md",
                    output);
    }
    const bool of_all = request->devices || request->t4;
    if (!(of_all ? runs_verify_below : runs_verify)(paths, count, request->despite_checksums,
                                                    stderr, error)) {
        return false;
    }
    return of_all ? report_of_all_write(request->devices ? &report_devices : &report_t4, paths,
                                        count, output, stderr, error)
                  : report_write(paths, count, output, results, stderr, error);
}

static int run(void *request, struct error *error) {
    return write_report(request, error) ? 0 : COMMAND_FAILED;
}

const struct command report_command = { .name = "report",
                                        .summary =
                                            "recorded runs as one page: summaries and figures",
                                        .run = run,
                                        .options = options,
                                        COMMAND_REQUEST(struct report_request),
                                        COMMAND_PATHS(struct report_request, paths),
                                        .operands = OPTION_FILE };
