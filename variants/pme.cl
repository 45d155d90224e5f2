/*
 * pme_words — what variants of `pme` say the same way: splines, places on the grid, modes of the reciprocal lattice
 *
 * The grid has size.x size.y size.z points, z running fastest; its spectrum as many along x and y, and size.z / 2 + 1 along
 * z, two numbers each. Compile-time definitions: SPLINE_ORDER (4, 5 or 6), GRID_TILE (points
 * along an edge of a tile, the launch unit grid_tile).
 */

/* What is done with modes: with m = (x ax, x ay + y by, x az + y bz + z cz) for frequencies x, y, z, the influence
 * function is scale exp(-decay m^2) / m^2. */
typedef struct {
    accum ax, ay, az, by, bz, cz;
    accum decay, scale;
} ewald_args;

/* ---- splines ---- */

/* From the spline of order k - 1 to that of order k, of which k values are not zero. */
#define RAISE_SPLINE(k, w, value)                                                                               \
    {                                                                                                           \
        const real over = REAL(1.0) / ((k)-1);                                                                  \
        value[(k)-1] = over * (w) * value[(k)-2];                                                               \
        for (int l = 1; l < (k)-1; l++) {                                                                       \
            value[(k)-1 - l] = over * (((w) + l) * value[(k)-2 - l] + ((k)-l - (w)) * value[(k)-1 - l]);        \
        }                                                                                                       \
        value[0] = over * (REAL(1.0) - (w)) * value[0];                                                         \
    }

/* The weights of the SPLINE_ORDER points from a particle's first on, and their derivatives, w being how far the particle
 * lies behind that point, in units of points: 0 to 1. */
DEVICE void fill_spline(real w, real *value, real *slope)
{
    value[0] = REAL(1.0) - w;
    value[1] = w;
    for (int j = 2; j < SPLINE_ORDER; j++) {
        value[j] = REAL(0.0);
    }
    for (int k = 3; k < SPLINE_ORDER; k++) {
        RAISE_SPLINE(k, w, value)
    }
    slope[0] = -value[0];
    for (int j = 1; j < SPLINE_ORDER; j++) {
        slope[j] = value[j - 1] - value[j];
    }
    RAISE_SPLINE(SPLINE_ORDER, w, value)
}

/* A particle's first point along each vector, and how far it lies behind that. */
typedef struct {
    int x, y, z;
    real behind_x, behind_y, behind_z;
} grid_place;

/* Of a particle within the cell, which rounding may have put on the far face or below zero. One that is nowhere, as time steps
 * that are too long make it, is put at the first point, lest memory beyond the grid be written. No division: that takes as
 * long as a spline. */
DEVICE int wrap_point(int point, int size)
{
    const int above = point < 0 ? point + size : point;
    const int within = above < size ? above : above - size;
    return within >= 0 && within < size ? within : 0;
}

DEVICE grid_place place_on_grid(real4 position, box_args box, int4 size)
{
    const real4 along = straighten(position, box);
    const real x = along.x * box.inverse_edge.x * size.x;
    const real y = along.y * box.inverse_edge.y * size.y;
    const real z = along.z * box.inverse_edge.z * size.z;
    grid_place place;
    place.x = wrap_point((int)FLOOR(x), size.x);
    place.y = wrap_point((int)FLOOR(y), size.y);
    place.z = wrap_point((int)FLOOR(z), size.z);
    place.behind_x = x - FLOOR(x);
    place.behind_y = y - FLOOR(y);
    place.behind_z = z - FLOOR(z);
    return place;
}

/* The j-th point from the first on. */
DEVICE int next_point(int first, int j, int size)
{
    const int point = first + j;
    return point < size ? point : point - size;
}

/* ---- the grid ---- */

/* Numbers from a row along z to the next. Where the device transforms planes, a row has room for its spectrum, which takes its
 * place, and rows begin at multiples of four. */
DEVICE int row_pitch(int4 size)
{
#if GRID_IS_PADDED
    return (size.z / 2 + 2) / 2 * 4;
#else
    return size.z;
#endif
}

/* What a point's charge is while it is added up: in fixed a whole number of units, which convert_grid_point() turns into an
 * accum. */
#if ACCUM_IS_FIXED
typedef long64 grid_sum;
#define TO_GRID(charge) to_fixed(charge)
#define ADD_TO_GRID(grid, point, sum) ATOMIC_ADD_LONG((GLOBAL long64 *)(grid) + (point), sum)
#else
typedef accum grid_sum;
#define TO_GRID(charge) (charge)
#define ADD_TO_GRID(grid, point, sum) ATOMIC_ADD((grid) + (point), sum)
#endif

/* A spline along z as a charge is multiplied by it. Whoever adds a particle to the grid rounds this product alike: which path
 * a particle takes may depend on the order of the particles, and what it adds must not. */
#if ACCUM_IS_FIXED
typedef real grid_weight;
#else
typedef accum grid_weight;
#endif

/* Zeros for `count` points, those of the item-th item. */
DEVICE void clear_grid_points(GLOBAL accum *grid, int item, int count, int4 size)
{
    const int points = size.x * size.y * row_pitch(size);
    const int first = item * count;
    int point = first;
    while (point < first + count && point < points) {
        if (count % 4 == 0 && point + 3 < points) {
            ((GLOBAL accum4 *)grid)[point / 4] = make_accum4(ACCUM(0.0), ACCUM(0.0), ACCUM(0.0), ACCUM(0.0));
            point += 4;
        } else {
            grid[point] = ACCUM(0.0);
            point++;
        }
    }
}

/* Zeros for all points, by every work-item of a kernel. */
DEVICE void clear_grid(GLOBAL accum *grid, int4 size)
{
    for (int quad = GLOBAL_ID; 4 * quad < size.x * size.y * row_pitch(size); quad += GLOBAL_SIZE) {
        clear_grid_points(grid, quad, 4, size);
    }
}

/* Nothing where there is no such point. */
DEVICE void convert_grid_point(GLOBAL accum *grid, int point, int4 size)
{
#if ACCUM_IS_FIXED
    if (point < size.x * size.y * row_pitch(size)) {
        grid[point] = (accum)((GLOBAL long64 *)grid)[point] * ACCUM(2.3283064365386963e-10);
    }
#endif
}

/* ---- modes ---- */

/* A vector of the reciprocal lattice, and what the influence function is there, without splines. */
typedef struct {
    accum x, y, z, square, influence;
} ewald_mode;

DEVICE ewald_mode find_mode(int x, int y, int z, ewald_args ewald)
{
    ewald_mode mode;
    mode.x = x * ewald.ax;
    mode.y = x * ewald.ay + y * ewald.by;
    mode.z = x * ewald.az + y * ewald.bz + z * ewald.cz;
    mode.square = mode.x * mode.x + mode.y * mode.y + mode.z * mode.z;
    mode.influence = ewald.scale * (accum)EXP(-(ewald.decay * mode.square)) / mode.square;
    return mode;
}

/* A point of the spectrum, and its number there. */
typedef struct {
    int x, y, z;
} spectrum_point;
#if ACCUM_IS_DOUBLE
typedef double2 complex_number;
#else
typedef float2 complex_number;
#endif

DEVICE spectrum_point spectrum_point_of(int number, int4 size)
{
    const int row = size.z / 2 + 1;
    spectrum_point point;
    point.z = number % row;
    point.y = number / row % size.y;
    point.x = number / row / size.y;
    return point;
}

/* The frequency of least size; of half the points, minus half. */
DEVICE int frequency_of(int point, int size)
{
    return 2 * point < size ? point : point - size;
}

/* Adds a mode's energy, and what it is to the virial. */
DEVICE void add_mode_to_sums(pair_sums *sums, ewald_mode mode, accum energy, ewald_args ewald)
{
#if WITH_ENERGY
    sums->value[0] += TO_SUM(energy);
#if WITH_VIRIAL
    const accum along = 2 * energy * (1 / mode.square + ewald.decay);
    sums->value[1] += TO_SUM(energy - along * mode.x * mode.x);
    sums->value[2] += TO_SUM(-along * mode.x * mode.y);
    sums->value[3] += TO_SUM(-along * mode.x * mode.z);
    sums->value[4] += TO_SUM(energy - along * mode.y * mode.y);
    sums->value[5] += TO_SUM(-along * mode.y * mode.z);
    sums->value[6] += TO_SUM(energy - along * mode.z * mode.z);
#endif
#if ACCUM_IS_FIXED
    sums->size += (real)(energy * (3 + 2 * ewald.decay * mode.square));
#endif
#endif
}

/* By what S(k) is multiplied to become the potential, with energy and virial added, where square is |S(k)|^2. A
 * frequency of half the points stands for half of either sign: else the virial would depend on which is taken, and in a
 * leaning cell the energy, too. spline_moduli has |b(k)|^2 of the points along x, then y, then z. */
DEVICE accum solve_mode(spectrum_point point, int4 size, ewald_args ewald, GLOBAL const accum *RESTRICT spline_moduli,
                        accum square, pair_sums *sums)
{
    const int x = frequency_of(point.x, size.x);
    const int y = frequency_of(point.y, size.y);
    const int z = frequency_of(point.z, size.z);
    const accum splines = spline_moduli[point.x] * spline_moduli[size.x + point.y] *
                          spline_moduli[size.x + size.y + point.z];
    const accum times = point.z == 0 || 2 * point.z == size.z ? ACCUM(0.5) : ACCUM(1.0); /* half: of the energy */
    if (x == 0 && y == 0 && z == 0) {
        return ACCUM(0.0);
    }
    ewald_mode mode = find_mode(x, y, z, ewald);
    if (2 * point.x == size.x || 2 * point.y == size.y || 2 * point.z == size.z) {
        ewald_mode other = find_mode(2 * point.x == size.x ? -x : x, 2 * point.y == size.y ? -y : y,
                                     2 * point.z == size.z ? -z : z, ewald);
        other.influence *= ACCUM(0.5) * splines;
        mode.influence *= ACCUM(0.5) * splines;
        add_mode_to_sums(sums, mode, times * mode.influence * square, ewald);
        add_mode_to_sums(sums, other, times * other.influence * square, ewald);
        return mode.influence + other.influence;
    }
    mode.influence *= splines;
    add_mode_to_sums(sums, mode, times * mode.influence * square, ewald);
    return mode.influence;
}

/* A point of the spectrum, which is there. */
DEVICE void solve_at(GLOBAL accum *spectrum, spectrum_point point, int4 size, ewald_args ewald,
                     GLOBAL const accum *RESTRICT spline_moduli, pair_sums *sums)
{
    const int k = (point.x * size.y + point.y) * (size.z / 2 + 1) + point.z;
    const complex_number value = ((GLOBAL const complex_number *)spectrum)[k];
    const accum square = value.x * value.x + value.y * value.y;
    const accum influence = solve_mode(point, size, ewald, spline_moduli, square, sums);
    complex_number solved;
    solved.x = influence * value.x;
    solved.y = influence * value.y;
    ((GLOBAL complex_number *)spectrum)[k] = solved;
}

/* A point of the spectrum by its number, where there is one. */
DEVICE void solve_point(GLOBAL accum *spectrum, int k, int4 size, ewald_args ewald, GLOBAL const accum *RESTRICT spline_moduli,
                        pair_sums *sums)
{
    if (k < size.x * size.y * (size.z / 2 + 1)) {
        solve_at(spectrum, spectrum_point_of(k, size), size, ewald, spline_moduli, sums);
    }
}

/* ---- forces ---- */

/* The force on a charge where the potential has these derivatives along the vectors of the cell, in units of points. */
DEVICE accum4 force_of_gradient(real charge, accum x, accum y, accum z, int4 size, ewald_args ewald)
{
    const accum along_x = -charge * x * size.x;
    const accum along_y = -charge * y * size.y;
    const accum along_z = -charge * z * size.z;
    return make_accum4(along_x * ewald.ax, along_x * ewald.ay + along_y * ewald.by,
                       along_x * ewald.az + along_y * ewald.bz + along_z * ewald.cz, ACCUM(0.0));
}

/* ---- whole particles ---- */

/* Fills the splines of all axes. */
#define FILL_SPLINES(place, x, y, z, slope_x, slope_y, slope_z)                                              \
    fill_spline(place.behind_x, x, slope_x);                                                                 \
    fill_spline(place.behind_y, y, slope_y);                                                                 \
    fill_spline(place.behind_z, z, slope_z);

DEVICE void spread_particle(GLOBAL accum *grid, real charge, grid_place place, int4 size)
{
    real x[SPLINE_ORDER], y[SPLINE_ORDER], z[SPLINE_ORDER], slope[SPLINE_ORDER];
    FILL_SPLINES(place, x, y, z, slope, slope, slope)
    for (int a = 0; a < SPLINE_ORDER; a++) {
        const int plane = next_point(place.x, a, size.x) * size.y;
        for (int b = 0; b < SPLINE_ORDER; b++) {
            const int row = (plane + next_point(place.y, b, size.y)) * row_pitch(size);
            const real part = charge * x[a] * y[b];
            for (int c = 0; c < SPLINE_ORDER; c++) {
                ADD_TO_GRID(grid, row + next_point(place.z, c, size.z), TO_GRID(part * (grid_weight)z[c]));
            }
        }
    }
}

/* The force on a particle. */
DEVICE accum4 gather_force(GLOBAL const accum *RESTRICT grid, real charge, grid_place place, int4 size, ewald_args ewald)
{
    real x[SPLINE_ORDER], y[SPLINE_ORDER], z[SPLINE_ORDER];
    real slope_x[SPLINE_ORDER], slope_y[SPLINE_ORDER], slope_z[SPLINE_ORDER];
    accum along_x = ACCUM(0.0);
    accum along_y = ACCUM(0.0);
    accum along_z = ACCUM(0.0);
    FILL_SPLINES(place, x, y, z, slope_x, slope_y, slope_z)
    for (int a = 0; a < SPLINE_ORDER; a++) {
        const int plane = next_point(place.x, a, size.x) * size.y;
        for (int b = 0; b < SPLINE_ORDER; b++) {
            const int row = (plane + next_point(place.y, b, size.y)) * row_pitch(size);
            accum potential = ACCUM(0.0);
            accum rise = ACCUM(0.0);
            for (int c = 0; c < SPLINE_ORDER; c++) {
                const accum there = grid[row + next_point(place.z, c, size.z)];
                potential += z[c] * there;
                rise += slope_z[c] * there;
            }
            along_x += slope_x[a] * y[b] * potential;
            along_y += x[a] * slope_y[b] * potential;
            along_z += x[a] * y[b] * rise;
        }
    }
    return force_of_gradient(charge, along_x, along_y, along_z, size, ewald);
}

/* Where no other work-item has a force for that particle. */
#define STORE_FORCE(force, force_plane, i, whole)                                                            \
    {                                                                                                        \
        own_force gathered;                                                                                  \
        clear_force(&gathered);                                                                              \
        add_part_to_force(&gathered, (whole).x, (whole).y, (whole).z);                                       \
        store_own_force(force, force_plane, i, &gathered);                                                   \
    }
