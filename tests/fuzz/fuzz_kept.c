/* The kernels that a run's folder keeps: the list and one text, read, and taken in again. */
#include "campaign/rows/run_folder.h"
#include "fuzz_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = { "kernels.csv", "mine.cl", NULL };
    static bool made = false;
    struct error error = { 0 };
    struct kept_kernels kept;
    char link[2 * FUZZ_PATH_SIZE];
    const char *folder = fuzz_folder(names, data, size);
    if (!made) {
        (void)snprintf(link, sizeof link, "%s/kernels", folder);
        fuzz_require(symlink(".", link) == 0);
        made = true;
    }
    if (!kept_kernels_read(folder, &kept, &error)) {
        fuzz_require_reason(&error);
        return 0;
    }
    for (size_t i = 0; i < kept.count; i++) {
        fuzz_require(strcmp(kept.items[i].file, "mine.cl") == 0);
    }
    kept_kernels_free(&kept);
    return 0;
}
