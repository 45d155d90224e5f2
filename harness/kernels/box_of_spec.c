#include "kernels/case.h"

#include "boxes/files/xyz.h"
#include "boxes/kinds/make.h"

bool box_of_spec(const struct box_spec *spec, struct box *box, struct error *error) {
    if (!(spec->path[0] ? box_read(spec->path, box, error)
                        : box_make(spec->kind, spec->n, spec->density, spec->seed, box, error))) {
        return false;
    }
    if (spec->open) {
        box_open(box);
    }
    if (spec->charges[0] && !box_set_charges(box, spec->charges, error)) {
        box_free(box);
        return false;
    }
    return true;
}
