/*
 * two_groups_cells — each particle of either group against the other group's cells within dmax
 *
 * Each group is sorted into cells of its own. A work-item of the first pass takes a particle of A through the rows
 * of B's cells around it, for its derivative, the value and the box derivatives; the second pass takes those of B
 * through A's cells, for their derivatives. The work of a work-item is what lies within reach of one particle,
 * whatever the sizes of the groups, so the ratio of the sizes does not matter much; nor does the number of pairs
 * that are farther apart. Needs a finite dmax.
 *
 * @workload  coordination
 * @groups    two
 * @structure sorted_cells
 * @boxes     open periodic triclinic
 * @pass      a_through_b item per particle_a
 * @pass      b_through_a item per particle_b
 * @tunable   GROUP_SIZE 64 128* 256
 * @tunable   CELLS_PER_CUTOFF 1* 2 3
 * @tunable   STABLE_SORT 0* 1
 */

/* What a particle finds in the other group's cells: its derivative; the sums where `sums` is wanted. */
DEVICE accum4 walk_other_group(cell_grid grid, GLOBAL const int *RESTRICT cell_start,
                               GLOBAL const real4 *RESTRICT sorted_position, GLOBAL const int *RESTRICT sorted_index,
                               GLOBAL const int *RESTRICT index, real4 own, int own_index, real cutoff2, int with_sums,
                               pair_sums *sums PAIR_PARAMETERS)
{
    const int4 home = grid_cell(grid, own);
    const int rows = rows_around(grid);
    accum x = 0;
    accum y = 0;
    accum z = 0;
    for (int r = 0; r < rows; r++) {
        const cell_row row = row_around(grid, own, home, r);
        for (int image = row.first_image; image <= row.last_image; image++) {
            const int stop = cell_start[row_stop(grid, row, image)];
            const real own_x = row_x(grid, row, image);
            for (int j = cell_start[row_begin(grid, row, image)]; j < stop; j++) {
                const real4 other = sorted_position[j];
                const real dx = own_x - other.x;
                const real dy = row.y - other.y;
                const real dz = row.z - other.z;
                const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
                COUNT_DISTANCE(sums);
                if (IN_CUTOFF(r2, cutoff2) && DIFFERENT(index[sorted_index[j]], own_index)) {
                    pair_energy value = NO_ENERGY;
                    const real f = PAIR_FORCE(r2, own, other, own_index, index[sorted_index[j]], &value);
                    x -= f * dx;
                    y -= f * dy;
                    z -= f * dz;
                    if (with_sums || COUNT_PAIRS) {
                        add_to_sums(sums, value, f, dx, dy, dz);
                    }
                }
            }
        }
    }
    return make_accum4(x, y, z, 0);
}

KERNEL void a_through_b(int n_a, GLOBAL const real4 *RESTRICT sorted_position_a,
                        GLOBAL const int *RESTRICT sorted_index_a, GLOBAL const int *RESTRICT index_a,
                        GLOBAL const int *RESTRICT index_b, int4 cells_b, int4 reach_b, real4 cell_width_b,
                        real4 inverse_cell_width_b, real4 cell_origin_b, real search_radius2_b,
                        GLOBAL const int *RESTRICT cell_start_b, GLOBAL const real4 *RESTRICT sorted_position_b,
                        GLOBAL const int *RESTRICT sorted_index_b, box_args box, real cutoff2,
                        GLOBAL accum4 *RESTRICT derivative_a, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const cell_grid grid = make_cell_grid(cells_b, reach_b, cell_width_b, inverse_cell_width_b, cell_origin_b,
                                          search_radius2_b, box);
    const int k = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (k < n_a) {
        const int i = sorted_index_a[k];
        derivative_a[i] = walk_other_group(grid, cell_start_b, sorted_position_b, sorted_index_b, index_b,
                                           sorted_position_a[k], index_a[i], cutoff2, 1, &sums PAIR_ARGUMENTS);
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}

KERNEL void b_through_a(int n_b, GLOBAL const real4 *RESTRICT sorted_position_b,
                        GLOBAL const int *RESTRICT sorted_index_b, GLOBAL const int *RESTRICT index_b,
                        GLOBAL const int *RESTRICT index_a, int4 cells_a, int4 reach_a, real4 cell_width_a,
                        real4 inverse_cell_width_a, real4 cell_origin_a, real search_radius2_a,
                        GLOBAL const int *RESTRICT cell_start_a, GLOBAL const real4 *RESTRICT sorted_position_a,
                        GLOBAL const int *RESTRICT sorted_index_a, box_args box, real cutoff2,
                        GLOBAL accum4 *RESTRICT derivative_b, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const cell_grid grid = make_cell_grid(cells_a, reach_a, cell_width_a, inverse_cell_width_a, cell_origin_a,
                                          search_radius2_a, box);
    const int k = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (k < n_b) {
        const int i = sorted_index_b[k];
        derivative_b[i] = walk_other_group(grid, cell_start_a, sorted_position_a, sorted_index_a, index_a,
                                           sorted_position_b[k], index_b[i], cutoff2, 0, &sums PAIR_ARGUMENTS);
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}
