/*
 * neighbour_words — entries of neighbour lists that are a result, in whichever form they are asked for
 *
 * The harness puts this text before the variants of workload neighbours, behind the words of pairs, and defines
 *
 *     LIST_FORM        LIST_MATRIX  row i is at neighbours[i * neighbour_capacity], neighbour_count[i] entries; the rest of a row
 *                                   holds -1 (of shifts, vectors and distances whatever there is)
 *                      LIST_CSR     row i is at neighbours[row_begin[i]], neighbour_count[i] entries up to row_begin[i + 1];
 *                                   row_begin[n] is pair_count[0]
 *                      LIST_COO     entry e is of particle pair_first[e]; pair_count[0] entries, in any order
 *     LIST_HALF        0: each pair from both sides; 1: once, see in_half()
 *     WITH_SHIFTS      0 none, 1 int, 2 char: the type shift_t
 *     WITH_VECTORS, WITH_DISTANCES    0 or 1
 *
 * Entry e, of particle i, says j = neighbours[e], S = neighbour_shifts[3 e], [3 e + 1], [3 e + 2], and the vector r_j + S . cell
 * - r_i (neighbour_vectors[3 e] and on) of length neighbour_distances[e]. Buffers of what is not asked for are there, and empty.
 * Entries of a row may have any order.
 *
 * neighbour_capacity is the width of a row of a matrix, else the room for all entries. Where that does not suffice nothing is
 * written beyond it, but the counts are those that there should be: the harness makes room and launches again. Excluded pairs of
 * two particles are left out in every image.
 */
#define LIST_MATRIX 0
#define LIST_CSR 1
#define LIST_COO 2

#if WITH_SHIFTS == 2
typedef char shift_t;
#else
typedef int shift_t;
#endif

/* Whether a half list has the entry: j > i, or an image of i itself whose first shift that is not zero is positive. */
DEVICE int in_half(int i, int j, int x, int y, int z)
{
    return j > i || (j == i && (x > 0 || (x == 0 && (y > 0 || (y == 0 && z > 0)))));
}

/* Whether the list that is asked for has the entry, if it is within the cutoff. */
DEVICE int is_listed(int i, int j, int x, int y, int z)
{
#if LIST_HALF
    return in_half(i, j, x, y, z);
#else
    return j != i || x != 0 || y != 0 || z != 0;
#endif
}

/* Whether the pair is excluded: needs PAIR_PARAMETERS. */
#if EXCLUDE_LISTED || EXCLUDE_MOLECULES
#define PAIR_IS_LEFT_OUT(i, j) ((i) != (j) && pair_is_excluded((i), (j) PAIR_EXCLUSION_ARGUMENTS))
#else
#define PAIR_IS_LEFT_OUT(i, j) (0)
#endif

/* Whether a pair at this squared distance is within the cutoff, that of its types where there is a --table: needs
 * PAIR_PARAMETERS. */
#if WITH_TYPES
#define PAIR_WITHIN(r2, i, j, cutoff2) \
    ((r2) <= pair_table[(PAIR_TYPE(i) * pair_types + PAIR_TYPE(j)) * PAIR_TABLE_STRIDE])
#else
#define PAIR_WITHIN(r2, i, j, cutoff2) IN_CUTOFF(r2, cutoff2)
#endif

#define ENTRY_PARAMETERS                                                               \
    GLOBAL int *RESTRICT neighbours, GLOBAL shift_t *RESTRICT neighbour_shifts,        \
        GLOBAL real *RESTRICT neighbour_vectors, GLOBAL real *RESTRICT neighbour_distances
#define ENTRY_ARGUMENTS neighbours, neighbour_shifts, neighbour_vectors, neighbour_distances

/* Writes entry `at`, which is within the room that there is: r is the vector, and its square in w. */
DEVICE void store_neighbour(long64 at, int j, int x, int y, int z, real4 r, ENTRY_PARAMETERS)
{
    neighbours[at] = j;
#if WITH_SHIFTS
    neighbour_shifts[3 * at] = (shift_t)x;
    neighbour_shifts[3 * at + 1] = (shift_t)y;
    neighbour_shifts[3 * at + 2] = (shift_t)z;
#endif
#if WITH_VECTORS
    neighbour_vectors[3 * at] = r.x;
    neighbour_vectors[3 * at + 1] = r.y;
    neighbour_vectors[3 * at + 2] = r.z;
#endif
#if WITH_DISTANCES
    neighbour_distances[at] = SQRT(r.w);
#endif
}

/* The vector from a to b, seen `shift` away (box_shift()), and its square in w. The difference comes first: then that from b to a,
 * seen `shift` away to the other side, is the same but for the sign, to the last bit, and both sides of a full list agree. */
DEVICE real4 vector_to(real4 a, real4 b, real4 shift)
{
    const real x = b.x - a.x + shift.x;
    const real y = b.y - a.y + shift.y;
    const real z = b.z - a.z + shift.z;
    return make_real4(x, y, z, FMA(x, x, FMA(y, y, z * z)));
}
