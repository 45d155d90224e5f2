/*
 * clusters_8x8 — of the lists of clusters_outer.cl, what lies within a shorter reach of where particles are now
 *
 * A group per super-cluster. Each work-item takes an entry and looks which of the super-cluster's eight clusters have a particle
 * within reach of one of the entry's; whoever is near to none is dropped. Of clusters that have exclusions, which are few, the words are
 * written anew and the entries stay. How long the lists have become is a key by which super-clusters are sorted, the longest first.
 *
 * Of several PARTS, each a run of super-clusters, one is pruned at a time, from the first of them on, unless steps have halted. Their
 * order stays what it was when all were pruned.
 */
#define SUPER 64
#define FAR_AWAY REAL(1.0e17) /* its square is a float still */
#define LONGEST ((1 << 20) - 1)

/* Positions of now in the order of the lists, next to where these were built; partners that are nobody are far. */
KERNEL void gather_now(int n, int places, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT place_index,
                       GLOBAL const real4 *RESTRICT place_position, box_args box, GLOBAL real4 *RESTRICT now)
{
    const int k = GLOBAL_ID;
    if (k < n) {
        now[k] = image_next_to(position[place_index[k]], place_position[k], box);
    } else if (k < places) {
        now[k] = make_real4(-FAR_AWAY, -FAR_AWAY, -FAR_AWAY, 0);
    }
}

#if PARTS > 1
#define PART_PARAMETERS , int first_super, GLOBAL const int *RESTRICT halted
#define FIRST_SUPER first_super
#define HAS_HALTED (*halted != 0)

/* The same, and writes `mark` to `halted`, unless something other than 0 is there, where a particle is farther from where the lists were
 * built than a limit, so that the outer ones no longer serve. What is no number is far. */
KERNEL void gather_and_look(int n, GLOBAL const real4 *RESTRICT position,
                            GLOBAL const int *RESTRICT place_index, GLOBAL const real4 *RESTRICT place_position,
                            box_args box, real limit2, int mark, GLOBAL int *RESTRICT halted, GLOBAL real4 *RESTRICT now)
{
    const int k = GLOBAL_ID;
    if (k < n && *halted == 0) {
        const real4 current = position[place_index[k]];
        const real4 built = place_position[k];
        if (!(displacement(current, built, box).w <= limit2)) {
            (void)ATOMIC_EXCHANGE(halted, mark);
        }
        now[k] = image_next_to(current, built, box);
    }
}
#else
#define PART_PARAMETERS
#define FIRST_SUPER 0
#define HAS_HALTED 0
#endif

/* Distances are computed in floats in any precision, |b|^2 - 2 a b + |a|^2 from the first particle of the super-cluster on: four instructions each.
 * Positions, products and sums err by less than 16 units of 2^-24 of |a|^2 + |b|^2 together; the reach is as much longer, and twice that. */
#define ROUNDING 1.9e-6f
#define IS_NOBODY 1.0e30f /* of a square */
#if REAL_IS_DOUBLE
#define LESSER(a, b) ((a) < (b) ? (a) : (b))
#else
#define LESSER(a, b) MIN_REAL((a), (b))
#endif

/* A particle of the super-cluster: -2 a and |a|^2. */
DEVICE void leave_own(LOCAL_ARG float4 *own, int is_there, real4 position, real4 middle)
{
    const float x = is_there ? (float)(position.x - middle.x) : 0.0f;
    const float y = is_there ? (float)(position.y - middle.y) : 0.0f;
    const float z = is_there ? (float)(position.z - middle.z) : 0.0f;
    own->x = -2.0f * x;
    own->y = -2.0f * y;
    own->z = -2.0f * z;
    own->w = is_there ? x * x + (y * y + z * z) : IS_NOBODY;
}

/* The largest |a|^2. */
DEVICE float widest_of(LOCAL_ARG const float4 *own)
{
    float widest = 0.0f;
#pragma unroll 8
    for (int k = 0; k < SUPER; k++) {
        widest = own[k].w < IS_NOBODY && own[k].w > widest ? own[k].w : widest;
    }
    return widest;
}

/* Of the clusters of a super-cluster that a word names, those with a particle near to one of an entry's. */
DEVICE uint prune_word(LOCAL_ARG const float4 *own, float widest, uint word, int cluster, real4 middle, box_args box,
                       GLOBAL const real4 *RESTRICT now, float reach2)
{
    const real4 shift = shift_of_image((int)((word >> 8) + HOME_IMAGE) % 27, box);
    uint near_ones = 0;
#pragma unroll 1
    for (int q = 0; q < PARTNERS; q++) {
        const real4 other = now[(long64)cluster * PARTNERS + q];
        const float x = (float)(other.x + (shift.x - middle.x));
        const float y = (float)(other.y + (shift.y - middle.y));
        const float z = (float)(other.z + (shift.z - middle.z));
        const float square = x * x + (y * y + z * z);
        const float limit = reach2 + ROUNDING * (widest + square) - square;
#pragma unroll 1
        for (int c = 0; c < 8; c++) {
            if ((word & ~near_ones) >> c & 1u) {
                float least = IS_NOBODY;
                for (int k = 0; k < 8; k++) {
                    const float4 of_own = own[c * 8 + k];
                    const float apart = x * of_own.x + (y * of_own.y + (z * of_own.z + of_own.w));
                    least = LESSER(least, apart);
                }
                near_ones |= (uint)(least <= limit) << c;
            }
        }
    }
    return near_ones;
}

KERNEL void prune_clusters(int n, real reach2, GLOBAL const real4 *RESTRICT now, box_args box,
                           GLOBAL const int *RESTRICT outer_length, GLOBAL const int *RESTRICT outer_entries,
                           GLOBAL const uint *RESTRICT outer_words, int outer_capacity,
                           GLOBAL const int *RESTRICT masked_length, GLOBAL const int *RESTRICT masked_entries,
                           GLOBAL const uint *RESTRICT masked_outer_words, int mask_capacity,
                           GLOBAL int *RESTRICT super_length, GLOBAL int *RESTRICT super_entries,
                           GLOBAL uint *RESTRICT super_words, GLOBAL uint *RESTRICT masked_words,
                           GLOBAL int *RESTRICT key, GLOBAL int *RESTRICT value PART_PARAMETERS)
{
    LOCAL float4 own[SUPER];
    LOCAL int room[GROUP_SIZE];
    const int super = FIRST_SUPER + GROUP_ID;
    const real4 middle = now[super * SUPER];
    if (LOCAL_ID < SUPER) {
        const int place = super * SUPER + LOCAL_ID;
        leave_own(&own[LOCAL_ID], place < n, now[place], middle);
    }
    SYNC_THREADS;
    const float widest = widest_of(own);
    const long64 row = (long64)super * outer_capacity;
    const int length = HAS_HALTED ? 0 : outer_length[super];
    int kept = 0;
    for (int base = 0; base < length; base += LOCAL_SIZE) {
        const int k = base + LOCAL_ID;
        const int entry = k < length ? outer_entries[row + k] : 0;
        const uint word = k < length ? outer_words[row + k] : 0u;
        const uint near_ones = prune_word(own, widest, word, entry, middle, box, now, (float)reach2);
        const int ahead = scan_group(room, near_ones != 0);
        const int total = room[LOCAL_SIZE - 1];
        if (near_ones != 0) {
            super_entries[row + kept + ahead - 1] = entry;
            super_words[row + kept + ahead - 1] = near_ones | (word & ~0xffu);
        }
        kept += total;
        SYNC_THREADS;
    }
    const long64 masked_row = (long64)super * mask_capacity;
    const int masked = HAS_HALTED ? 0 : masked_length[super];
    for (int k = LOCAL_ID; k < masked; k += LOCAL_SIZE) {
        const uint word = masked_outer_words[masked_row + k];
        masked_words[masked_row + k] =
            prune_word(own, widest, word, masked_entries[masked_row + k], middle, box, now, (float)reach2) | (word & ~0xffu);
    }
    if (LOCAL_ID == 0 && !HAS_HALTED) {
        const int both = kept + masked;
        super_length[super] = kept;
        key[super] = LONGEST - (both < LONGEST ? both : LONGEST);
        value[super] = super;
    }
}
