/*
 * pme_tiles — particles are put into tiles of 8 x 8 x 8 points, and a work-group has the points of a tile in local memory
 *
 * Charges are added up in local memory, particle after particle, each by all work-items at once on points of its own, so
 * that no two meet; then each point that the tile's particles reach is added to the grid by one atomic addition. That is 13^3
 * of them a tile at order 6, where its particles, 50 in water at a spacing of 1 angstrom, would have made 216 each. Forces
 * are gathered from local memory likewise, a particle per work-item. A tile has room for CAPACITY particles: those beyond it
 * are spread and gathered one by one.
 *
 * @workload  pme
 * @structure none
 * @boxes     periodic triclinic
 * @scratch   grid accum grid_point
 * @scratch   spectrum accum spectrum_point * 2
 * @scratch   tile_count int grid_tile + 1
 * @scratch   tile_particles int grid_tile * CAPACITY
 * @scratch   left_over int particle
 * @pass      clear item per grid_point / CLEARED
 * @pass      bin item per particle
 * @pass      spread group per grid_tile
 * @pass      convert item per fixed_grid_point
 * @transform forward grid spectrum
 * @pass      solve item per spectrum_point
 * @transform backward spectrum grid
 * @pass      gather group per grid_tile
 * @tunable   CAPACITY 32 64 128* 256
 * @tunable   CLEARED 1 2 4* 8
 * @tunable   GROUP_SIZE 64 128* 256
 */
#define TILE_EDGE (GRID_TILE + SPLINE_ORDER - 1)
#define TILE_POINTS (TILE_EDGE * TILE_EDGE * TILE_EDGE)
#define TILE_BATCH 32 /* particles whose splines are computed at once */

/* How many tiles there are along a vector. */
DEVICE int tiles_along(int size)
{
    return (size + GRID_TILE - 1) / GRID_TILE;
}

DEVICE int tile_of(grid_place place, int4 size)
{
    return (place.x / GRID_TILE * tiles_along(size.y) + place.y / GRID_TILE) * tiles_along(size.z) + place.z / GRID_TILE;
}

/* The number on the grid of a point of a tile. */
DEVICE int point_of_tile(int tile, int within, int4 size)
{
    const int z = tile % tiles_along(size.z) * GRID_TILE + within % TILE_EDGE;
    const int y = tile / tiles_along(size.z) % tiles_along(size.y) * GRID_TILE + within / TILE_EDGE % TILE_EDGE;
    const int x = tile / tiles_along(size.z) / tiles_along(size.y) * GRID_TILE + within / (TILE_EDGE * TILE_EDGE);
    return (x % size.x * size.y + y % size.y) * size.z + z % size.z;
}

/* The place in a tile of a particle's first point. */
DEVICE int start_in_tile(grid_place place)
{
    return (place.x % GRID_TILE * TILE_EDGE + place.y % GRID_TILE) * TILE_EDGE + place.z % GRID_TILE;
}

/* The last number of tile_count is of particles that found no room. */
KERNEL void clear(int4 grid_size, GLOBAL accum *RESTRICT grid, GLOBAL int *RESTRICT tile_count)
{
    const int tiles = tiles_along(grid_size.x) * tiles_along(grid_size.y) * tiles_along(grid_size.z);
    clear_grid_points(grid, GLOBAL_ID, CLEARED, grid_size);
    for (int tile = GLOBAL_ID; tile <= tiles; tile += GLOBAL_SIZE) {
        tile_count[tile] = 0;
    }
}

KERNEL void bin(int n, box_args box, int4 grid_size, GLOBAL const real4 *RESTRICT position, GLOBAL int *tile_count,
                GLOBAL int *RESTRICT tile_particles, GLOBAL int *RESTRICT left_over, GLOBAL accum *grid)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        const real4 own = position[i];
        const grid_place place = place_on_grid(own, box, grid_size);
        const int tile = tile_of(place, grid_size);
        const int slot = ATOMIC_ADD_INT(&tile_count[tile], 1);
        if (slot < CAPACITY) {
            tile_particles[tile * CAPACITY + slot] = i;
        } else {
            const int tiles = tiles_along(grid_size.x) * tiles_along(grid_size.y) * tiles_along(grid_size.z);
            left_over[ATOMIC_ADD_INT(&tile_count[tiles], 1)] = i;
            spread_particle(grid, own.w, place, grid_size);
        }
    }
}

KERNEL void spread(box_args box, int4 grid_size, GLOBAL const real4 *RESTRICT position,
                   GLOBAL const int *RESTRICT tile_count, GLOBAL const int *RESTRICT tile_particles, GLOBAL accum *grid)
{
    LOCAL grid_sum tile[TILE_POINTS];
    LOCAL real value[TILE_BATCH * 3 * SPLINE_ORDER];
    LOCAL real charge[TILE_BATCH];
    LOCAL int start[TILE_BATCH];
    const int count = tile_count[GROUP_ID] < CAPACITY ? tile_count[GROUP_ID] : CAPACITY;
    for (int point = LOCAL_ID; point < TILE_POINTS; point += GROUP_SIZE) {
        tile[point] = 0;
    }
    for (int first = 0; first < count; first += TILE_BATCH) {
        const int batch = count - first < TILE_BATCH ? count - first : TILE_BATCH;
        for (int task = LOCAL_ID; task < 3 * batch; task += GROUP_SIZE) {
            const int p = task / 3;
            const int axis = task % 3;
            const real4 own = position[tile_particles[GROUP_ID * CAPACITY + first + p]];
            const grid_place place = place_on_grid(own, box, grid_size);
            real of_axis[SPLINE_ORDER], slope[SPLINE_ORDER];
            fill_spline(axis == 0 ? place.behind_x : axis == 1 ? place.behind_y : place.behind_z, of_axis, slope);
            for (int j = 0; j < SPLINE_ORDER; j++) {
                value[task * SPLINE_ORDER + j] = of_axis[j];
            }
            charge[p] = own.w;
            start[p] = start_in_tile(place);
        }
        SYNC_THREADS;
        for (int p = 0; p < batch; p++) {
            const int own_values = p * 3 * SPLINE_ORDER;
            for (int point = LOCAL_ID; point < SPLINE_ORDER * SPLINE_ORDER * SPLINE_ORDER; point += GROUP_SIZE) {
                const int a = point / (SPLINE_ORDER * SPLINE_ORDER);
                const int b = point / SPLINE_ORDER % SPLINE_ORDER;
                const int c = point % SPLINE_ORDER;
                tile[start[p] + (a * TILE_EDGE + b) * TILE_EDGE + c] +=
                    TO_GRID(charge[p] * value[own_values + a] * value[own_values + SPLINE_ORDER + b] *
                            value[own_values + 2 * SPLINE_ORDER + c]);
            }
            SYNC_THREADS;
        }
    }
    SYNC_THREADS;
    for (int point = LOCAL_ID; point < TILE_POINTS && count > 0; point += GROUP_SIZE) {
        const grid_sum sum = tile[point];
        if (sum != 0) {
            ADD_TO_GRID(grid, point_of_tile(GROUP_ID, point, grid_size), sum);
        }
    }
}

KERNEL void convert(int4 grid_size, GLOBAL accum *grid)
{
    convert_grid_point(grid, GLOBAL_ID, grid_size);
}

KERNEL void solve(int4 grid_size, ewald_args ewald, GLOBAL const accum *RESTRICT spline_moduli,
                  GLOBAL accum *RESTRICT spectrum, GLOBAL accum *RESTRICT partial_sums)
{
    SUM_SCRATCH
    pair_sums sums;
    clear_sums(&sums);
    solve_point(spectrum, GLOBAL_ID, grid_size, ewald, spline_moduli, &sums);
    STORE_SUMS(partial_sums, &sums, 1.0);
}

KERNEL void gather(box_args box, int4 grid_size, ewald_args ewald, GLOBAL const real4 *RESTRICT position,
                   GLOBAL const int *RESTRICT tile_count, GLOBAL const int *RESTRICT tile_particles,
                   GLOBAL const int *RESTRICT left_over, GLOBAL const accum *RESTRICT grid,
                   GLOBAL force_sum *RESTRICT force, int force_plane)
{
    LOCAL accum tile[TILE_POINTS];
    const int count = tile_count[GROUP_ID] < CAPACITY ? tile_count[GROUP_ID] : CAPACITY;
    for (int point = LOCAL_ID; point < TILE_POINTS && count > 0; point += GROUP_SIZE) {
        tile[point] = grid[point_of_tile(GROUP_ID, point, grid_size)];
    }
    SYNC_THREADS;
    for (int slot = LOCAL_ID; slot < count; slot += GROUP_SIZE) {
        const int i = tile_particles[GROUP_ID * CAPACITY + slot];
        const real4 own = position[i];
        const grid_place place = place_on_grid(own, box, grid_size);
        real x[SPLINE_ORDER], y[SPLINE_ORDER], z[SPLINE_ORDER];
        real slope_x[SPLINE_ORDER], slope_y[SPLINE_ORDER], slope_z[SPLINE_ORDER];
        accum along_x = ACCUM(0.0);
        accum along_y = ACCUM(0.0);
        accum along_z = ACCUM(0.0);
        fill_spline(place.behind_x, x, slope_x);
        fill_spline(place.behind_y, y, slope_y);
        fill_spline(place.behind_z, z, slope_z);
        for (int a = 0; a < SPLINE_ORDER; a++) {
            for (int b = 0; b < SPLINE_ORDER; b++) {
                const int row = start_in_tile(place) + (a * TILE_EDGE + b) * TILE_EDGE;
                accum potential = ACCUM(0.0);
                accum rise = ACCUM(0.0);
                for (int c = 0; c < SPLINE_ORDER; c++) {
                    potential += z[c] * tile[row + c];
                    rise += slope_z[c] * tile[row + c];
                }
                along_x += slope_x[a] * y[b] * potential;
                along_y += x[a] * slope_y[b] * potential;
                along_z += x[a] * y[b] * rise;
            }
        }
        const accum4 whole = force_of_gradient(own.w, along_x, along_y, along_z, grid_size, ewald);
        STORE_FORCE(force, force_plane, i, whole)
    }
    const int tiles = tiles_along(grid_size.x) * tiles_along(grid_size.y) * tiles_along(grid_size.z);
    for (int k = GLOBAL_ID; k < tile_count[tiles]; k += GLOBAL_SIZE) {
        const real4 own = position[left_over[k]];
        const accum4 whole = gather_force(grid, own.w, place_on_grid(own, box, grid_size), grid_size, ewald);
        STORE_FORCE(force, force_plane, left_over[k], whole)
    }
}
