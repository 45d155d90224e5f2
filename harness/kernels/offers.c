#include "kernels/offers.h"

#include <string.h>

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
        *argument = offer->value((const char *)offerer + at);
    }
    return offer != NULL;
}
