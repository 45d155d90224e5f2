/*
 * lj — Lennard-Jones: U(r) = 4 epsilon ((sigma/r)^12 - (sigma/r)^6), cut off without a shift
 *
 * Only the squared distance is needed: no root is taken. One reciprocal; the rest multiplies and adds.
 *
 * @term van_der_waals
 * @parameter epsilon 1 geometric depth of the well, energy
 * @parameter sigma 1 positive arithmetic distance at which U = 0, length
 * @flops distance 9 three differences, three squares, two sums, one comparison
 * @flops pair 15 reciprocal, powers, force over distance (9); three multiply-adds of the force
 * @source J. E. Jones, Proc. R. Soc. Lond. A 106 (1924) 463
 */
DEVICE real lj_force_over_r(real r2, real4 particle_i, real4 particle_j, real epsilon, real sigma, real *energy)
{
    const real inverse_r2 = RECIP(r2);
    const real s2 = (sigma * sigma) * inverse_r2;
    const real s6 = s2 * s2 * s2;
#if WITH_ENERGY
    *energy = (REAL(4.0) * epsilon) * s6 * (s6 - REAL(1.0));
#endif
    return inverse_r2 * s6 * ((REAL(48.0) * epsilon) * s6 - REAL(24.0) * epsilon);
}

#if WITH_TYPES
/* The same from 48 epsilon sigma^12 and 24 epsilon sigma^6, which tables of types hold in the place of parameters: half the instructions.
 * Beside a Coulomb term, which takes a root anyway, its square saves the reciprocal; in double that is the cheaper one. */
DEVICE real lj_force_over_r_of_powers(real r2, real twelfth, real sixth, real *energy)
{
#if ENERGIES_APART && !REAL_IS_DOUBLE
    const real inverse_r = RSQRT(r2);
    const real inverse_r2 = inverse_r * inverse_r;
#else
    const real inverse_r2 = RECIP(r2);
#endif
    const real inverse_r6 = inverse_r2 * inverse_r2 * inverse_r2;
#if WITH_ENERGY
    *energy = FMA(twelfth * REAL(0.0833333333333333333), inverse_r6, sixth * REAL(-0.166666666666666667)) * inverse_r6;
#endif
    return FMA(twelfth, inverse_r6, -sixth) * (inverse_r6 * inverse_r2);
}
#endif
