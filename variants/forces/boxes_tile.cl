/*
 * boxes_tile — of a batch of small boxes a group takes one, all pairs through local memory
 *
 * The group loads up to TILE particles of its box into local memory; each work-item holds one particle and walks them. A
 * box of up to TILE particles is loaded once, a larger one tile by tile for each row of GROUP_SIZE particles. SPLIT groups
 * share a box where there are few boxes. Nothing of another box is ever read. In a box of few cutoffs most warps have a
 * pair within the cutoff at every step, so that nothing is gained by looking at distances first. Each pair is computed
 * from both sides; no atomics. Limited by the arithmetic of the square of the particles of a box: larger boxes want cells.
 *
 * @workload  forces coordination
 * @name      coordination_boxes_tile for coordination
 * @groups    one for coordination
 * @structure none
 * @boxes     open periodic triclinic
 * @pass      boxes_tile group per box * SPLIT
 * @tunable   GROUP_SIZE 32 64 128* 256
 * @tunable   TILE 128 256* 512
 * @tunable   SPLIT 1* 2 4 8
 * @source    L. Nyland, M. Harris, J. Prins, Fast N-Body Simulation with CUDA, GPU Gems 3 (2007), chapter 31
 */
KERNEL void boxes_tile(GLOBAL const int *RESTRICT box_begin, GLOBAL const box_args *RESTRICT box_cells,
                       GLOBAL const real4 *RESTRICT position, real cutoff2, GLOBAL accum4 *RESTRICT force,
                       GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    LOCAL real4 tile[TILE];
    const int b = GROUP_ID / SPLIT;
    const box_args cell = box_cells[b];
    const int first = box_begin[b];
    const int end = box_begin[b + 1];
    int loaded = -1; /* where the tile begins that is in local memory */
    pair_sums sums;
    clear_sums(&sums);
    for (int row = first + GROUP_ID % SPLIT * GROUP_SIZE; row < end; row += SPLIT * GROUP_SIZE) {
        const int i = row + LOCAL_ID;
        const real4 own = position[i < end ? i : first];
        accum fx = 0;
        accum fy = 0;
        accum fz = 0;
        for (int start = first; start < end; start += TILE) {
            const int count = end - start < TILE ? end - start : TILE;
            if (start != loaded) {
                SYNC_THREADS;
                for (int t = LOCAL_ID; t < count; t += GROUP_SIZE) {
                    tile[t] = position[start + t];
                }
                SYNC_THREADS;
                loaded = start;
            }
            for (int t = 0; t < count && i < end; t++) {
                const real4 other = tile[t];
                const real4 d = displacement(own, other, cell);
                COUNT_DISTANCE(&sums);
                if (IN_CUTOFF(d.w, cutoff2) && start + t != i) {
                    pair_energy energy = NO_ENERGY;
                    const real f = PAIR_FORCE(d.w, own, other, i, start + t, &energy);
                    fx += f * d.x;
                    fy += f * d.y;
                    fz += f * d.z;
                    add_to_sums(&sums, energy, f, d.x, d.y, d.z);
                }
            }
        }
        if (i < end) {
            force[i] = make_accum4(fx, fy, fz, 0);
        }
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
