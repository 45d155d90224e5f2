/* built_in — a kernel that the program carries, by its name. Include it last, as support.h. */
#ifndef PAIRMARK_TESTS_BUILT_IN_H
#define PAIRMARK_TESTS_BUILT_IN_H

#include "kernels/header/read_variant.h"

#include "support.h" /* last: see there */

static inline const struct variant *built_in(const char *name) {
    struct error error;
    size_t count = 0;
    const struct variant *variants = variants_embedded(&count, &error);
    for (size_t v = 0; v < count; v++) {
        if (strcmp(variants[v].name, name) == 0) {
            return &variants[v];
        }
    }
    fail_msg("no variant %s", name);
    return NULL;
}

#endif
