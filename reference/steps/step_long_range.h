/*
 * step_long_range — the reciprocal part of an Ewald sum in the forces of a step, with self energy,
 * background and what it has of excluded pairs. Private to reference/.
 */
#ifndef PAIRMARK_REFERENCE_STEPS_STEP_LONG_RANGE_H
#define PAIRMARK_REFERENCE_STEPS_STEP_LONG_RANGE_H

#include "reference/pairs/reference.h"
#include "reference/steps/step.h"

/* What is known of it in one state. */
struct long_range_state {
    struct step_long_sums sums;
    double *force_error; /* n: of a vector */
    double field_slope;  /* by how much the field of all charges may change at any place, per length
                            that each charge moves; 0: not known yet */
    double virial_slope; /* the same of the virial, per length */
    bool exact;          /* nobody asks for bounds: they stay 0 */
};

/* Adds it to forces, slopes, energy and virial of `now`, and fills in the state, whose bounds are
 * of rounding. Errors: those of reference_pme(). */
bool long_range_add(const struct step_long_range *long_range, const struct box *box,
                    const struct exclusions *exclusions, struct long_range_state *state,
                    struct reference *now, struct error *error);
void long_range_free(struct long_range_state *state); /* also of a zeroed one */

#endif
