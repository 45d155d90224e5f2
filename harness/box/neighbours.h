/*
 * neighbours — the pairs of a cubic periodic box that are nearer than a reach (private to
 * harness/box).
 *
 * Found through linked cells in O(n); each unordered pair once. Rows are in the order of the cells:
 * row r lists the partners of particle[r].
 */
#ifndef PAIRMARK_BOX_NEIGHBOURS_H
#define PAIRMARK_BOX_NEIGHBOURS_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct neighbours {
    size_t n;
    int32_t *particle; /* n */
    size_t *first;     /* n + 1: row r is other[first[r]] to other[first[r + 1] - 1] */
    int32_t *other;
    size_t capacity; /* of other */
};

/* Zero-initialise before the first build; a later build reuses the memory. Positions must lie in
 * [0, edge). A pair counts once, by its nearest image. On failure everything is released. */
bool neighbours_build(struct neighbours *list, const double *position, size_t n, double edge,
                      double reach, struct error *error);
void neighbours_free(struct neighbours *list);

#endif
