/* The reciprocal part of an Ewald sum: Madelung constants, published energies and forces,
 * derivatives, and that the grid comes to the direct sum; lattices of two descriptions; totals that
 * do not depend on alpha. */
#include "kernels/potentials/interaction.h"
#include "reference/pairs/reference.h"
#include "reference/pme/pme.h"
#include "reference/pme/transform.h"

#include "support.h"

static const struct ewald_reach everything = { 0, 0 };

static void require(bool done, const struct error *error) {
    if (!done) {
        fail_msg("%s", error->message);
    }
}

static void read_vectors(const char *name, struct box *box) {
    struct error error;
    char path[512];
    (void)snprintf(path, sizeof path, "%s/vectors/pme/%s.xyz", TEST_DATA, name);
    require(box_read(path, box, &error), &error);
}

static double real_energy(const struct pme_problem *problem, double cutoff) {
    struct error error;
    struct interaction interaction;
    struct reference reference;
    char words[128];
    (void)snprintf(words, sizeof words, "ewald-real:alpha=%.17g,coulomb=%.17g", problem->alpha,
                   problem->coulomb);
    require(interaction_parse(words, &interaction, &error), &error);
    require(reference_direct(problem->box, &interaction, cutoff, &reference, &error), &error);
    const double energy = reference.energy;
    reference_free(&reference);
    return energy;
}

/* Real part, reciprocal part and self energy, where alpha is so large that the nearest images are
 * all of the first. */
static double total_energy(const struct pme_problem *problem) {
    struct error error;
    struct pme_result result;
    require(reference_ewald(problem, everything, &result, &error), &error);
    const double cutoff = 0.5 * cell_least_height(&problem->box->cell);
    const double total = result.energy + ewald_self_energy(problem) +
                         ewald_background_energy(problem) + real_energy(problem, cutoff);
    pme_result_free(&result);
    return total;
}

/* ---- the transform ---- */

TEST(transform) {
    const size_t sizes[][3] = { { 1, 1, 1 }, { 4, 6, 5 }, { 7, 9, 2 }, { 11, 8, 13 } };
    const double full = 2 * acos(-1.0);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        const size_t *size = sizes[s];
        const size_t total = size[0] * size[1] * size[2];
        struct error error;
        struct point *points = calloc(total, sizeof *points);
        struct point *before = calloc(total, sizeof *before);
        assert_non_null(points);
        assert_non_null(before);
        for (size_t p = 0; p < total; p++) {
            before[p] = (struct point){ sin((double)(p * p)), cos(3.0 * (double)p) };
        }
        memcpy(points, before, total * sizeof *points);
        assert_true(transform_grid(points, size, -1, &error));
        for (size_t k = 0; k < total; k += 1 + total / 7) {
            double re = 0;
            double im = 0;
            for (size_t p = 0; p < total; p++) {
                double turns = 0;
                const size_t at[3] = { p / size[2] / size[1], p / size[2] % size[1], p % size[2] };
                const size_t of[3] = { k / size[2] / size[1], k / size[2] % size[1], k % size[2] };
                for (int d = 0; d < 3; d++) {
                    turns += (double)(at[d] * of[d] % size[d]) / (double)size[d];
                }
                re += before[p].re * cos(full * turns) + before[p].im * sin(full * turns);
                im += before[p].im * cos(full * turns) - before[p].re * sin(full * turns);
            }
            assert_near(points[k].re, re, 1e-11);
            assert_near(points[k].im, im, 1e-11);
        }
        assert_true(transform_grid(points, size, 1, &error));
        for (size_t p = 0; p < total; p++) {
            assert_near(points[p].re, before[p].re * (double)total, 1e-11);
        }
        free(points);
        free(before);
    }
}

/* ---- Madelung constants ---- */

struct crystal {
    const char *name;
    int sites;
    double site[8][3]; /* in units of the edge, 1; the first half of charge 1, the rest of -1 */
    double nearest, madelung;
};

static const struct crystal crystals[] = {
    { "NaCl",
      8,
      { { 0, 0, 0 },
        { 0, .5, .5 },
        { .5, 0, .5 },
        { .5, .5, 0 },
        { .5, 0, 0 },
        { 0, .5, 0 },
        { 0, 0, .5 },
        { .5, .5, .5 } },
      0.5,
      1.747564594633 },
    { "CsCl", 2, { { 0, 0, 0 }, { .5, .5, .5 } }, 0.866025403784438647, 1.762674773070 },
    { "ZnS",
      8,
      { { 0, 0, 0 },
        { 0, .5, .5 },
        { .5, 0, .5 },
        { .5, .5, 0 },
        { .25, .25, .25 },
        { .25, .75, .75 },
        { .75, .25, .75 },
        { .75, .75, .25 } },
      0.433012701892219323,
      1.638055053388 },
};

static void make_crystal(const struct crystal *crystal, struct box *box) {
    struct error error;
    require(box_allocate((size_t)crystal->sites, box, &error), &error);
    box->periodic = true;
    for (int d = 0; d < 3; d++) {
        box->edge[d] = 1;
    }
    for (int i = 0; i < crystal->sites; i++) {
        memcpy(&box->position[3 * i], crystal->site[i], sizeof crystal->site[i]);
        box->charge[i] = 2 * i < crystal->sites ? 1 : -1;
    }
}

TEST(madelung) {
    for (size_t c = 0; c < sizeof crystals / sizeof crystals[0]; c++) {
        struct box box;
        make_crystal(&crystals[c], &box);
        const struct pme_problem problem = { .box = &box, .alpha = 13, .coulomb = 1 };
        const double pairs = crystals[c].sites / 2.0;
        assert_near_as(crystals[c].name, -total_energy(&problem) * crystals[c].nearest / pairs,
                       crystals[c].madelung, 2e-12);
        box_free(&box);
    }
}

/* ---- vectors ---- */

static void read_forces(const char *name, size_t n, double *force) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/vectors/pme/%s-forces.txt", TEST_DATA, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    for (size_t k = 0; k < 3 * n; k++) {
        assert_int_equal(fscanf(file, "%lf", &force[k]), 1);
    }
    (void)fclose(file);
}

struct vector {
    const char *name;
    double alpha, energy, self, up_to_5;
    size_t grid[3];
};

static const struct vector vectors[] = {
    { "neutral-40",
      0.35,
      3102.249710195128,
      -5377.275345989511,
      3102.2494790065607,
      { 36, 40, 42 } },
    { "triclinic-50",
      0.32,
      1397.1672940737487,
      -4538.814416871876,
      1397.1671881905515,
      { 40, 42, 45 } },
};

static double root_mean_square(const double *numbers, const double *others, size_t count) {
    double sum = 0;
    for (size_t k = 0; k < count; k++) {
        const double d = numbers[k] - (others ? others[k] : 0);
        sum += d * d;
    }
    return sqrt(sum / (double)count);
}

TEST(vectors) {
    for (size_t v = 0; v < sizeof vectors / sizeof vectors[0]; v++) {
        const struct vector *vector = &vectors[v];
        struct error error;
        struct box box;
        struct pme_result result;
        double force[3 * 50];
        read_vectors(vector->name, &box);
        read_forces(vector->name, box.n, force);
        struct pme_problem problem = { .box = &box,
                                       .alpha = vector->alpha,
                                       .coulomb = 1389.35457644,
                                       .grid = { vector->grid[0], vector->grid[1],
                                                 vector->grid[2] } };
        require(reference_ewald(&problem, everything, &result, &error), &error);
        const double rms = root_mean_square(force, NULL, 3 * box.n);
        assert_close(result.energy, vector->energy, 1e-13);
        assert_true(root_mean_square(result.force, force, 3 * box.n) < 1e-12 * rms);
        assert_close(ewald_self_energy(&problem), vector->self, 1e-13);
        const double virial = result.virial[1];
        pme_result_free(&result);
        /* as NIST's reference calculations of SPC/E have it */
        require(reference_ewald(&problem, (struct ewald_reach){ 5, 27 }, &result, &error), &error);
        assert_close(result.energy, vector->up_to_5, 1e-13);
        pme_result_free(&result);
        double last = 1;
        for (problem.order = 4; problem.order <= 6; problem.order++) {
            require(reference_pme(&problem, NULL, &result, &error), &error);
            const double off = root_mean_square(result.force, force, 3 * box.n) / rms;
            assert_true(off < 0.3 * last);
            assert_close(result.energy, vector->energy, 2e-5);
            assert_near(result.virial[1], virial, 1e-4 * vector->energy);
            last = off;
            pme_result_free(&result);
        }
        assert_true(last < 1e-5);
        box_free(&box);
    }
}

/* Reciprocal energies, self energy included, of OpenMM 8.6.1's Reference platform, whose splines
 * are of order 5; forces agree to 6e-13. */
TEST(openmm) {
    static const struct {
        const char *name;
        double alpha, energy;
        size_t grid[3];
    } cases[] = { { "neutral-40", 0.35, -2275.025504624265, { 36, 40, 42 } },
                  { "neutral-40", 0.35, -2274.897645828654, { 15, 14, 12 } },
                  { "triclinic-50", 0.32, -3141.644813865074, { 20, 21, 24 } } };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct error error;
        struct box box;
        struct pme_result result;
        read_vectors(cases[c].name, &box);
        const struct pme_problem problem = { .box = &box,
                                             .alpha = cases[c].alpha,
                                             .coulomb = 1389.3545764438198,
                                             .grid = { cases[c].grid[0], cases[c].grid[1],
                                                       cases[c].grid[2] },
                                             .order = 5 };
        require(reference_pme(&problem, NULL, &result, &error), &error);
        assert_near(result.energy + ewald_self_energy(&problem), cases[c].energy, 1e-10);
        pme_result_free(&result);
        box_free(&box);
    }
}

/* ---- derivatives ---- */

typedef bool evaluate(const struct pme_problem *problem, struct pme_result *result,
                      struct error *error);

static bool by_grid(const struct pme_problem *problem, struct pme_result *result,
                    struct error *error) {
    return reference_pme(problem, NULL, result, error);
}

static bool directly(const struct pme_problem *problem, struct pme_result *result,
                     struct error *error) {
    return reference_ewald(problem, everything, result, error);
}

static double energy_of(const struct pme_problem *problem, evaluate *by) {
    struct error error;
    struct pme_result result;
    require(by(problem, &result, &error), &error);
    const double energy = result.energy;
    pme_result_free(&result);
    return energy;
}

/* Strains cell and particles: y += by x where k is 1, x row of the nine. The cell stays a triangle
 * for k = 0, 3, 4, 6, 7, 8. */
static void strain(struct box *box, int k, double by) {
    const int from = k / 3;
    const int to = k % 3;
    for (size_t i = 0; i < box->n; i++) {
        box->position[3 * i + (size_t)to] += by * box->position[3 * i + (size_t)from];
    }
    double rows[3][3] = { { box->edge[0], 0, 0 },
                          { box->tilt[0], box->edge[1], 0 },
                          { box->tilt[1], box->tilt[2], box->edge[2] } };
    for (int a = 0; a < 3; a++) {
        rows[a][to] += by * rows[a][from];
    }
    for (int d = 0; d < 3; d++) {
        box->edge[d] = rows[d][d];
    }
    box->tilt[0] = rows[1][0];
    box->tilt[1] = rows[2][0];
    box->tilt[2] = rows[2][1];
}

static void restore(struct box *box, const struct cell *cell, const double *position) {
    box->cell = *cell;
    memcpy(box->position, position, 3 * box->n * sizeof *position);
}

static void check_derivatives(const struct pme_problem *problem, struct box *box, evaluate *by) {
    static const int lower[] = { 0, 3, 4, 6, 7, 8 };
    const double step = 1e-4;
    struct error error;
    struct pme_result result;
    const struct cell cell = box->cell;
    double position[3 * 50];
    memcpy(position, box->position, 3 * box->n * sizeof *position);
    require(by(problem, &result, &error), &error);
    for (size_t k = 0; k < 3 * box->n; k += 7) {
        const double at = box->position[k];
        box->position[k] = at + step;
        const double above = energy_of(problem, by);
        box->position[k] = at - step;
        const double below = energy_of(problem, by);
        box->position[k] = at;
        assert_near(-(above - below) / (2 * step), result.force[k], 2e-4);
    }
    for (size_t k = 0; k < sizeof lower / sizeof lower[0]; k++) {
        strain(box, lower[k], step);
        const double above = energy_of(problem, by);
        restore(box, &cell, position);
        strain(box, lower[k], -step);
        const double below = energy_of(problem, by);
        restore(box, &cell, position);
        assert_near(-(above - below) / (2 * step), result.virial[lower[k]], 1e-3);
    }
    pme_result_free(&result);
}

TEST(derivatives) {
    for (size_t v = 0; v < sizeof vectors / sizeof vectors[0]; v++) {
        struct box box;
        read_vectors(vectors[v].name, &box);
        struct pme_problem problem = {
            .box = &box, .alpha = vectors[v].alpha, .coulomb = 1389.35457644, .grid = { 9, 10, 12 }
        };
        check_derivatives(&problem, &box, directly);
        for (problem.order = 4; problem.order <= 6; problem.order++) {
            check_derivatives(&problem, &box, by_grid);
        }
        box_free(&box);
    }
}

/* ---- other descriptions of the same ---- */

/* Vectors that lean by a whole edge span the same lattice. */
TEST(leaning_lattice) {
    struct box box;
    struct error error;
    read_vectors("neutral-40", &box);
    struct pme_problem problem = {
        .box = &box, .alpha = 0.35, .coulomb = 1, .grid = { 48, 48, 48 }, .order = 6
    };
    struct pme_result straight;
    struct pme_result leaning;
    require(reference_ewald(&problem, everything, &straight, &error), &error);
    box.tilt[0] = box.edge[0];
    box.tilt[1] = -box.edge[0];
    box.tilt[2] = box.edge[1];
    require(reference_ewald(&problem, everything, &leaning, &error), &error);
    assert_close(leaning.energy, straight.energy, 1e-13);
    const double rms = root_mean_square(straight.force, NULL, 3 * box.n);
    assert_true(root_mean_square(leaning.force, straight.force, 3 * box.n) < 1e-12 * rms);
    for (int k = 0; k < 9; k++) {
        assert_near(leaning.virial[k], straight.virial[k], 1e-12 * straight.energy);
    }
    pme_result_free(&leaning);
    require(reference_pme(&problem, NULL, &leaning, &error), &error);
    assert_true(root_mean_square(leaning.force, straight.force, 3 * box.n) < 1e-4 * rms);
    pme_result_free(&leaning);
    pme_result_free(&straight);
    box_free(&box);
}

/* A leaning cell of two particles, twice along its second vector, which then is upright: (2, 1) and
 * (0, 2). */
TEST(supercell) {
    struct box one;
    struct box two;
    struct error error;
    require(box_allocate(2, &one, &error), &error);
    require(box_allocate(4, &two, &error), &error);
    one.periodic = two.periodic = true;
    const struct cell leaning = { { 2, 1.5, 3 }, { 1, 0, 0 } };
    const struct cell upright = { { 2, 3, 3 }, { 0, 0, 0 } };
    one.cell = leaning;
    two.cell = upright;
    const double site[6] = { 0.1, 0.2, 0.3, 1.3, 0.9, 1.7 };
    for (size_t k = 0; k < 6; k++) {
        one.position[k] = two.position[k] = site[k];
        two.position[6 + k] = site[k] + (k % 3 == 0 ? 1.0 : k % 3 == 1 ? 1.5 : 0);
    }
    for (size_t i = 0; i < 4; i++) {
        two.charge[i] = i % 2 == 0 ? 1 : -1;
        one.charge[i % 2] = two.charge[i];
    }
    const struct pme_problem small = { .box = &one, .alpha = 2, .coulomb = 1 };
    const struct pme_problem large = { .box = &two, .alpha = 2, .coulomb = 1 };
    struct pme_result of_one;
    struct pme_result of_two;
    require(reference_ewald(&small, everything, &of_one, &error), &error);
    require(reference_ewald(&large, everything, &of_two, &error), &error);
    assert_close(of_two.energy, 2 * of_one.energy, 1e-13);
    for (size_t k = 0; k < 6; k++) {
        assert_near(of_two.force[k], of_one.force[k], 1e-13);
        assert_near(of_two.force[6 + k], of_one.force[k], 1e-13);
    }
    pme_result_free(&of_one);
    pme_result_free(&of_two);
    box_free(&one);
    box_free(&two);
}

/* With a net charge, which a background makes neutral. */
TEST(any_alpha) {
    struct box box;
    for (size_t v = 0; v < sizeof vectors / sizeof vectors[0]; v++) {
        read_vectors(vectors[v].name, &box);
        box.charge[3] += 1.25;
        const struct pme_problem first = { .box = &box, .alpha = 1.1, .coulomb = 1 };
        const struct pme_problem second = { .box = &box, .alpha = 1.3, .coulomb = 1 };
        assert_close(total_energy(&first), total_energy(&second), 1e-11);
        box_free(&box);
    }
}

/* Two charges in a large cell attract each other as in the open. */
TEST(two_charges) {
    struct box box;
    struct error error;
    require(box_allocate(2, &box, &error), &error);
    box.periodic = true;
    box.edge[0] = box.edge[1] = box.edge[2] = 200;
    box.position[3] = 1.0;
    box.charge[0] = 1;
    box.charge[1] = -1;
    const struct pme_problem problem = { .box = &box, .alpha = 0.1, .coulomb = 1 };
    assert_near(total_energy(&problem), -1, 1e-6);
    box_free(&box);
}

/* What the reciprocal part has of a pair that is left out: with it, a lone pair in a large cell has
 * none. */
TEST(excluded) {
    struct box box;
    struct error error;
    struct pme_result result;
    struct exclusions *exclusions = NULL;
    const int pair[4] = { 1, 0, 0, 1 };
    struct ewald_excluded excluded = { 0 };
    require(box_allocate(2, &box, &error), &error);
    box.periodic = true;
    box.edge[0] = box.edge[1] = box.edge[2] = 150;
    box.position[0] = 149.5;
    box.position[3] = 1.0;
    box.charge[0] = 1;
    box.charge[1] = -1;
    const struct pme_problem problem = { .box = &box, .alpha = 0.2, .coulomb = 3 };
    require(exclusions_of_pairs(pair, 2, &exclusions, &error), &error);
    require(reference_ewald(&problem, everything, &result, &error), &error);
    excluded.force = result.force;
    require(ewald_find_excluded(&problem, exclusions, &excluded, &error), &error);
    assert_near(result.energy + ewald_self_energy(&problem) + excluded.energy, 0, 1e-5);
    for (size_t k = 0; k < 9; k++) {
        assert_near(result.virial[k] + excluded.virial[k], 0, 1e-5);
    }
    for (size_t k = 0; k < 6; k++) {
        assert_near(result.force[k], 0, 1e-5);
    }
    exclusions_free(exclusions);
    pme_result_free(&result);
    box_free(&box);
}

/* ---- refusals ---- */

TEST(refusals) {
    struct box box;
    struct error error;
    struct pme_result result;
    read_vectors("neutral-40", &box);
    const struct pme_problem good = {
        .box = &box, .alpha = 0.35, .coulomb = 1, .grid = { 8, 8, 8 }, .order = 5
    };
    struct pme_problem bad = good;
    bad.order = 3;
    assert_false(reference_pme(&bad, NULL, &result, &error));
    bad = good;
    bad.grid[1] = 4;
    assert_false(reference_pme(&bad, NULL, &result, &error));
    bad = good;
    bad.alpha = 0;
    assert_false(reference_ewald(&bad, everything, &result, &error));
    box.open_along[2] = true;
    assert_false(reference_pme(&good, NULL, &result, &error));
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    box_free(&box);
}

TEST_GROUP(open_test_cache, close_test_cache)
