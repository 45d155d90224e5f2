/*
 * slight — right but for a relative error of 2^-EXPONENT of one number: how small an error does the gate find? (docs/gate.md)
 *
 * WHAT: 1 the force of one pair, the strongest that one particle has, on that particle; 2 the whole force on one
 * particle; 3 the energy; 4 one virial, xx.
 *
 * @workload  forces
 * @structure none
 * @pass      slight item per particle
 * @tunable   GROUP_SIZE 64
 * @tunable   WHAT 1 2 3 4
 * @tunable   EXPONENT 10
 */
DEVICE accum slightly(int wrong)
{
    accum error = 1;
    for (int k = 0; k < EXPONENT; k++) {
        error *= ACCUM(0.5);
    }
    return wrong ? 1 + error : 1;
}

KERNEL void slight(int n, GLOBAL const real4 *RESTRICT position, real4 edge, real4 inverse_edge, real cutoff2,
                   GLOBAL accum4 *RESTRICT force, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (i < n) {
        const real4 own = position[i];
        accum4 sum = make_accum4(0, 0, 0, 0);
        accum4 strongest = make_accum4(0, 0, 0, 0); /* its square in w */
        for (int j = 0; j < n; j++) {
            const real4 other = position[j];
            const real4 d = nearest_difference(own, other, edge, inverse_edge);
            COUNT_DISTANCE(&sums);
            if (IN_CUTOFF(d.w, cutoff2) && j != i) {
                pair_energy energy = NO_ENERGY;
                const real f = PAIR_FORCE(d.w, own, other, i, j, &energy);
                sum.x += f * d.x;
                sum.y += f * d.y;
                sum.z += f * d.z;
                if (f * f * d.w > strongest.w) {
                    strongest = make_accum4(f * d.x, f * d.y, f * d.z, f * f * d.w);
                }
                add_to_sums(&sums, energy, f, d.x, d.y, d.z);
            }
        }
        const accum of_pair = slightly(WHAT == 1 && i == n / 2) - 1;
        const accum of_force = slightly(WHAT == 2 && i == n / 2);
        force[i] = make_accum4(of_force * sum.x + of_pair * strongest.x, of_force * sum.y + of_pair * strongest.y,
                               of_force * sum.z + of_pair * strongest.z, 0);
    }
#if WITH_VIRIAL && !COUNT_PAIRS
    sums.value[0] *= slightly(WHAT == 3);
    sums.value[1] *= slightly(WHAT == 4);
#endif
    STORE_SUMS(partial_sums, &sums, 0.5);
}
