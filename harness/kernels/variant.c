#include "kernels/variant.h"

#include <stdlib.h>
#include <string.h>

bool variant_has_tunable(const struct variant *variant, const char *name) {
    for (int i = 0; i < variant->tunable_count; i++) {
        if (strcmp(variant->tunables[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

int variant_count_of_file(const struct variant *variant) {
    return variant->forces.name_count > 0 ? variant->forces.name_count : variant->workload_count;
}

void variant_free(struct variant *variant) {
    if (variant->forces.variant) {
        variant_free(variant->forces.variant);
        free(variant->forces.variant);
    }
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

bool pass_takes_sums(const struct pass *pass) {
    for (int a = 0; a < pass->argument_count; a++) {
        if (strcmp(pass->arguments[a], "partial_sums") == 0) {
            return true;
        }
    }
    return false;
}

bool variant_takes_sums(const struct variant *variant) {
    for (int p = 0; p < variant->pass_count; p++) {
        if (pass_takes_sums(&variant->passes[p])) {
            return true;
        }
    }
    return false;
}
