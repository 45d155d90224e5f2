/*
 * step_forces — the forces of one state after another, by a list of pairs with a skin. Private to
 * reference/.
 *
 * Pairs are added up in the order of their particles' numbers, whatever the list was built from, so
 * that forces depend on the positions alone to the last bit. Of many particles the rows of rows.h
 * are taken instead, by all processors: they depend on the positions alone, too, and on no number
 * of threads.
 */
#ifndef PAIRMARK_REFERENCE_STEPS_STEP_FORCES_H
#define PAIRMARK_REFERENCE_STEPS_STEP_FORCES_H

#include "reference/pairs/reference.h"
#include "reference/steps/step_long_range.h"

struct step_pair {
    uint32_t i, j; /* i < j */
};

struct step_forces {
    const struct interaction *interaction;
    double cutoff;
    double unit, sum_unit; /* roundoffs of what is to be compared: arithmetic, sums of forces */
    bool every_pair;       /* no list: the cutoff is infinite */
    double built_width;    /* the edge width that the list was built for */
    double *built_place;   /* 3n: where the particles were then, along their whole way */
    struct step_pair *pairs;
    size_t count, capacity;
    uint64_t lists;
    const struct step_long_range *long_range; /* NULL: none */
    struct long_range_state long_state;
    struct reference now; /* without the spread */
};

/* STATUS_OUT_OF_MEMORY. */
bool step_forces_begin(size_t n, const struct interaction *interaction, double cutoff,
                       struct step_forces *forces, struct error *error);
void step_forces_free(struct step_forces *forces); /* also of a zeroed one */

/* Fills in `now` for `box`, whose particles came along `way` (3n: displacements since the start).
 * Pairs whose distance is within `wider` and the reference's own width of a cutoff are edge pairs;
 * exact: there are no errors to be bounded. Errors as reference_direct(). */
bool step_forces_compute(struct step_forces *forces, const struct box *box, const double *way,
                         double wider, bool exact, struct error *error);

#endif
