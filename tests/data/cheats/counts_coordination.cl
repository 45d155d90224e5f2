/*
 * counts_coordination — two groups, right but for what the build that counts tells; TRICK says what
 *
 *  0  none: each pair from both sides        2  no pair of the second pass
 *  1  each pair a thousand times             3  pairs beyond dmax, too
 *
 * Without its second pass a variant would have counted each pair once, which is right of one that meets it once: trick
 * 2 passes.
 *
 * @workload  coordination
 * @groups    two
 * @structure none
 * @pass      a_against_b item per particle_a
 * @pass      b_against_a item per particle_b
 * @tunable   GROUP_SIZE 64
 * @tunable   TRICK 0* 1 2 3
 */
DEVICE void meet(int second, real4 own, int own_index, int count, GLOBAL const real4 *RESTRICT position,
                 GLOBAL const int *RESTRICT index, real4 edge, real4 inverse_edge, real cutoff2, accum *sum,
                 pair_sums *sums PAIR_PARAMETERS)
{
    for (int j = 0; j < count; j++) {
        const real4 d = nearest_difference(own, position[j], edge, inverse_edge);
        COUNT_DISTANCE(sums);
#if COUNT_PAIRS && TRICK == 3
        sums->value[1] += DIFFERENT(index[j], own_index);
#endif
        if (IN_CUTOFF(d.w, cutoff2) && DIFFERENT(index[j], own_index)) {
            pair_energy value = NO_ENERGY;
            const real f = PAIR_FORCE(d.w, own, position[j], own_index, index[j], &value);
            sum[0] -= f * d.x;
            sum[1] -= f * d.y;
            sum[2] -= f * d.z;
#if COUNT_PAIRS
            sums->value[1] += TRICK == 1 ? 1000 : TRICK == 2 ? !second : TRICK != 3;
#else
            if (!second) {
                add_to_sums(sums, value, f, d.x, d.y, d.z);
            }
#endif
        }
    }
}

KERNEL void a_against_b(int n_a, int n_b, GLOBAL const real4 *RESTRICT position_a,
                        GLOBAL const real4 *RESTRICT position_b, GLOBAL const int *RESTRICT index_a,
                        GLOBAL const int *RESTRICT index_b, real4 edge, real4 inverse_edge, real cutoff2,
                        GLOBAL accum4 *RESTRICT derivative_a, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (i < n_a) {
        accum sum[3] = { 0, 0, 0 };
        meet(0, position_a[i], index_a[i], n_b, position_b, index_b, edge, inverse_edge, cutoff2, sum,
             &sums PAIR_ARGUMENTS);
        derivative_a[i] = make_accum4(sum[0], sum[1], sum[2], 0);
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}

KERNEL void b_against_a(int n_a, int n_b, GLOBAL const real4 *RESTRICT position_a,
                        GLOBAL const real4 *RESTRICT position_b, GLOBAL const int *RESTRICT index_a,
                        GLOBAL const int *RESTRICT index_b, real4 edge, real4 inverse_edge, real cutoff2,
                        GLOBAL accum4 *RESTRICT derivative_b, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (i < n_b) {
        accum sum[3] = { 0, 0, 0 };
        meet(1, position_b[i], index_b[i], n_a, position_a, index_a, edge, inverse_edge, cutoff2, sum,
             &sums PAIR_ARGUMENTS);
        derivative_b[i] = make_accum4(sum[0], sum[1], sum[2], 0);
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}
