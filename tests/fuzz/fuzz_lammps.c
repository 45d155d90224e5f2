/* LAMMPS data files, which the file's name tells. What is read must be what writing it as XYZ and
 * reading it again gives. */
#include "fuzz_boxes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = { "box.data", NULL };
    char path[2 * FUZZ_PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s/%s", fuzz_folder(names, data, size), names[0]);
    fuzz_box_at(path);
    return 0;
}
