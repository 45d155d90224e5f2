/* Lists and ranges of numbers, as --n, --density, --cutoff and --seed take them. */
#include "campaign/axes/axes.h"
#include "fuzz_input.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct error error = { 0 };
    struct number_list numbers;
    char *words = fuzz_words(data, size);
    if (axis_numbers("--n", words, &numbers, &error)) {
        fuzz_require(numbers.count > 0);
        for (size_t i = 0; i < numbers.count; i++) {
            fuzz_require(isfinite(numbers.values[i]));
        }
        free(numbers.values);
    } else {
        fuzz_require_reason(&error);
    }
    free(words);
    return 0;
}
