/*
 * long_range — which kernels compute the reciprocal part of an Ewald sum in time steps whose pair
 * function is its real part, as the command line names it: "pme_tiles:order=5,grid_x=64,STREAMS=2".
 *
 * alpha and the Coulomb constant are those of the pair function `ewald-real`.
 */
#ifndef PAIRMARK_KERNELS_LONG_RANGE_H
#define PAIRMARK_KERNELS_LONG_RANGE_H

#include "core/error.h"
#include "core/quantity.h"
#include "core/strings.h"
#include "kernels/potentials/interaction.h"
#include "kernels/variant.h"

struct case_spec;

struct long_range {
    const struct variant *variant;  /* of workload pme; NULL: there is no reciprocal part */
    struct interaction interaction; /* `pme` */
    struct tunings tunings;
    bool in_float; /* in steps whose other forces are mixed */
    int streams;   /* 1: after the pairs; 2: beside them, where the device has such streams */
};

/* Whether the case is itself the reciprocal part of time steps, whose kernels may exit early as
 * those of the forces do: its own variant stands there. */
bool long_range_is_part(const struct case_spec *spec);

/* That of its kernels in steps of a precision. */
enum precision long_range_precision(const struct long_range *of, enum precision of_steps);

/* "none", or the variant with all that it is given: words that stand for it again. */
void long_range_describe(const struct long_range *of, struct strbuf *text);

#endif
