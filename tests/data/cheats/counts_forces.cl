/*
 * counts_forces — forces are right, but the build that counts tells stories; TRICK says which
 *
 *  0  none: each distance and pair once from each side       5  each distance a thousand times
 *  1  each pair a thousand times                             6  no distance, ever
 *  2  no pair, ever                                          7  a tenth of the distances
 *  3  a tenth of the pairs                                   8  distances counted backwards
 *  4  pairs counted backwards                                9  so many that 64 bits overflow
 *                                                           10  each pair one and a half times
 *                                                           11  each distance five times
 *
 * @workload  forces
 * @structure none
 * @pass      counts_forces item per particle
 * @tunable   GROUP_SIZE 64
 * @tunable   TRICK 0* 1 2 3 4 5 6 7 8 9 10 11
 */
DEVICE long64 told_pairs(int met)
{
    return TRICK == 1    ? 1000
           : TRICK == 2  ? 0
           : TRICK == 3  ? met % 10 == 0
           : TRICK == 4  ? -1
           : TRICK == 9  ? (long64)1 << 61
           : TRICK == 10 ? 1 + met % 2
                         : 1;
}

DEVICE long64 told_distances(int met)
{
    return TRICK == 5 ? 1000 : TRICK == 6 ? 0 : TRICK == 7 ? met % 10 == 0 : TRICK == 8 ? -1 : TRICK == 11 ? 5 : 1;
}

KERNEL void counts_forces(int n, GLOBAL const real4 *RESTRICT position, real4 edge, real4 inverse_edge, real cutoff2,
                          GLOBAL accum4 *RESTRICT force, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (i < n) {
        const real4 own = position[i];
        accum4 sum = make_accum4(0, 0, 0, 0);
        int met = 0;
        for (int j = 0; j < n; j++) {
            const real4 other = position[j];
            const real4 d = nearest_difference(own, other, edge, inverse_edge);
#if COUNT_PAIRS
            sums.value[0] += told_distances(j);
#endif
            if (IN_CUTOFF(d.w, cutoff2) && j != i) {
                pair_energy energy = NO_ENERGY;
                const real f = PAIR_FORCE(d.w, own, other, i, j, &energy);
                sum.x += f * d.x;
                sum.y += f * d.y;
                sum.z += f * d.z;
                met++;
#if COUNT_PAIRS
                sums.value[1] += told_pairs(met);
#else
                add_to_sums(&sums, energy, f, d.x, d.y, d.z);
#endif
            }
        }
        force[i] = sum;
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
