#include "kernels/structure.h"
#include "structures/builder.h"

#include <string.h>

static const struct structure_class structure_none = {
    .name = "none",
    .summary = "nothing is built: particles as they are",
};

#define STRUCTURE(name) &structure_##name,
const struct structure_class *const structure_classes[] = { &structure_none,
#include "structures/structures.def"
                                                            NULL };
#undef STRUCTURE

const struct structure_class *structure_find(const char *name) {
    for (size_t i = 0; structure_classes[i]; i++) {
        if (strcmp(structure_classes[i]->name, name) == 0) {
            return structure_classes[i];
        }
    }
    return NULL;
}

const struct structure_class *structure_below(const struct structure_class *structure) {
    return structure->needs ? structure_find(structure->needs) : NULL;
}

bool structure_has_tunable(const struct structure_class *structure, const char *name, int *preset) {
    for (; structure; structure = structure_below(structure)) {
        const struct structure_tunable *tunable = structure->tunables;
        for (; tunable && tunable->name; tunable++) {
            if (strcmp(tunable->name, name) == 0) {
                *preset = tunable->preset;
                return true;
            }
        }
    }
    return false;
}

double structure_bytes_per_particle(const struct structure_class *structure, double position_bytes,
                                    const struct structure_estimate *estimate) {
    double bytes = 0;
    for (; structure; structure = structure_below(structure)) {
        const double more =
            structure->more_ints_per_particle ? structure->more_ints_per_particle(estimate) : 0;
        bytes += structure->positions_per_particle * position_bytes +
                 (structure->ints_per_particle + more) * (double)sizeof(int32_t);
    }
    return bytes;
}
