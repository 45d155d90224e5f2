/*
 * rational — the rational switching function of the reference. Private to reference/.
 *
 * s = (1 - x^n) / (1 - x^m), x = (r - d0) / r0; 1 for r <= d0; stretched to go from 1 at r = 0 to 0
 * at dmax where dmax is finite. Defined at r = 0, where its force is 0.
 */
#ifndef PAIRMARK_REFERENCE_TERMS_RATIONAL_H
#define PAIRMARK_REFERENCE_TERMS_RATIONAL_H

#include "reference/terms/pair.h"

/* Of the parameters r0, n, m, d0, dmax: m that was left open is 2n, dmax the distance at which
 * x^(n-m) falls to 1e-5 (PLUMED 2 manual, "switchingfunction"). What follows from them is put
 * after them: three more numbers. */
void rational_prepare(const struct interaction_parameter *said, double *parameter);

/* Where it ends: dmax. */
double rational_reach(const double *parameter);

/* A pair_evaluate. Good to the last bit of a double but one, unless s nearly cancels with s(dmax).
 */
void rational_evaluate(const double *parameter, const struct pair *pair, struct pair_value *value);

/* The distance at which the second derivative jumps: the larger of d0 and 0. */
double rational_jump(const double *parameter);

#endif
