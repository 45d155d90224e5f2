/*
 * cells — where a particle lies in a grid of cells: said once, for the builders and for the variants that walk
 */

/* The cell coordinate along one edge. Rounding may put a particle that lies on a border into either cell, or at
 * the very end of the box one past the last: hence the bounds. */
DEVICE int cell_coordinate(real x, real origin, real inverse_width, int cells)
{
    const int cell = (int)((x - origin) * inverse_width);
    return cell < 0 ? 0 : cell < cells ? cell : cells - 1;
}

/* Cells are numbered with x fastest: a row of cells along x is one run of memory. */
DEVICE int cell_number(int4 cell, int4 cells)
{
    return (cell.z * cells.y + cell.y) * cells.x + cell.x;
}

/* The cell of a position. Cells are cut along the vectors of the box: of a triclinic one, they lean as it does. */
DEVICE int4 cell_in_box(real4 position, box_args box, real4 origin, real4 inverse_width, int4 cells)
{
    const real4 along = straighten(position, box);
    return make_int4(cell_coordinate(along.x, origin.x, inverse_width.x, cells.x),
                     cell_coordinate(along.y, origin.y, inverse_width.y, cells.y),
                     cell_coordinate(along.z, origin.z, inverse_width.z, cells.z), 0);
}

#ifndef CELL_LOOKUP
#define CELL_LOOKUP 0
#endif

/* The number of the cell of a position. With CELL_LOOKUP 0 it is worked out; else it is the sum of three entries of cell_parts, one per
 * vector of the box: what a bin along that vector adds to the number, CELL_LOOKUP bins per cell. That is a power of two, so that either
 * way finds the same cell, to the last bit of the position. */
DEVICE int cell_number_at(real4 position, box_args box, real4 origin, real4 inverse_width, int4 cells,
                          GLOBAL const int *RESTRICT cell_parts)
{
#if CELL_LOOKUP
    const real4 along = straighten(position, box);
    const int bins_x = CELL_LOOKUP * cells.x;
    const int bins_y = CELL_LOOKUP * cells.y;
    const int x = cell_coordinate(along.x, origin.x, CELL_LOOKUP * inverse_width.x, bins_x);
    const int y = cell_coordinate(along.y, origin.y, CELL_LOOKUP * inverse_width.y, bins_y);
    const int z = cell_coordinate(along.z, origin.z, CELL_LOOKUP * inverse_width.z, CELL_LOOKUP * cells.z);
    return cell_parts[x] + cell_parts[bins_x + y] + cell_parts[bins_x + bins_y + z];
#else
    return cell_number(cell_in_box(position, box, origin, inverse_width, cells), cells);
#endif
}

#if !TRICLINIC
/* The same in an orthorhombic box. */
DEVICE int4 cell_of(real4 position, real4 origin, real4 inverse_width, int4 cells)
{
    return make_int4(cell_coordinate(position.x, origin.x, inverse_width.x, cells.x),
                     cell_coordinate(position.y, origin.y, inverse_width.y, cells.y),
                     cell_coordinate(position.z, origin.z, inverse_width.z, cells.z), 0);
}
#endif

/* The cell of a number. */
DEVICE int4 cell_place(int number, int4 cells)
{
    const int row = number / cells.x;
    return make_int4(number - row * cells.x, row % cells.y, row / cells.y, 0);
}

/* The shift of an image of the box: (x + 1) + 3 (y + 1) + 9 (z + 1) with x, y, z = -1, 0, 1 of its vectors. */
DEVICE real4 shift_of_image(int image, box_args box)
{
    return box_shift(image % 3 - 1, image / 3 % 3 - 1, image / 9 - 1, box);
}

#if !TRICLINIC
/* The same in an orthorhombic box. */
DEVICE real4 image_shift(int image, real4 edge)
{
    return make_real4((image % 3 - 1) * edge.x, (image / 3 % 3 - 1) * edge.y, (image / 9 - 1) * edge.z, 0);
}
#endif

/* A cell coordinate at most one box away: the image of the box that it is in. */
DEVICE int image_of_cell(int coordinate, int cells)
{
    return coordinate < 0 ? -1 : coordinate < cells ? 0 : 1;
}

/* The cell at an offset from another, and the image it is seen in; -1 beyond the walls of an open box. */
DEVICE int cell_at_offset(int4 home, int4 offset, int4 cells, int *image)
{
    const int x = image_of_cell(home.x + offset.x, cells.x);
    const int y = image_of_cell(home.y + offset.y, cells.y);
    const int z = image_of_cell(home.z + offset.z, cells.z);
    const int4 cell = make_int4(home.x + offset.x - x * cells.x, home.y + offset.y - y * cells.y,
                                home.z + offset.z - z * cells.z, 0);
    *image = (x + 1) + 3 * (y + 1) + 9 * (z + 1);
    return PERIODIC || (x == 0 && y == 0 && z == 0) ? cell_number(cell, cells) : -1;
}

/* ---- several work-items a particle ---- */

/* Those of a variant with a tunable LANES are of one group, however small that is chosen. */
#ifdef LANES
#define LANES_PER_PARTICLE (LANES < GROUP_SIZE ? LANES : GROUP_SIZE)
#define OF_PARTICLE LANES_PER_PARTICLE /* its earlier name */
#if GROUP_SIZE % LANES_PER_PARTICLE != 0
#error LANES has to divide GROUP_SIZE
#endif
#endif

/* ---- walking the rows of sorted cells around a point ---- */

/* A grid of cells, as the parameters of a kernel describe it. Widths are those along the straightened vectors. */
typedef struct {
    int4 cells, reach;
    real4 width, inverse_width, origin, edge;
    real search_radius2;
#if TRICLINIC
    box_args box;
#endif
} cell_grid;

DEVICE cell_grid make_cell_grid(int4 cells, int4 reach, real4 cell_width, real4 inverse_cell_width, real4 cell_origin,
                                real search_radius2, box_args box)
{
    cell_grid grid;
    grid.cells = cells;
    grid.reach = reach;
    grid.width = cell_width;
    grid.inverse_width = inverse_cell_width;
    grid.origin = cell_origin;
    grid.edge = box.edge;
    grid.search_radius2 = search_radius2;
#if TRICLINIC
    grid.box = box;
#endif
    return grid;
}

/* The cell of the grid that a position lies in. */
DEVICE int4 grid_cell(cell_grid grid, real4 position)
{
#if TRICLINIC
    return cell_in_box(position, grid.box, grid.origin, grid.inverse_width, grid.cells);
#else
    return cell_of(position, grid.origin, grid.inverse_width, grid.cells);
#endif
}

/* One row of cells along x, of those around a point: cells `first` to `last`, which may lie beyond the box and are
 * then seen in an image. The row is a run of memory, or one an image. */
typedef struct {
    int number; /* of the row's first cell inside the box */
    int first, last;
    int first_image, last_image; /* none where the row cannot matter: last_image < first_image */
    int image_y, image_z;
    real x, y, z; /* the point's coordinates as the row sees them; see row_x */
} cell_row;

/* How far outside the slab of cells [first, first + width) a coordinate lies; zero inside. */
DEVICE real outside_slab(real x, real first, real width)
{
    return MAX_REAL(REAL(0.0), MAX_REAL(first - x, x - (first + width)));
}

/* The rows around any point, those that cannot matter included. */
DEVICE int rows_around(cell_grid grid)
{
    return (2 * grid.reach.y + 1) * (2 * grid.reach.z + 1);
}

/* What a search from a point reaches of a row: nothing where left2 < 0, else straightened x from `low` to `high`. */
typedef struct {
    real left2, low, high;
} row_reach;

#if TRICLINIC
/* The row lies between two planes across z and two that lean: what is dz higher is `lean` * dz farther in y. A partner
 * dz and dy away has a straightened y that is dy - lean * dz away, so that those of the row are at least
 * max(0, low_y + lean * dz, -high_y - lean * dz) away in y. The sum of the squares of that and of dz is convex in dz: its
 * least value in the row is where it is least of all, or at the end of the row's dz that is nearest to there.
 *
 * A straightened x is dx less its shares of straightened y and of z; dx is at most the root of left2, and the other two
 * are anything that the row and the sphere have. */
DEVICE row_reach reach_of_row(cell_grid grid, real4 point, int y, int z)
{
    const real4 along = straighten(point, grid.box);
    const real lean = grid.box.tilt.z * grid.box.inverse_edge.z;
    const real share_y = grid.box.tilt.x * grid.box.inverse_edge.y;
    const real share_z = grid.box.tilt.y * grid.box.inverse_edge.z;
    const real low_y = grid.origin.y + y * grid.width.y - along.y;
    const real high_y = low_y + grid.width.y;
    const real low_z = grid.origin.z + z * grid.width.z - along.z;
    const real high_z = low_z + grid.width.z;
    const real gap_y = low_y > 0 ? low_y : high_y < 0 ? high_y : REAL(0.0);
    const real least_dz = -lean * gap_y / (1 + lean * lean);
    const real dz = MIN_REAL(MAX_REAL(least_dz, low_z), high_z);
    const real dy = MAX_REAL(REAL(0.0), MAX_REAL(low_y + lean * dz, -high_y - lean * dz));
    const real radius = SQRT(grid.search_radius2);
    const real radius_y = radius * SQRT(1 + lean * lean);
    const real first_y = share_y * MAX_REAL(low_y, -radius_y);
    const real last_y = share_y * MIN_REAL(high_y, radius_y);
    const real first_z = share_z * MAX_REAL(low_z, -radius);
    const real last_z = share_z * MIN_REAL(high_z, radius);
    row_reach reach;
    reach.left2 = grid.search_radius2 - dz * dz - dy * dy;
    const real left = SQRT(MAX_REAL(reach.left2, REAL(0.0)));
    reach.low = along.x - left - MAX_REAL(first_y, last_y) - MAX_REAL(first_z, last_z);
    reach.high = along.x + left - MIN_REAL(first_y, last_y) - MIN_REAL(first_z, last_z);
    return reach;
}
#endif

/* The row at y and z, which are within reach of `home`, the cell of the point. The point may lie outside the grid of an
 * open box: `home` is then the cell nearest to it. */
DEVICE cell_row row_at(cell_grid grid, real4 point, int4 home, int y, int z)
{
    const int image_y = image_of_cell(y, grid.cells.y);
    const int image_z = image_of_cell(z, grid.cells.z);
#if TRICLINIC
    const row_reach reach = reach_of_row(grid, point, y, z);
    const real4 shift = box_shift(0, image_y, image_z, grid.box);
    const real left2 = reach.left2;
#else
    const real gap_y = outside_slab(point.y, grid.origin.y + y * grid.width.y, grid.width.y);
    const real gap_z = outside_slab(point.z, grid.origin.z + z * grid.width.z, grid.width.z);
    const real left2 = grid.search_radius2 - gap_z * gap_z - gap_y * gap_y;
#endif
    cell_row row;
    row.number = ((z - image_z * grid.cells.z) * grid.cells.y + (y - image_y * grid.cells.y)) * grid.cells.x;
    row.first = 0;
    row.last = 0;
    row.first_image = 0;
    row.last_image = -1;
    row.image_y = image_y;
    row.image_z = image_z;
#if TRICLINIC
    row.x = point.x - shift.x;
    row.y = point.y - shift.y;
    row.z = point.z - shift.z;
#else
    row.x = point.x;
    row.y = point.y - image_y * grid.edge.y;
    row.z = point.z - image_z * grid.edge.z;
#endif
#if PERIODIC
    if (left2 >= 0) {
#else
    if (left2 >= 0 && image_y == 0 && image_z == 0) {
#endif
#if TRICLINIC
        /* A row that matters overlaps the reach, but for rounding. */
        const int low = (int)FLOOR((reach.low - grid.origin.x) * grid.inverse_width.x);
        const int high = (int)FLOOR((reach.high - grid.origin.x) * grid.inverse_width.x);
        const int first = low > home.x + grid.reach.x ? home.x + grid.reach.x + 1 : low;
        const int last = high < home.x - grid.reach.x ? home.x - grid.reach.x - 1 : high;
#else
        const real left = SQRT(left2);
        const real offset = point.x - grid.origin.x;
        const int first = (int)FLOOR((offset - left) * grid.inverse_width.x);
        const int end = (int)FLOOR((offset + left) * grid.inverse_width.x);
        /* Of a point that is nowhere (NaN, when a time step was too long) the row is empty, not endless. */
        const int last = end < home.x - grid.reach.x ? home.x - grid.reach.x - 1 : end;
#endif
        row.first = first < home.x - grid.reach.x ? home.x - grid.reach.x : first;
        row.last = last > home.x + grid.reach.x ? home.x + grid.reach.x : last;
        row.first_image = image_of_cell(row.first, grid.cells.x);
        row.last_image = image_of_cell(row.last, grid.cells.x);
#if !PERIODIC
        row.first_image = row.first_image < 0 ? 0 : row.first_image;
        row.last_image = row.last_image > 0 ? 0 : row.last_image;
#endif
    }
    return row;
}

/* Row `index` of rows_around. Two loops, over z and y, and row_at take fewer instructions. */
DEVICE cell_row row_around(cell_grid grid, real4 point, int4 home, int index)
{
    const int rows_y = 2 * grid.reach.y + 1;
    return row_at(grid, point, home, home.y - grid.reach.y + index % rows_y, home.z - grid.reach.z + index / rows_y);
}

/* The x of the point as a part of a row sees it. */
DEVICE real row_x(cell_grid grid, cell_row row, int image)
{
    return row.x - image * grid.edge.x;
}

/* The image that a part of a row is seen in, as shift_of_image counts them. */
DEVICE int row_image(cell_row row, int image)
{
    return (image + 1) + 3 * (row.image_y + 1) + 9 * (row.image_z + 1);
}

/* Where the part of a row that is seen in an image begins and ends among the sorted particles: indices into
 * cell_start. */
DEVICE int row_begin(cell_grid grid, cell_row row, int image)
{
    const int begin = row.first - image * grid.cells.x;
    return row.number + (begin > 0 ? begin : 0);
}

DEVICE int row_stop(cell_grid grid, cell_row row, int image)
{
    const int end = row.last - image * grid.cells.x;
    return row.number + (end < grid.cells.x ? end : grid.cells.x - 1) + 1;
}

/* ---- runs of sorted particles ---- */

/* From sorted particle `begin` on, up to `stop`. */
typedef struct {
    int begin, stop;
} particle_run;

/* What a particle reaches of its row as seen in an image along x; nothing where that does not matter to it. */
DEVICE particle_run run_in_reach(cell_grid grid, GLOBAL const int *RESTRICT cell_start, cell_row row, int image)
{
    particle_run run;
    run.begin = 0;
    run.stop = 0;
    if (row.first_image <= image && image <= row.last_image) {
        run.begin = cell_start[row_begin(grid, row, image)];
        run.stop = cell_start[row_stop(grid, row, image)];
    }
    return run;
}

/* What two runs have in common: nothing where it would end before it begins. */
DEVICE particle_run common_run(particle_run a, particle_run b)
{
    particle_run common;
    common.begin = a.begin > b.begin ? a.begin : b.begin;
    common.stop = a.stop < b.stop ? a.stop : b.stop;
    return common;
}

/* ---- the same with little work per row: one part of it inside the box, and what lies beyond, of which most rows have nothing ---- */

#ifdef __CUDA_ARCH__
#define NOT_UNROLLED _Pragma("unroll 1")
#else
#define NOT_UNROLLED
#endif

/* The rows that a particle inside of the grid has to look at, and the cells along x, as far as anybody within reach can be there. */
typedef struct {
    int4 home; /* the cell of the particle */
    int first_y, last_y, first_z, last_z, first_x, last_x;
} rows_in_reach;

DEVICE rows_in_reach rows_near(cell_grid grid, real4 point)
{
    const int4 home = grid_cell(grid, point);
    rows_in_reach near;
    near.home = home;
    near.first_x = home.x - grid.reach.x;
    near.last_x = home.x + grid.reach.x;
    near.first_y = PERIODIC || home.y > grid.reach.y ? home.y - grid.reach.y : 0;
    near.first_z = PERIODIC || home.z > grid.reach.z ? home.z - grid.reach.z : 0;
    near.last_y = PERIODIC || home.y + grid.reach.y < grid.cells.y ? home.y + grid.reach.y : grid.cells.y - 1;
    near.last_z = PERIODIC || home.z + grid.reach.z < grid.cells.z ? home.z + grid.reach.z : grid.cells.z - 1;
    return near;
}

/* Cells `first` to `last` of a row, which may lie beyond the box along x; none where the row cannot matter. */
typedef struct {
    int number; /* of the row's first cell inside the box */
    int first, last;
    real4 seen; /* the point as the row sees it */
} row_part;

DEVICE row_part part_of_row(cell_grid grid, rows_in_reach near, real4 point, int y, int z)
{
    row_part part;
#if TRICLINIC
    const cell_row row = row_at(grid, point, near.home, y, z);
    part.number = row.number;
    part.first = row.first;
    part.last = row.last_image < row.first_image ? row.first - 1 : row.last;
    part.seen = make_real4(row.x, row.y, row.z, 0);
#else
    const real gap_z = outside_slab(point.z, grid.origin.z + z * grid.width.z, grid.width.z);
    const real gap_y = outside_slab(point.y, grid.origin.y + y * grid.width.y, grid.width.y);
    const real left2 = grid.search_radius2 - gap_z * gap_z - gap_y * gap_y;
    const int image_y = PERIODIC ? image_of_cell(y, grid.cells.y) : 0;
    const int image_z = PERIODIC ? image_of_cell(z, grid.cells.z) : 0;
    part.number = ((z - image_z * grid.cells.z) * grid.cells.y + y - image_y * grid.cells.y) * grid.cells.x;
    part.seen = make_real4(point.x, point.y - image_y * grid.edge.y, point.z - image_z * grid.edge.z, 0);
    part.first = 0;
    part.last = -1;
    if (left2 >= 0) {
        const real offset = (point.x - grid.origin.x) * grid.inverse_width.x;
        const real left = SQRT(left2) * grid.inverse_width.x;
        const int low = (int)FLOOR(offset - left);
        const int high = (int)FLOOR(offset + left);
        part.first = low > near.first_x ? low : near.first_x;
        part.last = high < near.last_x ? high : near.last_x;
    }
#endif
    return part;
}

/* The sorted particles of a part that lie inside the box. */
DEVICE particle_run run_inside(cell_grid grid, GLOBAL const int *RESTRICT cell_start, row_part part)
{
    const int begin = part.first > 0 ? part.first : 0;
    const int end = part.last < grid.cells.x ? part.last : grid.cells.x - 1;
    particle_run run;
    run.begin = 0;
    run.stop = 0;
    if (begin <= end) {
        run.begin = cell_start[part.number + begin];
        run.stop = cell_start[part.number + end + 1];
    }
    return run;
}

/* Whether a part has cells beyond the box. */
DEVICE int reaches_out(cell_grid grid, row_part part)
{
    return part.first < 0 || part.last >= grid.cells.x;
}

/* Those that are seen in an image, and the point as they see it. */
DEVICE particle_run run_in_image(cell_grid grid, GLOBAL const int *RESTRICT cell_start, row_part part, int image)
{
    part.first -= image * grid.cells.x;
    part.last -= image * grid.cells.x;
    return run_inside(grid, cell_start, part);
}

DEVICE real4 seen_in_image(cell_grid grid, row_part part, int image)
{
    return make_real4(part.seen.x - image * grid.edge.x, part.seen.y, part.seen.z, 0);
}
