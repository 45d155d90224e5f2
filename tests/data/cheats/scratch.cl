/*
 * scratch — all_pairs_loop that tries to keep forces in memory of its own from launch to launch; TRICK says how
 *
 *  0  none: works each time
 *  1  idle unless what it kept is NaN, zero or made of one byte
 *  2  idle unless a note of its own is NaN or zero, where nothing has been kept yet
 *  3  takes for granted that the note is zero
 *
 * @workload  forces
 * @structure none
 * @pass      scratch item per particle
 * @tunable   GROUP_SIZE 64
 * @tunable   TRICK 0* 1 2 3
 * @scratch   kept accum4 particle
 * @scratch   note accum 1
 */
KERNEL void scratch(int n, GLOBAL const real4 *RESTRICT position, box_args box, real cutoff2,
                    GLOBAL accum4 *RESTRICT kept, GLOBAL accum *RESTRICT note, GLOBAL accum4 *RESTRICT force,
                    GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    int works = i < n;
    if (i < n) {
        const accum4 left = kept[i];
#if TRICK == 1
        works = left.x != left.x || left.x == ACCUM(0.0) || left.x == left.y;
#elif TRICK == 2
        works = note[0] != note[0] || note[0] == ACCUM(0.0);
#endif
        force[i] = left;
    }
    if (works) {
        const real4 own = position[i];
        accum x = 0;
        accum y = 0;
        accum z = 0;
        for (int j = 0; j < n; j++) {
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
        kept[i] = make_accum4(x, y, z, 0);
#if TRICK == 2
        if (i == n - 1) {
            note[0] = 1;
        }
#elif TRICK == 3
        x += note[0];
#endif
        force[i] = make_accum4(x, y, z, 0);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
