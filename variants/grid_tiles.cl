/*
 * grid_tiles — particles of `pme` by tiles of GRID_TILE^3 points, and a tile in a work-group's local memory
 *
 * Words for kernels of `pme` that have a tunable CAPACITY: how many particles a block, an eighth of a tile, has room for. Those
 * beyond it are left over. block_count has a number for each block, those of a tile together, and one of those left over.
 */

/* A tile, and the points beyond it that its particles reach. */
#define TILE_EDGE (GRID_TILE + SPLINE_ORDER - 1)
#define TILE_ROWS (TILE_EDGE * TILE_EDGE)
#define TILE_PITCH (TILE_EDGE + 1) /* of a row in local memory: points of a particle fall into banks of their own */
#define TILE_ROOM (TILE_ROWS * TILE_PITCH)

/* Work-items that move a row between the grid and local memory, each the same point along z of other rows. */
#define ROW_ITEMS 16
#define ROWS_AT_ONCE (GROUP_SIZE / ROW_ITEMS)
#define OWN_ROWS ((TILE_ROWS + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE)

/* A block, and the points that its particles reach: a team of work-items has the columns of these along x. */
#define BLOCK (GRID_TILE / 2)
#define BLOCK_EDGE (BLOCK + SPLINE_ORDER - 1)
#define BLOCK_COLUMNS (BLOCK_EDGE * BLOCK_EDGE)
#define TEAM_ITEMS 32
#define TEAMS (GROUP_SIZE / TEAM_ITEMS)
#define OWN_COLUMNS ((BLOCK_COLUMNS + TEAM_ITEMS - 1) / TEAM_ITEMS)

/* Splines of a particle along an axis, zeros before and behind them: a weight for each point of the block. */
#define ROW_QUADS ((BLOCK_EDGE + 3) / 4)
#define ROW_ROOM (4 * ROW_QUADS)
#if ACCUM_IS_DOUBLE || CAPACITY < 16
#define BATCH 8 /* particles whose splines are computed at once */
#else
#define BATCH 16
#endif

/* In fixed a product is rounded as spread_particle() rounds it, whose particles depend on the order. */
#if ACCUM_IS_FIXED
typedef real weight;
typedef real4 weight4;
#else
typedef accum weight;
typedef accum4 weight4;
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

/* Of each row along z of the group's tile, where the row is on the grid that it falls into: once for all points. A small grid
 * may end several times within a tile. */
DEVICE void find_rows(LOCAL_ARG int *rows, int4 origin, int4 size)
{
    for (int row = LOCAL_ID; row < TILE_ROWS; row += GROUP_SIZE) {
        const int x = (origin.x + row / TILE_EDGE) % size.x;
        const int y = (origin.y + row % TILE_EDGE) % size.y;
        rows[row] = (x * size.y + y) * size.z;
    }
}

/* The number along z on the grid of a point of the tile. */
DEVICE int along_z(int4 origin, int within, int4 size)
{
    int z = origin.z + within;
    while (z >= size.z) {
        z -= size.z;
    }
    return z;
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

/* The slot of the k-th particle of the group's tile; -1 where it has fewer. */
DEVICE int slot_in_tile(GLOBAL const int *RESTRICT block_count, int k)
{
    int found = -1;
    int before = 0;
    for (int block = GROUP_ID * BLOCKS; block < (GROUP_ID + 1) * BLOCKS; block++) {
        const int count = count_in_block(block_count, block);
        found = k >= before && k < before + count ? block * CAPACITY + k - before : found;
        before += count;
    }
    return found;
}

/* ---- charges ---- */

/* Weights of a batch of particles, of each team; those along x are multiplied by the charge. */
typedef struct {
    LOCAL_ARG weight4 *x; /* BATCH * ROW_QUADS */
    LOCAL_ARG real *y;    /* BATCH * ROW_ROOM */
    LOCAL_ARG real *z;
} weight_rows;

/* Splines of a batch of particles, a work-item of the team for each axis of each. */
DEVICE void fill_weights(weight_rows rows, GLOBAL const real4 *RESTRICT particles, int count, box_args box, int4 size)
{
    for (int task = LOCAL_ID % TEAM_ITEMS; task < 3 * count; task += TEAM_ITEMS) {
        const int axis = task % 3;
        const int row = task / 3 * ROW_ROOM;
        const real4 own = particles[task / 3];
        const grid_place place = place_on_grid(own, box, size);
        const int start = row + (axis == 0 ? place.x : axis == 1 ? place.y : place.z) % BLOCK;
        LOCAL_ARG weight *x = (LOCAL_ARG weight *)rows.x;
        LOCAL_ARG real *other = axis == 1 ? rows.y : rows.z;
        real value[SPLINE_ORDER], slope[SPLINE_ORDER];
        fill_spline(axis == 0 ? place.behind_x : axis == 1 ? place.behind_y : place.behind_z, value, slope);
        for (int j = 0; j < ROW_ROOM; j++) {
            if (axis == 0) {
                x[row + j] = 0;
            } else {
                other[row + j] = REAL(0.0);
            }
        }
        for (int j = 0; j < SPLINE_ORDER; j++) {
            if (axis == 0) {
                x[start + j] = own.w * value[j];
            } else {
                other[start + j] = value[j];
            }
        }
    }
}

/* The column of a work-item in the k-th turn; where there is none, one that others have. */
DEVICE int own_column(int k)
{
    const int column = LOCAL_ID % TEAM_ITEMS + k * TEAM_ITEMS;
    return column < BLOCK_COLUMNS ? column : 0;
}

/* The batch's p-th particle to all points of the work-item's columns. */
DEVICE void add_to_columns(weight_rows rows, int p, grid_sum sum[OWN_COLUMNS][BLOCK_EDGE])
{
    weight along[ROW_ROOM];
    for (int q = 0; q < ROW_QUADS; q++) {
        const weight4 quad = rows.x[p * ROW_QUADS + q];
        along[4 * q] = quad.x;
        along[4 * q + 1] = quad.y;
        along[4 * q + 2] = quad.z;
        along[4 * q + 3] = quad.w;
    }
    for (int k = 0; k < OWN_COLUMNS; k++) {
        const real y = rows.y[p * ROW_ROOM + own_column(k) / BLOCK_EDGE];
        const real z = rows.z[p * ROW_ROOM + own_column(k) % BLOCK_EDGE];
#if !ACCUM_IS_FIXED
        const accum part = y * z;
#endif
        for (int a = 0; a < BLOCK_EDGE; a++) {
#if ACCUM_IS_FIXED
            sum[k][a] += TO_GRID(along[a] * y * z);
#else
            sum[k][a] += part * along[a];
#endif
        }
    }
}

/* A block's sums to the tile. All of a column are loaded before any is stored, as these may be the same for all a compiler
 * knows. */
DEVICE void add_to_tile(LOCAL_ARG grid_sum *tile, int block, grid_sum sum[OWN_COLUMNS][BLOCK_EDGE])
{
    const int corner = (block / 4 * BLOCK * TILE_EDGE + block / 2 % 2 * BLOCK) * TILE_PITCH + block % 2 * BLOCK;
    for (int k = 0; k < OWN_COLUMNS; k++) {
        LOCAL_ARG grid_sum *sums = tile + corner + own_column(k) / BLOCK_EDGE * TILE_PITCH + own_column(k) % BLOCK_EDGE;
        if (LOCAL_ID % TEAM_ITEMS + k * TEAM_ITEMS < BLOCK_COLUMNS) {
            for (int a = 0; a < BLOCK_EDGE; a++) {
                sum[k][a] += sums[a * TILE_EDGE * TILE_PITCH];
            }
            for (int a = 0; a < BLOCK_EDGE; a++) {
                sums[a * TILE_EDGE * TILE_PITCH] = sum[k][a];
            }
        }
    }
}

/* The group's tile to the grid; rows have been found, by all. */
DEVICE void add_tile_to_grid(LOCAL_ARG const grid_sum *tile, LOCAL_ARG const int *rows, int4 origin, int4 size, GLOBAL accum *grid)
{
    const int within = LOCAL_ID % ROW_ITEMS < TILE_EDGE ? LOCAL_ID % ROW_ITEMS : TILE_EDGE - 1;
    const int z = along_z(origin, within, size);
    grid_sum sum[OWN_ROWS];
    for (int k = 0; k < OWN_ROWS; k++) {
        const int row = k * ROWS_AT_ONCE + LOCAL_ID / ROW_ITEMS;
        sum[k] = tile[(row < TILE_ROWS ? row : TILE_ROWS - 1) * TILE_PITCH + within];
    }
    for (int k = 0; k < OWN_ROWS; k++) {
        const int row = k * ROWS_AT_ONCE + LOCAL_ID / ROW_ITEMS;
        if (row < TILE_ROWS && LOCAL_ID % ROW_ITEMS < TILE_EDGE && sum[k] != 0) {
            ADD_TO_GRID(grid, rows[row] + z, sum[k]);
        }
    }
}

/* ---- forces ---- */

/* The potential at the points of the group's tile; rows have been found, by all. Loads do not wait for each other. */
DEVICE void load_tile(LOCAL_ARG accum *tile, LOCAL_ARG const int *rows, GLOBAL const accum *RESTRICT grid, int4 origin, int4 size)
{
    const int within = LOCAL_ID % ROW_ITEMS < TILE_EDGE ? LOCAL_ID % ROW_ITEMS : TILE_EDGE - 1;
    const int z = along_z(origin, within, size);
    accum potential[OWN_ROWS];
    for (int k = 0; k < OWN_ROWS; k++) {
        const int row = k * ROWS_AT_ONCE + LOCAL_ID / ROW_ITEMS;
        potential[k] = grid[rows[row < TILE_ROWS ? row : TILE_ROWS - 1] + z];
    }
    for (int k = 0; k < OWN_ROWS; k++) {
        const int row = k * ROWS_AT_ONCE + LOCAL_ID / ROW_ITEMS;
        if (row < TILE_ROWS && LOCAL_ID % ROW_ITEMS < TILE_EDGE) {
            tile[row * TILE_PITCH + within] = potential[k];
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
                           next_point(place.y, row % SPLINE_ORDER, size.y)) * size.z;
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
