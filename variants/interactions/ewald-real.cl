/*
 * ewald-real — the part of an Ewald sum in real space: U(r) = coulomb q_i q_j erfc(alpha r) / r, cut off without a shift
 *
 * Charges come from the box, in units of e where `coulomb` is one of: 1 in reduced units; 14.399645 eV angstrom / e^2;
 * 1389.35457644 kJ/mol angstrom / e^2. With alpha = 0 it is the plain Coulomb sum: a root per pair, else an
 * exponential and an erfc besides.
 *
 * @term coulomb
 * @parameter alpha 1 not_negative how fast the screening sets in, 1 / length
 * @parameter coulomb 1 the Coulomb constant, energy times length / charge^2
 * @flops distance 9 three differences, three squares, two sums, one comparison
 * @flops pair 20 root, exponential and erfc as one each, products (14); three multiply-adds of the force
 * @source P. P. Ewald, Ann. Phys. 369 (1921) 253
 */
DEVICE real ewald_real_force_over_r(real r2, real4 particle_i, real4 particle_j, real alpha, real coulomb,
                                    real *energy)
{
    const real inverse_r = RSQRT(r2);
    if (alpha == REAL(0.0)) { /* which the compiler knows, but not that erfc(0 r) is 1 and exp(0 r) is, too */
        const real plain = coulomb * (particle_i.w * particle_j.w) * inverse_r;
#if WITH_ENERGY
        *energy = plain;
#endif
        return plain * (inverse_r * inverse_r);
    }
    const real x = alpha * (r2 * inverse_r);
    const real charges = coulomb * (particle_i.w * particle_j.w);
    const real screened = charges * inverse_r * ERFC(x);
    /* 2 / sqrt(pi) */
    const real gradient = (REAL(1.12837916709551257) * alpha) * charges * EXP(-x * x);
#if WITH_ENERGY
    *energy = screened;
#endif
    return (screened + gradient) * (inverse_r * inverse_r);
}
