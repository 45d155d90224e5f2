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

/* ---- the order ---- */

/* Bits 0 to 9 of x, two zeros between them. */
DEVICE uint spread_bits(uint x)
{
    x = (x | x << 16) & 0x030000ffu;
    x = (x | x << 8) & 0x0300f00fu;
    x = (x | x << 4) & 0x030c30c3u;
    return (x | x << 2) & 0x09249249u;
}

DEVICE int morton_number(int4 bin)
{
    return (int)(spread_bits((uint)bin.x) << 2 | spread_bits((uint)bin.y) << 1 | spread_bits((uint)bin.z));
}

/* A bin's number along Hilbert's curve through 2^bits bins per edge: J. Skilling, AIP Conf. Proc. 707, 381 (2004). */
DEVICE int hilbert_number(int4 bin, int bits)
{
    uint x = (uint)bin.x;
    uint y = (uint)bin.y;
    uint z = (uint)bin.z;
    /* undo the turns and reflections of the finer curves, from the coarsest on */
    for (uint half_edge = 1u << (bits - 1); half_edge > 1; half_edge >>= 1) {
        const uint below = half_edge - 1;
        if (x & half_edge) {
            x ^= below;
        }
        const uint swap_y = y & half_edge ? 0 : (x ^ y) & below;
        x ^= y & half_edge ? below : swap_y;
        y ^= swap_y;
        const uint swap_z = z & half_edge ? 0 : (x ^ z) & below;
        x ^= z & half_edge ? below : swap_z;
        z ^= swap_z;
    }
    /* Gray code */
    y ^= x;
    z ^= y;
    uint turned = 0;
    for (uint half_edge = 1u << (bits - 1); half_edge > 1; half_edge >>= 1) {
        turned ^= z & half_edge ? half_edge - 1 : 0;
    }
    return morton_number(make_int4((int)(x ^ turned), (int)(y ^ turned), (int)(z ^ turned), 0));
}

/* Rows along x, every other one backwards, and layers of them, every other one upside down: what follows in the order
 * follows in space, too. */
DEVICE int row_number(int4 bin, int4 bins)
{
    const int row = bin.z * bins.y + (bin.z % 2 ? bins.y - 1 - bin.y : bin.y);
    return row * bins.x + (row % 2 ? bins.x - 1 - bin.x : bin.x);
}

/* `bins.w` is the number of bits per edge, where bins are those of a curve. */
KERNEL void number_places(int n, GLOBAL const real4 *RESTRICT sorted_position, real4 origin, real4 inverse_bin, int4 bins,
                          box_args box, GLOBAL int *RESTRICT key, GLOBAL int *RESTRICT sorted_place)
{
    const int k = GLOBAL_ID;
    if (k < n) {
        const int4 bin = cell_in_box(sorted_position[k], box, origin, inverse_bin, bins);
#if ORDER == 1
        key[k] = row_number(bin, bins);
#elif ORDER == 2
        key[k] = morton_number(bin);
#elif ORDER == 3
        key[k] = hilbert_number(bin, bins.w);
#else
        key[k] = bin.x;
#endif
        sorted_place[k] = k;
    }
}

/* Puts all into the order; column_place says where each of the sorted particles went. */
KERNEL void fill_places(int n, GLOBAL const int *RESTRICT sorted_place, GLOBAL const real4 *RESTRICT sorted_position,
                        GLOBAL const int *RESTRICT sorted_index, GLOBAL int *RESTRICT place_index,
                        GLOBAL real4 *RESTRICT place_position, GLOBAL int *RESTRICT column_place)
{
    const int k = GLOBAL_ID;
    if (k < n) {
        const int from = sorted_place[k];
        place_index[k] = sorted_index[from];
        place_position[k] = sorted_position[from];
        column_place[from] = k;
    }
}

/* ---- the lists ---- */

/* A list that is written: four entries at a time. */
typedef struct {
    GLOBAL int4 *quads; /* of the column, each 32 behind the last */
    int count, capacity;
    int4 held;
} column_list;

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

/* Adds whoever of a run of sorted particles is near to any of the column's, all seen in one image. */
DEVICE void list_run(int begin, int stop, real4 shift, int image, int column, const real4 *own, real search_radius2,
                     GLOBAL const real4 *RESTRICT sorted_position, GLOBAL const int *RESTRICT column_place,
                     column_list *list)
{
    for (int j = begin; j < stop; j++) {
        const real4 other = sorted_position[j];
        real nearest2 = search_radius2 + search_radius2;
        for (int p = 0; p < PARTICLES; p++) {
            const real dx = own[p].x - shift.x - other.x;
            const real dy = own[p].y - shift.y - other.y;
            const real dz = own[p].z - shift.z - other.z;
            nearest2 = MIN_REAL(nearest2, FMA(dx, dx, FMA(dy, dy, dz * dz)));
        }
        if (nearest2 <= search_radius2) {
            const int place = column_place[j];
            if (place / PARTICLES != column || image != HOME_IMAGE) {
                add_entry(list, list_entry(place, image));
            }
        }
    }
}

KERNEL void fill_columns(int n, int4 cells, int4 reach, real4 cell_width, real4 inverse_cell_width, real4 cell_origin,
                         real search_radius2, GLOBAL const int *RESTRICT cell_start,
                         GLOBAL const real4 *RESTRICT sorted_position, GLOBAL const int *RESTRICT column_place,
                         GLOBAL const real4 *RESTRICT place_position, box_args box, int list_capacity,
                         GLOBAL int *RESTRICT column_length, GLOBAL int4 *RESTRICT columns, GLOBAL int *RESTRICT overflow)
{
    const cell_grid grid =
        make_cell_grid(cells, reach, cell_width, inverse_cell_width, cell_origin, search_radius2, box);
    const int column = GLOBAL_ID;
    const int begin = column * PARTICLES;
    if (begin < n) {
        real4 own[PARTICLES];
        int4 low = grid_cell(grid, place_position[begin]);
        int4 high = low;
        for (int p = 0; p < PARTICLES; p++) {
            own[p] = place_position[begin + p < n ? begin + p : n - 1];
            const int4 home = grid_cell(grid, own[p]);
            low.x = home.x < low.x ? home.x : low.x;
            low.y = home.y < low.y ? home.y : low.y;
            low.z = home.z < low.z ? home.z : low.z;
            high.x = home.x > high.x ? home.x : high.x;
            high.y = home.y > high.y ? home.y : high.y;
            high.z = home.z > high.z ? home.z : high.z;
        }
        column_list list;
        list.quads = columns + (long64)(column / 32) * (list_capacity / 4) * 32 + column % 32;
        list.count = 0;
        list.capacity = list_capacity;
        list.held = make_int4(0, 0, 0, 0);
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
                                 image, column, own, search_radius2, sorted_position, column_place, &list);
                    }
                }
            }
        }
        /* the last four are made full with entries of nobody */
        column_length[column] = list.count;
        while (list.count % 4 != 0) {
            add_entry(&list, n);
        }
        if (list.count > list_capacity) {
            (void)ATOMIC_EXCHANGE(overflow, 1);
        }
    }
}
