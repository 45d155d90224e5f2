/*
 * molecule_columns — columns that are molecules: nothing has to be looked for, since the box says
 * who belongs together.
 *
 * Their particles are gathered on the device at each building, from what pairs are told of
 * molecules: particles may have come to other places since the last one. See list_clusters.cl.
 */
#ifndef PAIRMARK_STRUCTURES_LISTS_MOLECULE_COLUMNS_H
#define PAIRMARK_STRUCTURES_LISTS_MOLECULE_COLUMNS_H

#include "structures/lists/place_order.h"

struct molecule_columns {
    int32_t least;            /* name of a molecule */
    struct buffer *rank;      /* of a name, from the least on: the number of its molecule */
    struct buffer *count;     /* an int per molecule: zero between buildings */
    struct buffer *particles; /* n ints, by molecules */
    int bits;     /* of bins per edge, along which molecules are put: one or a few each */
    bool by_sort; /* which is the same from run to run, else by tickets of bins */
    struct buffer *bin_count, *bin_begin; /* then: ints per bin; counts zero between buildings */
};

/* Whether columns are the molecules of the box: all have as many particles, which lie together, are
 * told by pairs that are left out, and nobody asks for cells. */
bool molecule_columns_suit(const struct structure_input *input);

/* From a zeroed struct, where that is so; free it with molecule_columns_free, also after a failure.
 */
bool molecule_columns_create(const struct structure_input *input, const struct place_order *order,
                             struct molecule_columns *columns, struct error *error);
void molecule_columns_free(struct molecule_columns *columns);

/* Enqueues that each molecule's particles are gathered, and that order->sorted_place has the
 * molecules along Hilbert's curve; by the kernels gather_, number_ and place_molecules. */
bool molecule_columns_build(const struct molecule_columns *columns, struct kernel *const kernels[3],
                            const struct skin *skin, const struct place_order *order,
                            struct error *error);

#endif
