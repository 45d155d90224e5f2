/*
 * neighbour_lines — how a warp puts the entries of neighbour lists together and writes them as whole lines of memory
 *
 * Lanes find entries, for one particle or several, and stage them in local memory. The warp then writes those of one particle after
 * the other, 32 entries at a time that begin at a multiple of 32: an index per lane, and the three numbers of a shift or a vector per
 * entry as 16 bytes for each of 24 lanes. A row begins anywhere: its first line may lack its first entries, its last line its last
 * ones, and the numbers of these are written one by one. The last line of a matrix' row is whole as long as there is room.
 */
#define SHIFT_BIAS 512
#define HOME_SHIFT (SHIFT_BIAS << 20 | SHIFT_BIAS << 10 | SHIFT_BIAS)
#define NOWHERE SQRT(REAL(-1.0)) /* not a number: within no distance of anything */

/* An image as one number, ten bits for each component, x highest: of two images the one with the greater number has the greater
 * of the first components that differ. */
DEVICE int pack_shift(int x, int y, int z)
{
    return HOME_SHIFT + x * (1 << 20) + y * (1 << 10) + z;
}

/* Component d = 0, 1, 2 of a packed image. */
DEVICE int shift_part(int packed, int d)
{
    return (packed >> (20 - 10 * d) & 1023) - SHIFT_BIAS;
}

/* Which pairs are listed besides their distance: in a half list those of a greater index or, of the particle itself, a greater
 * image; else all but the particle itself where it is. `place` numbers positions as `index` numbers particles. */
#if LIST_HALF
#define OWN_KEY(place, index) (2 * (index))
#define PARTNER_KEY(place, index, packed) (2 * (index) + ((packed) > HOME_SHIFT))
#define KEYS_ARE_LISTED(own_key, key) ((key) > (own_key))
#else
#define OWN_KEY(place, index) (place)
#define PARTNER_KEY(place, index, packed) ((packed) == HOME_SHIFT ? (place) : -1)
#define KEYS_ARE_LISTED(own_key, key) ((key) != (own_key))
#endif
/* Whether keys, exclusions and cutoffs by types need the partner's index before it is listed. */
#define INDEX_IS_TESTED (LIST_HALF || EXCLUDE_LISTED || EXCLUDE_MOLECULES || WITH_TYPES)

/* An entry that waits to be written is a place in the array of positions and an image: in the upper five bits, less 13 as shift_of_image
 * counts them modulo 27, so that an image that is none is 0. */
#define PLACE_BITS 27
DEVICE int staged_entry(int place, int packed)
{
    const int image = 9 * shift_part(packed, 2) + 3 * shift_part(packed, 1) + shift_part(packed, 0);
    return (int)((uint)place | (uint)(image < 0 ? image + 27 : image) << PLACE_BITS);
}

DEVICE int packed_of_upper_bits(int upper)
{
    const int image = upper < 14 ? upper + 13 : upper - 14;
    return pack_shift(image % 3 - 1, image / 3 % 3 - 1, image / 9 - 1);
}

#if HAVE_BALLOT
#define STAGE 256 /* entries of a particle that wait */
#define LANES_BEFORE ((1u << LOCAL_ID % 32) - 1u)

/* The bits that some lane of the warp has; all of them call it. */
DEVICE uint bits_of_warp(uint bits)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_or_sync(0xffffffffu, bits);
#else
    for (int apart = 1; apart < 32; apart *= 2) {
        bits |= SHUFFLE(bits, LOCAL_ID % 32 ^ apart);
    }
    return bits;
#endif
}

/* The number of the lowest bit, of which there is one. */
DEVICE int lowest_bit(uint bits)
{
    return BIT_COUNT((bits - 1u) & ~bits);
}

/* The sum of what this lane and those before it have; all of the warp call it. */
DEVICE int sum_up_to(int value)
{
    for (int apart = 1; apart < 32; apart *= 2) {
        const int before = SHUFFLE(value, (LOCAL_ID - apart) & 31);
        value += LOCAL_ID % 32 >= apart ? before : 0;
    }
    return value;
}

/* ---- lines ---- */

/* Numbers d to d + 3 of two triples. */
#define FOUR_OF(make, d, ax, ay, az, bx, by, bz)                                                                            \
    make((d) == 0 ? (ax) : (d) == 1 ? (ay) : (az), (d) == 0 ? (ay) : (d) == 1 ? (az) : (bx),                                \
         (d) == 0 ? (az) : (d) == 1 ? (bx) : (by), (d) == 0 ? (bx) : (d) == 1 ? (by) : (bz))

/* Writes the images of entries `first` to `stop` - 1 of the line at `at`; lane l has that of entry l. */
DEVICE void store_shifts(long64 at, int first, int stop, int packed, int any_shift, GLOBAL shift_t *RESTRICT neighbour_shifts)
{
#if WITH_SHIFTS
    const int lane = LOCAL_ID % 32;
    if (first > 0 || stop < 32) {
        for (int k = 0; k < 3; k++) {
            const int number = lane + 32 * k;
            const int of = any_shift ? SHUFFLE(packed, number / 3) : HOME_SHIFT;
            if (number / 3 >= first && number / 3 < stop) {
                neighbour_shifts[at * 3 + number] = (shift_t)shift_part(of, number % 3);
            }
        }
        return;
    }
    int4 four = make_int4(0, 0, 0, 0);
    if (any_shift) {
        const int e = lane < 24 ? 4 * lane / 3 : 30; /* whose numbers a lane begins with */
        const int a = SHUFFLE(packed, e);
        const int b = SHUFFLE(packed, e + 1);
        four = FOUR_OF(make_int4, 4 * lane % 3, shift_part(a, 0), shift_part(a, 1), shift_part(a, 2), shift_part(b, 0),
                       shift_part(b, 1), shift_part(b, 2));
    }
    if (lane < 24) {
#if WITH_SHIFTS == 2
        ((GLOBAL int *)neighbour_shifts)[(at >> 2) * 3 + lane] =
            (four.x & 255) | (four.y & 255) << 8 | (four.z & 255) << 16 | (int)((uint)four.w << 24);
#else
        ((GLOBAL int4 *)neighbour_shifts)[(at >> 2) * 3 + lane] = four;
#endif
    }
#endif
}

/* The same of vectors. */
DEVICE void store_vectors(long64 at, int first, int stop, real4 r, GLOBAL real *RESTRICT neighbour_vectors)
{
#if WITH_VECTORS
    const int lane = LOCAL_ID % 32;
    if (first > 0 || stop < 32) {
        if (lane >= first && lane < stop) {
            neighbour_vectors[3 * (at + lane)] = r.x;
            neighbour_vectors[3 * (at + lane) + 1] = r.y;
            neighbour_vectors[3 * (at + lane) + 2] = r.z;
        }
        return;
    }
    const int e = lane < 24 ? 4 * lane / 3 : 30;
    const real ax = SHUFFLE(r.x, e);
    const real ay = SHUFFLE(r.y, e);
    const real az = SHUFFLE(r.z, e);
    const real bx = SHUFFLE(r.x, e + 1);
    const real by = SHUFFLE(r.y, e + 1);
    const real bz = SHUFFLE(r.z, e + 1);
    if (lane < 24) {
        ((GLOBAL real4 *)neighbour_vectors)[(at >> 2) * 3 + lane] =
            FOUR_OF(make_real4, 4 * lane % 3, ax, ay, az, bx, by, bz);
    }
#endif
}

/* What a warp stages, and the arrays that it is of. An entry is a place in the array of positions and an image: with `images` NULL the
 * upper five bits, less 13 as shift_of_image counts them modulo 27, so that an image that is none is 0. */
typedef struct {
    LOCAL_ARG int *entries, *images; /* STAGE of each particle */
    GLOBAL const real4 *position;
    GLOBAL const int *index;
    int is_sorted; /* 0: a place is an index */
} line_source;

/* An address in local memory of 32 bits, which a register holds: from the pointer, the compiler works it out again for every store. */
#if defined(__CUDA_ARCH__)
typedef uint stage_address;
DEVICE stage_address address_of_stage(LOCAL_ARG int *entries)
{
    uint address;
    asm volatile("mov.u32 %0, %1;" : "=r"(address) : "r"((uint)__cvta_generic_to_shared(entries)));
    return address;
}
DEVICE void stage_entry(stage_address stage, int at, int entry)
{
    asm volatile("st.shared.b32 [%0], %1;" : : "r"(stage + 4 * at), "r"(entry) : "memory");
}
#else
typedef LOCAL_ARG int *stage_address;
#define address_of_stage(entries) (entries)
#define stage_entry(stage, at, entry) ((void)((stage)[at] = (entry)))
#endif

/* What lane l writes of a line: nothing of an entry that there is not. */
typedef struct {
    int partner, packed, any_shift; /* -1: none; any_shift: of some lane of the warp */
    real4 vector;
} line_entry;

/* The entry staged at `from`, if there is one. All lanes of the warp call it. */
DEVICE line_entry read_entry(const line_source *source, int from, int is_one, real4 own_position, box_args box)
{
    line_entry entry;
    int place = is_one ? source->entries[from] : 0;
    entry.packed = HOME_SHIFT;
    entry.any_shift = 0;
#if PERIODIC
    if (source->images) {
        entry.packed = is_one ? source->images[from] : HOME_SHIFT;
        entry.any_shift = BALLOT(entry.packed != HOME_SHIFT) != 0;
    } else {
        const int upper = (int)((uint)place >> PLACE_BITS);
        place &= (1 << PLACE_BITS) - 1;
        entry.any_shift = BALLOT(upper != 0) != 0;
        if (entry.any_shift) {
            entry.packed = packed_of_upper_bits(upper);
        }
    }
#endif
    entry.vector = own_position;
#if WITH_VECTORS || WITH_DISTANCES
    if (is_one) {
        const real4 shift =
            box_shift(shift_part(entry.packed, 0), shift_part(entry.packed, 1), shift_part(entry.packed, 2), box);
        entry.vector = vector_to(own_position, source->position[place], shift);
    }
#endif
    entry.partner = source->is_sorted ? source->index[place] : place;
    entry.partner = is_one ? entry.partner : -1;
    return entry;
}

/* Writes the entries of lanes `first` to `stop` - 1 of the line of 32 that begins at `at`, a multiple of 32, of particle `own`. All
 * lanes of the warp call it. */
DEVICE void write_line(line_entry entry, long64 at, int first, int stop, int own, GLOBAL int *RESTRICT pair_first,
                       ENTRY_PARAMETERS)
{
    const int lane = LOCAL_ID % 32;
    if (lane >= first && lane < stop) {
        neighbours[at + lane] = entry.partner;
#if LIST_FORM == LIST_COO
        pair_first[at + lane] = own;
#endif
#if WITH_DISTANCES
        neighbour_distances[at + lane] = SQRT(entry.vector.w);
#endif
    }
    store_shifts(at, first, stop, entry.packed, entry.any_shift, neighbour_shifts);
    store_vectors(at, first, stop, entry.vector, neighbour_vectors);
}

/* ---- rows ---- */

/* What each lane knows of a particle that the warp lists: */
typedef struct {
    int index;         /* in the input */
    real4 position;    /* as it is in the source's array */
    long64 begin, end; /* what is free of its row; of a COO list `end` is that of the list */
} own_row;

/* The row of particle i, and how much room there is. */
DEVICE own_row row_of_particle(int i, real4 position, GLOBAL const int *RESTRICT row_begin, int neighbour_capacity, int counts_only)
{
    own_row row;
    row.index = i;
    row.position = position;
    row.begin = LIST_FORM == LIST_MATRIX ? (long64)i * neighbour_capacity : 0;
    row.end = row.begin + neighbour_capacity;
#if LIST_FORM == LIST_CSR
    row.begin = counts_only ? 0 : row_begin[i];
    row.end = neighbour_capacity;
#endif
    return row;
}

/* Writes what is staged of the particles of lanes `members`; `staged` says how many entries in each of these. Of a matrix the rest of
 * the rows, too, where it `ends_rows`. All lanes of the warp call it. */
DEVICE void write_staged(const line_source *source, own_row *row, uint members, int staged, int ends_rows, box_args box,
                         GLOBAL int *RESTRICT pair_count, GLOBAL int *RESTRICT pair_first, ENTRY_PARAMETERS)
{
    const int lane = LOCAL_ID % 32;
#if LIST_FORM == LIST_COO
    /* one addition for all of them */
    const int mine = members >> lane & 1 ? staged : 0;
    const int upto = sum_up_to(mine);
    const int all = SHUFFLE(upto, 31);
    int begin = 0;
    if (lane == 0 && all > 0) {
        begin = ATOMIC_ADD_INT(pair_count, all);
    }
    row->begin = SHUFFLE(begin, 0) + upto - mine;
#endif
    SYNC_WARPS;
    for (uint left = members; left != 0; left &= left - 1u) {
        const int p = lowest_bit(left);
        const long64 begin = SHUFFLE(row->begin, p);
        const int free = (int)(SHUFFLE(row->end, p) - begin);
        const int count = SHUFFLE(staged, p);
        const int stop = count < free ? count : free; /* both are negative behind the end of the room */
        const int last = LIST_FORM == LIST_MATRIX && ends_rows ? free : stop;
        const int own = SHUFFLE(row->index, p);
        real4 position = row->position;
#if WITH_VECTORS || WITH_DISTANCES
        position = make_real4(SHUFFLE(position.x, p), SHUFFLE(position.y, p), SHUFFLE(position.z, p), 0);
#endif
        int k = -((int)begin & 31); /* where a line begins, less `begin` */
        for (; k < stop; k += 32) {
            const line_entry entry =
                read_entry(source, p * STAGE + k + lane, k + lane >= 0 && k + lane < stop, position, box);
            const int end = last - k;
            if (k >= 0 && end >= 32) {
                write_line(entry, begin + k, 0, 32, own, pair_first, ENTRY_ARGUMENTS);
            } else {
                write_line(entry, begin + k, k < 0 ? -k : 0, end, own, pair_first, ENTRY_ARGUMENTS);
            }
        }
        for (; k < last; k += 32) {
            if (k + lane >= 0 && k + lane < last) {
                neighbours[begin + k + lane] = -1;
            }
        }
    }
    row->begin += staged;
    SYNC_WARPS;
}
#endif

#ifdef SCANNED
/* ---- from the counts of rows to where they begin, SCANNED of them per group ---- */

/* The sum of what the work-items before this one have, and of all; every one of the group calls it. */
DEVICE int sum_before(LOCAL_ARG int *scratch, int value, int *all)
{
    int sum = value;
    scratch[LOCAL_ID] = sum;
    SYNC_THREADS;
    for (int apart = 1; apart < GROUP_SIZE; apart *= 2) {
        const int before = LOCAL_ID >= apart ? scratch[LOCAL_ID - apart] : 0;
        SYNC_THREADS;
        sum += before;
        scratch[LOCAL_ID] = sum;
        SYNC_THREADS;
    }
    *all = scratch[GROUP_SIZE - 1];
    SYNC_THREADS;
    return sum - value;
}

/* A group's sum of its counts. */
DEVICE void add_counts_of_group(LOCAL_ARG int *scratch, int n, GLOBAL const int *RESTRICT neighbour_count, GLOBAL int *RESTRICT sums)
{
    int sum = 0;
    int all;
    for (int k = LOCAL_ID; k < SCANNED; k += GROUP_SIZE) {
        const int i = GROUP_ID * SCANNED + k;
        sum += i < n ? neighbour_count[i] : 0;
    }
    sum_before(scratch, sum, &all);
    if (LOCAL_ID == 0) {
        sums[GROUP_ID] = all;
    }
}

/* One group turns the sums into what stands before each. */
DEVICE void scan_group_sums(LOCAL_ARG int *scratch, int n, GLOBAL int *RESTRICT row_begin, GLOBAL int *RESTRICT pair_count,
                            GLOBAL int *RESTRICT sums)
{
    const int parts = (n + SCANNED - 1) / SCANNED;
    int done = 0;
    for (int first = 0; first < parts; first += GROUP_SIZE) {
        const int k = first + LOCAL_ID;
        int all;
        const int before = sum_before(scratch, k < parts ? sums[k] : 0, &all);
        if (k < parts) {
            sums[k] = done + before;
        }
        done += all;
    }
    if (LOCAL_ID == 0) {
        row_begin[n] = done;
        pair_count[0] = done;
    }
}

/* Where each of a group's rows begins. */
DEVICE void begin_rows_of_group(LOCAL_ARG int *scratch, int n, GLOBAL const int *RESTRICT neighbour_count,
                                GLOBAL int *RESTRICT row_begin, GLOBAL const int *RESTRICT sums)
{
    int done = sums[GROUP_ID];
    for (int k = LOCAL_ID; k < SCANNED; k += GROUP_SIZE) {
        const int i = GROUP_ID * SCANNED + k;
        int all;
        const int before = sum_before(scratch, i < n ? neighbour_count[i] : 0, &all);
        if (i < n) {
            row_begin[i] = done + before;
        }
        done += all;
    }
}
#endif
