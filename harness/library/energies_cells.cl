/*
 * energies_cells — the energy of each particle: half of that of each of its pairs
 *
 * As sorted_cells, with energies in the place of forces: in the first number of each.
 *
 * @workload  forces
 * @structure sorted_cells
 * @boxes     open periodic triclinic
 * @pass      energies_cells item per particle
 * @tunable   GROUP_SIZE 128
 * @tunable   CELLS_PER_CUTOFF 1
 * @tunable   STABLE_SORT 1
 */
#if ENERGIES_APART
#define HALF_OF_ENERGY(sums) (((sums).value[0] + (sums).value[SUM_NUMBERS - 1]) / 2)
#else
#define HALF_OF_ENERGY(sums) ((sums).value[0] / 2)
#endif
KERNEL void energies_cells(int n, int4 cells, int4 reach, real4 cell_width, real4 inverse_cell_width, real4 cell_origin,
                           real search_radius2, GLOBAL const int *RESTRICT cell_start,
                           GLOBAL const real4 *RESTRICT sorted_position, GLOBAL const int *RESTRICT sorted_index,
                           box_args box, real cutoff2, GLOBAL accum4 *RESTRICT force,
                           GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const cell_grid grid =
        make_cell_grid(cells, reach, cell_width, inverse_cell_width, cell_origin, search_radius2, box);
    const int k = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (k < n) {
        const real4 own = sorted_position[k];
        const int4 home = grid_cell(grid, own);
        for (int z = home.z - reach.z; z <= home.z + reach.z; z++) {
            for (int y = home.y - reach.y; y <= home.y + reach.y; y++) {
                const cell_row row = row_at(grid, own, home, y, z);
                for (int image = row.first_image; image <= row.last_image; image++) {
                    const int stop = cell_start[row_stop(grid, row, image)];
                    const real own_x = row_x(grid, row, image);
                    for (int j = cell_start[row_begin(grid, row, image)]; j < stop; j++) {
                        const real4 other = sorted_position[j];
                        const real dx = own_x - other.x;
                        const real dy = row.y - other.y;
                        const real dz = row.z - other.z;
                        const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
                        if (IN_CUTOFF(r2, cutoff2) && j != k) {
                            pair_energy energy = NO_ENERGY;
                            const real f = PAIR_FORCE(r2, own, other, sorted_index[k], sorted_index[j], &energy);
                            add_to_sums(&sums, energy, f, dx, dy, dz);
                        }
                    }
                }
            }
        }
        force[sorted_index[k]] = make_accum4(HALF_OF_ENERGY(sums), 0, 0, 0);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
