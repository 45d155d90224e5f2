/*
 * neighbour_lanes — the inner loops of lists of neighbours, which become vectors (private to
 * harness/boxes/kinds). They are compiled for several processors, and compute the same bits on
 * each.
 */
#ifndef PAIRMARK_BOXES_KINDS_NEIGHBOUR_LANES_H
#define PAIRMARK_BOXES_KINDS_NEIGHBOUR_LANES_H

#include "boxes/kinds/neighbours.h"

/* Room that arrays of coordinates have beyond their last one: copies go by whole vectors. */
enum { NEIGHBOUR_LANES = 8, NEIGHBOUR_MAX_RANGES = 16 };

/* Rows that stand beside each other, of neighbouring cells, moved by whole edges. */
struct neighbour_range {
    size_t begin, end;
    float shift[3];
};

/* What the rows of a cell are compared with: themselves and the other rows of range 0; the ranges
 * up to `layer`, of the same layer of cells; and the others, of the next layer. */
struct neighbour_surroundings {
    size_t own;
    struct neighbour_range range[NEIGHBOUR_MAX_RANGES];
    int layer, count;
    float reach2; /* squared */
};

/* Appends to `other` the partners of each row of a cell: those after it, in their order. in_layer[]
 * and next[] become how many those are. The block has room for all rows and NEIGHBOUR_LANES more;
 * so has `other`, per row of the cell. Returns how many it appended. */
size_t neighbour_lanes_append(float *const sorted[3], const struct neighbour_surroundings *around,
                              const struct neighbours_block *block, int32_t *other,
                              uint32_t *in_layer, uint32_t *next);

#endif
