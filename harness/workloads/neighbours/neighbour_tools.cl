/*
 * neighbour_tools — what a list holds, as sums of its rows: see reference/neighbours/neighbours.h
 * for what these are, and neighbour_lists.c for how they are made
 *
 * Compiled in double. LIST_FORM, LIST_HALF, WITH_SHIFTS, WITH_VECTORS and WITH_DISTANCES are those
 * of the case; POSITION is float or double, the type of its positions and vectors, RESULT that of
 * its results. workloads/member_order.cl stands before this text.
 *
 * An entry whose distance is within `width` of the cutoff may be listed or not. Such entries are
 * not summed up but kept in a chain for each row, in which none may stand twice and, of a full
 * list, each has its counterpart in the row of the other.
 *
 * Where neither shifts nor vectors are listed, an entry (i, j) stands for one of the images of j:
 * which are counted.
 */
#define LIST_MATRIX 0
#define LIST_CSR 1
#define LIST_COO 2
#define KNOWS_IMAGE (WITH_SHIFTS || WITH_VECTORS)

#if WITH_SHIFTS == 2
typedef char shift_t;
#else
typedef int shift_t;
#endif

/* What is wrong with a row; say_faults() of listed.c has the words. */
#define FAULT_COUNT 1       /* more entries than there is room, or fewer than none */
#define FAULT_PADDING 2     /* the rest of a row is not -1 */
#define FAULT_OFFSETS 4     /* row_begin, neighbour_count and pair_count disagree */
#define FAULT_INDEX 8       /* no such particle */
#define FAULT_HALF 16       /* not in a half list; or the particle itself */
#define FAULT_BEYOND 32     /* beyond the cutoff */
#define FAULT_VECTOR 64     /* vector or distance */
#define FAULT_TWICE 128     /* an entry at the edge of the cutoff, twice */
#define FAULT_ONE_SIDED 256 /* the same in one row, and not in that of the other */
#define FAULT_CROWDED 512   /* more entries at the edge than there are places */
#define FAULT_BOX 1024      /* of another box of the batch */

/* What all kernels are given: of the cell the vectors by rows, images along each, of the cutoff how
 * near is sure. */
typedef struct {
    /* The cell's vectors; a[3]: cutoff; b[3]: width; c[3]: how far a vector may be off. */
    double a[4], b[4], c[4];
    int images[4];             /* along each; images[3]: the room of the list */
    int n, share, edge_room;   /* share: particles of a box */
    int circle, shift, stride; /* of the order of particles */
} list_case;

/* Entries at the edge. */
typedef struct {
    int j, x, y, z, next, unused;
} edge_entry;

/* Types by places and the cutoff of each pair of them; no types: one cutoff for all. */
#define PAIRS_PARAMETERS                                                                           \
    GLOBAL const POSITION *RESTRICT position, int types, GLOBAL const int *RESTRICT type,          \
        GLOBAL const double *RESTRICT cutoffs
#define PAIRS_ARGUMENTS position, types, type, cutoffs
#define ROWS_PARAMETERS                                                                            \
    GLOBAL uint *RESTRICT sums, GLOBAL int *RESTRICT faults, GLOBAL int *RESTRICT heads,           \
        GLOBAL int *RESTRICT edge_count, GLOBAL edge_entry *RESTRICT edges
#define ROWS_ARGUMENTS sums, faults, heads, edge_count, edges

DEVICE uint finish_bits(uint h)
{
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
}

DEVICE uint hash_of(uint j, uint word, uint key)
{
    return finish_bits(finish_bits(j + key) + 0x9e3779b9u * word);
}

#if KNOWS_IMAGE
#define WORD_OF(x, y, z) ((uint)((x) + 512) + ((uint)((y) + 512) << 10) + ((uint)((z) + 512) << 20))
#else
#define WORD_OF(x, y, z) (1u << 30)
#endif

DEVICE int member_of(int place, list_case of)
{
    return order_member_at(place, of.n, of.circle, of.shift, of.stride);
}

/* Adds so many entries j to row i. */
DEVICE void add_to_row(int i, int j, int x, int y, int z, int times, list_case of,
                       GLOBAL uint *RESTRICT sums)
{
    const uint member = (uint)member_of(j, of);
    const uint word = WORD_OF(x, y, z);
    (void)ATOMIC_ADD_INT((GLOBAL int *)&sums[3 * (long64)i],
                         times * (int)hash_of(member, word, 0x243f6a88u));
    (void)ATOMIC_ADD_INT((GLOBAL int *)&sums[3 * (long64)i + 1],
                         times * (int)hash_of(member, word, 0x85a308d3u));
    (void)ATOMIC_ADD_INT((GLOBAL int *)&sums[3 * (long64)i + 2],
                         times * (int)hash_of(member, word, 0x13198a2eu));
}

/* To both rows where the list has one of the two. */
DEVICE void add_pair(int i, int j, int x, int y, int z, int times, list_case of,
                     GLOBAL uint *RESTRICT sums)
{
    add_to_row(i, j, x, y, z, times, of, sums);
#if LIST_HALF
    add_to_row(j, i, -x, -y, -z, times, of, sums);
#endif
}

DEVICE void add_fault(int i, int fault, GLOBAL int *RESTRICT faults)
{
    const int before = ATOMIC_EXCHANGE(&faults[i], fault);
    if ((before | fault) != fault) {
        (void)ATOMIC_EXCHANGE(&faults[i], before | fault);
    }
}

DEVICE double along(GLOBAL const POSITION *RESTRICT position, int i, int d)
{
    return (double)position[4 * (long64)i + d];
}

/* Component d of the vector from i to the image of j. */
DEVICE double component(GLOBAL const POSITION *RESTRICT position, int i, int j, int d, int x, int y,
                        int z, list_case of)
{
    return along(position, j, d) + (x * of.a[d] + y * of.b[d] + z * of.c[d]) -
           along(position, i, d);
}

DEVICE double distance_to(GLOBAL const POSITION *RESTRICT position, int i, int j, int x, int y,
                          int z, list_case of)
{
    const double u = component(position, i, j, 0, x, y, z, of);
    const double v = component(position, i, j, 1, x, y, z, of);
    const double w = component(position, i, j, 2, x, y, z, of);
    return sqrt(u * u + v * v + w * w);
}

/* 0: beyond the cutoff; 1: at its edge; 2: surely within; NaN is beyond, and so is what has no
 * cutoff. */
DEVICE int nearness(int i, int j, int x, int y, int z, PAIRS_PARAMETERS, list_case of)
{
    const double r = distance_to(position, i, j, x, y, z, of);
    const double cutoff = types > 0 ? cutoffs[type[i] * types + type[j]] : of.a[3];
    return cutoff < 0.0 ? 0 : r < cutoff - of.b[3] ? 2 : r <= cutoff + of.b[3] ? 1 : 0;
}

DEVICE int is_in_half(int i, int j, int x, int y, int z)
{
    return j > i || (j == i && (x > 0 || (x == 0 && (y > 0 || (y == 0 && z > 0)))));
}

DEVICE void keep_edge(int i, int j, int x, int y, int z, list_case of, ROWS_PARAMETERS)
{
    const int at = ATOMIC_ADD_INT(edge_count, 1);
    if (at < 0 || at >= of.edge_room) {
        add_fault(i, FAULT_CROWDED, faults);
        return;
    }
    edges[at].j = j;
    edges[at].x = x;
    edges[at].y = y;
    edges[at].z = z;
    edges[at].next = ATOMIC_EXCHANGE(&heads[i], at);
}

#if KNOWS_IMAGE
/* The nearest whole number of edges. */
DEVICE int whole_of(double difference, double edge)
{
    const double share = edge > 0.0 ? rint(difference / edge) : 0.0;
    return share > 500.0 ? 500 : share < -500.0 ? -500 : share == share ? (int)share : 500;
}

DEVICE void judge_image(int i, int j, int x, int y, int z, PAIRS_PARAMETERS, list_case of,
                        ROWS_PARAMETERS)
{
    const int near = nearness(i, j, x, y, z, PAIRS_ARGUMENTS, of);
    const int reached = x <= of.images[0] && -x <= of.images[0] && y <= of.images[1] &&
                        -y <= of.images[1] && z <= of.images[2] && -z <= of.images[2];
    if (near == 0 || !reached) {
        add_fault(i, FAULT_BEYOND, faults);
    } else if (LIST_HALF ? !is_in_half(i, j, x, y, z) : j == i && x == 0 && y == 0 && z == 0) {
        add_fault(i, FAULT_HALF, faults);
    } else if (near == 2) {
        add_pair(i, j, x, y, z, 1, of, sums);
    } else {
        keep_edge(i, j, x, y, z, of, ROWS_ARGUMENTS);
    }
}
#else
/* How many images of j are surely within the cutoff of i, in x, and how many at the edge, in y.
 * Images of a particle itself come in twos, of which a half list has one. */
DEVICE int4 count_images(int i, int j, PAIRS_PARAMETERS, list_case of)
{
    int sure = 0, edge = 0;
    for (int z = -of.images[2]; z <= of.images[2]; z++) {
        for (int y = -of.images[1]; y <= of.images[1]; y++) {
            for (int x = -of.images[0]; x <= of.images[0]; x++) {
                const int own = j == i && x == 0 && y == 0 && z == 0;
                const int near = own ? 0 : nearness(i, j, x, y, z, PAIRS_ARGUMENTS, of);
                sure += near == 2;
                edge += near == 1;
            }
        }
    }
    const int halved = LIST_HALF && i == j ? 2 : 1;
    return make_int4(sure / halved, edge / halved, 0, 0);
}

DEVICE void judge_images(int i, int j, PAIRS_PARAMETERS, list_case of, ROWS_PARAMETERS)
{
    const int4 images = count_images(i, j, PAIRS_ARGUMENTS, of);
    if (images.x + images.y == 0) {
        add_fault(i, FAULT_BEYOND, faults);
    } else if (LIST_HALF && j < i) {
        add_fault(i, FAULT_HALF, faults);
    } else if (images.y == 0) {
        add_pair(i, j, 0, 0, 0, 1, of, sums);
    } else {
        keep_edge(i, j, 0, 0, 0, of, ROWS_ARGUMENTS);
    }
}
#endif

/* Whether a distance is that of some image, within what rounding allows. */
DEVICE int is_distance(double listed, int i, int j, GLOBAL const POSITION *RESTRICT position,
                       list_case of)
{
    int is = 0;
    for (int z = -of.images[2]; z <= of.images[2]; z++) {
        for (int y = -of.images[1]; y <= of.images[1]; y++) {
            for (int x = -of.images[0]; x <= of.images[0]; x++) {
                const double off = listed - distance_to(position, i, j, x, y, z, of);
                is = is || (off <= of.c[3] && -off <= of.c[3]);
            }
        }
    }
    return is;
}

DEVICE void judge_entry(int i, long64 at, PAIRS_PARAMETERS, GLOBAL const int *RESTRICT neighbours,
                        GLOBAL const shift_t *RESTRICT shifts,
                        GLOBAL const POSITION *RESTRICT vectors,
                        GLOBAL const POSITION *RESTRICT distances, list_case of, ROWS_PARAMETERS)
{
    const int j = neighbours[at];
    if (j < 0 || j >= of.n) {
        add_fault(i, FAULT_INDEX, faults);
        return;
    }
    if (j / of.share != i / of.share) {
        add_fault(i, FAULT_BOX, faults);
        return;
    }
    int x = 0, y = 0, z = 0;
#if WITH_SHIFTS
    x = shifts[3 * at];
    y = shifts[3 * at + 1];
    z = shifts[3 * at + 2];
#elif WITH_VECTORS
    const double u = (double)vectors[3 * at] - component(position, i, j, 0, 0, 0, 0, of);
    const double v = (double)vectors[3 * at + 1] - component(position, i, j, 1, 0, 0, 0, of);
    const double w = (double)vectors[3 * at + 2] - component(position, i, j, 2, 0, 0, 0, of);
    z = whole_of(w, of.c[2]);
    y = whole_of(v - z * of.c[1], of.b[1]);
    x = whole_of(u - z * of.c[0] - y * of.b[0], of.a[0]);
#endif
#if WITH_VECTORS
    for (int d = 0; d < 3; d++) {
        const double off = (double)vectors[3 * at + d] - component(position, i, j, d, x, y, z, of);
        if (!(off <= of.c[3] && -off <= of.c[3])) {
            add_fault(i, FAULT_VECTOR, faults);
        }
    }
#endif
#if WITH_DISTANCES && KNOWS_IMAGE
    const double off = (double)distances[at] - distance_to(position, i, j, x, y, z, of);
    if (!(off <= of.c[3] && -off <= of.c[3])) {
        add_fault(i, FAULT_VECTOR, faults);
    }
#elif WITH_DISTANCES
    if (!is_distance((double)distances[at], i, j, position, of)) {
        add_fault(i, FAULT_VECTOR, faults);
    }
#endif
#if KNOWS_IMAGE
    judge_image(i, j, x, y, z, PAIRS_ARGUMENTS, of, ROWS_ARGUMENTS);
#else
    judge_images(i, j, PAIRS_ARGUMENTS, of, ROWS_ARGUMENTS);
#endif
}

/* How many entries row i has, in x, and where they begin, in *from; faults are noted by one
 * work-item. */
DEVICE int find_row(int i, int notes, GLOBAL const int *RESTRICT counts,
                    GLOBAL const int *RESTRICT row_begin, GLOBAL const int *RESTRICT pair_count,
                    list_case of, GLOBAL int *RESTRICT faults, long64 *from)
{
    const int count = counts[i];
    const int room = of.images[3];
#if LIST_FORM == LIST_MATRIX
    const int good = count >= 0 && count <= room;
    *from = (long64)i * room;
    if (notes && !good) {
        add_fault(i, FAULT_COUNT, faults);
    }
#else
    const int begin = row_begin[i];
    const int end = row_begin[i + 1];
    const int inside = begin >= 0 && begin <= end && end <= room;
    const int agree =
        count == end - begin && (i > 0 || begin == 0) && (i < of.n - 1 || end == pair_count[0]);
    const int good = inside && agree;
    *from = begin;
    if (notes && !good) {
        add_fault(i, inside ? FAULT_OFFSETS : FAULT_COUNT, faults);
    }
#endif
    return good ? count : 0;
}

/* LANES work-items a row; of COO, all share the entries out. */
KERNEL void judge_list(list_case of, int lanes, GLOBAL const POSITION *RESTRICT position, int types,
                       GLOBAL const int *RESTRICT type, GLOBAL const double *RESTRICT cutoffs,
                       GLOBAL const int *RESTRICT counts, GLOBAL const int *RESTRICT row_begin,
                       GLOBAL const int *RESTRICT pair_first, GLOBAL const int *RESTRICT pair_count,
                       GLOBAL const int *RESTRICT neighbours, GLOBAL const shift_t *RESTRICT shifts,
                       GLOBAL const POSITION *RESTRICT vectors,
                       GLOBAL const POSITION *RESTRICT distances, GLOBAL uint *RESTRICT sums,
                       GLOBAL int *RESTRICT faults, GLOBAL int *RESTRICT heads,
                       GLOBAL int *RESTRICT edge_count, GLOBAL edge_entry *RESTRICT edges)
{
#if LIST_FORM == LIST_COO
    const int listed = pair_count[0];
    const int count = listed < 0 || listed > of.images[3] ? 0 : listed;
    if (GLOBAL_ID == 0 && count != listed) {
        add_fault(0, FAULT_COUNT, faults);
    }
    for (long64 at = GLOBAL_ID; at < count; at += GLOBAL_SIZE) {
        const int i = pair_first[at];
        if (i < 0 || i >= of.n) {
            add_fault(0, FAULT_INDEX, faults);
        } else {
            judge_entry(i, at, PAIRS_ARGUMENTS, neighbours, shifts, vectors, distances, of,
                        ROWS_ARGUMENTS);
        }
    }
#else
    const int i = GLOBAL_ID / lanes;
    const int lane = GLOBAL_ID % lanes;
    long64 from = 0;
    if (i < of.n) {
        const int count = find_row(i, lane == 0, counts, row_begin, pair_count, of, faults, &from);
        for (int k = lane; k < count; k += lanes) {
            judge_entry(i, from + k, PAIRS_ARGUMENTS, neighbours, shifts, vectors, distances, of,
                        ROWS_ARGUMENTS);
        }
#if LIST_FORM == LIST_MATRIX
        for (int k = count + lane; k < of.images[3]; k += lanes) {
            if (neighbours[from + k] != -1) {
                add_fault(i, FAULT_PADDING, faults);
            }
        }
#endif
    }
#endif
}

/* How often an entry stands in the chain of a row. */
DEVICE int times_in_chain(int head, int j, int x, int y, int z,
                          GLOBAL const edge_entry *RESTRICT edges)
{
    int times = 0;
    for (int at = head; at >= 0; at = edges[at].next) {
        times += edges[at].j == j && edges[at].x == x && edges[at].y == y && edges[at].z == z;
    }
    return times;
}

KERNEL void judge_edges(list_case of, GLOBAL const POSITION *RESTRICT position, int types,
                        GLOBAL const int *RESTRICT type, GLOBAL const double *RESTRICT cutoffs,
                        GLOBAL uint *RESTRICT sums, GLOBAL int *RESTRICT faults,
                        GLOBAL const int *RESTRICT heads, GLOBAL const edge_entry *RESTRICT edges)
{
    const int i = GLOBAL_ID;
    if (i >= of.n) {
        return;
    }
    for (int at = heads[i]; at >= 0; at = edges[at].next) {
        const edge_entry own = edges[at];
        const int times = times_in_chain(heads[i], own.j, own.x, own.y, own.z, edges);
        const int first = times_in_chain(edges[at].next, own.j, own.x, own.y, own.z, edges) == 0;
        int least = 0, most = 1;
#if !KNOWS_IMAGE
        const int4 images = count_images(i, own.j, PAIRS_ARGUMENTS, of);
        least = images.x;
        most = images.x + images.y;
        if (first && least > 0) {
            add_pair(i, own.j, 0, 0, 0, least, of, sums);
        }
#endif
        if (times < least || times > most) {
            add_fault(i, FAULT_TWICE, faults);
        }
#if !LIST_HALF
        if (first && times_in_chain(heads[own.j], i, -own.x, -own.y, -own.z, edges) != times) {
            add_fault(i, FAULT_ONE_SIDED, faults);
        }
#endif
    }
}

/* Three numbers below 2^24, which a float holds; where a row has faults, below -1000, and no sum
 * is. */
KERNEL void write_rows(int n, GLOBAL const uint *RESTRICT sums, GLOBAL const int *RESTRICT faults,
                       GLOBAL RESULT *RESTRICT rows)
{
    const int i = GLOBAL_ID;
    for (int k = 0; i < n && k < 3; k++) {
        rows[4 * (long64)i + k] = faults[i] ? -(RESULT)(1024 + faults[i])
                                            : (RESULT)(int)(sums[3 * (long64)i + k] & 0xffffffu);
    }
}
