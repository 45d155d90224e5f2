/*
 * bonded_term — one bonded term in long double: its energy, the forces on its particles, and what
 * errors of the inputs do to both. Private to reference/.
 *
 * A term is E(q) of one coordinate q of its particles: a distance, an angle, a torsion. Where q has
 * no derivative the term has an energy and no forces: particles of a bond in one place; an angle of
 * 0 or 180 degrees, or with a side of length 0, which counts as 0 degrees; a torsion three of whose
 * particles in a row are on one line, which counts as phi = 0. With x_a the position of particle a
 * and g_a = |dq/dx_a|:
 *
 *   scale of a    |force on a|, and what the parameters' errors do to it
 *   slope of a    d|force on a| / d(positions) at most: |E''| g_a sum(g) + |E'| h_a, with h_a the
 *                 second derivatives of q
 *
 * Near such places the direction of a force is as uncertain as the positions are: h grows as one
 * over the sine of the angle there. A sine smaller than `blur` over the shortest side cannot be
 * told from zero and is taken for that. Where a force itself grows without bound, that of an angle
 * as a side becomes short, that of a torsion as three particles come onto a line, slopes are
 * infinite from ten blurs on, but for the very place.
 */
#ifndef PAIRMARK_REFERENCE_TERMS_BONDED_TERM_H
#define PAIRMARK_REFERENCE_TERMS_BONDED_TERM_H

#include "kernels/potentials/bonded.h"

/* What a term comes to. */
struct bonded_result {
    long double coordinate; /* q: a length, or radians */
    long double energy;
    long double force[BONDED_MAX_ATOMS][3]; /* minus the gradient of the energy */
    long double virial[9];                  /* sum of x (outer) force, row-major */
    double scale[BONDED_MAX_ATOMS];
    double slope[BONDED_MAX_ATOMS];
    double energy_scale, energy_slope; /* sizes of what is added; |E'| sum(g) */
    double virial_scale, virial_slope; /* sums over particles of r scale and of scale + r slope */
};

struct formula;
struct text_program;

/* An energy that a file says; see struct bonded_energy. Both NULL: the kind's own is meant. */
struct written_energy {
    struct formula *formula;   /* of an expression */
    struct text_program *text; /* of kernel text (text_term.h) */
    const struct bonded_energy *said;
};

/* `step` are the bond vectors between successive particles of the term: x[a + 1] - x[a], to the
 * nearest image. `blur` is by how much a position may be off. */
void bonded_term_evaluate(enum bonded_kind kind, const double *parameter, long double step[3][3],
                          double blur, struct bonded_result *result);
/* The same of an energy that may be written. */
struct kernel_term;
void bonded_term_evaluate_written(enum bonded_kind kind, const struct written_energy *written,
                                  const struct kernel_term *term, long double step[3][3],
                                  double blur, struct bonded_result *result);

#endif
