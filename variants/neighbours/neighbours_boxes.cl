/*
 * neighbours_boxes — batches of small boxes: a group stages the boxes of some particles in local memory and lists these
 *
 * A warp takes TOGETHER particles of a box at a time and tests 32 of the box with each. Of a pair the nearest image comes first;
 * others are looked for only where they may be within the cutoff, which few are as long as it is about half an edge. Votes say
 * where in a row a lane's entry goes, and rows wait in local memory, a word per entry. A row of a matrix that begins at a multiple
 * of four is written four numbers at a time, without a gap.
 *
 * Where two boxes have more than TILE particles, a work-item lists a particle, as it does without ballots. A box that is
 * no batch is a batch of one.
 *
 * @workload  neighbours
 * @structure none
 * @boxes     open periodic triclinic
 * @pass      begin_list item per coo
 * @pass      list_boxes group per particle / ROWS
 * @pass      add_counts group per csr_row / SCANNED
 * @pass      scan_sums group per csr
 * @pass      begin_rows group per csr_row / SCANNED
 * @pass      fill_boxes group per csr_row / ROWS
 * @tunable   GROUP_SIZE 64 128* 256
 * @tunable   ROWS 16 32* 64 128
 * @tunable   TOGETHER 1 2* 4
 * @tunable   TILE 128 256* 512 1024 2048
 * @holds     TILE max(2 * particles_per_box, 3 * ROWS)
 * @tunable   SCANNED 2048
 * @scratch   sums int particle / SCANNED
 * @warps     32
 * @source    our own
 */
#if HAVE_BALLOT
#define UNROLL_TOGETHER _Pragma("unroll")
#define NOT_UNROLLED _Pragma("unroll 1")

/* ---- what is staged: of an entry its place in the box (11 bits) and above it seven bits for each component of the image ---- */

#define BOX_BITS 11
#define IMAGE_BITS 7
#define MOST_IMAGES 63 /* away, along each vector of the cell */
#define HOME_IMAGE ((MOST_IMAGES + 1) << 2 * IMAGE_BITS | (MOST_IMAGES + 1) << IMAGE_BITS | (MOST_IMAGES + 1))

DEVICE int box_word(int place, int x, int y, int z)
{
    return place + (HOME_IMAGE + (x << 2 * IMAGE_BITS) + (y << IMAGE_BITS) + z) * (1 << BOX_BITS);
}

DEVICE int word_place(int word)
{
    return word & ((1 << BOX_BITS) - 1);
}

/* All of the image; its lowest component, and others after a shift. */
DEVICE uint word_image(int word)
{
    return (uint)word >> BOX_BITS;
}
DEVICE int image_part(int image)
{
    return (image & ((1 << IMAGE_BITS) - 1)) - (MOST_IMAGES + 1);
}

/* ---- a warp ---- */

/* The particles that it lists together, known to all lanes; where there are fewer, x is not a number. */
typedef struct {
    real x[TOGETHER], y[TOGETHER], z[TOGETHER];
    int place[TOGETHER]; /* in the box */
} own_particles;

/* Their rows: how many entries are staged, STAGE words each, and written. */
typedef struct {
    stage_address stage;
    LOCAL_ARG const int *words;
    int begin_box; /* the first particle of their box */
    int counts_only;
    int count[TOGETHER], written[TOGETHER];
} box_rows;

/* What a kernel is given, as far as it is needed to write. */
#define ROW_PARAMETERS                                                                                              GLOBAL const real4 *RESTRICT position, box_args box, GLOBAL const int *RESTRICT row_begin, int neighbour_capacity,         GLOBAL int *RESTRICT pair_count, GLOBAL int *RESTRICT pair_first, ENTRY_PARAMETERS
#define ROW_ARGUMENTS position, box, row_begin, neighbour_capacity, pair_count, pair_first, ENTRY_ARGUMENTS

/* ---- writing ---- */

#if WITH_VECTORS || WITH_DISTANCES
/* Entries of particle i, `count` of them, from `begin` on: in lines, as neighbour_lines.cl has them. */
DEVICE void write_entries(const box_rows *rows, LOCAL_ARG const int *words, int i, int count, long64 begin, ROW_PARAMETERS)
{
    const int lane = LOCAL_ID % 32;
    const real4 own = position[i];
    for (int k = -((int)begin & 31); k < count; k += 32) {
        const int is_one = k + lane >= 0 && k + lane < count;
        const int word = is_one ? words[k + lane] : box_word(0, 0, 0, 0);
        const int image = (int)word_image(word);
        const int j = rows->begin_box + word_place(word);
        const int z = image_part(image);
        const int y = image_part(image >> IMAGE_BITS);
        const int x = image_part(image >> 2 * IMAGE_BITS);
        line_entry entry;
        entry.partner = is_one ? j : -1;
        entry.packed = pack_shift(x, y, z);
        entry.any_shift = PERIODIC;
        entry.vector = vector_to(own, position[j], box_shift(x, y, z, box));
        write_line(entry, begin + k, k < 0 ? -k : 0, count - k < 32 ? count - k : 32, i, pair_first, ENTRY_ARGUMENTS);
    }
}
#else
/* The same a number per lane. */
DEVICE void write_entries(const box_rows *rows, LOCAL_ARG const int *words, int i, int count, long64 begin, ROW_PARAMETERS)
{
    const int lane = LOCAL_ID % 32;
    NOT_UNROLLED for (int k = lane; k < count; k += 32) {
        neighbours[begin + k] = rows->begin_box + word_place(words[k]);
#if LIST_FORM == LIST_COO
        pair_first[begin + k] = i;
#endif
    }
#if WITH_SHIFTS
    NOT_UNROLLED for (int k = lane; k < 3 * count; k += 32) {
        const int e = k / 3;
        neighbour_shifts[3 * begin + k] = (shift_t)image_part((int)word_image(words[e]) >> IMAGE_BITS * (2 - (k - 3 * e)));
    }
#endif
}
#endif

/* Entries of a row where they go: behind those that are written, as far as there is room. Of a COO list room was reserved from
 * `first_pair` on. */
DEVICE void write_staged_row(const box_rows *rows, int p, int i, int count, int written, int first_pair, ROW_PARAMETERS)
{
    long64 begin = first_pair;
    long64 end = neighbour_capacity;
#if LIST_FORM == LIST_MATRIX
    begin = (long64)i * neighbour_capacity + written;
    end = (long64)(i + 1) * neighbour_capacity;
#elif LIST_FORM == LIST_CSR
    begin = (long64)row_begin[i] + written;
#endif
    const int room = (int)(end - begin); /* negative behind the end */
    write_entries(rows, rows->words + p * STAGE, i, count < room ? count : room, begin, ROW_ARGUMENTS);
}

DEVICE int reserve_pairs(int count, GLOBAL int *RESTRICT pair_count)
{
    int first = 0;
#if LIST_FORM == LIST_COO
    if (LOCAL_ID % 32 == 0 && count > 0) {
        first = ATOMIC_ADD_INT(pair_count, count);
    }
    first = SHUFFLE(first, 0);
#endif
    return first;
}

/* Makes room where the row of particle p is nearly full. All lanes of the warp call it. */
DEVICE void make_room(box_rows *rows, const own_particles *owners, int p, ROW_PARAMETERS)
{
    if (!rows->counts_only && rows->count[p] > STAGE - 32) {
        const int first_pair = reserve_pairs(rows->count[p], pair_count);
        SYNC_WARPS;
        write_staged_row(rows, p, rows->begin_box + owners->place[p], rows->count[p], rows->written[p], first_pair,
                         ROW_ARGUMENTS);
        SYNC_WARPS;
        rows->written[p] += rows->count[p];
        rows->count[p] = 0;
    }
}

/* Whether write_whole_row() is for such a list. */
#define WRITES_WHOLE_ROWS (LIST_FORM == LIST_MATRIX && !WITH_VECTORS && !WITH_DISTANCES)
#if WRITES_WHOLE_ROWS
/* A row of a matrix that is all staged and has `count` entries of `length`, a multiple of four as `begin` is. */
DEVICE void write_whole_row(LOCAL_ARG const int *words, int begin_box, int count, long64 begin, int length,
                            GLOBAL int *RESTRICT neighbours, GLOBAL shift_t *RESTRICT neighbour_shifts)
{
    const int lane = LOCAL_ID % 32;
    NOT_UNROLLED for (int k = 4 * lane; k < length; k += 128) {
        int4 four = make_int4(-1, -1, -1, -1);
        if (k < count) {
            const int4 staged = *(LOCAL_ARG const int4 *)(words + k);
            four.x = begin_box + word_place(staged.x);
            four.y = k + 1 < count ? begin_box + word_place(staged.y) : -1;
            four.z = k + 2 < count ? begin_box + word_place(staged.z) : -1;
            four.w = k + 3 < count ? begin_box + word_place(staged.w) : -1;
        }
        *(GLOBAL int4 *)(neighbours + begin + k) = four;
    }
#if WITH_SHIFTS
    /* four numbers of two entries, whose six are in a row */
    const int fours = (3 * count + 3) / 4;
    NOT_UNROLLED for (int q = lane; q < fours; q += 32) {
        const int e = q + q / 3;
        const long64 six = (long64)word_image(words[e]) << 3 * IMAGE_BITS | (long64)word_image(words[e + 1]);
        const long64 last = six >> IMAGE_BITS * (2 - q % 3);
        const int low = (int)last;
        const int high = (int)(last >> 2 * IMAGE_BITS);
        const int4 four =
            make_int4(image_part(high >> IMAGE_BITS), image_part(high), image_part(low >> IMAGE_BITS), image_part(low));
#if WITH_SHIFTS == 2
        ((GLOBAL int *)(neighbour_shifts + 3 * begin))[q] =
            (four.x & 255) | (four.y & 255) << 8 | (four.z & 255) << 16 | (int)((uint)four.w << 24);
#else
        ((GLOBAL int4 *)(neighbour_shifts + 3 * begin))[q] = four;
#endif
    }
#endif
}
#endif

/* Writes `members` rows of a warp, and says how long they are. */
DEVICE void write_rows(box_rows *rows, const own_particles *owners, int members, GLOBAL int *RESTRICT neighbour_count,
                       ROW_PARAMETERS)
{
    const int lane = LOCAL_ID % 32;
    int all = 0;
    if (rows->counts_only || LIST_FORM == LIST_MATRIX) {
        UNROLL_TOGETHER for (int p = 0; p < TOGETHER; p++) {
            if (lane == 0 && p < members) {
                neighbour_count[rows->begin_box + owners->place[p]] = rows->written[p] + rows->count[p];
            }
        }
    }
    if (rows->counts_only) {
        return;
    }
    UNROLL_TOGETHER for (int p = 0; p < TOGETHER; p++) {
        all += rows->count[p];
    }
    int first_pair = reserve_pairs(all, pair_count);
    SYNC_WARPS;
    UNROLL_TOGETHER for (int p = 0; p < TOGETHER; p++) {
        const int i = rows->begin_box + owners->place[p];
        const int count = rows->count[p];
        if (p < members) {
#if WRITES_WHOLE_ROWS
            if (neighbour_capacity % 4 == 0 && rows->written[p] == 0 && count <= neighbour_capacity) {
                write_whole_row(rows->words + p * STAGE, rows->begin_box, count, (long64)i * neighbour_capacity,
                                neighbour_capacity, neighbours, neighbour_shifts);
                continue;
            }
#endif
            write_staged_row(rows, p, i, count, rows->written[p], first_pair, ROW_ARGUMENTS);
#if LIST_FORM == LIST_MATRIX
            for (int k = rows->written[p] + count + lane; k < neighbour_capacity; k += 32) {
                neighbours[(long64)i * neighbour_capacity + k] = -1;
            }
#endif
            first_pair += count;
        }
    }
    SYNC_WARPS;
}

/* ---- searching ---- */

/* Edges between a difference and its nearest image, as a number and as a whole number less EDGE_BIAS. */
typedef struct {
    real number;
    int biased;
} edge_count;
#if defined(__CUDA_ARCH__) && !REAL_IS_DOUBLE
#define EDGE_BIAS 0x4b400000
#else
#define EDGE_BIAS 0
#endif

DEVICE edge_count count_edges(real difference, real inverse_edge)
{
    edge_count found;
#if EDGE_BIAS
    /* ROUND_NEAREST: the sum has the whole number in its lower bits */
    const float sum = FMA(difference, inverse_edge, 12582912.0f);
    found.number = sum - 12582912.0f;
    found.biased = __float_as_int(sum);
#else
    found.number = ROUND_NEAREST(difference * inverse_edge);
    found.biased = (int)found.number;
#endif
    return found;
}

/* Stages what the lanes that have an entry have, in the row of particle p. */
DEVICE void take_entries(box_rows *rows, int p, int passes, int word)
{
    const uint votes = BALLOT(passes);
    if (!rows->counts_only && passes) {
        stage_entry(rows->stage, p * STAGE + rows->count[p] + BIT_COUNT(votes & LANES_BEFORE), word);
    }
    rows->count[p] += BIT_COUNT(votes);
}

#if PERIODIC
/* How many edges to either side of the nearest image another may be within the cutoff; all lanes of the warp ask together. */
DEVICE int edges_aside(real difference, real edge, int most, real cutoff)
{
    return most > 0 && BALLOT(edge - FABS(difference) <= cutoff) != 0 ? most : 0;
}

/* Takes all images of a candidate per lane, particle `place` of the box, that are within reach of particle p. */
DEVICE void take_images(box_rows *rows, const own_particles *owners, int p, int is_one, int place, real4 other, real cutoff2,
                        ROW_PARAMETERS PAIR_PARAMETERS)
{
    const real cutoff = SQRT(cutoff2) * REAL(1.00001);
    const int4 aside = make_int4((int)(cutoff * box.inverse_edge.x + REAL(0.5)), (int)(cutoff * box.inverse_edge.y + REAL(0.5)),
                                 (int)(cutoff * box.inverse_edge.z + REAL(0.5)), 0);
    const int i = rows->begin_box + owners->place[p];
    const int j = rows->begin_box + place;
    const int left_out = PAIR_IS_LEFT_OUT(i, j);
    real z0 = other.z - owners->z[p];
    const edge_count edges_z = count_edges(z0, box.inverse_edge.z);
    z0 = FMA(-box.edge.z, edges_z.number, z0);
    const int aside_z = edges_aside(z0, box.edge.z, aside.z, cutoff);
    NOT_UNROLLED for (int a = -aside_z; a <= aside_z; a++) {
        const real z = FMA(box.edge.z, (real)a, z0);
        real y0 = other.y - owners->y[p];
        real x0 = other.x - owners->x[p];
        if (BALLOT(FABS(z) <= cutoff) == 0) {
            continue;
        }
#if TRICLINIC
        y0 = FMA(box.tilt.z, (real)a, FMA(-box.tilt.z, edges_z.number, y0));
        x0 = FMA(box.tilt.y, (real)a, FMA(-box.tilt.y, edges_z.number, x0));
#endif
        const edge_count edges_y = count_edges(y0, box.inverse_edge.y);
        y0 = FMA(-box.edge.y, edges_y.number, y0);
#if TRICLINIC
        x0 = FMA(-box.tilt.x, edges_y.number, x0);
#endif
        const int aside_y = edges_aside(y0, box.edge.y, aside.y, cutoff);
        NOT_UNROLLED for (int b = -aside_y; b <= aside_y; b++) {
            const real y = FMA(box.edge.y, (real)b, y0);
            real x1 = x0;
#if TRICLINIC
            x1 = FMA(box.tilt.x, (real)b, x1);
#endif
            const edge_count edges_x = count_edges(x1, box.inverse_edge.x);
            x1 = FMA(-box.edge.x, edges_x.number, x1);
            const int aside_x = edges_aside(x1, box.edge.x, aside.x, cutoff);
            NOT_UNROLLED for (int c = -aside_x; c <= aside_x; c++) {
                const real x = FMA(box.edge.x, (real)c, x1);
                const int shift_x = c - (edges_x.biased - EDGE_BIAS);
                const int shift_y = b - (edges_y.biased - EDGE_BIAS);
                const int shift_z = a - (edges_z.biased - EDGE_BIAS);
                const int packed = pack_shift(shift_x, shift_y, shift_z);
                const int passes = is_one && PAIR_WITHIN(FMA(x, x, FMA(y, y, z * z)), i, j, cutoff2) &&
                                   KEYS_ARE_LISTED(OWN_KEY(i, i), PARTNER_KEY(j, j, packed)) && !left_out;
                take_entries(rows, p, passes, box_word(place, shift_x, shift_y, shift_z));
                make_room(rows, owners, p, ROW_ARGUMENTS);
            }
        }
    }
}

#if !TRICLINIC
/* The same where no cutoff is as long as an edge: along each axis the nearest image and the next, of which `x`, `y`, `z` and `word`
 * are those of the nearest. */
DEVICE void take_next_images(box_rows *rows, const own_particles *owners, int p, int is_one, int place, int word, real x, real y,
                             real z, real cutoff2, ROW_PARAMETERS PAIR_PARAMETERS)
{
    const int i = rows->begin_box + owners->place[p];
    const int j = rows->begin_box + place;
    const int is_listed_pair =
        is_one && (LIST_HALF ? place > owners->place[p] : place != owners->place[p]) && !PAIR_IS_LEFT_OUT(i, j);
    const real next_x = x - COPYSIGN(box.edge.x, x);
    const real next_y = y - COPYSIGN(box.edge.y, y);
    const real next_z = z - COPYSIGN(box.edge.z, z);
    const int word_x = (next_x < x ? -1 : 1) * (1 << (2 * IMAGE_BITS + BOX_BITS));
    const int word_y = (next_y < y ? -1 : 1) * (1 << (IMAGE_BITS + BOX_BITS));
    const int word_z = (next_z < z ? -1 : 1) * (1 << BOX_BITS);
    NOT_UNROLLED for (int next = 0; next < 8; next++) {
        const real to_x = next & 1 ? next_x : x;
        const real to_y = next & 2 ? next_y : y;
        const real to_z = next & 4 ? next_z : z;
        const real r2 = FMA(to_x, to_x, FMA(to_y, to_y, to_z * to_z));
        const int passes = is_listed_pair && PAIR_WITHIN(r2, i, j, cutoff2);
        if (BALLOT(passes) != 0) {
            take_entries(rows, p, passes,
                         word + (next & 1 ? word_x : 0) + (next & 2 ? word_y : 0) + (next & 4 ? word_z : 0));
            make_room(rows, owners, p, ROW_ARGUMENTS);
        }
    }
}
#endif
#endif

/* Tests a candidate per lane, particle `place` of the box, with each of the particles; other images than the nearest are looked
 * for where `has_more`, which is 2 where the cutoff may be as long as an edge. */
DEVICE void test_candidate(box_rows *rows, const own_particles *owners, int is_one, int place, real4 other, int has_more,
                           real cutoff2, ROW_PARAMETERS PAIR_PARAMETERS)
{
    const int home_word = box_word(place, EDGE_BIAS, EDGE_BIAS, EDGE_BIAS); /* modulo 2^32 */
    UNROLL_TOGETHER for (int p = 0; p < TOGETHER; p++) {
        real dx = other.x - owners->x[p];
        real dy = other.y - owners->y[p];
        real dz = other.z - owners->z[p];
        int word = home_word;
#if PERIODIC
        const edge_count edges_z = count_edges(dz, box.inverse_edge.z);
        dz = FMA(-box.edge.z, edges_z.number, dz);
#if TRICLINIC
        dy = FMA(-box.tilt.z, edges_z.number, dy);
        dx = FMA(-box.tilt.y, edges_z.number, dx);
#endif
        const edge_count edges_y = count_edges(dy, box.inverse_edge.y);
        dy = FMA(-box.edge.y, edges_y.number, dy);
#if TRICLINIC
        dx = FMA(-box.tilt.x, edges_y.number, dx);
#endif
        const edge_count edges_x = count_edges(dx, box.inverse_edge.x);
        dx = FMA(-box.edge.x, edges_x.number, dx);
        word -= (int)((uint)edges_x.biased << (2 * IMAGE_BITS + BOX_BITS)) +
                (int)((uint)edges_y.biased << (IMAGE_BITS + BOX_BITS)) + (int)((uint)edges_z.biased << BOX_BITS);
#endif
        const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
#if PERIODIC
        if (has_more) {
            /* Along an axis where none is aside, an edge is longer than twice the cutoff. In a cell that does not lean, another
             * image is farther than this one by at least the square that one edge adds along one axis. */
#if TRICLINIC
            const int more = MAX_REAL(FABS(dx) - box.edge.x, MAX_REAL(FABS(dy) - box.edge.y, FABS(dz) - box.edge.z)) >=
                             SQRT(cutoff2) * REAL(-1.00001);
#else
            const real adds_x = box.edge.x * FMA(REAL(-2.0), FABS(dx), box.edge.x);
            const real adds_y = box.edge.y * FMA(REAL(-2.0), FABS(dy), box.edge.y);
            const real adds_z = box.edge.z * FMA(REAL(-2.0), FABS(dz), box.edge.z);
            const int more = r2 + MIN_REAL(adds_x, MIN_REAL(adds_y, adds_z)) <= cutoff2 * REAL(1.001);
#endif
            if (BALLOT(more) != 0) {
#if !TRICLINIC
                if (has_more == 1) {
                    take_next_images(rows, owners, p, is_one, place, word, dx, dy, dz, cutoff2, ROW_ARGUMENTS PAIR_ARGUMENTS);
                    continue;
                }
#endif
                take_images(rows, owners, p, is_one, place, other, cutoff2, ROW_ARGUMENTS PAIR_ARGUMENTS);
                continue;
            }
        }
#endif
        /* of a particle itself the nearest image is where it is */
        const int passes = is_one && PAIR_WITHIN(r2, rows->begin_box + owners->place[p], rows->begin_box + place, cutoff2) &&
                           (LIST_HALF ? place > owners->place[p] : place != owners->place[p]) &&
                           !PAIR_IS_LEFT_OUT(rows->begin_box + owners->place[p], rows->begin_box + place);
        take_entries(rows, p, passes, word);
    }
}

/* ---- a group ---- */

/* Particles are listed in teams of TOGETHER, of which a box has a whole number. */
typedef struct {
    int per_box, first, stop; /* teams of a box; those of the group */
} group_teams;

DEVICE group_teams teams_of_group(int box_count, int particles_per_box)
{
    group_teams teams;
    teams.per_box = (particles_per_box + TOGETHER - 1) / TOGETHER;
    const int all = box_count * teams.per_box;
    const int share = (all + NUM_GROUPS - 1) / NUM_GROUPS;
    teams.first = GROUP_ID * share < all ? GROUP_ID * share : all;
    teams.stop = teams.first + share < all ? teams.first + share : all;
    return teams;
}

/* Whether the boxes of every group's teams fit, and words hold their entries. */
DEVICE int boxes_fit(int box_count, int particles_per_box, int4 images)
{
    const int per_box = (particles_per_box + TOGETHER - 1) / TOGETHER;
    const int share = (box_count * per_box + NUM_GROUPS - 1) / NUM_GROUPS;
    return particles_per_box <= TILE && particles_per_box <= 1 << BOX_BITS && (share / per_box + 2) * particles_per_box <= TILE &&
           images.x <= MOST_IMAGES && images.y <= MOST_IMAGES && images.z <= MOST_IMAGES;
}

/* Lists, or counts, the particles of a group; `here` has room for TILE positions, `words` for what warps stage, and `held` for eight
 * numbers: read from there they stay in registers, where a compiler would work others out again for every candidate. */
DEVICE void list_group(int box_count, int particles_per_box, int counts_only, LOCAL_ARG real4 *here, LOCAL_ARG int *words,
                       LOCAL_ARG real *held, real cutoff2, GLOBAL int *RESTRICT neighbour_count, ROW_PARAMETERS PAIR_PARAMETERS)
{
    const int lane = LOCAL_ID % 32;
    const int warp = LOCAL_ID / 32;
    const group_teams teams = teams_of_group(box_count, particles_per_box);
    const int first_box = teams.first / teams.per_box;
    const int boxes = (teams.stop - 1) / teams.per_box - first_box + 1;
    if (teams.first == teams.stop) {
        return;
    }
    NOT_UNROLLED for (int k = LOCAL_ID; k < boxes * particles_per_box; k += GROUP_SIZE) {
        here[k] = position[first_box * particles_per_box + k];
    }
    if (LOCAL_ID == 0) {
        const real edge = MIN_REAL(box.edge.x, MIN_REAL(box.edge.y, box.edge.z));
        held[0] = box.edge.x;
        held[1] = box.edge.y;
        held[2] = box.edge.z;
        held[3] = box.inverse_edge.x;
        held[4] = box.inverse_edge.y;
        held[5] = box.inverse_edge.z;
        held[6] = RECIP((real)teams.per_box);
        held[7] = !PERIODIC || cutoff2 * REAL(4.001) < edge * edge ? 0 : TRICLINIC || cutoff2 * REAL(1.001) >= edge * edge ? 2 : 1;
    }
    SYNC_THREADS;
    box.edge.x = held[0];
    box.edge.y = held[1];
    box.edge.z = held[2];
    box.inverse_edge.x = held[3];
    box.inverse_edge.y = held[4];
    box.inverse_edge.z = held[5];
    const real boxes_per_team = held[6];
    const int has_more = (int)held[7];
    box_rows rows;
    rows.words = words + warp * TOGETHER * STAGE;
    rows.stage = address_of_stage(words + warp * TOGETHER * STAGE);
    rows.counts_only = counts_only;
    NOT_UNROLLED for (int of_group = teams.first; of_group < teams.stop; of_group += GROUP_SIZE / 32) {
        const int is_team = of_group + warp < teams.stop;
        const int team = (is_team ? of_group + warp : teams.stop - 1) - first_box * teams.per_box;
        /* team / teams.per_box, for less; all lanes have it, and from SHUFFLE it is not worked out again */
        const int of_box = SHUFFLE((int)(((real)team + REAL(0.5)) * boxes_per_team), 0);
        const int place = (team - of_box * teams.per_box) * TOGETHER;
        const int first_staged = of_box * particles_per_box;
        own_particles owners;
        rows.begin_box = first_box * particles_per_box + first_staged;
        UNROLL_TOGETHER for (int p = 0; p < TOGETHER; p++) {
            owners.place[p] = place + p < particles_per_box ? place + p : particles_per_box - 1;
            const real4 own = here[first_staged + owners.place[p]];
            owners.x[p] = is_team && place + p < particles_per_box ? own.x : NOWHERE;
            owners.y[p] = own.y;
            owners.z[p] = own.z;
            rows.count[p] = 0;
            rows.written[p] = 0;
        }
        NOT_UNROLLED for (int start = LIST_HALF ? place & ~31 : 0; start < particles_per_box; start += 32) {
            const int is_one = start + lane < particles_per_box;
            const int partner = is_one ? start + lane : 0;
            const real4 other = here[first_staged + partner];
            test_candidate(&rows, &owners, is_one, partner, other, has_more, cutoff2, ROW_ARGUMENTS PAIR_ARGUMENTS);
            if (has_more || particles_per_box > STAGE - 32) {
                UNROLL_TOGETHER for (int p = 0; p < TOGETHER; p++) {
                    make_room(&rows, &owners, p, ROW_ARGUMENTS);
                }
            }
        }
        const int left = particles_per_box - place;
        write_rows(&rows, &owners, is_team ? left < TOGETHER ? left : TOGETHER : 0, neighbour_count, ROW_ARGUMENTS);
    }
}
#define LOCAL_MEMORY        \
    LOCAL real4 here[TILE]; \
    LOCAL real held[8];     \
    LOCAL int4 words[GROUP_SIZE / 32 * TOGETHER * STAGE / 4];
#endif

/* ---- a work-item per particle ---- */

DEVICE int list_alone(int i, int particles_per_box, long64 at, long64 end, GLOBAL const real4 *RESTRICT position, box_args box,
                      int4 images, real cutoff2, ENTRY_PARAMETERS PAIR_PARAMETERS)
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

/* Lists, or counts, the ROWS particles of a group. */
DEVICE void list_each_alone(int n, int particles_per_box, int counts_only, int4 images, real cutoff2,
                            GLOBAL int *RESTRICT neighbour_count, GLOBAL const real4 *RESTRICT position, box_args box,
                            GLOBAL const int *RESTRICT row_begin, int neighbour_capacity, GLOBAL int *RESTRICT pair_count,
                            GLOBAL int *RESTRICT pair_first, ENTRY_PARAMETERS PAIR_PARAMETERS)
{
    for (int k = LOCAL_ID; k < ROWS && GROUP_ID * ROWS + k < n; k += GROUP_SIZE) {
        const int i = GROUP_ID * ROWS + k;
        long64 begin = 0;
        long64 end = counts_only ? 0 : neighbour_capacity;
#if LIST_FORM == LIST_MATRIX
        begin = (long64)i * neighbour_capacity;
        end = begin + neighbour_capacity;
#elif LIST_FORM == LIST_CSR
        begin = counts_only ? 0 : row_begin[i];
#elif LIST_FORM == LIST_COO
        end = 0;
#endif
        const int count = list_alone(i, particles_per_box, begin, end, position, box, images, cutoff2,
                                     ENTRY_ARGUMENTS PAIR_ARGUMENTS);
#if LIST_FORM == LIST_COO
        const int at = ATOMIC_ADD_INT(pair_count, count);
        list_alone(i, particles_per_box, at, neighbour_capacity, position, box, images, cutoff2, ENTRY_ARGUMENTS PAIR_ARGUMENTS);
        for (int e = at; e < at + count && e < neighbour_capacity; e++) {
            pair_first[e] = i;
        }
#else
        if (counts_only || LIST_FORM == LIST_MATRIX) {
            neighbour_count[i] = count;
        }
#endif
        for (int e = count; LIST_FORM == LIST_MATRIX && e < neighbour_capacity; e++) {
            neighbours[begin + e] = -1;
        }
    }
}

/* ---- the passes ---- */

KERNEL void begin_list(GLOBAL int *RESTRICT pair_count)
{
    if (GLOBAL_ID == 0) {
        pair_count[0] = 0;
    }
}

KERNEL void list_boxes(int n, int box_count, int particles_per_box, GLOBAL const real4 *RESTRICT position, box_args box,
                       int4 images, real cutoff2, int neighbour_capacity, GLOBAL int *RESTRICT neighbour_count,
                       GLOBAL int *RESTRICT pair_count, GLOBAL int *RESTRICT pair_first, GLOBAL int *RESTRICT neighbours,
                       GLOBAL shift_t *RESTRICT neighbour_shifts, GLOBAL real *RESTRICT neighbour_vectors,
                       GLOBAL real *RESTRICT neighbour_distances PAIR_PARAMETERS)
{
#if HAVE_BALLOT
    LOCAL_MEMORY
    if (boxes_fit(box_count, particles_per_box, images)) {
        list_group(box_count, particles_per_box, LIST_FORM == LIST_CSR, here, (LOCAL_ARG int *)words, held, cutoff2, neighbour_count,
                   position, box, 0, neighbour_capacity, pair_count, pair_first, ENTRY_ARGUMENTS PAIR_ARGUMENTS);
        return;
    }
#endif
    list_each_alone(n, particles_per_box, LIST_FORM == LIST_CSR, images, cutoff2, neighbour_count, position, box, 0,
                    neighbour_capacity, pair_count, pair_first, ENTRY_ARGUMENTS PAIR_ARGUMENTS);
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

KERNEL void fill_boxes(int n, int box_count, int particles_per_box, GLOBAL const real4 *RESTRICT position, box_args box,
                       int4 images, real cutoff2, int neighbour_capacity, GLOBAL const int *RESTRICT row_begin,
                       GLOBAL int *RESTRICT neighbours, GLOBAL shift_t *RESTRICT neighbour_shifts,
                       GLOBAL real *RESTRICT neighbour_vectors, GLOBAL real *RESTRICT neighbour_distances PAIR_PARAMETERS)
{
#if LIST_FORM == LIST_CSR
#if HAVE_BALLOT
    LOCAL_MEMORY
    if (boxes_fit(box_count, particles_per_box, images)) {
        list_group(box_count, particles_per_box, 0, here, (LOCAL_ARG int *)words, held, cutoff2, 0, position, box, row_begin,
                   neighbour_capacity, 0, 0, ENTRY_ARGUMENTS PAIR_ARGUMENTS);
        return;
    }
#endif
    list_each_alone(n, particles_per_box, 0, images, cutoff2, 0, position, box, row_begin, neighbour_capacity, 0, 0,
                    ENTRY_ARGUMENTS PAIR_ARGUMENTS);
#endif
}
