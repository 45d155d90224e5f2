/*
 * coordination_loop — one particle a work-item, against all others, read straight from global memory
 *
 * The simplest kernel that is right. Work-item i meets every other particle and adds up its own derivative; no
 * atomics. Value and box derivatives are taken from the pairs i < j alone, so that each pair is counted once and
 * half of the loop does less. The two halves are two loops and no branch inside one: all work-items of a group
 * change from the one to the other at nearly the same step. Limited by the arithmetic of n * n distances.
 *
 * @workload  coordination
 * @groups    one
 * @structure none
 * @pass      coordination_loop item per particle
 * @tunable   GROUP_SIZE 64 128* 256
 * @source    getSelfCoord of PLUMED's CUDA coordination plugin (plumed2, plugins/cudaCoord), which halves by i < j
 */
KERNEL void coordination_loop(int n, GLOBAL const real4 *RESTRICT position, real4 edge, real4 inverse_edge, real cutoff2,
                              GLOBAL accum4 *RESTRICT derivative, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (i < n) {
        const real4 own = position[i];
        accum x = 0;
        accum y = 0;
        accum z = 0;
        for (int j = 0; j < i; j++) {
            const real4 other = position[j];
            const real4 d = nearest_difference(own, other, edge, inverse_edge);
            COUNT_DISTANCE(&sums);
            if (IN_CUTOFF(d.w, cutoff2)) {
                pair_energy value = NO_ENERGY;
                const real f = PAIR_FORCE(d.w, own, other, i, j, &value);
                x -= f * d.x;
                y -= f * d.y;
                z -= f * d.z;
#if COUNT_PAIRS
                add_to_sums(&sums, value, f, d.x, d.y, d.z);
#endif
            }
        }
        for (int j = i + 1; j < n; j++) {
            const real4 other = position[j];
            const real4 d = nearest_difference(own, other, edge, inverse_edge);
            COUNT_DISTANCE(&sums);
            if (IN_CUTOFF(d.w, cutoff2)) {
                pair_energy value = NO_ENERGY;
                const real f = PAIR_FORCE(d.w, own, other, i, j, &value);
                x -= f * d.x;
                y -= f * d.y;
                z -= f * d.z;
                add_to_sums(&sums, value, f, d.x, d.y, d.z);
            }
        }
        derivative[i] = make_accum4(x, y, z, 0);
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}
