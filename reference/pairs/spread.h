/*
 * spread — what is rounded alike, and what is not: fills in struct reference_spread. Private to
 * reference/.
 */
#ifndef PAIRMARK_REFERENCE_PAIRS_SPREAD_H
#define PAIRMARK_REFERENCE_PAIRS_SPREAD_H

#include "reference/pairs/scene.h"

struct sites;
struct threads;

/* Of a reference whose sums are there, from its sites. Of more than two million pairs, a sample of
 * every k-th site is taken for all. The bits do not depend on the threads; NULL: the caller alone.
 * STATUS_OUT_OF_MEMORY. */
bool spread_fill(const struct scene *scene, const struct sites *sites, struct threads *threads,
                 struct reference *reference, struct error *error);

/* The same, serially, for whoever has no sites. NULL groups: all particles. */
bool spread_fill_box(const struct box *box, const struct interaction *interaction, double cutoff,
                     const struct groups *groups, struct reference *reference, struct error *error);

#endif
