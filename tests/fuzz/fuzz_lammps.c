/* LAMMPS data files, which the file's name tells. What is read must be what writing it as XYZ and
 * reading it again gives. A table of its coefficients has lines of six fields. */
#include "fuzz_boxes.h"

static void fuzz_pairs_at(const char *path) {
    struct box_pairs pairs = { .as_lj = true };
    struct error error = { 0 };
    struct box box;
    if (!box_read_pairs(path, &box, &pairs, &error)) {
        fuzz_require_reason(&error);
    }
    fuzz_require(!pairs.lj || pairs.line > 0);
    for (const char *line = pairs.lj; line && *line; line = strchr(line, '\n') + 1) {
        int commas = 0;
        for (const char *c = line; *c != '\n'; c++) {
            commas += *c == ',';
        }
        fuzz_require(commas == 5);
    }
    box_pairs_free(&pairs);
    box_free(&box);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = { "box.data", NULL };
    char path[2 * FUZZ_PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s/%s", fuzz_folder(names, data, size), names[0]);
    fuzz_box_at(path);
    fuzz_pairs_at(path);
    return 0;
}
