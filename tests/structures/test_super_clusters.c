/*
 * clusters_8x8 and clusters_outer: each pair within reach stands in both lists once, whatever the
 * box; the inner list is pruned anew from the outer one while that serves, and both are built again
 * where it does not. Pruned part by part, it has each pair within the cutoff, while nobody comes
 * farther between two parts than it says.
 */
#include "boxes/box.h"
#include "hand_box.h"
#include "structures/chain.h"

#include "device_fixture.h"

#include "support.h"

enum { SUPER = 64, SKIN = 12, OUTER = 20 };

static const double cutoff = 2;
static const double inner_reach = 2 * 1.12;
static const double outer_reach = 2 * 1.12 * 1.2;

struct lists {
    struct buffer *position;
    struct structure_chain *chain;
    size_t partners;
};

/* ---- on the device ---- */

static void set_tuning(struct tunings *tunings, const char *name, int value) {
    struct tuning *tuning = &tunings->items[tunings->count++];
    (void)snprintf(tuning->name, sizeof tuning->name, "%s", name);
    tuning->value = value;
}

static void write_positions(const struct box *box, struct buffer *buffer) {
    struct error error;
    double *positions = calloc(4 * box->n + 1, sizeof *positions);
    assert_non_null(positions);
    for (size_t k = 0; k < 3 * box->n; k++) {
        positions[4 * (k / 3) + k % 3] = box->position[k];
    }
    assert_true(buffer_write(buffer, 0, positions, 4 * box->n * sizeof *positions, &error));
    free(positions);
}

static void build_parts(struct device *device, const struct box *box, int partners, int capacity,
                        int parts, struct lists *lists) {
    static const struct requested_names nothing;
    struct tunings tunings = { 0 };
    struct error error;
    lists->partners = (size_t)partners;
    set_tuning(&tunings, "SKIN", SKIN);
    set_tuning(&tunings, "OUTER", OUTER);
    set_tuning(&tunings, "PARTNERS", partners);
    set_tuning(&tunings, "LIST_CAPACITY", capacity);
    set_tuning(&tunings, "PARTS", parts);
    assert_true(buffer_allocate(device, 4 * box->n * sizeof(double), &lists->position, &error));
    write_positions(box, lists->position);
    const struct structure_input input = { .device = device,
                                           .box = box,
                                           .position = lists->position,
                                           .precision = PRECISION_DOUBLE,
                                           .cutoff = cutoff,
                                           .requested = &nothing,
                                           .tunings = &tunings };
    assert_true(
        structure_chain_create(structure_find("clusters_8x8"), &input, &lists->chain, &error));
    assert_true(structure_chain_build(lists->chain, NULL, &error));
}

static void build_lists(struct device *device, const struct box *box, int partners, int capacity,
                        struct lists *lists) {
    build_parts(device, box, partners, capacity, 1, lists);
}

static void free_lists(struct lists *lists) {
    structure_chain_free(lists->chain);
    buffer_free(lists->position);
}

static void *read_all(const struct structure_chain *chain, const char *name) {
    struct argument argument;
    struct error error;
    assert_true(structure_chain_argument(chain, name, &argument));
    const size_t bytes = buffer_bytes(argument.buffer);
    void *values = malloc(bytes + 1);
    assert_non_null(values);
    assert_true(buffer_read(argument.buffer, 0, values, bytes, &error));
    return values;
}

static size_t size_of(const struct structure_chain *chain, const char *name) {
    struct argument argument;
    int32_t value;
    assert_true(structure_chain_argument(chain, name, &argument));
    memcpy(&value, argument.value, sizeof value);
    return (size_t)value;
}

/* ---- the pairs of a list ---- */

static double distance_in_image(const struct box *box, size_t i, size_t j, int image) {
    const struct cell *cell = &box->cell;
    const int x = image % 3 - 1;
    const int y = image / 3 % 3 - 1;
    const int z = image / 9 - 1;
    const double shift[3] = { x * box->edge[0] + y * cell->tilt[0] + z * cell->tilt[1],
                              y * box->edge[1] + z * cell->tilt[2], z * box->edge[2] };
    double sum = 0;
    for (size_t d = 0; d < 3; d++) {
        const double apart = box->position[3 * i + d] - box->position[3 * j + d] - shift[d];
        sum += apart * apart;
    }
    return sqrt(sum);
}

/* Adds one to times[i * n + j] for each pair that an entry has within the radius. */
static void count_entry(const struct box *box, const struct lists *lists, const int32_t *index,
                        size_t super, size_t entry, uint32_t word, double radius, int *times) {
    const int image = ((int)(word >> 8) + 13) % 27;
    for (size_t at = 0; at < SUPER; at++) {
        for (size_t q = 0; q < lists->partners && (word >> (at / 8) & 1u); q++) {
            const size_t i = super * SUPER + at;
            const size_t j = entry * lists->partners + q;
            const bool is_own = image == 13 && j / SUPER == super;
            if (i < box->n && j < box->n && !(is_own && i >= j) &&
                distance_in_image(box, (size_t)index[i], (size_t)index[j], image) <= radius) {
                times[(size_t)index[i] * box->n + (size_t)index[j]]++;
                times[(size_t)index[j] * box->n + (size_t)index[i]]++;
            }
        }
    }
}

static void count_list(const struct box *box, const struct lists *lists, const char *length_name,
                       const char *entries_name, const char *words_name, const char *capacity_name,
                       double radius, int *times) {
    int32_t *index = read_all(lists->chain, "place_index");
    int32_t *length = read_all(lists->chain, length_name);
    int32_t *entries = read_all(lists->chain, entries_name);
    uint32_t *words = read_all(lists->chain, words_name);
    const size_t capacity = size_of(lists->chain, capacity_name);
    for (size_t super = 0; super * SUPER < box->n; super++) {
        assert_between(length[super], 0, capacity);
        for (size_t k = 0; k < (size_t)length[super]; k++) {
            count_entry(box, lists, index, super, (size_t)entries[super * capacity + k],
                        words[super * capacity + k], radius, times);
        }
    }
    free(index);
    free(length);
    free(entries);
    free(words);
}

/* Each pair within the radius stands in the list once, the others never. */
static void check_times(const struct box *box, double radius, const int *times) {
    for (size_t i = 0; i < box->n; i++) {
        for (size_t j = 0; j < box->n; j++) {
            double least = INFINITY;
            for (int image = 0; image < 27; image++) {
                if (box->periodic || image == 13) {
                    least = fmin(least, distance_in_image(box, i, j, image));
                }
            }
            assert_int_equal(times[i * box->n + j], i != j && least <= radius);
        }
    }
}

/* Each pair within the radius stands in the inner list once. */
static void check_pruned(const struct box *box, const struct lists *lists, double radius) {
    int *times = calloc(box->n * box->n + 1, sizeof *times);
    assert_non_null(times);
    count_list(box, lists, "super_length", "super_entries", "super_words", "list_capacity", radius,
               times);
    count_list(box, lists, "masked_length", "masked_entries", "masked_words", "mask_capacity",
               radius, times);
    check_times(box, radius, times);
    free(times);
}

static void check_inner(const struct box *box, const struct lists *lists) {
    check_pruned(box, lists, inner_reach);
}

static void check_outer(const struct box *box, const struct lists *lists) {
    int *times = calloc(box->n * box->n + 1, sizeof *times);
    assert_non_null(times);
    count_list(box, lists, "outer_length", "outer_entries", "outer_words", "list_capacity",
               outer_reach, times);
    count_list(box, lists, "masked_length", "masked_entries", "masked_outer_words", "mask_capacity",
               outer_reach, times);
    check_times(box, outer_reach, times);
    free(times);
}

/* Super-clusters stand by the lengths of their lists, the longest first. */
static void check_order(const struct box *box, const struct lists *lists) {
    int32_t *order = read_all(lists->chain, "super_order");
    int32_t *length = read_all(lists->chain, "super_length");
    int32_t *masked = read_all(lists->chain, "masked_length");
    const size_t supers = (box->n + SUPER - 1) / SUPER;
    size_t sum = 0;
    for (size_t k = 0; k < supers; k++) {
        sum += (size_t)order[k];
        assert_true(k == 0 || length[order[k]] + masked[order[k]] <=
                                  length[order[k - 1]] + masked[order[k - 1]]);
    }
    assert_int_equal(sum, supers * (supers - 1) / 2);
    free(order);
    free(length);
    free(masked);
}

static void check_both(const struct box *box, const struct lists *lists) {
    check_inner(box, lists);
    check_outer(box, lists);
    check_order(box, lists);
}

TEST(leaning_cells) {
    struct box made;
    struct box box;
    struct lists lists;
    struct error error;
    assert_true(box_make("fluid@75:100:60", 343, 0.3, 1, &made, &error));
    assert_true(box_as_device(&made, PRECISION_DOUBLE, &box, &error));
    build_lists(*state, &box, 4, 1, &lists); /* too short at first */
    check_both(&box, &lists);
    free_lists(&lists);
    box_free(&made);
    box_free(&box);
}

/* ---- two lives ---- */

/* Moves every other particle along x. */
static void move(struct box *box, struct lists *lists, double way) {
    for (size_t i = 0; i < box->n; i += 2) {
        box->position[3 * i] += way;
    }
    write_positions(box, lists->position);
}

/* The same, and tells whether the lists were made anew. */
static bool move_and_renew(struct box *box, struct lists *lists, double way) {
    struct error error;
    bool rebuilt = false;
    move(box, lists, way);
    assert_true(structure_chain_renew(lists->chain, &rebuilt, &error));
    return rebuilt;
}

/* Half the inner skin is 0.12; the outer list serves for 0.224 of way when the inner one is pruned.
 */
TEST(the_inner_list_is_pruned_anew) {
    struct box box = hand_box_lattice(343, 0.5, 0.2, true, 11);
    struct lists lists;
    build_lists(*state, &box, 8, 0, &lists);
    check_both(&box, &lists);
    double *built = read_all(lists.chain, "place_position");
    const size_t bytes = 4 * box.n * sizeof *built;
    assert_false(move_and_renew(&box, &lists, 0.11));
    assert_true(move_and_renew(&box, &lists, 0.02));
    double *kept = read_all(lists.chain, "place_position");
    assert_memory_equal(built, kept, bytes);
    check_inner(&box, &lists);
    assert_false(move_and_renew(&box, &lists, 0.11)); /* 0.24 since the outer list was built */
    assert_true(move_and_renew(&box, &lists, 0.02));
    double *anew = read_all(lists.chain, "place_position");
    assert_memory_not_equal(built, anew, bytes);
    check_inner(&box, &lists);
    free(built);
    free(kept);
    free(anew);
    free_lists(&lists);
    hand_box_free(&box);
}

/* Whoever knows that the inner list no longer serves has it pruned, from an outer one that does. */
TEST(the_outer_list_stays_while_it_serves) {
    struct box box = hand_box_lattice(343, 0.5, 0.2, true, 11);
    struct lists lists;
    struct error error;
    bool outer_rebuilt = true;
    build_lists(*state, &box, 8, 0, &lists);
    for (int k = 0; k < 3; k++) {
        move(&box, &lists, 0.1);
        assert_true(structure_chain_rebuild(lists.chain, &outer_rebuilt, &error));
        assert_int_equal(outer_rebuilt, k == 2);
        check_inner(&box, &lists);
    }
    free_lists(&lists);
    hand_box_free(&box);
}

/* ---- part by part ---- */

enum { PARTS = 3, MARK = -7 };

/* Each particle goes straight on, all as far, each in a direction of its own. */
static void go_on(struct box *box, struct lists *lists, double way) {
    for (size_t i = 0; i < box->n; i++) {
        const double angle = 2.4 * (double)i; /* some golden angle, so that neighbours part */
        const double height = fmod(0.754877666 * (double)i, 2) - 1;
        const double across = sqrt(1 - height * height);
        box->position[3 * i] += way * across * cos(angle);
        box->position[3 * i + 1] += way * across * sin(angle);
        box->position[3 * i + 2] += way * height;
    }
    write_positions(box, lists->position);
}

static int32_t renew_part(struct lists *lists, struct buffer *expired) {
    struct error error;
    int32_t mark = 0;
    assert_true(structure_chain_renew_part(lists->chain, expired, MARK, &error));
    assert_true(buffer_read(expired, 0, &mark, sizeof mark, &error));
    return mark;
}

static struct buffer *make_expired(struct device *device) {
    struct buffer *expired = NULL;
    struct error error;
    assert_true(buffer_allocate(device, sizeof(int32_t), &expired, &error));
    assert_true(buffer_fill(expired, 0, sizeof(int32_t), &error));
    return expired;
}

/* A part serves for 0.04 of way and two times more. Where it was pruned, it reaches as far as the
 * whole list does; the outer list serves for 0.224. */
TEST(parts_are_pruned_in_turn) {
    struct box box = hand_box_lattice(343, 0.5, 0.2, true, 11);
    struct lists lists;
    build_parts(*state, &box, 8, 0, PARTS, &lists);
    struct buffer *expired = make_expired(*state);
    const double way = structure_chain_limit(lists.chain);
    assert_int_equal(structure_chain_parts(lists.chain), PARTS);
    assert_true(fabs(way - 0.5 * (inner_reach - cutoff) / PARTS) < 1e-6);
    check_both(&box, &lists);
    for (int k = 0; k < 5; k++) {
        go_on(&box, &lists, way);
        check_pruned(&box, &lists, cutoff);
        assert_int_equal(renew_part(&lists, expired), 0);
        check_pruned(&box, &lists, cutoff);
    }
    for (int k = 0; k < PARTS; k++) {
        assert_int_equal(renew_part(&lists, expired), 0);
    }
    check_inner(&box, &lists);
    int32_t *pruned = read_all(lists.chain, "super_length");
    go_on(&box, &lists, way); /* 0.24 since the outer list was built */
    assert_int_equal(renew_part(&lists, expired), MARK);
    assert_int_equal(renew_part(&lists, expired), MARK);
    int32_t *left = read_all(lists.chain, "super_length");
    assert_memory_equal(pruned, left, (box.n + SUPER - 1) / SUPER * sizeof *left);
    free(pruned);
    free(left);
    buffer_free(expired);
    free_lists(&lists);
    hand_box_free(&box);
}

/* What was noted when all were pruned says nothing of a part that was pruned since. */
TEST(parts_do_not_serve_other_places) {
    struct box box = hand_box_lattice(343, 0.5, 0.2, true, 11);
    struct lists lists;
    build_parts(*state, &box, 4, 0, PARTS, &lists);
    struct buffer *expired = make_expired(*state);
    assert_false(move_and_renew(&box, &lists, 0.11));
    assert_int_equal(renew_part(&lists, expired), 0);
    assert_true(move_and_renew(&box, &lists, -0.11));
    check_inner(&box, &lists);
    buffer_free(expired);
    free_lists(&lists);
    hand_box_free(&box);
}
