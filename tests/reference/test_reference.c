/* The serial reference: known answers, calculus, symmetries, and cells against the direct sum. */
#include "reference/pairs/reference.h"
#include "reference/pairs/store.h"

#include "core/cache.h"
#include "hand_box.h"

#include <dirent.h>

#include "support.h"

typedef bool walk(const struct box *box, const struct interaction *interaction, double cutoff,
                  struct reference *reference, struct error *error);

static struct reference run(walk *by, const struct box *box, double cutoff) {
    struct interaction lj = hand_lj(1.0, 1.0);
    struct reference reference;
    struct error error = { STATUS_OK, "" };
    assert_done(by(box, &lj, cutoff, &reference, &error), &error);
    return reference;
}

/* ---- known answers ---- */

static struct box read_nist(void) {
    struct box box = hand_box_empty(30);
    char line[256];
    FILE *file = fopen(TEST_DATA "/vectors/nist/lj-fluid-30.xyz", "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_non_null(fgets(line, sizeof line, file));
    for (size_t i = 0; i < box.n; i++) {
        double *x = box.position + 3 * i;
        assert_int_equal(fscanf(file, " A %lf %lf %lf", &x[0], &x[1], &x[2]), 3);
    }
    (void)fclose(file);
    box.periodic = true;
    box.edge[0] = box.edge[1] = box.edge[2] = 8.0;
    return box;
}

TEST(nist_configuration) {
    struct box box = read_nist();
    walk *const walks[2] = { reference_direct, reference_cells };
    for (int w = 0; w < 2; w++) {
        struct reference reference = run(walks[w], &box, 3.0);
        const double *virial = reference.virial;
        assert_int_equal(reference.pairs_in_cutoff, 129);
        assert_near(reference.energy, -16.790321304625856, 1e-14 * 16.8);
        assert_near(virial[0] + virial[4] + virial[8], -46.24919674630892, 1e-14 * 46.3);
        reference_free(&reference);
    }
    hand_box_free(&box);
}

TEST(pair_function) {
    struct interaction lj = hand_lj(0.7, 1.3);
    struct error error;
    double u, f, s;
    assert_true(reference_pair(&lj, 1.3, &u, &f, &s, &error));
    assert_near(u, 0.0, 1e-15);
    assert_near(f, 24.0 * 0.7 / 1.3, 1e-14);
    assert_true(reference_pair(&lj, 1.3 * pow(2.0, 1.0 / 6.0), &u, &f, &s, &error));
    assert_near(u, -0.7, 1e-15);
    assert_near(f, 0.0, 1e-14);
    for (double r = 1.0; r < 4.0; r += 0.37) {
        const double h = 1e-5;
        double low[3], high[3];
        assert_true(reference_pair(&lj, r, &u, &f, &s, &error));
        assert_true(reference_pair(&lj, r - h, &low[0], &low[1], &low[2], &error));
        assert_true(reference_pair(&lj, r + h, &high[0], &high[1], &high[2], &error));
        assert_near(f, -(high[0] - low[0]) / (2.0 * h), 1e-7 * (1.0 + fabs(f)));
        assert_near(s, (high[1] - low[1]) / (2.0 * h), 1e-7 * (1.0 + fabs(s)));
    }
}

TEST(lattice_counts_pairs_at_the_cutoff) {
    struct box box = hand_box_lattice(512, 1.0, 0.0, true, 1);
    struct reference direct = run(reference_direct, &box, 2.0);
    struct reference cells = run(reference_cells, &box, 2.0);
    /* 6 + 12 + 8 + 6 neighbours at 1, sqrt 2, sqrt 3 and 2; the last six are edge pairs. */
    assert_int_equal(direct.pairs_in_cutoff, 512 * 32 / 2);
    assert_int_equal(cells.pairs_in_cutoff, 512 * 32 / 2);
    assert_int_equal(direct.edge_pair_count, 512 * 6 / 2);
    assert_int_equal(cells.edge_pair_count, 512 * 6 / 2);
    assert_near(direct.edge_pairs[0].gap, 0.0, 1e-15);
    reference_free(&direct);
    reference_free(&cells);
    hand_box_free(&box);
}

TEST(edge_pair_at_half_an_edge) {
    struct box box = hand_box_empty(2);
    box.periodic = true;
    box.edge[0] = box.edge[1] = box.edge[2] = 4.0;
    box.position[3] = 2.0;
    struct reference reference = run(reference_direct, &box, 2.0);
    assert_int_equal(reference.pairs_in_cutoff, 1);
    assert_int_equal(reference.edge_pair_count, 1);
    /* either image is nearest: the force may have either sign */
    assert_near(reference.edge_pairs[0].force[0], 2.0 * fabs(reference.force[0]), 1e-15);
    reference_free(&reference);
    hand_box_free(&box);
}

/* ---- calculus ---- */

static double energy_of(const struct box *box, double cutoff, uint64_t pairs) {
    struct reference reference = run(reference_direct, box, cutoff);
    double energy = reference.energy;
    assert_int_equal(reference.pairs_in_cutoff,
                     pairs); /* truncated: no pair may cross the cutoff */
    reference_free(&reference);
    return energy;
}

TEST(force_is_minus_the_gradient) {
    const double h = 1e-5;
    for (int periodic = 0; periodic < 2; periodic++) {
        struct box box = hand_box_lattice(40, 0.6, 0.15, periodic, 3);
        double cutoff = periodic ? 2.0 : INFINITY;
        struct reference reference = run(reference_direct, &box, cutoff);
        for (size_t i = 0; i < 3 * box.n; i++) {
            double x = box.position[i];
            box.position[i] = x + h;
            double high = energy_of(&box, cutoff, reference.pairs_in_cutoff);
            box.position[i] = x - h;
            double low = energy_of(&box, cutoff, reference.pairs_in_cutoff);
            box.position[i] = x;
            assert_near(reference.force[i], -(high - low) / (2.0 * h),
                        1e-7 * (1.0 + reference.slope[i / 3]));
        }
        reference_free(&reference);
        hand_box_free(&box);
    }
}

/* Energy of the box after x_row += strain x_column, edges included. */
static double strained_energy(const struct box *box, double cutoff, uint64_t pairs, size_t row,
                              size_t column, double strain) {
    struct box copy = hand_box_empty(box->n);
    copy.periodic = box->periodic;
    memcpy(copy.edge, box->edge, sizeof copy.edge);
    memcpy(copy.position, box->position, 3 * box->n * sizeof(double));
    for (size_t i = 0; i < box->n; i++) {
        copy.position[3 * i + row] += strain * box->position[3 * i + column];
    }
    if (row == column) {
        copy.edge[row] *= 1.0 + strain;
    }
    double energy = energy_of(&copy, cutoff, pairs);
    hand_box_free(&copy);
    return energy;
}

TEST(virial_is_minus_the_strain_derivative) {
    const double h = 1e-6;
    for (int periodic = 0; periodic < 2; periodic++) {
        struct box box = hand_box_lattice(40, 0.6, 0.15, periodic, 5);
        double cutoff = periodic ? 2.0 : INFINITY;
        struct reference reference = run(reference_direct, &box, cutoff);
        uint64_t pairs = reference.pairs_in_cutoff;
        for (size_t k = 0; k < 9; k++) {
            size_t row = k / 3, column = k % 3;
            if (periodic && row != column) {
                continue; /* the cell would no longer be orthorhombic */
            }
            double high = strained_energy(&box, cutoff, pairs, row, column, h);
            double low = strained_energy(&box, cutoff, pairs, row, column, -h);
            assert_near(reference.virial[k], -(high - low) / (2.0 * h),
                        1e-7 * reference.virial_slope);
        }
        reference_free(&reference);
        hand_box_free(&box);
    }
}

/* ---- symmetries ---- */

TEST(forces_sum_to_zero) {
    struct box box = hand_box_lattice(1000, 0.84, 0.1, true, 7);
    struct reference reference = run(reference_cells, &box, 2.5);
    for (size_t k = 0; k < 3; k++) {
        double sum = 0.0, size = 0.0;
        for (size_t i = 0; i < box.n; i++) {
            sum += reference.force[3 * i + k];
            size += reference.scale[i];
        }
        assert_near(sum, 0.0, 1e-15 * size);
    }
    for (size_t k = 0; k < 9; k++) {
        assert_true(reference.virial[k] == reference.virial[k % 3 * 3 + k / 3]);
    }
    reference_free(&reference);
    hand_box_free(&box);
}

static void assert_same_forces(const struct reference *a, const struct reference *b) {
    assert_int_equal(a->pairs_in_cutoff, b->pairs_in_cutoff);
    assert_memory_equal(a->force, b->force, 3 * a->n * sizeof(double));
    assert_memory_equal(a->scale, b->scale, a->n * sizeof(double));
    assert_memory_equal(a->virial, b->virial, sizeof a->virial);
    assert_true(a->energy == b->energy);
}

/* Coordinates of few bits, so that moving them is exact: then the result must not move at all,
 * which a displacement that is rounded more than once would not stand. */
TEST(translation_and_images_change_nothing) {
    const double edge[3] = { 7.3125, 6.6875, 9.4375 };
    struct box box = hand_box_random(200, edge, true, 11);
    uint64_t random = 12;
    for (size_t i = 0; i < 3 * box.n; i++) {
        box.position[i] = ldexp(rint(ldexp(box.position[i], 24)), -24);
    }
    struct reference here = run(reference_direct, &box, 3.25);
    for (size_t i = 0; i < 3 * box.n; i++) {
        box.position[i] += 37.125;
    }
    struct reference there = run(reference_direct, &box, 3.25);
    assert_same_forces(&here, &there);
    reference_free(&there);
    for (size_t i = 0; i < 3 * box.n; i++) {
        box.position[i] += floor(9.0 * hand_random(&random) - 4.0) * edge[i % 3];
    }
    there = run(reference_direct, &box, 3.25);
    assert_same_forces(&here, &there);
    reference_free(&there);
    reference_free(&here);
    hand_box_free(&box);
}

/* In a long cell the difference of two coordinates is rounded far more coarsely than the distance
 * of the nearest images; the force must not show it. */
TEST(pairs_across_the_cell_lose_nothing) {
    struct interaction lj = hand_lj(1.0, 1.0);
    struct error error;
    uint64_t random = 17;
    for (int trial = 0; trial < 100; trial++) {
        struct box box = hand_box_empty(2);
        const double edge = 900.0 + hand_random(&random);
        double u, f, slope;
        box.periodic = true;
        box.edge[0] = box.edge[1] = box.edge[2] = edge;
        box.position[0] = 0.3 * hand_random(&random);
        box.position[3] = edge - 0.9 * (1.0 + hand_random(&random));
        double r = (double)((long double)box.position[0] - (long double)box.position[3] +
                            (long double)edge);
        struct reference reference = run(reference_direct, &box, 2.5);
        assert_true(reference_pair(&lj, r, &u, &f, &slope, &error));
        assert_near(reference.force[0], f, 1e-15 * (fabs(f) + r * fabs(slope)));
        assert_true(reference.length_scale == edge);
        reference_free(&reference);
        hand_box_free(&box);
    }
}

static void assert_alike(const struct reference *a, const struct reference *b, size_t i, size_t j) {
    for (size_t k = 0; k < 3; k++) {
        assert_near(a->force[3 * i + k], b->force[3 * j + k], 4e-16 * a->scale[i]);
    }
    assert_near(a->scale[i], b->scale[j], 1e-14 * a->scale[i]);
    assert_near(a->slope[i], b->slope[j], 1e-14 * a->slope[i]);
    assert_int_equal(a->neighbours[i], b->neighbours[j]);
}

static void assert_totals_alike(const struct reference *a, const struct reference *b) {
    assert_int_equal(a->pairs_in_cutoff, b->pairs_in_cutoff);
    assert_int_equal(a->edge_pair_count, b->edge_pair_count);
    assert_near(a->energy, b->energy, 4e-16 * a->energy_scale);
    assert_near(a->energy_scale, b->energy_scale, 1e-13 * a->energy_scale);
    assert_near(a->energy_slope, b->energy_slope, 1e-13 * a->energy_slope);
    assert_near(a->virial_scale, b->virial_scale, 1e-13 * a->virial_scale);
    assert_near(a->virial_slope, b->virial_slope, 1e-13 * a->virial_slope);
    assert_true(a->length_scale == b->length_scale);
    for (int k = 0; k < 9; k++) {
        assert_near(a->virial[k], b->virial[k], 4e-16 * a->virial_scale);
    }
}

TEST(permutation_permutes) {
    struct box box = hand_box_lattice(300, 0.84, 0.1, true, 13);
    struct box turned = hand_box_lattice(300, 0.84, 0.1, true, 13);
    for (size_t i = 0; i < 3 * box.n; i++) {
        turned.position[i] = box.position[3 * (box.n - 1 - i / 3) + i % 3];
    }
    struct reference one = run(reference_direct, &box, 2.5);
    struct reference other = run(reference_direct, &turned, 2.5);
    assert_totals_alike(&one, &other);
    for (size_t i = 0; i < box.n; i++) {
        assert_alike(&one, &other, i, box.n - 1 - i);
    }
    reference_free(&one);
    reference_free(&other);
    hand_box_free(&box);
    hand_box_free(&turned);
}

/* ---- cells against the direct sum ---- */

static void compare_walks(const struct box *box, double cutoff) {
    struct reference direct = run(reference_direct, box, cutoff);
    struct reference cells = run(reference_cells, box, cutoff);
    assert_totals_alike(&direct, &cells);
    for (size_t i = 0; i < box->n; i++) {
        assert_alike(&direct, &cells, i, i);
    }
    reference_free(&direct);
    reference_free(&cells);
}

TEST(cells_agree_with_the_direct_sum) {
    static const size_t counts[] = { 1, 2, 3, 7, 30, 200, 1500 };
    /* Cells an edge: 1 to 7, alike or not, an exact number of cutoffs or not. */
    static const double edges[][3] = { { 1.0, 1.0, 1.0 }, { 2.0, 2.0, 2.0 },  { 3.01, 3.01, 3.01 },
                                       { 4.0, 4.0, 4.0 }, { 4.01, 4.5, 4.9 }, { 5.0, 6.0, 7.0 },
                                       { 4.1, 2.3, 7.7 }, { 30.0, 4.5, 5.5 } };
    const double cutoff = 1.25;
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        for (size_t e = 0; e < sizeof edges / sizeof edges[0]; e++) {
            double edge[3] = { cutoff * edges[e][0], cutoff * edges[e][1], cutoff * edges[e][2] };
            for (int periodic = 0; periodic < 2; periodic++) {
                struct box box = hand_box_random(counts[c], edge, periodic, 100 * c + e);
                compare_walks(&box, cutoff);
                hand_box_free(&box);
            }
        }
    }
}

TEST(cells_take_particles_outside_the_cell) {
    const double edge[3] = { 6.1, 7.3, 8.9 };
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct box box = hand_box_random(400, edge, true, seed);
        uint64_t random = seed;
        for (size_t i = 0; i < 3 * box.n; i++) {
            box.position[i] += floor(7.0 * hand_random(&random) - 3.0) * edge[i % 3];
        }
        compare_walks(&box, 1.4);
        /* on the very faces of the cell and of cells */
        for (size_t i = 0; i < 3 * box.n; i += 7) {
            box.position[i] = edge[i % 3] * floor(9.0 * hand_random(&random) - 4.0) / 4.0;
        }
        compare_walks(&box, 1.4);
        hand_box_free(&box);
    }
}

TEST(cells_take_open_boxes_of_any_extent) {
    const double edge[3] = { 9.0, 8.0, 7.0 };
    struct box box = hand_box_random(500, edge, false, 21);
    compare_walks(&box, INFINITY);
    for (size_t i = 0; i < 250; i++) {
        box.position[3 * i] += 1e7; /* two clusters, far apart */
        box.position[3 * i + 1] -= 5e3;
    }
    compare_walks(&box, 1.5);
    for (size_t i = 0; i < box.n; i++) {
        box.position[3 * i + 2] = -3.5; /* a sheet: no extent along z */
    }
    compare_walks(&box, 1.5);
    hand_box_free(&box);
}

/* ---- some particles ---- */

/* What the edge pairs of a list allow the particle at one place. */
static void add_allowances(const struct reference *reference, uint32_t place, double sum[3]) {
    for (size_t p = 0; p < reference->edge_pair_count; p++) {
        const struct reference_edge_pair *pair = &reference->edge_pairs[p];
        for (int k = 0; k < 3; k++) {
            sum[k] += pair->i == place || pair->j == place ? pair->force[k] : 0.0;
        }
    }
}

static void compare_some(const struct box *box, double cutoff) {
    static const uint32_t particle[] = { 599, 7, 0, 7, 300, 41 };
    enum { COUNT = sizeof particle / sizeof particle[0] };
    const struct interaction lj = hand_lj(1.0, 1.0);
    struct reference all = run(reference_compute, box, cutoff);
    struct reference some;
    struct error error;
    assert_true(reference_compute_some(&(struct reference_case){ box, &lj, cutoff, NULL }, particle,
                                       COUNT, &some, &error));
    assert_int_equal(some.n, COUNT);
    assert_true(some.length_scale == all.length_scale && some.cutoff == all.cutoff);
    assert_true(isnan(some.energy) && isnan(some.virial[4]) && isnan(some.virial_slope));
    for (uint32_t k = 0; k < COUNT; k++) {
        const size_t i = particle[k];
        double allowed[2][3] = { { 0.0 } };
        assert_memory_equal(some.force + 3 * (size_t)k, all.force + 3 * i, 3 * sizeof(double));
        assert_memory_equal(some.scale + k, all.scale + i, sizeof(double));
        assert_memory_equal(some.slope + k, all.slope + i, sizeof(double));
        assert_memory_equal(some.lost + k, all.lost + i, sizeof(double));
        assert_int_equal(some.neighbours[k], all.neighbours[i]);
        add_allowances(&all, particle[k], allowed[0]);
        add_allowances(&some, k, allowed[1]);
        for (int axis = 0; axis < 3; axis++) {
            assert_near(allowed[1][axis], allowed[0][axis], 1e-14 * allowed[0][axis]);
        }
    }
    reference_free(&all);
    reference_free(&some);
}

TEST(some_particles_are_those_of_all) {
    struct box box = hand_box_lattice(600, 0.84, 0.1, true, 41);
    compare_some(&box, 2.0);
    hand_box_free(&box);
    box = hand_box_lattice(1000, 1.0, 0.0, true, 41); /* with edge pairs */
    compare_some(&box, 2.0);
    box.periodic = false;
    compare_some(&box, INFINITY);
    hand_box_free(&box);
    box = hand_box_lattice(8, 0.5, 0.1, true, 1);
    const struct interaction lj = hand_lj(1.0, 1.0);
    const uint32_t beyond = 8;
    struct reference reference;
    struct error error;
    assert_false(reference_compute_some(&(struct reference_case){ &box, &lj, 1.0, NULL }, &beyond,
                                        1, &reference, &error));
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    assert_says(error.message, "particle 9");
    hand_box_free(&box);
}

/* ---- faults ---- */

TEST(refusals) {
    struct box box = hand_box_lattice(8, 0.5, 0.1, true, 1);
    struct interaction lj = hand_lj(1.0, 1.0);
    struct interaction unknown = { .name = "none-such" };
    struct interaction lame = hand_lj(1.0, 1.0);
    struct reference reference;
    struct error error;
    lame.parameter_count = 1;
    assert_false(reference_direct(&box, &unknown, 1.0, &reference, &error));
    assert_int_equal(error.status, STATUS_UNSUPPORTED);
    assert_says(error.message, "none-such");
    assert_false(reference_cells(&box, &lame, 1.0, &reference, &error));
    assert_int_equal(error.status, STATUS_UNSUPPORTED);
    assert_says(error.message, "sigma");
    assert_false(reference_direct(&box, &lj, NAN, &reference, &error));
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    box.position[4] = NAN;
    assert_false(reference_cells(&box, &lj, 1.0, &reference, &error));
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    assert_says(error.message, "particle 2");
    reference_free(&reference);
    hand_box_free(&box);
}

TEST(coincident_particles_are_not_finite) {
    struct box box = hand_box_lattice(27, 0.5, 0.1, true, 1);
    memcpy(box.position + 3 * 5, box.position + 3 * 9, 3 * sizeof(double));
    struct reference reference = run(reference_direct, &box, 1.5);
    assert_false(isfinite(reference.energy) != 0);
    for (size_t i = 0; i < box.n; i++) {
        assert_int_equal(isfinite(reference.force[3 * i]) != 0, i != 5 && i != 9);
    }
    reference_free(&reference);
    hand_box_free(&box);
}

/* ---- the cache ---- */

/* The one entry in the folder of references; false when there is none. */
static bool cached_key(const char *folder, char key[HASH_TEXT_SIZE]) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/references", folder);
    DIR *directory = opendir(path);
    bool found = false;
    const struct dirent *entry;
    while (directory && (entry = readdir(directory)) != NULL) {
        if (entry->d_name[0] != '.') {
            assert_false(found);
            found = true;
            (void)snprintf(key, HASH_TEXT_SIZE, "%.32s", entry->d_name);
        }
    }
    if (directory) {
        (void)closedir(directory);
    }
    return found;
}

static void assert_identical(const struct reference *a, const struct reference *b) {
    assert_same_forces(a, b);
    assert_memory_equal(a->slope, b->slope, a->n * sizeof(double));
    assert_memory_equal(a->lost, b->lost, a->n * sizeof(double));
    assert_memory_equal(a->neighbours, b->neighbours, a->n * sizeof(uint32_t));
    assert_int_equal(a->edge_pair_count, b->edge_pair_count);
    for (size_t p = 0; p < a->edge_pair_count; p++) {
        assert_memory_equal(&a->edge_pairs[p], &b->edge_pairs[p], sizeof a->edge_pairs[p]);
    }
    assert_true(a->energy_scale == b->energy_scale && a->energy_slope == b->energy_slope);
    assert_true(a->virial_scale == b->virial_scale && a->virial_slope == b->virial_slope);
    assert_true(a->length_scale == b->length_scale && a->cutoff == b->cutoff);
}

/* Changes one number in the cached entry, so that a result that came from it shows. */
static void tamper(const char *key, size_t cut) {
    void *data;
    size_t length;
    assert_true(cache_load("references", key, &data, &length));
    double *numbers = data;
    for (size_t i = 0; i < length / sizeof(double) && !cut; i++) {
        if (numbers[i] == 2.5) {
            numbers[i] = 77.0; /* the cutoff, which is copied into the result */
        }
    }
    cache_store("references", key, data, length - cut);
    free(data);
}

TEST(cached_results_are_the_computed_ones) {
    char folder[TEST_FOLDER_SIZE];
    char key[HASH_TEXT_SIZE];
    make_test_folder(folder);
    assert_int_equal(setenv("PAIRMARK_CACHE", folder, 1), 0);
    struct box box = hand_box_lattice(4000, 0.84, 0.1, true, 31);
    struct reference fresh = run(reference_compute, &box, 2.5);
    assert_true(cached_key(folder, key));
    struct reference cached = run(reference_compute, &box, 2.5);
    assert_identical(&fresh, &cached);
    reference_free(&cached);
    tamper(key, 0);
    cached = run(reference_compute, &box, 2.5);
    assert_true(cached.cutoff == 77.0);
    reference_free(&cached);
    tamper(key, 8); /* an entry that is well kept and of the wrong length is computed anew */
    cached = run(reference_compute, &box, 2.5);
    assert_identical(&fresh, &cached);
    assert_int_equal(remove_test_folder(folder), 0);
    reference_free(&cached);
    reference_free(&fresh);
    hand_box_free(&box);
}

/* What is computed sooner than it is read back is not kept, whatever this machine takes. */
TEST(what_takes_no_time_is_not_kept) {
    char folder[TEST_FOLDER_SIZE];
    char key[HASH_TEXT_SIZE] = { 0 };
    struct reference loaded = { 0 };
    const double no_time_s = 0;
    const double hour_s = 3600;
    make_test_folder(folder);
    assert_int_equal(setenv("PAIRMARK_CACHE", folder, 1), 0);
    struct box box = hand_box_lattice(10, 0.84, 0.1, true, 31);
    struct reference tiny = run(reference_compute, &box, 1.1);
    memset(key, 'a', sizeof key - 1);
    reference_store(key, &tiny, no_time_s);
    assert_false(reference_load(key, tiny.n, &loaded));
    reference_store(key, &tiny, hour_s);
    assert_true(reference_load(key, tiny.n, &loaded));
    assert_identical(&tiny, &loaded);
    assert_int_equal(remove_test_folder(folder), 0);
    reference_free(&loaded);
    reference_free(&tiny);
    hand_box_free(&box);
}
