/*
 * neighbours — the pairs of a cubic periodic box that are nearer than a reach (private to
 * harness/box).
 *
 * Found through linked cells in O(n); each unordered pair once. Rows are in the order of the cells:
 * row r lists the partners of particle[r], first those in its own layer of cells, then those in the
 * next layer.
 *
 * The rows are cut into slabs of whole layers, one a thread. A sweep lets every particle take part
 * in its pairs in the order of the rows, whatever the slabs: then what it adds up has the same bits
 * with any number of threads.
 */
#ifndef PAIRMARK_BOX_NEIGHBOURS_H
#define PAIRMARK_BOX_NEIGHBOURS_H

#include "base/error.h"
#include "system/threads.h"

#include <stddef.h>
#include <stdint.h>

/* Layers first_layer..end_layer-1 and the pairs of their rows. */
struct neighbours_slab {
    size_t first_layer, end_layer;
    int32_t *other;
    size_t count, capacity; /* of other */
};

enum { NEIGHBOURS_MAX_SLABS = 256 };

struct neighbours {
    size_t n;
    int32_t *particle;    /* n, sorted by cell */
    size_t *first, *next; /* per row: row r is other[first[r]] up to the end, in its slab's memory;
                             from next[r] on the partners are in the next layer */
    size_t *end;
    size_t layers;
    size_t *layer_row; /* layers + 1: the first row of each layer */
    struct neighbours_slab *slabs;
    int slab_count;
};

/* Zero-initialise before the first build; a later build reuses the memory. Positions must lie in
 * [0, edge). A pair counts once, by its nearest image. On failure everything is released. */
bool neighbours_build(struct neighbours *list, const double *position, size_t n, double edge,
                      double reach, struct threads *threads, struct error *error);
void neighbours_free(struct neighbours *list);

/* Some partners of particle i. Adds to sum[] what i gets of each, in their order, and takes from
 * target[] of each what i gets, in their order, where `give` says so. Several at a time: what else
 * a walk finds goes to a place of its slab's own. */
typedef void neighbours_walk(void *context, int slab, size_t i, const int32_t *other, size_t count,
                             double sum[3], bool give);

/* Walks over all pairs so that target[3 i ...] has, in the order of the rows, what each row takes
 * from i, and at i's own row its sum added. */
void neighbours_sweep(const struct neighbours *list, struct threads *threads, neighbours_walk *walk,
                      void *context, double *target);

#endif
