/*
 * own_list — a list of neighbours in memory of the variant's own, filled when particles have moved by half the skin
 *
 * Steps walk the rows and read nothing else of what was built; they test the cutoff themselves. A row that is too short
 * says so by its count, and its particle looks at all others instead.
 *
 * @workload  forces
 * @structure none
 * @pass      fill_rows item per particle when moved
 * @pass      walk_rows item per particle
 * @boxes     open periodic triclinic
 * @tunable   GROUP_SIZE 64
 * @tunable   SKIN 1 12* 40
 * @tunable   PLACES 8 256*
 * @scratch   row_count int particle
 * @scratch   rows int particle * PLACES
 */
KERNEL void fill_rows(int n, GLOBAL const real4 *RESTRICT position, box_args box, real cutoff2,
                      GLOBAL int *RESTRICT row_count, GLOBAL int *RESTRICT rows)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        const real reach = REAL(1.0001) * (REAL(1.0) + REAL(0.01) * SKIN);
        int count = 0;
        for (int j = 0; j < n; j++) {
            if (j != i && distance2(position[i], position[j], box) <= reach * reach * cutoff2) {
                if (count < PLACES) {
                    rows[i * PLACES + count] = j;
                }
                count++;
            }
        }
        row_count[i] = count;
    }
}

KERNEL void walk_rows(int n, GLOBAL const real4 *RESTRICT position, box_args box, real cutoff2,
                      GLOBAL const int *RESTRICT row_count, GLOBAL const int *RESTRICT rows,
                      GLOBAL accum4 *RESTRICT force, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (i < n) {
        const real4 own = position[i];
        const int fits = row_count[i] <= PLACES;
        const int count = fits ? row_count[i] : n;
        accum x = 0;
        accum y = 0;
        accum z = 0;
        for (int k = 0; k < count; k++) {
            const int j = fits ? rows[i * PLACES + k] : k;
            const real4 d = displacement(own, position[j], box);
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
