/*
 * list_columns — particles in an order of their own, and a list of neighbours per column of PARTICLES of them
 *
 * The order is a curve through the box (ORDER), so that the particles of a column, and columns next to each other, are
 * neighbours in space. A column's list is the union of its particles' neighbours but for the column itself, found by a
 * walk over the cells around it, one column per work-item. Lists lie in groups of 32 columns, four entries of a column
 * together: int4 number k of column c is at ((c / 32) * quads + k) * 32 + c % 32, where quads is how many a column has
 * room for. A warp that walks 32 columns reads whole lines so. An entry is a place in the order and, in its upper bits,
 * the image that the partner was seen in when the list was built: images are no matter of the walk but at the border.
 * What does not fit is counted and not written, and `overflow` says so.
 */

/* A list that is written: four entries at a time. */
typedef struct {
    GLOBAL int4 *quads; /* of the column, each 32 behind the last */
    int count, capacity;
    int4 held;
} column_list;

/* The list of a column, empty, in rows of so many places. */
DEVICE column_list begin_list(GLOBAL int4 *columns, int column, int capacity)
{
    column_list list;
    list.quads = columns + (long64)(column / 32) * (capacity / 4) * 32 + column % 32;
    list.count = 0;
    list.capacity = capacity;
    list.held = make_int4(0, 0, 0, 0);
    return list;
}

DEVICE void add_entry(column_list *list, int entry)
{
    list->held.x = list->held.y;
    list->held.y = list->held.z;
    list->held.z = list->held.w;
    list->held.w = entry;
    list->count++;
    if (list->count % 4 == 0 && list->count <= list->capacity) {
        list->quads[(list->count / 4 - 1) * 32] = list->held;
    }
}

/* Makes the last four full with entries of nobody. Returns how many there are without these. */
DEVICE int end_list(column_list *list, int nobody)
{
    const int count = list->count;
    while (list->count % 4 != 0) {
        add_entry(list, nobody);
    }
    return count;
}

/* The corners of the block of cells that the column's particles are in. */
typedef struct {
    int4 low, high;
} cell_block;

DEVICE void add_cell(cell_block *block, int4 cell)
{
    block->low.x = cell.x < block->low.x ? cell.x : block->low.x;
    block->low.y = cell.y < block->low.y ? cell.y : block->low.y;
    block->low.z = cell.z < block->low.z ? cell.z : block->low.z;
    block->high.x = cell.x > block->high.x ? cell.x : block->high.x;
    block->high.y = cell.y > block->high.y ? cell.y : block->high.y;
    block->high.z = cell.z > block->high.z ? cell.z : block->high.z;
}

/* The cells of a row along x that may hold neighbours of a column's particles; none: last < first. */
typedef struct {
    int first, last;
} cell_range;

DEVICE cell_range column_row(cell_grid grid, const real4 *own, int4 low, int4 high, int y, int z)
{
    cell_range range;
    range.first = high.x + grid.reach.x + 1;
    range.last = low.x - grid.reach.x - 1;
    for (int p = 0; p < PARTICLES; p++) {
#if TRICLINIC
        const row_reach reach = reach_of_row(grid, own[p], y, z);
        const real left2 = reach.left2;
        const real low_x = reach.low;
        const real high_x = reach.high;
#else
        const real gap_y = outside_slab(own[p].y, grid.origin.y + y * grid.width.y, grid.width.y);
        const real gap_z = outside_slab(own[p].z, grid.origin.z + z * grid.width.z, grid.width.z);
        const real left2 = grid.search_radius2 - gap_z * gap_z - gap_y * gap_y;
        const real left = SQRT(MAX_REAL(left2, REAL(0.0)));
        const real low_x = own[p].x - left;
        const real high_x = own[p].x + left;
#endif
        if (left2 >= 0) {
            const int first = (int)FLOOR((low_x - grid.origin.x) * grid.inverse_width.x);
            const int last = (int)FLOOR((high_x - grid.origin.x) * grid.inverse_width.x);
            range.first = first < range.first ? first : range.first;
            range.last = last > range.last ? last : range.last;
        }
    }
    range.first = range.first < low.x - grid.reach.x ? low.x - grid.reach.x : range.first;
    range.last = range.last > high.x + grid.reach.x ? high.x + grid.reach.x : range.last;
    return range;
}

/* Whether a particle, seen `shift` away, is near to any of the column's. */
DEVICE int is_near_column(const real4 *own, real4 shift, real4 other, real search_radius2)
{
    real nearest2 = search_radius2 + search_radius2;
    for (int p = 0; p < PARTICLES; p++) {
        const real dx = own[p].x - shift.x - other.x;
        const real dy = own[p].y - shift.y - other.y;
        const real dz = own[p].z - shift.z - other.z;
        nearest2 = MIN_REAL(nearest2, FMA(dx, dx, FMA(dy, dy, dz * dz)));
    }
    return nearest2 <= search_radius2;
}

/* Adds whoever of a run of sorted particles is near to any of the column's, all seen in one image. */
DEVICE void list_run(int begin, int stop, real4 shift, int image, int column, const real4 *own, real search_radius2,
                     GLOBAL const real4 *RESTRICT sorted_position, GLOBAL const int *RESTRICT place_of_sorted,
                     column_list *list)
{
    for (int j = begin; j < stop; j++) {
        if (is_near_column(own, shift, sorted_position[j], search_radius2)) {
            const int place = place_of_sorted[j];
            if (place / PARTICLES != column || image != HOME_IMAGE) {
                add_entry(list, list_entry(place, image));
            }
        }
    }
}

KERNEL void fill_columns(int n, int4 cells, int4 reach, real4 cell_width, real4 inverse_cell_width, real4 cell_origin,
                         real search_radius2, GLOBAL const int *RESTRICT cell_start,
                         GLOBAL const real4 *RESTRICT sorted_position, GLOBAL const int *RESTRICT place_of_sorted,
                         GLOBAL const real4 *RESTRICT place_position, box_args box, int list_capacity,
                         GLOBAL int *RESTRICT column_length, GLOBAL int4 *RESTRICT columns, GLOBAL int *RESTRICT overflow)
{
    const cell_grid grid =
        make_cell_grid(cells, reach, cell_width, inverse_cell_width, cell_origin, search_radius2, box);
    const int column = GLOBAL_ID;
    const int begin = column * PARTICLES;
    if (begin < n) {
        real4 own[PARTICLES];
        cell_block block;
        block.low = grid_cell(grid, place_position[begin]);
        block.high = block.low;
        for (int p = 0; p < PARTICLES; p++) {
            own[p] = place_position[begin + p < n ? begin + p : n - 1];
            add_cell(&block, grid_cell(grid, own[p]));
        }
        const int4 low = block.low;
        const int4 high = block.high;
        column_list list = begin_list(columns, column, list_capacity);
        for (int z = low.z - reach.z; z <= high.z + reach.z; z++) {
            const int image_z = image_of_cell(z, cells.z);
            for (int y = low.y - reach.y; y <= high.y + reach.y; y++) {
                const int image_y = image_of_cell(y, cells.y);
                const int row = ((z - image_z * cells.z) * cells.y + y - image_y * cells.y) * cells.x;
                const cell_range range = column_row(grid, own, low, high, y, z);
                const int inside = PERIODIC || (image_y == 0 && image_z == 0);
                for (int image_x = -1; image_x <= 1 && inside && range.first <= range.last; image_x++) {
                    const int first = range.first - image_x * cells.x;
                    const int last = range.last - image_x * cells.x;
                    const int image = (image_x + 1) + 3 * (image_y + 1) + 9 * (image_z + 1);
                    if (last >= 0 && first < cells.x && (PERIODIC || image_x == 0)) {
                        list_run(cell_start[row + (first > 0 ? first : 0)],
                                 cell_start[row + (last < cells.x ? last : cells.x - 1) + 1],
                                 shift_of_image(image, box),
                                 image, column, own, search_radius2, sorted_position, place_of_sorted, &list);
                    }
                }
            }
        }
        column_length[column] = end_list(&list, n);
        if (list.count > list_capacity) {
            (void)ATOMIC_EXCHANGE(overflow, 1);
        }
    }
}
