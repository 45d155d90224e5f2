/*
 * neighbours — lists by all pairs with one fault chosen by MUTATION; the gate must reject every one but the first
 *
 *  0 none: must pass                                10 vectors the wrong way round
 *  1 shifts of the wrong sign                       11 the square for the distance
 *  2 no image but the nearest ones                  12 counts that end where room does
 *  3 the last neighbour of each row is lost         13 an offset is one too many (CSR)
 *  4 writes one entry beyond the room               14 a row that seems to be there is left as it is
 *  5 leaves one place of the room free              15 each particle lists itself
 *  6 the first neighbour of each row twice          16 excluded pairs, too
 *  7 a half list from both sides, a full one once   17 pairs at the cutoff twice
 *  8 the cutoff a tenth shorter                     18 pairs at the cutoff once
 *  9 the rest of a row is left as it is (matrix)    19 an index too many
 * 20 pairs across boxes of a batch                  21 the last particle of each box is forgotten
 * 22 no image aside of the nearest, in narrow boxes
 * 23 one image's distance for all images of a particle
 * 24 a full row runs over into the next (matrix)
 *
 * @workload  neighbours
 * @structure none
 * @boxes     open periodic triclinic
 * @pass      begin item per box
 * @pass      count_rows item per particle
 * @pass      add_up item per box
 * @pass      fill item per particle
 * @tunable   GROUP_SIZE 64
 * @tunable   MUTATION 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
 * @tunable   MORE 0 16 17 18 19 20 21 22 23 24
 */
#define IS(mutation) (MUTATION == (mutation) || MORE == (mutation))

DEVICE int faulty_listed(int i, int j, int x, int y, int z)
{
    if (IS(7)) {
        return LIST_HALF ? j != i || x != 0 || y != 0 || z != 0 : in_half(i, j, x, y, z);
    }
    return is_listed(i, j, x, y, z) || (IS(15) && i == j && x == 0 && y == 0 && z == 0);
}

DEVICE int faulty_times(int i, int j, real r2, real cutoff2, int count)
{
    const int at_cutoff = r2 == cutoff2;
    return (IS(6) && count == 0) || (IS(17) && at_cutoff) ? 2 : IS(18) && at_cutoff && j > i ? 0 : 1;
}

/* Whether one edge more or less along an axis is nearer than this image: positions are in the cell. */
DEVICE int is_nearest(real4 r, box_args box)
{
    return FABS(r.x) * 2 <= box.edge.x && FABS(r.y) * 2 <= box.edge.y && FABS(r.z) * 2 <= box.edge.z;
}

/* Of the first image that is within the cutoff. */
DEVICE real first_square(int i, int j, GLOBAL const real4 *RESTRICT position, box_args box, int4 images, real cutoff2)
{
    for (int z = -images.z; z <= images.z; z++) {
        for (int y = -images.y; y <= images.y; y++) {
            for (int x = -images.x; x <= images.x; x++) {
                const real4 r = vector_to(position[i], position[j], box_shift(x, y, z, box));
                if (r.w <= cutoff2 && is_listed(i, j, x, y, z)) {
                    return r.w;
                }
            }
        }
    }
    return cutoff2;
}

DEVICE int list_row(int i, int n, int share, long64 at, long64 end, GLOBAL const real4 *RESTRICT position, box_args box,
                    int4 images, real cutoff2, GLOBAL int *RESTRICT pair_first, ENTRY_PARAMETERS PAIR_PARAMETERS)
{
    const int most = IS(2) ? 1 : 1000;
    const long64 room = IS(4) ? end + 1 : IS(5) ? end - 1 : end;
    const real within = IS(8) ? REAL(0.81) * cutoff2 : cutoff2;
    const int first = IS(20) ? 0 : i / share * share;
    const int stop = IS(20) ? n : first + share - (IS(21) ? 1 : 0);
    int count = 0;
    for (int z = -images.z; z <= images.z; z++) {
        for (int y = -images.y; y <= images.y; y++) {
            for (int x = -images.x; x <= images.x; x++) {
                const int near = x <= most && -x <= most && y <= most && -y <= most && z <= most && -z <= most;
                for (int j = first; near && j < stop; j++) {
                    real4 r = vector_to(position[i], position[j], box_shift(x, y, z, box));
                    if ((IS(22) && !is_nearest(r, box)) || !(r.w <= within) || !faulty_listed(i, j, x, y, z) || (!IS(16) && PAIR_IS_LEFT_OUT(i, j))) {
                        continue;
                    }
                    const int times = faulty_times(i, j, r.w, cutoff2, count);
                    const int sign = IS(1) ? -1 : 1;
                    if (IS(10)) {
                        r = make_real4(-r.x, -r.y, -r.z, r.w);
                    }
                    r.w = IS(11) ? r.w * r.w : IS(23) ? first_square(i, j, position, box, images, cutoff2) : r.w;
                    for (int t = 0; t < times; t++, count++) {
                        if (at >= 0 && at + count < room) {
                            store_neighbour(at + count, IS(19) && j == n - 1 ? n : j, sign * x, sign * y, sign * z, r,
                                            ENTRY_ARGUMENTS);
#if LIST_FORM == LIST_COO
                            pair_first[at + count] = i;
#endif
                        }
                    }
                }
            }
        }
    }
    return IS(3) && count > 0 ? count - 1 : count;
}

KERNEL void begin(GLOBAL int *RESTRICT pair_count)
{
    pair_count[0] = 0;
}

KERNEL void count_rows(int n, int particles_per_box, GLOBAL const real4 *RESTRICT position, box_args box, int4 images, real cutoff2,
                       int neighbour_capacity, GLOBAL int *RESTRICT neighbour_count, GLOBAL int *RESTRICT pair_count,
                       GLOBAL int *RESTRICT pair_first, GLOBAL int *RESTRICT neighbours,
                       GLOBAL shift_t *RESTRICT neighbour_shifts, GLOBAL real *RESTRICT neighbour_vectors,
                       GLOBAL real *RESTRICT neighbour_distances PAIR_PARAMETERS)
{
    const int i = GLOBAL_ID;
    if (i >= n) {
        return;
    }
#if LIST_FORM == LIST_MATRIX
    const long64 row = (long64)i * neighbour_capacity;
    if (IS(14) && neighbour_count[i] > 0 && neighbours[row] >= 0) {
        return;
    }
    const long64 end = row + neighbour_capacity + (IS(24) && i < n - 1 ? 1 : 0);
    const int count = list_row(i, n, particles_per_box, row, end, position, box, images, cutoff2, pair_first,
                               ENTRY_ARGUMENTS PAIR_ARGUMENTS);
    neighbour_count[i] = IS(12) && count > neighbour_capacity ? neighbour_capacity : count;
    for (int k = count; k < neighbour_capacity && !IS(9); k++) {
        neighbours[row + k] = -1;
    }
#else
    const int count = list_row(i, n, particles_per_box, -1, 0, position, box, images, cutoff2, pair_first,
                               ENTRY_ARGUMENTS PAIR_ARGUMENTS);
#if LIST_FORM == LIST_CSR
    neighbour_count[i] = count;
#else
    const int first = ATOMIC_ADD_INT(pair_count, count);
    list_row(i, n, particles_per_box, first, neighbour_capacity, position, box, images, cutoff2, pair_first,
             ENTRY_ARGUMENTS PAIR_ARGUMENTS);
#endif
#endif
}

KERNEL void add_up(int n, int neighbour_capacity, GLOBAL const int *RESTRICT neighbour_count, GLOBAL int *RESTRICT row_begin,
                   GLOBAL int *RESTRICT pair_count)
{
#if LIST_FORM == LIST_CSR
    if (GLOBAL_ID == 0) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            row_begin[i] = sum + (IS(13) && i == 5);
            sum += neighbour_count[i];
        }
        row_begin[n] = sum;
        pair_count[0] = IS(12) && sum > neighbour_capacity ? neighbour_capacity : sum;
    }
#endif
}

KERNEL void fill(int n, int particles_per_box, GLOBAL const real4 *RESTRICT position, box_args box, int4 images, real cutoff2, int neighbour_capacity,
                 GLOBAL const int *RESTRICT row_begin, GLOBAL int *RESTRICT pair_first, GLOBAL int *RESTRICT neighbours,
                 GLOBAL shift_t *RESTRICT neighbour_shifts, GLOBAL real *RESTRICT neighbour_vectors,
                 GLOBAL real *RESTRICT neighbour_distances PAIR_PARAMETERS)
{
#if LIST_FORM == LIST_CSR
    if (GLOBAL_ID < n) {
        list_row(GLOBAL_ID, n, particles_per_box, row_begin[GLOBAL_ID], neighbour_capacity, position, box, images, cutoff2, pair_first,
                 ENTRY_ARGUMENTS PAIR_ARGUMENTS);
    }
#endif
}
