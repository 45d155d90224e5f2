/*
 * steinhardt — the truth of bond order parameters: what every kernel of workload `steinhardt` is
 * compared with.
 *
 * Every particle finds its N neighbours within the cutoff (reference/neighbours). With the complex
 * harmonics of their directions, by recurrences in long double,
 *
 *   q_l = sqrt(4 pi / (2 l + 1) sum over m |sum over neighbours of Y_lm|^2) / N
 *
 * The harmonics of a direction, so scaled, are a vector v of length 1, and q_l is the length of the
 * mean of these: it errs by no more than v does. In the reference that comes of it, the `force` of
 * a particle is q_4, q_6, N:
 *
 * - slope: a neighbour that is moved by e across its direction turns v by sqrt(l (l + 1) / 2) e /
 * r: sqrt(21) times the mean of 1 / r.
 * - condition: the sizes that are added up to the components of v as polynomials of the direction
 * have a root of the sum of squares of less than 64 for l = 6; each errs by 36 u of that, powers of
 * a direction that is as long as 1 + 4 u included: 64 * 36 / GATE_FACTOR.
 * - edge pairs: a neighbour more or less moves the mean by 2 over the number of the others at most,
 *   and N by 1.
 *
 * Source: P. J. Steinhardt, D. R. Nelson, M. Ronchetti, Phys. Rev. B 28 (1983) 784.
 */
#ifndef PAIRMARK_REFERENCE_STEINHARDT_STEINHARDT_H
#define PAIRMARK_REFERENCE_STEINHARDT_STEINHARDT_H

#include "reference/pairs/reference.h"

/* What is asked; the box outlives the call. */
struct steinhardt_asked {
    const struct box *box; /* positions inside the cell */
    double cutoff;
};

/* Of `count` particles, or of all (particle NULL), as reference_compute_some() has them. Errors:
 * STATUS_OUT_OF_MEMORY; STATUS_BAD_INPUT for a coordinate that is not finite, and for a particle
 * that the box lacks. */
bool reference_steinhardt(const struct steinhardt_asked *asked, const uint32_t *particle,
                          size_t count, struct reference *reference, struct error *error);

#endif
