/*
 * other_rows — the rows of a pair_list turned, entry k of all particles side by side, whenever the list is built
 *
 * Work-items next to each other then read entries that lie next to each other. Rows longer than PLACES go on in the list.
 *
 * @workload  forces
 * @structure pair_list
 * @pass      turn_rows item per particle * PLACES every rebuild
 * @pass      walk_turned item per particle every step
 * @tunable   GROUP_SIZE 64
 * @tunable   SKIN 1 12*
 * @tunable   PLACES 64 8
 * @scratch   turned int particle * PLACES
 */
KERNEL void turn_rows(int n, GLOBAL const int *RESTRICT neighbour_count, GLOBAL const int *RESTRICT neighbours,
                      int list_capacity, GLOBAL int *RESTRICT turned)
{
    const int i = GLOBAL_ID % n;
    const int k = GLOBAL_ID / n;
    if (k < PLACES && k < neighbour_count[i]) {
        turned[k * n + i] = neighbours[(long64)i * list_capacity + k];
    }
}

KERNEL void walk_turned(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT neighbour_count,
                        GLOBAL const int *RESTRICT neighbours, int list_capacity, GLOBAL const int *RESTRICT turned,
                        box_args box, real cutoff2, GLOBAL accum4 *RESTRICT force,
                        GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (i < n) {
        const real4 own = position[i];
        const int count = neighbour_count[i];
        accum x = 0;
        accum y = 0;
        accum z = 0;
        for (int k = 0; k < count; k++) {
            const int j = k < PLACES ? turned[k * n + i] : neighbours[(long64)i * list_capacity + k];
            const real4 d = displacement(own, position[j], box);
            COUNT_DISTANCE(&sums);
            if (IN_CUTOFF(d.w, cutoff2)) {
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
