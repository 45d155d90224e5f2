/*
 * finnis-sinclair — embedded atoms by polynomials that end: tungsten, in eV and angstrom, unless parameters say otherwise
 *
 * An interaction of workload `eam`; it has no pair function. With x = r - d:
 *
 *   density           x^2 + beta x^3 / d                          r < d
 *   pair energy       (r - c)^2 (c0 + c1 r + c2 r^2)              r < c
 *   embedding energy  -A sqrt(rho), 0 where rho is not positive
 *
 * @workload eam
 * @parameter A 1.896373 factor of the embedding energy
 * @parameter d 4.400224 positive where densities end, length
 * @parameter beta 0 by how much densities fall at short distances
 * @parameter c 3.25 positive where pair energies end, length
 * @parameter c0 47.1346499 of the pair energy
 * @parameter c1 -33.7665655 likewise, of r
 * @parameter c2 6.2541999 likewise, of r^2
 * @flops distance 9 three differences, three squares, two sums, one comparison
 * @flops pair 20 fewer than three polynomials and the sum of three slopes take
 * @source M. W. Finnis and J. E. Sinclair, Philos. Mag. A 50 (1984) 45; 53 (1986) 161
 */
DEVICE real eam_density_of(real r, real inverse_r, int of, int at, EAM_PARAMETERS, real *slope)
{
    const real x = MIN_REAL(r - FINNIS_SINCLAIR_D, REAL(0.0));
    const real part = FINNIS_SINCLAIR_BETA / FINNIS_SINCLAIR_D * x;
    *slope = x * (REAL(2.0) + REAL(3.0) * part);
    return x * x * (REAL(1.0) + part);
}

DEVICE real eam_pair_of(real r, real inverse_r, int one, int other, EAM_PARAMETERS, real *slope)
{
    const real x = MIN_REAL(r - FINNIS_SINCLAIR_C, REAL(0.0));
    const real sum = FMA(FMA(FINNIS_SINCLAIR_C2, r, FINNIS_SINCLAIR_C1), r, FINNIS_SINCLAIR_C0);
    *slope = x * FMA(x, FMA(REAL(2.0) * FINNIS_SINCLAIR_C2, r, FINNIS_SINCLAIR_C1), REAL(2.0) * sum);
    return x * x * sum;
}

DEVICE real eam_embedding_of(real rho, int type, EAM_PARAMETERS, real *slope)
{
    const real root = SQRT(rho > REAL(0.0) ? rho : REAL(0.0));
    *slope = rho > REAL(0.0) ? REAL(-0.5) * FINNIS_SINCLAIR_A / root : REAL(0.0);
    return -FINNIS_SINCLAIR_A * root;
}
