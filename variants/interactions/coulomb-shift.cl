/*
 * coulomb-shift — Coulomb, its force shifted to be 0 at `rc`: U(r) = coulomb q_i q_j (1/r - 2/rc + r/rc^2)
 *
 * Energy and force are 0 at rc.
 *
 * @term coulomb
 * @parameter rc inf positive where it ends, length; inf: nowhere, the plain Coulomb sum
 * @parameter coulomb 1 the Coulomb constant, energy times length / charge^2
 * @cutoff rc
 * @flops distance 9 three differences, three squares, two sums, one comparison
 * @flops pair 14 root, square, products (8); three multiply-adds of the force
 * @source M. Levitt, M. Hirshberg, R. Sharon, V. Daggett, Comput. Phys. Commun. 91 (1995) 215
 */
DEVICE real coulomb_shift_force_over_r(real r2, real4 particle_i, real4 particle_j, real rc, real coulomb, real *energy)
{
    const real inverse_r = RSQRT(r2);
    const real inverse_rc = rc > REAL(0.0) ? REAL(1.0) / rc : REAL(0.0);
    const real charges = (coulomb * particle_i.w) * particle_j.w;
#if WITH_ENERGY
    *energy = charges * (inverse_r - inverse_rc * (REAL(2.0) - (r2 * inverse_r) * inverse_rc));
#endif
    return charges * inverse_r * FMA(inverse_r, inverse_r, -(inverse_rc * inverse_rc));
}
