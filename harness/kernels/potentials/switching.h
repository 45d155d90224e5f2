/*
 * switching — the rational switching function s(r) of a coordination number, as PLUMED defines it.
 *
 * x = (r - d0) / r0. s(x) = (1 - x^n) / (1 - x^m), 1 for x <= 0, 0 for r > dmax. With a finite dmax
 * it is stretched to end at zero: s * stretch + shift, stretch = 1 / (s(0) - s(dmax)), shift =
 * -s(dmax) * stretch.
 *
 * Source: PLUMED 2 manual, "switchingfunction" (G. Tribello et al., Comput. Phys. Commun. 185
 * (2014) 604).
 */
#ifndef PAIRMARK_KERNELS_POTENTIALS_SWITCHING_H
#define PAIRMARK_KERNELS_POTENTIALS_SWITCHING_H

#include "kernels/potentials/interaction.h"

struct switching {
    double r0, d0;
    int n, m;              /* m is never 0: 2n was put in its place */
    double dmax;           /* INFINITY: none */
    double stretch, shift; /* 1 and 0 without a dmax */
    int common; /* greatest common divisor of n and m: s is a quotient of polynomials in x^common */
};

/* Completes an interaction that has the function `rational` (does nothing to others): m = 0 becomes
 * 2n, a dmax that was not given becomes d0 + r0 (1e-5)^(1/(n-m)), and the function's own cutoff
 * becomes dmax. Called by interaction_parse(). STATUS_BAD_INPUT naming the parameter: r0 <= 0, n or
 * m not a positive whole number of at most 1000, n = m, n > m without a finite dmax, dmax <= d0 or
 * <= 0, d0 not finite, s(0) - s(dmax) under 1e-30 or s above 1e30. */
bool switching_complete(struct interaction *interaction, struct error *error);

/* Whether no power of x met on the way to s and ds/dr, for 0 <= x <= (dmax - d0) / r0, nor its
 * square, reaches 2^largest_exponent: then both may be computed from powers of x as they stand. */
bool switching_is_direct(const struct switching *switching, double largest_exponent);

/* The function's parameters and what follows from them; false when the interaction has no
 * `rational`. */
bool switching_of(const struct interaction *interaction, struct switching *switching);

#endif
