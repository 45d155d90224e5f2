/*
 * requested_names — the kernel parameters and launch units that somebody asks a structure for.
 *
 * A structure makes what is asked for and leaves out what nobody needs: at three cells per cutoff,
 * pairs of cells are many more than particles.
 */
#ifndef PAIRMARK_KERNELS_REQUESTED_NAMES_H
#define PAIRMARK_KERNELS_REQUESTED_NAMES_H

#include "kernels/variant.h"

enum { REQUESTED_NAMES_MAX = 2 * VARIANT_MAX_PASSES * (VARIANT_MAX_ARGUMENTS + 1) };

struct requested_names { /* zeroed: none */
    char names[REQUESTED_NAMES_MAX][VARIANT_NAME_SIZE];
    size_t count;
};

/* Adds a name, unless it is there. Names beyond REQUESTED_NAMES_MAX are left out. */
void requested_names_add(struct requested_names *requested, const char *name);

/* Adds what the passes of a variant name: their units and the parameters of their kernels. A name
 * of one of two groups, NAME_a or NAME_b, asks for NAME, too. */
void requested_names_of_variant(const struct variant *variant, struct requested_names *requested);

bool requested_names_have(const struct requested_names *requested, const char *name);

#endif
