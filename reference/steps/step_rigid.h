/*
 * step_rigid — rigid waters among the particles of the reference's integrator, and what errors
 * become in them. Private to reference/.
 *
 * Molecules are found anew from the box's numbers; constraints are solved by Newton's iteration in
 * double, velocities by one linear system. With r_c the sides, w one over a mass and A the
 * matrix of rows r_c / (L_c sqrt(w_i + w_j)) in mass-weighted coordinates, s its least singular
 * value (s^2 >= 4 det(A A^T) / 9, its diagonal being one), errors are kept per molecule as
 * E = sqrt(sum of m_i e_i^2), of positions X and of velocities V, so that e_i <= E / sqrt(m_i).
 *
 * Taking from velocities what changes sides is an orthogonal projection, which makes V no larger;
 * that its directions are off by 2 e / L adds 2 sqrt(3) (2 e / L) U / s, with U the mass-weighted
 * length of velocities about the centre.
 *
 * Moving to the rigid triangle projects along the sides before the drift onto those after it. With
 * t the largest change of a side over its length, k = 1 / sqrt(1 - 3 t^2 / s^2) bounds that
 * projection. C is the mass-weighted length of what is corrected and q what positions are rounded
 * by; sides of both arithmetics have their length up to rounding, so that X before the step
 * changes sides by z = 4 q + 2 e^2 / L + 2 t e at most:
 *
 *   X' = k (X + (C / s) (2 e / L)) + R
 *   V' = k V + (k / h) (sqrt(3) z u / s + (C / s) (2 e / L)) + R / h
 *
 * R = 100 w L sqrt(sum of m) for the roundings of the solution itself, u the largest
 * 1 / sqrt(w_i + w_j), h how long the drift lasts, w the unit of rounding of velocities.
 */
#ifndef PAIRMARK_REFERENCE_STEPS_STEP_RIGID_H
#define PAIRMARK_REFERENCE_STEPS_STEP_RIGID_H

#include "reference/steps/step_motion.h"

/* Of rules that say settle; else nothing. STATUS_UNSUPPORTED for molecules of other shapes. */
bool step_rigid_begin(struct motion *motion, struct error *error);
void step_rigid_free(struct step_rigid *rigid);

/* To be called before a drift, and after it, of the whole step or of half of it; the second may be
 * refused. */
void step_rigid_note(struct motion *motion);
bool step_rigid_place(struct motion *motion, struct error *error);
/* After the last kick. */
void step_rigid_velocities(struct motion *motion);
/* The kinetic energy of velocities from which what changes sides is taken; these stay. */
double step_rigid_kinetic(const struct motion *motion);

#endif
