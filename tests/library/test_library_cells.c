/* Cells of any three vectors, left-handed ones too, and of any size: forces, energies, virials and
 * coordination numbers of libpairmark beside sums over all images within the cutoff. */
#include "library_calls.h"

#include "support.h"

enum { N = 7, REACH = 6 };
static const double cutoff = 2.5;

/* ---- the cells ---- */

struct example {
    double cell[9];
    int along[3]; /* the vectors with images */
};

static const struct example examples[] = {
    { { 6, 0, 0, 0, 7, 0, 0, 0, 8 }, { 1, 1, 1 } },
    { { -6, 0, 0, 0, 7, 0, 0, 0, 8 }, { 1, 1, 1 } },        /* left-handed */
    { { 1, 5, 2, -4, 1, 1, 0, 2, 6 }, { 1, 1, 1 } },        /* in no plane of axes */
    { { 0, 6, 0, 6, 0, 0, 1, 0, 7 }, { 1, 1, 1 } },         /* left-handed, and leaning */
    { { 2.6, 0, 0, 0, 2.1, 0, 0, 0, 2.9 }, { 1, 1, 1 } },   /* smaller than the cutoff */
    { { 2, 1, 0, -1, 2.5, 1, 0.5, 0, -2.2 }, { 1, 1, 1 } }, /* all of that */
    { { 3, 0.5, 0, 1, 3, 0, 0, 0, 1 }, { 1, 1, 0 } },       /* a slab */
    { { 9, 0, 0, 3, 3, 1, 0, 1, 4 }, { 0, 1, 1 } },         /* one that leans along the open axis */
    { { 1, 0, 0, 2, 2, 1, 0, 0, 1 }, { 0, 1, 0 } },         /* a wire along no axis */
    { { 0, 0, -2.4, 1, 0, 0, 0, 1, 0 }, { 1, 0, 0 } },
};
enum { EXAMPLES = sizeof examples / sizeof examples[0] };

/* Apart from each other in the smallest cell, and up to two cells outside of it. */
static void place_particles(const struct example *example, double x[3 * N]) {
    for (int i = 0; i < N; i++) {
        const int row = i / 3;
        const double part[3] = { 0.13 + 0.29 * (i % 3), 0.2 + 0.31 * row, 0.3 * i };
        for (int d = 0; d < 3; d++) {
            x[3 * i + d] = 0;
            for (int k = 0; k < 3; k++) {
                const double edge = example->cell[3 * k + d];
                x[3 * i + d] += part[k] * edge + (i * (k + 1)) % 3 * edge * example->along[k];
            }
        }
    }
}

/* ---- sums over images ---- */

struct sums {
    double force[3 * N], energy, virial[9];
};

/* Of the pair of i and an image of j at x_i - r: dU/dr over r is `slope`. */
static void add_pair(struct sums *sums, int i, const double r[3], double energy, double slope) {
    sums->energy += 0.5 * energy;
    for (int d = 0; d < 3; d++) {
        sums->force[3 * i + d] -= slope * r[d];
        for (int e = 0; e < 3; e++) {
            sums->virial[3 * d + e] -= 0.5 * slope * r[d] * r[e];
        }
    }
}

/* Lennard-Jones, of which the repulsion is that of a soft core far from 0: particles are close. */
static double energy_of(double r2, double *slope) {
    const double s = 1 / (r2 + 1);
    *slope = -2 * (6 * s * s * s * s * s * s * s - 3 * s * s * s * s);
    return s * s * s * s * s * s - s * s * s;
}
static const char words[] = "energy = s^6 - s^3; s = 1/(r^2 + 1)";

static void sum_images(const struct example *example, const double *x, struct sums *sums) {
    const int most = 2 * REACH + 1;
    memset(sums, 0, sizeof *sums);
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < N * most * most * most; k++) {
            const int j = k % N;
            const int image[3] = { k / N % most - REACH, k / N / most % most - REACH,
                                   k / N / most / most - REACH };
            double r[3];
            double r2 = 0;
            double slope = 0;
            bool there = j != i || image[0] || image[1] || image[2];
            for (int d = 0; d < 3; d++) {
                r[d] = x[3 * i + d] - x[3 * j + d];
                there = there && (example->along[d] || image[d] == 0);
                for (int l = 0; l < 3; l++) {
                    r[d] -= image[l] * example->cell[3 * l + d];
                }
                r2 += r[d] * r[d];
            }
            if (there && r2 <= cutoff * cutoff) {
                const double energy = energy_of(r2, &slope);
                add_pair(sums, i, r, energy, slope);
            }
        }
    }
}

static void assert_same_numbers(const double *got, const double *expected, int count) {
    double scale = 0;
    for (int k = 0; k < count; k++) {
        scale += fabs(expected[k]);
    }
    for (int k = 0; k < count; k++) {
        assert_near(got[k], expected[k], 1e-11 * (1 + scale));
    }
}

static void evaluate_and_compare(pm_kernel *kernel, const struct example *example) {
    double x[3 * N];
    struct sums got;
    struct sums expected;
    pm_error error;
    place_particles(example, x);
    sum_images(example, x, &expected);
    const pm_arrays arrays =
        PM_ARRAYS(.positions = x, .forces = got.force, .energy = &got.energy, .virial = got.virial);
    for (int again = 0; again < 2; again++) {
        assert_ok(pm_evaluate(kernel, &arrays, &error), &error);
        assert_same_numbers(got.force, expected.force, 3 * N);
        assert_same_numbers(&got.energy, &expected.energy, 1);
        assert_same_numbers(got.virial, expected.virial, 9);
    }
}

/* ---- the tests ---- */

static pm_system *system_of(const struct example *example) {
    pm_system *system = NULL;
    pm_error error;
    assert_ok(pm_system_create(N, example->cell, &system, &error), &error);
    assert_ok(pm_system_periodic(system, example->along, &error), &error);
    assert_ok(pm_system_potential(system, words, NULL, cutoff, &error), &error);
    return system;
}

static const char *const variants[] = { "all_pairs_loop", "sorted_cells", "list_walk",
                                        "clusters_8x8", "blocks_32" };

TEST(any_cell_is_taken) {
    pm_context *context = open_context();
    pm_error error;
    for (size_t e = 0; e < EXAMPLES; e++) {
        pm_system *system = system_of(&examples[e]);
        for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++) {
            const pm_choice choice =
                PM_CHOICE(.variant = variants[v], .precision = PM_PRECISION_DOUBLE,
                          .outputs = PM_OUTPUTS_VIRIAL);
            pm_kernel *kernel = NULL;
            assert_ok(pm_kernel_create(context, system, &choice, &kernel, &error), &error);
            evaluate_and_compare(kernel, &examples[e]);
            pm_kernel_free(kernel);
        }
        pm_system_free(system);
    }
    pm_close(context);
}

/* Rotations make rounding of what such vectors do not span. */
TEST(vectors_in_a_plane_are_refused) {
    static const double flat[][9] = {
        { 1, 1, 1, 1, 1, 1, 1, 1, 1 },       { 2, 1, 0, 4, 2, 0, 1, 0, 3 },
        { 1, 1, 0, 1, 1, 0, 1, 1, 0 },       { 1, 2, 3, 2, 1, 5, 3, 3, 8 },
        { 3, 1, 2, 0.3, 0.1, 0.2, 1, 0, 0 },
    };
    pm_context *context = open_context();
    pm_error error;
    for (size_t f = 0; f < sizeof flat / sizeof flat[0]; f++) {
        pm_system *system = NULL;
        expect_refusal(pm_system_create(1, flat[f], &system, &error), &error, PM_BAD_INPUT,
                       "cell: the three vectors of the cell span no volume");
        assert_null(system);
    }
    pm_close(context);
}

/* From each to each, with fewer and more images. */
TEST(cells_may_change) {
    static const double tiny[9] = { 1e-3, 0, 0, 0, 1e-3, 0, 0, 0, 1e-3 };
    const pm_choice choice = PM_CHOICE(.variant = "list_walk", .precision = PM_PRECISION_DOUBLE,
                                       .outputs = PM_OUTPUTS_VIRIAL);
    pm_context *context = open_context();
    pm_system *system = system_of(&examples[0]);
    pm_kernel *kernel = NULL;
    pm_error error;
    assert_ok(pm_kernel_create(context, system, &choice, &kernel, &error), &error);
    for (size_t e = 0; e < 12; e++) {
        const struct example *example = &examples[5 * e % 6];
        assert_ok(pm_set_cell(kernel, example->cell, &error), &error);
        evaluate_and_compare(kernel, example);
        expect_refusal(pm_set_cell(kernel, tiny, &error), &error, PM_UNSUPPORTED,
                       "too many images");
        evaluate_and_compare(kernel, example); /* the cell stays */
    }
    pm_kernel_free(kernel);
    pm_system_free(system);
    pm_close(context);
}

/* A coordination number of groups in a small cell: by the same sums, in one cell of many times the
 * size. */
TEST(groups_have_images) {
    static const int a[] = { 0, 1, 2, 3 };
    static const int b[] = { 3, 4, 6 };
    static const char *const variant[] = { "coordination_cells", "two_groups_cells" };
    pm_context *context = open_context();
    pm_error error;
    for (int k = 0; k < 2; k++) {
        double found[2];
        double derivative[2][3 * N * 27];
        for (int large = 0; large < 2; large++) {
            const int side = large ? 3 : 1;
            const int count = N * side * side * side;
            const double cell[9] = { 2.6 * side, 0, 0, 0, 2.1 * side, 0, 0, 0, 2.9 * side };
            double x[3 * N * 27];
            int members[2][4 * 27];
            int in[2] = { 0, 0 };
            place_particles(&examples[4], x);
            for (int p = 0; p < count; p++) {
                const int copy[3] = { p / N % side, p / N / side % side, p / N / side / side };
                for (int d = 0; d < 3; d++) {
                    x[3 * p + d] = x[3 * (p % N) + d] + copy[d] * examples[4].cell[4 * d];
                }
                for (int m = 0; m < 4; m++) {
                    if (p % N == a[m]) {
                        members[0][in[0]++] = p;
                    }
                    if (m < 3 && p % N == b[m]) {
                        members[1][in[1]++] = p;
                    }
                }
            }
            pm_system *system = NULL;
            pm_kernel *kernel = NULL;
            const pm_choice choice =
                PM_CHOICE(.variant = variant[k], .precision = PM_PRECISION_DOUBLE,
                          .outputs = PM_OUTPUTS_ENERGY);
            const pm_arrays arrays =
                PM_ARRAYS(.positions = x, .forces = derivative[large], .energy = &found[large]);
            assert_ok(pm_system_create((size_t)count, cell, &system, &error), &error);
            assert_ok(
                pm_system_groups(system,
                                 &(pm_groups)PM_GROUPS(.a = members[0], .count_a = (size_t)in[0],
                                                       .b = k ? members[1] : NULL,
                                                       .count_b = k ? (size_t)in[1] : 0),
                                 &error),
                &error);
            assert_ok(pm_system_potential(system, "rational:r0=1,dmax=2.5", NULL, INFINITY, &error),
                      &error);
            assert_ok(pm_kernel_create(context, system, &choice, &kernel, &error), &error);
            assert_ok(pm_evaluate(kernel, &arrays, &error), &error);
            found[large] /= side * side * side;
            pm_kernel_free(kernel);
            pm_system_free(system);
        }
        assert_true(found[0] > 1);
        assert_same_numbers(&found[0], &found[1], 1);
        assert_same_numbers(derivative[0], derivative[1], 3 * N);
    }
    pm_close(context);
}

/* Of which image a pair is that does not interact is not said. */
TEST(exclusions_need_room) {
    static const int pair[] = { 0, 1 };
    const pm_choice choice = PM_CHOICE(.variant = "list_walk");
    pm_context *context = open_context();
    pm_system *system = system_of(&examples[4]);
    pm_kernel *kernel = NULL;
    pm_error error;
    assert_ok(pm_system_exclude_pairs(system, pair, 1, &error), &error);
    expect_refusal(pm_kernel_create(context, system, &choice, &kernel, &error), &error,
                   PM_UNSUPPORTED, "exclusions in a cell of less than twice the cutoff");
    pm_system_free(system);
    pm_close(context);
}

/* Forces and the sum of energies of a lattice of 125 without a cell. */
enum { SITES = 125 };
static void evaluate_lattice(pm_context *context, const char *variant, double far,
                             double force[3 * SITES], double *energy) {
    double x[3 * SITES];
    double energies[SITES];
    const pm_choice choice = PM_CHOICE(.variant = variant, .precision = PM_PRECISION_DOUBLE);
    const pm_arrays arrays = PM_ARRAYS(.positions = x, .forces = force, .energies = energies);
    pm_system *system = NULL;
    pm_kernel *kernel = NULL;
    pm_error e;
    for (int k = 0; k < 3 * SITES; k++) {
        const int site = k / 3;
        x[k] = 2.0 * (k % 3 == 0 ? site % 5 : k % 3 == 1 ? site / 5 % 5 : site / 25);
    }
    assert_ok(pm_system_create(SITES, NULL, &system, &e), &e);
    assert_ok(pm_system_potential(system, "lj", NULL, far, &e), &e);
    assert_ok(pm_kernel_create(context, system, &choice, &kernel, &e), &e);
    assert_ok(pm_evaluate(kernel, &arrays, &e), &e);
    *energy = 0;
    for (int i = 0; i < SITES; i++) {
        *energy += energies[i];
    }
    pm_kernel_free(kernel);
    pm_system_free(system);
}

/* A cutoff that ends far beyond all particles is as good as none: kernels that look at each cell
 * within reach end, and miss nothing. */
TEST(cutoffs_may_be_long) {
    static const char *const by_cells[] = { "sorted_cells", "linked_cells_by_pair", "blocks_32" };
    pm_context *context = open_context();
    double expected[3 * SITES];
    double energy = 0;
    evaluate_lattice(context, "all_pairs_loop", INFINITY, expected, &energy);
    for (int v = 0; v < 3; v++) {
        double force[3 * SITES];
        double sum = 0;
        evaluate_lattice(context, by_cells[v], v == 2 ? 1e5 : 1e9, force, &sum);
        for (int k = 0; k < 3 * SITES; k++) {
            assert_true(fabs(force[k] - expected[k]) < 1e-9);
        }
        assert_true(fabs(sum - energy) < 1e-9 && energy < -20);
    }
    pm_close(context);
}

TEST_GROUP(open_test_cache, close_test_cache)
