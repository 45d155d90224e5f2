/*
 * rigid — molecules that keep their shape along time steps: rigid waters.
 *
 * A molecule is all particles that share a number in the box's `molecule`. One of three is rigid: a
 * tip, and two particles of like type and mass that are `oh` from it and `hh` from each other. One
 * of a single particle moves by itself; there are no others.
 */
#ifndef PAIRMARK_KERNELS_MOTION_RIGID_H
#define PAIRMARK_KERNELS_MOTION_RIGID_H

#include "boxes/box.h"
#include "kernels/motion/step_rules.h"

struct rigid_molecules {
    size_t count;  /* molecules, the single particles among them */
    size_t rigid;  /* of three */
    int32_t *atom; /* 4 per molecule: tip, left, right, 0; a single particle has -1 behind it */
};

/* Free in any case. STATUS_UNSUPPORTED where the box has no molecules, or one that is of another
 * number of particles, has no tip, or whose sides are more than 1 % off at the box's positions. */
bool rigid_molecules_find(const struct box *box, const struct step_rules *rules,
                          struct rigid_molecules *molecules, struct error *error);
void rigid_molecules_free(struct rigid_molecules *molecules); /* also of zeroed ones */

/* The vector from particle j to the nearest image of i. */
void rigid_vector(const struct box *box, const double *i, const double *j, double vector[3]);

/* Takes from the velocities of rigid molecules what would change their sides, and scales what is
 * left to the temperature: 2 K = T (3n - 3 - 3 per rigid molecule). A temperature below 0 leaves
 * the scale. STATUS_OUT_OF_MEMORY, and what rigid_molecules_find() refuses. */
bool rigid_set_velocities(struct box *box, const struct step_rules *rules, double temperature,
                          struct error *error);

#endif
