/*
 * tersoff_term — the bonds of a centre by Tersoff, in long double, with what errors do to them.
 * Private to reference/.
 *
 *   energy of a bond ij   fc(r) (A exp(-lambda1 r) - b B exp(-lambda2 r)) / 2
 *   b                     (1 + (beta zeta)^n)^(-1 / (2 n))
 *   zeta                  sum over k of fc(r') g(cos theta) exp((lambda3 (r - r'))^m), m = 1, 3
 *   g                     gamma (1 + c^2 / d^2 - c^2 / (d^2 + (h - cos theta)^2))
 *   fc                    sin^2(pi (R + D - r) / (4 D)) from R - D to R + D, which is
 *                         1/2 - sin(pi (r - R) / (2 D)) / 2
 *
 * r being the length of ij and r' that of another leg ik; the exponent is at most 69. R and D of ij
 * are those of the record i j j, of ik in zeta those of i j k.
 *
 * Bounds. Every number carries how far arithmetic may have it off, in units of u, the unit roundoff
 * of what is judged (running error analysis; N. J. Higham, Accuracy and Stability of Numerical
 * Algorithms, 2002, 3.3). A component of a leg is off by 4 L / sqrt(3), a parameter by itself; an
 * operation adds its own error to what its operands' errors come to by the triangle inequality: 1
 * of a sum or a product, 5 of a quotient, 6 of a root, 8 of an exponential and of a sine, 32 of a
 * power.
 *
 * Where n < 1, the derivative of b by zeta has no bound at zeta = 0, where the only other leg ends.
 * Where zeta may be off by a tenth of itself, over n + 2, the force through a leg k is therefore
 * bounded itself: |fc'| <= pi / (2 D) sqrt(fc), so that with n >= 1/2
 *
 *   |dE/dzeta dzeta/dr'| <= sqrt(Z g e) pi / (2 D) |dE/dzeta|(Z) + (|g'/g| / r' + |e'/e|) t(Z) / 2
 *
 * times fc(r) B exp(-lambda2 r) / 2 in the second term, with Z the largest that zeta may be, e the
 * exponential and t = (beta Z)^n / (1 + (beta Z)^n). A kernel's zeta may be a sixteenth of Z, which
 * makes that four times as much; five times it is allowed for the difference.
 *
 * Sources: J. Tersoff, Phys. Rev. B 37 (1988) 6991, 38 (1988) 9902, 39 (1989) 5566.
 */
#ifndef PAIRMARK_REFERENCE_THREE_BODY_TERSOFF_TERM_H
#define PAIRMARK_REFERENCE_THREE_BODY_TERSOFF_TERM_H

#include <stddef.h>

/* Of the record of a centre, a bond and another leg. */
struct tersoff_numbers {
    double m, gamma, lambda3, c, d, h, n, beta, lambda2, B, R, D, lambda1, A;
};

/* The legs of a centre, to ends of some types. */
struct tersoff_centre {
    size_t legs;
    const long double (*d)[3]; /* of each */
    const int *type;           /* of their ends */
    int types;
    const struct tersoff_numbers *numbers; /* types^2 of the centre's: bond, other leg */
    double length;                         /* the length scale of the box */
    double unit;                           /* unit roundoff of the arithmetic that is judged */
};

/* A number, and how far it may be off, in units of u. */
struct doubtful {
    long double value;
    double doubt;
};

/* What the bond to the end of leg j comes to: the energy, and on the end of every leg the force and
 * the sum of the sizes that are added up to it. Returns 0 where the leg is no bond. */
int tersoff_bond(const struct tersoff_centre *centre, size_t j, struct doubtful *energy,
                 struct doubtful (*force)[3], double *size);

/* How far beyond its end a leg may count by rounding, of lengths up to `length`. */
double tersoff_margin(double length, double unit);

/* How many other legs a bond has that have a part in it. */
size_t tersoff_partners(const struct tersoff_centre *centre, size_t j);

#endif
