/*
 * neighbours_tile — a warp per particle tries 32 others at a time, in all images, and writes whole lines
 *
 * For few particles, batches of boxes, and any cell: of each pair the nearest image comes first, as displacement() finds it. Where the
 * cutoff is beyond half an edge the warp also tries the images to either side, for as long as one of its lanes has one
 * within reach. Votes say where in the particle's row a lane's entry goes; entries wait in local memory
 * (neighbour_lines.cl).
 *
 * Rows of CSR are counted, scanned and filled. For COO a warp reserves room for what it staged by one atomic addition, and
 * LANES / 32 warps may share the others of a particle.
 *
 * @workload  neighbours
 * @structure none
 * @boxes     open periodic triclinic
 * @pass      begin_list item per coo
 * @pass      list_pairs item per particle * LANES
 * @pass      add_counts group per csr_row / SCANNED
 * @pass      scan_sums group per csr
 * @pass      begin_rows group per csr_row / SCANNED
 * @pass      fill_pairs item per csr_row * LANES
 * @tunable   GROUP_SIZE 64 128* 256
 * @tunable   LANES 32* 64 128 256
 * @tunable   SCANNED 2048
 * @scratch   sums int particle / SCANNED
 * @warps     32
 * @source    our own
 */
#if HAVE_BALLOT
#define WARPS (LIST_FORM == LIST_COO ? LANES / 32 : 1) /* of a particle */

/* A warp's particle, how many of its entries are staged, and how many are written. */
typedef struct {
    line_source source;
    own_row row;
    int staged, written, counts_only;
} warp_list;

/* Stages the entries of lanes that have one. Every lane calls it. */
DEVICE void take_entries(warp_list *list, int passes, int place, int packed, box_args box, GLOBAL int *RESTRICT pair_count,
                         GLOBAL int *RESTRICT pair_first, ENTRY_PARAMETERS)
{
    const uint votes = BALLOT(passes);
    if (!list->counts_only && passes) {
        const int at = list->staged + BIT_COUNT(votes & LANES_BEFORE);
        list->source.entries[at] = place;
        list->source.images[at] = packed;
    }
    list->staged += BIT_COUNT(votes);
    if (!list->counts_only && list->staged > STAGE - 32) {
        write_staged(&list->source, &list->row, 1, list->staged, 0, box, pair_count, pair_first, ENTRY_ARGUMENTS);
        list->written += list->staged;
        list->staged = 0;
    }
}

/* How many edges to either side of the nearest image another may be within the cutoff; all lanes of the warp ask together. */
DEVICE int edges_aside(real difference, real edge, int most, real cutoff)
{
    return most > 0 && BALLOT(edge - FABS(difference) <= cutoff) != 0 ? most : 0;
}

/* Counts the entries that a warp of particle i has, and writes them unless `counts_only`. */
DEVICE void list_one(int i, int warp, int particles_per_box, int counts_only, GLOBAL const real4 *RESTRICT position, LOCAL_ARG int *entries,
                     LOCAL_ARG int *images, box_args box, real cutoff2, GLOBAL const int *RESTRICT row_begin,
                     int neighbour_capacity, GLOBAL int *RESTRICT neighbour_count, GLOBAL int *RESTRICT pair_count,
                     GLOBAL int *RESTRICT pair_first, ENTRY_PARAMETERS PAIR_PARAMETERS)
{
    const int lane = LOCAL_ID % 32;
    const real4 own = position[i];
    warp_list list;
    list.source.entries = entries;
    list.source.images = images;
    list.source.position = position;
    list.source.index = 0;
    list.source.is_sorted = 0;
    list.row = row_of_particle(i, own, row_begin, neighbour_capacity, counts_only);
    list.staged = 0;
    list.written = 0;
    list.counts_only = counts_only;
    const int own_key = OWN_KEY(i, i);
#if PERIODIC
    const real cutoff = SQRT(cutoff2) * REAL(1.00001);
    const int4 aside = make_int4((int)(cutoff * box.inverse_edge.x + REAL(0.5)), (int)(cutoff * box.inverse_edge.y + REAL(0.5)),
                                 (int)(cutoff * box.inverse_edge.z + REAL(0.5)), 0);
#endif
    const int first = i / particles_per_box * particles_per_box;
    const int stop = first + particles_per_box;
    const int begin = LIST_HALF ? first + ((i - first) & ~31) : first;
    for (int start = begin + 32 * warp; start < stop; start += 32 * WARPS) {
        const int j = start + lane;
        real4 other = position[j < stop ? j : stop - 1];
        other.z = j < stop ? other.z : NOWHERE;
        real dx = other.x - own.x;
        real dy = other.y - own.y;
        real dz = other.z - own.z;
        const int partner = j < stop ? j : i;
        const int left_out = PAIR_IS_LEFT_OUT(i, partner);
#if PERIODIC
        /* the nearest image along each vector, the third first, and then those aside */
        const real edges_z = ROUND_NEAREST(dz * box.inverse_edge.z);
        dz = FMA(-box.edge.z, edges_z, dz);
#if TRICLINIC
        dy = FMA(-box.tilt.z, edges_z, dy);
        dx = FMA(-box.tilt.y, edges_z, dx);
#endif
        const int aside_z = edges_aside(dz, box.edge.z, aside.z, cutoff);
        for (int a = -aside_z; a <= aside_z; a++) {
            const real z = FMA(box.edge.z, (real)a, dz);
            if (BALLOT(FABS(z) <= cutoff) == 0) {
                continue;
            }
            real y0 = dy;
            real x0 = dx;
#if TRICLINIC
            y0 = FMA(box.tilt.z, (real)a, y0);
            x0 = FMA(box.tilt.y, (real)a, x0);
#endif
            const real edges_y = ROUND_NEAREST(y0 * box.inverse_edge.y);
            y0 = FMA(-box.edge.y, edges_y, y0);
#if TRICLINIC
            x0 = FMA(-box.tilt.x, edges_y, x0);
#endif
            const int aside_y = edges_aside(y0, box.edge.y, aside.y, cutoff);
            for (int b = -aside_y; b <= aside_y; b++) {
                const real y = FMA(box.edge.y, (real)b, y0);
                real x1 = x0;
#if TRICLINIC
                x1 = FMA(box.tilt.x, (real)b, x1);
#endif
                const real edges_x = ROUND_NEAREST(x1 * box.inverse_edge.x);
                x1 = FMA(-box.edge.x, edges_x, x1);
                const int aside_x = edges_aside(x1, box.edge.x, aside.x, cutoff);
                for (int c = -aside_x; c <= aside_x; c++) {
                    const real x = FMA(box.edge.x, (real)c, x1);
                    const int packed = j < stop ? pack_shift(c - (int)edges_x, b - (int)edges_y, a - (int)edges_z) : HOME_SHIFT;
                    const int passes = PAIR_WITHIN(FMA(x, x, FMA(y, y, z * z)), i, partner, cutoff2) &&
                                       KEYS_ARE_LISTED(own_key, PARTNER_KEY(j, j, packed)) && !left_out;
                    take_entries(&list, passes, j, packed, box, pair_count, pair_first, ENTRY_ARGUMENTS);
                }
            }
        }
#else
        const int passes = PAIR_WITHIN(FMA(dx, dx, FMA(dy, dy, dz * dz)), i, partner, cutoff2) &&
                           KEYS_ARE_LISTED(own_key, PARTNER_KEY(j, j, HOME_SHIFT)) && !left_out;
        take_entries(&list, passes, j, HOME_SHIFT, box, pair_count, pair_first, ENTRY_ARGUMENTS);
#endif
    }
    if (!counts_only) {
        write_staged(&list.source, &list.row, 1, list.staged, 1, box, pair_count, pair_first, ENTRY_ARGUMENTS);
    }
    if (lane == 0 && (counts_only || LIST_FORM == LIST_MATRIX)) {
        neighbour_count[i] = list.written + list.staged;
    }
}
#else
/* Where no ballots are, a work-item lists a particle. */
DEVICE int list_alone(int i, int particles_per_box, long64 at, long64 end, GLOBAL const real4 *RESTRICT position, box_args box, int4 images,
                      real cutoff2, ENTRY_PARAMETERS PAIR_PARAMETERS)
{
    const real4 own = position[i];
    const int first = i / particles_per_box * particles_per_box;
    int count = 0;
    for (int image = 0; image < (2 * images.x + 1) * (2 * images.y + 1) * (2 * images.z + 1); image++) {
        const int x = image % (2 * images.x + 1) - images.x;
        const int y = image / (2 * images.x + 1) % (2 * images.y + 1) - images.y;
        const int z = image / (2 * images.x + 1) / (2 * images.y + 1) - images.z;
        const real4 shift = box_shift(x, y, z, box);
        for (int j = LIST_HALF ? i : first; j < first + particles_per_box; j++) {
            const real4 r = vector_to(own, position[j], shift);
            if (PAIR_WITHIN(r.w, i, j, cutoff2) && is_listed(i, j, x, y, z) && !PAIR_IS_LEFT_OUT(i, j)) {
                if (at + count < end) {
                    store_neighbour(at + count, j, x, y, z, r, ENTRY_ARGUMENTS);
                }
                count++;
            }
        }
    }
    return count;
}
#endif

/* ---- the passes ---- */

KERNEL void begin_list(GLOBAL int *RESTRICT pair_count)
{
    if (GLOBAL_ID == 0) {
        pair_count[0] = 0;
    }
}

KERNEL void list_pairs(int n, int particles_per_box, GLOBAL const real4 *RESTRICT position, box_args box, int4 images, real cutoff2,
                       int neighbour_capacity, GLOBAL int *RESTRICT neighbour_count, GLOBAL int *RESTRICT pair_count,
                       GLOBAL int *RESTRICT pair_first, GLOBAL int *RESTRICT neighbours,
                       GLOBAL shift_t *RESTRICT neighbour_shifts, GLOBAL real *RESTRICT neighbour_vectors,
                       GLOBAL real *RESTRICT neighbour_distances PAIR_PARAMETERS)
{
    const int i = GLOBAL_ID / LANES;
#if HAVE_BALLOT
    LOCAL int entries[GROUP_SIZE / 32 * STAGE];
    LOCAL int images_of_entries[GROUP_SIZE / 32 * STAGE];
    const int stage = LOCAL_ID / 32 * STAGE;
    const int warp = GLOBAL_ID % LANES / 32;
    if (i < n && warp < WARPS) {
        list_one(i, warp, particles_per_box, LIST_FORM == LIST_CSR, position, entries + stage, images_of_entries + stage, box, cutoff2, 0,
                 neighbour_capacity, neighbour_count, pair_count, pair_first, ENTRY_ARGUMENTS PAIR_ARGUMENTS);
    }
#else
    if (GLOBAL_ID % LANES == 0 && i < n) {
        const long64 row = LIST_FORM == LIST_MATRIX ? (long64)i * neighbour_capacity : 0;
        const int count = list_alone(i, particles_per_box, row, LIST_FORM == LIST_MATRIX ? row + neighbour_capacity : 0, position, box, images,
                                     cutoff2, ENTRY_ARGUMENTS PAIR_ARGUMENTS);
#if LIST_FORM == LIST_COO
        const int at = ATOMIC_ADD_INT(pair_count, count);
        list_alone(i, particles_per_box, at, neighbour_capacity, position, box, images, cutoff2, ENTRY_ARGUMENTS PAIR_ARGUMENTS);
        for (int e = at; e < at + count && e < neighbour_capacity; e++) {
            pair_first[e] = i;
        }
#else
        neighbour_count[i] = count;
#endif
        for (int e = count; LIST_FORM == LIST_MATRIX && e < neighbour_capacity; e++) {
            neighbours[row + e] = -1;
        }
    }
#endif
}

KERNEL void add_counts(int n, GLOBAL const int *RESTRICT neighbour_count, GLOBAL int *RESTRICT sums)
{
#if LIST_FORM == LIST_CSR
    LOCAL int scratch[GROUP_SIZE];
    add_counts_of_group(scratch, n, neighbour_count, sums);
#endif
}

KERNEL void scan_sums(int n, GLOBAL int *RESTRICT row_begin, GLOBAL int *RESTRICT pair_count, GLOBAL int *RESTRICT sums)
{
#if LIST_FORM == LIST_CSR
    LOCAL int scratch[GROUP_SIZE];
    scan_group_sums(scratch, n, row_begin, pair_count, sums);
#endif
}

KERNEL void begin_rows(int n, GLOBAL const int *RESTRICT neighbour_count, GLOBAL int *RESTRICT row_begin,
                       GLOBAL const int *RESTRICT sums)
{
#if LIST_FORM == LIST_CSR
    LOCAL int scratch[GROUP_SIZE];
    begin_rows_of_group(scratch, n, neighbour_count, row_begin, sums);
#endif
}

KERNEL void fill_pairs(int n, int particles_per_box, GLOBAL const real4 *RESTRICT position, box_args box, int4 images, real cutoff2,
                       int neighbour_capacity, GLOBAL const int *RESTRICT row_begin, GLOBAL int *RESTRICT neighbours,
                       GLOBAL shift_t *RESTRICT neighbour_shifts, GLOBAL real *RESTRICT neighbour_vectors,
                       GLOBAL real *RESTRICT neighbour_distances PAIR_PARAMETERS)
{
#if LIST_FORM == LIST_CSR
    const int i = GLOBAL_ID / LANES;
#if HAVE_BALLOT
    LOCAL int entries[GROUP_SIZE / 32 * STAGE];
    LOCAL int images_of_entries[GROUP_SIZE / 32 * STAGE];
    const int stage = LOCAL_ID / 32 * STAGE;
    const int warp = GLOBAL_ID % LANES / 32;
    if (i < n && warp < WARPS) {
        list_one(i, warp, particles_per_box, 0, position, entries + stage, images_of_entries + stage, box, cutoff2, row_begin, neighbour_capacity, 0,
                 0, 0, ENTRY_ARGUMENTS PAIR_ARGUMENTS);
    }
#else
    if (GLOBAL_ID % LANES == 0 && i < n) {
        list_alone(i, particles_per_box, row_begin[i], neighbour_capacity, position, box, images, cutoff2, ENTRY_ARGUMENTS PAIR_ARGUMENTS);
    }
#endif
#endif
}
