/*
 * constraint_inverse — the sparse approximate inverse by which CCMA corrects all constraints at
 * once.
 *
 * The matrix couples the multipliers of a molecule along vectors of length 1 at the positions of
 * the box: 1/m_i + 1/m_j on the diagonal, plus or minus the cosine of their angle over the mass
 * that two constraints share beside it. A row of the inverse is that of the inverse of a part of
 * the matrix: the constraint and those nearest to it by bonds, 16 at most; elements below a
 * fiftieth of the row's diagonal are left out.
 */
#ifndef PAIRMARK_WORKLOADS_CONSTRAINTS_CONSTRAINT_INVERSE_H
#define PAIRMARK_WORKLOADS_CONSTRAINTS_CONSTRAINT_INVERSE_H

#include "core/error.h"

#include <stddef.h>
#include <stdint.h>

/* Constraints by slots of particles, and which constraints each slot is in. */
struct constraint_joints {
    size_t count, slots;
    const int32_t *slot;  /* 2 per constraint */
    const double *vector; /* 3 per constraint, of length 1: from the second slot to the first */
    const double *inverse_mass; /* of each slot */
    const int32_t *start;       /* slots + 1 */
    const int32_t *joint;       /* 2 count: 2 c, or 2 c + 1 where the slot is the second */
};

/* By rows; freed by constraint_inverse_free(), also a zeroed one. */
struct constraint_inverse {
    int32_t *start;  /* count + 1 */
    int32_t *column; /* start[count] */
    double *value;   /* likewise */
};

bool constraint_inverse_make(const struct constraint_joints *joints,
                             struct constraint_inverse *inverse, struct error *error);
void constraint_inverse_free(struct constraint_inverse *inverse);

#endif
