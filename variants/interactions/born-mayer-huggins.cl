/*
 * born-mayer-huggins — of ions in molten salts: U(r) = A exp((sigma - r)/rho) - C/r^6 - D/r^8, cut off without a shift
 *
 * The charges of the ions are not in it: add ewald-real. Falls to minus infinity as r goes to 0. A root, an
 * exponential and two reciprocals a pair. The presets have their minimum, -0.55, at r = 1.046.
 *
 * @term van_der_waals
 * @parameter A 1 factor of the repulsion: its energy at r = sigma, energy
 * @parameter sigma 1 positive sum of the ions' radii, length
 * @parameter rho 0.08 positive decay length of the repulsion, length
 * @parameter C 1 factor of the dipole-dipole dispersion, energy times length^6
 * @parameter D 0.5 factor of the dipole-quadrupole dispersion, energy times length^8
 * @flops distance 9 three differences, three squares, two sums, one comparison
 * @flops pair 26 root and exponential as one each, reciprocals, powers, force over distance (20); three
 *   multiply-adds of the force
 * @source M. L. Huggins, J. E. Mayer, J. Chem. Phys. 1 (1933) 643; F. G. Fumi, M. P. Tosi, J. Phys. Chem. Solids 25
 *   (1964) 31
 */
#define LOG2_E REAL(1.4426950408889634)

DEVICE real born_mayer_huggins_force_over_r(real r2, real4 particle_i, real4 particle_j, real A, real sigma, real rho,
                                            real C, real D, real *energy)
{
    const real inverse_r = RSQRT(r2);
    const real inverse_r2 = inverse_r * inverse_r;
    const real inverse_r6 = inverse_r2 * inverse_r2 * inverse_r2;
    const real inverse_rho = RECIP_PARAMETER(rho);
    const real repulsion = A * EXP2((sigma - r2 * inverse_r) * (LOG2_E * inverse_rho));
    const real c_term = C * inverse_r6;
    const real d_term = D * inverse_r6 * inverse_r2;
#if WITH_ENERGY
    *energy = repulsion - c_term - d_term;
#endif
    return repulsion * inverse_rho * inverse_r - (REAL(6.0) * c_term + REAL(8.0) * d_term) * inverse_r2;
}
