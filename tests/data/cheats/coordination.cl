/*
 * coordination — coordination_loop that tries to be paid without working; TRICK says how
 *
 *  0  none: works each time
 *  1  idle unless derivatives are NaN, zero or made of one byte
 *  2  notes in the fourth number of a derivative a hash of the other three, and is idle where it finds it
 *  3  derivatives each time, sums only where the partial sums are NaN or zero
 *
 * @workload  coordination
 * @groups    one
 * @structure none
 * @pass      coordination item per particle
 * @tunable   GROUP_SIZE 64
 * @tunable   TRICK 0* 1 2 3
 */
DEVICE accum tag_of(accum4 d)
{
    const accum mixed = d.x * ACCUM(3.0) + d.y * ACCUM(5.0) + d.z * ACCUM(7.0);
    return mixed * ACCUM(0.375) + ACCUM(1.0);
}

KERNEL void coordination(int n, GLOBAL const real4 *RESTRICT position, real4 edge, real4 inverse_edge, real cutoff2,
                         GLOBAL accum4 *RESTRICT derivative, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    const accum4 left = derivative[i < n ? i : 0];
    int idle = 0;
#if TRICK == 1
    idle = left.x == left.x && left.x != ACCUM(0.0) && left.x != left.y;
#elif TRICK == 2
    idle = left.w == tag_of(left);
#endif
    if (i < n && !idle) {
        const real4 own = position[i];
        accum4 sum = make_accum4(0, 0, 0, 0);
        for (int j = 0; j < n; j++) {
            const real4 d = nearest_difference(own, position[j], edge, inverse_edge);
            COUNT_DISTANCE(&sums);
            if (j != i && IN_CUTOFF(d.w, cutoff2)) {
                pair_energy value = NO_ENERGY;
                const real f = PAIR_FORCE(d.w, own, position[j], i, j, &value);
                sum.x -= f * d.x;
                sum.y -= f * d.y;
                sum.z -= f * d.z;
                add_to_sums(&sums, value, f, d.x, d.y, d.z);
            }
        }
        sum.w = TRICK == 2 ? tag_of(sum) : ACCUM(0.0);
        derivative[i] = sum;
    }
#if TRICK == 1 || TRICK == 2
    /* Partial sums are one group's: left as they are by groups that are idle. */
    LOCAL int works;
    if (LOCAL_ID == 0) {
        works = !idle;
    }
    SYNC_THREADS;
    if (!works) {
        return;
    }
#elif TRICK == 3
    if (partial_sums[0] == partial_sums[0] && partial_sums[0] != ACCUM(0.0)) {
        return;
    }
#endif
    STORE_SUMS(partial_sums, &sums, 0.5);
}
