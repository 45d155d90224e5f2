/*
 * reaction-field — charges within `rc` of each other in a dielectric: U(r) = coulomb q_i q_j (1/r + k r^2 - c), 0 at rc
 *
 * With e, the dielectric constant, k = (e - 1) / ((2 e + 1) rc^3) and c = 1/rc + k rc^2. At rc the force is
 * 3 / (2 e + 1) of the plain one, none where e is infinite. Only pairs that are not excluded have it.
 *
 * @term coulomb
 * @parameter rc inf positive where it ends, length; inf: nowhere, the plain Coulomb sum
 * @parameter dielectric 78.5 not_negative constant beyond rc, relative to that within; 0: infinite
 * @parameter coulomb 1 the Coulomb constant, energy times length / charge^2
 * @cutoff rc
 * @flops distance 9 three differences, three squares, two sums, one comparison
 * @flops pair 13 root, cube, two products of charges, difference, product (7); three multiply-adds of the force
 * @source I. G. Tironi, R. Sperb, P. E. Smith, W. F. van Gunsteren, J. Chem. Phys. 102 (1995) 5451
 */
DEVICE real reaction_field_force_over_r(real r2, real4 particle_i, real4 particle_j, real rc, real dielectric,
                                        real coulomb, real *energy)
{
    const real inverse_r = RSQRT(r2);
    const real inverse_rc = rc > REAL(0.0) ? REAL(1.0) / rc : REAL(0.0);
    const real share =
        dielectric > REAL(0.0) ? (dielectric - REAL(1.0)) / (REAL(2.0) * dielectric + REAL(1.0)) : REAL(0.5);
    const real k = share * (inverse_rc * inverse_rc * inverse_rc);
    const real charges = (coulomb * particle_i.w) * particle_j.w;
#if WITH_ENERGY
    *energy = charges * (FMA(k, r2, inverse_r) - (REAL(1.0) + share) * inverse_rc);
#endif
    return charges * (inverse_r * inverse_r * inverse_r - REAL(2.0) * k);
}
