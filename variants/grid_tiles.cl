/*
 * grid_tiles — particles of `pme` by tiles of GRID_TILE^3 points, and a tile in a work-group's local memory
 *
 * Words for kernels of `pme` that have a tunable CAPACITY: how many particles a tile has room for. Those beyond it are left
 * over. tile_count has a number for each tile, and one of those left over.
 */

/* A tile, and the points beyond it that its particles reach. */
#define TILE_EDGE (GRID_TILE + SPLINE_ORDER - 1)
#define TILE_ROWS (TILE_EDGE * TILE_EDGE)
#define TILE_PITCH (TILE_EDGE + 1) /* of a row in local memory: points of a particle fall into banks of their own */
#define TILE_ROOM (TILE_ROWS * TILE_PITCH)
#define TILE_BATCH 64 /* particles whose splines are computed at once */
#define TILE_VALUES (TILE_BATCH * 3 * SPLINE_ORDER)

/* A group's work-items are teams, which have a copy of the tile each and add particles of their own to it, so that warps do not
 * wait for each other. In double there is no room for copies: all are one team. */
#if !ACCUM_IS_DOUBLE && GROUP_SIZE >= 128
#define TILE_TEAMS 4
#elif !ACCUM_IS_DOUBLE && GROUP_SIZE >= 32
#define TILE_TEAMS (GROUP_SIZE / 32)
#else
#define TILE_TEAMS 1
#endif
#define TEAM_ITEMS (GROUP_SIZE / TILE_TEAMS)
#if TEAM_ITEMS == 32
#define SYNC_TEAMS SYNC_WARPS
#else
#define SYNC_TEAMS SYNC_THREADS
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

/* Empties the tiles; by every work-item of a kernel. */
DEVICE void clear_tiles(GLOBAL int *tile_count, int4 size)
{
    for (int tile = GLOBAL_ID; tile <= tiles_of_grid(size); tile += GLOBAL_SIZE) {
        tile_count[tile] = 0;
    }
}

/* Zeros for the whole grid; by every work-item of a kernel. */
DEVICE void clear_grid(GLOBAL accum *grid, int4 size)
{
    for (int item = GLOBAL_ID; item * 4 < size.x * size.y * size.z; item += GLOBAL_SIZE) {
        clear_grid_points(grid, item, 4, size);
    }
}

/* A slot of its tile for a particle; -1 where that is full: the particle is noted as left over. */
DEVICE int slot_in_tile(int i, grid_place place, int4 size, GLOBAL int *tile_count, GLOBAL int *left_over)
{
    const int row = place.x / GRID_TILE * tiles_along(size.y) + place.y / GRID_TILE;
    const int tile = row * tiles_along(size.z) + place.z / GRID_TILE;
    const int slot = ATOMIC_ADD_INT(&tile_count[tile], 1);
    if (slot < CAPACITY) {
        return tile * CAPACITY + slot;
    }
    left_over[ATOMIC_ADD_INT(&tile_count[tiles_of_grid(size)], 1)] = i;
    return -1;
}

/* The particles of a tile that found room. */
DEVICE int count_in_tile(GLOBAL const int *tile_count, int tile)
{
    return tile_count[tile] < CAPACITY ? tile_count[tile] : CAPACITY;
}

/* The group's tile in local memory. */
typedef struct {
    LOCAL_ARG grid_sum *sums; /* TILE_TEAMS * TILE_ROOM */
    LOCAL_ARG real *values;   /* TILE_VALUES */
    LOCAL_ARG real *charges;  /* TILE_BATCH */
    LOCAL_ARG int *starts;    /* TILE_BATCH */
    LOCAL_ARG int *rows;      /* TILE_ROWS */
} tile_memory;

/* Splines of a batch of particles, a work-item for each axis of each. */
DEVICE void fill_batch(tile_memory memory, GLOBAL const real4 *RESTRICT particles, int count, box_args box, int4 size)
{
    for (int task = LOCAL_ID; task < 3 * count; task += GROUP_SIZE) {
        const int axis = task % 3;
        const real4 own = particles[task / 3];
        const grid_place place = place_on_grid(own, box, size);
        real value[SPLINE_ORDER], slope[SPLINE_ORDER];
        fill_spline(axis == 0 ? place.behind_x : axis == 1 ? place.behind_y : place.behind_z, value, slope);
        for (int j = 0; j < SPLINE_ORDER; j++) {
            memory.values[task * SPLINE_ORDER + j] = value[j];
        }
        memory.charges[task / 3] = own.w;
        memory.starts[task / 3] = start_in_tile(place);
    }
}

/* Adds the charge of a batch's particle to the tile of the work-item's team: each work-item to points of its own, columns
 * along x where a team has few. In fixed a product is rounded as spread_particle() rounds it, whose particles depend on the
 * order. */
DEVICE void add_to_tile(tile_memory memory, int p)
{
    LOCAL_ARG const real *value = memory.values + p * 3 * SPLINE_ORDER;
    LOCAL_ARG grid_sum *sums = memory.sums + LOCAL_ID / TEAM_ITEMS * TILE_ROOM + memory.starts[p];
#if TEAM_ITEMS >= 64 || ACCUM_IS_FIXED
    for (int point = LOCAL_ID % TEAM_ITEMS; point < SPLINE_ORDER * SPLINE_ORDER * SPLINE_ORDER; point += TEAM_ITEMS) {
        const int a = point / (SPLINE_ORDER * SPLINE_ORDER);
        const int b = point / SPLINE_ORDER % SPLINE_ORDER;
        const int c = point % SPLINE_ORDER;
        sums[(a * TILE_EDGE + b) * TILE_PITCH + c] +=
            TO_GRID(memory.charges[p] * value[a] * value[SPLINE_ORDER + b] * value[2 * SPLINE_ORDER + c]);
    }
#else
    for (int column = LOCAL_ID % TEAM_ITEMS; column < SPLINE_ORDER * SPLINE_ORDER; column += TEAM_ITEMS) {
        const int b = column / SPLINE_ORDER;
        const int c = column % SPLINE_ORDER;
        const real part = memory.charges[p] * value[SPLINE_ORDER + b] * value[2 * SPLINE_ORDER + c];
        grid_sum sum[SPLINE_ORDER]; /* all are loaded before any is stored, as these may be the same for all a compiler knows */
        for (int a = 0; a < SPLINE_ORDER; a++) {
            sum[a] = sums[(a * TILE_EDGE + b) * TILE_PITCH + c] + TO_GRID(part * value[a]);
        }
        for (int a = 0; a < SPLINE_ORDER; a++) {
            sums[(a * TILE_EDGE + b) * TILE_PITCH + c] = sum[a];
        }
    }
#endif
}

/* What all teams have added to a point. */
DEVICE grid_sum sum_of_teams(LOCAL_ARG const grid_sum *sums, int point)
{
    grid_sum sum = sums[point];
    for (int team = 1; team < TILE_TEAMS; team++) {
        sum += sums[team * TILE_ROOM + point];
    }
    return sum;
}

/* The charges of `count` particles, those of the group's tile, to the grid. */
DEVICE void spread_tile(tile_memory memory, GLOBAL const real4 *RESTRICT particles, int count, box_args box, int4 size,
                        GLOBAL accum *grid)
{
    const int4 origin = origin_of_tile(GROUP_ID, size);
    for (int point = LOCAL_ID; point < TILE_TEAMS * TILE_ROOM && count > 0; point += GROUP_SIZE) {
        memory.sums[point] = 0;
    }
    find_rows(memory.rows, origin, size);
    for (int first = 0; first < count; first += TILE_BATCH) {
        const int batch = count - first < TILE_BATCH ? count - first : TILE_BATCH;
        fill_batch(memory, particles + first, batch, box, size);
        SYNC_THREADS;
        for (int p = 0; p < batch; p += TILE_TEAMS) {
            if (p + LOCAL_ID / TEAM_ITEMS < batch) {
                add_to_tile(memory, p + LOCAL_ID / TEAM_ITEMS);
            }
            SYNC_TEAMS;
        }
        SYNC_THREADS;
    }
    for (int point = LOCAL_ID; point < TILE_ROWS * TILE_EDGE && count > 0; point += GROUP_SIZE) {
        const int row = point / TILE_EDGE;
        const int within = point % TILE_EDGE;
        const grid_sum sum = sum_of_teams(memory.sums, row * TILE_PITCH + within);
        if (sum != 0) {
            ADD_TO_GRID(grid, memory.rows[row] + along_z(origin, within, size), sum);
        }
    }
}

/* The potential at the points of the group's tile; rows have been found, by all. */
DEVICE void load_tile(LOCAL_ARG accum *tile, LOCAL_ARG const int *rows, GLOBAL const accum *RESTRICT grid, int4 origin, int4 size)
{
    for (int point = LOCAL_ID; point < TILE_ROWS * TILE_EDGE; point += GROUP_SIZE) {
        const int row = point / TILE_EDGE;
        const int within = point % TILE_EDGE;
        tile[row * TILE_PITCH + within] = grid[rows[row] + along_z(origin, within, size)];
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
