/* Triclinic cells: read, made, written, and what the reference computes in them. */
#include "boxes/box.h"
#include "hand_box.h"
#include "reference/pairs/reference.h"

#include <unistd.h>

#include "support.h"

typedef bool walk(const struct box *box, const struct interaction *interaction, double cutoff,
                  struct reference *reference, struct error *error);

static walk *const walks[] = { reference_direct, reference_cells, reference_compute };
enum { WALKS = sizeof walks / sizeof walks[0] };

static struct reference run(walk *by, const struct box *box, double cutoff) {
    struct interaction lj = hand_lj(1.0, 1.0);
    struct reference reference;
    struct error error = { STATUS_OK, "" };
    assert_done(by(box, &lj, cutoff, &reference, &error), &error);
    return reference;
}

static void point_of(const struct cell *cell, const double fraction[3], double point[3]) {
    point[0] =
        fraction[0] * cell->edge[0] + fraction[1] * cell->tilt[0] + fraction[2] * cell->tilt[1];
    point[1] = fraction[1] * cell->edge[1] + fraction[2] * cell->tilt[2];
    point[2] = fraction[2] * cell->edge[2];
}

/* Particles on the sites of a grid along the cell's vectors, each moved by up to `jitter` of its
 * spacing, and by whole vectors besides. */
static struct box grid_box(const struct cell *cell, size_t per_edge, double jitter, uint64_t seed) {
    struct box box = hand_box_empty(per_edge * per_edge * per_edge);
    for (size_t i = 0; i < box.n; i++) {
        const size_t site[3] = { i % per_edge, i / per_edge % per_edge, i / per_edge / per_edge };
        double fraction[3];
        for (int k = 0; k < 3; k++) {
            const double moved = (double)site[k] + jitter * (2.0 * hand_random(&seed) - 1.0);
            fraction[k] = moved / (double)per_edge + floor(4.0 * hand_random(&seed)) - 2.0;
        }
        point_of(cell, fraction, box.position + 3 * i);
    }
    box.periodic = true;
    box.cell = *cell;
    return box;
}

/* ---- the cell by itself ---- */

TEST(heights_are_distances_of_faces) {
    const struct cell straight = { { 3.1, 4.2, 5.3 }, { 0.0, 0.0, 0.0 } };
    /* 30 degrees within the plane of a and b; c straight up. */
    const struct cell leaning = { { 4.0, sqrt(3.0), 5.0 }, { 3.0, 0.0, 0.0 } };
    double height[3];
    double angle[3];
    cell_heights(&straight, height);
    assert_memory_equal(height, straight.edge, sizeof height);
    assert_true(cell_least_height(&straight) == 3.1);
    cell_heights(&leaning, height);
    assert_near(height[0], 2.0, 1e-15);
    assert_near(height[1], sqrt(3.0), 1e-15);
    assert_near(height[2], 5.0, 1e-15);
    cell_angles(&leaning, angle);
    assert_near(angle[0], 90.0, 1e-12);
    assert_near(angle[1], 90.0, 1e-12);
    assert_near(angle[2], 30.0, 1e-12);
}

TEST(wrapping_keeps_the_image) {
    const struct cell cell = { { 5.0, 6.0, 7.0 }, { 2.2, -3.1, 9.4 } };
    uint64_t seed = 4;
    for (int i = 0; i < 2000; i++) {
        double point[3];
        double wrapped[3];
        double fraction[3];
        double difference[3];
        for (int k = 0; k < 3; k++) {
            point[k] = 200.0 * hand_random(&seed) - 100.0;
            wrapped[k] = point[k];
        }
        cell_wrap(&cell, wrapped);
        cell_fractions(&cell, wrapped, fraction);
        for (int k = 0; k < 3; k++) {
            assert_true(fraction[k] > -1e-12 && fraction[k] < 1.0 + 1e-12);
            difference[k] = point[k] - wrapped[k];
        }
        cell_fractions(&cell, difference, fraction);
        for (int k = 0; k < 3; k++) {
            assert_near(fraction[k], round(fraction[k]), 1e-11);
        }
    }
}

TEST(any_vectors_become_a_triangle) {
    uint64_t seed = 9;
    int left_handed = 0;
    for (int i = 0; i < 200; i++) {
        struct error error = { STATUS_OK, "" };
        struct cell cell;
        double v[9];
        struct cell_frame frame;
        for (int k = 0; k < 9; k++) {
            v[k] = 10.0 * hand_random(&seed) - 5.0;
        }
        const double volume = v[0] * (v[4] * v[8] - v[5] * v[7]) -
                              v[1] * (v[3] * v[8] - v[5] * v[6]) +
                              v[2] * (v[3] * v[7] - v[4] * v[6]);
        assert_true(cell_from_vectors(v, &cell, &frame, &error));
        assert_true(frame.rotated);
        assert_true(frame.reversed[2] == (volume < 0.0));
        left_handed += frame.reversed[2];
        const double expected[9] = { cell.edge[0], 0.0,          0.0,
                                     cell.tilt[0], cell.edge[1], 0.0,
                                     cell.tilt[1], cell.tilt[2], cell.edge[2] };
        for (int k = 0; k < 9; k++) { /* row k / 3 of the vectors, rotated */
            const double *x = v + 3 * (k / 3);
            const double *row = frame.rotation + 3 * (k % 3);
            const double sign = frame.reversed[k / 3] ? -1.0 : 1.0;
            assert_near(sign * (row[0] * x[0] + row[1] * x[1] + row[2] * x[2]), expected[k], 1e-13);
        }
    }
    assert_between(left_handed, 50, 150);
}

TEST(a_triangle_is_taken_as_it_is) {
    struct error error = { STATUS_OK, "" };
    const double v[9] = { 5.0, 1e-15, 0.0, -2.0, 6.0, -1e-16, 1.0, 3e-16, 7.0 };
    struct cell cell;
    struct cell_frame frame;
    assert_true(cell_from_vectors(v, &cell, &frame, &error));
    assert_false(frame.rotated);
    const struct cell expected = { { 5.0, 6.0, 7.0 }, { -2.0, 1.0, 0.0 } };
    assert_memory_equal(&cell, &expected, sizeof cell);
}

/* Of any signs: vectors are reversed, and nothing is turned. */
TEST(a_triangle_of_any_signs_is_not_turned) {
    for (int signs = 0; signs < 8; signs++) {
        struct error error = { STATUS_OK, "" };
        double v[9] = { 5.0, 0.0, 0.0, -2.0, 6.0, 0.0, 1.0, 3.0, 7.0 };
        struct cell cell;
        struct cell_frame frame;
        for (int k = 0; k < 9; k++) {
            v[k] = signs >> (k / 3) & 1 ? -v[k] : v[k];
        }
        assert_true(cell_from_vectors(v, &cell, &frame, &error));
        assert_false(frame.rotated);
        const struct cell expected = { { 5.0, 6.0, 7.0 }, { -2.0, 1.0, 3.0 } };
        assert_memory_equal(&cell, &expected, sizeof cell);
        for (int k = 0; k < 3; k++) {
            assert_int_equal(frame.reversed[k], signs >> k & 1);
        }
    }
}

/* ---- the reference ---- */

/* The same crystal by its cubic cell and by its primitive one: a, b, c along the face diagonals. */
TEST(crystal_by_two_cells) {
    const double constant = 1.7;
    const double cutoff = 2.4;
    struct box cubic = hand_box_empty(4 * 27);
    struct box primitive = hand_box_empty(216);
    static const double corner[4][3] = { { 0, 0, 0 }, { 0, .5, .5 }, { .5, 0, .5 }, { .5, .5, 0 } };
    for (size_t i = 0; i < cubic.n; i++) {
        const size_t site[3] = { i / 4 % 3, i / 12 % 3, i / 36 };
        for (size_t k = 0; k < 3; k++) {
            cubic.position[3 * i + k] = constant * ((double)site[k] + corner[i % 4][k]);
        }
    }
    cubic.periodic = primitive.periodic = true;
    cubic.edge[0] = cubic.edge[1] = cubic.edge[2] = 3 * constant;
    const double half = 0.5 * constant;
    const double v[9] = { 0, half, half, half, 0, half, half, half, 0 };
    struct error error = { STATUS_OK, "" };
    struct cell one;
    struct cell_frame frame;
    assert_true(cell_from_vectors(v, &one, &frame, &error));
    assert_true(frame.rotated);
    for (size_t i = 0; i < primitive.n; i++) {
        const size_t layer = i / 36;
        const double at[3] = { (double)(i % 6), (double)(i / 6 % 6), (double)layer };
        point_of(&one, at, primitive.position + 3 * i);
    }
    for (int k = 0; k < 3; k++) {
        primitive.edge[k] = 6 * one.edge[k];
        primitive.tilt[k] = 6 * one.tilt[k];
    }
    const struct reference expected = run(reference_direct, &cubic, cutoff);
    for (int w = 0; w < WALKS; w++) {
        struct reference got = run(walks[w], &primitive, cutoff);
        assert_int_equal(got.pairs_in_cutoff * cubic.n, expected.pairs_in_cutoff * primitive.n);
        assert_near(got.energy / 216.0, expected.energy / 108.0, 1e-13);
        for (int k = 0; k < 9; k++) { /* that of a cubic crystal has no direction */
            assert_near(got.virial[k] / 216.0, expected.virial[k] / 108.0, 1e-12);
        }
        for (size_t i = 0; i < 3 * primitive.n; i++) {
            assert_near(got.force[i], 0.0, 1e-11);
        }
        reference_free(&got);
    }
    struct reference done = expected;
    reference_free(&done);
    hand_box_free(&cubic);
    hand_box_free(&primitive);
}

/* b + a in the place of b, and c - 2 b + a in that of c: the same lattice, and the same forces. */
TEST(same_lattice_by_another_cell) {
    static const double tilts[2][3] = { { 9.0, 0.0, 0.0 }, { 9.0, 9.0, -20.0 } };
    const struct cell straight = { { 9.0, 10.0, 11.0 }, { 0.0, 0.0, 0.0 } };
    struct box box = grid_box(&straight, 9, 0.2, 1);
    const double cutoff = 1.55;
    struct reference expected = run(reference_direct, &box, cutoff);
    for (int w = 0; w < 2 * WALKS; w++) {
        memcpy(box.tilt, tilts[w % 2], sizeof box.tilt);
        struct reference got = run(walks[w / 2], &box, cutoff);
        assert_int_equal(got.pairs_in_cutoff, expected.pairs_in_cutoff);
        assert_near(got.energy, expected.energy, 1e-12 * expected.energy_scale);
        for (size_t i = 0; i < 3 * box.n; i++) {
            assert_near(got.force[i], expected.force[i], 1e-12 * (1.0 + expected.slope[i / 3]));
        }
        for (int k = 0; k < 9; k++) {
            assert_near(got.virial[k], expected.virial[k], 1e-12 * expected.virial_scale);
        }
        reference_free(&got);
    }
    reference_free(&expected);
    hand_box_free(&box);
}

/* Every image of every pair, five each way along each vector, without a look at which is nearest.
 */
static void sum_all_images(const struct box *box, double cutoff, double *energy, double *force) {
    *energy = 0.0;
    memset(force, 0, 3 * box->n * sizeof *force);
    for (size_t p = 0; p < box->n * box->n * 1331; p++) {
        const size_t i = p / 1331 / box->n;
        const size_t j = p / 1331 % box->n;
        const double image[3] = { (double)(p % 11) - 5, (double)(p / 11 % 11) - 5,
                                  (double)(p / 121 % 11) - 5 };
        double d[3];
        point_of(&box->cell, image, d);
        for (int k = 0; k < 3; k++) {
            d[k] += box->position[3 * i + (size_t)k] - box->position[3 * j + (size_t)k];
        }
        const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (i == j || r2 > cutoff * cutoff) {
            continue;
        }
        const double s6 = 1.0 / (r2 * r2 * r2);
        *energy += 2.0 * (s6 * s6 - s6);
        for (int k = 0; k < 3; k++) {
            force[3 * i + (size_t)k] += 24.0 * (2.0 * s6 * s6 - s6) / r2 * d[k];
        }
    }
}

TEST(every_image_agrees) {
    static const struct cell cells[] = {
        { { 4.0, 4.5, 5.0 }, { 1.9, -1.7, 2.1 } },
        { { 4.0, 4.5, 5.0 }, { -3.5, 2.9, -3.9 } }, /* more than half an edge */
        { { 4.0, 3.5, 3.3 }, { 2.0, 2.0, 1.2 } },
    };
    for (size_t c = 0; c < sizeof cells / sizeof cells[0]; c++) {
        struct box box = grid_box(&cells[c], 3, 0.15, c);
        for (size_t i = 0; i < box.n; i++) {
            cell_wrap(&box.cell, box.position + 3 * i); /* five images reach far enough then */
        }
        const double cutoff = 0.5 * cell_least_height(&box.cell);
        double *force = malloc((3 * box.n + 1) * sizeof *force);
        double energy;
        assert_non_null(force);
        sum_all_images(&box, cutoff, &energy, force);
        for (int w = 0; w < WALKS; w++) {
            struct reference got = run(walks[w], &box, cutoff);
            assert_true(got.pairs_in_cutoff > 20);
            assert_near(got.energy, energy, 1e-12 * got.energy_scale);
            for (size_t i = 0; i < 3 * box.n; i++) {
                assert_near(got.force[i], force[i], 1e-11 * (1.0 + got.scale[i / 3]));
            }
            reference_free(&got);
        }
        free(force);
        hand_box_free(&box);
    }
}

/* Strains the cell and all in it, x -> (1 + strain) x, and turns it so that it is a triangle. */
static struct box strained(const struct box *box, int row, int column, double by) {
    struct box out = hand_box_empty(box->n);
    const struct cell *cell = &box->cell;
    double v[9] = { cell->edge[0], 0.0,           0.0,           cell->tilt[0], cell->edge[1],
                    0.0,           cell->tilt[1], cell->tilt[2], cell->edge[2] };
    struct cell_frame frame;
    struct error error = { STATUS_OK, "" };
    for (int vector = 0; vector < 3; vector++) {
        v[3 * vector + row] += by * v[3 * vector + column];
    }
    assert_true(cell_from_vectors(v, &out.cell, &frame, &error));
    for (size_t i = 0; i < box->n; i++) {
        double x[3];
        memcpy(x, box->position + 3 * i, sizeof x);
        x[row] += by * x[column];
        const double *r = frame.rotation;
        for (int k = 0; k < 3; k++) {
            out.position[3 * i + (size_t)k] =
                r[3 * k] * x[0] + r[3 * k + 1] * x[1] + r[3 * k + 2] * x[2];
        }
    }
    out.periodic = true;
    return out;
}

static double energy_of(const struct box *box, double cutoff) {
    struct reference reference = run(reference_cells, box, cutoff);
    const double energy = reference.energy;
    reference_free(&reference);
    return energy;
}

/* Virial and forces are what the energy says: no pair crosses the cutoff, which lies in a gap. */
TEST(virial_is_the_derivative_by_strain) {
    const struct cell cell = { { 9.0, 9.5, 10.0 }, { 2.5, -3.0, 1.5 } };
    struct box box = grid_box(&cell, 8, 0.0, 3);
    uint64_t seed = 8;
    for (size_t i = 0; i < 3 * box.n; i++) {
        box.position[i] += 0.01 * hand_random(&seed);
    }
    const double cutoff = 1.55; /* between shells of the grid: found by the test below */
    struct reference reference = run(reference_cells, &box, cutoff);
    const double step = 1e-5;
    for (int k = 0; k < 9; k++) {
        struct box more = strained(&box, k / 3, k % 3, step);
        struct box less = strained(&box, k / 3, k % 3, -step);
        struct reference at = run(reference_cells, &more, cutoff);
        assert_int_equal(at.pairs_in_cutoff, reference.pairs_in_cutoff);
        reference_free(&at);
        const double slope = (energy_of(&more, cutoff) - energy_of(&less, cutoff)) / (2.0 * step);
        assert_near(-slope, reference.virial[k], 1e-6 * reference.virial_scale);
        assert_true(reference.virial[k] == reference.virial[3 * (k % 3) + k / 3]);
        hand_box_free(&more);
        hand_box_free(&less);
    }
    assert_true(fabs(reference.virial[1]) > 1e-3 * reference.virial_scale);
    for (size_t k = 0; k < 6; k++) {
        const double at = box.position[40 * k];
        box.position[40 * k] = at + step;
        const double above = energy_of(&box, cutoff);
        box.position[40 * k] = at - step;
        const double below = energy_of(&box, cutoff);
        box.position[40 * k] = at;
        assert_near((below - above) / (2.0 * step), reference.force[40 * k],
                    1e-5 * (1.0 + reference.slope[40 * k / 3]));
    }
    reference_free(&reference);
    hand_box_free(&box);
}

TEST(far_cutoffs_are_refused) {
    const struct cell cell = { { 9.0, 9.5, 10.0 }, { 4.0, -3.0, 1.5 } };
    struct box box = grid_box(&cell, 4, 0.1, 3);
    const double half = 0.5 * cell_least_height(&cell);
    const double cutoffs[] = { half * 1.001, 0.5 * 9.0, INFINITY };
    struct interaction lj = hand_lj(1.0, 1.0);
    struct reference reference;
    struct error error = { STATUS_OK, "" };
    for (size_t c = 0; c < 3; c++) {
        for (int w = 0; w < WALKS; w++) {
            assert_false(walks[w](&box, &lj, cutoffs[c], &reference, &error));
            assert_int_equal(error.status, STATUS_BAD_INPUT);
            assert_says(error.message, "least height");
        }
        assert_false(box_accepts_cutoff(&box, cutoffs[c], &error));
        assert_says(error.message, "least height");
    }
    assert_true(box_accepts_cutoff(&box, half, &error));
    hand_box_free(&box);
}

/* Whole vectors added to others of a cell that leans little are found again: the least height is as
 * it was, and less in between. */
TEST(leaning_vectors_are_shortened) {
    static const int sums[][3] = { { 1, 0, 0 }, { -1, 2, 1 }, { 3, -2, -4 }, { 0, 5, 0 } };
    const struct cell upright[] = { { { 9.0, 9.5, 10.0 }, { 0.0 } },
                                    { { 9.0, 9.5, 10.0 }, { 1.0, -2.0, 1.5 } } };
    char words[128];
    int whole[9];
    for (int c = 0; c < 2; c++) {
        const double expected = cell_least_height(&upright[c]);
        for (int s = 0; s < 4; s++) {
            struct cell cell = upright[c];
            cell.tilt[1] += sums[s][1] * cell.edge[0] + sums[s][2] * cell.tilt[0];
            cell.tilt[2] += sums[s][2] * cell.edge[1];
            cell.tilt[0] += sums[s][0] * cell.edge[0];
            assert_true(cell_least_height(&cell) < 0.9 * expected);
            assert_near(cell_shorten(&cell, whole), expected, 1e-12);
        }
    }
    const struct cell sheared = { { 7, 7, 7 }, { 7, -7, 7 } };
    assert_near(cell_shorten(&sheared, whole), 7, 1e-14);
    cell_whole_words(whole, words, sizeof words);
    assert_string_equal(words, "a, b - a, c + 2 a - b");
}

/* ---- boxes ---- */

TEST(angles_make_a_cell) {
    static const char *const kinds[] = { "fluid", "lattice", "brick", "plate", "salt" };
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        struct error error = { STATUS_OK, "" };
        struct box straight;
        struct box leaning;
        char kind[BOX_KIND_SIZE];
        double angle[3];
        char first[HASH_TEXT_SIZE];
        char second[HASH_TEXT_SIZE];
        (void)snprintf(kind, sizeof kind, "%s@75:100:60", kinds[k]);
        assert_true(box_make(kinds[k], 500, 0.0, 2, &straight, &error));
        assert_true(box_make(kind, 500, 0.0, 2, &leaning, &error));
        assert_string_equal(leaning.kind, kind);
        cell_angles(&leaning.cell, angle);
        assert_near(angle[0], 75.0, 1e-12);
        assert_near(angle[1], 100.0, 1e-12);
        assert_near(angle[2], 60.0, 1e-12);
        double length[3];
        cell_lengths(&leaning.cell, length);
        assert_near(length[1] / length[0], straight.edge[1] / straight.edge[0], 1e-14);
        assert_near(length[2] / length[0], straight.edge[2] / straight.edge[0], 1e-14);
        const double volume = leaning.edge[0] * leaning.edge[1] * leaning.edge[2];
        assert_near(500.0 / volume, straight.density, 1e-13);
        assert_true(leaning.density == straight.density);
        assert_near(box_least_height(kind, 500, 0.0, ""), cell_least_height(&leaning.cell), 1e-12);
        for (size_t i = 0; i < 500; i++) {
            double fraction[3];
            cell_fractions(&leaning.cell, leaning.position + 3 * i, fraction);
            for (size_t d = 0; d < 3; d++) {
                assert_near(fraction[d], straight.position[3 * i + d] / straight.edge[d], 1e-14);
            }
        }
        box_hash(&straight, first);
        box_hash(&leaning, second);
        assert_string_not_equal(first, second);
        /* The tilt alone is part of it, too. */
        memcpy(leaning.position, straight.position, 1500 * sizeof(double));
        memcpy(leaning.edge, straight.edge, sizeof leaning.edge);
        box_hash(&leaning, second);
        assert_string_not_equal(first, second);
        memset(leaning.tilt, 0, sizeof leaning.tilt);
        box_hash(&leaning, second);
        assert_string_equal(first, second);
        box_free(&straight);
        box_free(&leaning);
    }
}

TEST(any_kind_may_have_a_bricks_edges) {
    struct error error = { STATUS_OK, "" };
    struct box cube;
    struct box brick;
    assert_true(box_make("chains", 500, 0.0, 2, &cube, &error));
    assert_true(box_make("chains@brick", 500, 0.0, 2, &brick, &error));
    assert_false(cell_is_triclinic(&brick.cell));
    assert_true(brick.edge[0] < brick.edge[1] && brick.edge[1] < brick.edge[2]);
    assert_near(brick.edge[0] * brick.edge[1] * brick.edge[2], pow(cube.edge[0], 3), 1e-10);
    assert_near(box_least_height("chains@brick", 500, 0.0, ""), brick.edge[0], 1e-12);
    box_free(&cube);
    box_free(&brick);
}

TEST(angles_that_span_nothing_are_refused) {
    static const char *const refused[][2] = {
        { "fluid@90:90:90", "three right angles" },
        { "fluid@", "expected three numbers" },
        { "fluid@60", "expected three numbers" },
        { "fluid@60:60", "expected three numbers" },
        { "fluid@60:60:60:60", "three numbers" },
        { "fluid@60:x:60", "expected three numbers" },
        { "fluid@20:90:90", "expected 30 to 150" },
        { "fluid@90:90:160", "expected 30 to 150" },
        { "fluid@120:120:120", "span" },
        { "fluid@150:60:60", "span" },
        { "liquid@60:60:60", "unknown kind" },
    };
    for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++) {
        struct box box;
        struct error error = { STATUS_OK, "" };
        assert_false(box_make(refused[k][0], 50, 0.0, 1, &box, &error));
        assert_int_equal(error.status, STATUS_BAD_INPUT);
        if (!strstr(error.message, refused[k][1])) {
            fail_msg("%s: %s", refused[k][0], error.message);
        }
    }
}

static void put_file(char path[64], const char *text) {
    (void)strcpy(path, "/tmp/pairmark-test-cell-XXXXXX");
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), (ssize_t)strlen(text));
    (void)close(descriptor);
}

/* A cell in any position is turned, and the particles with it; written and read again it stays. */
TEST(a_general_cell_is_rotated) {
    char path[64];
    struct error error = { STATUS_OK, "" };
    struct box box;
    struct box again;
    put_file(path, "2\nLattice=\"0 2 2 2 0 2 2 2 0\" Properties=species:S:1:pos:R:3\n"
                   "A 1 0 0\nA 1 1.5 0.25\n");
    assert_true(box_read(path, &box, &error));
    assert_true(box.rotated && box.periodic);
    const struct cell expected = { { sqrt(8.0), sqrt(6.0), 4.0 / sqrt(3.0) },
                                   { sqrt(2.0), sqrt(2.0), sqrt(2.0 / 3.0) } };
    double apart = 0.0;
    for (int k = 0; k < 3; k++) {
        assert_near(box.edge[k], expected.edge[k], 1e-14);
        assert_near(box.tilt[k], expected.tilt[k], 1e-14);
        apart += (box.position[3 + k] - box.position[k]) * (box.position[3 + k] - box.position[k]);
    }
    assert_near(apart, 1.5 * 1.5 + 0.25 * 0.25, 1e-14);
    assert_near(box.density, 2.0 / 16.0, 1e-15);
    /* How much of a = (0, 2, 2), b = (2, 0, 2), c = (2, 2, 0) makes (1, 0, 0). */
    double fraction[3];
    cell_fractions(&box.cell, box.position, fraction);
    assert_near(fraction[0], -0.25, 1e-15);
    assert_near(fraction[1], 0.25, 1e-15);
    assert_near(fraction[2], 0.25, 1e-15);
    (void)unlink(path);
    assert_true(box_write(path, &box, NULL, NULL, &error));
    assert_true(box_read(path, &again, &error));
    assert_false(again.rotated);
    assert_memory_equal(&again.cell, &box.cell, sizeof box.cell);
    assert_memory_equal(again.position, box.position, 6 * sizeof(double));
    (void)unlink(path);
    box_free(&box);
    box_free(&again);
}

/* As float has it, particles stay inside, and wrapping changes no distance. */
TEST(a_device_gets_it_wrapped) {
    static const enum precision precisions[] = { PRECISION_FLOAT, PRECISION_DOUBLE };
    const struct cell cell = { { 9.0, 9.1, 10.3 }, { 3.3, -4.1, 2.7 } };
    struct box box = grid_box(&cell, 6, 0.2, 5);
    struct error error = { STATUS_OK, "" };
    struct reference expected = run(reference_direct, &box, 2.5);
    for (int p = 0; p < 2; p++) {
        const double unit = precisions[p] == PRECISION_FLOAT ? 0x1p-24 : 0x1p-53;
        struct box rounded;
        assert_true(box_as_device(&box, precisions[p], &rounded, &error));
        for (size_t i = 0; i < rounded.n; i++) {
            double fraction[3];
            cell_fractions(&rounded.cell, rounded.position + 3 * i, fraction);
            for (int k = 0; k < 3; k++) {
                assert_true(fraction[k] > -8 * unit && fraction[k] < 1.0 + 8 * unit);
                const double x = rounded.position[3 * i + (size_t)k];
                assert_true(precisions[p] == PRECISION_DOUBLE || x == (double)(float)x);
            }
        }
        struct reference got = run(reference_direct, &rounded, 2.5);
        assert_near(got.energy, expected.energy, 400 * unit * expected.energy_slope);
        reference_free(&got);
        box_free(&rounded);
    }
    assert_near(box_length_scale(&box), 2 * (9.0 + 3.3 + 4.1), 1e-14);
    reference_free(&expected);
    hand_box_free(&box);
}
