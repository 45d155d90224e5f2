/*
 * bonded — the truth of bonded terms: what every kernel of workload `bonded` is compared with.
 *
 * Every term is computed by itself in long double (terms/bonded_term.h says what it is and how
 * errors of the inputs move it) and added in the order of the lists: forces and virials in long
 * double, energies as compensated sums. The bond vectors are those to the nearest image: in a
 * triclinic cell the shortest of the images around the one that rounding finds.
 *
 * In the reference that comes of it, pairs_in_cutoff is the number of terms, `neighbours` those of
 * each particle, the cutoff is infinite, and there are no edge pairs.
 */
#ifndef PAIRMARK_REFERENCE_BONDED_BONDED_H
#define PAIRMARK_REFERENCE_BONDED_BONDED_H

#include "kernels/potentials/bonded.h"
#include "reference/pairs/reference.h"

/* The energies of the kinds of terms, and how many there are. */
struct bonded_energies {
    double energy[BONDED_KINDS];
    uint64_t terms[BONDED_KINDS];
};

/* All terms. `unit` is the unit roundoff of the arithmetic that is to be judged. `apart` may be
 * NULL. Errors: STATUS_OUT_OF_MEMORY, STATUS_BAD_INPUT for a term of a particle that the box lacks
 * or a coordinate that is not finite. */
bool reference_bonded(const struct box *box, const struct bonded_terms *terms, double unit,
                      struct reference *reference, struct bonded_energies *apart,
                      struct error *error);

/* The same for some particles alone, as reference_compute_some() has them: place k is that of
 * particle[k]; what is summed over the box is not known. */
struct bonded_case {
    const struct box *box;
    const struct bonded_terms *terms;
    double unit;
};
bool reference_bonded_some(const struct bonded_case *asked, const uint32_t *particle, size_t count,
                           struct reference *reference, struct error *error);

#endif
