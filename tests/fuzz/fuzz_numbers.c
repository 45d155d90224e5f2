/* Lists and ranges of numbers, as --n, --density, --cutoff and --seed take them. */
#include "campaign/axes/axes.h"
#include "fuzz_input.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct error error = { 0 };
    double *values = NULL;
    size_t count = 0;
    char *words = fuzz_words(data, size);
    if (axis_numbers("--n", words, &values, &count, &error)) {
        fuzz_require(count > 0);
        for (size_t i = 0; i < count; i++) {
            fuzz_require(isfinite(values[i]));
        }
        free(values);
    } else {
        fuzz_require_reason(&error);
    }
    free(words);
    return 0;
}
