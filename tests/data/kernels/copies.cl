/*
 * copies — every share of a particle's partners adds to a copy of the forces of its own; a second pass adds the copies
 *
 * Several work-items per particle, each with one share of the other particles. Nobody writes what another work-item
 * writes, so that no atomics are needed: copies[c * n + i] is what share c found for particle i.
 *
 * @workload  forces
 * @structure none
 * @pass      fill_copies item per particle * COPIES
 * @pass      add_copies  item per particle
 * @tunable   GROUP_SIZE 64
 * @tunable   COPIES 1 2 3* 8
 * @scratch   copies accum4 particle * COPIES
 */
KERNEL void fill_copies(int n, GLOBAL const real4 *RESTRICT position, box_args box, real cutoff2,
                        GLOBAL accum4 *RESTRICT copies, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID % n;
    const int share = GLOBAL_ID / n;
    pair_sums sums;
    clear_sums(&sums);
    if (share < COPIES) {
        const real4 own = position[i];
        accum x = 0;
        accum y = 0;
        accum z = 0;
        for (int j = share; j < n; j += COPIES) {
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
        copies[share * n + i] = make_accum4(x, y, z, 0);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}

KERNEL void add_copies(int n, GLOBAL const accum4 *RESTRICT copies, GLOBAL accum4 *RESTRICT force)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        accum4 sum = copies[i];
        for (int c = 1; c < COPIES; c++) {
            const accum4 more = copies[c * n + i];
            sum = make_accum4(sum.x + more.x, sum.y + more.y, sum.z + more.z, 0);
        }
        force[i] = sum;
    }
}
