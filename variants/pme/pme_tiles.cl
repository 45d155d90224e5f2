/*
 * pme_tiles — particles are put into tiles of 8 x 8 x 8 points, and a work-group has the points of a tile in local memory
 *
 * Charges are added up in local memory, particle after particle, each by the work-items of a warp on points of its own, so
 * that no two meet; warps have copies of the tile. Then each point that the tile's particles reach is added to the grid by
 * one atomic addition: 13^3 of them a tile at order 6, where its particles, 50 in water at a spacing of 1 angstrom, would
 * have made 216 each. Forces are gathered from local memory, a particle per work-item. A tile has room for CAPACITY
 * particles, which stand beside each other; those beyond it are spread and gathered one by one. The grid is cleared while
 * particles are binned.
 *
 * @workload  pme
 * @structure none
 * @boxes     periodic triclinic
 * @scratch   grid accum grid_point
 * @scratch   spectrum accum spectrum_point * 2
 * @scratch   tile_count int grid_tile + 1
 * @scratch   tile_particles int grid_tile * CAPACITY
 * @scratch   tile_positions real4 grid_tile * CAPACITY
 * @scratch   left_over int particle
 * @pass      clear item per grid_tile
 * @pass      bin item per particle
 * @pass      spread group per grid_tile
 * @pass      convert item per fixed_grid_point
 * @transform forward grid spectrum
 * @pass      solve item per spectrum_point
 * @transform backward spectrum grid
 * @pass      gather group per grid_tile
 * @tunable   CAPACITY 32 64 128* 256
 * @tunable   GROUP_SIZE 32 64 128* 256
 */
KERNEL void clear(int4 grid_size, GLOBAL int *RESTRICT tile_count)
{
    clear_tiles(tile_count, grid_size);
}

KERNEL void bin(int n, box_args box, int4 grid_size, GLOBAL const real4 *RESTRICT position, GLOBAL int *tile_count,
                GLOBAL int *RESTRICT tile_particles, GLOBAL real4 *RESTRICT tile_positions,
                GLOBAL int *RESTRICT left_over, GLOBAL accum *RESTRICT grid)
{
    const int i = GLOBAL_ID;
    clear_grid(grid, grid_size);
    if (i < n) {
        const real4 own = position[i];
        const int slot = slot_in_tile(i, place_on_grid(own, box, grid_size), grid_size, tile_count, left_over);
        if (slot >= 0) {
            tile_particles[slot] = i;
            tile_positions[slot] = own;
        }
    }
}

KERNEL void spread(box_args box, int4 grid_size, GLOBAL const real4 *RESTRICT position,
                   GLOBAL const int *RESTRICT tile_count, GLOBAL const real4 *RESTRICT tile_positions,
                   GLOBAL const int *RESTRICT left_over, GLOBAL accum *grid)
{
    LOCAL grid_sum sums[TILE_TEAMS * TILE_ROOM];
    LOCAL real values[TILE_VALUES];
    LOCAL real charges[TILE_BATCH];
    LOCAL int starts[TILE_BATCH];
    LOCAL int rows[TILE_ROWS];
    tile_memory memory;
    memory.sums = sums;
    memory.values = values;
    memory.charges = charges;
    memory.starts = starts;
    memory.rows = rows;
    spread_tile(memory, tile_positions + GROUP_ID * CAPACITY, count_in_tile(tile_count, GROUP_ID), box, grid_size, grid);
    for (int k = GLOBAL_ID; k < tile_count[tiles_of_grid(grid_size)]; k += GLOBAL_SIZE) {
        const real4 own = position[left_over[k]];
        spread_particle(grid, own.w, place_on_grid(own, box, grid_size), grid_size);
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
                   GLOBAL const real4 *RESTRICT tile_positions, GLOBAL const int *RESTRICT left_over,
                   GLOBAL const accum *RESTRICT grid, GLOBAL force_sum *RESTRICT force, int force_plane)
{
    LOCAL accum tile[TILE_ROOM];
    LOCAL int rows[TILE_ROWS];
    const int count = count_in_tile(tile_count, GROUP_ID);
    const int4 origin = origin_of_tile(GROUP_ID, grid_size);
    find_rows(rows, origin, grid_size);
    SYNC_THREADS;
    if (count > 0) {
        load_tile(tile, rows, grid, origin, grid_size);
    }
    SYNC_THREADS;
    for (int slot = LOCAL_ID; slot < count; slot += GROUP_SIZE) {
        const int i = tile_particles[GROUP_ID * CAPACITY + slot];
        const real4 own = tile_positions[GROUP_ID * CAPACITY + slot];
        const accum4 whole = gather_from_tile(tile, own.w, place_on_grid(own, box, grid_size), grid_size, ewald);
        STORE_FORCE(force, force_plane, i, whole)
    }
    SYNC_THREADS;
    const int items = GLOBAL_SIZE / GROUP_SIZE * LEFT_OVER_ITEMS;
    int k = LOCAL_ID < LEFT_OVER_ITEMS ? GROUP_ID * LEFT_OVER_ITEMS + LOCAL_ID : tile_count[tiles_of_grid(grid_size)];
    for (; k < tile_count[tiles_of_grid(grid_size)]; k += items) {
        const int i = left_over[k];
        const real4 own = position[i];
        const accum4 whole = gather_left_over(tile + LOCAL_ID * LEFT_OVER_VALUES, grid, own.w, place_on_grid(own, box, grid_size),
                                              grid_size, ewald);
        STORE_FORCE(force, force_plane, i, whole)
    }
}
