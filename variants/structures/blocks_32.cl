/*
 * blocks_32 — blocks of 32 particles that follow each other along a curve, and whom each of them meets, 32 at a time
 *
 * A group per block. Its work-items look at the particles of the cells around the block, one each at a time; those that
 * are within reach of at least one particle of the block are gathered, in the order in which they were met, into a list
 * of entries as list_entries.cl has them. Lists are filled up to a multiple of 32 by entries of nobody. SIDES says whose
 * they are: 2, a pair of particles is met by both of their blocks; 1, by one of the two, and which follows from the numbers
 * of the blocks, so that lists are of like length.
 *
 * Whoever is excluded from a pair with a particle of the block stands in a list of his own, beside a word whose bit k
 * says that he is excluded with particle k of the block. That list begins with the block itself. What does not fit is
 * counted and not written, and `overflow` says so.
 */

/* Of a number, by sixteen roundings of it. */
#if REAL_IS_DOUBLE
#define ROUNDINGS REAL(1.8e-15)
#else
#define ROUNDINGS REAL(9.6e-7)
#endif

/* ---- who meets whom ---- */

/* Whether a block lists a particle of another, or of an image of itself. */
DEVICE int block_lists(int block, int other, int image)
{
#if SIDES == 1
    return lists_once(block, other, image);
#else
    return block != other || image != HOME_IMAGE;
#endif
}

/* A block as its group sees it: the corners of what holds it, its centre, and the cells that it reaches into. Whose distance from one
 * of its particles, as is_near_block() computes it, is farther than the root of `near2` is out of reach. */
typedef struct {
    real4 least, most, centre;
    int4 low, high;
    real near2;
} block_bounds;

DEVICE block_bounds bound_block(cell_grid grid, LOCAL_ARG const real4 *own)
{
    block_bounds bounds;
    bounds.least = own[0];
    bounds.most = own[0];
#if TRICLINIC
    bounds.low = grid_cell(grid, own[0]);
    bounds.high = bounds.low;
#endif
    for (int k = 1; k < 32; k++) {
        const real4 position = own[k];
        bounds.least.x = MIN_REAL(bounds.least.x, position.x);
        bounds.least.y = MIN_REAL(bounds.least.y, position.y);
        bounds.least.z = MIN_REAL(bounds.least.z, position.z);
        bounds.most.x = MAX_REAL(bounds.most.x, position.x);
        bounds.most.y = MAX_REAL(bounds.most.y, position.y);
        bounds.most.z = MAX_REAL(bounds.most.z, position.z);
#if TRICLINIC
        const int4 home = grid_cell(grid, position);
        bounds.low.x = home.x < bounds.low.x ? home.x : bounds.low.x;
        bounds.low.y = home.y < bounds.low.y ? home.y : bounds.low.y;
        bounds.low.z = home.z < bounds.low.z ? home.z : bounds.low.z;
        bounds.high.x = home.x > bounds.high.x ? home.x : bounds.high.x;
        bounds.high.y = home.y > bounds.high.y ? home.y : bounds.high.y;
        bounds.high.z = home.z > bounds.high.z ? home.z : bounds.high.z;
#endif
    }
#if !TRICLINIC
    bounds.low = grid_cell(grid, bounds.least);
    bounds.high = grid_cell(grid, bounds.most);
#endif
    /* from the centre, own particles are as far as half of the diagonal at most, candidates by the radius farther: sixteen roundings,
     * each of the square of both together at most */
    const real x = REAL(0.5) * (bounds.most.x - bounds.least.x);
    const real y = REAL(0.5) * (bounds.most.y - bounds.least.y);
    const real z = REAL(0.5) * (bounds.most.z - bounds.least.z);
    bounds.centre = make_real4(bounds.least.x + x, bounds.least.y + y, bounds.least.z + z, 0);
    const real half2 = x * x + y * y + z * z;
    bounds.near2 = grid.search_radius2 + ROUNDINGS * (8 * half2 + 2 * grid.search_radius2);
    return bounds;
}

/* A particle of the block as is_near_block() takes it: the square of its distance from a point p is that of p from the centre and w and
 * the scalar product. */
DEVICE real4 from_centre(real4 position, real4 centre)
{
    const real x = position.x - centre.x;
    const real y = position.y - centre.y;
    const real z = position.z - centre.z;
    return make_real4(-2 * x, -2 * y, -2 * z, FMA(x, x, FMA(y, y, z * z)));
}

/* How far apart an interval and a slab of cells lie. */
DEVICE real gap_to_slab(real least, real most, real first, real width)
{
    return MAX_REAL(REAL(0.0), MAX_REAL(first - most, least - (first + width)));
}

/* The cells of a row along x that may hold whom the block meets: x is the first, y the last; none: y < x. */
DEVICE int4 block_row(cell_grid grid, block_bounds bounds, int y, int z)
{
    int first = bounds.low.x - grid.reach.x;
    int last = bounds.high.x + grid.reach.x;
#if !TRICLINIC
    const real gap_y =
        gap_to_slab(bounds.least.y, bounds.most.y, grid.origin.y + y * grid.width.y, grid.width.y);
    const real gap_z =
        gap_to_slab(bounds.least.z, bounds.most.z, grid.origin.z + z * grid.width.z, grid.width.z);
    const real left2 = grid.search_radius2 - gap_y * gap_y - gap_z * gap_z;
    if (left2 < 0) {
        return make_int4(0, -1, 0, 0);
    }
    const real left = SQRT(left2);
    const int low = (int)FLOOR((bounds.least.x - left - grid.origin.x) * grid.inverse_width.x);
    const int high = (int)FLOOR((bounds.most.x + left - grid.origin.x) * grid.inverse_width.x);
    first = low > first ? low : first;
    last = high < last ? high : last;
#endif
    return make_int4(first, last, 0, 0);
}

/* Whether a point is within reach of any particle of the block; rounding may let in who is a hair beyond. */
DEVICE int is_near_block(real4 point, block_bounds bounds, LOCAL_ARG const real4 *own_from, real search_radius2)
{
    const real dx = MAX_REAL(REAL(0.0), MAX_REAL(bounds.least.x - point.x, point.x - bounds.most.x));
    const real dy = MAX_REAL(REAL(0.0), MAX_REAL(bounds.least.y - point.y, point.y - bounds.most.y));
    const real dz = MAX_REAL(REAL(0.0), MAX_REAL(bounds.least.z - point.z, point.z - bounds.most.z));
    if (FMA(dx, dx, FMA(dy, dy, dz * dz)) > search_radius2 * REAL(1.0001)) {
        return 0;
    }
    const real x = point.x - bounds.centre.x;
    const real y = point.y - bounds.centre.y;
    const real z = point.z - bounds.centre.z;
    real least = REAL(1.0e30);
#if !DEVICE_IS_CPU
#pragma unroll
#endif
    for (int k = 0; k < 32; k++) {
        const real4 own = own_from[k];
        least = MIN_REAL(least, FMA(x, own.x, FMA(y, own.y, FMA(z, own.z, own.w))));
    }
    return FMA(x, x, FMA(y, y, FMA(z, z, least))) <= bounds.near2;
}

/* The particles' molecules as bits, 32 per work-item: of a molecule that has none here, no particle is excluded by that. */
DEVICE uint molecules_as_bits(LOCAL_ARG const int *own_molecule)
{
    uint bits = 0;
    for (int k = 0; k < 32; k++) {
        const uint number = own_molecule[k];
        bits |= (number / 32 % GROUP_SIZE == (uint)LOCAL_ID ? 1u : 0u) << number % 32;
    }
    return bits;
}

DEVICE int may_be_among(LOCAL_ARG const uint *bits, uint number)
{
    return bits[number / 32 % GROUP_SIZE] >> number % 32 & 1u;
}

/* ---- the lists ---- */

/* Entries of nobody behind the last; every list has room for 32, and lists that are too short are not read. */
DEVICE void fill_up(block_list list, int nobody)
{
    const int at = list.count + LOCAL_ID;
    if (at < (list.count + 31) / 32 * 32) {
        put_entry(list, at, nobody);
    }
}

KERNEL void fill_blocks(int n, int4 cells, int4 reach, real4 cell_width, real4 inverse_cell_width, real4 cell_origin,
                        real search_radius2, GLOBAL const int *RESTRICT cell_start,
                        GLOBAL const real4 *RESTRICT sorted_position, GLOBAL const int *RESTRICT place_of_sorted,
                        GLOBAL const real4 *RESTRICT place_position, GLOBAL const int *RESTRICT place_index,
                        int nobody, box_args box, int exclusions, GLOBAL const int *RESTRICT excluded_start,
                        GLOBAL const int *RESTRICT excluded, GLOBAL const int *RESTRICT molecule, int list_capacity,
                        int mask_capacity, GLOBAL int *RESTRICT block_length, GLOBAL int *RESTRICT block_entries,
                        GLOBAL int *RESTRICT masked_length, GLOBAL int *RESTRICT masked_entries,
                        GLOBAL uint *RESTRICT masks, GLOBAL int *RESTRICT overflow)
{
    LOCAL real4 own[32];
    LOCAL real4 own_from[32];
    LOCAL int own_index[32];
    LOCAL int own_molecule[32];
    LOCAL uint molecule_bits[GROUP_SIZE];
    LOCAL int room[GROUP_SIZE];
    const cell_grid grid =
        make_cell_grid(cells, reach, cell_width, inverse_cell_width, cell_origin, search_radius2, box);
    const int block = GROUP_ID;
    if (LOCAL_ID < 32) {
        const int place = block * 32 + LOCAL_ID;
        own[LOCAL_ID] = place_position[place < n ? place : n - 1];
        own_index[LOCAL_ID] = place < n ? place_index[place] : -1;
        own_molecule[LOCAL_ID] = place < n && exclusions == BY_MOLECULE ? molecule[place_index[place]] : 0;
    }
    SYNC_THREADS;
    block_list near_ones;
    near_ones.entries = block_entries + (long64)block * list_capacity;
    near_ones.count = 0;
    near_ones.capacity = list_capacity;
    block_list masked;
    masked.entries = masked_entries + (long64)block * mask_capacity;
    masked.count = 32;
    masked.capacity = mask_capacity;
    GLOBAL uint *own_masks = masks + (long64)block * mask_capacity;
    /* the block itself */
    if (LOCAL_ID < 32) {
        const int place = block * 32 + LOCAL_ID;
        masked.entries[LOCAL_ID] = place;
        own_masks[LOCAL_ID] = place < n ? exclusion_mask(exclusions, own_index[LOCAL_ID], own_index, own_molecule,
                                                         excluded_start, excluded, molecule)
                                        : 0u;
    }
    /* the rows of cells around it */
    const block_bounds bounds = bound_block(grid, own);
    if (LOCAL_ID < 32) {
        own_from[LOCAL_ID] = from_centre(own[LOCAL_ID], bounds.centre);
    }
    molecule_bits[LOCAL_ID] = molecules_as_bits(own_molecule);
    SYNC_THREADS;
    const int rows_y = bounds.high.y - bounds.low.y + 2 * reach.y + 1;
    const int rows = rows_y * (bounds.high.z - bounds.low.z + 2 * reach.z + 1);
    for (int r = 0; r < 3 * rows; r++) {
        const int image_x = r % 3 - 1;
        const int y = bounds.low.y - reach.y + r / 3 % rows_y;
        const int z = bounds.low.z - reach.z + r / 3 / rows_y;
        const int image_y = image_of_cell(y, cells.y);
        const int image_z = image_of_cell(z, cells.z);
        const int row = ((z - image_z * cells.z) * cells.y + y - image_y * cells.y) * cells.x;
        const int4 range = block_row(grid, bounds, y, z);
        const int first = range.x - image_x * cells.x;
        const int last = range.y - image_x * cells.x;
        const int image = (image_x + 1) + 3 * (image_y + 1) + 9 * (image_z + 1);
        const int matters = range.x <= range.y && last >= 0 && first < cells.x &&
                            (PERIODIC || (image_x == 0 && image_y == 0 && image_z == 0));
        const int begin = matters ? cell_start[row + (first > 0 ? first : 0)] : 0;
        const int stop = matters ? cell_start[row + (last < cells.x ? last : cells.x - 1) + 1] : 0;
        const real4 shift = shift_of_image(image, box);
        for (int base = begin; base < stop; base += LOCAL_SIZE) {
            const int j = base + LOCAL_ID;
            int place = nobody;
            int is_near = 0;
            uint mask = 0;
            if (j < stop) {
                const real4 other = sorted_position[j];
                const real4 seen = make_real4(other.x + shift.x, other.y + shift.y, other.z + shift.z, 0);
                place = place_of_sorted[j];
                is_near = block_lists(block, place / 32, image) && is_near_block(seen, bounds, own_from, search_radius2);
            }
            int may_exclude = is_near; /* apart: PoCL 5.0 aborts where this stands within the branch above */
            if (is_near && exclusions == BY_MOLECULE) {
                may_exclude = may_be_among(molecule_bits, molecule[place_index[place]]);
            }
            if (may_exclude) {
                mask = exclusion_mask(exclusions, place_index[place], own_index, own_molecule, excluded_start, excluded,
                                      molecule);
            }
            /* both lists' counts in one number: there are fewer than 2^16 work-items */
            const int upto = scan_group(room, is_near ? (mask != 0 ? 1 << 16 : 1) : 0);
            const int total = room[LOCAL_SIZE - 1];
            if (is_near && mask != 0) {
                const int at = masked.count + (upto >> 16) - 1;
                put_entry(masked, at, list_entry(place, image));
                if (at < mask_capacity) {
                    own_masks[at] = mask;
                }
            } else if (is_near) {
                put_entry(near_ones, near_ones.count + (upto & 0xffff) - 1, list_entry(place, image));
            }
            near_ones.count += total & 0xffff;
            masked.count += total >> 16;
            SYNC_THREADS;
        }
    }
    fill_up(near_ones, nobody);
    fill_up(masked, nobody);
    if (LOCAL_ID == 0) {
        block_length[block] = near_ones.count;
        masked_length[block] = masked.count;
        if (near_ones.count > list_capacity || masked.count > mask_capacity) {
            (void)ATOMIC_EXCHANGE(overflow, 1);
        }
    }
}
