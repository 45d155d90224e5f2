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
 * is none. Where no pair is excluded (0 in `exclusions`, 2: by molecules) there are no molecules to find: places follow the curve, since
 * clusters of any nearest leave particles apart between them. `lanes` work-items, a power of two, share the rows of cells around a
 * particle. */
KERNEL void find_nearest(int n, int lanes, int4 cells, int4 reach, real4 cell_width, real4 inverse_cell_width, real4 cell_origin,
                         real farthest2, GLOBAL const int *RESTRICT cell_start,
                         GLOBAL const real4 *RESTRICT sorted_position, int exclusions,
                         GLOBAL const int *RESTRICT sorted_molecule, box_args box, GLOBAL int *RESTRICT nearest)
{
    cell_grid grid = make_cell_grid(cells, reach, cell_width, inverse_cell_width, cell_origin, farthest2, box);
    LOCAL int found_by[GROUP_SIZE];
    LOCAL real least2_by[GROUP_SIZE];
    const int lane = LOCAL_ID % lanes;
    const int k = GLOBAL_ID / lanes;
    int found = k;
    real least2 = farthest2;
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
        const int rows = exclusions ? rows_around(grid) : 0;
        const int by_molecule = exclusions == 2;
        const int own_molecule = by_molecule ? sorted_molecule[k] : 0;
        for (int r = lane; r < rows; r += lanes) {
            const cell_row row = row_around(grid, own, home, r);
            for (int image = row.first_image; image <= row.last_image; image++) {
                const int stop = cell_start[row_stop(grid, row, image)];
                const real own_x = row_x(grid, row, image);
                for (int j = cell_start[row_begin(grid, row, image)]; j < stop; j++) {
                    if (j == k || (by_molecule && sorted_molecule[j] != own_molecule)) {
                        continue;
                    }
                    const real4 other = sorted_position[j];
                    const real dx = own_x - other.x;
                    const real dy = row.y - other.y;
                    const real dz = row.z - other.z;
                    const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
                    if (r2 < least2) {
                        found = j;
                        least2 = r2;
                    }
                }
            }
        }
    }
    found_by[LOCAL_ID] = found;
    least2_by[LOCAL_ID] = least2;
    SYNC_THREADS;
    if (lane == 0 && k < n) {
        for (int other = 1; other < lanes; other++) {
            const int is_nearer = least2_by[LOCAL_ID + other] < least2;
            found = is_nearer ? found_by[LOCAL_ID + other] : found;
            least2 = is_nearer ? least2_by[LOCAL_ID + other] : least2;
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

#if ORDER == 5
#define SAMPLES GROUP_SIZE
#define MOST_ROWS 4096 /* along y, and along z */
#define EVEN REAL(1.2) /* density around a particle, of the mean density, where blocks may be cuboids */

/* Cells `low` to `high` are those around the one at `home` up to half of the reach, as far as there are any. */
DEVICE void cells_beside(int home, int reach, int cells, int *low, int *high)
{
    const int half_reach = (reach + 1) / 2;
    *low = home > half_reach ? home - half_reach : 0;
    *high = home + half_reach < cells ? home + half_reach : cells - 1;
}

/* How many rows of so many columns fit a length best; at least one. */
DEVICE int rows_of(real length, real width)
{
    const int rows = (int)RINT(MIN_REAL(length / width, REAL(MOST_ROWS)));
    return rows > 0 ? rows : 1;
}

/* From some of the particles, by one group: how many rows there are along y and z (times 2^16) so that 128 particles of one are a
 * cube; 0 where particles lie more densely than on the average, in droplets or slabs: cuboids would reach from one to the next. */
KERNEL void choose_rows(int n, int4 cells, int4 reach, real4 cell_width, real4 inverse_cell_width, real4 cell_origin,
                        GLOBAL const int *RESTRICT cell_start, GLOBAL const real4 *RESTRICT sorted_position, box_args box,
                        GLOBAL int *RESTRICT rows)
{
    LOCAL int around[GROUP_SIZE];
    LOCAL int looked_at[GROUP_SIZE];
    const int lane = LOCAL_ID;
    int in_cells = 0;
    int of_cells = 0;
    for (int s = lane; s < SAMPLES; s += GROUP_SIZE) {
        const int4 home = cell_in_box(sorted_position[(int)((long64)s * n / SAMPLES)], box, cell_origin, inverse_cell_width, cells);
        int low_x, high_x, low_y, high_y, low_z, high_z;
        cells_beside(home.x, reach.x, cells.x, &low_x, &high_x);
        cells_beside(home.y, reach.y, cells.y, &low_y, &high_y);
        cells_beside(home.z, reach.z, cells.z, &low_z, &high_z);
        for (int z = low_z; z <= high_z; z++) {
#ifdef __CUDA_ARCH__
#pragma unroll 4 /* so that they are read at once */
#endif
            for (int y = low_y; y <= high_y; y++) {
                const int row = (z * cells.y + y) * cells.x;
                const int count = cell_start[row + high_x + 1] - cell_start[row + low_x];
                in_cells += count < (1 << 18) ? count : 1 << 18;
                of_cells += high_x - low_x + 1;
            }
        }
    }
    around[lane] = in_cells;
    looked_at[lane] = of_cells;
    SYNC_THREADS;
    if (lane == 0) {
        real sum = 0;
        int looked = 0;
        for (int k = 0; k < GROUP_SIZE; k++) {
            sum += (real)around[k];
            looked += looked_at[k];
        }
        const real per_cell = sum / (real)looked;
        const real mean = (real)n / ((real)cells.x * (real)cells.y * (real)cells.z);
        const real cell_volume = cell_width.x * cell_width.y * cell_width.z;
        const real width = REAL(0.01) * ROW_WIDTH * POW(cell_volume / per_cell, REAL(1.0) / REAL(3.0));
        rows[0] = per_cell > EVEN * mean
                      ? 0
                      : rows_of(cells.y * cell_width.y, width) | rows_of(cells.z * cell_width.z, width) << 16;
    }
}

/* A particle's number along such rows, below 2^bits; `extent`: of the cells, inverted. */
DEVICE int number_in_rows(real4 position, int rows, int bits, real4 origin, real4 inverse_extent, box_args box)
{
    const int y = rows & 0xffff;
    const int z = rows >> 16;
    const int along_x = (1 << bits) / (y * z);
    const int4 bins = make_int4(along_x < 1 ? 1 : along_x < (1 << 14) ? along_x : 1 << 14, y, z, 0);
    const real4 inverse_bin =
        make_real4(bins.x * inverse_extent.x, bins.y * inverse_extent.y, bins.z * inverse_extent.z, 0);
    return row_number(cell_in_box(position, box, origin, inverse_bin, bins), bins);
}
#endif

/* `bins.w` is the number of bits per edge, where bins are those of a curve. `found` is looked at by ORDER 4, which has the nearest there,
 * and by ORDER 5, which has the number of rows. */
KERNEL void number_places(int n, GLOBAL const real4 *RESTRICT sorted_position, real4 origin, real4 inverse_bin, int4 bins,
                          real4 inverse_extent, box_args box, GLOBAL const int *RESTRICT found, GLOBAL int *RESTRICT key,
                          GLOBAL int *RESTRICT sorted_place)
{
    const int k = GLOBAL_ID;
    if (k < n) {
#if ORDER == 4
        const int at = cluster_of(k, found);
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
#elif ORDER == 5
        const int rows = found[0];
        key[k] = rows ? number_in_rows(sorted_position[k], rows, 3 * bins.w, origin, inverse_extent, box)
                      : hilbert_number(bin, bins.w);
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
