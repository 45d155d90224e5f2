/*
 * Structures of cells: the lists of neighbouring cells against every pair of cells looked at in
 * turn, and what the builders leave on the device.
 */
#include "hand_box.h"
#include "kernels/structure.h"
#include "structures/cell_grid.h"
#include "structures/chain.h"

#include <float.h>

#include "boxes/box.h"
#include "device_fixture.h"

/* ---- the lists ---- */

static int offset_along(const struct cell_grid *grid, int d, int first, int second, int image) {
    const int stride[3] = { 1, grid->cells[0], grid->cells[0] * grid->cells[1] };
    const int shift = d == 0 ? image % 3 - 1 : d == 1 ? image / 3 % 3 - 1 : image / 9 - 1;
    return second / stride[d] % grid->cells[d] + shift * grid->cells[d] -
           first / stride[d] % grid->cells[d];
}

/* Whether particles of a cell and of an image of a cell can be within the search radius. */
static bool are_near(const struct cell_grid *grid, int first, int second, int image) {
    double sum = 0;
    for (int d = 0; d < 3; d++) {
        const int apart = abs(offset_along(grid, d, first, second, image));
        const double gap = apart > 1 ? (apart - 1) * grid->width[d] : 0;
        sum += gap * gap;
    }
    return sum <= grid->search_radius * grid->search_radius;
}

/* Where the number of times that a pair is listed stands. */
static size_t pair_place(const struct cell_grid *grid, int first, int second, int image) {
    return ((size_t)first * (size_t)grid->total + (size_t)second) * 27 + (size_t)image;
}

/* How often the list has each pair, from either side. Caller frees. */
static unsigned char *count_listed(const struct cell_grid *grid, const struct cell_pairs *pairs) {
    unsigned char *times = calloc((size_t)grid->total * (size_t)grid->total, 27);
    assert_non_null(times);
    for (size_t p = 0; p < pairs->all_count; p++) {
        const struct cell_pair *pair = &pairs->all[p];
        assert_between(pair->first, 0, grid->total - 1);
        assert_between(pair->second, 0, grid->total - 1);
        assert_between(pair->image, 0, 26);
        times[pair_place(grid, pair->first, pair->second, pair->image)]++;
        times[pair_place(grid, pair->second, pair->first, 26 - pair->image)]++;
    }
    return times;
}

static void check_all(const struct cell_grid *grid, bool periodic, const struct cell_pairs *pairs) {
    unsigned char *times = count_listed(grid, pairs);
    size_t near = 0;
    for (int first = 0; first < grid->total; first++) {
        for (int second = 0; second < grid->total; second++) {
            for (int image = 0; image < 27; image++) {
                const bool inside = first == second && image == 13;
                const bool wanted =
                    !inside && (periodic || image == 13) && are_near(grid, first, second, image);
                assert_int_equal(times[pair_place(grid, first, second, image)], wanted);
                near += wanted;
            }
        }
    }
    assert_int_equal(pairs->all_count, near / 2); /* met from both sides */
    free(times);
}

static void check_split(const struct cell_grid *grid, const struct cell_pairs *pairs) {
    int *units = calloc((size_t)grid->total, sizeof *units);
    size_t alone = 0;
    assert_non_null(units);
    for (size_t p = 0; p < pairs->disjoint_count; p++) {
        units[pairs->disjoint[p].first]++;
        if (pairs->disjoint[p].second >= 0) {
            units[pairs->disjoint[p].second]++;
        }
        alone += pairs->disjoint[p].second < 0;
    }
    for (int c = 0; c < grid->total; c++) {
        assert_int_equal(units[c], 1);
    }
    assert_int_equal(pairs->disjoint_count - alone + pairs->remaining_count, pairs->all_count);
    assert_true(alone <= (size_t)grid->total % 2 || pairs->all_count == 0);
    free(units);
}

static void check_grid(size_t n, double cutoff_in_edges, int cells_per_cutoff, bool periodic) {
    struct error error;
    struct cell_grid grid;
    struct cell_pairs pairs = { 0 };
    struct box box = hand_box_lattice(n, 0.8, 0.1, periodic, 7);
    const double cutoff = cutoff_in_edges * cbrt((double)n / 0.8);
    cell_grid_make(&box, cutoff, cells_per_cutoff, DBL_EPSILON, &grid);
    assert_true(cell_pairs_make_offsets(&grid, periodic, &pairs, &error));
    assert_true(cell_pairs_make_all(&grid, periodic, &pairs, &error));
    check_all(&grid, periodic, &pairs);
    assert_true(cell_pairs_split(&grid, &pairs, &error));
    check_split(&grid, &pairs);
    cell_pairs_free(&pairs);
    hand_box_free(&box);
}

TEST(lists) {
    static const double cutoffs[] = { 0.5, 0.49, 0.32, 0.24 }; /* 1, 2, 3, 4 cells an edge */
    for (int c = 0; c < 4; c++) {
        for (int periodic = 0; periodic < 2; periodic++) {
            check_grid(64, cutoffs[c], 1, periodic);
            check_grid(64, cutoffs[c], 2, periodic);
        }
    }
    check_grid(64, 0.49, 3, true);
    check_grid(1, 0.49, 1, true);
}

/* ---- leaning cells ---- */

/* The cell of a point in a grid of leaning cells, and the image of the box that it is in. */
static int leaning_cell(const struct cell_grid *grid, const double point[3], int *image) {
    static const int weight[3] = { 1, 3, 9 };
    double fraction[3];
    int number = 0;
    *image = 13;
    cell_fractions(&grid->box, point, fraction);
    for (int d = 2; d >= 0; d--) {
        const double turns = floor(fraction[d]);
        const int cell = (int)((fraction[d] - turns) * grid->cells[d]);
        *image += weight[d] * (int)turns;
        number = number * grid->cells[d] + (cell < grid->cells[d] ? cell : grid->cells[d] - 1);
    }
    return number;
}

/* Random pairs within the cutoff, first and second in turn inside the box: each is in one cell, or
 * in two that are listed. */
static void check_leaning_grid(const char *kind, double cutoff_in_heights, int cells_per_cutoff) {
    struct error error;
    struct box box;
    struct cell_grid grid;
    struct cell_pairs pairs = { 0 };
    uint64_t seed = 5;
    assert_true(box_make(kind, 64, 0.4, 1, &box, &error));
    const double cutoff = cutoff_in_heights * cell_least_height(&box.cell);
    cell_grid_make(&box, cutoff, cells_per_cutoff, DBL_EPSILON, &grid);
    assert_true(cell_pairs_make_offsets(&grid, true, &pairs, &error));
    assert_true(cell_pairs_make_all(&grid, true, &pairs, &error));
    unsigned char *times = count_listed(&grid, &pairs);
    for (int p = 0; p < 20000; p++) {
        double first[3];
        double second[3];
        double square = 0;
        int home;
        int image;
        for (int d = 0; d < 3; d++) {
            first[d] = box.edge[d] * hand_random(&seed);
            second[d] = 2 * hand_random(&seed) - 1;
            square += second[d] * second[d];
        }
        cell_wrap(&box.cell, first);
        for (int d = 0; d < 3; d++) {
            second[d] = first[d] + second[d] * (p % 2 ? cutoff / sqrt(square) : cutoff / sqrt(3));
        }
        const int own = leaning_cell(&grid, first, &home);
        const int other = leaning_cell(&grid, second, &image);
        assert_int_equal(home, 13);
        if (own != other || image != 13) {
            assert_int_equal(times[pair_place(&grid, own, other, image)], 1);
        }
    }
    free(times);
    cell_pairs_free(&pairs);
    box_free(&box);
}

TEST(leaning_lists) {
    static const char *const kinds[] = { "cubic@75:100:60", "brick@130:110:100", "plate@60:60:60" };
    for (int k = 0; k < 3; k++) {
        check_leaning_grid(kinds[k], 0.5, 1);
        check_leaning_grid(kinds[k], 0.49, 3);
        check_leaning_grid(kinds[k], 0.24, 1);
        check_leaning_grid(kinds[k], 0.24, 2);
    }
}

/* ---- on the device ---- */

struct built {
    struct box box;
    struct buffer *position;
    struct requested_names requested;
    struct tunings tunings;
    struct structure_chain *chain;
};

/* Particles of an open box: most in one corner, a few far away. For a variant with a pass over the
 * units of that name, NULL: it names none; with that value of CELL_LOOKUP. */
static void build_looking_up(struct device *device, const char *structure, size_t n,
                             const char *unit, int lookup, struct built *built) {
    struct error error;
    double *positions = calloc(4 * n, sizeof *positions);
    assert_non_null(positions);
    memset(built, 0, sizeof *built);
    built->tunings = (struct tunings){ .items = { { "CELL_LOOKUP", lookup } }, .count = 1 };
    if (unit) {
        struct pass pass = { .argument_count = 0 };
        struct variant variant = { .passes = &pass, .pass_count = 1 };
        (void)snprintf(pass.unit, sizeof pass.unit, "%s", unit);
        requested_names_of_variant(&variant, &built->requested);
    }
    built->box = hand_box_lattice(n, 0.8, 0.1, false, 3);
    for (size_t i = 0; i < n; i++) {
        for (size_t d = 0; d < 3; d++) {
            const double far = i % 50 == 0 ? 0.2 * (double)i : 0;
            built->box.position[3 * i + d] = 0.1 * built->box.position[3 * i + d] + far;
            positions[4 * i + d] = built->box.position[3 * i + d];
        }
    }
    assert_true(buffer_allocate(device, 4 * n * sizeof(double), &built->position, &error));
    assert_true(buffer_write(built->position, 0, positions, 4 * n * sizeof(double), &error));
    free(positions);
    const struct structure_input input = { .device = device,
                                           .box = &built->box,
                                           .position = built->position,
                                           .precision = PRECISION_DOUBLE,
                                           .cutoff = 2.5,
                                           .requested = &built->requested,
                                           .tunings = &built->tunings };
    assert_true(structure_chain_create(structure_find(structure), &input, &built->chain, &error));
}

static void build(struct device *device, const char *structure, size_t n, const char *unit,
                  struct built *built) {
    build_looking_up(device, structure, n, unit, 0, built);
}

static void unbuild(struct built *built) {
    structure_chain_free(built->chain);
    buffer_free(built->position);
    hand_box_free(&built->box);
}

static int32_t int_of(const struct built *built, const char *name) {
    struct argument argument;
    int32_t value;
    assert_true(structure_chain_argument(built->chain, name, &argument));
    memcpy(&value, argument.value, sizeof value);
    return value;
}

/* The buffer itself: the tests write into it what the builder must leave alone. */
static struct buffer *buffer_of(const struct built *built, const char *name) {
    struct argument argument;
    struct buffer *buffer;
    assert_true(structure_chain_argument(built->chain, name, &argument));
    memcpy(&buffer, &argument.buffer, sizeof buffer);
    return buffer;
}

/* Caller frees. */
static int32_t *ints_of(const struct built *built, const char *name) {
    struct error error;
    struct buffer *buffer = buffer_of(built, name);
    int32_t *ints = malloc(buffer_bytes(buffer));
    assert_non_null(ints);
    assert_true(buffer_read(buffer, 0, ints, buffer_bytes(buffer), &error));
    return ints;
}

/* Every particle stands in one row, and what lies behind a row's particles is what was there. */
static void check_table(const struct built *built, bool filled_before) {
    const int32_t capacity = int_of(built, "cell_capacity");
    const int32_t cells = (int32_t)(buffer_bytes(buffer_of(built, "cell_count")) / sizeof(int32_t));
    int32_t *count = ints_of(built, "cell_count");
    int32_t *particles = ints_of(built, "cell_particles");
    int *seen = calloc(built->box.n, sizeof *seen);
    assert_non_null(seen);
    for (int32_t c = 0; c < cells; c++) {
        assert_between(count[c], 0, capacity);
        for (int32_t k = 0; k < capacity; k++) {
            const int32_t particle = particles[c * capacity + k];
            if (k < count[c]) {
                assert_between(particle, 0, built->box.n - 1);
                seen[particle]++;
            } else if (filled_before) {
                assert_int_equal(particle, 0x55555555);
            }
        }
    }
    for (size_t i = 0; i < built->box.n; i++) {
        assert_int_equal(seen[i], 1);
    }
    free(count);
    free(particles);
    free(seen);
}

TEST(table_overflow) {
    struct error error;
    struct built built;
    build(*state, "cell_table", 300, NULL, &built);
    const int32_t guess = int_of(&built, "cell_capacity");
    assert_true(structure_chain_build(built.chain, NULL, &error));
    const int32_t grown = int_of(&built, "cell_capacity");
    assert_true(grown > guess);
    check_table(&built, false);
    struct buffer *particles = buffer_of(&built, "cell_particles");
    assert_true(buffer_fill(particles, 0x55, buffer_bytes(particles), &error));
    assert_true(structure_chain_build(built.chain, NULL, &error));
    assert_int_equal(int_of(&built, "cell_capacity"), grown);
    check_table(&built, true);
    unbuild(&built);
}

TEST(room_is_looked_at_later) {
    struct error error;
    struct built built;
    build(*state, "cell_table", 300, NULL, &built);
    const int32_t guess = int_of(&built, "cell_capacity");
    assert_true(structure_chain_never_waits(built.chain));
    assert_true(structure_chain_enqueue(built.chain, &error));
    assert_int_equal(int_of(&built, "cell_capacity"), guess);
    assert_int_equal(structure_chain_growths(built.chain), 0);
    for (int again = 0; again < 2; again++) {
        assert_true(structure_chain_settle(built.chain, &error));
        assert_int_equal(structure_chain_growths(built.chain), 1);
        check_table(&built, false);
        assert_true(structure_chain_enqueue(built.chain, &error));
    }
    unbuild(&built);
}

/* A list that is built from another waits for the word that it had room. */
TEST(lists_of_lists_wait) {
    struct built built;
    build(*state, "pair_list", 300, NULL, &built);
    assert_true(structure_chain_never_waits(built.chain));
    unbuild(&built);
    build(*state, "clusters_8x8", 300, NULL, &built);
    assert_false(structure_chain_never_waits(built.chain));
    unbuild(&built);
}

TEST(chains) {
    struct error error;
    struct built built;
    build(*state, "linked_cells", 300, NULL, &built);
    for (int again = 0; again < 2; again++) {
        assert_true(structure_chain_build(built.chain, NULL, &error));
        const size_t cells = buffer_bytes(buffer_of(&built, "cell_head")) / sizeof(int32_t);
        int32_t *head = ints_of(&built, "cell_head");
        int32_t *next = ints_of(&built, "particle_next");
        size_t met = 0;
        for (size_t c = 0; c < cells; c++) {
            for (int32_t i = head[c]; i >= 0 && met <= built.box.n; i = next[i]) {
                met++;
            }
        }
        assert_int_equal(met, built.box.n);
        free(head);
        free(next);
    }
    unbuild(&built);
}

/* Which cell each particle's chain, or row, is of. Caller frees. */
static int32_t *cells_of_particles(const struct built *built, bool by_chains) {
    const char *names[] = { by_chains ? "cell_head" : "cell_count",
                            by_chains ? "particle_next" : "cell_particles" };
    const int32_t cells = (int32_t)(buffer_bytes(buffer_of(built, names[0])) / sizeof(int32_t));
    const int32_t capacity = by_chains ? 0 : int_of(built, "cell_capacity");
    int32_t *first = ints_of(built, names[0]);
    int32_t *rest = ints_of(built, names[1]);
    int32_t *cell = calloc(built->box.n, sizeof *cell);
    assert_non_null(cell);
    for (int32_t c = 0; c < cells; c++) {
        for (int32_t i = by_chains ? first[c] : -1; i >= 0; i = rest[i]) {
            cell[i] += c + 1;
        }
        for (int32_t k = 0; !by_chains && k < first[c]; k++) {
            cell[rest[c * capacity + k]] += c + 1;
        }
    }
    free(first);
    free(rest);
    return cell;
}

/* Any number of bins per cell finds what arithmetic finds. */
TEST(cells_looked_up) {
    static const char *const structures[] = { "linked_cells", "cell_table" };
    struct error error;
    for (int s = 0; s < 2; s++) {
        int32_t *cells[3];
        for (int k = 0; k < 3; k++) {
            static const int lookups[] = { 0, 1, 8 };
            struct built built;
            build_looking_up(*state, structures[s], 300, NULL, lookups[k], &built);
            assert_true(structure_chain_build(built.chain, NULL, &error));
            cells[k] = cells_of_particles(&built, s == 0);
            assert_memory_equal(cells[k], cells[0], built.box.n * sizeof **cells);
            unbuild(&built);
        }
        assert_int_not_equal(cells[0][0], cells[0][250]); /* not all in one */
        for (int k = 0; k < 3; k++) {
            free(cells[k]);
        }
    }
}

/* A unit asks for its list as the list's own name does, and so does each of two groups'. */
TEST(lists_are_made_where_a_unit_asks) {
    static const struct {
        const char *named, *unit;
        bool made;
    } cases[] = {
        { NULL, "cell_pair", false },
        { "cell_pair", "cell_pair", true },
        { "cell_pair", "disjoint_pair", false },
        { "cell_pair_b", "cell_pair", true },
        { "disjoint_pair_a", "disjoint_pair", true },
        { "remaining_pair_b", "disjoint_pair", true },
        { "cell_b", "cell_pair", false },
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct built built;
        size_t count = 0;
        build(*state, "linked_cells", 300, cases[c].named, &built);
        assert_true(structure_chain_unit(built.chain, cases[c].unit, &count));
        if ((count > 0) != cases[c].made) {
            fail_msg("%s: %zu of %s", cases[c].named ? cases[c].named : "nothing", count,
                     cases[c].unit);
        }
        unbuild(&built);
    }
}
