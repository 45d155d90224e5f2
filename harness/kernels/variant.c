#include "kernels/variant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct tunable *variant_tunable(const struct variant *variant, const char *name) {
    for (int i = 0; i < variant->tunable_count; i++) {
        if (strcmp(variant->tunables[i].name, name) == 0) {
            return &variant->tunables[i];
        }
    }
    return NULL;
}

bool variant_has_tunable(const struct variant *variant, const char *name) {
    return variant_tunable(variant, name) != NULL;
}

int variant_count_of_file(const struct variant *variant) {
    return variant->forces.name_count > 0 ? variant->forces.name_count : variant->workload_count;
}

void variant_free(struct variant *variant) {
    if (variant->forces.variant) {
        variant_free(variant->forces.variant);
        free(variant->forces.variant);
    }
    for (int p = 0; p < variant->pass_count; p++) {
        if (!pass_is_of_forces(variant, p)) { /* else a copy: it went with that variant */
            free(variant->passes[p].launch);
        }
    }
    free(variant->passes);
    free(variant->text);
    memset(variant, 0, sizeof *variant);
}

static const char *const language_endings[] = { [LANGUAGE_DIALECT] = ".cl",
                                                [LANGUAGE_CUDA] = ".cu",
                                                [LANGUAGE_PTX] = ".ptx",
                                                [LANGUAGE_CUBIN] = ".cubin" };

enum kernel_language kernel_language_of(const char *path) {
    const char *end = strrchr(path, '.');
    for (int l = LANGUAGE_CUDA; end && l <= LANGUAGE_CUBIN; l++) {
        if (strcmp(end, language_endings[l]) == 0) {
            return (enum kernel_language)l;
        }
    }
    return LANGUAGE_DIALECT;
}

const char *kernel_language_ending(enum kernel_language language) {
    return language_endings[language];
}

bool pass_takes(const struct pass *pass, const char *parameter) {
    bool takes = false;
    for (int a = 0; a < pass->argument_count; a++) {
        takes = takes || strcmp(pass->arguments[a], parameter) == 0;
    }
    return takes;
}

bool variant_takes(const struct variant *variant, const char *parameter) {
    bool takes = false;
    for (int p = 0; p < variant->pass_count; p++) {
        takes = takes || pass_takes(&variant->passes[p], parameter);
    }
    return takes;
}

bool variant_is_by_box(const struct variant *variant) {
    for (int p = 0; p < variant->pass_count; p++) {
        if (variant->passes[p].per_group && strcmp(variant->passes[p].unit, "box") == 0) {
            return true;
        }
    }
    return false;
}

/* ---- tunings ---- */

const struct tunable type_table_tunable = { .name = TYPE_TABLE_TUNABLE,
                                            .values = { TYPE_TABLE_GLOBAL, TYPE_TABLE_CONSTANT,
                                                        TYPE_TABLE_LOCAL },
                                            .value_count = 3,
                                            .preset = TYPE_TABLE_GLOBAL,
                                            .meanings = "0 (read-only global memory), "
                                                        "1 (constant) or 2 (local)" };

void tunings_preset(const struct variant *variant, struct tunings *tunings) {
    tunings->count = variant->tunable_count;
    for (int i = 0; i < variant->tunable_count; i++) {
        memcpy(tunings->items[i].name, variant->tunables[i].name, VARIANT_NAME_SIZE);
        tunings->items[i].value = variant->tunables[i].preset;
    }
}

int tunings_place(const struct tunings *tunings, const char *name) {
    int i = 0;
    while (i < tunings->count && strcmp(tunings->items[i].name, name) != 0) {
        i++;
    }
    return i < tunings->count ? i : -1;
}

int tunings_value(const struct tunings *tunings, const char *name, int otherwise) {
    const int place = tunings_place(tunings, name);
    return place >= 0 ? tunings->items[place].value : otherwise;
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
