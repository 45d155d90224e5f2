/*
 * buckingham — exponential repulsion and dispersion: U(r) = A exp(-r/rho) - C/r^6, cut off without a shift
 *
 * Falls to minus infinity as r goes to 0: particles must stay outside the maximum. A root, an exponential and two
 * reciprocals a pair. The presets have their minimum, -1.07, at r = 0.995: near that of lj.
 *
 * @term van_der_waals
 * @parameter A 250000 factor of the repulsion, energy
 * @parameter rho 0.08 positive its decay length, length
 * @parameter C 2 factor of the dispersion, energy times length^6
 * @flops distance 9 three differences, three squares, two sums, one comparison
 * @flops pair 21 root and exponential as one each, reciprocals, powers, force over distance (15); three
 *   multiply-adds of the force
 * @source R. A. Buckingham, Proc. R. Soc. Lond. A 168 (1938) 264
 */
#define LOG2_E REAL(1.4426950408889634)

DEVICE real buckingham_force_over_r(real r2, real4 particle_i, real4 particle_j, real A, real rho, real C,
                                    real *energy)
{
    const real inverse_r = RSQRT(r2);
    const real inverse_r2 = inverse_r * inverse_r;
    const real inverse_rho = RECIP_PARAMETER(rho);
    const real repulsion = A * EXP2(r2 * inverse_r * (-LOG2_E * inverse_rho));
    const real dispersion = C * (inverse_r2 * inverse_r2 * inverse_r2);
#if WITH_ENERGY
    *energy = repulsion - dispersion;
#endif
    return repulsion * inverse_rho * inverse_r - REAL(6.0) * dispersion * inverse_r2;
}
