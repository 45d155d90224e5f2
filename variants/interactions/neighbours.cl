/*
 * neighbours — cutoffs by pairs of types, of lists of neighbours
 *
 * The interaction of workload `neighbours` where it has a --table; it has no pair function but this, which is zero. A table has
 * the cutoff of each pair of types, and pairs of types that it leaves out are no neighbours: PAIR_WITHIN() of
 * variants/neighbours.cl asks it.
 *
 * @term van_der_waals
 * @flops distance 8 three differences, three squares, two sums
 * @flops pair 1 the comparison with the cutoff of the types
 */
DEVICE real neighbours_force_over_r(real r2, real4 particle_i, real4 particle_j, real *energy)
{
    *energy = REAL(0.0);
    return REAL(0.0);
}
