/*
 * listed — half a matrix of a small box by all pairs, in one group, that does what it may not with what a launch builds; TRICK says
 * what
 *
 *  0  none: works each time
 *  1  notes its rows behind the places of sorted cells, and copies them where it finds the same positions again
 *  2  leaves something in the sorted positions, through a cast, which the next building overwrites
 *  3  the same behind the places
 *  4  as 1, with notes of each order of the particles in memory of its own, mapped by a call of the operating system (x86-64)
 *
 * @workload  neighbours
 * @structure sorted_cells
 * @boxes     periodic
 * @pass      listed group per box
 * @tunable   GROUP_SIZE 64
 * @tunable   CELLS_PER_CUTOFF 1
 * @tunable   TRICK 0* 1 2 3 4
 */
#if TRICK == 4
#define NOTES 65536
#else
#define NOTES 8192 /* ints behind the places */
#endif
#define KEYS 8
#define REMEMBERS (TRICK == 1 || TRICK == 4)

#if TRICK == 4
/* Of one order among many: what is mapped at a fixed place stays there. */
DEVICE GLOBAL int *own_notes(int n, GLOBAL const real4 *position)
{
    const long place = 0x600000000000;
    const uint orders = 512;
    GLOBAL const uint *bits = (GLOBAL const uint *)position;
    const uint key = (bits[0] ^ bits[4 * (n / 2)] * 5u ^ bits[4 * (n - 1)] * 11u) * 0x9e3779b9u;
    long result = 9;
    __asm__ volatile("movq $0x100022, %%r10\n\tmovq $-1, %%r8\n\tmovq $0, %%r9\n\tsyscall"
                     : "+a"(result)
                     : "D"(place), "S"((long)sizeof(int) * NOTES * orders), "d"(3L)
                     : "rcx", "r8", "r9", "r10", "r11", "memory");
    return (GLOBAL int *)place + (long)NOTES * (key >> 23);
}
#endif

/* Whether the notes are of these positions; `writes`: makes them so. */
DEVICE int is_noted(GLOBAL int *notes, int n, GLOBAL const real4 *position, int writes)
{
    GLOBAL const int *bits = (GLOBAL const int *)position;
    int same = 1;
    for (int k = 0; k < KEYS; k++) {
        const int key = bits[(long64)k * (4 * n - 2) / (KEYS - 1)];
        same = same && notes[k] == key;
        notes[k] = writes ? key : notes[k];
    }
    return same;
}

KERNEL void listed(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT sorted_place,
                   GLOBAL const real4 *RESTRICT sorted_position, box_args box, int4 images, real cutoff2, int neighbour_capacity,
                   GLOBAL int *RESTRICT neighbour_count, GLOBAL int *RESTRICT neighbours, GLOBAL shift_t *RESTRICT neighbour_shifts,
                   GLOBAL real *RESTRICT neighbour_vectors, GLOBAL real *RESTRICT neighbour_distances)
{
#if TRICK == 4
    GLOBAL int *notes = own_notes(n, position);
#else
    GLOBAL int *notes = (GLOBAL int *)sorted_place + n;
#endif
    const int stride = (NOTES - KEYS) / n;
    const int noted = REMEMBERS && is_noted(notes, n, position, 0);
    SYNC_THREADS;
    for (int i = LOCAL_ID; i < n; i += GROUP_SIZE) {
        const long64 row = (long64)i * neighbour_capacity;
        GLOBAL int *own = notes + KEYS + i * stride;
        int count = 0;
        for (int k = 1; noted && k <= own[0]; k++, count++) {
            const int x = (own[k] >> 10 & 3) - 1;
            const int y = (own[k] >> 12 & 3) - 1;
            const int z = (own[k] >> 14 & 3) - 1;
            if (count < neighbour_capacity) {
                store_neighbour(row + count, own[k] & 1023, x, y, z, make_real4(0, 0, 0, 0), ENTRY_ARGUMENTS);
            }
        }
        for (int image = 0; !noted && image < 27; image++) {
            const int x = image % 3 - 1;
            const int y = image / 3 % 3 - 1;
            const int z = image / 9 - 1;
            for (int j = 0; j < n; j++) {
                const real4 r = vector_to(position[i], position[j], box_shift(x, y, z, box));
                if (!IN_CUTOFF(r.w, cutoff2) || !is_listed(i, j, x, y, z)) {
                    continue;
                }
                if (count < neighbour_capacity) {
                    store_neighbour(row + count, j, x, y, z, r, ENTRY_ARGUMENTS);
                }
                count++;
                if (REMEMBERS && count < stride) {
                    own[count] = j | (x + 1) << 10 | (y + 1) << 12 | (z + 1) << 14;
                }
            }
        }
        if (REMEMBERS && !noted) {
            own[0] = count;
        }
        neighbour_count[i] = count;
        for (int e = count; e < neighbour_capacity; e++) {
            neighbours[row + e] = -1;
        }
    }
    SYNC_THREADS;
    if (LOCAL_ID == 0) {
        if (REMEMBERS && !noted) {
            (void)is_noted(notes, n, position, 1);
        } else if (TRICK == 2) {
            ((GLOBAL real4 *)sorted_position)[n / 2].w = REAL(0.4375);
        } else if (TRICK == 3) {
            notes[0]++;
        }
    }
}
