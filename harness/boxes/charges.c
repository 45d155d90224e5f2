/* Charges by species, for boxes whose source gave none. */
#include "boxes/box.h"

#include "core/strings.h"

#include <stdlib.h>
#include <string.h>

/* Every type of that name. */
static bool set_charge(struct box *box, const char *species, double charge) {
    bool found = false;
    for (size_t i = 0; i < box->n; i++) {
        if (strcmp(box->species[box->type[i]], species) == 0) {
            box->charge[i] = charge;
            found = true;
        }
    }
    for (int32_t t = 0; t < box->types && !found; t++) {
        found = strcmp(box->species[t], species) == 0;
    }
    return found;
}

static bool fail_species(const struct box *box, const char *species, struct error *error) {
    enum { SHOWN = 12 };
    struct strbuf known = { 0 };
    for (int32_t t = 0; t < box->types && t < SHOWN; t++) {
        strbuf_append(&known, "%s%s", t > 0 ? ", " : "", box->species[t]);
    }
    (void)fail(error, STATUS_BAD_INPUT, "no species '%s' in the box; expected %s%s", species,
               known.data ? known.data : "another", box->types > SHOWN ? ", ..." : "");
    strbuf_free(&known);
    return false;
}

/* "O=-0.8476" */
static bool take_charge(struct box *box, char *item, struct error *error) {
    char *equals = strchr(item, '=');
    double charge;
    if (!equals || equals == item || !parse_double(equals + 1, &charge)) {
        return fail(error, STATUS_BAD_INPUT,
                    "'%s'; expected SPECIES=CHARGE, as in O=-0.8476,H=0.4238", item);
    }
    *equals = '\0';
    return set_charge(box, item, charge) || fail_species(box, item, error);
}

bool box_set_charges(struct box *box, const char *words, struct error *error) {
    char **items = split_list(words, ',');
    if (!items) {
        return fail_out_of_memory(error, "charges");
    }
    bool good = items[0] || fail(error, STATUS_BAD_INPUT, "nothing; expected SPECIES=CHARGE");
    for (size_t i = 0; good && items[i]; i++) {
        for (size_t j = 0; good && j < i; j++) { /* those before end in the place of their '=' */
            const size_t length = strlen(items[j]);
            good = strncmp(items[i], items[j], length) != 0 || items[i][length] != '=' ||
                   fail(error, STATUS_BAD_INPUT, "%s has two charges; expected one", items[j]);
        }
        good = good && take_charge(box, items[i], error);
    }
    free(items);
    return good || fail_within(error, "--charges");
}
