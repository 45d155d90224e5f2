/*
 * primitives — device-wide sort, scan and sum in the kernel dialect, for devices whose library
 * brings none.
 *
 * Two programs are made of this text. With NUMBER (a type) defined it holds the sums, else the scan
 * and the sort. The host defines GROUP_SIZE (a power of two, at least 16) and the numbers of items
 * that one work-item takes: SCAN_ITEMS, SORT_ITEMS, SUM_ITEMS (a power of two). A tile is what one
 * work-group takes: GROUP_SIZE times the items. Indices are unsigned, since the last tile of 2^31 -
 * 1 numbers reaches beyond an int.
 */

#ifdef NUMBER

/* ---- sums, always in the same order ---- */

#define SUM_TILE (GROUP_SIZE * SUM_ITEMS)

/*
 * One tile of one segment, a group each: group g takes tile g % tiles of segment g / tiles. Each
 * work-item adds its items as a tree, then the group does: out[g] is the sum of the tile. The host
 * repeats it on what comes out until a segment has one tile.
 */
KERNEL void sum_tiles(GLOBAL const NUMBER *RESTRICT in, GLOBAL NUMBER *RESTRICT out, int n,
                      int tiles)
{
    LOCAL NUMBER work[GROUP_SIZE];
    NUMBER item[SUM_ITEMS];
    int tile = GROUP_ID % tiles;
    int segment = GROUP_ID / tiles;
    uint start = (uint)tile * SUM_TILE;
    long64 offset = (long64)segment * n;
    for (int k = 0; k < SUM_ITEMS; k++) {
        uint i = start + (uint)(k * GROUP_SIZE + LOCAL_ID);
        item[k] = i < (uint)n ? in[offset + i] : (NUMBER)0;
    }
    for (int width = SUM_ITEMS / 2; width > 0; width /= 2) {
        for (int k = 0; k < width; k++) {
            item[k] += item[k + width];
        }
    }
    work[LOCAL_ID] = item[0];
    SYNC_THREADS;
    for (int width = GROUP_SIZE / 2; width > 0; width /= 2) {
        if (LOCAL_ID < width) {
            work[LOCAL_ID] += work[LOCAL_ID + width];
        }
        SYNC_THREADS;
    }
    if (LOCAL_ID == 0) {
        out[GROUP_ID] = work[0];
    }
}

/*
 * Short segments (n < 2^SUM_SHORT_BITS), a work-item each. level[b] waits for its equal: the sum of
 * the last 2^b numbers, as the bits of a binary counter.
 */
KERNEL void sum_short(GLOBAL const NUMBER *RESTRICT in, GLOBAL NUMBER *RESTRICT out, int n,
                      int segments)
{
    NUMBER level[SUM_SHORT_BITS];
    int segment = GLOBAL_ID;
    if (segment < segments) {
        long64 offset = (long64)segment * n;
        for (int i = 0; i < n; i++) {
            NUMBER carry = in[offset + i];
            int bit = 0;
            while (((i >> bit) & 1) != 0) {
                carry = level[bit] + carry;
                bit++;
            }
            level[bit] = carry;
        }
        NUMBER sum = (NUMBER)0;
        for (int bit = 0; bit < SUM_SHORT_BITS; bit++) {
            if (((n >> bit) & 1) != 0) {
                sum = level[bit] + sum;
            }
        }
        out[segment] = sum;
    }
}

#else

/* ---- exclusive scan: sums of tiles, their scan, then the tiles again ---- */

#define SCAN_TILE (GROUP_SIZE * SCAN_ITEMS)

/* The sum of `value` over the work-items before this one; work[GROUP_SIZE - 1] is the sum of all.
 * Every work-item of the group calls it; work[] is not to be written again before a barrier. */
DEVICE int scan_group(LOCAL_ARG int *work, int value)
{
    work[LOCAL_ID] = value;
    SYNC_THREADS;
    for (int step = 1; step < GROUP_SIZE; step *= 2) {
        int before = LOCAL_ID >= step ? work[LOCAL_ID - step] : 0;
        SYNC_THREADS;
        work[LOCAL_ID] += before;
        SYNC_THREADS;
    }
    return work[LOCAL_ID] - value;
}

KERNEL void scan_sums(GLOBAL const int *RESTRICT in, GLOBAL int *RESTRICT sums, int n)
{
    LOCAL int work[GROUP_SIZE];
    uint start = (uint)GROUP_ID * SCAN_TILE;
    int sum = 0;
    for (int k = 0; k < SCAN_ITEMS; k++) {
        uint i = start + (uint)(k * GROUP_SIZE + LOCAL_ID);
        sum += i < (uint)n ? in[i] : 0;
    }
    work[LOCAL_ID] = sum;
    SYNC_THREADS;
    for (int width = GROUP_SIZE / 2; width > 0; width /= 2) {
        if (LOCAL_ID < width) {
            work[LOCAL_ID] += work[LOCAL_ID + width];
        }
        SYNC_THREADS;
    }
    if (LOCAL_ID == 0) {
        sums[GROUP_ID] = work[0];
    }
}

/* out may be in: a work-item reads all its items before it writes the first. sums[g] is what lies
 * before tile g; it is not read where has_sums is 0 (a single tile). */
KERNEL void scan_tiles(GLOBAL const int *in, GLOBAL int *out, GLOBAL const int *sums, int n,
                       int has_sums)
{
    LOCAL int work[GROUP_SIZE];
    int item[SCAN_ITEMS];
    uint start = (uint)GROUP_ID * SCAN_TILE + (uint)(LOCAL_ID * SCAN_ITEMS);
    int sum = 0;
    for (int k = 0; k < SCAN_ITEMS; k++) {
        item[k] = start + k < (uint)n ? in[start + k] : 0;
        sum += item[k];
    }
    int before = scan_group(work, sum) + (has_sums != 0 ? sums[GROUP_ID] : 0);
    for (int k = 0; k < SCAN_ITEMS; k++) {
        if (start + k < (uint)n) {
            out[start + k] = before;
        }
        before += item[k];
    }
}

/* ---- radix sort, four bits a pass, stable ---- */

#define SORT_TILE (GROUP_SIZE * SORT_ITEMS)
#define RADIX 16

/* A table of one count for each digit and work-item, digit by digit, with a gap after every 16
 * places so that neighbours that walk 16 places each do not meet in one bank of local memory. */
#define SORT_PLACE(digit, item) TABLE_PLACE((digit)*GROUP_SIZE + (item))
#define TABLE_PLACE(i) ((i) + (i) / RADIX)
#define TABLE_SIZE TABLE_PLACE(RADIX *GROUP_SIZE)

/* How often each digit occurs among the SORT_ITEMS consecutive keys of this work-item. */
DEVICE void count_digits(GLOBAL const uint *keys, LOCAL_ARG int *table, uint start, uint n,
                         int shift, uint mask)
{
    for (int digit = 0; digit < RADIX; digit++) {
        table[SORT_PLACE(digit, LOCAL_ID)] = 0;
    }
    for (int k = 0; k < SORT_ITEMS; k++) {
        if (start + k < n) {
            table[SORT_PLACE((int)((keys[start + k] >> shift) & mask), LOCAL_ID)]++;
        }
    }
}

/* counts[digit * tiles + tile] = keys of the tile that have the digit. */
KERNEL void sort_count(GLOBAL const uint *RESTRICT keys, GLOBAL int *RESTRICT counts, int n,
                       int tiles, int shift, int mask)
{
    LOCAL int table[TABLE_SIZE];
    LOCAL int work[GROUP_SIZE];
    uint start = (uint)GROUP_ID * SORT_TILE + (uint)(LOCAL_ID * SORT_ITEMS);
    count_digits(keys, table, start, (uint)n, shift, (uint)mask);
    SYNC_THREADS;
    int sum = 0; /* GROUP_SIZE / RADIX work-items share a digit, RADIX places each */
    for (int k = 0; k < RADIX; k++) {
        sum += table[TABLE_PLACE(LOCAL_ID * RADIX + k)];
    }
    work[LOCAL_ID] = sum;
    SYNC_THREADS;
    if (LOCAL_ID < RADIX) {
        int total = 0;
        for (int k = 0; k < GROUP_SIZE / RADIX; k++) {
            total += work[LOCAL_ID * (GROUP_SIZE / RADIX) + k];
        }
        counts[LOCAL_ID * tiles + GROUP_ID] = total;
    }
}

/* offsets: the exclusive scan of counts, where the tile's first key of each digit goes. */
KERNEL void sort_scatter(GLOBAL const uint *RESTRICT keys, GLOBAL const uint *RESTRICT values,
                         GLOBAL uint *RESTRICT keys_out, GLOBAL uint *RESTRICT values_out,
                         GLOBAL const int *RESTRICT offsets, int n, int tiles, int shift, int mask)
{
    LOCAL int table[TABLE_SIZE];
    LOCAL int work[GROUP_SIZE];
    LOCAL int first[RADIX];
    uint start = (uint)GROUP_ID * SORT_TILE + (uint)(LOCAL_ID * SORT_ITEMS);
    count_digits(keys, table, start, (uint)n, shift, (uint)mask);
    SYNC_THREADS;
    int sum = 0;
    for (int k = 0; k < RADIX; k++) {
        sum += table[TABLE_PLACE(LOCAL_ID * RADIX + k)];
    }
    int before = scan_group(work, sum);
    for (int k = 0; k < RADIX; k++) {
        int count = table[TABLE_PLACE(LOCAL_ID * RADIX + k)];
        table[TABLE_PLACE(LOCAL_ID * RADIX + k)] = before;
        before += count;
    }
    SYNC_THREADS;
    if (LOCAL_ID < RADIX) {
        first[LOCAL_ID] = offsets[LOCAL_ID * tiles + GROUP_ID] - table[SORT_PLACE(LOCAL_ID, 0)];
    }
    SYNC_THREADS;
    for (int k = 0; k < SORT_ITEMS; k++) {
        if (start + k < (uint)n) {
            uint key = keys[start + k];
            int digit = (int)((key >> shift) & (uint)mask);
            int place = first[digit] + table[SORT_PLACE(digit, LOCAL_ID)]++;
            keys_out[place] = key;
            values_out[place] = values[start + k];
        }
    }
}

#endif
