/*
 * lj-shift — Lennard-Jones, its energy shifted: U(r) = 4 epsilon ((sigma/r)^12 - (sigma/r)^6), less what that is at `zero`
 *
 * The force is that of lj. With `zero` where the pair is cut off, the cutoff or the term's own, no pair's energy jumps.
 *
 * @term van_der_waals
 * @parameter epsilon 1 geometric depth of the well before the shift, energy
 * @parameter sigma 1 positive arithmetic distance at which U was 0, length
 * @parameter zero 2.5 positive arithmetic distance at which U is 0, length
 * @flops distance 9 three differences, three squares, two sums, one comparison
 * @flops pair 15 reciprocal, powers, force over distance (9); three multiply-adds of the force
 * @source M. P. Allen, D. J. Tildesley, Computer Simulation of Liquids, 2nd ed. (2017), 1.3
 */
DEVICE real lj_shift_force_over_r(real r2, real4 particle_i, real4 particle_j, real epsilon, real sigma, real zero,
                                  real *energy)
{
    const real inverse_r2 = RECIP(r2);
    const real s2 = (sigma * sigma) * inverse_r2;
    const real s6 = s2 * s2 * s2;
#if WITH_ENERGY
    const real ratio = sigma * RECIP_PARAMETER(zero);
    const real z2 = ratio * ratio;
    const real z6 = z2 * z2 * z2;
    *energy = (REAL(4.0) * epsilon) * (s6 * (s6 - REAL(1.0)) - z6 * (z6 - REAL(1.0)));
#endif
    return inverse_r2 * s6 * ((REAL(48.0) * epsilon) * s6 - REAL(24.0) * epsilon);
}
