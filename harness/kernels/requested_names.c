#include "kernels/requested_names.h"

#include "kernels/bindings.h"

#include <string.h>

bool requested_names_have(const struct requested_names *requested, const char *name) {
    for (size_t i = 0; i < requested->count; i++) {
        if (strcmp(requested->names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

void requested_names_add(struct requested_names *requested, const char *name) {
    if (requested->count < REQUESTED_NAMES_MAX && !requested_names_have(requested, name)) {
        (void)snprintf(requested->names[requested->count++], VARIANT_NAME_SIZE, "%s", name);
    }
}

static void add_word(struct requested_names *requested, const char *word) {
    char plain[VARIANT_NAME_SIZE];
    requested_names_add(requested, word);
    if (binding_set(word, plain) >= 0) {
        requested_names_add(requested, plain);
    }
}

void requested_names_of_variant(const struct variant *variant, struct requested_names *requested) {
    for (int p = 0; p < variant->pass_count; p++) {
        const struct pass *pass = &variant->passes[p];
        add_word(requested, pass->unit);
        for (int a = 0; a < pass->argument_count; a++) {
            add_word(requested, pass->arguments[a]);
        }
    }
}
