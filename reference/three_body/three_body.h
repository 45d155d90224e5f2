/*
 * three_body — the truth of many-body terms over a centre and its neighbours: what every kernel of
 * workload `three_body` is compared with.
 *
 * Every centre finds its neighbours within the cutoffs of its pairs (reference/neighbours) and adds
 * up, in long double, half of each pair's energy, the force of each pair on itself, and its
 * triplets (sw_term.h). Parameters are looked up here among the records as they were read.
 *
 * In the reference that comes of it, pairs_in_cutoff is the number of terms, pairs and triplets;
 * `neighbours` are those of each particle. There are no edge pairs.
 */
#ifndef PAIRMARK_REFERENCE_THREE_BODY_THREE_BODY_H
#define PAIRMARK_REFERENCE_THREE_BODY_THREE_BODY_H

#include "reference/pairs/reference.h"

/* What is asked. All outlive the call. */
struct three_body_asked {
    const struct box *box; /* positions inside the cell */
    const struct interaction *interaction;
    double cutoff; /* the longest of any pair */
    double unit;   /* unit roundoff of the arithmetic that is to be judged */
    bool kept;     /* of all particles: in the on-disk cache, where reading takes less time */
};

/* All particles. Errors: STATUS_OUT_OF_MEMORY; STATUS_BAD_INPUT for a coordinate that is not finite
 * and for species without a record. */
bool reference_three_body(const struct three_body_asked *asked, struct reference *reference,
                          struct error *error);

/* The same for some particles alone, as reference_compute_some() has them. */
bool reference_three_body_some(const struct three_body_asked *asked, const uint32_t *particle,
                               size_t count, struct reference *reference, struct error *error);

#endif
