/*
 * eam — the truth of embedded atoms: what every kernel of workload `eam` is compared with.
 *
 *   E = sum_i F(rho_i) + sum_{i<j} phi(r_ij),  rho_i = sum_j f_j(r_ij)
 *   force on i along r_ij: phi' + F'(rho_i) f_j' + F'(rho_j) f_i'
 *
 * Pairs are those of reference/neighbours; everything is added in long double.
 *
 * Bounds. With u the unit roundoff of the arithmetic, L the length scale and m the neighbours of i,
 * its density is off by u D_i,
 *
 *   D_i = sum_j (8 |f_j| + 4 L |f_j'|) + sqrt(m) sum_j |f_j| + rho_i
 *
 * |f| being the sum of the sizes of what is added up to it. So the slope F' of the embedding is off
 * by u |F''| D_i besides its own roundings: that times |f'| is added to `condition` for i and for
 * each neighbour, over GATE_FACTOR, and |F'| D_i to the scale of the energy. A bound of F'' is
 * taken over the intervals beside that of rho_i. Slopes and scales are those of the three parts of
 * each pair.
 *
 * Functions may end with a step at the cutoff. A pair that rounding may count or not is an edge
 * pair; and since it changes two densities, the neighbours of both have edge pairs, too.
 *
 * pairs_in_cutoff are pairs; `neighbours` those of each particle.
 */
#ifndef PAIRMARK_REFERENCE_EAM_EAM_H
#define PAIRMARK_REFERENCE_EAM_EAM_H

#include "reference/pairs/reference.h"

/* What is asked. All outlive the call. */
struct eam_asked {
    const struct box *box; /* positions inside the cell; its species are in the table */
    const struct interaction *interaction;
    double cutoff;
    double wider; /* pairs within this of the cutoff, and their own width, are edge pairs */
    bool kept;    /* of all particles: in the on-disk cache, where reading takes less time */
};

/* All particles; density: n numbers, or NULL. Errors: STATUS_OUT_OF_MEMORY; STATUS_BAD_INPUT for a
 * coordinate that is not finite. */
bool reference_eam(const struct eam_asked *asked, struct reference *reference, double *density,
                   struct error *error);

/* The same for some particles alone, as reference_compute_some() has them. */
bool reference_eam_some(const struct eam_asked *asked, const uint32_t *particle, size_t count,
                        struct reference *reference, struct error *error);

#endif
