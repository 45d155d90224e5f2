/*
 * lj-switch — Lennard-Jones whose force is switched off between `inner` and `outer`: neither it nor its slope jumps
 *
 * The force of each power, n / r^(n+1), n = 12 and 6, gets A (r - inner)^2 + B (r - inner)^3 beyond `inner`, such that it
 * and its slope are 0 at `outer`; the energy is its integral, shifted to be 0 at `outer`, and so inside of `inner`, too.
 *
 * @term van_der_waals
 * @parameter epsilon 1 geometric depth of the well before the shift, energy
 * @parameter sigma 1 positive arithmetic distance at which U was 0, length
 * @parameter inner 2 positive arithmetic up to where the force is that of lj, length
 * @parameter outer 2.5 positive arithmetic from where on it is 0: more than inner, length
 * @flops distance 9 three differences, three squares, two sums, one comparison
 * @flops pair 15 inside of inner: reciprocal, powers, force over distance (9); three multiply-adds of the force
 * @source D. van der Spoel, P. J. van Maaren, J. Chem. Theory Comput. 2 (2006) 1
 */

/* A and B of the power n, less a factor of n outer^-n: the lengths are in units of `outer`. */
DEVICE real lj_switch_a(real n, real inner, real width)
{
    return -((n + REAL(4.0)) - (n + REAL(1.0)) * inner) / (width * width);
}

DEVICE real lj_switch_b(real n, real inner, real width)
{
    return ((n + REAL(3.0)) - (n + REAL(1.0)) * inner) / (width * width * width);
}

/* What the switch adds to n / r^(n+1), over n */
DEVICE real lj_switch_force(real n, real inner, real width, real beyond)
{
    return beyond * beyond * FMA(lj_switch_b(n, inner, width), beyond, lj_switch_a(n, inner, width));
}

/* What it takes off 1 / r^n, over n */
DEVICE real lj_switch_energy(real n, real inner, real width, real beyond)
{
    const real slope = FMA(lj_switch_b(n, inner, width) * REAL(0.25), beyond,
                           lj_switch_a(n, inner, width) * (REAL(1.0) / REAL(3.0)));
    return beyond * beyond * beyond * slope;
}

DEVICE real lj_switch_force_over_r(real r2, real4 particle_i, real4 particle_j, real epsilon, real sigma, real inner,
                                   real outer, real *energy)
{
    const real inverse_r2 = RECIP(r2);
    const real s2 = (sigma * sigma) * inverse_r2;
    const real s6 = s2 * s2 * s2;
    const real inverse_outer = RECIP_PARAMETER(outer);
    const real start = inner * inverse_outer;
    const real width = REAL(1.0) - start;
    const real o2 = (sigma * inverse_outer) * (sigma * inverse_outer);
    const real o6 = o2 * o2 * o2;
    real force = inverse_r2 * s6 * ((REAL(48.0) * epsilon) * s6 - REAL(24.0) * epsilon);
    real beyond = REAL(0.0);
    if (r2 > inner * inner) {
        const real inverse_r = RSQRT(r2);
        beyond = r2 < outer * outer ? FMA(r2 * inverse_r, inverse_outer, -start) : width;
        const real added = REAL(12.0) * o6 * lj_switch_force(REAL(12.0), start, width, beyond) -
                           REAL(6.0) * lj_switch_force(REAL(6.0), start, width, beyond);
        force = FMA((REAL(4.0) * epsilon) * o6 * added, inverse_r * inverse_outer, force);
        force = r2 < outer * outer ? force : REAL(0.0);
    }
#if WITH_ENERGY
    const real shift12 = REAL(1.0) - REAL(12.0) * lj_switch_energy(REAL(12.0), start, width, width) +
                         REAL(12.0) * lj_switch_energy(REAL(12.0), start, width, beyond);
    const real shift6 = REAL(1.0) - REAL(6.0) * lj_switch_energy(REAL(6.0), start, width, width) +
                        REAL(6.0) * lj_switch_energy(REAL(6.0), start, width, beyond);
    const real all = (REAL(4.0) * epsilon) * (s6 * (s6 - REAL(1.0)) - o6 * (o6 * shift12 - shift6));
    *energy = r2 < outer * outer ? all : REAL(0.0);
#endif
    return force;
}
