/*
 * structure — what a variant walks: built on the device, apart from the walking, and timed apart.
 *
 * A structure is a name, the kernel parameters and launch units that it offers, and a builder
 * (variants/structures/NAME.c with its kernels in NAME.cl). "none" offers nothing and builds
 * nothing.
 */
#ifndef PAIRMARK_VARIANT_STRUCTURE_H
#define PAIRMARK_VARIANT_STRUCTURE_H

#include "box/box.h"
#include "device/device.h"
#include "variant/offers.h"
#include "variant/variant.h"

/* What a builder is given. Everything outlives the structure. */
struct structure_input {
    struct device *device;
    const struct box *box;   /* as the device has it: wrapped and rounded */
    struct buffer *position; /* n real4: x, y, z, charge */
    enum precision precision;
    double cutoff;                 /* finite for every structure but "none" */
    const struct variant *variant; /* what walks it: its passes name what they need */
    const struct tunings *tunings; /* of the variant: CELLS_PER_CUTOFF, GROUP_SIZE, ... */
};

struct structure_class {
    const char *name;
    bool needs_cutoff;
    const char *words; /* embedded text put before the variants that walk it; NULL: none */
    const struct offers *offers; /* kernel parameters, of its state and parts of that; a table of
                                    NULL ends them */
    const char *const *units;    /* launch units it offers; NULL-terminated */
    /* Device memory that it keeps, about: copies of positions, and ints. */
    int positions_per_particle, ints_per_particle;

    /* Allocates what building needs. *state is the builder's own; freed by release. */
    bool (*create)(const struct structure_input *input, void **state, struct error *error);
    /* Enqueues the building, from the positions as they are now. May be called again and again.
     * Values of `offers` asked for before may have changed. */
    bool (*build)(void *state, struct error *error);
    /* The count of one of `units`; false when there is none of that name. */
    bool (*unit)(const void *state, const char *name, size_t *count);
    void (*release)(void *state); /* NULL is fine */
};

extern const struct structure_class *const structure_classes[]; /* NULL-terminated */

/* NULL when there is none of that name. */
const struct structure_class *structure_find(const char *name);

#endif
