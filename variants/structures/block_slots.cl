/*
 * block_slots — the partners of a block of list_blocks in local memory: said once, for all who walk
 *
 * A kernel that names STAGED_POSITIONS is given this text. Sorted particles are first put next to where the builder saw them
 * (position_since), so that a slot is a place in that array and an image.
 */
#define FAR_AWAY REAL(1.0e17) /* its square is a float still */

/* What tells later which image of a sorted particle is meant; its position itself in triclinic cells. */
#define THIRDS_SINCE(built, box) (IMAGES_BY_THIRDS ? thirds_of((built), (box)) : 0)

DEVICE real4 position_since(real4 now, int k, GLOBAL const real4 *RESTRICT sorted_position,
                            GLOBAL const int *RESTRICT sorted_thirds, box_args box)
{
#if IMAGES_BY_THIRDS
    return image_next_to_thirds(now, sorted_thirds[k], box);
#else
    return image_next_to(now, sorted_position[k], box);
#endif
}

/* 16 bytes to a slot of each array: so many are read without a conflict. */
#define AT_OFFSET(type, array, offset) (*(LOCAL_ARG const type *)((LOCAL_ARG const char *)(array) + (offset)))
#if REAL_IS_DOUBLE
#define STAGED_POSITIONS               \
    LOCAL real2 staged_xy[STAGED + 1]; \
    LOCAL real2 staged_zw[STAGED + 1];
#define STAGE(slot, at)                               \
    do {                                              \
        staged_xy[slot] = make_real2((at).x, (at).y); \
        staged_zw[slot] = make_real2((at).z, (at).w); \
    } while (0)
#define STAGED_AT(offset)                                                                    \
    make_real4(AT_OFFSET(real2, staged_xy, offset).x, AT_OFFSET(real2, staged_xy, offset).y, \
               AT_OFFSET(real2, staged_zw, offset).x, AT_OFFSET(real2, staged_zw, offset).y)
#else
#define STAGED_POSITIONS LOCAL real4 staged[STAGED + 1];
#define STAGE(slot, at) (staged[slot] = (at))
#define STAGED_AT(offset) AT_OFFSET(real4, staged, offset)
#endif

/* The entries of a block's part; behind the slots is their number. */
#define ENTRIES_OF_PART(part) \
    (block_entries + ((long64)GROUP_ID * part_capacity + (part)) * (STAGED + 32))

/* Puts the partners of a part into local memory, and nobody behind them. `placed`: where one is seen, of its `entry` and of `at`, where it is.
 * Every work-item of the group calls it; a barrier comes next. */
#define STAGE_PART(entries, from, placed)                                     \
    do {                                                                      \
        if (LOCAL_ID == 0) {                                                  \
            const real4 nobody = make_real4(FAR_AWAY, FAR_AWAY, FAR_AWAY, 0); \
            STAGE(STAGED, nobody);                                            \
        }                                                                     \
        const int slots = (entries)[STAGED];                                  \
        for (int s = LOCAL_ID; s < slots; s += GROUP_SIZE) {                  \
            const int entry = (entries)[s];                                   \
            const real4 at = (from)[entry_place(entry)];                      \
            const real4 other = (placed);                                     \
            STAGE(s, other);                                                  \
        }                                                                     \
    } while (0)

/* In the image of its entry. */
DEVICE real4 placed_at(real4 at, int entry, box_args box)
{
#if PERIODIC
    if ((uint)entry >> ENTRY_PLACE_BITS) {
        const real4 shift = shift_of_image(entry_image(entry), box);
        at = make_real4(at.x + shift.x, at.y + shift.y, at.z + shift.z, at.w);
    }
#endif
    return at;
}

/* The vector from one position to another, which are in their images, and its square. */
DEVICE real4 difference_to(real4 to, real4 from)
{
    const real x = to.x - from.x;
    const real y = to.y - from.y;
    const real z = to.z - from.z;
    return make_real4(x, y, z, FMA(x, x, FMA(y, y, z * z)));
}

/* The compiler is to know which entry of an int4 is whose turn. */
#if defined(__CUDA_ARCH__)
#define UNROLLED _Pragma("unroll")
#else
#define UNROLLED
#endif

/* Entry u of the eight that an int4 holds: how far into the arrays its slot lies, and its type where there are types. */
DEVICE uint entry_of_eight(int4 eight, int u)
{
    const int two = u < 4 ? (u < 2 ? eight.x : eight.y) : u < 6 ? eight.z : eight.w;
    return u % 2 ? (uint)two >> 16 : (uint)two & 0xffffu;
}
