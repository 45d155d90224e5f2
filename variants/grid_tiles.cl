/*
 * grid_tiles — particles of `pme` by tiles of GRID_TILE^3 points, and a tile in a work-group's local memory
 *
 * Words for kernels of `pme` that have a tunable CAPACITY: how many particles a tile has room for. Those beyond it are left
 * over. tile_count has a number for each tile, and one of those left over.
 */

/* A tile, and the points beyond it that its particles reach. */
#define TILE_EDGE (GRID_TILE + SPLINE_ORDER - 1)
#define TILE_POINTS (TILE_EDGE * TILE_EDGE * TILE_EDGE)
#define TILE_BATCH 32 /* particles whose splines are computed at once */
#define TILE_VALUES (TILE_BATCH * 3 * SPLINE_ORDER)

/* A group's work-items are teams, which have a copy of the tile each and add particles of their own to it, so that warps do not
 * wait for each other. In double there is no room for copies: all are one team. */
#if !ACCUM_IS_DOUBLE && GROUP_SIZE >= 128
#define TILE_TEAMS 4
#elif !ACCUM_IS_DOUBLE && GROUP_SIZE == 64
#define TILE_TEAMS 2
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

/* The number on the grid of a point of the tile. A small grid may end several times within it. */
DEVICE int point_of_tile(int4 origin, int within, int4 size)
{
    int x = origin.x + within / (TILE_EDGE * TILE_EDGE);
    int y = origin.y + within / TILE_EDGE % TILE_EDGE;
    int z = origin.z + within % TILE_EDGE;
    while (x >= size.x) {
        x -= size.x;
    }
    while (y >= size.y) {
        y -= size.y;
    }
    while (z >= size.z) {
        z -= size.z;
    }
    return (x * size.y + y) * size.z + z;
}

/* The place in a tile of a particle's first point. */
DEVICE int start_in_tile(grid_place place)
{
    return (place.x % GRID_TILE * TILE_EDGE + place.y % GRID_TILE) * TILE_EDGE + place.z % GRID_TILE;
}

/* Empties the tiles; by every work-item of a kernel. */
DEVICE void clear_tiles(GLOBAL int *tile_count, int4 size)
{
    for (int tile = GLOBAL_ID; tile <= tiles_of_grid(size); tile += GLOBAL_SIZE) {
        tile_count[tile] = 0;
    }
}

/* Puts a particle into its tile. Where that is full, notes it as left over: who calls spreads its charge. */
DEVICE int put_into_tile(int i, grid_place place, int4 size, GLOBAL int *tile_count, GLOBAL int *tile_particles,
                         GLOBAL int *left_over)
{
    const int row = place.x / GRID_TILE * tiles_along(size.y) + place.y / GRID_TILE;
    const int tile = row * tiles_along(size.z) + place.z / GRID_TILE;
    const int slot = ATOMIC_ADD_INT(&tile_count[tile], 1);
    if (slot < CAPACITY) {
        tile_particles[tile * CAPACITY + slot] = i;
    } else {
        left_over[ATOMIC_ADD_INT(&tile_count[tiles_of_grid(size)], 1)] = i;
    }
    return slot < CAPACITY;
}

/* The particles of a tile that found room. */
DEVICE int count_in_tile(GLOBAL const int *tile_count, int tile)
{
    return tile_count[tile] < CAPACITY ? tile_count[tile] : CAPACITY;
}

/* The group's tile in local memory. */
typedef struct {
    LOCAL_ARG grid_sum *sums; /* TILE_TEAMS * TILE_POINTS */
    LOCAL_ARG real *values;   /* TILE_VALUES */
    LOCAL_ARG real *charges;  /* TILE_BATCH */
    LOCAL_ARG int *starts;    /* TILE_BATCH */
} tile_memory;

/* Splines of a batch of particles, a work-item for each axis of each. */
DEVICE void fill_batch(tile_memory memory, GLOBAL const int *particles, int count, GLOBAL const real4 *RESTRICT position,
                       box_args box, int4 size)
{
    for (int task = LOCAL_ID; task < 3 * count; task += GROUP_SIZE) {
        const int axis = task % 3;
        const real4 own = position[particles[task / 3]];
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
 * along x where a team has few. */
DEVICE void add_to_tile(tile_memory memory, int p)
{
    LOCAL_ARG const real *value = memory.values + p * 3 * SPLINE_ORDER;
    LOCAL_ARG grid_sum *sums = memory.sums + LOCAL_ID / TEAM_ITEMS * TILE_POINTS + memory.starts[p];
#if TEAM_ITEMS >= 64
    for (int point = LOCAL_ID % TEAM_ITEMS; point < SPLINE_ORDER * SPLINE_ORDER * SPLINE_ORDER; point += TEAM_ITEMS) {
        const int a = point / (SPLINE_ORDER * SPLINE_ORDER);
        const int b = point / SPLINE_ORDER % SPLINE_ORDER;
        const int c = point % SPLINE_ORDER;
        sums[(a * TILE_EDGE + b) * TILE_EDGE + c] +=
            TO_GRID(memory.charges[p] * value[a] * value[SPLINE_ORDER + b] * value[2 * SPLINE_ORDER + c]);
    }
#else
    for (int column = LOCAL_ID % TEAM_ITEMS; column < SPLINE_ORDER * SPLINE_ORDER; column += TEAM_ITEMS) {
        const int b = column / SPLINE_ORDER;
        const int c = column % SPLINE_ORDER;
        const real part = memory.charges[p] * value[SPLINE_ORDER + b] * value[2 * SPLINE_ORDER + c];
        for (int a = 0; a < SPLINE_ORDER; a++) {
            sums[(a * TILE_EDGE + b) * TILE_EDGE + c] += TO_GRID(part * value[a]);
        }
    }
#endif
}

/* What all teams have added to a point. */
DEVICE grid_sum sum_of_teams(LOCAL_ARG const grid_sum *sums, int point)
{
    grid_sum sum = sums[point];
    for (int team = 1; team < TILE_TEAMS; team++) {
        sum += sums[team * TILE_POINTS + point];
    }
    return sum;
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
    return force_of_gradient(charge, along_x, along_y, along_z, size, ewald);
}
