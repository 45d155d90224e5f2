/*
 * rdf — the truth of histograms of distances: what every kernel of workload `rdf` is compared with.
 *
 * Every particle finds its neighbours (reference/neighbours), in double, shared out among threads:
 * the order shows in no whole number. Each pair counts once, in the bin that its distance lies in.
 * Pairs near an edge between two bins are counted for it, too: a kernel may have put any of these
 * on its other side, and no other pair.
 */
#ifndef PAIRMARK_REFERENCE_RDF_RDF_H
#define PAIRMARK_REFERENCE_RDF_RDF_H

#include "boxes/box.h"
#include "core/error.h"
#include "kernels/potentials/interaction.h"

struct rdf_asked {
    const struct box *box; /* positions inside the cell */
    const struct interaction *interaction;
    double cutoff; /* where the last bin ends; at most half the least height of the cell */
    double width;  /* how far rounding may move a distance */
    size_t bins;   /* of each pair of types */
    size_t types;  /* 1: all particles are alike */
};

struct rdf_counts {
    size_t bins, pairs; /* of each pair of types; pairs of types, 0 0, 0 1, ..., 1 1, ... */
    uint64_t *count;    /* pairs x bins */
    uint64_t *near;     /* pairs x (bins + 1): within the width of the edge below each bin, and of
                           the last edge */
};

/* STATUS_BAD_INPUT for a box of more types, and for what neighbour_finder_make() refuses;
 * STATUS_OUT_OF_MEMORY. The caller frees, also after a failure. */
bool reference_rdf(const struct rdf_asked *asked, struct rdf_counts *counts, struct error *error);
void rdf_counts_free(struct rdf_counts *counts); /* also of zeroed ones */

#endif
