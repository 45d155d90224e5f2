/*
 * settings — alpha, grid and order of a case of workload `pme`, what the user left open derived.
 */
#ifndef PAIRMARK_WORKLOADS_PME_SETTINGS_H
#define PAIRMARK_WORKLOADS_PME_SETTINGS_H

#include "boxes/box.h"
#include "core/error.h"
#include "core/quantity.h"
#include "kernels/case.h"
#include "kernels/potentials/interaction.h"
#include "reference/steps/step.h"

/* Points along an edge of a tile: the unit grid_tile. */
enum { PME_TILE = 8 };

struct pme_settings {
    double alpha, coulomb;
    size_t grid[3]; /* products of 2, 3, 5 and 7, `order` at least */
    int order;
};

/* variants/interactions/pme.cl says by which rules. The box is as the device has it, periodic along
 * all vectors. STATUS_BAD_INPUT for an order, a grid or a tolerance that is none,
 * STATUS_UNSUPPORTED for more than 2^29 points. */
bool pme_settings_resolve(const struct interaction *interaction, const struct box *box,
                          struct pme_settings *settings, struct error *error);

/* What the reference's time steps are given of it, to judge kernels in a precision. */
bool pme_settings_of_steps(const struct long_range *long_range, enum precision precision,
                           const struct box *box, struct step_long_range *made,
                           struct error *error);
/* Whether its transforms are of planes, whose rows have room for their spectrum. */
bool pme_grid_is_padded(const struct variant *variant);
/* How kernels round. */
struct pme_rounding pme_rounding_of(enum precision precision);

#endif
