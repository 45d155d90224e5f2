/*
 * constraints — distances that a step must keep
 *
 * The interaction of workload `constraints` alone; it has no pair function. What it has are words for its kernels. With r the
 * vector from j to i before the step and w one over a mass, a multiplier g of a constraint moves i by g w_i r and j by
 * -g w_j r. Wanted is, of displacements d, that s = r + d_i - d_j has the constraint's length; of velocities v, that
 * r (v_i - v_j) is zero. All is in `accum`: under mixed, positions are floats, and the vectors between them doubles.
 *
 * @parameter tolerance 1e-5 positive how far lengths may be off, relative; of velocities their rates of change, per unit of time
 * @parameter velocities 0 switch 0: displacements are corrected; 1: velocities are
 * @source J.-P. Ryckaert, G. Ciccotti, H. J. C. Berendsen, J. Comput. Phys. 23 (1977) 327
 */
#define CONSTRAIN_VELOCITIES (CONSTRAINTS_VELOCITIES > REAL(0.5))

/* What a constraint still wants: of displacements L^2 - s^2, over 2 s r; of velocities -r v, over r^2. Times r, over the sum
 * of one over the masses, it is the multiplier of the constraint by itself; times the length of r, its change of that. d is
 * d_i - d_j. *off: whether it is beyond the tolerance, of which a hundredth is left to rounding. */
DEVICE accum find_want(accum4 r, accum4 d, accum length, int *off)
{
    const accum most = ACCUM(0.99) * CONSTRAINTS_TOLERANCE;
    if (CONSTRAIN_VELOCITIES) {
        const accum r2 = dot_accum(r, r);
        const accum want = -dot_accum(r, d);
        *off = !(want <= most * r2 && want >= -most * r2);
        return want / r2;
    }
    const accum4 s = add_accum(r, d);
    const accum length2 = length * length;
    const accum want = length2 - dot_accum(s, s);
    *off = !(want <= 2 * most * length2 && want >= -2 * most * length2);
    return want / (2 * dot_accum(s, r));
}
