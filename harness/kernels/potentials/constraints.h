/*
 * constraints — distances that a step must keep: which there are, what moves, and what of it
 * cannot be.
 *
 * A step begins at the positions of the box, where the lengths need not hold exactly. What each
 * particle would come to without constraints is its displacement: the box's velocity, which stands
 * for one unit of time, or in a box that is made one drawn by the seed. Constraints act along the
 * vectors between particles at the beginning: with s the vector between i and j behind the step,
 * |s| = length is wanted; of velocities, that the vector at the beginning is at right angles to
 * their difference.
 *
 * Constraints are listed terms (bonded.h, LISTED_CONSTRAINTS), of a file or of the box's kind:
 *
 *   water                 rigid molecules: O-H 1, H-H sqrt(8/3)
 *   hydrogens             every hydrogen to its heavy particle, 1.09
 *   oligomers, polymers   particles of a molecule that follow each other, 1
 */
#ifndef PAIRMARK_KERNELS_POTENTIALS_CONSTRAINTS_H
#define PAIRMARK_KERNELS_POTENTIALS_CONSTRAINTS_H

#include "kernels/potentials/bonded.h"

/* Whether a box is of a kind that is made with constraints. Angles may not follow it: a sheared
 * molecule has other lengths. */
bool constraints_kind_has(const char *kind);

/* The constraints that are meant in a box: those given, else the box's own, which are put into
 * *made, to be freed in any case. STATUS_BAD_INPUT, with the line of a file, where a particle is
 * not there, a pair stands twice, a molecule has more constraints than its 3p - 6 internal degrees
 * of freedom (two particles: 1), a length is not below half the least height of the cell, the box
 * has no constraints, or, of a file, no velocities. */
bool constraints_resolve(const struct bonded_terms *given, const struct box *box,
                         struct bonded_terms *made, const struct bonded_terms **terms,
                         struct error *error);

/* The mass of a particle: the box's; in a box that is made, that of its species (C 12.011, H 1.008,
 * N 14.007, O 15.999; others 1). */
double constraints_mass(const struct box *box, size_t i);

/* What a particle would come to without constraints, or its velocity: the box's velocity; in a box
 * that is made, drawn evenly within 0.12 / sqrt(mass) along each axis, and a number that float
 * holds. */
void constraints_displacement(const struct box *box, size_t i, double displacement[3]);

/* Molecules: particles that constraints join, directly or through others. molecule[i] is the number
 * of particle i's, in the order of their first particles; a particle without constraints is one by
 * itself. Returns how many there are. */
size_t constraints_molecules(const struct bonded_list *list, size_t n, int32_t *molecule);

#endif
