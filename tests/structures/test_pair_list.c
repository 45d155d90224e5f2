/*
 * pair_list, list_columns, list_blocks and list_bits: what stands in them, lists that are too short
 * at first, and their life while particles move, against plain sums over pairs and displacements on
 * the host.
 */
#include "boxes/box.h"
#include "hand_box.h"
#include "prepare/kernel_plan.h"
#include "reference/pairs/reference.h"
#include "structures/chain.h"
#include "workloads/gate.h"

#include "device_fixture.h"

#include "built_in.h" /* last: see there */

static const double cutoff = 2.5;

/* ---- the rows, read back ---- */

struct rows {
    struct buffer *position;
    struct structure_chain *chain;
    int32_t capacity;
    int32_t *count, *neighbours;
};

static void set_tuning(struct tunings *tunings, const char *name, int value) {
    struct tuning *tuning = &tunings->items[tunings->count++];
    (void)snprintf(tuning->name, sizeof tuning->name, "%s", name);
    tuning->value = value;
}

static int32_t *read_ints(const struct structure_chain *chain, const char *name) {
    struct argument argument;
    struct error error;
    assert_true(structure_chain_argument(chain, name, &argument));
    const size_t bytes = buffer_bytes(argument.buffer);
    int32_t *ints = malloc(bytes + 1);
    assert_non_null(ints);
    assert_true(buffer_read(argument.buffer, 0, ints, bytes, &error));
    return ints;
}

static int32_t int_of(const struct structure_chain *chain, const char *name) {
    struct argument argument;
    int32_t value;
    assert_true(structure_chain_argument(chain, name, &argument));
    memcpy(&value, argument.value, sizeof value);
    return value;
}

static int32_t capacity_of(const struct structure_chain *chain) {
    return int_of(chain, "list_capacity");
}

/* A structure over a box, in double, built. */
static void build_chain(struct device *device, const char *name, const struct box *box,
                        double reach, const struct tunings *tunings, struct rows *rows) {
    static const struct requested_names nothing;
    struct error error;
    double *positions = calloc(4 * box->n, sizeof *positions);
    assert_non_null(positions);
    for (size_t k = 0; k < 3 * box->n; k++) {
        positions[4 * (k / 3) + k % 3] = box->position[k];
    }
    const size_t bytes = 4 * box->n * sizeof *positions;
    assert_true(buffer_allocate(device, bytes, &rows->position, &error));
    assert_true(buffer_write(rows->position, 0, positions, bytes, &error));
    free(positions);
    const struct structure_input input = { .device = device,
                                           .box = box,
                                           .position = rows->position,
                                           .precision = PRECISION_DOUBLE,
                                           .cutoff = reach,
                                           .requested = &nothing,
                                           .tunings = tunings };
    assert_true(structure_chain_create(structure_find(name), &input, &rows->chain, &error));
    assert_true(structure_chain_build(rows->chain, NULL, &error));
}

/* The list over a box. Reads what it has. */
static void build_rows(struct device *device, const struct box *box, double reach,
                       const struct tunings *tunings, struct rows *rows) {
    build_chain(device, "pair_list", box, reach, tunings, rows);
    rows->capacity = capacity_of(rows->chain);
    rows->count = read_ints(rows->chain, "neighbour_count");
    rows->neighbours = read_ints(rows->chain, "neighbours");
}

static void free_rows(struct rows *rows) {
    structure_chain_free(rows->chain);
    buffer_free(rows->position);
    free(rows->count);
    free(rows->neighbours);
}

/* Of the nearest of all images next to the cell. */
static double leaning_distance(const struct cell *cell, const double *a, const double *b) {
    double least = INFINITY;
    for (int image = 0; image < 27; image++) {
        const int x = image % 3 - 1;
        const int y = image / 3 % 3 - 1;
        const int z = image / 9 - 1;
        const double d[3] = { a[0] - b[0] + x * cell->edge[0] + y * cell->tilt[0] +
                                  z * cell->tilt[1],
                              a[1] - b[1] + y * cell->edge[1] + z * cell->tilt[2],
                              a[2] - b[2] + z * cell->edge[2] };
        least = fmin(least, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
    }
    return least;
}

static double distance(const struct box *box, const double *a, const double *b) {
    double sum = 0;
    if (cell_is_triclinic(&box->cell)) {
        return leaning_distance(&box->cell, a, b);
    }
    for (int d = 0; d < 3; d++) {
        double apart = a[d] - b[d];
        apart -= box->periodic ? box->edge[d] * rint(apart / box->edge[d]) : 0;
        sum += apart * apart;
    }
    return sqrt(sum);
}

/* How often j stands in the row of i. */
static int times_listed(const struct rows *rows, size_t i, size_t j) {
    int times = 0;
    for (int32_t k = 0; k < rows->count[i]; k++) {
        times += rows->neighbours[i * (size_t)rows->capacity + (size_t)k] == (int32_t)j;
    }
    return times;
}

/* Each pair within the radius stands in both rows once; none beyond it but for rounding. */
static void check_rows(const struct box *box, double radius, const struct rows *rows) {
    const double hair = 1e-12 * (radius + box_length_scale(box));
    for (size_t i = 0; i < box->n; i++) {
        assert_between(rows->count[i], 0, rows->capacity);
        for (size_t j = 0; j < box->n; j++) {
            const double r = distance(box, &box->position[3 * i], &box->position[3 * j]);
            const int times = times_listed(rows, i, j);
            if (i == j || r > radius + hair) {
                assert_int_equal(times, 0);
            } else if (r <= radius) {
                assert_int_equal(times, 1);
            }
        }
    }
}

static void check_box(struct device *device, const struct box *box, double reach, int skin) {
    struct tunings tunings = { 0 };
    struct rows rows;
    set_tuning(&tunings, "SKIN", skin);
    build_rows(device, box, reach, &tunings, &rows);
    check_rows(box, reach * (1 + 0.01 * skin), &rows);
    free_rows(&rows);
}

TEST(rows) {
    for (int periodic = 0; periodic < 2; periodic++) {
        struct box box = hand_box_lattice(343, 0.8, 0.2, periodic, 11);
        check_box(*state, &box, cutoff, 0);
        check_box(*state, &box, cutoff, 12);
        check_box(*state, &box, 0.2, 12); /* nobody has a neighbour */
        hand_box_free(&box);
    }
}

/* Leaning cells: a skin that fits, and one that is cut to half the least height of the cell. */
TEST(triclinic_rows) {
    static const char *const kinds[] = { "fluid@75:100:60", "brick@130:110:100", "cubic@60:60:60" };
    for (int k = 0; k < 3; k++) {
        struct box made;
        struct box box;
        struct error error;
        struct tunings tunings = { 0 };
        struct rows rows;
        assert_true(box_make(kinds[k], 343, 0.4, 1, &made, &error));
        assert_true(box_as_device(&made, PRECISION_DOUBLE, &box, &error));
        const double half = 0.5 * cell_least_height(&box.cell);
        check_box(*state, &box, 0.7 * half, 12);
        set_tuning(&tunings, "SKIN", 40);
        build_rows(*state, &box, 0.9 * half, &tunings, &rows);
        check_rows(&box, half, &rows);
        free_rows(&rows);
        box_free(&made);
        box_free(&box);
    }
}

/* The cutoff is half an edge, and the list reaches farther: a partner is within reach in several
 * images, and on an exact lattice two of them are equally near. */
TEST(reach_beyond_half_an_edge) {
    struct box exact = hand_box_lattice(64, 0.8, 0, true, 1);
    struct box shaken = hand_box_lattice(125, 0.8, 0.3, true, 5);
    check_box(*state, &shaken, 0.5 * shaken.edge[0], 40);
    struct tunings tunings = { 0 };
    struct rows rows;
    set_tuning(&tunings, "SKIN", 30);
    build_rows(*state, &exact, 0.5 * exact.edge[0], &tunings, &rows);
    for (size_t i = 0; i < exact.n; i++) {
        for (size_t j = 0; j < exact.n; j++) {
            const double r = distance(&exact, exact.position + 3 * i, exact.position + 3 * j);
            const bool near = i != j && r < 0.64 * exact.edge[0];
            assert_between(times_listed(&rows, i, j), near, r < 0.66 * exact.edge[0]);
        }
    }
    free_rows(&rows);
    hand_box_free(&exact);
    hand_box_free(&shaken);
}

static void check_growth(struct device *device, int lanes) {
    struct error error;
    struct box box = hand_box_lattice(343, 0.8, 0.2, true, 11);
    struct tunings tunings = { 0 };
    struct rows rows;
    set_tuning(&tunings, "SKIN", 12);
    set_tuning(&tunings, "LIST_CAPACITY", 1);
    set_tuning(&tunings, "BUILD_LANES", lanes);
    build_rows(device, &box, cutoff, &tunings, &rows);
    assert_true(rows.capacity > 60); /* 74 neighbours on average */
    check_rows(&box, 1.12 * cutoff, &rows);
    const int32_t grown = rows.capacity;
    assert_true(structure_chain_build(rows.chain, NULL, &error));
    assert_int_equal(capacity_of(rows.chain), grown);
    free_rows(&rows);
    hand_box_free(&box);
}

TEST(rows_grow) {
    check_growth(*state, 1);
}

TEST(rows_are_built_by_several_work_items) {
    check_growth(*state, 2);
    check_growth(*state, 16);
}

/* ---- columns ---- */

enum { COLUMN_GROUP = 32, PLACE_MASK = (1 << 27) - 1 };

/* How often place `j` stands in the list of a column. */
static int times_in_column(const struct rows *rows, const int32_t *length, size_t column,
                           size_t j) {
    const size_t quads = (size_t)rows->capacity / 4;
    int times = 0;
    for (size_t k = 0; k < (size_t)length[column]; k++) {
        const size_t quad = (column / COLUMN_GROUP * quads + k / 4) * COLUMN_GROUP;
        const int32_t entry = rows->neighbours[4 * (quad + column % COLUMN_GROUP) + k % 4];
        times += (entry & PLACE_MASK) == (int32_t)j;
    }
    return times;
}

/* The least distance of place `j` from a particle of a column; -1: it is one of them. */
static double distance_of_column(const struct box *box, const int32_t *index, size_t column,
                                 size_t particles, size_t j) {
    double least = INFINITY;
    if (j / particles == column) {
        return -1;
    }
    for (size_t p = column * particles; p < (column + 1) * particles && p < box->n; p++) {
        least = fmin(least, distance(box, &box->position[3 * (size_t)index[p]],
                                     &box->position[3 * (size_t)index[j]]));
    }
    return least;
}

/* A column's list has everybody within reach of one of its particles, once per image, and nobody
 * else; and the order has every particle once. */
static void check_columns(struct device *device, const struct box *box, int particles, int order,
                          int capacity) {
    struct tunings tunings = { 0 };
    struct rows rows;
    const double hair = 1e-12 * (cutoff + box_length_scale(box));
    set_tuning(&tunings, "SKIN", 12);
    set_tuning(&tunings, "PARTICLES", particles);
    set_tuning(&tunings, "ORDER", order);
    set_tuning(&tunings, "LIST_CAPACITY", capacity);
    build_chain(device, "list_columns", box, cutoff, &tunings, &rows);
    rows.capacity = capacity_of(rows.chain);
    rows.count = read_ints(rows.chain, "place_index");
    rows.neighbours = read_ints(rows.chain, "columns");
    int32_t *length = read_ints(rows.chain, "column_length");
    int32_t *seen = calloc(box->n, sizeof *seen);
    assert_non_null(seen);
    for (size_t i = 0; i < box->n; i++) {
        seen[rows.count[i]]++;
    }
    for (size_t j = 0; j < box->n; j++) {
        assert_int_equal(seen[j], 1);
        for (size_t c = 0; c * (size_t)particles < box->n; c++) {
            const double r = distance_of_column(box, rows.count, c, (size_t)particles, j);
            const int times = times_in_column(&rows, length, c, j);
            const int images = box->periodic ? particles : 1; /* each may see it in another */
            const bool own = r < 0;                           /* met in its images alone */
            const int most = own ? images - 1 : r <= 1.12 * cutoff + hair ? images : 0;
            assert_between(times, !own && r <= 1.12 * cutoff, most);
        }
    }
    free(seen);
    free(length);
    free_rows(&rows);
}

TEST(columns) {
    for (int periodic = 0; periodic < 2; periodic++) {
        struct box box = hand_box_lattice(343, 0.5, 0.2, periodic, 11);
        for (int order = 0; order < 4; order++) {
            check_columns(*state, &box, 1 + order, order, 0);
        }
        check_columns(*state, &box, 2, 1, 1); /* lists that are too short at first */
        hand_box_free(&box);
    }
}

/* ---- lists of blocks ---- */

enum { BLOCK = 128, PART_END = 32 };

/* What is read of list_blocks. */
struct blocks {
    int32_t *parts, *entries, *begin, *stop, *place_sorted, *sorted_index;
    uint16_t *slots;
    size_t places, part_capacity, slot_capacity, staged;
};

static void read_blocks(const struct rows *rows, size_t n, size_t staged, struct blocks *blocks) {
    blocks->parts = read_ints(rows->chain, "block_parts");
    blocks->entries = read_ints(rows->chain, "block_entries");
    blocks->begin = read_ints(rows->chain, "part_begin");
    blocks->stop = read_ints(rows->chain, "part_stop");
    blocks->place_sorted = read_ints(rows->chain, "place_sorted");
    blocks->sorted_index = read_ints(rows->chain, "sorted_index");
    blocks->slots = (uint16_t *)read_ints(rows->chain, "slot_lists");
    blocks->places = (n + BLOCK - 1) / BLOCK * BLOCK;
    blocks->staged = staged;
    blocks->part_capacity = (size_t)int_of(rows->chain, "part_capacity");
    blocks->slot_capacity = (size_t)int_of(rows->chain, "slot_capacity");
}

static void free_blocks(struct blocks *blocks) {
    free(blocks->parts);
    free(blocks->entries);
    free(blocks->begin);
    free(blocks->stop);
    free(blocks->place_sorted);
    free(blocks->sorted_index);
    free(blocks->slots);
}

/* Adds one to times[j] for each entry of the list at a place that names particle j. */
static void count_entries(const struct blocks *blocks, size_t place, int32_t *times) {
    const size_t block = place / BLOCK;
    const uint16_t *list =
        blocks->slots + (place / 32 * (blocks->slot_capacity / 8) * 32 + place % 32) * 8;
    for (size_t part = 0; part < (size_t)blocks->parts[block]; part++) {
        const int32_t *entries =
            blocks->entries + (block * blocks->part_capacity + part) * (blocks->staged + PART_END);
        const size_t stop = (size_t)blocks->stop[part * blocks->places + place];
        for (size_t k = (size_t)blocks->begin[part * blocks->places + place]; k < stop; k++) {
            for (size_t u = 0; u < 8; u++) {
                const size_t slot = list[k * 32 * 8 + u] / 16;
                assert_true(slot == blocks->staged || slot < (size_t)entries[blocks->staged]);
                if (slot < blocks->staged) {
                    times[blocks->sorted_index[entries[slot] & ((1 << 27) - 1)]]++;
                }
            }
        }
    }
}

/* A particle's list has everybody within reach, once, and nobody else. */
static void check_blocks(struct device *device, const struct box *box, int staged, int spread,
                         int capacity) {
    struct tunings tunings = { 0 };
    struct rows rows = { 0 };
    struct blocks blocks;
    const double hair = 1e-10 * (cutoff + box_length_scale(box));
    set_tuning(&tunings, "SKIN", 12);
    set_tuning(&tunings, "STAGED", staged);
    set_tuning(&tunings, "SPREAD", spread);
    set_tuning(&tunings, "SUB_BLOCK", spread ? 4 : 16);
    set_tuning(&tunings, "ORDER", spread ? 5 : 3);
    set_tuning(&tunings, "LIST_CAPACITY", capacity);
    build_chain(device, "list_blocks", box, cutoff, &tunings, &rows);
    read_blocks(&rows, box->n, (size_t)staged, &blocks);
    for (size_t place = 0; place < box->n; place++) {
        int32_t *times = calloc(box->n, sizeof *times);
        assert_non_null(times);
        const size_t i = (size_t)blocks.sorted_index[blocks.place_sorted[place]];
        count_entries(&blocks, place, times);
        for (size_t j = 0; j < box->n; j++) {
            const double r = distance(box, &box->position[3 * i], &box->position[3 * j]);
            assert_between(times[j], j != i && r <= 1.12 * cutoff - hair,
                           j != i && r <= 1.12 * cutoff + hair);
        }
        free(times);
    }
    free_blocks(&blocks);
    structure_chain_free(rows.chain);
    buffer_free(rows.position);
}

/* Of all particles the input index at each place of blocks in such an order. */
static int32_t *places_of_blocks(struct device *device, const struct box *box, int order) {
    struct tunings tunings = { 0 };
    struct rows rows = { 0 };
    set_tuning(&tunings, "ORDER", order);
    set_tuning(&tunings, "STABLE_SORT", 1);
    build_chain(device, "list_blocks", box, cutoff, &tunings, &rows);
    int32_t *index = read_ints(rows.chain, "place_index");
    structure_chain_free(rows.chain);
    buffer_free(rows.position);
    return index;
}

/* The volumes of the boxes that bound blocks of 128, added up. */
static double volume_of_blocks(const struct box *box, const int32_t *index) {
    double volume = 0;
    for (size_t first = 0; first < box->n; first += BLOCK) {
        double extents = 1;
        for (size_t d = 0; d < 3; d++) {
            double low = INFINITY;
            double high = -INFINITY;
            for (size_t p = first; p < first + BLOCK && p < box->n; p++) {
                low = fmin(low, box->position[3 * (size_t)index[p] + d]);
                high = fmax(high, box->position[3 * (size_t)index[p] + d]);
            }
            extents *= high - low;
        }
        volume += extents;
    }
    return volume;
}

/* Blocks are cuboids where density is even; those of a droplet follow Hilbert's curve. */
TEST(order_of_blocks) {
    enum { HILBERT = 3, CUBOIDS = 5 };
    struct box box = hand_box_lattice(8000, 0.8, 0.2, true, 11);
    int32_t *hilbert = places_of_blocks(*state, &box, HILBERT);
    int32_t *cuboids = places_of_blocks(*state, &box, CUBOIDS);
    assert_true(volume_of_blocks(&box, cuboids) < 0.9 * volume_of_blocks(&box, hilbert));
    free(hilbert);
    free(cuboids);
    for (size_t k = 0; k < 3 * box.n; k++) {
        box.position[k] *= 0.8;
    }
    hilbert = places_of_blocks(*state, &box, HILBERT);
    cuboids = places_of_blocks(*state, &box, CUBOIDS);
    assert_memory_equal(hilbert, cuboids, box.n * sizeof *hilbert);
    free(hilbert);
    free(cuboids);
    hand_box_free(&box);
}

TEST(blocks) {
    struct box box = hand_box_lattice(343, 0.5, 0.2, true, 11);
    check_blocks(*state, &box, 256, 1, 0);
    check_blocks(*state, &box, 512, 0, 1); /* lists that are too short at first */
    hand_box_free(&box);
}

/* ---- words of bits ---- */

/* Adds one to times[j] for each bit of sorted particle k that names particle j. No word is empty.
 */
static void count_bits(const struct rows *rows, const int32_t *index, const int32_t *words,
                       size_t n, size_t k, int32_t *times) {
    for (size_t w = 0; w < (size_t)rows->count[k]; w++) {
        const size_t at = (k / 32 * (size_t)rows->capacity + w) * 32 + k % 32;
        const uint32_t bits = (uint32_t)words[2 * at + 1];
        assert_true(bits >> 31 == 1); /* the first candidate is a partner */
        for (size_t t = 0; t < 32; t++) {
            const size_t j = (size_t)(words[2 * at] & PLACE_MASK) + t;
            if (bits >> (31 - t) & 1) {
                assert_true(j < n);
                times[index[j]]++;
            }
        }
    }
}

/* A particle's words have everybody within reach, once, and nobody else. */
static void check_bits(struct device *device, const struct box *box, int cells, int capacity) {
    struct tunings tunings = { 0 };
    struct rows rows = { 0 };
    const double hair = 1e-12 * (cutoff + box_length_scale(box));
    set_tuning(&tunings, "SKIN", 12);
    set_tuning(&tunings, "CELLS_PER_CUTOFF", cells);
    set_tuning(&tunings, "FINER_X", 3 - cells);
    set_tuning(&tunings, "FINER_Y", cells);
    set_tuning(&tunings, "LIST_CAPACITY", capacity);
    build_chain(device, "list_bits", box, cutoff, &tunings, &rows);
    rows.capacity = capacity_of(rows.chain);
    rows.count = read_ints(rows.chain, "word_count");
    rows.neighbours = read_ints(rows.chain, "sorted_index");
    int32_t *words = read_ints(rows.chain, "words");
    for (size_t k = 0; k < box->n; k++) {
        int32_t *times = calloc(box->n, sizeof *times);
        assert_non_null(times);
        const size_t i = (size_t)rows.neighbours[k];
        assert_between(rows.count[k], 0, rows.capacity);
        count_bits(&rows, rows.neighbours, words, box->n, k, times);
        for (size_t j = 0; j < box->n; j++) {
            const double r = distance(box, &box->position[3 * i], &box->position[3 * j]);
            assert_between(times[j], j != i && r <= 1.12 * cutoff,
                           j != i && r <= 1.12 * cutoff + hair);
        }
        free(times);
    }
    free(words);
    free_rows(&rows);
}

TEST(bits) {
    for (int periodic = 0; periodic < 2; periodic++) {
        struct box box = hand_box_lattice(343, 0.5, 0.2, periodic, 11);
        check_bits(*state, &box, 1, 0);
        check_bits(*state, &box, 3, 1); /* room for too few words at first */
        hand_box_free(&box);
    }
}

/* ---- a case ---- */

static const char *const walkers[] = { "list_walk", "list_columns", "list_bits" };

enum { WALKERS = sizeof walkers / sizeof walkers[0] };

struct walk {
    struct case_spec spec;
    struct box box; /* as the device has it */
    struct kernel_plan *plan;
    double reach;
};

/* Takes the box over. */
static void begin_walk_of(struct device *device, const struct variant *variant, struct box *box,
                          enum precision precision, double reach, struct walk *walk) {
    struct error error;
    memset(walk, 0, sizeof *walk);
    walk->reach = reach;
    walk->spec.variant = variant;
    walk->spec.precision = precision;
    walk->spec.outputs = OUTPUTS_VIRIAL;
    walk->spec.cutoff = cutoff_of(reach);
    assert_true(interaction_parse("lj", &walk->spec.interaction, &error));
    case_preset_tunings(&walk->spec);
    assert_true(box_as_device(box, precision, &walk->box, &error));
    hand_box_free(box);
    const bool made = kernel_plan_create(
        &(struct plan_input){ device, &walk->spec, BUILD_PLAIN, &walk->box, NULL, reach },
        &walk->plan, &error);
    assert_done(made, &error);
}

static void begin_walk(struct device *device, const char *walker, struct box *box,
                       enum precision precision, double reach, struct walk *walk) {
    begin_walk_of(device, built_in(walker), box, precision, reach, walk);
}

static void end_walk(struct walk *walk) {
    kernel_plan_free(walk->plan);
    box_free(&walk->box);
}

/* Whether one evaluation is what the reference has for `box`. */
static enum status judge(struct walk *walk, const struct box *box) {
    struct error error;
    struct evaluation evaluation;
    struct reference reference;
    struct verdict verdict;
    assert_true(fill_outputs_with_byte(walk->plan, GATE_POISON_BYTE, &error));
    assert_true(kernel_plan_enqueue(walk->plan, &error));
    assert_true(kernel_plan_collect(walk->plan, &evaluation, &error));
    assert_true(reference_direct_groups(box, &walk->spec.interaction, walk->reach, NULL, &reference,
                                        &error));
    gate_compare(&reference, box_length_scale(box), walk->spec.precision, walk->spec.outputs,
                 &evaluation, &verdict);
    evaluation_free(&evaluation);
    reference_free(&reference);
    return verdict.status;
}

static void check_forces(struct walk *walk) {
    struct error error;
    assert_true(kernel_plan_build(walk->plan, &error));
    assert_int_equal(judge(walk, &walk->box), STATUS_OK);
}

/* ---- life ---- */

static double largest_displacement(const struct box *from, const struct box *to) {
    double largest = 0;
    for (size_t i = 0; i < from->n; i++) {
        largest = fmax(largest, distance(from, &to->position[3 * i], &from->position[3 * i]));
    }
    return largest;
}

static void copy_positions(const struct box *from, struct box *to) {
    memcpy(to->position, from->position, 3 * from->n * sizeof *from->position);
}

/* Moves every particle by up to `step` along each axis, within the bounds of an open box. */
static void move_all(const struct box *bounds, double step, uint64_t *random, struct box *box) {
    for (int d = 0; d < 3; d++) {
        double least = INFINITY;
        double most = -INFINITY;
        for (size_t i = 0; i < box->n; i++) {
            least = fmin(least, bounds->position[3 * i + (size_t)d]);
            most = fmax(most, bounds->position[3 * i + (size_t)d]);
        }
        for (size_t i = 0; i < box->n; i++) {
            double *x = &box->position[3 * i + (size_t)d];
            *x += step * (2 * hand_random(random) - 1);
            *x = box->periodic ? *x : fmin(fmax(*x, least), most);
        }
    }
}

enum { STEPS = 24 };

/* Steps of a sixth of half the skin: the list serves several, fails the device's test in the step
 * in which the host's sum says so, is built again, and the forces are right in each. */
static void check_life(struct device *device, const struct variant *variant,
                       enum precision precision, bool periodic) {
    struct error error;
    struct walk walk;
    struct box at_build;
    struct box made = hand_box_lattice(343, 0.8, 0.05, periodic, 17);
    uint64_t random = 99;
    int rebuilds = 0;
    begin_walk_of(device, variant, &made, precision, cutoff, &walk);
    const double half_skin = 0.5 * 0.12 * cutoff;
    assert_true(kernel_plan_has_skin(walk.plan));
    assert_true(box_as_device(&walk.box, precision, &at_build, &error));
    struct box moving;
    assert_true(box_as_device(&walk.box, precision, &moving, &error));
    check_forces(&walk);
    for (int s = 0; s < STEPS; s++) {
        struct box now;
        bool rebuilt;
        move_all(&walk.box, half_skin / 6, &random, &moving);
        assert_true(box_as_device(&moving, precision, &now, &error));
        copy_positions(&now, &moving);
        const double largest = largest_displacement(&at_build, &now);
        assert_true(fabs(largest - half_skin) > 1e-5); /* either would do nearer than that */
        assert_true(kernel_plan_move(walk.plan, &now, &error));
        assert_true(kernel_plan_renew(walk.plan, &rebuilt, &error));
        assert_int_equal(rebuilt, largest > half_skin);
        assert_int_equal(judge(&walk, &now), STATUS_OK);
        if (rebuilt) {
            rebuilds++;
            copy_positions(&now, &at_build);
        }
        box_free(&now);
    }
    assert_between(rebuilds, 1, STEPS / 3);
    box_free(&moving);
    box_free(&at_build);
    end_walk(&walk);
}

TEST(life) {
    const struct variant *walk = built_in("list_walk");
    const struct variant *columns = built_in("list_columns");
    for (int periodic = 0; periodic < 2; periodic++) {
        check_life(*state, walk, PRECISION_FLOAT, periodic);
        check_life(*state, walk, PRECISION_MIXED, periodic);
        check_life(*state, walk, PRECISION_DOUBLE, periodic);
        check_life(*state, columns, PRECISION_FLOAT, periodic);
        check_life(*state, columns, PRECISION_DOUBLE, periodic);
        check_life(*state, built_in("list_bits"), PRECISION_FIXED, periodic);
    }
    check_life(*state, built_in("list_blocks"), PRECISION_MIXED, true);
}

/* What passes fill when moved, and every rebuild, lives as long as the list does. */
TEST(life_of_scratch) {
    static const char *const paths[] = { TEST_DATA "/kernels/own_list.cl",
                                         TEST_DATA "/kernels/other_rows.cl" };
    for (int k = 0; k < 2; k++) {
        struct variant variant;
        struct error error;
        assert_done(variant_read_kth(paths[k], 0, &variant, &error), &error);
        check_life(*state, &variant, PRECISION_FLOAT, true);
        check_life(*state, &variant, PRECISION_DOUBLE, false);
        variant_free(&variant);
    }
}

/* One particle that crosses the cell's border is not far from where it was; one that goes far is,
 * and what the list does not know of, it gets wrong. */
static void check_one_particle(struct device *device, const char *walker) {
    struct error error;
    struct walk walk;
    struct box now;
    bool rebuilt;
    struct box made = hand_box_lattice(343, 0.8, 0.05, true, 17);
    made.position[0] = 0.01;
    begin_walk(device, walker, &made, PRECISION_DOUBLE, cutoff, &walk);
    check_forces(&walk);
    assert_true(box_as_device(&walk.box, PRECISION_DOUBLE, &now, &error));
    now.position[0] = now.edge[0] - 0.01;
    assert_true(kernel_plan_move(walk.plan, &now, &error));
    assert_true(kernel_plan_renew(walk.plan, &rebuilt, &error));
    assert_false(rebuilt);
    assert_int_equal(judge(&walk, &now), STATUS_OK);
    now.position[3] += 1.5; /* the second, between two others on the far side of its neighbour */
    now.position[4] += 0.5;
    assert_true(kernel_plan_move(walk.plan, &now, &error));
    assert_int_equal(judge(&walk, &now), STATUS_WRONG);
    assert_true(kernel_plan_renew(walk.plan, &rebuilt, &error));
    assert_true(rebuilt);
    assert_int_equal(judge(&walk, &now), STATUS_OK);
    box_free(&now);
    end_walk(&walk);
}

TEST(one_particle_moves) {
    for (int w = 0; w < WALKERS; w++) {
        check_one_particle(*state, walkers[w]);
    }
}

/* Cells serve no places but those that they were built from. */
TEST(cells_are_always_built_again) {
    struct error error;
    struct walk walk = { .reach = cutoff };
    bool rebuilt = false;
    struct box made = hand_box_lattice(125, 0.8, 0.05, true, 17);
    walk.spec.variant = built_in("sorted_cells");
    walk.spec.precision = PRECISION_DOUBLE;
    walk.spec.outputs = OUTPUTS_VIRIAL;
    walk.spec.cutoff = cutoff_of(cutoff);
    assert_true(interaction_parse("lj", &walk.spec.interaction, &error));
    case_preset_tunings(&walk.spec);
    assert_true(box_as_device(&made, PRECISION_DOUBLE, &walk.box, &error));
    assert_true(kernel_plan_create(
        &(struct plan_input){ *state, &walk.spec, BUILD_PLAIN, &walk.box, NULL, cutoff },
        &walk.plan, &error));
    assert_false(kernel_plan_has_skin(walk.plan));
    check_forces(&walk);
    assert_true(kernel_plan_renew(walk.plan, &rebuilt, &error));
    assert_true(rebuilt);
    hand_box_free(&made);
    end_walk(&walk);
}

/* ---- boxes of few, and of crowded particles ---- */

static void check_few_particles(struct device *device, const char *walker) {
    static const double edge[3] = { 30, 30, 30 };
    for (size_t n = 1; n <= 2; n++) {
        for (int periodic = 0; periodic < 2; periodic++) {
            struct walk walk;
            struct box near = hand_box_random(n, edge, periodic, 3);
            struct box far = hand_box_random(n, edge, periodic, 3);
            for (int d = 0; d < 3 && n == 2; d++) {
                near.position[3 + d] = near.position[d] + 0.8;
                far.position[3 + d] =
                    far.position[d] > 15 ? far.position[d] - 9 : far.position[d] + 9;
            }
            begin_walk(device, walker, &near, PRECISION_DOUBLE, cutoff, &walk);
            check_forces(&walk);
            end_walk(&walk);
            begin_walk(device, walker, &far, PRECISION_DOUBLE, cutoff, &walk);
            check_forces(&walk);
            end_walk(&walk);
        }
    }
}

/* A droplet in a large cell: the mean density says nothing of how many neighbours there are. */
static void check_droplet(struct device *device, const char *walker) {
    for (int periodic = 0; periodic < 2; periodic++) {
        struct walk walk;
        struct box droplet = hand_box_lattice(512, 1.2, 0.05, false, 7);
        droplet.periodic = periodic;
        for (int d = 0; d < 3 && periodic; d++) {
            droplet.edge[d] = 80;
        }
        droplet.position[0] = 79; /* one far away: an open box is as large */
        begin_walk(device, walker, &droplet, PRECISION_DOUBLE, cutoff, &walk);
        check_forces(&walk);
        end_walk(&walk);
    }
}

TEST(few_particles) {
    for (int w = 0; w < WALKERS; w++) {
        check_few_particles(*state, walkers[w]);
    }
}

TEST(droplet) {
    for (int w = 0; w < WALKERS; w++) {
        check_droplet(*state, walkers[w]);
    }
}
