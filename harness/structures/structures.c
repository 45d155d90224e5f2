/* The structures that there are: those of structures.def. */
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
