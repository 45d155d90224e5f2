/*
 * structure — a walk over sorted cells that keeps its forces in the structure; TRICK says how
 *
 *  0  none: works each time
 *  1  leaves the force in the sorted position, through a cast, and takes it from there the next time
 *  2  the same, but puts the sorted position right again when it has taken the force, so that every second launch
 *     finds all as it was
 *
 * @workload  forces
 * @structure sorted_cells
 * @pass      structure item per particle
 * @tunable   GROUP_SIZE 64
 * @tunable   CELLS_PER_CUTOFF 1
 * @tunable   TRICK 0* 1 2
 */
KERNEL void structure(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const real4 *RESTRICT sorted_position,
                      GLOBAL const int *RESTRICT sorted_index, real4 edge, real4 inverse_edge, real cutoff2,
                      GLOBAL accum4 *RESTRICT force, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    GLOBAL real4 *kept = (GLOBAL real4 *)sorted_position;
    const int k = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (k < n) {
        const int i = sorted_index[k];
        if (TRICK > 0 && kept[k].w == REAL(0.4375)) {
            force[i] = make_accum4(kept[k].x, kept[k].y, kept[k].z, 0);
            if (TRICK == 2) {
                kept[k] = position[i];
            }
        } else {
            const real4 own = position[i];
            accum x = 0;
            accum y = 0;
            accum z = 0;
            for (int j = 0; j < n; j++) {
                const real4 d = nearest_difference(own, position[j], edge, inverse_edge);
                COUNT_DISTANCE(&sums);
                if (j != i && IN_CUTOFF(d.w, cutoff2)) {
                    pair_energy energy = NO_ENERGY;
                    const real f = PAIR_FORCE(d.w, own, position[j], i, j, &energy);
                    x += f * d.x;
                    y += f * d.y;
                    z += f * d.z;
                    add_to_sums(&sums, energy, f, d.x, d.y, d.z);
                }
            }
            force[i] = make_accum4(x, y, z, 0);
            if (TRICK > 0) {
                kept[k] = make_real4(x, y, z, 0.4375);
            }
        }
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
