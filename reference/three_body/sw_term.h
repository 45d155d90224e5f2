/*
 * sw_term — the terms of Stillinger-Weber in long double: energies, forces, and what errors of the
 * inputs do to both. Private to reference/.
 *
 *   pair     phi(r) = A epsilon (B (sigma/r)^p - (sigma/r)^q) exp(sigma / (r - a sigma))
 *   triplet  h = lambda epsilon (cos theta - cos theta0)^2 exp(g1 + g2),
 *            g = gamma sigma / (r - a sigma) of either leg
 *
 * for r < a sigma, and 0 beyond: there all derivatives vanish, so that no pair is at an edge.
 *
 * Bounds. A leg is the vector from the centre to an end. With u the unit roundoff of the
 * arithmetic, an error of a leg moves the force on an end by the norms of blocks of the Hessian of
 * the term, each bounded by the triangle inequality over the derivatives by r1, r2 and c = cos
 * theta: these are the slopes. What is no error of positions is `condition`, in units of u /
 * GATE_FACTOR:
 *
 * - c is a sum of three products over two roots: off by 8 u at most, cos theta0 included, also
 * where the angle is straight and positions hardly move it.
 * - An exponent E = sigma / (r - a sigma) is off by u |E| (2 + (r + a sigma) / (a sigma - r)),
 *   and its derivative relative to itself by twice that quotient.
 * - Functions, products and the sums within a term: 16 u of the sizes that are added (`scale`); a
 *   power by multiplication p u, by pow() 32 u.
 *
 * An exponential that underflows may be lost with all that it multiplies.
 *
 * Source: F. H. Stillinger and T. A. Weber, Phys. Rev. B 31 (1985) 5262.
 */
#ifndef PAIRMARK_REFERENCE_THREE_BODY_SW_TERM_H
#define PAIRMARK_REFERENCE_THREE_BODY_SW_TERM_H

/* Of the two particles of a leg. */
struct sw_pair {
    double epsilon, sigma, a, gamma, A, B, p, q;
};
/* Of a triplet. */
struct sw_angle {
    double lambda_epsilon, cos_theta0;
};

/* From the centre to an end. */
struct sw_leg {
    const struct sw_pair *pair;
    long double d[3], r;
};

enum { SW_CENTRE, SW_FIRST, SW_SECOND, SW_PLACES };

/* What a term comes to: by place the force, the sum of the sizes that are added up to it, its
 * slope and its condition; see struct reference for these and for the sums. */
struct sw_result {
    long double energy, force[SW_PLACES][3], virial[9];
    double scale[SW_PLACES], slope[SW_PLACES], condition[SW_PLACES];
    double energy_scale, energy_slope, virial_scale, virial_slope;
};

/* `unit` is the unit roundoff of the arithmetic that is to be judged. r < a sigma. */
void sw_pair_evaluate(const struct sw_leg *leg, double unit, struct sw_result *result);
void sw_triplet_evaluate(const struct sw_leg *first, const struct sw_leg *second,
                         const struct sw_angle *angle, double unit, struct sw_result *result);

#endif
