/*
 * pme_tiles — particles are put into tiles of 8 x 8 x 8 points, and a work-group has the points of a tile in local memory
 *
 * A tile has eight blocks, and a warp adds up the charges of four, those of lower or of higher x, in registers: a work-item has
 * columns of points along z, and multiplies each particle in by splines between zeros, whether they reach the column or not. Both
 * halves are joined in local memory, and each point that the tile's particles reach is added to the grid once: 13^3 additions a tile
 * at order 6, where its particles, 50 in water at a spacing of 1 angstrom, would have made 216 each. On CUDA four points
 * along z are one atomic addition; those that wrap are added two by two, if the grid has an even number along z. Forces are
 * gathered from local memory, a particle per work-item. A block has room for CAPACITY particles; those beyond it are spread
 * and gathered one by one. The device transforms planes of y and z, in place; the kernel that solves transforms along x.
 *
 * @workload  pme
 * @structure none
 * @boxes     periodic triclinic
 * @scratch   grid accum grid_point
 * @scratch   block_count int grid_tile * BLOCKS + 1
 * @scratch   block_particles int grid_tile * BLOCKS * CAPACITY
 * @scratch   block_positions real4 grid_tile * BLOCKS * CAPACITY
 * @scratch   left_over int particle
 * @pass      clear item per grid_tile
 * @pass      bin item per particle
 * @pass      spread group per grid_tile
 * @pass      convert item per fixed_grid_point
 * @transform forward grid grid planes
 * @pass      solve group per x_line / LINES
 * @transform backward grid grid planes
 * @pass      gather group per grid_tile
 * @tunable   BLOCKS 8
 * @tunable   CAPACITY 8 16* 32
 * @tunable   LINES 2 4* 8 16
 * @tunable   GROUP_SIZE 32 64* 128 256
 */
#if GROUP_SIZE < TEAM_ITEMS || GROUP_SIZE % LINES != 0
#error GROUP_SIZE has to be 32 at least, and a multiple of LINES
#endif
KERNEL void clear(int4 grid_size, GLOBAL int *RESTRICT block_count)
{
    clear_blocks(block_count, grid_size);
}

KERNEL void bin(int n, box_args box, int4 grid_size, GLOBAL const real4 *RESTRICT position, GLOBAL int *block_count,
                GLOBAL int *RESTRICT block_particles, GLOBAL real4 *RESTRICT block_positions, GLOBAL int *RESTRICT left_over,
                GLOBAL accum *RESTRICT grid)
{
    const int i = GLOBAL_ID;
    clear_grid(grid, grid_size);
    if (i < n) {
        const real4 own = position[i];
        const int slot = slot_in_block(i, place_on_grid(own, box, grid_size), grid_size, block_count, left_over);
        if (slot >= 0) {
            block_particles[slot] = i;
            block_positions[slot] = own;
        }
    }
}

KERNEL void spread(box_args box, int4 grid_size, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT block_count,
                   GLOBAL const real4 *RESTRICT block_positions, GLOBAL const int *RESTRICT left_over, GLOBAL accum *grid)
{
    LOCAL grid_sum4 tile[TILE_QUADS];
    LOCAL real4 across[2 * ROW_QUADS * WEIGHTS_PITCH];
    LOCAL weight4 along[ROW_QUADS * WEIGHTS_PITCH];
    LOCAL int rows[TILE_ROWS];
    LOCAL int before[BLOCKS + 1];
    const int team = LOCAL_ID / TEAM_ITEMS;
    const int4 origin = origin_of_tile(GROUP_ID, grid_size);
    grid_sum4 nothing;
    nothing.x = 0; nothing.y = 0; nothing.z = 0; nothing.w = 0;
    tile_weights weights;
    weights.across = across;
    weights.along = along;
    for (int quad = LOCAL_ID; quad < TILE_QUADS; quad += GROUP_SIZE) {
        tile[quad] = nothing;
    }
    find_rows(rows, origin, grid_size);
    count_before(before, block_count);
    /* Up to a constant: barriers in a loop whose end was loaded are what PoCL 3.1 compiles wrongly. */
    for (int done = 0; done < TILE_ROOM; done += BATCH) {
        fill_batch(weights, before, block_positions, done, box, grid_size);
        SYNC_THREADS;
        for (int side = 0; side < 2; side += TEAMS) {
            grid_sum4 sum[OWN_COLUMNS][TILE_ROW_QUADS];
            for (int q = 0; q < OWN_COLUMNS * TILE_ROW_QUADS; q++) {
                sum[q / TILE_ROW_QUADS][q % TILE_ROW_QUADS] = nothing;
            }
            if (side + team < 2 && before[BLOCKS] > done) {
                add_half(weights, before, done, side + team, sum);
            }
            for (int turn = 0; turn < TEAMS && turn < 2; turn++) {
                if (turn == team && before[BLOCKS] > done) {
                    add_to_tile(tile, side + team, sum);
                }
                SYNC_THREADS;
            }
        }
    }
    if (before[BLOCKS] > 0) {
        add_tile_to_grid(tile, rows, origin, grid_size, grid);
    }
    for (int k = GLOBAL_ID; k < block_count[blocks_of_grid(grid_size)]; k += GLOBAL_SIZE) {
        const real4 own = position[left_over[k]];
        spread_particle(grid, own.w, place_on_grid(own, box, grid_size), grid_size);
    }
}

KERNEL void convert(int4 grid_size, GLOBAL accum *grid)
{
    convert_grid_point(grid, GLOBAL_ID, grid_size);
}

/* Along x, there and back: between the two a work-item has modes in registers. The way back is that of conjugates. */
KERNEL void solve(int4 grid_size, ewald_args ewald, GLOBAL const accum *RESTRICT spline_moduli,
                  GLOBAL const accum *RESTRICT line_roots, GLOBAL accum *RESTRICT grid, GLOBAL accum *RESTRICT partial_sums)
{
    SUM_SCRATCH
    LOCAL complex_number between[GRID_X * LINES];
    LOCAL complex_number roots[GRID_X];
    LOCAL complex_number parts[GRID_X];
    const int kept = grid_size.z / 2 + 1;
    const int lines = grid_size.y * kept;
    const int own = GROUP_ID * LINES + LOCAL_ID % LINES;
    const int number = own < lines ? own : lines - 1;
    const mode_line line = find_line(number, own < lines, grid_size, ewald, spline_moduli);
    const int plane = grid_size.y * row_pitch(grid_size) / 2;
    GLOBAL complex_number *RESTRICT points =
        (GLOBAL complex_number *)grid + line.y * (row_pitch(grid_size) / 2) + line.z;
    pair_sums sums;
    clear_sums(&sums);
    for (int j = LOCAL_ID; j < GRID_X; j += GROUP_SIZE) {
        roots[j] = ((GLOBAL const complex_number *)line_roots)[j];
    }
    fill_parts(parts, grid_size, ewald, spline_moduli);
    SYNC_THREADS;
    for (int b = LOCAL_ID / LINES; b < X_SECOND; b += GROUP_SIZE / LINES) {
        complex_number x[X_FIRST];
        for (int a = 0; a < X_FIRST; a++) {
            x[a] = points[(X_SECOND * a + b) * plane];
        }
        TRANSFORM_FIRST(x);
        for (int c = 0; c < X_FIRST; c++) {
            between[(c * X_SECOND + b) * LINES + LOCAL_ID % LINES] = times_complex(x[c], roots[b * c]);
        }
    }
    SYNC_THREADS;
    for (int c = LOCAL_ID / LINES; c < X_FIRST; c += GROUP_SIZE / LINES) {
        complex_number x[X_SECOND];
        for (int b = 0; b < X_SECOND; b++) {
            x[b] = between[(c * X_SECOND + b) * LINES + LOCAL_ID % LINES];
        }
        TRANSFORM_SECOND(x);
#pragma unroll
        for (int d = 0; d < X_SECOND; d++) {
            x[d] = conjugate_solved(x[d], c + X_FIRST * d, line, parts, grid_size, ewald, spline_moduli, &sums);
        }
        TRANSFORM_SECOND(x);
        for (int b = 0; b < X_SECOND; b++) {
            between[(c * X_SECOND + b) * LINES + LOCAL_ID % LINES] = times_complex(x[b], roots[b * c]);
        }
    }
    SYNC_THREADS;
    for (int b = LOCAL_ID / LINES; b < X_SECOND && own < lines; b += GROUP_SIZE / LINES) {
        complex_number x[X_FIRST];
        for (int c = 0; c < X_FIRST; c++) {
            x[c] = between[(c * X_SECOND + b) * LINES + LOCAL_ID % LINES];
        }
        TRANSFORM_FIRST(x);
        for (int a = 0; a < X_FIRST; a++) {
            x[a].y = -x[a].y;
            points[(X_SECOND * a + b) * plane] = x[a];
        }
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}

KERNEL void gather(box_args box, int4 grid_size, ewald_args ewald, GLOBAL const real4 *RESTRICT position,
                   GLOBAL const int *RESTRICT block_count, GLOBAL const int *RESTRICT block_particles,
                   GLOBAL const real4 *RESTRICT block_positions, GLOBAL const int *RESTRICT left_over,
                   GLOBAL const accum *RESTRICT grid, GLOBAL force_sum *RESTRICT force, int force_plane)
{
    LOCAL accum4 quads[TILE_QUADS];
    LOCAL_ARG accum *tile = (LOCAL_ARG accum *)quads;
    LOCAL int rows[TILE_ROWS];
    LOCAL int before[BLOCKS + 1];
    const int4 origin = origin_of_tile(GROUP_ID, grid_size);
    const int strays = block_count[blocks_of_grid(grid_size)];
    find_rows(rows, origin, grid_size);
    count_before(before, block_count);
    int slot = slot_in_tile(before, LOCAL_ID);
    real4 own = make_real4(REAL(0.0), REAL(0.0), REAL(0.0), REAL(0.0));
    int i = 0;
    if (slot >= 0) { /* on their way while the tile is loaded */
        own = block_positions[slot];
        i = block_particles[slot];
    }
    load_tile(quads, rows, grid, origin, grid_size);
    SYNC_THREADS;
    for (int k = LOCAL_ID; slot >= 0;) {
        const accum4 whole = gather_from_tile(tile, own.w, place_on_grid(own, box, grid_size), grid_size, ewald);
        STORE_FORCE(force, force_plane, i, whole)
        k += GROUP_SIZE;
        slot = slot_in_tile(before, k);
        if (slot >= 0) {
            own = block_positions[slot];
            i = block_particles[slot];
        }
    }
    SYNC_THREADS;
    const int items = NUM_GROUPS * LEFT_OVER_ITEMS;
    for (int k = LOCAL_ID < LEFT_OVER_ITEMS ? GROUP_ID * LEFT_OVER_ITEMS + LOCAL_ID : strays; k < strays; k += items) {
        i = left_over[k];
        own = position[i];
        const accum4 whole = gather_left_over(tile + LOCAL_ID * LEFT_OVER_VALUES, grid, own.w, place_on_grid(own, box, grid_size),
                                              grid_size, ewald);
        STORE_FORCE(force, force_plane, i, whole)
    }
}
