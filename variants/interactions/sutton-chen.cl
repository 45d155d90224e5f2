/*
 * sutton-chen — embedded atoms by powers: copper, in eV and angstrom, unless parameters say otherwise
 *
 * An interaction of workload `eam`; it has no pair function. With x = a / r:
 *
 *   density x^m, pair energy epsilon x^n, embedding energy -epsilon c sqrt(rho)
 *
 * cut off at rc without a shift.
 *
 * @workload eam
 * @parameter epsilon 0.012382 energy
 * @parameter a 3.61 positive length: of the cell of the crystal
 * @parameter n 9 positive power of the pair energy
 * @parameter m 6 positive power of the density
 * @parameter c 39.432 factor of the embedding energy
 * @parameter rc 4.95 positive where pairs end, length
 * @cutoff rc
 * @flops distance 9 three differences, three squares, two sums, one comparison
 * @flops pair 20 fewer than two powers and the sum of three slopes take
 * @source A. P. Sutton and J. Chen, Philos. Mag. Lett. 61 (1990) 139
 */

/* Whole powers, which materials have, by products: the compiler knows `power`. */
DEVICE real sutton_chen_power(real x, real power)
{
    const int whole = (int)power;
    const real x2 = x * x;
    const real x4 = x2 * x2;
    const real x8 = x4 * x4;
    if ((real)whole != power || whole < 0 || whole > 31) {
        return (real)POW(x, power);
    }
    real result = whole & 1 ? x : REAL(1.0);
    result = whole & 2 ? result * x2 : result;
    result = whole & 4 ? result * x4 : result;
    result = whole & 8 ? result * x8 : result;
    return whole & 16 ? result * (x8 * x8) : result;
}

DEVICE real eam_density_of(real r, real inverse_r, int of, int at, EAM_PARAMETERS, real *slope)
{
    const real value = sutton_chen_power(SUTTON_CHEN_A * inverse_r, SUTTON_CHEN_M);
    *slope = -SUTTON_CHEN_M * value * inverse_r;
    return value;
}

DEVICE real eam_pair_of(real r, real inverse_r, int one, int other, EAM_PARAMETERS, real *slope)
{
    const real value = SUTTON_CHEN_EPSILON * sutton_chen_power(SUTTON_CHEN_A * inverse_r, SUTTON_CHEN_N);
    *slope = -SUTTON_CHEN_N * value * inverse_r;
    return value;
}

DEVICE real eam_embedding_of(real rho, int type, EAM_PARAMETERS, real *slope)
{
    const real root = SQRT(rho);
    const real factor = SUTTON_CHEN_EPSILON * SUTTON_CHEN_C;
    *slope = rho > REAL(0.0) ? REAL(-0.5) * factor / root : REAL(0.0);
    return -factor * root;
}
