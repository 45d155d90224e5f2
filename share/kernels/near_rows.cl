/*
 * near_rows — a row of the matrix per work-item
 *
 * @workload  neighbours
 * @structure sorted_cells
 * @boxes     open periodic triclinic
 * @pass      near_rows item per particle
 */
KERNEL void near_rows(int n, int4 cells, int4 reach, real4 cell_width, real4 inverse_cell_width, real4 cell_origin,
                      real search_radius2, GLOBAL const int *RESTRICT cell_start,
                      GLOBAL const real4 *RESTRICT sorted_position, GLOBAL const int *RESTRICT sorted_index, box_args box,
                      real cutoff2, int neighbour_capacity, GLOBAL int *RESTRICT neighbour_count,
                      GLOBAL int *RESTRICT neighbours, GLOBAL shift_t *RESTRICT neighbour_shifts,
                      GLOBAL real *RESTRICT neighbour_vectors, GLOBAL real *RESTRICT neighbour_distances)
{
    const cell_grid grid =
        make_cell_grid(cells, reach, cell_width, inverse_cell_width, cell_origin, search_radius2, box);
    const int k = GLOBAL_ID;
    if (k < n) {
        const real4 own = sorted_position[k];
        const int i = sorted_index[k];
        const int4 home = grid_cell(grid, own);
        const long64 begin = (long64)i * neighbour_capacity;
        int count = 0;
        for (int r = 0; r < rows_around(grid); r++) {
            const cell_row row = row_around(grid, own, home, r);
            for (int image = row.first_image; image <= row.last_image; image++) {
                const real4 shift = box_shift(image, row.image_y, row.image_z, box);
                for (int p = cell_start[row_begin(grid, row, image)]; p < cell_start[row_stop(grid, row, image)]; p++) {
                    const real4 to = vector_to(own, sorted_position[p], shift);
                    const int j = sorted_index[p];
                    if (IN_CUTOFF(to.w, cutoff2) && is_listed(i, j, image, row.image_y, row.image_z)) {
                        if (count < neighbour_capacity) {
                            store_neighbour(begin + count, j, image, row.image_y, row.image_z, to, ENTRY_ARGUMENTS);
                        }
                        count++;
                    }
                }
            }
        }
        neighbour_count[i] = count;
        for (int e = count; e < neighbour_capacity; e++) {
            neighbours[begin + e] = -1;
        }
    }
}
