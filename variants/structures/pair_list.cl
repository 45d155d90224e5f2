/*
 * pair_list — a row of neighbours per particle, and whether the rows still serve
 *
 * Built over sorted cells, one particle per work-item in their order, so that work-items next to each other read the
 * same cells. Every particle writes its own row: no atomics. A row has room for `list_capacity` neighbours; those that
 * find none are counted all the same but written nowhere, and `overflow` says that this happened: the host then makes
 * the rows as long as the fullest needs, and builds again.
 */

/* Whether a partner seen in this image of the box is seen in its nearest one. Of the images of a partner that lie
 * within reach, where the reach is more than half an edge, one is listed. */
DEVICE int is_nearest_image(real difference, real inverse_edge, int image)
{
#if PERIODIC
    return (int)ROUND_NEAREST(difference * inverse_edge) == image;
#else
    return 1;
#endif
}

KERNEL void list_neighbours(int n, int4 cells, int4 reach, real4 cell_width, real4 inverse_cell_width, real4 cell_origin,
                            real search_radius2, GLOBAL const int *RESTRICT cell_start,
                            GLOBAL const real4 *RESTRICT sorted_position, GLOBAL const int *RESTRICT sorted_index,
                            real4 edge, real4 inverse_edge, int list_capacity, GLOBAL int *RESTRICT neighbour_count,
                            GLOBAL int *RESTRICT neighbours, GLOBAL int *RESTRICT overflow)
{
    const cell_grid grid = { cells, reach, cell_width, inverse_cell_width, cell_origin, edge, search_radius2 };
    const int k = GLOBAL_ID;
    if (k < n) {
        const real4 own = sorted_position[k];
        const int i = sorted_index[k];
        const int4 home = cell_of(own, cell_origin, inverse_cell_width, cells);
        const int rows = rows_around(grid);
        GLOBAL int *own_row = neighbours + (long64)i * list_capacity;
        int count = 0;
        for (int r = 0; r < rows; r++) {
            const cell_row row = row_around(grid, own, home, r);
            for (int image = row.first_image; image <= row.last_image; image++) {
                const int stop = cell_start[row_stop(grid, row, image)];
                const real own_x = own.x - image * edge.x;
                for (int j = cell_start[row_begin(grid, row, image)]; j < stop; j++) {
                    const real4 other = sorted_position[j];
                    const real dx = own_x - other.x;
                    const real dy = row.y - other.y;
                    const real dz = row.z - other.z;
                    if (FMA(dx, dx, FMA(dy, dy, dz * dz)) <= search_radius2 && j != k &&
                        is_nearest_image(own.x - other.x, inverse_edge.x, image) &&
                        is_nearest_image(own.y - other.y, inverse_edge.y, row.image_y) &&
                        is_nearest_image(own.z - other.z, inverse_edge.z, row.image_z)) {
                        if (count < list_capacity) {
                            own_row[count] = sorted_index[j];
                        }
                        count++;
                    }
                }
            }
        }
        neighbour_count[i] = count;
        if (count > list_capacity) {
            (void)ATOMIC_EXCHANGE(overflow, 1);
        }
    }
}

/* Says in `moved` whether a particle is farther than a limit from where it was when the cells were built: they keep
 * those positions. What is no number is far. */
KERNEL void find_moved(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const real4 *RESTRICT sorted_position,
                       GLOBAL const int *RESTRICT sorted_index, real4 edge, real4 inverse_edge, real limit2,
                       GLOBAL int *RESTRICT moved)
{
    const int k = GLOBAL_ID;
    if (k < n) {
        const real4 step = nearest_difference(position[sorted_index[k]], sorted_position[k], edge, inverse_edge);
        if (!(step.w <= limit2)) {
            (void)ATOMIC_EXCHANGE(moved, 1);
        }
    }
}
