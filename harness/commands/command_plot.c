#include "answers/plot/plot.h"
#include "campaign/axes/axes.h"
#include "commands/commands.h"
#include "core/error.h"
#include "core/strings.h"
#include "measure/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void append_axes(struct strbuf *text) {
    struct strbuf axes = { 0 };
    axes_append_row_options(&axes);
    help_append_lines(text, strbuf_text(&axes), 0, 0, HELP_WIDTH);
    strbuf_free(&axes);
}

struct plot_request {
    struct command_paths paths;
    struct axes axes; /* which rows */
    const char *output;
    unsigned formats;
    bool despite_checksums;
};

static bool parse_formats(const char *list, unsigned *formats, struct error *error) {
    char **names = memory_split(list, ',');
    bool parsed = true;
    *formats = 0;
    for (size_t i = 0; parsed && names[i]; i++) {
        if (strcmp(names[i], "svg") == 0) {
            *formats |= PLOT_SVG;
        } else if (strcmp(names[i], "png") == 0) {
            *formats |= PLOT_PNG;
        } else {
            parsed = fail(error, STATUS_BAD_INPUT, "--format: no format \"%s\"; there are svg, png",
                          names[i]);
        }
    }
    free(names);
    return parsed;
}

static bool take_option(void *context, const char *option, const char *value, struct error *error) {
    (void)option; /* --format */
    return parse_formats(value, &((struct plot_request *)context)->formats, error);
}

static const struct command_option options[] = {
    { "--output", "-o", "DIR", .values = OPTION_FOLDER,
      .help = "where tables (.dat), scripts (.plt) and figures go (default: figures/ beside the "
              "first rows)",
      OPTION_STORED(struct plot_request, output) },
    { "--format", .placeholder = "LIST", .values = "svg png",
      .help = "svg, png or both (default: svg,png)" },
    OPTION_DESPITE_CHECKSUMS(struct plot_request),
    { .name = NULL },
};

static void begin(void *request) {
    ((struct plot_request *)request)->formats = PLOT_SVG | PLOT_PNG;
}

static int run(void *context, struct error *error) {
    const struct plot_request *request = context;
    struct plot_list drawn = { 0 };
    const struct plot_runs runs = { .paths = request->paths.words,
                                    .count = request->paths.count,
                                    .axes = &request->axes,
                                    .output = request->output,
                                    .formats = request->formats };
    const bool done = runs_verify(request->paths.words, request->paths.count,
                                  request->despite_checksums, stderr, error) &&
                      plot_paths(&runs, stderr, &drawn, error);
    for (size_t i = 0; done && i < drawn.count; i++) {
        (void)printf("  %s\n", drawn.items[i].name);
    }
    plot_list_free(&drawn);
    return done ? 0 : COMMAND_FAILED;
}

const struct command plot_command = { .name = "plot",
                                      .summary = "figures from recorded rows, with gnuplot",
                                      .run = run,
                                      .append_help = append_axes,
                                      .options = options,
                                      .take_option = take_option,
                                      COMMAND_REQUEST(struct plot_request),
                                      .begin = begin,
                                      COMMAND_AXES(struct plot_request, axes),
                                      COMMAND_PATHS(struct plot_request, paths),
                                      .operands = OPTION_FILE,
                                      .takes_axes = true };
