/*
 * neighbour_lists — the grid of cells, and the lists of cell_pairs.h on the device, by the names
 * that kernels ask for.
 *
 * They come with the tables by which CELL_LOOKUP has the cell of a particle found.
 *
 * Only what the variant names among its parameters and units is made: at three cells a cutoff the
 * pairs are many more than the particles.
 */
#ifndef PAIRMARK_STRUCTURES_NEIGHBOUR_LISTS_H
#define PAIRMARK_STRUCTURES_NEIGHBOUR_LISTS_H

#include "kernels/structure.h"
#include "structures/cell_pairs.h"

#define CELL_LOOKUP_TUNABLE                                                                        \
    {                                                                                              \
        "CELL_LOOKUP", 0,                                                                          \
            "0: the cell of a particle is worked out; else looked up, by so many bins per cell "   \
            "along "                                                                               \
            "each vector of the box, a power of two"                                               \
    }

struct neighbour_lists {
    /* What each bin along x, y and z adds to the number of a cell, one axis behind the other;
     * without CELL_LOOKUP one int that nobody reads. */
    struct buffer *cell_parts;
    struct buffer *later_cells; /* struct cell_offset each */
    struct buffer *cell_pairs;  /* struct cell_pair each, as the other two */
    struct buffer *disjoint_pairs;
    struct buffer *remaining_pairs;
    size_t later_count, pair_count, disjoint_count, remaining_count;
    struct cell_grid grid;
};

/* From a zeroed struct; free it with neighbour_lists_free, also after a failure. */
bool neighbour_lists_create(const struct structure_input *input, struct neighbour_lists *lists,
                            struct error *error);
void neighbour_lists_free(struct neighbour_lists *lists);

/* What the lists offer to kernels, of a struct neighbour_lists; its grid offers cell_grid_offers.
 */
extern const struct offer neighbour_lists_offers[];

#define NEIGHBOUR_UNITS "cell", "cell_pair", "disjoint_pair", "remaining_pair"
bool neighbour_lists_unit(const struct neighbour_lists *lists, const char *name, size_t *count);

#endif
