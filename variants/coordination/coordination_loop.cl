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
 * @boxes     open periodic triclinic
 * @pass      coordination_loop item per particle
 * @tunable   GROUP_SIZE 64 128* 256
 * @source    getSelfCoord of PLUMED's CUDA coordination plugin (plumed2, plugins/cudaCoord), which halves by i < j
 */

/* Adds what the particles [first, stop) do to particle i's derivative, and to the sums where `with_sums` is set. */
DEVICE accum4 meet_range(int first, int stop, int i, real4 own, accum4 derivative, GLOBAL const real4 *RESTRICT position,
                         box_args box, real cutoff2, int with_sums, pair_sums *sums PAIR_PARAMETERS)
{
    for (int j = first; j < stop; j++) {
        const real4 other = position[j];
        const real4 d = displacement(own, other, box);
        COUNT_DISTANCE(sums);
        if (IN_CUTOFF(d.w, cutoff2)) {
            pair_energy value = NO_ENERGY;
            const real f = PAIR_FORCE(d.w, own, other, i, j, &value);
            derivative.x -= f * d.x;
            derivative.y -= f * d.y;
            derivative.z -= f * d.z;
            if (with_sums || COUNT_PAIRS) {
                add_to_sums(sums, value, f, d.x, d.y, d.z);
            }
        }
    }
    return derivative;
}

KERNEL void coordination_loop(int n, GLOBAL const real4 *RESTRICT position, box_args box, real cutoff2,
                              GLOBAL accum4 *RESTRICT derivative, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (i < n) {
        const real4 own = position[i];
        const accum4 before = meet_range(0, i, i, own, make_accum4(0, 0, 0, 0), position, box, cutoff2, 0,
                                         &sums PAIR_ARGUMENTS);
        derivative[i] = meet_range(i + 1, n, i, own, before, position, box, cutoff2, 1,
                                   &sums PAIR_ARGUMENTS);
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}
