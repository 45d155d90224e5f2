#include "kernels/type_table_place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct tunable type_table_tunable = { .name = TYPE_TABLE_TUNABLE,
                                            .values = { TYPE_TABLE_GLOBAL, TYPE_TABLE_CONSTANT,
                                                        TYPE_TABLE_LOCAL },
                                            .value_count = 3,
                                            .preset = TYPE_TABLE_GLOBAL };

void tunings_preset(const struct variant *variant, struct tunings *tunings) {
    tunings->count = variant->tunable_count;
    for (int i = 0; i < variant->tunable_count; i++) {
        memcpy(tunings->items[i].name, variant->tunables[i].name, VARIANT_NAME_SIZE);
        tunings->items[i].value = variant->tunables[i].preset;
    }
}

int tunings_value(const struct tunings *tunings, const char *name, int otherwise) {
    for (int i = 0; i < tunings->count; i++) {
        if (strcmp(tunings->items[i].name, name) == 0) {
            return tunings->items[i].value;
        }
    }
    return otherwise;
}

static int compare_tunings(const void *left, const void *right) {
    return strcmp(((const struct tuning *)left)->name, ((const struct tuning *)right)->name);
}

void tunings_describe(const struct tunings *tunings, char *words, size_t size) {
    struct tunings sorted = *tunings;
    size_t length = 0;
    qsort(sorted.items, (size_t)sorted.count, sizeof sorted.items[0], compare_tunings);
    words[0] = '\0';
    for (int i = 0; i < sorted.count && length < size; i++) {
        int more = snprintf(words + length, size - length, "%s%s=%d", i ? " " : "",
                            sorted.items[i].name, sorted.items[i].value);
        length += more > 0 ? (size_t)more : 0;
    }
}
