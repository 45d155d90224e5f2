/*
 * rational — a switching function: s(r) = (1 - x^n) / (1 - x^m), x = (r - d0) / r0; 1 at r <= d0, 0 beyond dmax
 *
 * What a coordination number adds up. Stretched to end at 0 where dmax is finite: s * stretch + shift. Both s and its
 * derivative are quotients of polynomials whose terms all have one sign: with w = x^g, g the greatest common divisor
 * of n and m, p = n/g and q = m/g,
 *
 *   s = P / Q,  P = 1 + w + ... + w^(p-1),  Q = 1 + w + ... + w^(q-1)
 *   ds/dw = -w^(p-1) D / Q^2,  D = sum over j <= q-2 of min(p (j+1), (q-p) (q-1-j)) w^j     (n < m)
 *
 * so that nothing cancels at any x, 1 among them. For n > m, ds/dw is w^(q-1) D / Q^2, with p and q exchanged in D.
 * Where powers of x could overflow (dmax far away or infinite, in the precision at hand) x > 1 is computed from 1/x: P
 * and Q are their own mirror images, D is that of q-p and q. With d0 = 0 and even g no root is needed: n = 6, m = 12
 * takes eight operations, one of them a reciprocal.
 *
 * Definitions: RATIONAL_STEP, RATIONAL_P, RATIONAL_Q (whole numbers), RATIONAL_ROOT (0: the base z is r2/r0^2; 1: it
 * is x), w = z^STEP, RATIONAL_SCALE (1/r0^2 or 1/r0), RATIONAL_SLOPE (what -(1/r) ds/dr has as its constant factor),
 * RATIONAL_STRETCH, RATIONAL_SHIFT, RATIONAL_DIRECT (1: powers of z cannot overflow). dmax is 0 where there is none.
 *
 * @parameter r0 1 positive where x = 1, beyond d0, length
 * @parameter n 6 positive exponent of the numerator, a whole number
 * @parameter m 0 not_negative exponent of the denominator, a whole number; 0: 2n
 * @parameter d0 0 up to where it is 1, length
 * @parameter dmax inf positive where it ends, length; inf: nowhere; not given: d0 + r0 (1e-5)^(1/(n-m))
 * @cutoff dmax
 * @flops distance 9 three differences, three squares, two sums, one comparison
 * @flops pair 14 of n = 6, m = 12, d0 = 0: powers, reciprocal as one, force over distance (8); three multiply-adds of
 *   the force
 * @source definition: PLUMED 2, G. A. Tribello et al., Comput. Phys. Commun. 185 (2014) 604
 */
#if RATIONAL_P < RATIONAL_Q
#define RATIONAL_LEAST RATIONAL_P
#define RATIONAL_MOST RATIONAL_Q
#else
#define RATIONAL_LEAST RATIONAL_Q
#define RATIONAL_MOST RATIONAL_P
#endif
/* Less than this is a distance of zero: it has no direction, and its reciprocal overflows. */
#if REAL_IS_DOUBLE
#define RATIONAL_TINY REAL(1e-300)
#else
#define RATIONAL_TINY REAL(1e-37)
#endif

/* x^exponent, 0 <= exponent < 1024; the compiler knows the exponent and leaves the needed products. */
DEVICE real rational_power(real x, int exponent)
{
    real power = REAL(1.0);
    for (int bit = 0; bit < 10; bit++) {
        if ((exponent >> bit) & 1) {
            power *= x;
        }
        x *= x;
    }
    return power;
}

/* 1 + w + ... + w^(terms-1) */
DEVICE real rational_sum(real w, int terms)
{
    real sum = terms > 1 ? w + REAL(1.0) : REAL(1.0);
    for (int k = 2; k < terms; k++) {
        sum = FMA(sum, w, REAL(1.0));
    }
    return sum;
}

/* D of p = least and q = most. */
DEVICE real rational_slope_sum(real w, int least, int most)
{
    real sum = (real)(most - least);
    for (int j = most - 3; j >= 0; j--) {
        sum = FMA(sum, w, j < most - least ? (real)(least * (j + 1)) : (real)((most - least) * (most - 1 - j)));
    }
    return sum;
}

/* s and factor * |ds/dz| / STEP, unstretched, of z >= 0. */
DEVICE real rational_of(real z, real factor, real *slope)
{
#if !RATIONAL_DIRECT
    if (z > REAL(1.0)) {
        const real y = RECIP(z);
        const real v = rational_power(y, RATIONAL_STEP);
        const real inverse_q = RECIP(rational_sum(v, RATIONAL_Q));
        const real ratio = rational_sum(v, RATIONAL_P) * inverse_q;
        const real d = rational_slope_sum(v, RATIONAL_MOST - RATIONAL_LEAST, RATIONAL_MOST) * inverse_q * inverse_q;
#if RATIONAL_P < RATIONAL_Q
        const real decay = rational_power(y, RATIONAL_STEP * (RATIONAL_Q - RATIONAL_P));
        *slope = factor * (decay * y * d);
        return decay * ratio;
#else
        const real growth = rational_power(z, RATIONAL_STEP * (RATIONAL_P - RATIONAL_Q) - 1);
        *slope = factor * (growth * d);
        return growth * z * ratio;
#endif
    }
#endif
    const real w = rational_power(z, RATIONAL_STEP);
    const real inverse_q = RECIP(rational_sum(w, RATIONAL_Q));
    const real d = rational_slope_sum(w, RATIONAL_LEAST, RATIONAL_MOST) * (inverse_q * inverse_q);
#if RATIONAL_ROOT && RATIONAL_STEP * RATIONAL_LEAST > 1
    /* The factor holds 1/r: x/r first, so that only what is small itself underflows. */
    *slope = (factor * z) * rational_power(z, RATIONAL_STEP * RATIONAL_LEAST - 2) * d;
#else
    *slope = factor * rational_power(z, RATIONAL_STEP * RATIONAL_LEAST - 1) * d;
#endif
    return rational_sum(w, RATIONAL_P) * inverse_q;
}

DEVICE real rational_force_over_r(real r2, real4 particle_i, real4 particle_j, real r0, real n, real m, real d0,
                                  real dmax, real *energy)
{
    real slope;
#if RATIONAL_ROOT
    const real inverse_r = r2 > RATIONAL_TINY ? RSQRT(r2) : REAL(0.0);
    /* Powers of x magnify the error of a fast root: a step of Newton's leaves the last rounding. */
    const real guess = r2 * inverse_r;
    const real r = FMA(FMA(-guess, guess, r2), REAL(0.5) * inverse_r, guess);
    const real z = (r - d0) * RATIONAL_SCALE;
    const real factor = RATIONAL_SLOPE * inverse_r;
    if (z <= REAL(0.0)) {
#if WITH_ENERGY
        *energy = REAL(1.0);
#endif
        return REAL(0.0);
    }
#else
    const real z = r2 * RATIONAL_SCALE;
    const real factor = RATIONAL_SLOPE;
#endif
    const real s = rational_of(z, factor, &slope);
#if WITH_ENERGY
    *energy = FMA(s, RATIONAL_STRETCH, RATIONAL_SHIFT);
#endif
    return slope;
}
