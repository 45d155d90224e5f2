/*
 * join_forces — an integrator and a variant that computes forces, made one variant of time steps.
 *
 * The integrator's header says where: @forces all_pairs_loop sorted_cells stands among its passes,
 * and the file is a variant with each of those, verlet+sorted_cells. Structure, scratch, tunables,
 * what boxes it takes and how results begin are then those of the forces; so are their passes,
 * which were checked in their own file. Their text stands before the integrator's.
 */
#ifndef PAIRMARK_KERNELS_HEADER_JOIN_FORCES_H
#define PAIRMARK_KERNELS_HEADER_JOIN_FORCES_H

#include "core/header.h"
#include "kernels/variant.h"

/* Whether what the header says of forces fits its workload, before the variant that computes them
 * is looked for. Errors: STATUS_BAD_INPUT as "path:line: ...". */
bool join_forces_check(const struct header_reader *reader, const struct variant *variant,
                       struct error *error);

/* Joins the variant with variant->forces.variant, where it has one, when the whole header was read
 * and before its passes are checked. Errors as above. */
bool join_forces(const struct header_reader *reader, struct variant *variant, struct error *error);

#endif
