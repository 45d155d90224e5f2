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

DEVICE int4 cell_of(real4 position, real4 origin, real4 inverse_width, int4 cells)
{
    return make_int4(cell_coordinate(position.x, origin.x, inverse_width.x, cells.x),
                     cell_coordinate(position.y, origin.y, inverse_width.y, cells.y),
                     cell_coordinate(position.z, origin.z, inverse_width.z, cells.z), 0);
}

/* The cell of a number. */
DEVICE int4 cell_place(int number, int4 cells)
{
    const int row = number / cells.x;
    return make_int4(number - row * cells.x, row % cells.y, row / cells.y, 0);
}

/* The shift of an image of the box: (x + 1) + 3 (y + 1) + 9 (z + 1) with x, y, z = -1, 0, 1 edges. */
DEVICE real4 image_shift(int image, real4 edge)
{
    return make_real4((image % 3 - 1) * edge.x, (image / 3 % 3 - 1) * edge.y, (image / 9 - 1) * edge.z, 0);
}

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

/* A grid of cells, as the parameters of a kernel describe it. */
typedef struct {
    int4 cells, reach;
    real4 width, inverse_width, origin, edge;
    real search_radius2;
} cell_grid;

/* One row of cells along x, of those around a point: cells `first` to `last`, which may lie beyond the box and are
 * then seen in an image. The row is a run of memory, or one an image. */
typedef struct {
    int number; /* of the row's first cell inside the box */
    int first, last;
    int first_image, last_image; /* none where the row cannot matter: last_image < first_image */
    int image_y, image_z;
    real y, z;                   /* the point's coordinates as the row sees them */
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

/* Row `index` of them. The point may lie outside the grid of an open box: `home` is the cell nearest to it. */
DEVICE cell_row row_around(cell_grid grid, real4 point, int4 home, int index)
{
    const int rows_y = 2 * grid.reach.y + 1;
    const int y = home.y - grid.reach.y + index % rows_y;
    const int z = home.z - grid.reach.z + index / rows_y;
    const int image_y = image_of_cell(y, grid.cells.y);
    const int image_z = image_of_cell(z, grid.cells.z);
    const real gap_y = outside_slab(point.y, grid.origin.y + y * grid.width.y, grid.width.y);
    const real gap_z = outside_slab(point.z, grid.origin.z + z * grid.width.z, grid.width.z);
    const real left2 = grid.search_radius2 - gap_z * gap_z - gap_y * gap_y;
    cell_row row;
    row.number = ((z - image_z * grid.cells.z) * grid.cells.y + (y - image_y * grid.cells.y)) * grid.cells.x;
    row.first = 0;
    row.last = 0;
    row.first_image = 0;
    row.last_image = -1;
    row.image_y = image_y;
    row.image_z = image_z;
    row.y = point.y - image_y * grid.edge.y;
    row.z = point.z - image_z * grid.edge.z;
#if PERIODIC
    if (left2 >= 0) {
#else
    if (left2 >= 0 && image_y == 0 && image_z == 0) {
#endif
        const real left = SQRT(left2);
        const real offset = point.x - grid.origin.x;
        const int first = (int)FLOOR((offset - left) * grid.inverse_width.x);
        const int last = (int)FLOOR((offset + left) * grid.inverse_width.x);
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

/* The image that a part of a row is seen in, as image_shift counts them. */
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
