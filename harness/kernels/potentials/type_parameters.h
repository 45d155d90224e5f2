/*
 * type_parameters — what the types of a box are to an interaction: the parameters of every pair of
 * them, and whether the two go together.
 */
#ifndef PAIRMARK_KERNELS_POTENTIALS_TYPE_PARAMETERS_H
#define PAIRMARK_KERNELS_POTENTIALS_TYPE_PARAMETERS_H

#include "kernels/potentials/type_table.h"

/* The parameters for every ordered pair of a box's types. An entry has, for each van der Waals
 * function in turn, its cutoff (INFINITY: the case's; less than 0: the pair has no such term) and
 * then its parameters. */
struct type_parameters {
    int types;
    int stride;     /* numbers an entry */
    double *values; /* types * types * stride */
};

/* From the table, or from the values for single types, mixed. STATUS_BAD_INPUT for a type that the
 * box does not have. For an interaction without types, `types` is 0 and nothing is allocated. */
bool type_parameters_resolve(const struct interaction *interaction, const struct box *box,
                             struct type_parameters *parameters, struct error *error);
void type_parameters_free(struct type_parameters *parameters);

/* Which types have no van der Waals term with any type: a bit each, of the first 31. */
int32_t type_parameters_bare(const struct interaction *interaction,
                             const struct type_parameters *parameters);

/* Numbers an entry has; where function `f`'s begin. */
int type_parameters_stride(const struct interaction *interaction);
int type_parameters_offset(const struct interaction *interaction, int f);

/* Whether the interaction can act in this box with this cutoff (INFINITY: none): its types and
 * excluded particles exist, there are as many values of particles as particles, and no function
 * reaches beyond the cutoff. STATUS_BAD_INPUT. */
bool interaction_fits(const struct interaction *interaction, const struct box *box, double cutoff,
                      struct error *error);

#endif
