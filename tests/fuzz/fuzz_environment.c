/* environment.json as `bench --resume` and `plot` read it. */
#include "answers/plot/plot.h"
#include "campaign/rows/run_folder.h"
#include "fuzz_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = { "environment.json", NULL };
    struct error error = { 0 };
    const struct row_table none = { 0 };
    struct plot_data points;
    char path[2 * FUZZ_PATH_SIZE];
    char **command_line = NULL;
    uint64_t seed = 0;
    const char *folder = fuzz_folder(names, data, size);
    if (environment_read_command(folder, &command_line, &seed, &error)) {
        for (char **word = command_line; *word; word++) {
            fuzz_require(strlen(*word) <= size);
        }
        free(command_line);
    } else {
        fuzz_require_reason(&error);
    }
    (void)snprintf(path, sizeof path, "%s/rows.csv", folder);
    const char *const file = path;
    plot_points_collect(&none, &file, 1, NULL, &points);
    /* What no row of a set asks for is not worked out. */
    (void)analysis_ask_number(&points.analysis, "SELECT count(rate) FROM peaks");
    plot_points_free(&points);
    return 0;
}
