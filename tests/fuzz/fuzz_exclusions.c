/* Excluded pairs (--exclude): read, fitted to a box, and listed by particle. */
#include "boxes/box.h"
#include "fuzz_input.h"
#include "kernels/potentials/exclusions.h"

enum { PARTICLES = 100 };

static void require_listed(const struct exclusions *exclusions, const struct box *box) {
    struct error error = { 0 };
    struct excluded_partners partners;
    if (!exclusions_list(exclusions, box, &partners, &error)) {
        fuzz_require_reason(&error);
        return;
    }
    excluded_partners_free(&partners);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct error error = { 0 };
    struct exclusions *exclusions = NULL;
    struct box box = { .n = PARTICLES };
    if (!exclusions_read(fuzz_file(0, data, size), &exclusions, &error)) {
        fuzz_require_reason(&error);
        return 0;
    }
    for (size_t k = 0; k < exclusions_pair_count(exclusions, PARTICLES); k++) {
        int32_t pair[2];
        exclusions_pair(exclusions, PARTICLES, k, pair);
        fuzz_require(pair[0] >= 0 && pair[0] < pair[1]);
    }
    if (exclusions_fit(exclusions, &box, &error)) {
        require_listed(exclusions, &box);
    } else {
        fuzz_require_reason(&error);
    }
    exclusions_free(exclusions);
    return 0;
}
