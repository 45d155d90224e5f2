/*
 * constraints — the truth of constrained steps: a direct solve, molecule by molecule.
 *
 * With r the vector between the particles of a constraint before the step and m their masses,
 * constraint c moves i by g_c r_c / m_i and j by -g_c r_c / m_j. The multipliers g of a molecule
 * are those at which all of its lengths hold: Newton's iteration on (L^2 - s^2) / 2 with s the
 * vector after the step, each of its systems solved by a banded LU decomposition, the constraints
 * in the order of a walk over the molecule, all in long double. Of velocities, r (v_i - v_j) = 0 is
 * linear: one solve.
 *
 * What it gives as a tolerance follows from the system, too. A kernel may leave each length off by
 * the relative tolerance, and rounding moves each by some units of what it is computed from; the
 * absolute values of the inverse times that bound the multipliers, and these the particles. In
 * molecules of more than 64 constraints the inverse of the comparison matrix (diagonal as it is,
 * the rest negative) bounds that of the matrix, where the former is positive (A. Ostrowski,
 * Comment. Math. Helv. 10 (1937) 69).
 */
#ifndef PAIRMARK_REFERENCE_CONSTRAINTS_CONSTRAINTS_H
#define PAIRMARK_REFERENCE_CONSTRAINTS_CONSTRAINTS_H

#include "kernels/potentials/bonded.h"
#include "reference/pairs/reference.h"

/* What is to be corrected. */
struct constrained {
    const struct box *box;          /* before the step */
    const struct bonded_list *list; /* LISTED_CONSTRAINTS */
    const double *mass;             /* n, > 0 */
    const double *given;            /* 3n: displacements, or velocities, without constraints */
    double tolerance;               /* relative: of lengths, or of their change per unit of time */
    double unit;                    /* unit roundoff of the arithmetic that is to be judged */
    bool velocities;                /* given are velocities */
};

/* Fills in, of the reference: `force`, displacements or velocities with constraints;
 * motion.displacement_error, how far each component of a particle's may be off; neighbours, the
 * constraints of each particle; pairs_in_cutoff, how many there are. multiplier: g of each
 * constraint; NULL: not asked for. Errors: STATUS_OUT_OF_MEMORY; STATUS_BAD_INPUT, with the line of
 * a constraint, for molecules whose constraints depend on each other, and for displacements from
 * which no solution is found. */
bool reference_constraints(const struct constrained *asked, struct reference *reference,
                           double *multiplier, struct error *error);

/* What a result leaves to be desired: a number and how large it may be. */
struct constraint_fault {
    size_t place; /* the constraint; of momenta the first particle of the molecule */
    double error, allowed;
};
struct constraint_faults {
    struct constraint_fault length; /* relative; the largest share of what is allowed. Likewise */
    struct constraint_fault momentum;
    struct constraint_fault angular; /* momentum, about the molecule's first particle */
    size_t violated;                 /* constraints beyond what is allowed */
};

/* How well the lengths hold in a result of 3n numbers, and whether constraints have changed the
 * momentum of any molecule or its angular momentum. NaN is a fault. STATUS_OUT_OF_MEMORY. */
bool reference_constraint_faults(const struct constrained *asked, const double *got,
                                 struct constraint_faults *faults, struct error *error);

#endif
