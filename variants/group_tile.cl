/*
 * group_words — what variants of two groups say the same way: a rectangle of pairs, each met once, both sides served
 *
 * The harness puts this text before the variants that take two groups. Each work-item holds one particle, a row;
 * COLUMNS particles of the other group lie in local memory. The derivatives of rows stay in registers. Those of
 * columns are added up in local memory without atomics: at any step the work-items of a strip are at different
 * columns, each one further than its neighbour, and every strip has sums of its own, which are added up in the end.
 *
 * A strip is as many work-items as surely run together. Where there are fewer columns than that, several work-items
 * of a strip would meet at one column: each run of as many work-items as there are columns then has its own sums.
 */
/* Whether two input indices are of different particles: one and the same never pairs with itself. Where the groups
 * have none in common (GROUPS_OVERLAP is 0) the indices are not even read. */
#if GROUPS_OVERLAP
#define DIFFERENT(i, j) ((i) != (j))
#else
#define DIFFERENT(i, j) (1)
#endif

/* Adds to a particle's derivative in memory; most additions are zero where few pairs are within dmax. */
DEVICE void add_derivative(GLOBAL accum *derivative, int particle, accum x, accum y, accum z)
{
    if (x != 0 || y != 0 || z != 0) {
        ATOMIC_ADD(&derivative[4 * particle], x);
        ATOMIC_ADD(&derivative[4 * particle + 1], y);
        ATOMIC_ADD(&derivative[4 * particle + 2], z);
    }
}

#ifdef COLUMNS
#define STRIP (GROUP_SIZE < 32 ? GROUP_SIZE : 32)
#define STRIPS (GROUP_SIZE / STRIP)

/* At the top of a kernel. */
#define COLUMN_SCRATCH             \
    LOCAL real4 column_tile[COLUMNS]; \
    LOCAL int column_index[COLUMNS];  \
    LOCAL accum column_sum[3 * STRIPS * COLUMNS];

/* How many columns a strip walks at once, from column `first` of `count`: a power of two. */
DEVICE int columns_at_once(int count, int first)
{
    int width = 1;
    while (width < STRIP && width < count - first) {
        width *= 2;
    }
    return width;
}

/* Brings `count` columns, from `first` of their group on, into local memory, their sums zero. Every work-item calls
 * it. */
DEVICE void begin_columns(GLOBAL const real4 *position, GLOBAL const int *index, int first, int count,
                          LOCAL_ARG real4 *tile, LOCAL_ARG int *tile_index, LOCAL_ARG accum *sum)
{
    SYNC_THREADS;
    for (int c = LOCAL_ID; c < count; c += GROUP_SIZE) {
        tile[c] = position[first + c];
        tile_index[c] = index[first + c];
    }
    for (int s = LOCAL_ID; s < 3 * STRIPS * COLUMNS; s += GROUP_SIZE) {
        sum[s] = 0;
    }
    SYNC_THREADS;
}

/* A row against all columns; every work-item calls it, those without a row (has_row = 0) too. Subtracts from the
 * row's derivative *x, *y, *z. */
DEVICE void meet_columns(int has_row, real4 row, int row_index, int count, LOCAL_ARG const real4 *tile,
                         LOCAL_ARG const int *tile_index, LOCAL_ARG accum *sum, box_args box,
                         real cutoff2, accum *x, accum *y, accum *z, pair_sums *sums PAIR_PARAMETERS)
{
    LOCAL_ARG accum *own = sum + LOCAL_ID / STRIP * COLUMNS;
    const int lane = LOCAL_ID % STRIP;
    for (int first = 0; first < count; first += STRIP) {
        const int width = columns_at_once(count, first);
        const int run = lane / width * width;
        for (int t = 0; t < width; t++) {
            const int place = (lane + t) & (width - 1);
            const int c = first + place;
            if (has_row && c < count) {
                const real4 column = tile[c];
                const real r2 = distance2(row, column, box);
                COUNT_DISTANCE(sums);
                if (IN_CUTOFF(r2, cutoff2) && DIFFERENT(tile_index[c], row_index)) {
                    const real4 d = displacement(row, column, box);
                    LOCAL_ARG accum *slot = own + first + run + place;
                    pair_energy value = NO_ENERGY;
                    const real f = PAIR_FORCE(r2, row, column, row_index, tile_index[c], &value);
                    *x -= f * d.x;
                    *y -= f * d.y;
                    *z -= f * d.z;
                    slot[0] += f * d.x;
                    slot[STRIPS * COLUMNS] += f * d.y;
                    slot[2 * STRIPS * COLUMNS] += f * d.z;
                    add_to_sums(sums, value, f, d.x, d.y, d.z);
                }
            }
            SYNC_WARPS;
        }
    }
}

/* Adds the columns' sums to their derivatives. Every work-item calls it. */
DEVICE void end_columns(int first, int count, LOCAL_ARG const accum *sum, GLOBAL accum *derivative)
{
    SYNC_THREADS;
    for (int s = LOCAL_ID; s < 3 * count; s += GROUP_SIZE) {
        const int c = s % count;
        const int axis = s / count;
        const int block = c / STRIP * STRIP;
        const int width = columns_at_once(count, block);
        accum total = 0;
        for (int strip = 0; strip < STRIPS; strip++) {
            for (int run = 0; run < STRIP; run += width) {
                total += sum[(axis * STRIPS + strip) * COLUMNS + c + run];
            }
        }
        if (total != 0) {
            ATOMIC_ADD(&derivative[4 * (first + c) + axis], total);
        }
    }
}

#endif
