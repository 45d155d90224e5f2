/*
 * eam_curve — the functions of an embedded-atom potential in long double, and what errors do to
 * them. Private to reference/.
 *
 * Analytic (Sutton and Chen, Philos. Mag. Lett. 61 (1990) 139), x = a / r:
 *
 *   density x^m, pair epsilon x^n, embedding -epsilon c sqrt(rho)
 *
 * (Finnis and Sinclair, Philos. Mag. A 50 (1984) 45), x = r - d and y = r - c:
 *
 *   density x^2 + beta x^3 / d for x < 0, pair y^2 (c0 + c1 r + c2 r^2) for y < 0,
 *   embedding -A sqrt(rho)
 *
 * Tables are splines as LAMMPS builds them: cubic in each interval, with the value of both knots
 * and slopes there by the differences of five points, four or two near the ends.
 */
#ifndef PAIRMARK_REFERENCE_EAM_EAM_CURVE_H
#define PAIRMARK_REFERENCE_EAM_EAM_CURVE_H

#include "kernels/potentials/element_table.h"
#include "kernels/potentials/interaction.h"

#include <stdbool.h>

/* At a point: `size` and `slope_size` are the sums of the sizes of what is added up to value and
 * slope, `curve` a bound of the second derivative there and in the intervals beside it. */
struct eam_curve {
    long double value, slope;
    double size, slope_size, curve;
};

struct eam_model {
    const struct eam_table *table; /* NULL: analytic */
    const struct box *box;
    double epsilon, a, n, m, c; /* of Sutton and Chen */
    bool ends;                  /* Finnis and Sinclair's: */
    double A, d, beta, end, factor[3];
};

struct eam_model eam_model_of(const struct interaction *interaction, const struct box *box);

/* The density that a particle of a type brings at one of a type, r > 0 away; by r. */
struct eam_curve eam_density(const struct eam_model *model, int32_t from, int32_t at,
                             long double r);
/* The energy of a pair; by r. */
struct eam_curve eam_pair(const struct eam_model *model, int32_t one, int32_t other, long double r);
/* The energy of a particle of a type in a density; by the density. */
struct eam_curve eam_embedding(const struct eam_model *model, int32_t type, long double rho);

#endif
