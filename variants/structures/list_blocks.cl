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
 * particles, or elsewhere to the box of a sub-block, gets the next slot. Each work-item tests them all, 128 at a time, against its own
 * particle and keeps a bit for each: nothing diverges. When a part is full, each work-item turns its bits into its list. Local memory serves eight work-items at a time, 16 bytes each, if they read from
 * places whose numbers differ in the lowest three bits; so each work-item takes its slots in turns by these bits (SPREAD),
 * and neighbours begin with different ones.
 *
 * NVIDIA's chips from sm_80 on test by tensor cores (TENSOR), first each candidate against all of the block, then those left once more for the
 * bits. Which row a candidate is of, a bit per candidate says, the first of each row. Lists are put
 * together in local memory, each entry where the turn of its bits is, and the surplus of some in the gaps of others. All others compute
 * distances, one after the other.
 *
 * BUILD_GROUPS is how many groups per multiprocessor registers are kept for there. From six on, where nobody has a type or is excluded, the
 * text knows that (PLAIN, list_blocks_plain.cl).
 */
#ifndef PLAIN
#define PLAIN 0
#endif
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
#define SEEN (STAGED + TILE)      /* slots that vectors are kept of: those of a part, and what is found beyond it */
#define TABLES (SEEN + BLOCK + (PLAIN ? 0 : SEEN / 4))
#define ROOM (TABLES > ROW_EIGHTS * BLOCK ? TABLES : ROW_EIGHTS * BLOCK)
#define WINDOW 2048 /* candidates that rows are told apart among at a time: two words of bits per lane of a warp */
#define NOBODY_TWICE (int)((uint)(NOBODY * 16) << 16 | NOBODY * 16)
#else
#define TENSOR 0
#endif

#if TENSOR
/* Bounds of what the work-items of a group have. Every one of the group calls it. `scratch`: eight numbers per warp. */
ALWAYS_INLINE void bound_group(LOCAL_ARG real *scratch, real4 at, real4 *low, real4 *high)
{
    real least[6] = { at.x, at.y, at.z, -at.x, -at.y, -at.z };
    UNROLL for (int d = 0; d < 6; d++) {
        UNROLL for (int apart = 16; apart > 0; apart /= 2) {
            least[d] = MIN_REAL(least[d], __shfl_xor_sync(ALL_LANES, least[d], apart));
        }
        if (LOCAL_ID % 32 == d) {
            scratch[LOCAL_ID / 32 * 8 + d] = least[d];
        }
    }
    SYNC_THREADS;
    UNROLL for (int d = 0; d < 6; d++) {
        least[d] = scratch[d];
        UNROLL for (int w = 1; w < BLOCK / 32; w++) {
            least[d] = MIN_REAL(least[d], scratch[w * 8 + d]);
        }
    }
    *low = make_real4(least[0], least[1], least[2], 0);
    *high = make_real4(-least[3], -least[4], -least[5], 0);
}
#else
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

/* Sums of the values up to each work-item's own, left in `sums`; every one of them calls it. */
ALWAYS_INLINE void sums_up_to(LOCAL_ARG int *sums, int value)
{
    sums[LOCAL_ID] = value;
    SYNC_THREADS;
    for (int apart = 1; apart < BLOCK; apart *= 2) {
        const int before = LOCAL_ID >= apart ? sums[LOCAL_ID - apart] : 0;
        SYNC_THREADS;
        sums[LOCAL_ID] += before;
        SYNC_THREADS;
    }
}

/* How many of the group say yes, and how many of those before a work-item; every one of them calls it. */
ALWAYS_INLINE int count_yes(LOCAL_ARG int *scratch, int yes, int *before)
{
    sums_up_to(scratch, yes);
    *before = scratch[LOCAL_ID] - yes;
    return scratch[BLOCK - 1];
}
#endif

/*
 * Tensor cores multiply vectors of eight numbers in half precision. That of a particle a, seen from the block's centre in units
 * of how far anybody near to it lies, and that of a candidate b make
 *
 *     |b|^2 - 2 ab + |a|^2 - radius^2 - tolerance
 *
 * which is negative where they are near. Coordinates are rounded to halves, whose products are exact, and squares are those of the
 * rounded ones, in two halves. So a distance is wrong by what rounding moves the two, at most the root of three by 2^-12 for
 * coordinates up to one, half of that up to a half: that much the radius is longer. With sums in float that truncate, what is lost
 * besides is less than 1.2e-5, and the tolerance is more.
 * Numbers 2 t and 2 t + 1 of a vector are what lane t of four hands over.
 */
#if TENSOR
#define TOLERANCE 3.0e-5f
#define OUT_OF_REACH 60000.0f

#define ROUNDED 4.3e-4f /* how far rounding moves a point whose coordinates are at most one */

/* Two numbers as halves, the first in the lower 16 bits. */
DEVICE uint pair_of_halves(float first, float second)
{
    uint pair;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
    return pair;
}

DEVICE float lower_half(uint pair)
{
    float x;
    asm("{.reg .b16 a, b; mov.b32 {a, b}, %1; cvt.f32.f16 %0, a;}" : "=f"(x) : "r"(pair));
    return x;
}

/* A position in halves, and its square in two. */
typedef struct {
    uint xy, z;
    float square;
    uint square_halves;
} halved;

DEVICE uint two_halves(float x)
{
    const uint high = pair_of_halves(x, 0.0f);
    return pair_of_halves(x, x - lower_half(high)) ;
}

DEVICE halved halve(float x, float y, float z)
{
    halved h;
    h.xy = pair_of_halves(x, y);
    h.z = pair_of_halves(z, 0.0f);
    const float hx = lower_half(h.xy);
    const float hy = lower_half(h.xy >> 16);
    const float hz = lower_half(h.z);
    h.square = fmaf(hx, hx, fmaf(hy, hy, hz * hz));
    return h;
}

#define HALF_OF_ONE 0x3c00u
DEVICE int4 tested_candidate(float x, float y, float z)
{
    const halved h = halve(x, y, z);
    const uint square = two_halves(h.square);
    return make_int4((int)h.xy, (int)(h.z | square << 16), (int)(square >> 16 | HALF_OF_ONE << 16), (int)HALF_OF_ONE);
}

DEVICE int4 tested_nobody(void)
{
    return make_int4(0, (int)(two_halves(OUT_OF_REACH) << 16), (int)(HALF_OF_ONE << 16), (int)HALF_OF_ONE);
}

/* The vector of a particle that others are tested against: its position and the radius. */
DEVICE int4 tested_against(float x, float y, float z, float radius, int exists)
{
    const halved h = halve(x, y, z);
    const uint limit = two_halves(exists ? h.square - radius * radius - TOLERANCE : OUT_OF_REACH);
    const uint xy = pair_of_halves(-2.0f * lower_half(h.xy), -2.0f * lower_half(h.xy >> 16));
    return make_int4((int)xy, (int)pair_of_halves(-2.0f * lower_half(h.z), 1.0f), (int)(HALF_OF_ONE | limit << 16), (int)(limit >> 16));
}

/* 16 particles by 8 candidates. Of each two sums, in a word, the highest bits of its halves are the signs. On sm_90 sums are rounded to
 * halves in the end: of 8e8 near to zero no sign was wrong but of those within 5.2e-8, far less than the tolerance. Elsewhere halves may be added. */
DEVICE void multiply(int upper, int lower, int b, uint d[2])
{
#if __CUDA_ARCH__ == 900
    asm("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%5, %5};"
        : "=r"(d[0]), "=r"(d[1])
        : "r"(upper), "r"(lower), "r"(b), "r"(0));
#else
    uint sum[4];
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %7, %7, %7};"
        : "=r"(sum[0]), "=r"(sum[1]), "=r"(sum[2]), "=r"(sum[3])
        : "r"(upper), "r"(lower), "r"(b), "f"(0.0f));
    d[0] = __byte_perm(sum[0], sum[1], 0x7632);
    d[1] = __byte_perm(sum[2], sum[3], 0x7632);
#endif
}

/* A byte of each of the halves of two words: all ones where it is negative. */
DEVICE uint signs_of_halves(uint first, uint second)
{
    uint signs;
    asm("prmt.b32 %0, %1, %2, 0xfdb9;" : "=r"(signs) : "r"(first), "r"(second));
    return signs;
}

/* Of 32 vectors that follow each other in local memory, word t of number 8 i + g, of each i, for lane 4 g + t. Every one of the warp calls it. */
DEVICE void read_vectors(LOCAL_ARG const int4 *first, int words[4])
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"((uint)__cvta_generic_to_shared(first + LOCAL_ID % 32))
                 : "memory");
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
ALWAYS_INLINE void list_left_out(int tiles, uint words[PART_TILES * 4], LOCAL_ARG const int *who,
                                 LOCAL_ARG const unsigned char *slot_type, int types, const exclusion_rule *rule, slot_list *list)
{
    UNROLL for (int w = 0; w < 4 * PART_TILES; w++) {
        uint word = w < 4 * tiles ? words[w] : 0;
        while (word) {
            const int lead = LEADING_ZEROS(word);
            const int candidate = w / 4 * TILE + lead % 16 * CLASSES + w % 4 * 2 + (lead < 16);
            word ^= 0x80000000u >> lead;
            if (is_left_out(rule, who[candidate])) {
                add_slot(list, candidate * 16 + (types > 0 ? slot_type[candidate] : 0));
                words[w] ^= 0x80000000u >> lead;
            }
        }
    }
    fill_up(list);
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
    LOCAL_ARG int4 *room; /* the three below, and who has the slots; then lists */
    LOCAL_ARG int4 *seen; /* the vectors of slots */
    LOCAL_ARG int4 *vectors; /* of the block's own particles */
    LOCAL_ARG int4 *turned; /* 32 per warp, to hand over */
    LOCAL_ARG unsigned char *slot_type;
    LOCAL_ARG uint *row_bits; /* of a window's candidates, those that are their row's first */
    LOCAL_ARG int4 *counts;   /* what each warp has found of rows */
    LOCAL_ARG int *taken;     /* slots, of the part that is being filled and beyond it */
#else
    LOCAL_ARG real4 *tile;
    LOCAL_ARG int *slot_type;
    LOCAL_ARG uint *marks;
    LOCAL_ARG int *tile_who;
    LOCAL_ARG int *tile_type;
    LOCAL_ARG int *row_sum;
#endif
    LOCAL_ARG int *slot_who;
    LOCAL_ARG real *scratch;
    LOCAL_ARG int *own_at; /* where a work-item's particle is itself: in the tile, or its slot */
    LOCAL_ARG int *row_first;
    LOCAL_ARG int *row_image_of;
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
    float unit; /* of lengths, inverted */
#else
    real limit, twice_x, twice_y, twice_z; /* distances squared as |a|^2 + |b|^2 - 2 ab */
#endif
} block_view;

#if TENSOR
/* Makes the vectors of the block's own particles. `exists`: the work-item has one. */
ALWAYS_INLINE void see_from_block(const group_memory *memory, const block_bounds *block, real4 own, int exists,
                                  real search_radius2, block_view *view)
{
    const real own_x = own.x - block->centre.x;
    const real own_y = own.y - block->centre.y;
    const real own_z = own.z - block->centre.z;
    const real widest =
        MAX_REAL(block->high.x - block->low.x, MAX_REAL(block->high.y - block->low.y, block->high.z - block->low.z));
    const float unit = 1.0f / (float)(REAL(0.5) * widest + SQRT(search_radius2));
    const float rounded = 0.5f * (float)widest * unit <= 0.499f ? 1.5f * ROUNDED : 2.0f * ROUNDED;
    memory->vectors[LOCAL_ID] = tested_against((float)own_x * unit, (float)own_y * unit, (float)own_z * unit,
                                               (float)SQRT(search_radius2) * unit + rounded, exists);
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

/* Sorted particles that follow each other, of a row of cells as seen in an image. */
typedef struct {
    int begin, length, image;
} row_run;

/* What of row r is near to the block; nothing behind the last row. */
ALWAYS_INLINE row_run run_of_row(const block_bounds *block, const cell_grid *grid, GLOBAL const int *RESTRICT cell_start, int r)
{
    row_run run = { 0, 0, HOME_IMAGE };
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
            first = first > 0 ? first : 0;
            last = last < grid->cells.x ? last : grid->cells.x - 1;
            run.begin = cell_start[row + first];
            run.length = cell_start[row + last + 1] - run.begin;
        }
        run.image = (image_x + 1) + 3 * (image_y + 1) + 9 * (image_z + 1);
    }
    return run;
}

#if TENSOR
/* Candidates are numbered, row by row. A row per work-item: those that have any leave, one after the other, what the number of a candidate
 * is to be added to, and their image. Returns the number of the first of the work-item's own row, or -1; every one of the group calls it. */
ALWAYS_INLINE int take_rows(const group_memory *memory, const row_run *run, int *total)
{
    const int in_warp = LOCAL_ID % 32;
    const int warp = LOCAL_ID / 32;
    LOCAL_ARG int *of_warp = (LOCAL_ARG int *)memory->counts;
    const uint filled = __ballot_sync(ALL_LANES, run->length > 0);
    int sum = run->length;
    UNROLL for (int apart = 1; apart < 32; apart *= 2) {
        const int before = __shfl_up_sync(ALL_LANES, sum, apart);
        sum += in_warp >= apart ? before : 0;
    }
    if (in_warp == 31) {
        of_warp[warp] = sum;
        of_warp[4 + warp] = __popc(filled);
    }
    SYNC_THREADS;
    int first = sum - run->length;
    int row = __popc(filled & ((1u << in_warp) - 1u));
    *total = 0;
    UNROLL for (int w = 0; w < BLOCK / 32; w++) {
        first += w < warp ? of_warp[w] : 0;
        row += w < warp ? of_warp[4 + w] : 0;
        *total += of_warp[w];
    }
    if (run->length > 0) {
        memory->row_first[row] = run->begin - first;
        memory->row_image_of[row] = run->image;
    }
    return run->length > 0 ? first : -1;
}

/* How many rows begin before a lane's two words of a window. */
typedef struct {
    int before[2];
} rows_before;

/* Sets a bit for each row's first candidate in a window. Every one of the group calls it. */
ALWAYS_INLINE rows_before mark_rows(const group_memory *memory, int first, int window)
{
    const int in_warp = LOCAL_ID % 32;
    if (LOCAL_ID < WINDOW / 32) {
        memory->row_bits[LOCAL_ID] = 0;
    }
    rows_before rows;
    const int earlier = __syncthreads_count(first >= 0 && first < window);
    if (first >= window && first < window + WINDOW) {
        (void)atomicOr(&memory->row_bits[(first - window) / 32], 1u << (first - window) % 32);
    }
    SYNC_THREADS;
    const int bits = __popc(memory->row_bits[2 * in_warp]);
    const int both = bits + __popc(memory->row_bits[2 * in_warp + 1]);
    int sum = both;
    UNROLL for (int apart = 1; apart < 32; apart *= 2) {
        const int before = __shfl_up_sync(ALL_LANES, sum, apart);
        sum += in_warp >= apart ? before : 0;
    }
    rows.before[0] = earlier + sum - both;
    rows.before[1] = rows.before[0] + bits;
    return rows;
}
#else
/* A row of cells per work-item: leaves where its sorted particles begin, and how many there are up to it.
 * Returns how many there are of all; every one of the group calls it. */
ALWAYS_INLINE int take_rows(const group_memory *memory, const row_run *run)
{
    memory->row_image_of[LOCAL_ID] = run->image;
    memory->row_first[LOCAL_ID] = run->begin;
    sums_up_to(memory->row_sum, run->length);
    return memory->row_sum[BLOCK - 1];
}
#endif

/* A sorted particle in an image, and whether anybody of the block may be near to it. */
typedef struct {
    int j, image, near;
    int place; /* in the order of blocks */
    real4 at;
#if TENSOR
    int4 vector;
#endif
} candidate;

#if TENSOR
/* Candidate c of a window, of which there are so many; every one of the warp calls it, with one number after the other. */
ALWAYS_INLINE void read_candidate(const group_memory *memory, const rows_before *rows, int window, int c, int count, box_args box,
                                  GLOBAL const real4 *RESTRICT sorted_position, GLOBAL const int *column_place, candidate *other)
{
    const int word = c / 32; /* the same for all */
    const int before = __shfl_sync(ALL_LANES, word % 2 ? rows->before[1] : rows->before[0], word / 2 % 32);
    const uint bits = memory->row_bits[word] & ((2u << c % 32) - 1u);
    const int row = before + __popc(bits) - 1;
    other->near = c < count;
    other->j = 0;
    other->image = HOME_IMAGE;
    other->place = -1;
    if (c < count) {
        other->j = memory->row_first[row] + window + c;
#if PERIODIC
        other->image = memory->row_image_of[row];
#endif
        other->at = sorted_position[other->j];
        if (other->image == HOME_IMAGE) {
            other->place = column_place[other->j];
        }
    }
}

/* Moves a candidate to its image, and looks whether it is near to the block's box. */
ALWAYS_INLINE void place_candidate(const block_bounds *block, const block_view *view, real search_radius2, box_args box, candidate *other)
{
    if (PERIODIC && other->near && other->image != HOME_IMAGE) {
        const real4 shift = shift_of_image(other->image, box);
        other->at.x += shift.x;
        other->at.y += shift.y;
        other->at.z += shift.z;
    }
    const real dx = outside(other->at.x, block->low.x, block->high.x);
    const real dy = outside(other->at.y, block->low.y, block->high.y);
    const real dz = outside(other->at.z, block->low.z, block->high.z);
    other->near = other->near && FMA(dx, dx, FMA(dy, dy, dz * dz)) <= search_radius2;
    other->vector = other->near ? tested_candidate((float)(other->at.x - block->centre.x) * view->unit,
                                                   (float)(other->at.y - block->centre.y) * view->unit,
                                                   (float)(other->at.z - block->centre.z) * view->unit)
                                : tested_nobody();
}
#else
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
        for (int s = 0; s < SUB_BLOCKS; s++) {
            LOCAL_ARG const real *sub = memory->scratch + s * SUB_BLOCK;
            const real dx = outside(other->at.x, sub[0], -sub[3 * BLOCK]);
            const real dy = outside(other->at.y, sub[BLOCK], -sub[4 * BLOCK]);
            const real dz = outside(other->at.z, sub[2 * BLOCK], -sub[5 * BLOCK]);
            other->near |= FMA(dx, dx, FMA(dy, dy, dz * dz)) <= search_radius2;
        }
    }
}
#endif

#if TENSOR
/* Of a warp's candidates leaves those that any particle of the block is near to. */
ALWAYS_INLINE void test_candidates(const group_memory *memory, candidate *other)
{
    const int in_warp = LOCAL_ID % 32;
    if (__any_sync(ALL_LANES, other->near)) {
        __syncwarp();
        memory->turned[LOCAL_ID] = other->vector;
        __syncwarp();
        int words[4];
        uint near[4] = { 0, 0, 0, 0 };
        read_vectors(memory->turned + LOCAL_ID / 32 * 32, words);
        UNROLL for (int m = 0; m < BLOCK / 32; m++) {
            int rows[4];
            read_vectors(memory->vectors + 32 * m, rows);
            UNROLL for (int h = 0; h < 4; h++) {
                uint d[2], more[2];
                multiply(rows[0], rows[1], words[h], d);
                multiply(rows[2], rows[3], words[h], more);
                near[h] |= d[0] | d[1];
                near[h] |= more[0] | more[1];
            }
        }
        uint signs = 0;
        UNROLL for (int h = 0; h < 4; h++) {
            signs = __funnelshift_l(near[h] << 16, signs, 1);
            signs = __funnelshift_l(near[h], signs, 1);
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

#if TENSOR
/* Gives a candidate a slot, which may be of the next part. */
ALWAYS_INLINE void take_candidate(const group_memory *memory, const particle_names *names, const candidate *other, int slot, int part_before,
                                  GLOBAL int *entries, int part_capacity)
{
    const int part = part_before + (slot >= STAGED);
    memory->seen[slot] = other->vector;
    if (names->exclusions || names->types > 0) {
        const int who = names->sorted_index[other->j];
        memory->slot_who[slot] = names->exclusions == 1 ? names->pair_molecule[who] : who;
        memory->slot_type[slot] = (unsigned char)(names->types > 0 ? names->pair_type[who] : 0);
    }
    if (other->place >= 0 && other->place / BLOCK == GROUP_ID) {
        memory->own_at[other->place % BLOCK] = slot;
    }
    if (part < part_capacity) {
        entries[part * PART_SIZE + (slot < STAGED ? slot : slot - STAGED)] = list_entry(other->j, other->image);
    }
}

/* How many slots are taken; every one of the warp calls it. */
ALWAYS_INLINE int slots_taken(const group_memory *memory)
{
    return __shfl_sync(ALL_LANES, *(volatile LOCAL_ARG int *)memory->taken, 0);
}

/* Gives slots to the candidates of a warp that are near, as warps come; with STABLE_SORT one warp after the other, so that the same input gives the
 * same list. Every one of the warp calls it, then every one of the group. */
ALWAYS_INLINE void take_candidates(const group_memory *memory, const particle_names *names, const candidate *other, int part_before,
                                   GLOBAL int *entries, int part_capacity)
{
    const int in_warp = LOCAL_ID % 32;
    const uint votes = __ballot_sync(ALL_LANES, other->near);
#if STABLE_SORT
    for (int warp = 0; warp < LOCAL_ID / 32; warp++) {
        SYNC_THREADS;
    }
#else
    if (votes == 0) {
        return;
    }
#endif
    int first = 0;
    if (in_warp == 0) {
        first = atomicAdd(memory->taken, __popc(votes));
    }
#if STABLE_SORT
    for (int warp = LOCAL_ID / 32; warp < BLOCK / 32; warp++) {
        SYNC_THREADS;
    }
#endif
    first = __shfl_sync(ALL_LANES, first, 0);
    if (other->near) {
        take_candidate(memory, names, other, first + __popc(votes & ((1u << in_warp) - 1u)), part_before, entries, part_capacity);
    }
}
#else
/* Puts a candidate into the tile, behind `at` others, and gives it a slot, which may be of a part behind that. */
ALWAYS_INLINE void take_candidate(const group_memory *memory, const block_bounds *block, const particle_names *names,
                                  const candidate *other, int at, int slot, int part_before, GLOBAL int *entries,
                                  int part_capacity)
{
    const int part = part_before + slot / STAGED;
    const real x = other->at.x - block->centre.x;
    const real y = other->at.y - block->centre.y;
    const real z = other->at.z - block->centre.z;
    memory->tile[at] = make_real4(x, y, z, FMA(x, x, FMA(y, y, z * z)));
    if (names->exclusions || names->types > 0) {
        const int who = names->sorted_index[other->j];
        memory->tile_who[at] = names->exclusions == 1 ? names->pair_molecule[who] : who;
        memory->tile_type[at] = names->types > 0 ? names->pair_type[who] : 0;
    }
    if (other->place >= 0 && other->place / BLOCK == GROUP_ID) {
        memory->own_at[other->place % BLOCK] = at;
    }
    if (part < part_capacity) {
        entries[part * PART_SIZE + slot % STAGED] = list_entry(other->j, other->image);
    }
}
#endif

/* ---- a tile ---- */

#if TENSOR
/* Tests a tile of slots: a bit for each and the work-item's particle, those of classes 2 t and 2 t + 1 to word t, the first highest, its own
 * slot left out, and leaves them in place of the vectors. Every one of the group calls it. */
ALWAYS_INLINE void test_tile(const group_memory *memory, const int rows[4], int tile, int own_slot)
{
    const int lane = LOCAL_ID;
    const int in_warp = lane % 32;
    LOCAL_ARG uint *marks = (LOCAL_ARG uint *)(memory->seen + tile * TILE + lane / 32 * 32);
    /* of eight m, a bit each, the first highest: a byte for even and one for odd candidates of a particle, and two for the particle eight further on */
    uint near[2][2] = { { 0, 0 }, { 0, 0 } };
    UNROLL for (int m = 0; m < TILE / CLASSES; m += 4) {
        int words[4];
        read_vectors(memory->seen + tile * TILE + 8 * m, words);
        UNROLL for (int u = 0; u < 4; u++) {
            UNROLL for (int h = 0; h < 2; h++) {
                uint d[2];
                multiply(rows[2 * h], rows[2 * h + 1], words[u], d);
                near[h][m / 8] |= signs_of_halves(d[0], d[1]) & 0x80808080u >> (m % 8 + u);
            }
        }
    }
    SYNC_THREADS;
    UNROLL for (int h = 0; h < 2; h++) {
        marks[2 * h * 32 + in_warp] = __byte_perm(near[h][1], near[h][0], 0x5140);
        marks[(2 * h + 1) * 32 + in_warp] = __byte_perm(near[h][1], near[h][0], 0x7362);
    }
    __syncwarp();
    const int own_in_tile = own_slot - tile * TILE;
    if (own_in_tile >= 0 && own_in_tile < TILE) {
        marks[in_warp * 4 + own_in_tile % CLASSES / 2] &= ~(1u << (own_in_tile % 2 * 16 + 15 - own_in_tile / CLASSES));
    }
}

/* Tests all slots of a part. Every one of the group calls it. */
ALWAYS_INLINE void test_slots(const group_memory *memory, int tiles, uint words[PART_TILES * 4])
{
    const int own_slot = memory->own_at[LOCAL_ID];
    int rows[4];
    read_vectors(memory->vectors + LOCAL_ID / 32 * 32, rows);
    NOT_UNROLLED
    for (int t = 0; t < tiles; t++) {
        test_tile(memory, rows, t, own_slot);
    }
    UNROLL for (int t = 0; t < PART_TILES; t++) {
        const int4 four = t < tiles ? memory->seen[t * TILE + LOCAL_ID] : make_int4(0, 0, 0, 0);
        words[4 * t] = (uint)four.x;
        words[4 * t + 1] = (uint)four.y;
        words[4 * t + 2] = (uint)four.z;
        words[4 * t + 3] = (uint)four.w;
    }
}
#else
/* Fills up a tile that is tested before it is full. Every one of the group calls it. */
ALWAYS_INLINE void close_tile(const group_memory *memory, int pending, int tests)
{
    const int lane = LOCAL_ID;
    SYNC_THREADS;
    if (tests && lane >= pending) {
        memory->tile[lane] = make_real4(0, 0, 0, REAL(1.0e30));
    }
    SYNC_THREADS;
}

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
#if SPREAD
    uint empty[2] = { 0, 0 }; /* how much of each class's turns, a byte each */
    UNROLL for (int c = 0; c < CLASSES; c++) {
        empty[c / 4] |= (uint)(of_class[c] < rounds ? rounds - of_class[c] : 0) << 8 * (c % 4);
    }
    int turn = -lane;
    for (int surplus = (int)(waits - behind) / 2; surplus > 0; surplus--) {
        if (empty[0] == 0) {
            empty[0] = empty[1];
            turn = 4 - lane;
        }
        const int bit = (31 - LEADING_ZEROS(empty[0])) & ~7;
        const int k = rounds - (int)(empty[0] >> bit);
        empty[0] -= 1u << bit;
        row_entry[k * CLASSES + ((turn + bit / 8) & (CLASSES - 1))] = row_entry[CLASSES * rounds + surplus - 1];
    }
#endif
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

/* Gives lists to work-items in order of their numbers of int4s, the longest first, so that those of a warp end together: each gets a place behind
 * those that are longer, and those as long before it. Every one of the group calls it. */
ALWAYS_INLINE void place_by_length(const group_memory *memory, const uint words[PART_TILES * 4], slot_list *list)
{
    const int in_warp = LOCAL_ID % 32;
    const int warp = LOCAL_ID / 32;
    LOCAL_ARG int *as_long = memory->scan; /* how many of each warp have a length */
    int sum = 0;
    UNROLL for (int w = 0; w < 4 * PART_TILES; w++) {
        sum += __popc(words[w]);
    }
    const int eights = (sum + 7) / 8;
    const int length = eights < 31 ? eights : 31;
    uint alike = ALL_LANES;
    UNROLL for (int b = 0; b < 5; b++) {
        const uint set = __ballot_sync(ALL_LANES, length >> b & 1);
        alike &= length >> b & 1 ? set : ~set;
    }
    as_long[LOCAL_ID] = 0;
    __syncwarp();
    as_long[warp * 32 + length] = __popc(alike);
    SYNC_THREADS;
    int longer = 0; /* of the lane's number, as a length: those as long, then with the longer ones */
    int before = 0;
    UNROLL for (int w = 0; w < BLOCK / 32; w++) {
        longer += as_long[w * 32 + in_warp];
        before += w < warp ? as_long[w * 32 + length] : 0;
    }
    const int own = longer;
    UNROLL for (int apart = 1; apart < 32; apart *= 2) {
        const int above = __shfl_down_sync(ALL_LANES, longer, apart);
        longer += in_warp + apart < 32 ? above : 0;
    }
    const int to = __shfl_sync(ALL_LANES, longer - own, length) + before + __popc(alike & ((1u << in_warp) - 1u));
    list->eights += (to / 32 - warp) * (list->capacity / 8) * 32 + to % 32 - in_warp;
    list->lane = to;
}

/* Turns the bits of so many tiles into slots of lists. Every one of the group calls it. */
ALWAYS_INLINE void list_words(const group_memory *memory, const uint words[PART_TILES * 4], int tiles, int types, slot_list *list)
{
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

#if TENSOR
/* Lists who is near to work-items' particles of a part that has so many slots, and returns where their lists of the part begin. What is beyond the
 * part comes to its beginning. Every one of the group calls it. */
ALWAYS_INLINE int list_part(const group_memory *memory, int part, int filled, int types,
                            const exclusion_rule *rule, slot_list *list)
{
    const int lane = LOCAL_ID;
    const int tiles = (filled + TILE - 1) / TILE;
    uint words[PART_TILES * 4];
    if (filled + lane < tiles * TILE) {
        memory->seen[filled + lane] = tested_nobody();
    }
    SYNC_THREADS;
    const int4 beyond = memory->seen[STAGED + lane];
    const int who_beyond = PLAIN ? 0 : memory->slot_who[STAGED + lane];
    const unsigned char type_beyond = memory->slot_type[STAGED + lane];
    test_slots(memory, tiles, words);
    memory->own_at[lane] -= STAGED;
    if (rule->kind) {
        list_left_out(tiles, words, memory->slot_who, memory->slot_type, types, rule, list);
    }
    if (BALANCED && part == 0 && rule->kind == 0) {
        place_by_length(memory, words, list);
    }
    SYNC_THREADS;
    const int begins = list->count / 8;
    list_words(memory, words, tiles, types, list);
    memory->seen[lane] = beyond;
    if (!PLAIN) {
        memory->slot_who[lane] = who_beyond;
        memory->slot_type[lane] = type_beyond;
    }
    return begins;
}
#else
/* Lists what work-items have marked, and returns where their lists of the part begin. Every one of the group calls it. */
ALWAYS_INLINE int list_part(const group_memory *memory, int types, const exclusion_rule *rule, slot_list *list)
{
    const int lane = LOCAL_ID;
    if (rule->kind) {
        list_left_out(lane, memory->marks, memory->slot_who, memory->slot_type, types, rule, list);
    }
    const int begins = list->count / 8;
    list_marks(lane, memory->marks, memory->slot_type, types, list);
    return begins;
}
#endif

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
    LOCAL int4 counts[2];
    LOCAL int taken;
    LOCAL uint row_bits[WINDOW / 32];
    LOCAL unsigned char slot_type[SEEN];
    LOCAL int4 vectors[BLOCK];
    LOCAL_ARG int4 *turned = room + SEEN;
    LOCAL_ARG int *slot_who = (LOCAL_ARG int *)(turned + BLOCK);
    LOCAL_ARG real *scratch = (LOCAL_ARG real *)room;
#else
    LOCAL real4 tile[2 * TILE];
    LOCAL uint marks[MARK_WORDS * BLOCK];
    LOCAL int slot_who[STAGED];
    LOCAL int slot_type[STAGED];
    LOCAL real scratch[6 * BLOCK];
    LOCAL int tile_who[2 * TILE];
    LOCAL int tile_type[2 * TILE];
    LOCAL int row_sum[BLOCK];
#endif
    LOCAL int own_at[BLOCK];
    LOCAL int row_first[BLOCK];
    LOCAL int row_image_of[BLOCK];
    LOCAL int scan[BLOCK];
    const group_memory memory = {
#if TENSOR
        room, room, vectors, turned, slot_type, row_bits, counts, &taken,
#else
        tile, slot_type, marks, tile_who, tile_type, row_sum,
#endif
        slot_who, scratch, own_at, row_first, row_image_of, scan
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
    own_at[lane] = -1;

#if TENSOR
    int parts = 0; /* that are done */
    int slots = 0; /* of the part that is being filled, and beyond it */
    int first_row = -BLOCK;
    int own_first = -1; /* candidate of the work-item's row */
    int total = 0;      /* of the rows that are taken */
    int window = 0;
    int done = 0; /* by the work-item's warp */
    int stop = 0; /* of the window */
    int exhausted = 1; /* the window, by all warps */
    int ended = 0;
    rows_before rows = { { 0, 0 } };
    candidate next;
    if (lane == 0) {
        taken = 0;
    }
    do {
        while (slots < STAGED && !ended) {
            if (exhausted) {
                window += WINDOW;
                if (window >= total) {
                    first_row += BLOCK;
                    const row_run run = run_of_row(&block, &grid, cell_start, first_row + lane);
                    own_first = take_rows(&memory, &run, &total);
                    window = 0;
                }
                rows = mark_rows(&memory, own_first, window);
                stop = total - window < WINDOW ? total - window : WINDOW;
                done = 0;
                read_candidate(&memory, &rows, window, lane, stop, box, sorted_position, column_place, &next);
            }
            while (done < stop && slots_taken(&memory) < STAGED) {
#if STABLE_SORT
                SYNC_THREADS; /* all have seen how many are taken */
#endif
                candidate other = next;
                if (done + TILE < stop) {
                    read_candidate(&memory, &rows, window, done + TILE + lane, stop, box, sorted_position, column_place, &next);
                }
                place_candidate(&block, &view, search_radius2, box, &other);
                test_candidates(&memory, &other);
                take_candidates(&memory, &names, &other, parts, entries, part_capacity);
                done += TILE;
            }
            exhausted = __syncthreads_and(done >= stop);
            slots = taken;
            ended = exhausted && window + WINDOW >= total && first_row + BLOCK >= block.rows;
        }
        const int filled = slots < STAGED ? slots : STAGED;
        slots -= filled;
        if (filled > 0 || parts == 0) {
            const int begins = list_part(&memory, parts, filled, names.types, &rule, &list);
            if (parts < part_capacity) {
                part_begin[parts * places + column - lane + list.lane] = begins;
                part_stop[parts * places + column - lane + list.lane] = list.count / 8;
                if (lane == 0) {
                    entries[parts * PART_SIZE + NOBODY] = filled;
                }
            }
            parts++;
            if (lane == 0) {
                taken = slots;
            }
            SYNC_THREADS;
        }
    } while (slots > 0 || !ended);
#else
    int parts = 0; /* that are done */
    int slots = 0;   /* of the part that is being filled: those that are tested */
    int pending = 0; /* in the tile, not yet tested */
    for (int first_row = 0; first_row < block.rows; first_row += BLOCK) {
        const row_run run = run_of_row(&block, &grid, cell_start, first_row + lane);
        const int total = take_rows(&memory, &run);
        for (int done = 0; done < total || done == 0; done += TILE) {
            candidate other;
            int before;
            find_candidate(&memory, &block, search_radius2, box, sorted_position, column_place, done + lane, total, &other);
            const int more = count_yes(scan, other.near, &before);
            if (other.near) {
                take_candidate(&memory, &block, &names, &other, pending + before, slots + pending + before, parts, entries,
                               part_capacity);
            }
            pending += more;
            const int ending = first_row + BLOCK >= block.rows && done + TILE >= total;
            int again = 0; /* in the end, what is left behind a full tile is tested, too */
            do {
                const int tests = pending >= TILE || (ending && pending > 0);
                const int tested = pending < TILE ? pending : TILE;
                close_tile(&memory, pending, tests);
                if (tests) {
                    test_tile(&memory, &view, slots, names.exclusions || names.types > 0);
                }
                move_up(&memory, tests ? pending - tested : 0, names.exclusions || names.types > 0);
                const int filled = slots + (tests ? tested : 0);
                slots += tests ? TILE : 0;
                pending -= tests ? tested : 0;
                again = ending && pending > 0;
                if (slots >= STAGED || (ending && !again && (filled > 0 || parts == 0))) {
                    const int begins = list_part(&memory, names.types, &rule, &list);
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
#endif
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
