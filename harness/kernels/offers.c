#include "kernels/offers.h"

#include <stdio.h>
#include <string.h>

struct argument offer_value(const struct offer *offer, const void *offerer) {
    const char *member = (const char *)offerer + offer->at;
    const struct buffer *buffer;
    int32_t narrow;
    size_t wide;
    switch (offer->kind) {
    case OFFER_BUFFER:
        memcpy(&buffer, member, sizeof buffer);
        return argument_buffer(buffer);
    case OFFER_INT:
        if (offer->size == sizeof wide) {
            memcpy(&wide, member, sizeof wide);
            return argument_int((int32_t)wide);
        }
        memcpy(&narrow, member, sizeof narrow);
        return argument_int(narrow);
    case OFFER_LONG:
        return argument_value(member, sizeof(int64_t));
    case OFFER_COMPUTED:
        break;
    }
    return offer->compute(offerer);
}

const struct offer *offers_find(const struct offers *offers, const char *name, size_t *at) {
    for (; offers && offers->table; offers++) {
        for (const struct offer *offer = offers->table; offer->name; offer++) {
            if (strcmp(offer->name, name) == 0) {
                if (at) {
                    *at = offers->at;
                }
                return offer;
            }
        }
    }
    return NULL;
}

bool offers_value(const struct offers *offers, const void *offerer, const char *name,
                  struct argument *argument) {
    size_t at = 0;
    const struct offer *offer = offers_find(offers, name, &at);
    if (offer) {
        *argument = offer_value(offer, (const char *)offerer + at);
    }
    return offer != NULL;
}

/* ---- what is asked for ---- */

int binding_set(const char *name, char plain[VARIANT_NAME_SIZE]) {
    const size_t length = strlen(name);
    if (length < 3 || length >= VARIANT_NAME_SIZE || name[length - 2] != '_' ||
        (name[length - 1] != 'a' && name[length - 1] != 'b')) {
        return -1;
    }
    memcpy(plain, name, length - 2);
    plain[length - 2] = '\0';
    return name[length - 1] - 'a';
}

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
