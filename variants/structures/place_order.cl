/*
 * place_order — particles in an order along a curve through the box (ORDER), so that those next to each other in it are
 * neighbours in space
 */

/* Rows along x, every other one backwards, and layers of them, every other one upside down: what follows in the order
 * follows in space, too. */
DEVICE int row_number(int4 bin, int4 bins)
{
    const int row = bin.z * bins.y + (bin.z % 2 ? bins.y - 1 - bin.y : bin.y);
    return row * bins.x + (row % 2 ? bins.x - 1 - bin.x : bin.x);
}

#if ORDER == 4
KERNEL void sort_molecules(int n, GLOBAL const int *RESTRICT sorted_index, GLOBAL const int *RESTRICT molecule,
                           GLOBAL int *RESTRICT sorted_molecule)
{
    const int k = GLOBAL_ID;
    if (k < n) {
        sorted_molecule[k] = molecule[sorted_index[k]];
    }
}

/* The nearest of the sorted particles around each of them, up to a distance, where molecules are known of its own; itself where there
 * is none. */
KERNEL void find_nearest(int n, int4 cells, int4 reach, real4 cell_width, real4 inverse_cell_width, real4 cell_origin,
                         real farthest2, GLOBAL const int *RESTRICT cell_start,
                         GLOBAL const real4 *RESTRICT sorted_position, int by_molecule,
                         GLOBAL const int *RESTRICT sorted_molecule, box_args box, GLOBAL int *RESTRICT nearest)
{
    cell_grid grid = make_cell_grid(cells, reach, cell_width, inverse_cell_width, cell_origin, farthest2, box);
    const int k = GLOBAL_ID;
#if !TRICLINIC
    /* cells reach for a list's radius */
    const int reach_y = (int)(SQRT(farthest2) * inverse_cell_width.y) + 1;
    const int reach_z = (int)(SQRT(farthest2) * inverse_cell_width.z) + 1;
    grid.reach.y = reach_y < reach.y ? reach_y : reach.y;
    grid.reach.z = reach_z < reach.z ? reach_z : reach.z;
#endif
    if (k < n) {
        const real4 own = sorted_position[k];
        const int4 home = grid_cell(grid, own);
        const int rows = rows_around(grid);
        const int own_molecule = by_molecule ? sorted_molecule[k] : 0;
        int found = k;
        real least2 = farthest2;
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
                    if (j != k && r2 < least2 && (!by_molecule || sorted_molecule[j] == own_molecule)) {
                        found = j;
                        least2 = r2;
                    }
                }
            }
        }
        nearest[k] = found;
    }
}

/* From each particle to its nearest and on, up to two that are each other's: all who end there are one cluster, such as
 * the atoms of a small molecule. */
DEVICE int cluster_of(int k, GLOBAL const int *RESTRICT nearest)
{
    int before = k;
    int last = nearest[k];
    for (int step = 0; step < 16 && nearest[last] != before; step++) {
        before = last;
        last = nearest[last];
    }
    return before < last ? before : last;
}
#endif

/* `bins.w` is the number of bits per edge, where bins are those of a curve. `nearest` is looked at by ORDER 4 alone. */
KERNEL void number_places(int n, GLOBAL const real4 *RESTRICT sorted_position, real4 origin, real4 inverse_bin, int4 bins,
                          box_args box, GLOBAL const int *RESTRICT nearest, GLOBAL int *RESTRICT key,
                          GLOBAL int *RESTRICT sorted_place)
{
    const int k = GLOBAL_ID;
    if (k < n) {
#if ORDER == 4
        const int at = cluster_of(k, nearest);
#else
        const int at = k;
#endif
        const int4 bin = cell_in_box(sorted_position[at], box, origin, inverse_bin, bins);
#if ORDER == 1
        key[k] = row_number(bin, bins);
#elif ORDER == 2
        key[k] = morton_number(bin);
#elif ORDER == 3 || ORDER == 4
        key[k] = hilbert_number(bin, bins.w);
#else
        key[k] = bin.x;
#endif
        sorted_place[k] = k;
    }
}

/* Puts all into the order; place_of_sorted says where each of the sorted particles went. */
KERNEL void fill_places(int n, GLOBAL const int *RESTRICT sorted_place, GLOBAL const real4 *RESTRICT sorted_position,
                        GLOBAL const int *RESTRICT sorted_index, GLOBAL int *RESTRICT place_index,
                        GLOBAL real4 *RESTRICT place_position, GLOBAL int *RESTRICT place_of_sorted)
{
    const int k = GLOBAL_ID;
    if (k < n) {
        const int from = sorted_place[k];
        place_index[k] = sorted_index[from];
        place_position[k] = sorted_position[from];
        place_of_sorted[from] = k;
    }
}
