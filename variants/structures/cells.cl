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
