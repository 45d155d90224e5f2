#include "workloads/placed_types.h"

#include <stdlib.h>
#include <string.h>

bool placed_types_create(struct device *device, const struct box *box, bool alike,
                         struct placed_types *types, struct error *error) {
    types->n = box->n;
    types->type = calloc(box->n + 1, sizeof *types->type);
    if (!types->type) {
        return fail_out_of_memory(error, "the types");
    }
    if (!alike) {
        memcpy(types->type, box->type, box->n * sizeof *types->type);
    }
    return buffer_upload(device, "elements", types->type, box->n * sizeof *types->type,
                         &types->buffer, error);
}

bool placed_types_reorder(struct placed_types *types, const struct member_order *order,
                          struct error *error) {
    int32_t *placed = malloc((types->n + 1) * sizeof *placed);
    if (!placed) {
        return fail_out_of_memory(error, "the types");
    }
    for (size_t place = 0; place < types->n; place++) {
        placed[place] = types->type[member_at(order, types->n, place)];
    }
    const bool written = buffer_write(types->buffer, 0, placed, types->n * sizeof *placed, error);
    free(placed);
    return written;
}

void placed_types_free(struct placed_types *types) {
    buffer_free(types->buffer);
    free(types->type);
    *types = (struct placed_types){ 0 };
}
