#include "structure/structures.h"
#include "variant/structure.h"

#include <string.h>

static bool none_create(const struct structure_input *input, void **state, struct error *error) {
    (void)input;
    (void)error;
    *state = NULL;
    return true;
}

static bool none_build(void *state, struct error *error) {
    (void)state;
    (void)error;
    return true;
}

static bool none_unit(const void *state, const char *name, size_t *count) {
    (void)state;
    (void)name;
    (void)count;
    return false;
}

static void none_release(void *state) {
    (void)state;
}

static const struct offers no_offers[] = { { NULL, 0 } };
static const char *const no_units[] = { NULL };

static const struct structure_class structure_none = {
    .name = "none",
    .offers = no_offers,
    .units = no_units,
    .create = none_create,
    .build = none_build,
    .unit = none_unit,
    .release = none_release,
};

const struct structure_class *const structure_classes[] = { &structure_none, &structure_cell_table,
                                                            &structure_linked_cells,
                                                            &structure_sorted_cells, NULL };

const struct structure_class *structure_find(const char *name) {
    for (size_t i = 0; structure_classes[i]; i++) {
        if (strcmp(structure_classes[i]->name, name) == 0) {
            return structure_classes[i];
        }
    }
    return NULL;
}
