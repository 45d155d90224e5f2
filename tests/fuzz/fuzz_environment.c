/* environment.json as `bench --resume` and `plot` read it. */
#include "answers/plot/plot_figures.h"
#include "campaign/rows/environment.h"
#include "fuzz_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = { "environment.json", NULL };
    struct error error = { 0 };
    struct plot_peaks peaks = { 0 };
    char path[2 * FUZZ_PATH_SIZE];
    char **command_line = NULL;
    uint64_t seed = 0;
    const char *folder = fuzz_folder(names, data, size);
    (void)snprintf(path, sizeof path, "%s/environment.json", folder);
    if (environment_read_command(path, &command_line, &seed, &error)) {
        for (char **word = command_line; *word; word++) {
            fuzz_require(strlen(*word) <= size);
        }
        free(command_line);
    } else {
        fuzz_require_reason(&error);
    }
    (void)snprintf(path, sizeof path, "%s/rows.csv", folder);
    fuzz_require(plot_peaks_read(path, NULL, &peaks, &error));
    (void)plot_peaks_of(&peaks, "model", "cuda");
    plot_peaks_free(&peaks);
    return 0;
}
