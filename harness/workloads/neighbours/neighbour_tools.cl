/*
 * neighbour_tools — what a list holds, as sums of its rows: see reference/neighbours/neighbours.h
 * for what these are, and neighbour_lists.c for how they are made
 *
 * Compiled in double. LIST_FORM, LIST_HALF, WITH_SHIFTS, WITH_VECTORS and WITH_DISTANCES are those
 * of the case; POSITION is float or double, the type of its positions and vectors, RESULT that of
 * its results. workloads/member_order.cl stands before this text.
 *
 * An entry whose distance is within `width` of the cutoff may be listed or not. Such entries are
 * not summed up but kept in chains for each row, in which none may stand twice and, of a full list,
 * each has its counterpart in the row of the other. A row of a small box, whose particles have many
 * images, has several chains: the remainder of j says in which of them an entry is.
 *
 * Where neither shifts nor vectors are listed, an entry (i, j) stands for one of the images of j:
 * which are counted. Distances tell them apart: where there are several, entries are kept, too, and
 * those of j are matched with its images, one to one.
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
#define FAULT_TWICE 128     /* an entry that is kept, more often than there are images */
#define FAULT_ONE_SIDED 256 /* the same in one row, and not in that of the other */
#define FAULT_CROWDED 512   /* more entries at the edge than there are places */
#define FAULT_BOX 1024      /* of another box of the batch */

#if defined(__CUDA_ARCH__)
typedef unsigned long long word64;
#else
typedef ulong word64;
#endif

/* What all kernels are given: of the cell the vectors by rows, images along each, of the cutoff how
 * near is sure. */
typedef struct {
    /* The cell's vectors; a[3]: cutoff; b[3]: width; c[3]: how far a vector may be off. */
    double a[4], b[4], c[4];
    int images[4];             /* along each; images[3]: the room of the list */
    int n, share, edge_room;   /* share: particles of a box */
    int circle, shift, stride; /* of the order of particles */
    int chains;                /* of each row */
    word64 key[2];             /* of hashes; no kernel under test knows them */
} list_case;

/* Entries at the edge, and those that their distances alone tell apart. */
typedef struct {
    int j, x, y, z, next, unused;
    double distance;
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

DEVICE word64 mix_word(word64 h)
{
    h = (h ^ h >> 30) * (word64)0xbf58476d1ce4e5b9;
    h = (h ^ h >> 27) * (word64)0x94d049bb133111eb;
    return h ^ h >> 31;
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
    const word64 entry = (word64)WORD_OF(x, y, z) << 32 | (word64)(uint)member_of(j, of);
    const word64 hash = mix_word(mix_word(entry ^ of.key[0]) + of.key[1]);
    GLOBAL int *sum = (GLOBAL int *)&sums[3 * (long64)i];
    (void)ATOMIC_ADD_INT(&sum[0], times * (int)(uint)hash);
    (void)ATOMIC_ADD_INT(&sum[1], times * (int)(uint)(hash >> 32));
    (void)ATOMIC_ADD_INT(&sum[2], times * (int)(uint)mix_word(hash + of.key[0]));
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

/* That of a row's entries of j. */
DEVICE int chain_of(int i, int j, list_case of)
{
    return i * of.chains + j % of.chains;
}

DEVICE void keep_edge(int i, int j, int x, int y, int z, double distance, list_case of,
                      ROWS_PARAMETERS)
{
    const int at = ATOMIC_ADD_INT(&edge_count[0], 1);
    if (at < 0 || at >= of.edge_room) {
        add_fault(i, FAULT_CROWDED, faults);
        return;
    }
    edges[at].j = j;
    edges[at].x = x;
    edges[at].y = y;
    edges[at].z = z;
    edges[at].distance = distance;
    edges[at].next = ATOMIC_EXCHANGE(&heads[chain_of(i, j, of)], at);
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
        (void)ATOMIC_ADD_INT(&edge_count[1], 1);
        keep_edge(i, j, x, y, z, 0.0, of, ROWS_ARGUMENTS);
    }
}
#else
/* How many images of j are surely within the cutoff of i, and how many at its edge; of both
 * together how many are no farther than a distance, and how many of the sure ones are nearer;
 * whether the distance is that of one of them. All as far as rounding allows. */
typedef struct {
    int sure, edge, up_to, nearer, is_one;
} image_counts;

/* Images of a particle itself come in twos, of which a half list has one. */
DEVICE image_counts count_images(int i, int j, double distance, PAIRS_PARAMETERS, list_case of)
{
    image_counts count = { 0, 0, 0, 0, 0 };
    for (int z = -of.images[2]; z <= of.images[2]; z++) {
        for (int y = -of.images[1]; y <= of.images[1]; y++) {
            for (int x = -of.images[0]; x <= of.images[0]; x++) {
                const int own = j == i && x == 0 && y == 0 && z == 0;
                const int near = own ? 0 : nearness(i, j, x, y, z, PAIRS_ARGUMENTS, of);
                count.sure += near == 2;
                count.edge += near == 1;
#if WITH_DISTANCES
                if (near > 0) {
                    const double off = distance_to(position, i, j, x, y, z, of) - distance;
                    count.up_to += off <= of.c[3];
                    count.nearer += near == 2 && off < -of.c[3];
                    count.is_one |= off <= of.c[3] && -off <= of.c[3];
                }
#endif
            }
        }
    }
    const int halved = LIST_HALF && i == j ? 2 : 1;
    count.sure /= halved;
    count.edge /= halved;
    count.up_to = (count.up_to + halved - 1) / halved;
    count.nearer /= halved;
    return count;
}

/* One of several images is told by its distance, together with the others of its row. */
DEVICE void judge_images(int i, int j, double distance, PAIRS_PARAMETERS, list_case of,
                         ROWS_PARAMETERS)
{
    const image_counts images = count_images(i, j, distance, PAIRS_ARGUMENTS, of);
    if (WITH_DISTANCES && !images.is_one) {
        add_fault(i, FAULT_VECTOR, faults);
    }
    if (images.sure + images.edge == 0) {
        add_fault(i, FAULT_BEYOND, faults);
    } else if (LIST_HALF && j < i) {
        add_fault(i, FAULT_HALF, faults);
    } else if (images.edge == 0 && !(WITH_DISTANCES && images.sure > 1)) {
        add_pair(i, j, 0, 0, 0, 1, of, sums);
    } else {
        (void)ATOMIC_ADD_INT(&edge_count[1], images.edge > 0);
        keep_edge(i, j, 0, 0, 0, distance, of, ROWS_ARGUMENTS);
    }
}

/* Whether the distances of a row's entries of one particle can each be that of another image: in
 * ascending order the k-th of them is that of the k-th image, so that up to each there are images
 * enough, and before it none is left out. */
DEVICE int has_image(edge_entry own, image_counts images, int head,
                     GLOBAL const edge_entry *RESTRICT edges)
{
    int up_to = 0, nearer = 0;
    for (int at = head; at >= 0; at = edges[at].next) {
        up_to += edges[at].j == own.j && edges[at].distance <= own.distance;
        nearer += edges[at].j == own.j && edges[at].distance < own.distance;
    }
    return up_to <= images.up_to && nearer >= images.nearer;
}
#endif

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
#endif
#if KNOWS_IMAGE
    judge_image(i, j, x, y, z, PAIRS_ARGUMENTS, of, ROWS_ARGUMENTS);
#else
    judge_images(i, j, WITH_DISTANCES ? (double)distances[at] : 0.0, PAIRS_ARGUMENTS, of,
                 ROWS_ARGUMENTS);
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

/* A work-item a chain. */
KERNEL void judge_edges(list_case of, GLOBAL const POSITION *RESTRICT position, int types,
                        GLOBAL const int *RESTRICT type, GLOBAL const double *RESTRICT cutoffs,
                        GLOBAL uint *RESTRICT sums, GLOBAL int *RESTRICT faults,
                        GLOBAL const int *RESTRICT heads, GLOBAL const edge_entry *RESTRICT edges)
{
    const int i = GLOBAL_ID / of.chains;
    if (i >= of.n) {
        return;
    }
    const int head = heads[GLOBAL_ID];
    for (int at = head; at >= 0; at = edges[at].next) {
        const edge_entry own = edges[at];
        const int times = times_in_chain(head, own.j, own.x, own.y, own.z, edges);
        const int first = times_in_chain(own.next, own.j, own.x, own.y, own.z, edges) == 0;
        int least = 0, most = 1;
#if !KNOWS_IMAGE
        const image_counts images = count_images(i, own.j, own.distance, PAIRS_ARGUMENTS, of);
        least = images.sure;
        most = images.sure + images.edge;
        if (first && least > 0) {
            add_pair(i, own.j, 0, 0, 0, least, of, sums);
        }
#endif
        if (times < least || times > most) {
            add_fault(i, FAULT_TWICE, faults);
        }
#if WITH_DISTANCES && !KNOWS_IMAGE
        if (!has_image(own, images, head, edges)) {
            add_fault(i, FAULT_VECTOR, faults);
        }
#endif
#if !LIST_HALF
        if (first && times_in_chain(heads[chain_of(own.j, i, of)], i, -own.x, -own.y, -own.z,
                                    edges) != times) {
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
