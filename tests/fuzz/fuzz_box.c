/* XYZ and extended XYZ. What is read must be what writing it and reading it again gives. */
#include "fuzz_boxes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_box_at(fuzz_file(0, data, size));
    return 0;
}
