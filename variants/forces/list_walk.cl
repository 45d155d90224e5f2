/*
 * list_walk — one particle per work-item, down its row of a list of neighbours
 *
 * The list is built once and walked for as long as no particle has moved by half the skin, so that a step costs the
 * distances to the neighbours alone: no cells, no empty space. Work-item i reads its own row and gathers the positions
 * that it names; each pair is computed from both sides, and no atomics are needed. Limited by those gathers, and by rows
 * that lie apart in memory: of the neighbours that a warp reads at a time, each comes from a row of its own. Wins where a
 * list serves for many steps; what it costs to build is told apart.
 *
 * SKIN is what the list reaches beyond the cutoff, in hundredths of it: more of it lasts longer and is longer to walk.
 *
 * @workload  forces
 * @structure pair_list
 * @boxes     open periodic triclinic
 * @pass      list_walk item per particle
 * @tunable   GROUP_SIZE 64 128* 256
 * @tunable   SKIN 12
 * @tunable   STABLE_SORT 0* 1
 * @source    L. Verlet, Computer "Experiments" on Classical Fluids, Physical Review 159, 98 (1967)
 */
KERNEL void list_walk(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT neighbour_count,
                      GLOBAL const int *RESTRICT neighbours, int list_capacity, box_args box, real cutoff2,
                      GLOBAL force_sum *RESTRICT force, int force_plane,
                      GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (i < n) {
        const real4 own = position[i];
        const int count = neighbour_count[i];
        GLOBAL const int *row = neighbours + (long64)i * list_capacity;
        own_force sum;
        clear_force(&sum);
        for (int k = 0; k < count; k++) {
            const int j = row[k];
            const real4 other = position[j];
            const real4 d = displacement(own, other, box);
            COUNT_DISTANCE(&sums);
            if (IN_CUTOFF(d.w, cutoff2)) {
                pair_energy energy = NO_ENERGY;
                const real f = PAIR_FORCE(d.w, own, other, i, j, &energy);
                add_to_force(&sum, f * d.x, f * d.y, f * d.z);
                add_to_sums(&sums, energy, f, d.x, d.y, d.z);
            }
        }
        store_own_force(force, force_plane, i, &sum);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
