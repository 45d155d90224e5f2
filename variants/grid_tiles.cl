/*
 * grid_tiles — particles of `pme` by tiles of GRID_TILE^3 points, and a tile in a work-group's local memory
 *
 * Words for kernels of `pme` that have a tunable CAPACITY: how many particles a block, an eighth of a tile, has room for. Those
 * beyond it are left over. block_count has a number for each block, those of a tile together, and one of those left over.
 */

/* A tile, and the points beyond it that its particles reach. A row along z in local memory is of whole quads. */
#define TILE_EDGE (GRID_TILE + SPLINE_ORDER - 1)
#define TILE_ROWS (TILE_EDGE * TILE_EDGE)
#define TILE_ROW_QUADS ((TILE_EDGE + 3) / 4)
#define TILE_PITCH (4 * TILE_ROW_QUADS)
#define TILE_QUADS (TILE_ROWS * TILE_ROW_QUADS)

/* Rows that a group moves between the grid and local memory at once, a work-item the same quad of each of its rows. */
#define ROWS_AT_ONCE (GROUP_SIZE / TILE_ROW_QUADS)
#define OWN_ROWS ((TILE_ROWS + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE)

/* A block, and the points that its particles reach. A team of work-items has the columns along z of half a tile, those that its
 * blocks of lower or of higher x reach: the same work-item has those of the same x, so that a block reaches two of three of its
 * columns. At order 6 they are dealt one by one. */
#define BLOCK (GRID_TILE / 2)
#define BLOCK_EDGE (BLOCK + SPLINE_ORDER - 1)
#define TEAM_ITEMS 32
#define TEAMS (GROUP_SIZE / TEAM_ITEMS)
#if BLOCK_EDGE <= 8
#define OWN_COLUMNS ((TILE_EDGE + 3) / 4)
#define COLUMN_X(c) ((LOCAL_ID & (TEAM_ITEMS - 1)) >> 2)
#define COLUMN_Y(c) (4 * (c) + (LOCAL_ID & 3))
#define REACHES_COLUMN(c, y_block) ((c) >= (y_block) && (c) < (y_block) + 2)
#else
#define OWN_COLUMNS ((BLOCK_EDGE * TILE_EDGE + TEAM_ITEMS - 1) / TEAM_ITEMS)
#define COLUMN_X(c) ((LOCAL_ID % TEAM_ITEMS + (c)*TEAM_ITEMS) % BLOCK_EDGE)
#define COLUMN_Y(c) ((LOCAL_ID % TEAM_ITEMS + (c)*TEAM_ITEMS) / BLOCK_EDGE)
#define REACHES_COLUMN(c, y_block)                               \
    (((c) + 1) * TEAM_ITEMS > (y_block)*BLOCK * BLOCK_EDGE &&    \
     (c)*TEAM_ITEMS < ((y_block)*BLOCK + BLOCK_EDGE) * BLOCK_EDGE)
#endif

/* Splines of a particle along an axis, zeros before and behind them: a weight for each point of the block. */
#define ROW_QUADS ((BLOCK_EDGE + 3) / 4)
#define ROW_ROOM (4 * ROW_QUADS)

/* Particles of a tile whose splines are computed at once. */
#define TILE_ROOM (BLOCKS * CAPACITY)
#define BATCH (GROUP_SIZE < 64 ? 64 : GROUP_SIZE < TILE_ROOM ? GROUP_SIZE : TILE_ROOM)

/* Four neighbours along z; of weights, as grid_weight is. */
#if ACCUM_IS_FIXED
typedef struct {
    grid_sum x, y, z, w;
} grid_sum4;
typedef real4 weight4;
#define make_weight4(x, y, z, w) make_real4(x, y, z, w)
#else
typedef accum4 grid_sum4;
typedef accum4 weight4;
#define make_weight4(x, y, z, w) make_accum4(x, y, z, w)
#endif

/* How many tiles there are along a vector, and in all. */
DEVICE int tiles_along(int size)
{
    return (size + GRID_TILE - 1) / GRID_TILE;
}

DEVICE int tiles_of_grid(int4 size)
{
    return tiles_along(size.x) * tiles_along(size.y) * tiles_along(size.z);
}

/* The first point of a tile: found once for all, as it takes divisions. */
DEVICE int4 origin_of_tile(int tile, int4 size)
{
    const int row = tile / tiles_along(size.z);
    return make_int4(row / tiles_along(size.y) * GRID_TILE, row % tiles_along(size.y) * GRID_TILE,
                     (tile - row * tiles_along(size.z)) * GRID_TILE, 0);
}

/* A small grid may end several times within a tile. */
DEVICE int wrap_often(int point, int size)
{
    while (point >= size) {
        point -= size;
    }
    return point;
}

/* Of each row along z of the group's tile, where the row is on the grid that it falls into: once for all points. */
DEVICE void find_rows(LOCAL_ARG int *rows, int4 origin, int4 size)
{
    for (int row = LOCAL_ID; row < TILE_ROWS; row += GROUP_SIZE) {
        const int x = wrap_often(origin.x + row / TILE_EDGE, size.x);
        const int y = wrap_often(origin.y + row % TILE_EDGE, size.y);
        rows[row] = (x * size.y + y) * row_pitch(size);
    }
}

/* The place in a tile of a particle's first point. */
DEVICE int start_in_tile(grid_place place)
{
    return (place.x % GRID_TILE * TILE_EDGE + place.y % GRID_TILE) * TILE_PITCH + place.z % GRID_TILE;
}

/* ---- particles by blocks ---- */

DEVICE int block_of_place(grid_place place, int4 size)
{
    const int row = place.x / GRID_TILE * tiles_along(size.y) + place.y / GRID_TILE;
    const int tile = row * tiles_along(size.z) + place.z / GRID_TILE;
    const int within = (place.x / BLOCK % 2 * 2 + place.y / BLOCK % 2) * 2 + place.z / BLOCK % 2;
    return tile * BLOCKS + within;
}

/* The place of the count of those left over. */
DEVICE int blocks_of_grid(int4 size)
{
    return tiles_of_grid(size) * BLOCKS;
}

/* Empties the blocks; by every work-item of a kernel. */
DEVICE void clear_blocks(GLOBAL int *RESTRICT block_count, int4 size)
{
    for (int block = GLOBAL_ID; block <= blocks_of_grid(size); block += GLOBAL_SIZE) {
        block_count[block] = 0;
    }
}

/* A slot of its block for a particle; -1 where that is full: the particle is noted as left over. */
DEVICE int slot_in_block(int i, grid_place place, int4 size, GLOBAL int *block_count, GLOBAL int *left_over)
{
    const int block = block_of_place(place, size);
    const int slot = ATOMIC_ADD_INT(&block_count[block], 1);
    if (slot < CAPACITY) {
        return block * CAPACITY + slot;
    }
    left_over[ATOMIC_ADD_INT(&block_count[blocks_of_grid(size)], 1)] = i;
    return -1;
}

/* The particles of a block that found room. */
DEVICE int count_in_block(GLOBAL const int *RESTRICT block_count, int block)
{
    return block_count[block] < CAPACITY ? block_count[block] : CAPACITY;
}

/* How many particles of the group's tile the blocks before each have, and all; by the group. */
DEVICE void count_before(LOCAL_ARG int *before, GLOBAL const int *RESTRICT block_count)
{
    if (LOCAL_ID <= BLOCKS) {
        int count = 0;
        for (int block = 0; block < BLOCKS; block++) {
            count += block < LOCAL_ID ? count_in_block(block_count, GROUP_ID * BLOCKS + block) : 0;
        }
        before[LOCAL_ID] = count;
    }
    SYNC_THREADS;
}

/* The slot of the k-th of them; -1 where there are fewer. */
DEVICE int slot_in_tile(LOCAL_ARG const int *before, int k)
{
    int unused = 0;
    for (int block = 1; block < BLOCKS; block++) {
        unused = k >= before[block] ? block * CAPACITY - before[block] : unused;
    }
    return k < before[BLOCKS] ? GROUP_ID * TILE_ROOM + unused + k : -1;
}

/* ---- charges ---- */

/* Weights of the particles of a batch: those along x, which are multiplied by the charge, and y, and those along z. A quad of
 * one particle is beside that of the next, and other quads are so far from it that they are in other banks. */
#define WEIGHTS_PITCH (BATCH + 1)
typedef struct {
    LOCAL_ARG real4 *across; /* 2 * ROW_QUADS * WEIGHTS_PITCH: x, then y */
    LOCAL_ARG weight4 *along; /* ROW_QUADS * WEIGHTS_PITCH */
} tile_weights;

/* A spline's values from the shift-th weight of its row on. By two moves, as registers cannot be counted. */
DEVICE void fill_row(real behind, int shift, real *row)
{
    real value[SPLINE_ORDER], slope[SPLINE_ORDER], moved[ROW_ROOM];
    fill_spline(behind, value, slope);
    for (int j = 0; j < ROW_ROOM; j++) {
        row[j] = j < SPLINE_ORDER ? value[j < SPLINE_ORDER ? j : 0] : REAL(0.0);
    }
    for (int j = 0; j < ROW_ROOM; j++) {
        moved[j] = shift % 2 == 0 ? row[j] : j < 1 ? REAL(0.0) : row[j < 1 ? 0 : j - 1];
    }
    for (int j = 0; j < ROW_ROOM; j++) {
        row[j] = shift < 2 ? moved[j] : j < 2 ? REAL(0.0) : moved[j < 2 ? 0 : j - 2];
    }
}

/* The weights of the k-th particle of those whose weights are found at once. */
DEVICE void fill_weights(tile_weights weights, int k, real4 particle, box_args box, int4 size)
{
    const grid_place place = place_on_grid(particle, box, size);
    real row[ROW_ROOM];
    fill_row(place.behind_x, place.x % BLOCK, row);
    for (int q = 0; q < ROW_QUADS; q++) {
        weights.across[q * WEIGHTS_PITCH + k] = make_real4(particle.w * row[4 * q], particle.w * row[4 * q + 1],
                                                           particle.w * row[4 * q + 2], particle.w * row[4 * q + 3]);
    }
    fill_row(place.behind_y, place.y % BLOCK, row);
    for (int q = 0; q < ROW_QUADS; q++) {
        weights.across[(ROW_QUADS + q) * WEIGHTS_PITCH + k] = make_real4(row[4 * q], row[4 * q + 1], row[4 * q + 2], row[4 * q + 3]);
    }
    fill_row(place.behind_z, place.z % BLOCK, row);
    for (int q = 0; q < ROW_QUADS; q++) {
        weights.along[q * WEIGHTS_PITCH + k] = make_weight4(row[4 * q], row[4 * q + 1], row[4 * q + 2], row[4 * q + 3]);
    }
}

/* Those of the tile from the done-th on; by the group. */
DEVICE void fill_batch(tile_weights weights, LOCAL_ARG const int *before, GLOBAL const real4 *RESTRICT block_positions, int done,
                       box_args box, int4 size)
{
    for (int k = LOCAL_ID; k < BATCH; k += GROUP_SIZE) {
        const int slot = slot_in_tile(before, done + k);
        if (slot >= 0) {
            fill_weights(weights, k, block_positions[slot], box, size);
        }
    }
}

/* Where the batch's first particle has its weight along x or y of a point of the block; the next has it four numbers on. */
DEVICE int place_of_weight(int axis, int point)
{
    return (axis * ROW_QUADS + (point >> 2)) * WEIGHTS_PITCH * 4 + (point & 3);
}

/* Of a column of the half, the point along y of a block; where that does not reach it, one whose weight is zero. */
DEVICE int point_of_column(int c, int y_block)
{
    const int point = COLUMN_Y(c) - y_block * BLOCK;
    return BLOCK_EDGE == ROW_ROOM || (point >= 0 && point < BLOCK_EDGE) ? point : ROW_ROOM - 1;
}

/* A block's particles, from the first-th of the batch to before the stop-th, to the work-item's columns. Which block is known
 * when this is compiled. */
DEVICE void add_to_columns(tile_weights weights, int first, int stop, int y_block, int z_block,
                           grid_sum4 sum[OWN_COLUMNS][TILE_ROW_QUADS])
{
    LOCAL_ARG const real *of_x[OWN_COLUMNS];
    LOCAL_ARG const real *of_y[OWN_COLUMNS];
    LOCAL_ARG const weight4 *of_z = weights.along + first;
    for (int c = 0; c < OWN_COLUMNS; c++) {
        of_x[c] = (LOCAL_ARG const real *)(weights.across + first) + place_of_weight(0, COLUMN_X(c));
        of_y[c] = (LOCAL_ARG const real *)(weights.across + first) + place_of_weight(1, point_of_column(c, y_block));
    }
#pragma unroll 1
    for (int k = first; k < stop; k++) {
        weight4 along[ROW_QUADS];
        for (int q = 0; q < ROW_QUADS; q++) {
            along[q] = of_z[q * WEIGHTS_PITCH];
        }
        of_z++;
        for (int c = 0; c < OWN_COLUMNS; c++) {
            if (REACHES_COLUMN(c, y_block)) {
                const real part = *of_x[c] * *of_y[c];
                for (int q = 0; q < ROW_QUADS; q++) {
                    sum[c][z_block + q].x += TO_GRID(part * along[q].x);
                    sum[c][z_block + q].y += TO_GRID(part * along[q].y);
                    sum[c][z_block + q].z += TO_GRID(part * along[q].z);
                    sum[c][z_block + q].w += TO_GRID(part * along[q].w);
                }
                of_x[c] += 4;
                of_y[c] += 4;
            }
        }
    }
}

/* What the blocks of half a tile add, of the batch from the done-th particle on. */
DEVICE void add_half(tile_weights weights, LOCAL_ARG const int *before, int done, int side, grid_sum4 sum[OWN_COLUMNS][TILE_ROW_QUADS])
{
#pragma unroll
    for (int b = 0; b < BLOCKS / 2; b++) {
        const int first = before[side * (BLOCKS / 2) + b] - done;
        const int stop = before[side * (BLOCKS / 2) + b + 1] - done;
        add_to_columns(weights, first > 0 ? first : 0, stop < BATCH ? stop : BATCH, b / 2, b % 2, sum);
    }
}

/* A half's sums to the tile. */
DEVICE void add_to_tile(LOCAL_ARG grid_sum4 *tile, int side, grid_sum4 sum[OWN_COLUMNS][TILE_ROW_QUADS])
{
    for (int c = 0; c < OWN_COLUMNS; c++) {
        const int row = (side * BLOCK + COLUMN_X(c)) * TILE_EDGE + COLUMN_Y(c);
        if (COLUMN_X(c) < BLOCK_EDGE && COLUMN_Y(c) < TILE_EDGE) {
            for (int q = 0; q < TILE_ROW_QUADS; q++) {
                grid_sum4 whole = tile[row * TILE_ROW_QUADS + q];
                whole.x += sum[c][q].x;
                whole.y += sum[c][q].y;
                whole.z += sum[c][q].z;
                whole.w += sum[c][q].w;
                tile[row * TILE_ROW_QUADS + q] = whole;
            }
        }
    }
}

/* Whether four neighbours along z, from a point on, are whole on the grid, at a multiple of four. */
DEVICE int has_quad(int z, int4 size)
{
    return z + 3 < size.z && z % 4 == 0 && row_pitch(size) % 4 == 0;
}

/* Four neighbours along z to the grid, from a point on, where there is no quad. */
DEVICE void add_four_to_grid(GLOBAL accum *grid, int row, int z, grid_sum4 sum, int4 size)
{
    const int third = next_point(z, 2, size.z);
#if HAVE_ATOMIC_ADD_VECTOR
    if (size.z % 2 == 0 && z % 2 == 0) {
        ATOMIC_ADD_PAIR(grid + row + z, sum.x, sum.y);
        ATOMIC_ADD_PAIR(grid + row + third, sum.z, sum.w);
        return;
    }
#endif
    ADD_TO_GRID(grid, row + z, sum.x);
    ADD_TO_GRID(grid, row + next_point(z, 1, size.z), sum.y);
    ADD_TO_GRID(grid, row + third, sum.z);
    ADD_TO_GRID(grid, row + next_point(z, 3, size.z), sum.w);
}

/* The group's tile to the grid; rows have been found, by all. */
DEVICE void add_tile_to_grid(LOCAL_ARG const grid_sum4 *tile, LOCAL_ARG const int *rows, int4 origin, int4 size, GLOBAL accum *grid)
{
    const int quad = LOCAL_ID % TILE_ROW_QUADS;
    const int z = wrap_often(origin.z + 4 * quad, size.z);
    const int stop = LOCAL_ID < ROWS_AT_ONCE * TILE_ROW_QUADS ? TILE_ROWS : 0;
    int row = LOCAL_ID / TILE_ROW_QUADS;
#if HAVE_ATOMIC_ADD_VECTOR
    for (; row < stop && has_quad(z, size); row += ROWS_AT_ONCE) {
        const grid_sum4 sum = tile[row * TILE_ROW_QUADS + quad];
        ATOMIC_ADD_QUAD(grid + rows[row] + z, sum.x, sum.y, sum.z, sum.w);
    }
#endif
    for (; row < stop; row += ROWS_AT_ONCE) {
        add_four_to_grid(grid, rows[row], z, tile[row * TILE_ROW_QUADS + quad], size);
    }
}

/* ---- forces ---- */

/* The potential at four neighbours along z, from a point on that is a multiple of four. */
DEVICE accum4 load_quad(GLOBAL const accum *RESTRICT grid, int row, int z, int4 size)
{
    if (has_quad(z, size)) {
        return ((GLOBAL const accum4 *)grid)[(row + z) / 4];
    }
    return make_accum4(grid[row + z], grid[row + next_point(z, 1, size.z)], grid[row + next_point(z, 2, size.z)],
                       grid[row + next_point(z, 3, size.z)]);
}

/* The potential at the points of the group's tile; rows have been found, by all. Loads do not wait for each other. */
DEVICE void load_tile(LOCAL_ARG accum4 *tile, LOCAL_ARG const int *rows, GLOBAL const accum *RESTRICT grid, int4 origin, int4 size)
{
    const int quad = LOCAL_ID % TILE_ROW_QUADS;
    const int z = wrap_often(origin.z + 4 * quad, size.z);
    accum4 potential[OWN_ROWS];
    for (int k = 0; k < OWN_ROWS; k++) {
        const int row = LOCAL_ID / TILE_ROW_QUADS + k * ROWS_AT_ONCE;
        potential[k] = load_quad(grid, rows[row < TILE_ROWS ? row : TILE_ROWS - 1], z, size);
    }
    for (int k = 0; k < OWN_ROWS; k++) {
        const int row = LOCAL_ID / TILE_ROW_QUADS + k * ROWS_AT_ONCE;
        if (row < TILE_ROWS && LOCAL_ID < ROWS_AT_ONCE * TILE_ROW_QUADS) {
            tile[row * TILE_ROW_QUADS + quad] = potential[k];
        }
    }
}

/* The force on a particle of the tile whose potential is in local memory. */
DEVICE accum4 gather_from_tile(LOCAL_ARG const accum *tile, real charge, grid_place place, int4 size, ewald_args ewald)
{
    real x[SPLINE_ORDER], y[SPLINE_ORDER], z[SPLINE_ORDER];
    real slope_x[SPLINE_ORDER], slope_y[SPLINE_ORDER], slope_z[SPLINE_ORDER];
    accum along_x = ACCUM(0.0);
    accum along_y = ACCUM(0.0);
    accum along_z = ACCUM(0.0);
    FILL_SPLINES(place, x, y, z, slope_x, slope_y, slope_z)
    for (int a = 0; a < SPLINE_ORDER; a++) {
        for (int b = 0; b < SPLINE_ORDER; b++) {
            const int row = start_in_tile(place) + (a * TILE_EDGE + b) * TILE_PITCH;
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
    return force_of_gradient(charge, along_x, along_y, along_z, size, ewald);
}

/* Work-items of a group that gather particles that found no room, each with splines of its own in the memory of the tile. */
#define LEFT_OVER_ITEMS 32
#define LEFT_OVER_VALUES (6 * SPLINE_ORDER)

/* As gather_force(), with the splines in local memory: in registers, they would take more than the tile's particles do. */
DEVICE accum4 gather_left_over(LOCAL_ARG accum *values, GLOBAL const accum *RESTRICT grid, real charge, grid_place place, int4 size,
                               ewald_args ewald)
{
    real value[SPLINE_ORDER], slope[SPLINE_ORDER];
    accum along_x = ACCUM(0.0);
    accum along_y = ACCUM(0.0);
    accum along_z = ACCUM(0.0);
    for (int axis = 0; axis < 3; axis++) {
        fill_spline(axis == 0 ? place.behind_x : axis == 1 ? place.behind_y : place.behind_z, value, slope);
        for (int j = 0; j < SPLINE_ORDER; j++) {
            values[axis * SPLINE_ORDER + j] = value[j];
            values[(3 + axis) * SPLINE_ORDER + j] = slope[j];
        }
    }
    for (int row = 0; row < SPLINE_ORDER * SPLINE_ORDER; row++) {
        LOCAL_ARG const accum *x = values + row / SPLINE_ORDER;
        LOCAL_ARG const accum *y = values + SPLINE_ORDER + row % SPLINE_ORDER;
        LOCAL_ARG const accum *z = values + 2 * SPLINE_ORDER;
        const int first = (next_point(place.x, row / SPLINE_ORDER, size.x) * size.y +
                           next_point(place.y, row % SPLINE_ORDER, size.y)) * row_pitch(size);
        accum potential = ACCUM(0.0);
        accum rise = ACCUM(0.0);
        for (int c = 0; c < SPLINE_ORDER; c++) {
            const accum there = grid[first + next_point(place.z, c, size.z)];
            potential += z[c] * there;
            rise += z[3 * SPLINE_ORDER + c] * there;
        }
        along_x += (real)x[3 * SPLINE_ORDER] * (real)y[0] * potential; /* rounded as in a tile: in fixed, nobody can tell who was there */
        along_y += (real)x[0] * (real)y[3 * SPLINE_ORDER] * potential;
        along_z += (real)x[0] * (real)y[0] * rise;
    }
    return force_of_gradient(charge, along_x, along_y, along_z, size, ewald);
}
