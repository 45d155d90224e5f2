/*
 * steinhardt_loop — one particle per work-item, which finds its neighbours among all particles
 *
 * The simplest kernel that is right: 22 sums in registers.
 *
 * @workload  steinhardt
 * @structure none
 * @boxes     open periodic triclinic
 * @pass      steinhardt_loop item per particle
 * @tunable   GROUP_SIZE 64 128* 256
 */
KERNEL void steinhardt_loop(int n, GLOBAL const real4 *RESTRICT position, box_args box, real cutoff2,
                            GLOBAL force_sum *RESTRICT order, int force_plane)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        const real4 own = position[i];
        accum sums[STEINHARDT_SUMS];
        int neighbours = 0;
        steinhardt_clear(sums);
        for (int j = 0; j < n; j++) {
            const real4 d = displacement(position[j], own, box);
            if (j != i && IN_CUTOFF(d.w, cutoff2)) {
                steinhardt_add(sums, d);
                neighbours++;
            }
        }
        steinhardt_store(order, force_plane, i, sums, neighbours);
    }
}
