/*
 * pme_fused — transforms of its own: the one along x is followed by the influence function and the way back in one pass
 *
 * Five passes over the spectrum in place of the library's six and one for solving; what each begins and ends with is in
 * local memory. Spreading and gathering are those of pme_tiles. A line has LINE_ROOM points at most.
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
 * @pass      rows_forward group per row_pair / LINES
 * @pass      columns_forward group per y_line / LINES
 * @pass      solve group per x_line / LINES
 * @pass      columns_backward group per y_line / LINES
 * @pass      rows_backward group per row_pair / LINES
 * @pass      gather group per grid_tile
 * @tunable   CAPACITY 32 64 128* 256
 * @tunable   LINES 2 4 8* 16
 * @tunable   LINE_ROOM 32 64 96 128 160* 192 256 384
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

/* ---- rows: z ---- */

/* Two rows of real numbers are the parts of a line. */
KERNEL void rows_forward(int4 grid_size, int4 line_factors, GLOBAL const accum *RESTRICT line_roots,
                         GLOBAL const accum *RESTRICT grid, GLOBAL accum *RESTRICT spectrum)
{
    LOCAL line_point work[LINE_MEMORY];
    const int n = grid_size.z;
    const int kept = n / 2 + 1;
    const int rows = grid_size.x * grid_size.y;
    const int first = GROUP_ID * LINES;
    GLOBAL const line_point *roots = (GLOBAL const line_point *)line_roots + grid_size.x + grid_size.y;
    GLOBAL line_point *points = (GLOBAL line_point *)spectrum;
    int side = 0;
    for (int item = LOCAL_ID; item < n * LINES; item += GROUP_SIZE) {
        const int line = item / n;
        const int k = item % n;
        const int row = 2 * (first + line);
        work[line * LINE_ROOM + k] = make_line_point(row < rows ? grid[row * n + k] : ACCUM(0.0),
                                                     row + 1 < rows ? grid[(row + 1) * n + k] : ACCUM(0.0));
    }
    SYNC_THREADS;
    TRANSFORM_LINES(work, side, roots, n, line_factors.z, 1, ACCUM(1.0))
    for (int item = LOCAL_ID; item < kept * LINES; item += GROUP_SIZE) {
        const int line = item / kept;
        const int k = item % kept;
        const int row = 2 * (first + line);
        const line_point own = work[side + line * LINE_ROOM + k];
        const line_point other = work[side + line * LINE_ROOM + (k == 0 ? 0 : n - k)];
        if (row < rows) {
            points[row * kept + k] = make_line_point(ACCUM(0.5) * (own.x + other.x), ACCUM(0.5) * (own.y - other.y));
        }
        if (row + 1 < rows) {
            points[(row + 1) * kept + k] = make_line_point(ACCUM(0.5) * (own.y + other.y), ACCUM(0.5) * (other.x - own.x));
        }
    }
}

KERNEL void rows_backward(int4 grid_size, int4 line_factors, GLOBAL const accum *RESTRICT line_roots,
                          GLOBAL const accum *RESTRICT spectrum, GLOBAL accum *RESTRICT grid)
{
    LOCAL line_point work[LINE_MEMORY];
    const int n = grid_size.z;
    const int kept = n / 2 + 1;
    const int rows = grid_size.x * grid_size.y;
    const int first = GROUP_ID * LINES;
    GLOBAL const line_point *roots = (GLOBAL const line_point *)line_roots + grid_size.x + grid_size.y;
    GLOBAL const line_point *points = (GLOBAL const line_point *)spectrum;
    const line_point none = make_line_point(0, 0);
    int side = 0;
    for (int item = LOCAL_ID; item < kept * LINES; item += GROUP_SIZE) {
        const int line = item / kept;
        const int k = item % kept;
        const int row = 2 * (first + line);
        const line_point a = row < rows ? points[row * kept + k] : none;
        const line_point b = row + 1 < rows ? points[(row + 1) * kept + k] : none;
        if (k == 0 || 2 * k == n) { /* its own conjugate: real */
            work[line * LINE_ROOM + k] = make_line_point(a.x, b.x);
        } else {
            work[line * LINE_ROOM + k] = make_line_point(a.x - b.y, a.y + b.x);
            work[line * LINE_ROOM + n - k] = make_line_point(a.x + b.y, b.x - a.y);
        }
    }
    SYNC_THREADS;
    TRANSFORM_LINES(work, side, roots, n, line_factors.z, 1, ACCUM(-1.0))
    for (int item = LOCAL_ID; item < n * LINES; item += GROUP_SIZE) {
        const int line = item / n;
        const int k = item % n;
        const int row = 2 * (first + line);
        const line_point both = work[side + line * LINE_ROOM + k];
        if (row < rows) {
            grid[row * n + k] = both.x;
        }
        if (row + 1 < rows) {
            grid[(row + 1) * n + k] = both.y;
        }
    }
}

/* ---- columns: y ---- */

/* Lines are numbered by x, then z. */
#define COLUMNS(flip)                                                                                                 \
    LOCAL line_point work[LINE_MEMORY];                                                                               \
    const int n = grid_size.y;                                                                                        \
    const int inner = grid_size.z / 2 + 1;                                                                            \
    const int lines = grid_size.x * inner;                                                                            \
    GLOBAL const line_point *roots = (GLOBAL const line_point *)line_roots + grid_size.x;                             \
    GLOBAL line_point *points = (GLOBAL line_point *)spectrum;                                                        \
    int side = 0;                                                                                                     \
    for (int item = LOCAL_ID; item < n * LINES; item += GROUP_SIZE) {                                                 \
        const int l = GROUP_ID * LINES + item % LINES;                                                                \
        work[item] = l < lines ? points[(l / inner * n + item / LINES) * inner + l % inner] : make_line_point(0, 0);  \
    }                                                                                                                 \
    SYNC_THREADS;                                                                                                     \
    TRANSFORM_LINES(work, side, roots, n, line_factors.y, 0, flip)                                                    \
    for (int item = LOCAL_ID; item < n * LINES; item += GROUP_SIZE) {                                                 \
        const int l = GROUP_ID * LINES + item % LINES;                                                                \
        if (l < lines) {                                                                                              \
            points[(l / inner * n + item / LINES) * inner + l % inner] = work[side + item];                           \
        }                                                                                                             \
    }

KERNEL void columns_forward(int4 grid_size, int4 line_factors, GLOBAL const accum *RESTRICT line_roots, GLOBAL accum *spectrum)
{
    COLUMNS(ACCUM(1.0))
}

KERNEL void columns_backward(int4 grid_size, int4 line_factors, GLOBAL const accum *RESTRICT line_roots, GLOBAL accum *spectrum)
{
    COLUMNS(ACCUM(-1.0))
}

/* ---- x, there and back ---- */

KERNEL void solve(int4 grid_size, ewald_args ewald, GLOBAL const accum *RESTRICT spline_moduli, int4 line_factors,
                  GLOBAL const accum *RESTRICT line_roots, GLOBAL accum *spectrum, GLOBAL accum *RESTRICT partial_sums)
{
    SUM_SCRATCH
    LOCAL line_point work[LINE_MEMORY];
    const int n = grid_size.x;
    const int inner = grid_size.z / 2 + 1;
    const int lines = grid_size.y * inner;
    GLOBAL const line_point *roots = (GLOBAL const line_point *)line_roots;
    GLOBAL line_point *points = (GLOBAL line_point *)spectrum;
    pair_sums sums;
    int side = 0;
    clear_sums(&sums);
    for (int item = LOCAL_ID; item < n * LINES; item += GROUP_SIZE) {
        const int l = GROUP_ID * LINES + item % LINES;
        work[item] = l < lines ? points[item / LINES * lines + l] : make_line_point(0, 0);
    }
    SYNC_THREADS;
    TRANSFORM_LINES(work, side, roots, n, line_factors.x, 0, ACCUM(1.0))
    for (int item = LOCAL_ID; item < n * LINES; item += GROUP_SIZE) {
        const int l = GROUP_ID * LINES + item % LINES;
        if (l < lines) {
            const line_point here = work[side + item];
            spectrum_point point;
            point.x = item / LINES;
            point.y = l / inner;
            point.z = l % inner;
            const accum influence = solve_mode(point, grid_size, ewald, spline_moduli, here.x * here.x + here.y * here.y, &sums);
            work[side + item] = make_line_point(influence * here.x, influence * here.y);
        }
    }
    SYNC_THREADS;
    TRANSFORM_LINES(work, side, roots, n, line_factors.x, 0, ACCUM(-1.0))
    for (int item = LOCAL_ID; item < n * LINES; item += GROUP_SIZE) {
        const int l = GROUP_ID * LINES + item % LINES;
        if (l < lines) {
            points[item / LINES * lines + l] = work[side + item];
        }
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}

/* ---- forces ---- */

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
    for (int k = GLOBAL_ID; k < tile_count[tiles_of_grid(grid_size)]; k += GLOBAL_SIZE) {
        const int i = left_over[k];
        const real4 own = position[i];
        const accum4 whole = gather_force(grid, own.w, place_on_grid(own, box, grid_size), grid_size, ewald);
        STORE_FORCE(force, force_plane, i, whole)
    }
}
