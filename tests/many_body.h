/*
 * many_body — what the tests of references of many bodies share: a box of three elements, and
 * forces against finite differences of the energy.
 */
#ifndef PAIRMARK_TESTS_MANY_BODY_H
#define PAIRMARK_TESTS_MANY_BODY_H

#include "reference/pairs/reference.h"

#include "hand_box.h"

#include "support.h" /* last: see there */

/* The reference of a workload. */
typedef struct reference reference_of(const struct box *box, const struct interaction *interaction,
                                      double cutoff);

static inline struct interaction parsed(const char *words) {
    struct interaction interaction;
    struct error error;
    assert_done(interaction_parse(words, &interaction, &error), &error);
    return interaction;
}

static inline double energy_by(reference_of *compute, const struct box *box,
                               const struct interaction *interaction, double cutoff) {
    struct reference reference = compute(box, interaction, cutoff);
    const double energy = reference.energy;
    reference_free(&reference);
    return energy;
}

/* A lattice whose particles are of the elements of these letters, in turn. */
static inline struct box box_of_three(struct box lattice, const char letters[3]) {
    free(lattice.species);
    lattice.species = calloc(3, SPECIES_SIZE);
    assert_non_null(lattice.species);
    lattice.types = 3;
    for (size_t i = 0; i < lattice.n; i++) {
        lattice.type[i] = (int32_t)(i * 7 % 3);
    }
    for (int k = 0; k < 3; k++) {
        lattice.species[k][0] = letters[k];
    }
    return lattice;
}

/* Component k of the forces is the central difference of the energy. */
static inline void check_force(reference_of *compute, struct box *box,
                               const struct interaction *interaction, const struct reference *at,
                               size_t k) {
    const double step = 1e-5;
    const double kept = box->position[k];
    double energy[2];
    for (int side = 0; side < 2; side++) {
        box->position[k] = kept + (side ? step : -step);
        energy[side] = energy_by(compute, box, interaction, at->cutoff);
    }
    box->position[k] = kept;
    const double expected = (energy[0] - energy[1]) / (2 * step);
    assert_near(at->force[k], expected, 1e-6 * (1 + fabs(expected)));
}

#endif
