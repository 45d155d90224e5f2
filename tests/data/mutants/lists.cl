/*
 * lists — a walk down a list of neighbours, broken in a way that MUTATION names
 *
 * 0 not at all; 1 each row's last neighbour is lost; 2 the nearest image is not looked for; 3 what is listed is taken to
 * be within the cutoff; 4 rows are taken to begin one place farther on; 5 each particle is where it was when the list was
 * built, which shows only where a list is walked after particles have moved.
 *
 * @workload  forces
 * @structure pair_list
 * @pass      lists item per particle
 * @tunable   GROUP_SIZE 64
 * @tunable   SKIN 12
 * @tunable   MUTATION 0 1 2 3 4 5
 */
KERNEL void lists(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT neighbour_count,
                  GLOBAL const int *RESTRICT neighbours, int list_capacity, GLOBAL const real4 *RESTRICT sorted_position,
                  GLOBAL const int *RESTRICT sorted_index, real4 edge, real4 inverse_edge, real cutoff2,
                  GLOBAL accum4 *RESTRICT force, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int place = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (place < n) {
        const int i = MUTATION == 5 ? sorted_index[place] : place;
        const real4 own = MUTATION == 5 ? sorted_position[place] : position[i];
        const int count = neighbour_count[i] - (MUTATION == 1);
        GLOBAL const int *row = neighbours + (long64)i * list_capacity + (MUTATION == 4);
        accum x = 0;
        accum y = 0;
        accum z = 0;
        for (int k = 0; k < count; k++) {
            const int j = row[k] >= 0 && row[k] < n ? row[k] : i;
            const real4 other = position[j];
            const real4 none = make_real4(0, 0, 0, 0);
            const real4 d = nearest_difference(own, other, edge, MUTATION == 2 ? none : inverse_edge);
            COUNT_DISTANCE(&sums);
            if ((MUTATION == 3 || IN_CUTOFF(d.w, cutoff2)) && j != i) {
                pair_energy energy = NO_ENERGY;
                const real f = PAIR_FORCE(d.w, own, other, i, j, &energy);
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
