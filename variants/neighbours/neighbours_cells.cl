/*
 * neighbours_cells — a warp per few particles of neighbouring cells tests 32 candidates at a time and writes whole lines
 *
 * TOGETHER particles that follow each other in the order of cells share their candidates, as far as they are of one row of
 * cells and near to each other: rows of cells along x around the box that bounds them, one row per lane, each cut to what
 * the search reaches. The rows are joined to one sequence, so that every lane has a candidate: a scan says where each row
 * begins. A candidate is read once and tested against all of the particles; votes say where in a particle's list a lane's
 * entry goes. Entries wait in local memory (neighbour_lines.cl).
 *
 * A matrix takes one search. Rows of CSR are counted, scanned and filled. For COO a warp reserves room for what it staged
 * by one atomic addition.
 *
 * Every image within the cutoff is listed, as long as the cutoff is below the least height of the cell: others are
 * unsupported. A periodic box may have 2^27 particles.
 *
 * @workload  neighbours
 * @structure sorted_cells
 * @boxes     open periodic triclinic
 * @pass      begin_list item per coo
 * @pass      list_cells item per particle / TOGETHER * LANES
 * @pass      add_counts group per csr_row / SCANNED
 * @pass      scan_sums group per csr
 * @pass      begin_rows group per csr_row / SCANNED
 * @pass      fill_cells item per csr_row / TOGETHER * LANES
 * @tunable   GROUP_SIZE 64 128* 256
 * @tunable   TOGETHER 1 2 4* 8
 * @tunable   LANES 32
 * @tunable   SCANNED 2048
 * @tunable   CELLS_PER_CUTOFF 1 2* 3
 * @tunable   STABLE_SORT 0* 1
 * @scratch   sums int particle / SCANNED
 * @warps     32
 * @source    our own; the vote that finds a place after sorted_cells_ballot
 */
#if HAVE_BALLOT

/* What the lanes of a warp know of the rows of candidates that they have in common, one row per lane. */
typedef struct {
    LOCAL_ARG int *first, *image; /* sorted particle of the sequence's beginning, were it all of this row; where it is seen */
    LOCAL_ARG real4 *shift;       /* the same as a vector */
} warp_rows;

/* The least and greatest of what the lanes that take part have; all of the warp call it, lanes alike `together` apart. */
DEVICE void bound_together(int takes_part, real4 position, int together, real4 *low, real4 *high)
{
    const real far = REAL(1.0e30);
    *low = takes_part ? position : make_real4(far, far, far, 0);
    *high = takes_part ? position : make_real4(-far, -far, -far, 0);
    for (int apart = 1; apart < together; apart *= 2) {
        const int other = LOCAL_ID % 32 ^ apart;
        low->x = MIN_REAL(low->x, SHUFFLE(low->x, other));
        low->y = MIN_REAL(low->y, SHUFFLE(low->y, other));
        low->z = MIN_REAL(low->z, SHUFFLE(low->z, other));
        high->x = MAX_REAL(high->x, SHUFFLE(high->x, other));
        high->y = MAX_REAL(high->y, SHUFFLE(high->y, other));
        high->z = MAX_REAL(high->z, SHUFFLE(high->z, other));
    }
}

#if !TRICLINIC
/* Row `index` of those around a box, of particles in cells first_home to last_home of one row; see row_around. */
DEVICE cell_row row_around_box(cell_grid grid, real4 low, real4 high, int4 first_home, int last_home, int index)
{
    const int rows_y = 2 * grid.reach.y + 1;
    const int rows_z_before = (int)(((real)index + REAL(0.5)) * RECIP((real)rows_y)); /* index / rows_y, for less */
    const int y = first_home.y - grid.reach.y + index - rows_z_before * rows_y;
    const int z = first_home.z - grid.reach.z + rows_z_before;
    const real slab_y = grid.origin.y + y * grid.width.y;
    const real slab_z = grid.origin.z + z * grid.width.z;
    const real gap_y = MAX_REAL(REAL(0.0), MAX_REAL(slab_y - high.y, low.y - (slab_y + grid.width.y)));
    const real gap_z = MAX_REAL(REAL(0.0), MAX_REAL(slab_z - high.z, low.z - (slab_z + grid.width.z)));
    const real left2 = grid.search_radius2 - gap_z * gap_z - gap_y * gap_y;
    cell_row row;
    row.image_y = image_of_cell(y, grid.cells.y);
    row.image_z = image_of_cell(z, grid.cells.z);
    row.number =
        ((z - row.image_z * grid.cells.z) * grid.cells.y + (y - row.image_y * grid.cells.y)) * grid.cells.x;
    row.first_image = 0;
    row.last_image = -1;
    if (left2 >= 0 && (PERIODIC || (row.image_y == 0 && row.image_z == 0))) {
        const real left = SQRT(left2);
        const int first = (int)FLOOR((low.x - left - grid.origin.x) * grid.inverse_width.x);
        const int last = (int)FLOOR((high.x + left - grid.origin.x) * grid.inverse_width.x);
        row.first = first < first_home.x - grid.reach.x ? first_home.x - grid.reach.x : first;
        row.last = last > last_home + grid.reach.x ? last_home + grid.reach.x : last;
        row.first_image = PERIODIC ? image_of_cell(row.first, grid.cells.x) : 0;
        row.last_image = PERIODIC ? image_of_cell(row.last, grid.cells.x) : 0;
    }
    return row;
}
#endif

/* Row `index` of those that the particles of lanes `members` have in common. */
DEVICE cell_row row_in_common(cell_grid grid, uint members, real4 own, int4 home, int index, int together)
{
    const int first = lowest_bit(members);
    const int last = 31 - LEADING_ZEROS(members);
    int4 first_home = home;
    first_home.x = SHUFFLE(home.x, first);
    first_home.y = SHUFFLE(home.y, first);
    first_home.z = SHUFFLE(home.z, first);
#if TRICLINIC
    /* what any of them reaches */
    cell_row row;
    row.first_image = 0;
    row.last_image = -1;
    for (int p = first; p <= last; p++) {
        const real4 position = make_real4(SHUFFLE(own.x, p), SHUFFLE(own.y, p), SHUFFLE(own.z, p), 0);
        int4 own_home = first_home;
        own_home.x = SHUFFLE(home.x, p);
        const cell_row its = row_around(grid, position, own_home, index);
        if (its.first_image <= its.last_image && its.first <= its.last) {
            const int is_first = row.first_image > row.last_image;
            const int from = is_first || its.first < row.first ? its.first : row.first;
            const int to = is_first || its.last > row.last ? its.last : row.last;
            row = its;
            row.first = from;
            row.last = to;
            row.first_image = PERIODIC ? image_of_cell(from, grid.cells.x) : 0;
            row.last_image = PERIODIC ? image_of_cell(to, grid.cells.x) : 0;
        }
    }
    return row;
#else
    real4 low;
    real4 high;
    bound_together(members >> LOCAL_ID % together & 1, own, together, &low, &high);
    return row_around_box(grid, low, high, first_home, SHUFFLE(home.x, last), index);
#endif
}

#define UNROLL_TOGETHER _Pragma("unroll")

/* The particles that a warp lists together, known to all lanes. */
typedef struct {
    real x[TOGETHER], y[TOGETHER], z[TOGETHER];
    int key[TOGETHER], index[TOGETHER];
} own_particles;

/* Whom a lane tries with them: not a number where there is nobody. */
typedef struct {
    real4 at, shift;
    int entry, index, key;
} candidate;

/* Tests a candidate per lane with each of the particles, counts and stages those within the cutoff. Returns the greatest count. The
 * difference comes before the shift, so that both sides of a pair find the same distance, to the last bit. */
DEVICE int test_candidate(candidate other, int is_shifted, int counts_only, stage_address stage, const own_particles *owners,
                          int *count, real cutoff2 PAIR_PARAMETERS)
{
    int most = 0;
    UNROLL_TOGETHER for (int p = 0; p < TOGETHER; p++) {
        real dx = other.at.x - owners->x[p];
        real dy = other.at.y - owners->y[p];
        real dz = other.at.z - owners->z[p];
        if (is_shifted) {
            dx += other.shift.x;
            dy += other.shift.y;
            dz += other.shift.z;
        }
        const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
        const int passes = PAIR_WITHIN(r2, owners->index[p], other.index, cutoff2) &&
                           KEYS_ARE_LISTED(owners->key[p], other.key) && !PAIR_IS_LEFT_OUT(owners->index[p], other.index);
        const uint votes = BALLOT(passes);
        if (!counts_only && passes) {
            stage_entry(stage, p * STAGE + count[p] + BIT_COUNT(votes & LANES_BEFORE), other.entry);
        }
        count[p] += BIT_COUNT(votes);
        most = count[p] > most ? count[p] : most;
    }
    return most;
}

/* Counts the entries of the particles at the places from `first_place` on, and writes them unless `counts_only`. */
DEVICE void list_together(int first_place, int n, int counts_only, cell_grid grid, GLOBAL const int *RESTRICT cell_start,
                          const line_source *source, const warp_rows *rows_found, box_args box, real cutoff2,
                          GLOBAL const int *RESTRICT row_begin, int neighbour_capacity, GLOBAL int *RESTRICT neighbour_count,
                          GLOBAL int *RESTRICT pair_count, GLOBAL int *RESTRICT pair_first, ENTRY_PARAMETERS PAIR_PARAMETERS)
{
    const int lane = LOCAL_ID % 32;
    const int k = first_place + lane % TOGETHER;
    const int place = k < n ? k : n - 1;
    own_row row =
        row_of_particle(source->index[place], source->position[place], row_begin, neighbour_capacity, counts_only);
    const int4 home = grid_cell(grid, row.position);
    const int rows = rows_around(grid);
    const stage_address stage = address_of_stage(source->entries);
    uint todo = BALLOT(lane < TOGETHER && k < n);
    while (todo != 0) {
        /* those that are in one row of cells and near to each other */
        const int leader = lowest_bit(todo);
        const int4 first_home = make_int4(SHUFFLE(home.x, leader), SHUFFLE(home.y, leader), SHUFFLE(home.z, leader), 0);
        const int is_member = (todo >> lane % TOGETHER & 1) != 0 && home.y == first_home.y && home.z == first_home.z &&
                              home.x - first_home.x <= CELLS_PER_CUTOFF;
        const uint members = BALLOT(lane < TOGETHER && is_member);
        own_particles owners;
        int count[TOGETHER]; /* that are staged, or all */
        int found = 0;       /* of a lane's particle, those that are written */
        todo &= ~members;
        UNROLL_TOGETHER for (int p = 0; p < TOGETHER; p++) {
            owners.x[p] = SHUFFLE(is_member ? row.position.x : NOWHERE, p);
            owners.y[p] = SHUFFLE(row.position.y, p);
            owners.z[p] = SHUFFLE(row.position.z, p);
            owners.index[p] = SHUFFLE(row.index, p);
            owners.key[p] = SHUFFLE(OWN_KEY(k, row.index), p);
            count[p] = 0;
        }
        for (int first_row = 0; first_row < rows; first_row += 32) {
            const int index = first_row + lane < rows ? first_row + lane : rows - 1;
            cell_row common = row_in_common(grid, members, row.position, home, index, TOGETHER);
            if (first_row + lane >= rows) {
                common.last_image = common.first_image - 1;
            }
            for (int image = PERIODIC ? -1 : 0; image <= (PERIODIC ? 1 : 0); image++) {
                if (BALLOT(common.first_image <= image && image <= common.last_image) == 0) {
                    continue;
                }
                const particle_run run = run_in_reach(grid, cell_start, common, image);
                const int has_some = run.begin < run.stop;
                const uint with_some = BALLOT(has_some);
                if (with_some == 0) {
                    continue;
                }
                /* join the rows to a sequence */
                const int upto = sum_up_to(has_some ? run.stop - run.begin : 0);
                const int begins = has_some ? upto - (run.stop - run.begin) : upto;
                const int total = SHUFFLE(upto, 31);
                const int is_shifted =
                    PERIODIC && BALLOT(has_some && (image != 0 || common.image_y != 0 || common.image_z != 0)) != 0;
                SYNC_WARPS;
                if (has_some) {
                    const int number = BIT_COUNT(with_some & LANES_BEFORE);
                    rows_found->first[number] = run.begin - begins;
#if PERIODIC
                    rows_found->image[number] = pack_shift(image, common.image_y, common.image_z);
                    rows_found->shift[number] = box_shift(image, common.image_y, common.image_z, box);
#endif
                }
                SYNC_WARPS;
                int row_number = -1; /* of the sequence's, before the next 32 candidates */
                for (int start = 0; start < total; start += 32) {
                    /* a candidate per lane */
                    const uint begin_here =
                        bits_of_warp(has_some && begins >= start && begins < start + 32 ? 1u << (begins - start) : 0);
                    const int of = row_number + BIT_COUNT(begin_here & (LANES_BEFORE | 1u << lane));
                    row_number += BIT_COUNT(begin_here);
                    const int is_one = start + lane < total;
                    const int j = is_one ? rows_found->first[of] + start + lane : 0;
                    candidate other;
                    other.at = source->position[j];
                    other.at.x = is_one ? other.at.x : NOWHERE;
                    other.index = INDEX_IS_TESTED ? source->index[j] : 0;
                    int most;
                    if (is_shifted) {
                        const int packed = rows_found->image[of];
                        other.shift = rows_found->shift[of];
                        other.key = PARTNER_KEY(j, other.index, packed);
                        other.entry = staged_entry(j, packed);
                        most = test_candidate(other, 1, counts_only, stage, &owners, count, cutoff2 PAIR_ARGUMENTS);
                    } else {
                        other.key = PARTNER_KEY(j, other.index, HOME_SHIFT);
                        other.entry = j;
                        most = test_candidate(other, 0, counts_only, stage, &owners, count, cutoff2 PAIR_ARGUMENTS);
                    }
                    if (!counts_only && most > STAGE - 32) {
                        int staged = 0;
                        UNROLL_TOGETHER for (int p = 0; p < TOGETHER; p++) {
                            staged = lane == p ? count[p] : staged;
                            count[p] = 0;
                        }
                        write_staged(source, &row, members, staged, 0, box, pair_count, pair_first, ENTRY_ARGUMENTS);
                        found += staged;
                    }
                }
            }
        }
        int staged = 0;
        UNROLL_TOGETHER for (int p = 0; p < TOGETHER; p++) {
            staged = lane == p ? count[p] : staged;
        }
        if (!counts_only) {
            write_staged(source, &row, members, staged, 1, box, pair_count, pair_first, ENTRY_ARGUMENTS);
        }
        if (members >> lane & 1 && (counts_only || LIST_FORM == LIST_MATRIX)) {
            neighbour_count[row.index] = found + staged;
        }
    }
}
#else
/* Where no ballots are, work-items list one particle each. What is within the cutoff is staged without a branch, since a
 * processor foresees few of those: an entry is a place and an image, as in neighbour_lines.cl. */
#define STAGED 64

/* Writes the staged entries of particle i to places from `at` on, as far as `end`. */
DEVICE void write_entries(const int *staged, int count, int i, real4 own, long64 at, long64 end,
                          GLOBAL const real4 *RESTRICT sorted_position, GLOBAL const int *RESTRICT sorted_index,
                          box_args box, GLOBAL int *RESTRICT pair_first, ENTRY_PARAMETERS)
{
    for (int e = 0; e < count && at + e < end; e++) {
        const int j = staged[e] & ((1 << PLACE_BITS) - 1);
        const int packed = packed_of_upper_bits((int)((uint)staged[e] >> PLACE_BITS));
        const int x = shift_part(packed, 0);
        const int y = shift_part(packed, 1);
        const int z = shift_part(packed, 2);
        const real4 to = vector_to(own, sorted_position[j], box_shift(x, y, z, box));
        store_neighbour(at + e, sorted_index[j], x, y, z, to, ENTRY_ARGUMENTS);
#if LIST_FORM == LIST_COO
        pair_first[at + e] = i;
#endif
    }
}

/* How many entries the particle at place k has; unless `counts_only` they are written from `at` on, or of COO where there is room. */
DEVICE int list_place(int k, int counts_only, cell_grid grid, long64 at, long64 end, GLOBAL const int *RESTRICT cell_start,
                      GLOBAL const real4 *RESTRICT sorted_position, GLOBAL const int *RESTRICT sorted_index, box_args box,
                      real cutoff2, GLOBAL int *RESTRICT pair_count, GLOBAL int *RESTRICT pair_first,
                      ENTRY_PARAMETERS PAIR_PARAMETERS)
{
    const real4 own = sorted_position[k];
    const int i = sorted_index[k];
    const int own_key = OWN_KEY(k, i);
    const int4 home = grid_cell(grid, own);
    const int rows = rows_around(grid);
    int staged[STAGED];
    int count = 0;
    int written = 0;
    for (int r = 0; r < rows; r++) {
        const cell_row row = row_around(grid, own, home, r);
        for (int image = row.first_image; image <= row.last_image; image++) {
            const real4 shift = box_shift(image, row.image_y, row.image_z, box);
            const int packed = pack_shift(image, row.image_y, row.image_z);
            const int entry = staged_entry(0, packed);
            const int stop = cell_start[row_stop(grid, row, image)];
            for (int j = cell_start[row_begin(grid, row, image)]; j < stop; j++) {
                const real4 to = vector_to(own, sorted_position[j], shift);
                const int partner = INDEX_IS_TESTED ? sorted_index[j] : 0;
                const int passes = PAIR_WITHIN(to.w, i, partner, cutoff2) & KEYS_ARE_LISTED(own_key, PARTNER_KEY(j, partner, packed));
                staged[count % STAGED] = entry | j;
                count += passes && !PAIR_IS_LEFT_OUT(i, partner);
                if (count - written == STAGED && !counts_only) {
#if LIST_FORM == LIST_COO
                    at = ATOMIC_ADD_INT(pair_count, STAGED) - written;
#endif
                    write_entries(staged, STAGED, i, own, at + written, end, sorted_position, sorted_index, box, pair_first,
                                  ENTRY_ARGUMENTS);
                    written = count;
                }
            }
        }
    }
    if (!counts_only) {
#if LIST_FORM == LIST_COO
        at = ATOMIC_ADD_INT(pair_count, count - written) - written;
#endif
        write_entries(staged, count - written, i, own, at + written, end, sorted_position, sorted_index, box, pair_first,
                      ENTRY_ARGUMENTS);
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

#if HAVE_BALLOT
#define WARPS (GROUP_SIZE / 32)
#define LOCAL_MEMORY                                                                                                         \
    LOCAL int entries[WARPS * TOGETHER * STAGE];                                                                             \
    LOCAL int row_first[GROUP_SIZE];                                                                                         \
    LOCAL int row_image[GROUP_SIZE];                                                                                         \
    LOCAL real4 row_shift[GROUP_SIZE];                                                                                       \
    const int warp = LOCAL_ID / 32;                                                                                          \
    const line_source source = { entries + warp * TOGETHER * STAGE, 0, sorted_position, sorted_index, 1 };                   \
    const warp_rows rows_found = { row_first + warp * 32, row_image + warp * 32, row_shift + warp * 32 };
#else
#define LOCAL_MEMORY
#endif

KERNEL void list_cells(int n, int4 cells, int4 reach, real4 cell_width, real4 inverse_cell_width, real4 cell_origin,
                       real search_radius2, GLOBAL const int *RESTRICT cell_start,
                       GLOBAL const real4 *RESTRICT sorted_position, GLOBAL const int *RESTRICT sorted_index, box_args box,
                       real cutoff2, int neighbour_capacity, GLOBAL int *RESTRICT neighbour_count,
                       GLOBAL int *RESTRICT pair_count, GLOBAL int *RESTRICT pair_first, GLOBAL int *RESTRICT neighbours,
                       GLOBAL shift_t *RESTRICT neighbour_shifts, GLOBAL real *RESTRICT neighbour_vectors,
                       GLOBAL real *RESTRICT neighbour_distances PAIR_PARAMETERS)
{
    LOCAL_MEMORY
    const cell_grid grid =
        make_cell_grid(cells, reach, cell_width, inverse_cell_width, cell_origin, search_radius2, box);
    const int first = GLOBAL_ID / LANES * TOGETHER;
#if HAVE_BALLOT
    if (first < n) {
        list_together(first, n, LIST_FORM == LIST_CSR, grid, cell_start, &source, &rows_found, box, cutoff2, 0,
                      neighbour_capacity, neighbour_count, pair_count, pair_first, ENTRY_ARGUMENTS PAIR_ARGUMENTS);
    }
#else
    const int k = first + LOCAL_ID % LANES;
    if (LOCAL_ID % LANES < TOGETHER && k < n) {
        const int i = sorted_index[k];
        const long64 row = LIST_FORM == LIST_MATRIX ? (long64)i * neighbour_capacity : 0;
        const int count = list_place(k, LIST_FORM == LIST_CSR, grid, row, row + neighbour_capacity, cell_start, sorted_position,
                                     sorted_index, box, cutoff2, pair_count, pair_first, ENTRY_ARGUMENTS PAIR_ARGUMENTS);
#if LIST_FORM != LIST_COO
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

KERNEL void fill_cells(int n, int4 cells, int4 reach, real4 cell_width, real4 inverse_cell_width, real4 cell_origin,
                       real search_radius2, GLOBAL const int *RESTRICT cell_start,
                       GLOBAL const real4 *RESTRICT sorted_position, GLOBAL const int *RESTRICT sorted_index, box_args box,
                       real cutoff2, int neighbour_capacity, GLOBAL const int *RESTRICT row_begin,
                       GLOBAL int *RESTRICT neighbours, GLOBAL shift_t *RESTRICT neighbour_shifts,
                       GLOBAL real *RESTRICT neighbour_vectors, GLOBAL real *RESTRICT neighbour_distances PAIR_PARAMETERS)
{
#if LIST_FORM == LIST_CSR
    LOCAL_MEMORY
    const cell_grid grid =
        make_cell_grid(cells, reach, cell_width, inverse_cell_width, cell_origin, search_radius2, box);
    const int first = GLOBAL_ID / LANES * TOGETHER;
#if HAVE_BALLOT
    if (first < n) {
        list_together(first, n, 0, grid, cell_start, &source, &rows_found, box, cutoff2, row_begin, neighbour_capacity, 0, 0,
                      0, ENTRY_ARGUMENTS PAIR_ARGUMENTS);
    }
#else
    const int k = first + LOCAL_ID % LANES;
    if (LOCAL_ID % LANES < TOGETHER && k < n) {
        list_place(k, 0, grid, row_begin[sorted_index[k]], neighbour_capacity, cell_start, sorted_position, sorted_index, box,
                   cutoff2, 0, 0, ENTRY_ARGUMENTS PAIR_ARGUMENTS);
    }
#endif
#endif
}
