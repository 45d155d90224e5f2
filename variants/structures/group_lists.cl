/*
 * group_lists — what builders share whose groups fill a list per block of particles
 *
 * Blocks follow each other in an order of places. A partner that is excluded from a pair with one of the block's particles is known
 * by a word per 32 of these: bit k for particle k.
 */

/* ---- exclusions ---- */

#define BY_LISTS 1
#define BY_MOLECULE 2

/* Of 32 particles, those that particle j is excluded with. */
DEVICE uint exclusion_mask(int kind, int j, LOCAL_ARG const int *own_index, LOCAL_ARG const int *own_molecule,
                           GLOBAL const int *RESTRICT excluded_start, GLOBAL const int *RESTRICT excluded,
                           GLOBAL const int *RESTRICT molecule)
{
    uint mask = 0;
    if (kind == BY_MOLECULE) {
        const int own = molecule[j];
        for (int k = 0; k < 32; k++) {
            mask |= (uint)(own_molecule[k] == own) << k;
        }
    } else if (kind == BY_LISTS) {
        for (int e = excluded_start[j]; e < excluded_start[j + 1]; e++) {
            const int partner = excluded[e];
            for (int k = 0; k < 32; k++) {
                mask |= (uint)(own_index[k] == partner) << k;
            }
        }
    }
    return mask;
}

/* ---- who meets whom ---- */

/* Whether, of a pair of particles of two blocks, or of a block and an image of itself, this block lists it: one of the two
 * does, and which follows from their numbers, so that lists are of like length. */
DEVICE int lists_once(int block, int other, int image)
{
    if (block == other) {
        return image > HOME_IMAGE;
    }
    return (block ^ other) & 1 ? block < other : block > other;
}

/* ---- the lists ---- */

/* The sum of the values of all work-items up to this one; the last one's, in room[LOCAL_SIZE - 1], is the group's. */
DEVICE int scan_group(LOCAL_ARG int *room, int value)
{
#if HAVE_SHUFFLE && HAVE_BALLOT
    const int lane = LOCAL_ID % WARP_SIZE;
    int sum = value;
    for (int distance = 1; distance < WARP_SIZE; distance *= 2) {
        const int before = SHUFFLE(sum, (lane - distance) & (WARP_SIZE - 1));
        sum += lane >= distance ? before : 0;
    }
    if (lane == WARP_SIZE - 1) {
        room[LOCAL_ID / WARP_SIZE] = sum;
    }
    SYNC_THREADS;
    for (int warp = 0; warp < GROUP_SIZE / WARP_SIZE; warp++) {
        sum += warp < LOCAL_ID / WARP_SIZE ? room[warp] : 0;
    }
    if (LOCAL_ID == LOCAL_SIZE - 1) {
        room[LOCAL_ID] = sum;
    }
    SYNC_THREADS;
    return sum;
#else
    room[LOCAL_ID] = value;
    SYNC_THREADS;
    for (int distance = 1; distance < LOCAL_SIZE; distance *= 2) {
        const int before = LOCAL_ID >= distance ? room[LOCAL_ID - distance] : 0;
        SYNC_THREADS;
        room[LOCAL_ID] += before;
        SYNC_THREADS;
    }
    return room[LOCAL_ID];
#endif
}

/* A list of the block, as all work-items of the group know it. */
typedef struct {
    GLOBAL int *entries;
    int count, capacity;
} block_list;

DEVICE void put_entry(block_list list, int at, int entry)
{
    if (at < list.capacity) {
        list.entries[at] = entry;
    }
}
