/*
 * shown_box — all_pairs_loop that is right in the box that it was shown; TRICK says how
 *
 *  0  none: works in all boxes
 *  1  leaves out the last pairs of each particle unless there are 500 particles
 *
 * @workload  forces
 * @structure none
 * @pass      shown_box item per particle
 * @tunable   GROUP_SIZE 64
 * @tunable   TRICK 0* 1
 */
KERNEL void shown_box(int n, GLOBAL const real4 *RESTRICT position, box_args box, real cutoff2,
                      GLOBAL accum4 *RESTRICT force, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    const int end = TRICK == 1 && n != 500 ? n - n / 8 : n;
    pair_sums sums;
    clear_sums(&sums);
    if (i < n) {
        const real4 pi = position[i];
        accum fx = 0;
        accum fy = 0;
        accum fz = 0;
        for (int j = 0; j < end; j++) {
            const real4 d = displacement(pi, position[j], box);
            COUNT_DISTANCE(&sums);
            if (IN_CUTOFF(d.w, cutoff2) && j != i) {
                pair_energy energy = NO_ENERGY;
                const real f = PAIR_FORCE(d.w, pi, position[j], i, j, &energy);
                fx += f * d.x;
                fy += f * d.y;
                fz += f * d.z;
                add_to_sums(&sums, energy, f, d.x, d.y, d.z);
            }
        }
        force[i] = make_accum4(fx, fy, fz, 0);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
