/*
 * pair_list — a row of neighbours per particle
 *
 * Built over sorted cells, one particle per work-item in their order, so that work-items next to each other read the
 * same cells; or, where that would be few, several work-items per particle, which count their partners first. Every particle writes its own row: no atomics. A row has room for `list_capacity` neighbours; those that
 * find none are counted all the same but written nowhere, and `overflow` says that this happened: the host then makes
 * the rows as long as the fullest needs, and builds again. In a half list, a pair stands in the row of whose place among
 * the sorted particles comes first.
 */

/* Whether a partner seen in this image of the box is seen in its nearest one. Of the images of a partner that lie
 * within reach, where the reach is more than half an edge, one is listed. */
DEVICE int is_nearest_image(real4 own, real4 other, box_args box, int x, int y, int z)
{
#if TRICLINIC
    /* The list reaches no farther than half the least height of the cell: displacement() finds what is within it. */
    const real4 d = displacement(own, other, box);
    const real4 shift = box_shift(x, y, z, box);
    const real apart = FABS(own.x - other.x - shift.x - d.x) + FABS(own.y - other.y - shift.y - d.y) +
                       FABS(own.z - other.z - shift.z - d.z);
    return apart < MIN_REAL(box.edge.x, MIN_REAL(box.edge.y, box.edge.z)) / 2;
#elif PERIODIC
    return (int)ROUND_NEAREST((own.x - other.x) * box.inverse_edge.x) == x &&
           (int)ROUND_NEAREST((own.y - other.y) * box.inverse_edge.y) == y &&
           (int)ROUND_NEAREST((own.z - other.z) * box.inverse_edge.z) == z;
#else
    return 1;
#endif
}

/* Goes over the partners of sorted particle k: of each row of cells, a work-item takes every lanes-th one. Those from number
 * `first` on that find room are written to the row, unless that is NULL. Returns how many there are. */
DEVICE int walk_partners(cell_grid grid, int k, int lane, int lanes, real search_radius2,
                                GLOBAL const int *RESTRICT cell_start, GLOBAL const real4 *RESTRICT sorted_position,
                                GLOBAL const int *RESTRICT sorted_index, box_args box, int half_list, int writes, int first,
                                int list_capacity, GLOBAL int *own_row)
{
    const real4 own = sorted_position[k];
    const int4 home = grid_cell(grid, own);
    const int rows = rows_around(grid);
    int count = first;
    for (int r = 0; r < rows; r++) {
        const cell_row row = row_around(grid, own, home, r);
        for (int image = row.first_image; image <= row.last_image; image++) {
            const int stop = cell_start[row_stop(grid, row, image)];
            const real own_x = row_x(grid, row, image);
            for (int j = cell_start[row_begin(grid, row, image)] + lane; j < stop; j += lanes) {
                const real4 other = sorted_position[j];
                const real dx = own_x - other.x;
                const real dy = row.y - other.y;
                const real dz = row.z - other.z;
                if (FMA(dx, dx, FMA(dy, dy, dz * dz)) <= search_radius2 && (half_list ? j > k : j != k) &&
                    is_nearest_image(own, other, box, image, row.image_y, row.image_z)) {
                    if (writes && count < list_capacity) {
                        own_row[count] = sorted_index[j];
                    }
                    count++;
                }
            }
        }
    }
    return count - first;
}

KERNEL void list_neighbours(int n, int4 cells, int4 reach, real4 cell_width, real4 inverse_cell_width, real4 cell_origin,
                            real search_radius2, GLOBAL const int *RESTRICT cell_start,
                            GLOBAL const real4 *RESTRICT sorted_position, GLOBAL const int *RESTRICT sorted_index,
                            box_args box, int lanes, int half_list, int list_capacity,
                            GLOBAL int *RESTRICT neighbour_count, GLOBAL int *RESTRICT neighbours,
                            GLOBAL int *RESTRICT overflow)
{
    LOCAL int counts[GROUP_SIZE];
    const cell_grid grid =
        make_cell_grid(cells, reach, cell_width, inverse_cell_width, cell_origin, search_radius2, box);
    const int k = GLOBAL_ID / lanes;
    const int lane = GLOBAL_ID % lanes;
    int first = 0;
    /* where a lane's share of the row begins: behind those of the lanes before it */
    counts[LOCAL_ID] = lanes > 1 && k < n
                           ? walk_partners(grid, k, lane, lanes, search_radius2, cell_start, sorted_position, sorted_index,
                                           box, half_list, 0, 0, 0, neighbours)
                           : 0;
    SYNC_THREADS;
    for (int l = LOCAL_ID - lane; l < LOCAL_ID; l++) {
        first += counts[l];
    }
    if (k < n) {
        const int i = sorted_index[k];
        const int count =
            first + walk_partners(grid, k, lane, lanes, search_radius2, cell_start, sorted_position, sorted_index, box,
                                  half_list, 1, first, list_capacity, neighbours + (long64)i * list_capacity);
        if (lane == lanes - 1) {
            neighbour_count[i] = count;
            if (count > list_capacity) {
                (void)ATOMIC_EXCHANGE(overflow, 1);
            }
        }
    }
}
