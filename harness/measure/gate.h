/*
 * gate — decides whether what a variant computed agrees with the reference.
 *
 * The tolerance follows from the conditioning of each number, not from taste. With u the unit
 * roundoff of the arithmetic (2^-24 for float and mixed, 2^-53 for double), v that of the sums
 * (2^-24 for float, 2^-53 for mixed and double), L the length scale, and S_i, T_i and m_i the sum
 * of |f_ij|, the sum of max(|df/dr|, |f|/r) and the number of the terms of particle i:
 *
 *   each component of the force on i   c u (S_i + L T_i) + v sqrt(m_i) S_i
 *   energy                             c u (sum|u| + L sum|f|) + v sqrt(m) sum|u|
 *   van der Waals and Coulomb energy   the same over the terms of one kind, where there are both
 *   each of the nine virials           c u (sum r|f| + L sum(|f| + r max(|df/dr|, |f|/r)))
 *                                        + v sqrt(m) sum r|f|
 *
 * where m is twice the number of pairs, and c = GATE_FACTOR = 4. Why these:
 *
 * - Subtracting two coordinates and taking the nearest image errs by at most u L for the difference
 *   (which may be as long as the cell) and u L/2 for the image, an axis; along the pair, in three
 *   dimensions, sqrt(3) times that: 2.6 u L. Such an error moves the force by T_i per unit length.
 * - Squaring and adding errs by 3u in r^2, inverting it by 1 to 5u (OpenCL allows 2.5 ulp), a cube
 *   by 3u. However high the power in which they appear, all of these are errors of r of relative
 *   size e/2, e/6: together under 4 u r, mostly far less, and they move the force by u r T_i. As
 *   r <= L/2 in a periodic box, this is the rest of c u L T_i.
 * - What is left moves the pair's force itself, by a few u |f|: the last difference of powers, the
 *   prefactor, the product with the displacement. As T_i L >= S_i, there are 8u for it.
 * - Roots, exponentials and erfc are of r, and so are their arguments' errors: r is good to 3u, a
 *   product such as alpha r or (sigma - r) / rho to 2u of its terms, parameters in float to u. An
 *   error e r of r moves the force by e r T_i however steep the exponential is: it is counted with
 *   the line before. The functions themselves err by up to 2 ulp = 4u (exp on CUDA), 3 ulp (exp in
 *   OpenCL) or 4 ulp = 8u (erfc on CUDA) of a term; of OpenCL's 16 ulp for erfc no more than 2 are
 *   met. A term's |f|/r and, in a periodic box, L >= 2r give 12u |f| and more for them.
 * - In a sum of pair functions S_i, T_i and their like are sums over the terms of each pair, not
 *   over pairs: attraction and repulsion cancel, the errors of computing them do not.
 * - A running sum of m terms errs by at most (m-1) v S, and by about sqrt(m) v |partial sums| when
 *   the roundings are not all of one sign (Higham and Mary, SIAM J. Sci. Comput. 41, A2815, 2019).
 *   The partial sums of a force are far smaller than S, for its terms point everywhere; those of
 *   the energy are half of S on average, with a rounding of v/2. sqrt(m) S is therefore several
 *   standard deviations, and a sum that errs by m v S, as one does that goes on to add terms too
 *   small to change it, is reported as what it is: wrong.
 *
 * Of a coordination, forces are the derivatives dS/dx, the energy is the value and the virials are
 * the box derivatives: they are sums of the same terms, and judged alike.
 *
 * Two allowances stand beside these. A pair whose distance is within c u (L + cutoff) of the
 * cutoff, or a term of one as close to the cutoff of its own (L in the place of a cutoff that is
 * infinite), may be counted or not; each particle that has such a pair may be off by that pair's
 * force, and the energy and the virial by its terms. Where all pairs of a periodic box count at
 * their nearest images, so may the sign be of a component of the force of a pair half an edge
 * apart. And numbers that underflow may be flushed to
 * zero.
 *
 * How small a wrong pair force may be before it hides in the tolerance of its particle follows from
 * the first line: about 4 u L T_i. A Lennard-Jones liquid at density 0.84 has T_i of some 1300, so
 * that is 3e-3 at L = 10 and 3e-2 at L = 100 in float, 6e-12 and 6e-11 in double, where the pair
 * force at a cutoff of 2.5 is 4e-2. Bugs that touch the weakest pairs alone are therefore looked
 * for in small boxes or in double.
 *
 * Every comparison is written as error <= tolerance, so that NaN and infinities fail.
 */
#ifndef PAIRMARK_MEASURE_GATE_H
#define PAIRMARK_MEASURE_GATE_H

#include "measure/measure.h"
#include "reference/reference.h"

enum {
    GATE_FACTOR = REFERENCE_EDGE_WIDTH, /* c: no wider than the reference lists edge pairs */
    /* Fill outputs with this byte before a run that is to be checked: all bits set is a NaN both in
     * float and in double, and -1 in an integer, so that a number that no kernel wrote fails. */
    GATE_POISON_BYTE = 0xFF
};

/* Compares what `outputs` asks for and fills in the whole of *verdict (bitwise_repeatable as not
 * known). `length_scale` is box_length_scale(); the reference's own is taken where it is longer.
 *
 *   STATUS_OK           every number is within its tolerance
 *   STATUS_WRONG        some are not: the message names the worst first, with the particle (counted
 *                       from 1), the component, what was got and expected, and the tolerance
 *   STATUS_UNSUPPORTED  the reference itself is not finite, or does not fit the arithmetic: names
 *                       the particles, which coincide or nearly so
 *   STATUS_OUT_OF_MEMORY
 *
 * Relative errors are 0 where exact, and infinite where the number is not finite or is compared
 * with zero. */
void gate_compare(const struct reference *reference, double length_scale, enum precision precision,
                  enum outputs outputs, const struct evaluation *evaluation,
                  struct verdict *verdict);

#endif
