/*
 * steinhardt_list — one particle per work-item, down its row of a list of neighbours
 *
 * As steinhardt_loop, over a list that lasts until a particle has moved by half the skin.
 *
 * @workload  steinhardt
 * @structure pair_list
 * @boxes     open periodic triclinic
 * @pass      steinhardt_list item per particle
 * @tunable   GROUP_SIZE 64 128* 256
 * @tunable   SKIN 12
 * @tunable   STABLE_SORT 0* 1
 */
KERNEL void steinhardt_list(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT neighbour_count,
                            GLOBAL const int *RESTRICT neighbours, int list_capacity, box_args box, real cutoff2,
                            GLOBAL force_sum *RESTRICT order, int force_plane)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        const real4 own = position[i];
        const int count = neighbour_count[i];
        GLOBAL const int *row = neighbours + (long64)i * list_capacity;
        accum sums[STEINHARDT_SUMS];
        int found = 0;
        steinhardt_clear(sums);
        for (int a = 0; a < count; a++) {
            const real4 d = displacement(position[row[a]], own, box);
            if (IN_CUTOFF(d.w, cutoff2)) {
                steinhardt_add(sums, d);
                found++;
            }
        }
        steinhardt_store(order, force_plane, i, sums, found);
    }
}
