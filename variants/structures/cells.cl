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
