/*
 * constraint_molecules — the constraints of a box, molecule by molecule, on the host: what
 * constraint_buffers puts on the device.
 */
#ifndef PAIRMARK_WORKLOADS_CONSTRAINTS_CONSTRAINT_MOLECULES_H
#define PAIRMARK_WORKLOADS_CONSTRAINTS_CONSTRAINT_MOLECULES_H

#include "boxes/box.h"
#include "core/error.h"
#include "kernels/potentials/bonded.h"

/* Molecules stand in the order of their first particles; slots number the particles, molecule by
 * molecule. A block is whole molecules. */
struct constraint_host {
    size_t n, count, molecules, blocks;
    int32_t *molecule;         /* n: of each particle */
    int32_t *molecule_start;   /* molecules + 1: slots */
    int32_t *constraint_start; /* molecules + 1 */
    int32_t *particle;         /* n: in each slot */
    int32_t *slot;             /* n: of each particle */
    int32_t *pair;             /* 2 count: particles of each constraint */
    double *length;            /* count */
    double *moved;             /* 4n: displacements of particles, and one over their masses */
    int32_t *joint_start;      /* n + 1, by slot */
    int32_t *joint;            /* 2 count: see struct constraint_joints */
    int32_t *block_constraint; /* blocks + 1 */
    int32_t *block_particle;   /* blocks + 1 */
    /* 4 per molecule, of waters tip, left, right as particles, -1, and the lengths from tip to left
     * and left to right; of clusters the centre and the others, and the lengths from it to them. */
    int32_t *shaped;
    double *lengths;
};

/* Fills all but what is of waters and clusters. Of a block's molecules, constraints are `room` at
 * most and particles twice that, unless it is one alone. NULL: no memory. */
struct constraint_host *constraint_host_make(const struct box *box, const struct bonded_list *list,
                                             size_t room);
void constraint_host_free(struct constraint_host *host); /* also NULL */

/* Fill `shaped` and `lengths` where every molecule is a rigid water or a particle alone; where all
 * constraints of every molecule, three at most, are of one particle. Else STATUS_UNSUPPORTED in the
 * name of the variant, with the first that is not. */
bool constraint_host_find_waters(const char *variant, struct constraint_host *host,
                                 struct error *error);
bool constraint_host_find_stars(const char *variant, struct constraint_host *host,
                                struct error *error);

/* ---- the approximate inverse ---- */

/* The sparse approximate inverse by which CCMA corrects all constraints at
 * once.
 *
 * The matrix couples the multipliers of a molecule along vectors of length 1 at the positions of
 * the box: 1/m_i + 1/m_j on the diagonal, plus or minus the cosine of their angle over the mass
 * that two constraints share beside it. A row of the inverse is that of the inverse of a part of
 * the matrix: the constraint and those nearest to it by bonds, 16 at most; elements below a
 * fiftieth of the row's diagonal are left out. */

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
