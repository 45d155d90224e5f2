/*
 * list_blocks — who is near to a block of particles, once for all of them, and lists of 16 bits into that
 *
 * A block is 128 particles that follow each other in list_columns' order. Whoever is near to one of them gets a slot: a
 * place in local memory of those who walk. A particle's list names slots, 16 bits each: 16 times the slot, which is an
 * offset in bytes there, plus the partner's type where there are types and no more than 16. Eight lie together in an int4:
 * number k of particle i is at ((i / 32) * (slot_capacity / 8) + k) * 32 + i % 32. Slots come in parts of STAGED, as many
 * as the neighbourhood fills, and so do lists: particle i's share of a part lies from part_begin[part * places + i] up to
 * part_stop[part * places + i], in int4s. Before it, behind the last part's, stand those near to it that its exclusions
 * leave out. The slot behind the last one is nobody's, and makes the last int4 full; in its place block_entries has the number of slots. An
 * entry of these is the number of a sorted particle and the image that it is seen in.
 *
 * A group per block goes over the rows of cells around the box that bounds the block. Whoever is near to one of its
 * particles, or elsewhere to the box of a sub-block, gets the next slot. A tile of 128 of them after the other, each
 * work-item tests them all against its own particle and keeps a bit for each: nothing diverges. When a part is full, each
 * work-item turns its bits into its list. Local memory serves eight work-items at a time, 16 bytes each, if they read from
 * places whose numbers differ in the lowest three bits; so each work-item takes its slots in turns by these bits (SPREAD),
 * and neighbours begin with different ones.
 *
 * NVIDIA's chips from sm_80 on test by tensor cores (TENSOR), first each candidate against all of the block, then those
 * left once more for the bits. Lists are put together in local memory, each entry where the turn of its bits is, and the
 * surplus of some in the gaps of others. All others compute distances, one after the other.
 *
 * BUILD_GROUPS is how many groups per multiprocessor registers are kept for there. From six on, tables lie where lists are put together later, and
 * are made again behind them; and where nobody has a type or is excluded, the text knows that (PLAIN, list_blocks_plain.cl).
 */
#ifndef PLAIN
#define PLAIN 0
#endif
#define LAID_OVER (BUILD_GROUPS > 5)
/* Of a function that is always given the same array in local memory, PoCL makes one that has that array to itself: another one
 * for all groups at once, unless it is inlined. */
#define ALWAYS_INLINE DEVICE __attribute__((always_inline))
#define BLOCK GROUP_SIZE
#define TILE GROUP_SIZE /* who is tested at a time */
#define SUB_BLOCKS (BLOCK / SUB_BLOCK)
#define CLASSES 8
#define NOBODY STAGED
#define PART_SIZE (STAGED + 32)
#define MARK_WORDS (STAGED / 32)
#define WORDS_PER_CLASS (MARK_WORDS / CLASSES)
#if REAL_IS_DOUBLE
#define ROUNDING REAL(1.0e-13)
#else
#define ROUNDING REAL(4.0e-6)
#endif

/* Tensor cores test 128 pairs per instruction; votes and shuffles count; lists are put together in local memory. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define TENSOR 1
#define UNROLL _Pragma("unroll")
#define ALL_LANES 0xffffffffu
#define PART_TILES (STAGED / TILE)
/* Rows of lists: a row per work-item, or longer ones for half or a quarter of them at a time. Odd numbers of 16 bytes, so that
 * neighbours begin in different banks. */
#define ROW_EIGHTS 13
#define HALF_ROW_EIGHTS 25
#define QUARTER_ROW_EIGHTS 51
#define VECTORS (BLOCK / 16 * 32) /* of the block's particles, as tensor cores take them */
#define TABLES (LAID_OVER ? VECTORS + BLOCK : 0)
#define MARKS_AND_WHO (STAGED + (PLAIN ? 0 : STAGED / 4) + TABLES)
#define ROOM (MARKS_AND_WHO > ROW_EIGHTS * BLOCK ? MARKS_AND_WHO : ROW_EIGHTS * BLOCK)
#define NOBODY_TWICE (int)((uint)(NOBODY * 16) << 16 | NOBODY * 16)
#else
#define TENSOR 0
#endif

/* Bounds of what the work-items of a group have: x, y, z and their negatives, BLOCK numbers each, the least of a sub-block at the
 * place of its first; those of all in `low` and `high`. Every one of the group calls it. */
ALWAYS_INLINE void bound_group(LOCAL_ARG real *scratch, real4 at, real4 *low, real4 *high)
{
    const int lane = LOCAL_ID;
    scratch[lane] = at.x;
    scratch[lane + BLOCK] = at.y;
    scratch[lane + 2 * BLOCK] = at.z;
    scratch[lane + 3 * BLOCK] = -at.x;
    scratch[lane + 4 * BLOCK] = -at.y;
    scratch[lane + 5 * BLOCK] = -at.z;
    SYNC_THREADS;
    for (int half_size = SUB_BLOCK / 2; half_size > 0; half_size /= 2) {
        for (int k = lane; k < 6 * BLOCK && lane % SUB_BLOCK < half_size; k += BLOCK) {
            scratch[k] = MIN_REAL(scratch[k], scratch[k + half_size]);
        }
        SYNC_THREADS;
    }
    real least[6];
    for (int d = 0; d < 6; d++) {
        least[d] = scratch[d * BLOCK];
        for (int s = 1; s < SUB_BLOCKS; s++) {
            least[d] = MIN_REAL(least[d], scratch[d * BLOCK + s * SUB_BLOCK]);
        }
    }
    *low = make_real4(least[0], least[1], least[2], 0);
    *high = make_real4(-least[3], -least[4], -least[5], 0);
}

/* Sums of the values up to each work-item's own, left in `sums`; every one of them calls it. `scratch`: a place per warp. */
ALWAYS_INLINE void sums_up_to(LOCAL_ARG int *sums, LOCAL_ARG int *scratch, int value)
{
#if TENSOR
    const int lane = LOCAL_ID % 32;
    const int warp = LOCAL_ID / 32;
    for (int apart = 1; apart < 32; apart *= 2) {
        const int before = __shfl_up_sync(0xffffffffu, value, apart);
        value += lane >= apart ? before : 0;
    }
    if (lane == 31) {
        scratch[warp] = value;
    }
    SYNC_THREADS;
    for (int w = 0; w < BLOCK / 32 - 1; w++) {
        value += w < warp ? scratch[w] : 0;
    }
    sums[LOCAL_ID] = value;
    SYNC_THREADS;
#else
    sums[LOCAL_ID] = value;
    SYNC_THREADS;
    for (int apart = 1; apart < BLOCK; apart *= 2) {
        const int before = LOCAL_ID >= apart ? sums[LOCAL_ID - apart] : 0;
        SYNC_THREADS;
        sums[LOCAL_ID] += before;
        SYNC_THREADS;
    }
    (void)scratch;
#endif
}

/* How many of the group say yes, and how many of those before a work-item; every one of them calls it. */
ALWAYS_INLINE int count_yes(LOCAL_ARG int *scratch, int yes, int *before)
{
#if TENSOR
    const uint votes = __ballot_sync(0xffffffffu, yes);
    const int warp = LOCAL_ID / 32;
    if (LOCAL_ID % 32 == 0) {
        scratch[warp] = __popc(votes);
    }
    SYNC_THREADS;
    int sum = 0;
    int all = 0;
    for (int w = 0; w < BLOCK / 32; w++) {
        const int that = scratch[w];
        sum += w < warp ? that : 0;
        all += that;
    }
    *before = sum + __popc(votes & ((1u << LOCAL_ID % 32) - 1u));
    return all;
#else
    sums_up_to(scratch, scratch, yes);
    *before = scratch[LOCAL_ID] - yes;
    return scratch[BLOCK - 1];
#endif
}

/*
 * Tensor cores multiply vectors of 16 numbers in half precision. That of a particle a, seen from the block's centre in units
 * of how far anybody near to it lies, and that of a candidate b make
 *
 *     |b|^2 - 2 ab + |a|^2 - radius^2 - tolerance
 *
 * which is negative where they are near. Numbers are in two halves, which lose 2^-22 of them; all products of halves are
 * added up. With sums in float that truncate, what is lost of the result is less than 1.2e-5, and the tolerance is more.
 * Numbers 2 t, 2 t + 1, 2 t + 8 and 2 t + 9 of a vector are what lane t of four hands over: t = 0, 1, 2 a coordinate,
 * t = 3 the squares.
 */
#if TENSOR
#define TOLERANCE 3.0e-5f
#define OUT_OF_REACH 60000.0f

/* A number in two halves, the upper digits in the lower 16 bits. */
DEVICE int two_halves(float x)
{
    unsigned short high, low;
    float back;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(high) : "f"(x));
    asm("cvt.f32.f16 %0, %1;" : "=f"(back) : "h"(high));
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(low) : "f"(x - back));
    return (int)((uint)high | (uint)low << 16);
}

DEVICE int4 tested_candidate(float x, float y, float z)
{
    return make_int4(two_halves(x), two_halves(y), two_halves(z), two_halves(fmaf(x, x, fmaf(y, y, z * z))));
}

DEVICE int4 tested_nobody(void)
{
    return make_int4(0, 0, 0, two_halves(OUT_OF_REACH));
}

/* 16 particles by 8 candidates. */
DEVICE void multiply(const int a[4], int b0, int b1, float d[4])
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %10, %10, %10};"
        : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "f"(0.0f));
}
#endif

/* How far a coordinate lies outside of an interval; zero inside. */
DEVICE real outside(real x, real low, real high)
{
    return MAX_REAL(REAL(0.0), MAX_REAL(low - x, x - high));
}

#if TENSOR
/* Bits of those of two tiles that are of a class, the first highest: candidate 8 * (number of the bit) + class of 256. */
DEVICE uint class_word(uint first, uint second, int c)
{
    return c % 2 ? (first & 0xffff0000u) | second >> 16 : first << 16 | (second & 0xffffu);
}
#endif

/* A particle's list, as it is written. */
typedef struct {
    GLOBAL int4 *eights; /* each 32 behind the last */
    int count, capacity; /* slots */
    int4 held;
    int lane; /* of the work-item that will walk it */
} slot_list;

DEVICE void add_slot(slot_list *list, int slot)
{
    list->held.x = (int)((uint)list->held.x >> 16 | (uint)list->held.y << 16);
    list->held.y = (int)((uint)list->held.y >> 16 | (uint)list->held.z << 16);
    list->held.z = (int)((uint)list->held.z >> 16 | (uint)list->held.w << 16);
    list->held.w = (int)((uint)list->held.w >> 16 | (uint)slot << 16);
    list->count++;
    if (list->count % 8 == 0 && list->count <= list->capacity) {
        list->eights[(list->count / 8 - 1) * 32] = list->held;
    }
}

/* The slot of a bit of a word: the words of a class lie together. */
DEVICE int slot_of_mark(int word, uint bit)
{
    return (word % WORDS_PER_CLASS * 32 + 31 - LEADING_ZEROS(bit)) * CLASSES + word / WORDS_PER_CLASS;
}

#define SLOT_ENTRY(slot) ((slot) * 16 + (types > 0 ? slot_type[slot] : 0))

DEVICE void fill_up(slot_list *list)
{
    while (list->count % 8 != 0) {
        add_slot(list, NOBODY * 16);
    }
}

/* Whose partners are left out. */
typedef struct {
    int kind;                            /* 0: nobody's, 1: those of its molecule, 2: those listed */
    int molecule;                        /* its own */
    int begin, stop;                     /* of its partners in `excluded`, in ascending order */
    GLOBAL const int *RESTRICT excluded;
} exclusion_rule;

/* `who` is the partner's molecule or its input index. */
DEVICE int is_left_out(const exclusion_rule *rule, int who)
{
    if (rule->kind == 1) {
        return who == rule->molecule;
    }
    int low = rule->begin;
    int high = rule->stop;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        const int partner = rule->excluded[middle];
        if (partner == who) {
            return 1;
        }
        low = partner < who ? middle + 1 : low;
        high = partner < who ? high : middle;
    }
    return 0;
}

#if TENSOR
/* Lists those that a work-item's exclusions leave out, and clears their bits. */
ALWAYS_INLINE void list_left_out(int lane, int tiles, LOCAL_ARG uint *marks, LOCAL_ARG const int *who,
                                 LOCAL_ARG const unsigned char *slot_type, int types, const exclusion_rule *rule, slot_list *list)
{
    for (int w = 0; w < 4 * tiles; w++) {
        LOCAL_ARG uint *mark = marks + (w / 4 * BLOCK + lane) * 4 + w % 4;
        uint word = *mark;
        uint stay = word;
        while (word) {
            const int lead = LEADING_ZEROS(word);
            const int candidate = w / 4 * TILE + lead % 16 * CLASSES + w % 4 * 2 + (lead < 16);
            word ^= 0x80000000u >> lead;
            if (is_left_out(rule, who[candidate])) {
                add_slot(list, candidate * 16 + (types > 0 ? slot_type[candidate] : 0));
                stay ^= 0x80000000u >> lead;
            }
        }
        *mark = stay;
    }
    while (list->count % 8 != 0) {
        add_slot(list, NOBODY * 16);
    }
}
#else
/* Lists those that a work-item's exclusions leave out, and clears their bits. */
ALWAYS_INLINE void list_left_out(int lane, LOCAL_ARG uint *marks, LOCAL_ARG const int *slot_who,
                                 LOCAL_ARG const int *slot_type, int types, const exclusion_rule *rule, slot_list *list)
{
    for (int w = 0; w < MARK_WORDS; w++) {
        uint word = marks[w * BLOCK + lane];
        uint stay = word;
        while (word) {
            const uint lowest = word & (0u - word);
            const int slot = slot_of_mark(w, lowest);
            if (is_left_out(rule, slot_who[slot])) {
                add_slot(list, SLOT_ENTRY(slot));
                stay ^= lowest;
            }
            word ^= lowest;
        }
        marks[w * BLOCK + lane] = stay;
    }
    fill_up(list);
}

/* Turns a work-item's bits of a part into slots of its list, and clears them. */
ALWAYS_INLINE void list_marks(int lane, LOCAL_ARG uint *marks, LOCAL_ARG const int *slot_type, int types, slot_list *list)
{
#if SPREAD
    int any = 0; /* the classes of which something is left, a bit each */
    for (int w = 0; w < MARK_WORDS; w++) {
        any |= marks[w * BLOCK + lane] != 0 ? 1 << w / WORDS_PER_CLASS : 0;
    }
    while (any) {
        /* the class whose turn it is, or the next one that has any */
        const int wanted = (lane + list->count) % CLASSES;
        const int turned = (any | any << CLASSES) >> wanted;
        const int c = (wanted + 31 - LEADING_ZEROS(turned & -turned)) % CLASSES;
        int w = 0;
        uint word = 0;
        int others = 0;
        for (int k = WORDS_PER_CLASS - 1; k >= 0; k--) {
            const uint that = marks[(c * WORDS_PER_CLASS + k) * BLOCK + lane];
            others = that ? word != 0 : others;
            w = that ? c * WORDS_PER_CLASS + k : w;
            word = that ? that : word;
        }
        const uint lowest = word & (0u - word);
        const int slot = slot_of_mark(w, lowest);
        add_slot(list, SLOT_ENTRY(slot));
        marks[w * BLOCK + lane] = word ^ lowest;
        any = word == lowest && !others ? any & ~(1 << c) : any;
    }
#else
    for (int w = 0; w < MARK_WORDS; w++) {
        uint word = marks[w * BLOCK + lane];
        while (word) {
            const uint lowest = word & (0u - word);
            const int slot = slot_of_mark(w, lowest);
            add_slot(list, SLOT_ENTRY(slot));
            word ^= lowest;
        }
        marks[w * BLOCK + lane] = 0;
    }
#endif
    fill_up(list);
}
#endif

/* ---- a block ---- */

/* What a group has in local memory. */
typedef struct {
#if TENSOR
    LOCAL_ARG int4 *room; /* bits of who is near, four words per tile and particle, and who it is; then lists */
    LOCAL_ARG int4 *vectors;
    LOCAL_ARG int4 *candidates;
    LOCAL_ARG int4 *tile;
    LOCAL_ARG unsigned char *slot_type;
#else
    LOCAL_ARG real4 *tile;
    LOCAL_ARG int *slot_type;
#endif
    LOCAL_ARG uint *marks;
    LOCAL_ARG int *slot_who;
    LOCAL_ARG real *scratch;
    LOCAL_ARG int *tile_who;
    LOCAL_ARG int *tile_type;
    LOCAL_ARG int *own_at; /* where in the tile a work-item's particle is itself */
    LOCAL_ARG int *row_first;
    LOCAL_ARG int *row_image_of;
    LOCAL_ARG int *row_sum;
    LOCAL_ARG int *scan;
} group_memory;

/* Where a block lies, and the rows of cells around it, each once per image. */
typedef struct {
    real4 low, high, centre;
    int4 least, most; /* the cells that it touches */
    int rows_y, rows_z, rows;
} block_bounds;

/* The first and the last image of the cell, along x, that have rows near to the block. */
DEVICE int first_image_x(const block_bounds *block, const cell_grid *grid)
{
    return PERIODIC ? image_of_cell(block->least.x - grid->reach.x, grid->cells.x) : 0;
}

DEVICE int last_image_x(const block_bounds *block, const cell_grid *grid)
{
    return PERIODIC ? image_of_cell(block->most.x + grid->reach.x, grid->cells.x) : 0;
}

/* The box that bounds the block, those that bound its sub-blocks, and the cells that it touches. */
ALWAYS_INLINE void bound_block(LOCAL_ARG real *scratch, real4 own, const cell_grid *grid, box_args box, block_bounds *block)
{
    real4 low, high;
#if TRICLINIC
    bound_group(scratch, straighten(own, box), &low, &high);
#else
    bound_group(scratch, own, &low, &high);
#endif
    block->least = make_int4(cell_coordinate(low.x, grid->origin.x, grid->inverse_width.x, grid->cells.x),
                             cell_coordinate(low.y, grid->origin.y, grid->inverse_width.y, grid->cells.y),
                             cell_coordinate(low.z, grid->origin.z, grid->inverse_width.z, grid->cells.z), 0);
    block->most = make_int4(cell_coordinate(high.x, grid->origin.x, grid->inverse_width.x, grid->cells.x),
                            cell_coordinate(high.y, grid->origin.y, grid->inverse_width.y, grid->cells.y),
                            cell_coordinate(high.z, grid->origin.z, grid->inverse_width.z, grid->cells.z), 0);
#if TRICLINIC
    SYNC_THREADS;
    bound_group(scratch, own, &low, &high);
#endif
    block->low = low;
    block->high = high;
    block->rows_y = block->most.y - block->least.y + 2 * grid->reach.y + 1;
    block->rows_z = block->most.z - block->least.z + 2 * grid->reach.z + 1;
    block->rows = block->rows_y * block->rows_z * (last_image_x(block, grid) - first_image_x(block, grid) + 1);
    block->centre = make_real4(REAL(0.5) * (low.x + high.x), REAL(0.5) * (low.y + high.y), REAL(0.5) * (low.z + high.z), 0);
}

/* How others are tested against a work-item's particle, or against those of its warp. */
typedef struct {
#if TENSOR
    int row_vectors[2][4]; /* of 2 times 16 particles of the warp */
    float unit;            /* of lengths, inverted */
#else
    real limit, twice_x, twice_y, twice_z; /* distances squared as |a|^2 + |b|^2 - 2 ab */
#endif
} block_view;

#if TENSOR
/* Writes the vectors that a work-item has two rows of. */
ALWAYS_INLINE void put_vectors(LOCAL_ARG int4 *vectors, const int rows[2][4])
{
    for (int h = 0; h < 2; h++) {
        vectors[(LOCAL_ID / 32 * 2 + h) * 32 + LOCAL_ID % 32] = make_int4(rows[h][0], rows[h][1], rows[h][2], rows[h][3]);
    }
}

/* Makes the vectors of the block's own particles. `exists`: the work-item has one. */
ALWAYS_INLINE void see_from_block(const group_memory *memory, const block_bounds *block, real4 own, int exists,
                                  real search_radius2, block_view *view)
{
    const int lane = LOCAL_ID;
    const int in_warp = lane % 32;
    const real own_x = own.x - block->centre.x;
    const real own_y = own.y - block->centre.y;
    const real own_z = own.z - block->centre.z;
    const real widest =
        MAX_REAL(block->high.x - block->low.x, MAX_REAL(block->high.y - block->low.y, block->high.z - block->low.z));
    const float unit = 1.0f / (float)(REAL(0.5) * widest + SQRT(search_radius2));
    const float x = (float)own_x * unit;
    const float y = (float)own_y * unit;
    const float z = (float)own_z * unit;
    const float limit = fmaf(x, x, fmaf(y, y, z * z)) - (float)search_radius2 * unit * unit - TOLERANCE;
    memory->tile[lane] = make_int4(two_halves(-2.0f * x), two_halves(-2.0f * y), two_halves(-2.0f * z),
                                   two_halves(exists ? limit : OUT_OF_REACH));
    SYNC_THREADS;
    for (int m = 0; m < 4; m++) {
        const int word = ((LOCAL_ARG const int *)memory->tile)[(lane / 32 * 32 + m * 8 + in_warp / 4) * 4 + in_warp % 4];
        const int is_coordinate = in_warp % 4 < 3;
        const int ones = 0x3c003c00;
        view->row_vectors[m / 2][m % 2] = is_coordinate ? (int)((uint)word << 16 | ((uint)word & 0xffffu)) : ones;
        view->row_vectors[m / 2][2 + m % 2] =
            is_coordinate ? (int)((uint)word >> 16 | ((uint)word & 0xffff0000u)) : word;
    }
    put_vectors(memory->vectors, view->row_vectors);
    SYNC_THREADS;
    view->unit = unit;
}
#else
/* What distances from the work-item's particle are made of. `exists`: it has one. */
ALWAYS_INLINE void see_from_block(const group_memory *memory, const block_bounds *block, real4 own, int exists,
                                  real search_radius2, block_view *view)
{
    const real own_x = own.x - block->centre.x;
    const real own_y = own.y - block->centre.y;
    const real own_z = own.z - block->centre.z;
    const real own2 = FMA(own_x, own_x, FMA(own_y, own_y, own_z * own_z));
    view->limit = exists ? search_radius2 - own2 + ROUNDING * (own2 + search_radius2) : REAL(-1.0e30);
    view->twice_x = REAL(-2.0) * own_x;
    view->twice_y = REAL(-2.0) * own_y;
    view->twice_z = REAL(-2.0) * own_z;
    for (int w = 0; w < MARK_WORDS; w++) {
        memory->marks[w * BLOCK + LOCAL_ID] = 0;
    }
}
#endif

/* ---- who is near to the block ---- */

/* The straightened cells of a row, as far as somebody near to the block can be there; none: first > last. */
ALWAYS_INLINE void cut_row(const block_bounds *block, const cell_grid *grid, int y, int z, int image_x, int *first, int *last)
{
#if TRICLINIC
    *first = block->least.x - grid->reach.x - image_x * grid->cells.x;
    *last = block->most.x + grid->reach.x - image_x * grid->cells.x;
#else
    const real4 low = block->low;
    const real4 high = block->high;
    const real gap_y = MAX_REAL(REAL(0.0), MAX_REAL(grid->origin.y + y * grid->width.y - high.y,
                                                    low.y - (grid->origin.y + (y + 1) * grid->width.y)));
    const real gap_z = MAX_REAL(REAL(0.0), MAX_REAL(grid->origin.z + z * grid->width.z - high.z,
                                                    low.z - (grid->origin.z + (z + 1) * grid->width.z)));
    const real left2 = grid->search_radius2 - gap_y * gap_y - gap_z * gap_z;
    const real left = SQRT(MAX_REAL(left2, REAL(0.0)));
    const int from = (int)FLOOR((low.x - left - grid->origin.x) * grid->inverse_width.x);
    const int to = (int)FLOOR((high.x + left - grid->origin.x) * grid->inverse_width.x);
    *first = (left2 < 0                               ? block->most.x + grid->reach.x + 1
              : from < block->least.x - grid->reach.x ? block->least.x - grid->reach.x
                                                      : from) -
             image_x * grid->cells.x;
    *last = (left2 < 0                            ? block->least.x - grid->reach.x - 1
             : to > block->most.x + grid->reach.x ? block->most.x + grid->reach.x
                                                  : to) -
            image_x * grid->cells.x;
#endif
}

/* A row of cells per work-item, in an image: leaves where its sorted particles begin, and how many there are up to it.
 * Returns how many there are of all; every one of the group calls it. */
ALWAYS_INLINE int take_rows(const group_memory *memory, const block_bounds *block, const cell_grid *grid,
                            GLOBAL const int *RESTRICT cell_start, int r)
{
    const int lane = LOCAL_ID;
    int begin = 0;
    int length = 0;
    if (r < block->rows) {
        const int image_x = first_image_x(block, grid) + r / (block->rows_y * block->rows_z);
        const int y = block->least.y - grid->reach.y + r % block->rows_y;
        const int z = block->least.z - grid->reach.z + r / block->rows_y % block->rows_z;
        const int image_y = image_of_cell(y, grid->cells.y);
        const int image_z = image_of_cell(z, grid->cells.z);
        int first, last;
        cut_row(block, grid, y, z, image_x, &first, &last);
        if (first <= last && last >= 0 && first < grid->cells.x && (PERIODIC || (image_y == 0 && image_z == 0))) {
            const int row = ((z - image_z * grid->cells.z) * grid->cells.y + y - image_y * grid->cells.y) * grid->cells.x;
            begin = cell_start[row + (first > 0 ? first : 0)];
            length = cell_start[row + (last < grid->cells.x ? last : grid->cells.x - 1) + 1] - begin;
        }
        memory->row_image_of[lane] = (image_x + 1) + 3 * (image_y + 1) + 9 * (image_z + 1);
    }
    memory->row_first[lane] = begin;
    sums_up_to(memory->row_sum, memory->scan, length);
    return memory->row_sum[BLOCK - 1];
}

/* A sorted particle in an image, and whether anybody of the block may be near to it. */
typedef struct {
    int j, image, near;
    int place; /* in the order of blocks */
    real4 at;
#if TENSOR
    int4 vector;
#endif
} candidate;

/* Candidate c of the rows; none where there are not so many. */
ALWAYS_INLINE void find_candidate(const group_memory *memory, const block_bounds *block, real search_radius2, box_args box,
                                  GLOBAL const real4 *RESTRICT sorted_position, GLOBAL const int *column_place, int c,
                                  int total, candidate *other)
{
    other->j = 0;
    other->place = -1;
    other->image = HOME_IMAGE;
    other->near = 0;
    other->at.x = 0;
    other->at.y = 0;
    other->at.z = 0;
    if (c < total) {
        int row = 0;
        for (int half_size = BLOCK / 2; half_size > 0; half_size /= 2) {
            row += memory->row_sum[row + half_size - 1] <= c ? half_size : 0;
        }
        other->j = memory->row_first[row] + c - (row > 0 ? memory->row_sum[row - 1] : 0);
        other->image = memory->row_image_of[row];
        other->at = sorted_position[other->j];
        if (other->image != HOME_IMAGE) {
            const real4 shift = shift_of_image(other->image, box);
            other->at.x += shift.x;
            other->at.y += shift.y;
            other->at.z += shift.z;
        } else {
            other->place = column_place[other->j];
        }
#if TENSOR
        const real dx = outside(other->at.x, block->low.x, block->high.x);
        const real dy = outside(other->at.y, block->low.y, block->high.y);
        const real dz = outside(other->at.z, block->low.z, block->high.z);
        other->near = FMA(dx, dx, FMA(dy, dy, dz * dz)) <= search_radius2;
#else
        for (int s = 0; s < SUB_BLOCKS; s++) {
            LOCAL_ARG const real *sub = memory->scratch + s * SUB_BLOCK;
            const real dx = outside(other->at.x, sub[0], -sub[3 * BLOCK]);
            const real dy = outside(other->at.y, sub[BLOCK], -sub[4 * BLOCK]);
            const real dz = outside(other->at.z, sub[2 * BLOCK], -sub[5 * BLOCK]);
            other->near |= FMA(dx, dx, FMA(dy, dy, dz * dz)) <= search_radius2;
        }
#endif
    }
}

#if TENSOR
/* Of a warp's candidates leaves those that any particle of the block is near to. */
ALWAYS_INLINE void test_candidates(const group_memory *memory, const block_bounds *block, float unit, candidate *other)
{
    const int lane = LOCAL_ID;
    const int in_warp = lane % 32;
    const real4 centre = block->centre;
    other->vector = other->near ? tested_candidate((float)(other->at.x - centre.x) * unit, (float)(other->at.y - centre.y) * unit,
                                                   (float)(other->at.z - centre.z) * unit)
                                : tested_nobody();
    if (__any_sync(ALL_LANES, other->near)) {
        memory->candidates[lane] = other->vector;
        __syncwarp();
        LOCAL_ARG const int *words = (LOCAL_ARG const int *)(memory->candidates + lane / 32 * 32) + in_warp;
        uint even[4] = { 0, 0, 0, 0 };
        uint odd[4] = { 0, 0, 0, 0 };
        UNROLL for (int m = 0; m < BLOCK / 16; m++) {
            const int4 rows_of = memory->vectors[m * 32 + in_warp];
            const int a[4] = { rows_of.x, rows_of.y, rows_of.z, rows_of.w };
            UNROLL for (int h = 0; h < 4; h++) {
                const int b0 = words[h * 32];
                const int b1 = in_warp % 4 == 3 ? 0x3c003c00 : b0;
                float d[4];
                multiply(a, b0, b1, d);
                even[h] |= __float_as_uint(d[0]) | __float_as_uint(d[2]);
                odd[h] |= __float_as_uint(d[1]) | __float_as_uint(d[3]);
            }
        }
        uint signs = 0;
        UNROLL for (int h = 0; h < 4; h++) {
            signs = __funnelshift_l(even[h], signs, 1);
            signs = __funnelshift_l(odd[h], signs, 1);
        }
        UNROLL for (int apart = 4; apart < 32; apart *= 2) {
            signs |= __shfl_xor_sync(ALL_LANES, signs, apart);
        }
        signs = __shfl_sync(ALL_LANES, signs, in_warp % 8 / 2);
        other->near = (int)(signs >> (7 - (in_warp / 8 * 2 + in_warp % 2)) & 1u);
    }
}
#endif

/* What particles are, by sorted number or by index in the box. */
typedef struct {
    GLOBAL const int *RESTRICT sorted_index;
    GLOBAL const int *RESTRICT pair_type;
    GLOBAL const int *RESTRICT pair_molecule;
    int types, exclusions;
} particle_names;

/* Which partners of particle i are left out. */
ALWAYS_INLINE exclusion_rule rule_of(const particle_names *names, int i, GLOBAL const int *RESTRICT excluded_start,
                                     GLOBAL const int *RESTRICT excluded)
{
    exclusion_rule rule;
    rule.kind = names->exclusions;
    rule.molecule = names->exclusions == 1 ? names->pair_molecule[i] : 0;
    rule.begin = names->exclusions == 2 ? excluded_start[i] : 0;
    rule.stop = names->exclusions == 2 ? excluded_start[i + 1] : 0;
    rule.excluded = excluded;
    return rule;
}

/* Puts a candidate into the tile, behind `at` others, and gives it a slot, which may be of a part behind that. `turn`: which
 * half of the tile is tested next. */
ALWAYS_INLINE void take_candidate(const group_memory *memory, const block_bounds *block, const particle_names *names,
                                  const candidate *other, int turn, int at, int slot, int part_before, GLOBAL int *entries,
                                  int part_capacity)
{
    const int part = part_before + slot / STAGED;
#if TENSOR
    const int in_tile = (turn * TILE + at) % (2 * TILE);
    memory->tile[in_tile] = other->vector;
#else
    const int in_tile = at;
    const real x = other->at.x - block->centre.x;
    const real y = other->at.y - block->centre.y;
    const real z = other->at.z - block->centre.z;
    memory->tile[at] = make_real4(x, y, z, FMA(x, x, FMA(y, y, z * z)));
#endif
    if (names->exclusions || names->types > 0) {
        const int who = names->sorted_index[other->j];
        memory->tile_who[in_tile] = names->exclusions == 1 ? names->pair_molecule[who] : who;
        memory->tile_type[in_tile] = names->types > 0 ? names->pair_type[who] : 0;
    }
    if (other->place >= 0 && other->place / BLOCK == GROUP_ID) {
        memory->own_at[other->place % BLOCK] = at;
    }
    if (part < part_capacity) {
        entries[part * PART_SIZE + slot % STAGED] = list_entry(other->j, other->image);
    }
}

/* ---- a tile ---- */

/* Fills up a tile that is tested before it is full. Every one of the group calls it. */
ALWAYS_INLINE void close_tile(const group_memory *memory, int turn, int pending, int tests)
{
    const int lane = LOCAL_ID;
#if TENSOR
    if (tests && lane >= pending) {
        memory->tile[turn * TILE + lane] = tested_nobody();
    }
#else
    SYNC_THREADS;
    if (tests && lane >= pending) {
        memory->tile[lane] = make_real4(0, 0, 0, REAL(1.0e30));
    }
#endif
    SYNC_THREADS;
}

#if TENSOR
/* Tests a tile: a bit per candidate and particle, those of classes 2 t and 2 t + 1 to word t, the first highest. */
ALWAYS_INLINE void test_tile(const group_memory *memory, const block_view *view, int turn, int slots, int has_names)
{
    const int lane = LOCAL_ID;
    const int in_warp = lane % 32;
    LOCAL_ARG const int *words = (LOCAL_ARG const int *)(memory->tile + turn * TILE) + in_warp;
    uint near_even[4] = { 0, 0, 0, 0 };
    uint near_odd[4] = { 0, 0, 0, 0 };
    UNROLL for (int m = 0; m < TILE / CLASSES; m++) {
        const int b0 = words[m * 32];
        const int b1 = in_warp % 4 == 3 ? 0x3c003c00 : b0;
        UNROLL for (int h = 0; h < 2; h++) {
            float d[4];
            multiply(view->row_vectors[h], b0, b1, d);
            near_even[2 * h] = __funnelshift_l(__float_as_uint(d[0]), near_even[2 * h], 1);
            near_odd[2 * h] = __funnelshift_l(__float_as_uint(d[1]), near_odd[2 * h], 1);
            near_even[2 * h + 1] = __funnelshift_l(__float_as_uint(d[2]), near_even[2 * h + 1], 1);
            near_odd[2 * h + 1] = __funnelshift_l(__float_as_uint(d[3]), near_odd[2 * h + 1], 1);
        }
    }
    UNROLL for (int h = 0; h < 4; h++) {
        memory->marks[(slots + lane / 32 * 32 + h * 8 + in_warp / 4) * 4 + in_warp % 4] = near_even[h] | near_odd[h] << 16;
    }
    if (has_names) {
        memory->slot_who[slots + lane] = memory->tile_who[turn * TILE + lane];
        memory->slot_type[slots + lane] = (unsigned char)memory->tile_type[turn * TILE + lane];
    }
    __syncwarp();
    const int own_slot = memory->own_at[lane];
    if (own_slot >= 0 && own_slot < TILE) {
        memory->marks[(slots + lane) * 4 + own_slot % CLASSES / 2] &= ~(1u << (own_slot % 2 * 16 + 15 - own_slot / CLASSES));
    }
    memory->own_at[lane] = own_slot - (own_slot >= 0 ? TILE : 0);
}
#else
/* Tests a tile: a bit per candidate and particle, those of two classes to a word. */
ALWAYS_INLINE void test_tile(const group_memory *memory, const block_view *view, int slots, int has_names)
{
    const int lane = LOCAL_ID;
    const int own_at = memory->own_at[lane];
    const int own_class = own_at % CLASSES;
    const int own_row = own_at / CLASSES;
    const int own_word = own_at >= 0 && own_at < TILE ? own_class / 2 : -1;
    for (int w = 0; w < CLASSES / 2; w++) {
        uint word = 0;
        for (int b = 0; b < 32; b++) {
            const real4 that = memory->tile[b % 16 * CLASSES + 2 * w + b / 16];
            const real d2 =
                FMA(view->twice_x, that.x, FMA(view->twice_y, that.y, FMA(view->twice_z, that.z, that.w)));
            word |= d2 <= view->limit ? 1u << b : 0u;
        }
        word &= w == own_word ? ~(1u << (own_class % 2 * 16 + own_row)) : 0xffffffffu;
        LOCAL_ARG uint *mark = memory->marks + (2 * w * WORDS_PER_CLASS + slots / (2 * TILE)) * BLOCK + lane;
        const int half_word = slots / TILE % 2 * 16;
        mark[0] |= (word & 0xffffu) << half_word;
        mark[WORDS_PER_CLASS * BLOCK] |= (word >> 16) << half_word;
    }
    memory->own_at[lane] -= own_at >= 0 ? TILE : 0;
    if (has_names) {
        memory->slot_who[slots + lane] = memory->tile_who[lane];
        memory->slot_type[slots + lane] = memory->tile_type[lane];
    }
}

/* What is left behind a tile that was tested moves to its beginning. Every one of the group calls it. */
ALWAYS_INLINE void move_up(const group_memory *memory, int left, int has_names)
{
    const int lane = LOCAL_ID;
    real4 moved;
    int moved_who;
    int moved_type;
    if (lane < left) {
        moved = memory->tile[TILE + lane];
        moved_who = has_names ? memory->tile_who[TILE + lane] : 0;
        moved_type = has_names ? memory->tile_type[TILE + lane] : 0;
    }
    SYNC_THREADS;
    if (lane < left) {
        memory->tile[lane] = moved;
        memory->tile_who[lane] = moved_who;
        memory->tile_type[lane] = moved_type;
    }
}
#endif

/* ---- the end of a part ---- */

#if TENSOR
/* How many bits each class has in pairs of tiles from `first` up to `stop`. Returns their sum. */
ALWAYS_INLINE int count_classes(const uint words[PART_TILES * 4], int first, int stop, int of_class[CLASSES])
{
    int sum = 0;
    UNROLL for (int c = 0; c < CLASSES; c++) {
        of_class[c] = 0;
        UNROLL for (int q = 0; q < PART_TILES / 2; q++) {
            if (q >= first && q < stop) {
                of_class[c] += __popc(class_word(words[8 * q + c / 2], words[8 * q + 4 + c / 2], c));
            }
        }
        sum += of_class[c];
    }
    return sum;
}

/* Entry k of a class goes to round k, at its turn there; those beyond the last round wait behind it, and go into what their
 * classes have left empty. */
ALWAYS_INLINE void put_slots(LOCAL_ARG int4 *row, int lane, const uint words[PART_TILES * 4], const int of_class[CLASSES], int first,
                             int stop, int rounds, LOCAL_ARG const unsigned char *slot_type, int types)
{
    LOCAL_ARG unsigned short *row_entry = (LOCAL_ARG unsigned short *)row;
    /* addresses in local memory: as pointers, the compiler keeps two of each */
    const uint begin = (uint)__cvta_generic_to_shared(row);
    const uint behind = begin + 2 * CLASSES * rounds;
    uint waits = behind;
    UNROLL for (int c = 0; c < CLASSES; c++) {
        uint at = begin + 2 * ((c - lane) & (CLASSES - 1));
        UNROLL for (int q = 0; q < PART_TILES / 2; q++) {
            uint word = q >= first && q < stop ? class_word(words[8 * q + c / 2], words[8 * q + 4 + c / 2], c) : 0;
            while (word) {
                const int highest = 31 - LEADING_ZEROS(word);
                const int entry = SLOT_ENTRY(q * 2 * TILE + 31 * CLASSES + c - highest * CLASSES);
                const int is_surplus = at >= behind;
                word ^= 1u << highest;
                asm volatile("st.shared.u16 [%0], %1;" ::"r"(is_surplus ? waits : at), "r"(entry) : "memory");
                if (is_surplus) {
                    waits += 2;
                }
                at += 2 * CLASSES;
            }
        }
    }
    int surplus = (int)(waits - behind) / 2;
    UNROLL for (int c = 0; c < CLASSES; c++) {
        for (int k = of_class[c]; k < rounds && surplus > 0; k++) {
            surplus--;
            row_entry[k * CLASSES + ((c - lane) & (CLASSES - 1))] = row_entry[CLASSES * rounds + surplus];
        }
    }
}

/* Puts lists together in local memory, where their bits were, and writes them. Every one of the group calls it. */
ALWAYS_INLINE void write_slots(const group_memory *memory, const uint words[PART_TILES * 4], const int of_class[CLASSES], int first,
                               int stop, int eights, int rounds, int turns, int row_size, int types, slot_list *list)
{
    const int lane = LOCAL_ID;
    LOCAL_ARG int4 *row = memory->room + lane % (BLOCK / turns) * row_size;
    for (int t = 0; t < turns; t++) {
        const int is_mine = lane / (BLOCK / turns) == t;
        if (is_mine) {
            for (int r = 0; r < eights; r++) {
                row[r] = make_int4(NOBODY_TWICE, NOBODY_TWICE, NOBODY_TWICE, NOBODY_TWICE);
            }
        }
        SYNC_THREADS;
        if (is_mine) {
            put_slots(row, list->lane, words, of_class, first, stop, rounds, memory->slot_type, types);
        }
        SYNC_THREADS;
        if (is_mine) {
            for (int r = 0; r < eights; r++) {
                if (list->count + 8 * r + 8 <= list->capacity) {
                    list->eights[(list->count / 8 + r) * 32] = row[r];
                }
            }
        }
        SYNC_THREADS;
    }
    list->count += 8 * eights;
}

/* Gives lists to work-items in order of lengths, so that those of a warp end together. The lengths are bytes of words, compared four at
 * a time. Every one of the group calls it. */
ALWAYS_INLINE void place_by_length(const group_memory *memory, int tiles, slot_list *list)
{
    const int lane = LOCAL_ID;
    int sum = 0;
    for (int t = 0; t < tiles; t++) {
        const int4 four = memory->room[t * BLOCK + lane];
        sum += __popc(four.x) + __popc(four.y) + __popc(four.z) + __popc(four.w);
    }
    const uint length = (uint)(sum < 126 ? sum : 126);
    ((LOCAL_ARG unsigned char *)memory->scan)[lane] = (unsigned char)(0x80u | length);
    SYNC_THREADS;
    int to = 0;
    UNROLL for (int w = 0; w < BLOCK / 4; w++) {
        /* of those behind it, the longer ones alone are before it */
        const uint behind = w < lane / 4 ? 0u : w > lane / 4 ? 0x01010101u : 0x01010101u << 8 * (lane % 4);
        to += __popc(((uint)memory->scan[w] - length * 0x01010101u - behind) & 0x80808080u);
    }
    SYNC_THREADS;
    list->eights += (to / 32 - lane / 32) * (list->capacity / 8) * 32 + to % 32 - lane % 32;
    list->lane = to;
}

/* Turns the bits of so many tiles into slots of lists. Every one of the group calls it. */
ALWAYS_INLINE void list_words(const group_memory *memory, int tiles, int types, slot_list *list)
{
    const int lane = LOCAL_ID;
    uint words[PART_TILES * 4]; /* in registers, since lists are put together where they lie */
    UNROLL for (int t = 0; t < PART_TILES; t++) {
        const int4 four = t < tiles ? memory->room[t * BLOCK + lane] : make_int4(0, 0, 0, 0);
        words[4 * t] = (uint)four.x;
        words[4 * t + 1] = (uint)four.y;
        words[4 * t + 2] = (uint)four.z;
        words[4 * t + 3] = (uint)four.w;
    }
    int first = 0; /* pairs of tiles that are listed together: all, or one after the other */
    int stop = PART_TILES / 2;
    while (2 * first < tiles) {
        int of_class[CLASSES];
        const int sum = count_classes(words, first, stop, of_class);
        const int eights = (sum + 7) / 8;
        int rounds = 0;
        int need = 8 * eights;
#if SPREAD
        rounds = eights;
        UNROLL for (int c = 0; c < CLASSES; c++) {
            need += of_class[c] > rounds ? of_class[c] - rounds : 0;
        }
#endif
        int turns = 1; /* that work-items take, so that rows are long enough */
        int row_size = ROW_EIGHTS;
        if (__syncthreads_or(need > 8 * ROW_EIGHTS)) {
            turns = 2;
            row_size = HALF_ROW_EIGHTS;
            if (__syncthreads_or(need > 8 * HALF_ROW_EIGHTS)) {
                turns = 4;
                row_size = QUARTER_ROW_EIGHTS;
                if (stop - first > 1 && __syncthreads_or(need > 8 * QUARTER_ROW_EIGHTS)) {
                    stop = first + 1;
                    continue;
                }
            }
        }
        write_slots(memory, words, of_class, first, stop, eights, rounds, turns, row_size, types, list);
        first = stop;
        stop = stop + 1;
    }
}
#endif

/* Lists what work-items have marked, and returns where their lists of the part begin. Every one of the group calls it. */
ALWAYS_INLINE int list_part(const group_memory *memory, const block_view *view, int part, int slots, int types,
                            const exclusion_rule *rule, slot_list *list)
{
    const int lane = LOCAL_ID;
#if TENSOR
    const int tiles = slots / TILE;
    SYNC_THREADS;
    if (rule->kind) {
        list_left_out(lane, tiles, memory->marks, memory->slot_who, memory->slot_type, types, rule, list);
    }
    if (BALANCED && part == 0 && rule->kind == 0) {
        place_by_length(memory, tiles, list);
    }
    const int begins = list->count / 8;
    list_words(memory, tiles, types, list);
#if LAID_OVER
    put_vectors(memory->vectors, view->row_vectors);
#endif
#else
    if (rule->kind) {
        list_left_out(lane, memory->marks, memory->slot_who, memory->slot_type, types, rule, list);
    }
    const int begins = list->count / 8;
    list_marks(lane, memory->marks, memory->slot_type, types, list);
#endif
    return begins;
}

#if TENSOR
/* Moves a particle to the place of the work-item that got its list; other groups ask only for the block of a place. Every one of the
 * group calls it. */
ALWAYS_INLINE void move_places(int place, int by, int n, GLOBAL int *place_index, GLOBAL int *place_sorted,
                               GLOBAL real4 *place_position, GLOBAL int *column_place)
{
    const int from = place < n ? place : n - 1;
    const int index = place_index[from];
    const int sorted = place_sorted[from];
    const real4 position = place_position[from];
    SYNC_THREADS;
    if (place < n && by != 0) {
        place_index[place + by] = index;
        place_sorted[place + by] = sorted;
        place_position[place + by] = position;
        column_place[sorted] = place + by;
    }
}
#endif

/* ---- all of it ---- */

#if TENSOR
/* Five groups: fewer registers, some of them spilled: quicker than four. */
extern "C" __global__ void __launch_bounds__(GROUP_SIZE, BUILD_GROUPS)
#else
KERNEL void
#endif
fill_blocks(int n, int4 cells, int4 reach, real4 cell_width, real4 inverse_cell_width, real4 cell_origin, real search_radius2, GLOBAL const int *RESTRICT cell_start,
                        GLOBAL const real4 *RESTRICT sorted_position, GLOBAL int *column_place,
                        GLOBAL real4 *place_position, box_args box, int part_capacity, int slot_capacity,
                        int places, GLOBAL int *place_index, GLOBAL int *place_sorted, GLOBAL const int *RESTRICT sorted_index, int any_types,
                        GLOBAL const int *RESTRICT pair_type, int any_exclusions, GLOBAL const int *RESTRICT pair_molecule,
                        GLOBAL const int *RESTRICT excluded_start, GLOBAL const int *RESTRICT excluded,
                        GLOBAL int *RESTRICT block_parts, GLOBAL int *RESTRICT block_entries,
                        GLOBAL int *RESTRICT part_begin, GLOBAL int *RESTRICT part_stop, GLOBAL int *RESTRICT slot_count,
                        GLOBAL int4 *RESTRICT slot_lists, GLOBAL int *RESTRICT overflow)
{
#if TENSOR
    LOCAL int4 room[ROOM];
#if LAID_OVER
    LOCAL_ARG int4 *vectors = room + ROOM - TABLES;
    LOCAL_ARG int4 *candidates = room + ROOM - BLOCK;
#else
    LOCAL int4 vectors[VECTORS];
    LOCAL int4 candidates[BLOCK];
#endif
    LOCAL int4 tile[2 * TILE];
    LOCAL unsigned char slot_type[STAGED];
    LOCAL_ARG uint *marks = (LOCAL_ARG uint *)room;
    LOCAL_ARG int *slot_who = (LOCAL_ARG int *)(room + STAGED);
    LOCAL_ARG real *scratch = (LOCAL_ARG real *)room;
#else
    LOCAL real4 tile[2 * TILE];
    LOCAL uint marks[MARK_WORDS * BLOCK];
    LOCAL int slot_who[STAGED];
    LOCAL int slot_type[STAGED];
    LOCAL real scratch[6 * BLOCK];
#endif
    LOCAL int tile_who[2 * TILE];
    LOCAL int tile_type[2 * TILE];
    LOCAL int own_at[BLOCK];
    LOCAL int row_first[BLOCK];
    LOCAL int row_image_of[BLOCK];
    LOCAL int row_sum[BLOCK];
    LOCAL int scan[BLOCK];
    const group_memory memory = {
#if TENSOR
        room, vectors, candidates,
#endif
        tile, slot_type, marks, slot_who, scratch, tile_who, tile_type, own_at, row_first, row_image_of, row_sum, scan
    };
    const particle_names names = { sorted_index, pair_type, pair_molecule, PLAIN ? 0 : any_types,
                                   PLAIN ? 0 : any_exclusions };
    const cell_grid grid =
        make_cell_grid(cells, reach, cell_width, inverse_cell_width, cell_origin, search_radius2, box);
    const int column = GLOBAL_ID;
    const int lane = LOCAL_ID;
    const real4 own = place_position[column < n ? column : n - 1];
    block_bounds block;
    block_view view;
    bound_block(scratch, own, &grid, box, &block);
    see_from_block(&memory, &block, own, column < n, search_radius2, &view);
    GLOBAL int *entries = block_entries + (long64)GROUP_ID * part_capacity * PART_SIZE;
    slot_list list;
    list.eights = slot_lists + (long64)(column / 32) * (slot_capacity / 8) * 32 + column % 32;
    list.count = 0;
    list.capacity = slot_capacity;
    list.held = make_int4(0, 0, 0, 0);
    list.lane = lane;
    const exclusion_rule rule =
        rule_of(&names, sorted_index[place_sorted[column < n ? column : n - 1]], excluded_start, excluded);
    int parts = 0;   /* that are done */
    int slots = 0;   /* of the part that is being filled: those that are tested */
    int pending = 0; /* in the tile, not yet tested */
    int turn = 0;    /* which half of the tile is tested next */
    own_at[lane] = -1;

    for (int first_row = 0; first_row < block.rows; first_row += BLOCK) {
        const int total = take_rows(&memory, &block, &grid, cell_start, first_row + lane);
        for (int done = 0; done < total || done == 0; done += TILE) {
            candidate other;
            int before;
            find_candidate(&memory, &block, search_radius2, box, sorted_position, column_place, done + lane, total, &other);
#if TENSOR
            test_candidates(&memory, &block, view.unit, &other);
#endif
            const int more = count_yes(scan, other.near, &before);
            if (other.near) {
                take_candidate(&memory, &block, &names, &other, turn, pending + before, slots + pending + before, parts, entries,
                               part_capacity);
            }
            pending += more;
            const int ending = first_row + BLOCK >= block.rows && done + TILE >= total;
            int again = 0; /* in the end, what is left behind a full tile is tested, too */
            do {
                const int tests = pending >= TILE || (ending && pending > 0);
                const int tested = pending < TILE ? pending : TILE;
                close_tile(&memory, turn, pending, tests);
                if (tests) {
#if TENSOR
                    test_tile(&memory, &view, turn, slots, names.exclusions || names.types > 0);
                    turn ^= 1;
#else
                    test_tile(&memory, &view, slots, names.exclusions || names.types > 0);
#endif
                }
#if !TENSOR
                move_up(&memory, tests ? pending - tested : 0, names.exclusions || names.types > 0);
#endif
                const int filled = slots + (tests ? tested : 0);
                slots += tests ? TILE : 0;
                pending -= tests ? tested : 0;
                again = ending && pending > 0;
                if (slots >= STAGED || (ending && !again && (filled > 0 || parts == 0))) {
                    const int begins = list_part(&memory, &view, parts, slots, names.types, &rule, &list);
                    if (parts < part_capacity) {
                        part_begin[parts * places + column - lane + list.lane] = begins;
                        part_stop[parts * places + column - lane + list.lane] = list.count / 8;
                        if (lane == 0) {
                            entries[parts * PART_SIZE + NOBODY] = filled;
                        }
                    }
                    parts++;
                    slots = 0;
                }
                SYNC_THREADS;
            } while (again);
        }
        SYNC_THREADS;
    }
    slot_count[column] = list.count;
#if TENSOR && BALANCED
    move_places(column, list.lane - lane, n, place_index, place_sorted, place_position, column_place);
#endif
    if (lane == 0) {
        block_parts[GROUP_ID] = parts;
    }
    if (list.count > slot_capacity || parts > part_capacity) {
        (void)ATOMIC_EXCHANGE(overflow, 1);
    }
}
