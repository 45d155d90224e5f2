/*
 * neighbours — the pairs of a cubic periodic box that are nearer than a reach (private to
 * harness/boxes/kinds).
 *
 * Found through linked cells in O(n); each unordered pair once. Rows are in the order of the cells:
 * row r lists the partners of particle[r], as rows: first those in its own layer of cells, then
 * those in the next layer. Pairs are found in single precision, with a margin: some that are a
 * little farther than the reach are listed, too.
 *
 * The rows are cut into slabs of whole layers, one a thread. A sweep lets every particle take part
 * in its pairs in the order of the rows, whatever the slabs: then what it adds up has the same bits
 * with any number of threads.
 */
#ifndef PAIRMARK_BOXES_KINDS_NEIGHBOURS_H
#define PAIRMARK_BOXES_KINDS_NEIGHBOURS_H

#include "core/error.h"
#include "core/threads.h"

#include <stddef.h>
#include <stdint.h>

/* The particles sorted by cell: those of cell c are the rows start[c] to start[c + 1] - 1. */
struct neighbours_cells {
    int per_edge; /* at least 3, or the walk would meet a neighbour cell twice */
    size_t count, room;
    uint32_t *start;
    uint32_t *cell;   /* per particle */
    float *sorted[3]; /* coordinates per row */
    uint32_t *place;  /* per chunk of particles and layer: how many, then where the next one goes */
    int32_t *by_layer; /* the particles sorted by layer */
};

/* Candidates for partners of the particles of a cell. */
struct neighbours_block {
    float *x, *y, *z; /* beside the cell: moved by an edge where they are beyond a face */
    int32_t *row;
    int32_t *near;
    size_t room;
};

/* x, y, z; the last one keeps vectors apart. */
struct neighbours_vector {
    _Alignas(32) double at[4];
};

/* Layers first_layer..end_layer-1 and the pairs of their rows. */
struct neighbours_slab {
    size_t first_layer, end_layer;
    int32_t *other;
    size_t count, capacity; /* of other */
    struct neighbours_block block;
};

enum { NEIGHBOURS_MAX_SLABS = 256 };

struct neighbours {
    size_t n;
    double edge;
    int32_t *particle;         /* n, sorted by cell */
    uint32_t *in_layer, *next; /* per row: partners in its own layer of cells, and in the next */
    size_t layers;
    size_t *layer_row;  /* layers + 1: the first row of each layer */
    size_t *layer_pair; /* per layer: where its rows' partners begin in its slab's memory */
    struct neighbours_slab *slabs;
    int slab_count;
    struct neighbours_cells cells;
    struct neighbours_vector *position, *target; /* per row, for sweeps; 0 at first */
};

/* Zero-initialise before the first build; a later build reuses the memory. Positions must lie in
 * [0, edge); their rows are filled in. A pair counts once, by its nearest image. On failure
 * everything is released. */
struct points_in_cube {
    const double *position; /* 3n */
    size_t n;
    double edge;
};
bool neighbours_build(struct neighbours *list, const struct points_in_cube *points, double reach,
                      struct threads *threads, struct error *error);
void neighbours_free(struct neighbours *list);

/* Copies three numbers per particle, in the order of the particles, to rows, and back. */
void neighbours_to_rows(const struct neighbours *list, const double *values,
                        struct neighbours_vector *rows, struct threads *threads);
void neighbours_from_rows(const struct neighbours *list, const struct neighbours_vector *rows,
                          double *values, struct threads *threads);

/* Some pairs that are nearer than a range, for which a push is wanted: what each takes from the
 * first particle per length of the displacement, to be filled in. */
struct neighbours_near {
    size_t count;
    double *square; /* of their distances */
    double *push;
    struct neighbours_vector *displacement;
    const uint16_t *position; /* of pair k: displacement[position[k]] */
};

/* Fills in pushes. Several at a time: what else it finds goes to a place of its slab's own. */
typedef void neighbours_push(void *context, int slab, struct neighbours_near *near);

/* Adds push * displacement of every pair nearer than `range` to the target of the first particle
 * and takes it from that of the second, so that each particle has, in the order of the rows, what
 * each row takes from it, and at its own row the sum of what this adds. The rows' positions may
 * have moved since the list was built. `clear`: targets begin with 0. */
void neighbours_sweep(struct neighbours *list, struct threads *threads, double range,
                      neighbours_push *push, void *context, bool clear);

/* ---- the inner loops, which become vectors: compiled for several processors, and the same bits on
 * each ---- */

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
