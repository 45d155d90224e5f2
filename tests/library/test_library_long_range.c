/* libpairmark: charges beyond the cutoff. Rock salt has Madelung's constant; what is computed does
 * not depend on where real space ends, and is a derivative of the energy, in leaning cells, with
 * excluded pairs and a net charge; what does not fit is refused. */
#include "library_calls.h"

#include "support.h"

enum { N = 60 };

static const double leaning[9] = { 0, 11, 1, 10, 0, -1, 0.5, 1, 12 }; /* left-handed, turned */
static const double straight[9] = { 11, 0, 0, 0, 10, 0, 0, 0, 12 };
static const double little[9] = { 5.5, 0, 0, 1, 6, 0, 0, 0.5, 6 };

/* ---- rock salt ---- */

TEST(salt_has_madelungs_constant) {
    enum { SIDE = 8, IONS = SIDE * SIDE * SIDE };
    static const double cell[9] = { SIDE, 0, 0, 0, SIDE, 0, 0, 0, SIDE };
    static double x[3 * IONS];
    static double charge[IONS];
    static double force[3 * IONS];
    const double madelung = -1.747564594633;
    pm_context *context = open_context();
    pm_system *system = NULL;
    pm_kernel *kernel = NULL;
    double energy = 0;
    double virial[9];
    pm_error e;
    for (size_t i = 0; i < IONS; i++) {
        const size_t at[3] = { i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE };
        for (size_t d = 0; d < 3; d++) {
            x[3 * i + d] = (double)at[d] + 0.3;
        }
        charge[i] = (at[0] + at[1] + at[2]) % 2 == 0 ? 1 : -1;
    }
    const pm_choice choice = PM_CHOICE(.variant = "list_walk", .precision = PM_PRECISION_DOUBLE,
                                       .outputs = PM_OUTPUTS_VIRIAL);
    const pm_arrays arrays =
        PM_ARRAYS(.positions = x, .forces = force, .energy = &energy, .virial = virial);
    assert_ok(pm_system_create(IONS, cell, &system, &e), &e);
    assert_ok(pm_system_charges(system, charge, &e), &e);
    assert_ok(pm_system_potential(system, NULL, NULL, 3.99, &e), &e);
    assert_ok(
        pm_system_long_range(system, "pme:order=6,alpha=1.35,grid_x=128,grid_y=128,grid_z=128", &e),
        &e);
    assert_ok(pm_kernel_create(context, system, &choice, &kernel, &e), &e);
    assert_ok(pm_evaluate(kernel, &arrays, &e), &e);
    assert_near(energy / (0.5 * IONS), madelung, 1e-9);
    for (size_t k = 0; k < 9; k++) { /* of a sum of 1/r the trace is the energy */
        assert_near(virial[k], k % 4 == 0 ? energy / 3 : 0, 1e-6);
    }
    for (size_t i = 0; i < 3 * IONS; i++) {
        assert_near(force[i], 0, 1e-7);
    }
    pm_kernel_free(kernel);
    pm_system_free(system);
    pm_close(context);
}

/* ---- particles with charges ---- */

/* Molecules of three, which are close together. */
static void place_particles(const double *cell, double *x) {
    static const double site[9] = { 0, 0, 0, 0.8, 0.3, 0, -0.3, 0.7, 0.4 };
    for (size_t i = 0; i < N; i++) {
        const size_t at[3] = { i / 3 % 3, i / 9 % 3, i / 27 };
        for (size_t d = 0; d < 3; d++) {
            x[3 * i + d] = site[3 * (i % 3) + d] + 0.1 * sin(2.1 * (double)(3 * i + d));
            for (size_t k = 0; k < 3; k++) {
                x[3 * i + d] += cell[3 * k + d] * ((double)at[k] / 3 - 1.2);
            }
        }
    }
}

struct example {
    const char *potential, *exclude;
    const double *cell;
    double net; /* charge of each, more than neutral */
    enum pm_precision precision;
    bool pairs; /* excluded ones, some that are listed */
};

static pm_system *system_of(const struct example *example, double cutoff, const char *words) {
    static const int pairs[8] = { 0, 1, 2, 1, 7, 30, 5, 4 };
    double charge[N];
    int molecule[N];
    pm_system *system = NULL;
    pm_error e;
    for (int i = 0; i < N; i++) {
        charge[i] = (i % 3 == 0 ? -0.8 : 0.4) + example->net;
        molecule[i] = N - i / 3;
    }
    assert_ok(pm_system_create(N, example->cell, &system, &e), &e);
    assert_ok(pm_system_charges(system, charge, &e), &e);
    assert_ok(pm_system_molecules(system, molecule, &e), &e);
    assert_ok(pm_system_exclude(system, example->exclude, &e), &e);
    if (example->pairs) {
        assert_ok(pm_system_exclude_pairs(system, pairs, 4, &e), &e);
    }
    assert_ok(pm_system_potential(system, example->potential, NULL, cutoff, &e), &e);
    assert_ok(pm_system_long_range(system, words, &e), &e);
    return system;
}

static pm_kernel *kernel_of(pm_context *context, const struct example *example, double cutoff,
                            const char *words) {
    const pm_choice choice = PM_CHOICE(.variant = "list_walk", .precision = example->precision,
                                       .outputs = PM_OUTPUTS_VIRIAL);
    pm_system *system = system_of(example, cutoff, words);
    pm_kernel *kernel = NULL;
    pm_error e;
    assert_ok(pm_kernel_create(context, system, &choice, &kernel, &e), &e);
    pm_system_free(system);
    return kernel;
}

struct results {
    double force[3 * N], energy, virial[9];
};

static struct results results_at(pm_kernel *kernel, const double *x) {
    struct results found = { .energy = NAN };
    pm_error e;
    const pm_arrays arrays = PM_ARRAYS(.positions = x, .forces = found.force,
                                       .energy = &found.energy, .virial = found.virial);
    assert_ok(pm_evaluate(kernel, &arrays, &e), &e);
    return found;
}

static void assert_alike(const struct results *one, const struct results *other, double allowed) {
    assert_near(one->energy, other->energy, allowed);
    for (size_t k = 0; k < 9; k++) {
        assert_near(one->virial[k], other->virial[k], 10 * allowed);
    }
    for (size_t k = 0; k < sizeof one->force / sizeof one->force[0]; k++) {
        assert_near(one->force[k], other->force[k], allowed);
    }
}

static const struct example examples[] = {
    { NULL, NULL, straight, 0, PM_PRECISION_DOUBLE, false },
    { NULL, "molecule", leaning, 0, PM_PRECISION_DOUBLE, false },
    { NULL, "next:2", straight, 0.1, PM_PRECISION_DOUBLE, false },
    { NULL, NULL, leaning, 0.2, PM_PRECISION_DOUBLE, true },
    { NULL, NULL, little, 0.1, PM_PRECISION_DOUBLE, false },
    { NULL, "molecule", straight, 0, PM_PRECISION_FLOAT, false },
    { NULL, "molecule", leaning, 0.1, PM_PRECISION_FIXED, false },
};
enum { EXAMPLES = sizeof examples / sizeof examples[0] };

/* All of them; where tests are short (tests/lib.sh, at_length), the three of odd numbers. */
static size_t first_example(void) {
    return getenv("TESTS_ARE_SHORT") ? 1 : 0;
}

static size_t next_example(size_t k) {
    return k + 1 + first_example();
}

#define GRID "pme:order=6,grid_x=64,grid_y=64,grid_z=64,coulomb=2,alpha="
#define COARSE "pme:grid_x=20,grid_y=21,grid_z=24,coulomb=2,alpha=1.2"

TEST(nothing_depends_on_alpha) {
    pm_context *context = open_context();
    double x[3 * N];
    for (size_t k = first_example(); k < EXAMPLES; k = next_example(k)) {
        const bool wide = examples[k].precision == PM_PRECISION_DOUBLE;
        pm_kernel *far = kernel_of(context, &examples[k], 4.7, GRID "1.2");
        pm_kernel *near = kernel_of(context, &examples[k], 4.2, GRID "1.35");
        place_particles(examples[k].cell, x);
        const struct results one = results_at(far, x);
        const struct results other = results_at(near, x);
        assert_true(fabs(one.energy) > 0.1);
        assert_alike(&one, &other, wide ? 2e-5 : 1e-3);
        pm_kernel_free(far);
        pm_kernel_free(near);
    }
    pm_close(context);
}

/* Excluded pairs are farther apart than half of the cell, whose vectors may be any of the lattice.
 */
TEST(nothing_depends_on_the_order_of_vectors) {
    static const double one_way[9] = { 10, 0, 0, 3, 9.6, 0, -2, 2.5, 9.4 };
    static const double other_way[9] = { -2, 2.5, 9.4, 10, 0, 0, 3, 9.6, 0 };
    const struct example of_one = { NULL, "next:40", one_way, 0.1, PM_PRECISION_DOUBLE, false };
    struct example of_other = of_one;
    pm_context *context = open_context();
    double x[3 * N];
    of_other.cell = other_way;
    pm_kernel *one = kernel_of(context, &of_one, 2.6, GRID "1.2");
    pm_kernel *other = kernel_of(context, &of_other, 2.6, GRID "1.2");
    place_particles(one_way, x);
    const struct results found[2] = { results_at(one, x), results_at(other, x) };
    assert_alike(&found[0], &found[1], 2e-5);
    pm_kernel_free(one);
    pm_kernel_free(other);
    pm_close(context);
}

/* ---- derivatives ---- */

TEST(forces_are_derivatives) {
    const double h = 1e-4;
    pm_context *context = open_context();
    double x[3 * N];
    double moved[3 * N];
    for (size_t k = first_example(); k < EXAMPLES; k = next_example(k)) {
        if (examples[k].precision != PM_PRECISION_DOUBLE) {
            continue;
        }
        struct example example = examples[k];
        example.potential = k % 3 == 0 ? "lj:epsilon=0.1,sigma=0.3" : NULL;
        pm_kernel *kernel = kernel_of(context, &example, 4.7, COARSE);
        place_particles(example.cell, x);
        const struct results at = results_at(kernel, x);
        for (size_t i = 1; i < 3 * N; i += 17) {
            memcpy(moved, x, sizeof moved);
            moved[i] = x[i] + h;
            const double above = results_at(kernel, moved).energy;
            moved[i] = x[i] - h;
            const double below = results_at(kernel, moved).energy;
            assert_near(at.force[i], -(above - below) / (2 * h), 1e-3);
        }
        for (size_t s = 0; s < 9; s++) {
            double energy[2];
            for (int side = 0; side < 2; side++) {
                double cell[9];
                pm_error e;
                memcpy(cell, example.cell, sizeof cell);
                memcpy(moved, x, sizeof moved);
                for (size_t v = 0; v < 3; v++) {
                    cell[3 * v + s % 3] += (side ? -h : h) * example.cell[3 * v + s / 3];
                }
                for (size_t i = 0; i < N; i++) {
                    moved[3 * i + s % 3] += (side ? -h : h) * x[3 * i + s / 3];
                }
                assert_ok(pm_set_cell(kernel, cell, &e), &e);
                energy[side] = results_at(kernel, moved).energy;
            }
            assert_near(at.virial[s], -(energy[0] - energy[1]) / (2 * h), 2e-3);
        }
        pm_kernel_free(kernel);
    }
    pm_close(context);
}

/* ---- what else a kernel can do ---- */

/* For another system, as the best variant, and in floats. */
TEST(kernels_may_change) {
    pm_context *context = open_context();
    const struct example *first = &examples[1];
    const struct example *second = &examples[3];
    double x[3 * N];
    pm_error e;
    pm_kernel *kernel = kernel_of(context, first, 4.7, COARSE);
    pm_kernel *fresh = kernel_of(context, second, 4.7, COARSE);
    pm_kernel *best = NULL;
    pm_system *system = system_of(second, 4.7, COARSE);
    place_particles(leaning, x);
    (void)results_at(kernel, x);
    assert_ok(pm_set_system(kernel, system, &e), &e);
    struct results wanted = results_at(fresh, x);
    struct results found = results_at(kernel, x);
    assert_alike(&found, &wanted, 1e-9);
    const pm_choice choice =
        PM_CHOICE(.precision = PM_PRECISION_DOUBLE, .outputs = PM_OUTPUTS_VIRIAL);
    const pm_arrays arrays = PM_ARRAYS(.positions = x, .forces = found.force);
    assert_ok(pm_kernel_best(context, system, &choice,
                             &(pm_trial)PM_TRIAL(.arrays = &arrays, .steps = 10, .milliseconds = 0),
                             &best, &e),
              &e);
    found = results_at(best, x);
    assert_alike(&found, &wanted, 1e-9);
    /* Without it. */
    assert_ok(pm_system_long_range(system, NULL, &e), &e);
    assert_ok(pm_system_potential(system, "ewald-real:alpha=1.2,coulomb=2", NULL, 4.7, &e), &e);
    assert_ok(pm_set_system(kernel, system, &e), &e);
    assert_true(fabs(results_at(kernel, x).energy - wanted.energy) > 1);
    /* A place that is none. */
    x[3] = NAN;
    expect_refusal(pm_evaluate(fresh, &arrays, &e), &e, PM_BAD_INPUT, "particle 1:");
    place_particles(leaning, x);
    found = results_at(fresh, x);
    assert_alike(&found, &wanted, 1e-9);
    double energies[N];
    const pm_arrays each = PM_ARRAYS(.positions = x, .energies = energies);
    expect_refusal(pm_evaluate(fresh, &each, &e), &e, PM_BAD_INPUT, "energies: ");
    pm_system_free(system);
    pm_kernel_free(kernel);
    pm_kernel_free(fresh);
    pm_kernel_free(best);
    pm_close(context);
}

/* ---- time steps ---- */

enum { STEPS = 40 };
static const double dt = 0.004; /* masses are 1 */

/* Velocity Verlet by pm_evaluate(). */
static struct results step_by_hand(pm_kernel *kernel, double *x, double *v) {
    struct results found = results_at(kernel, x);
    for (int s = 0; s < STEPS; s++) {
        for (size_t k = 0; k < 3 * N; k++) {
            v[k] += 0.5 * dt * found.force[k];
            x[k] += dt * v[k];
        }
        found = results_at(kernel, x);
        for (size_t k = 0; k < 3 * N; k++) {
            v[k] += 0.5 * dt * found.force[k];
        }
    }
    return found;
}

static double kinetic_of(const double *v) {
    double sum = 0;
    for (size_t k = 0; k < 3 * N; k++) {
        sum += 0.5 * v[k] * v[k];
    }
    return sum;
}

static void assert_steps(pm_context *context, const struct example *example) {
    static const char words[] = "pme:order=6,alpha=0.9,grid_x=32,grid_y=30,grid_z=36";
    const pm_choice choice =
        PM_CHOICE(.variant = "verlet+list_walk", .dt = dt, .precision = PM_PRECISION_DOUBLE,
                  .outputs = PM_OUTPUTS_VIRIAL);
    pm_kernel *by_hand = kernel_of(context, example, 4, words);
    pm_system *system = system_of(example, 4, words);
    pm_kernel *kernel = NULL;
    struct results got = { .energy = NAN };
    double x[2][3 * N], v[2][3 * N], kinetic = 0;
    pm_error e;
    place_particles(example->cell, x[0]);
    for (size_t k = 0; k < 3 * N; k++) {
        v[0][k] = cos(2.3 * (double)k);
    }
    memcpy(x[1], x[0], sizeof x[0]);
    memcpy(v[1], v[0], sizeof v[0]);
    const double before = results_at(by_hand, x[0]).energy + kinetic_of(v[0]);
    const struct results wanted = step_by_hand(by_hand, x[0], v[0]);
    pm_motion motion = PM_MOTION(.positions = x[1], .velocities = v[1], .forces = got.force,
                                 .energy = &got.energy, .virial = got.virial, .kinetic = &kinetic);
    assert_ok(pm_kernel_create(context, system, &choice, &kernel, &e), &e);
    for (int part = 0; part < 2; part++) {
        assert_ok(pm_steps(kernel, STEPS / 2, &motion, &e), &e);
    }
    for (size_t k = 0; k < 3 * N; k++) {
        assert_near(x[1][k], x[0][k], 1e-9);
        assert_near(v[1][k], v[0][k], 1e-9);
    }
    assert_alike(&got, &wanted, 1e-8);
    assert_near(got.energy + kinetic, before, 1e-3 * kinetic);
    pm_kernel_free(by_hand);
    pm_kernel_free(kernel);
    pm_system_free(system);
}

TEST(steps_are_those_of_verlet) {
    static const struct example moving[] = {
        { NULL, "molecule", straight, 0, PM_PRECISION_DOUBLE, false },
        { "lj:epsilon=0.01,sigma=0.8", "next:2", leaning, 0.1, PM_PRECISION_DOUBLE, false },
        { NULL, NULL, leaning, 0.2, PM_PRECISION_DOUBLE, true },
    };
    pm_context *context = open_context();
    for (size_t m = 0; m < sizeof moving / sizeof moving[0]; m++) {
        assert_steps(context, &moving[m]);
    }
    pm_close(context);
}

/* ---- refusals ---- */

static const struct {
    const char *potential, *words, *variant;
    const double *cell;
    double cutoff;
    enum pm_status status;
    const char *message;
} refused[] = {
    /* By pm_system_long_range(). */
    { NULL, "ewald", NULL, straight, 4, PM_BAD_INPUT, "long_range: " },
    { NULL, "lj", NULL, straight, 4, PM_BAD_INPUT, "expected pme" },
    { NULL, "", NULL, straight, 4, PM_BAD_INPUT, "long_range: " },
    { NULL, "pme:alpha=x", NULL, straight, 4, PM_BAD_INPUT, "alpha" },
    { NULL, "pme:tolerance=-1", NULL, straight, 4, PM_BAD_INPUT, "tolerance" },
    /* By pm_kernel_create(). */
    { NULL, "pme:order=3", "list_walk", straight, 4, PM_BAD_INPUT, "order=3" },
    { NULL, "pme:tolerance=0.6", "list_walk", straight, 4, PM_BAD_INPUT, "tolerance" },
    { NULL, "pme:grid_x=11", "list_walk", straight, 4, PM_BAD_INPUT, "grid_x=11" },
    { NULL, "pme", "list_walk", NULL, 4, PM_UNSUPPORTED, "not periodic" },
    { "energy = r^-6", "pme", "list_walk", straight, 4, PM_UNSUPPORTED, "expression" },
    { "lj+reaction-field", "pme", "list_walk", straight, 4, PM_BAD_INPUT, "reaction-field" },
    { "ewald-real:alpha=1", "pme", "list_walk", straight, 4, PM_BAD_INPUT, "ewald-real" },
    { "stillinger-weber", "pme", "three_body_list", straight, 4, PM_UNSUPPORTED, "three_body" },
    { "lj+reaction-field", "pme", "verlet+list_walk", straight, 4, PM_BAD_INPUT, "field" },
    { "lj", "pme", "verlet+all_pairs_tile", NULL, 4, PM_UNSUPPORTED, "not periodic" },
};

TEST(what_does_not_fit_is_refused) {
    pm_context *context = open_context();
    for (size_t r = 0; r < sizeof refused / sizeof refused[0]; r++) {
        const char *variant = refused[r].variant;
        const pm_choice choice =
            PM_CHOICE(.variant = variant, .dt = variant && strchr(variant, '+') ? 0.1 : 0);
        pm_system *system = NULL;
        pm_kernel *kernel = NULL;
        pm_error e = { 0 };
        assert_ok(pm_system_create(N, refused[r].cell, &system, &e), &e);
        assert_ok(pm_system_potential(system, refused[r].potential, NULL, refused[r].cutoff, &e),
                  &e);
        enum pm_status status = pm_system_long_range(system, refused[r].words, &e);
        assert_true((status != PM_OK) == !variant);
        if (variant) {
            status = pm_kernel_create(context, system, &choice, &kernel, &e);
        }
        expect_refusal(status, &e, refused[r].status, refused[r].message);
        pm_system_free(system);
    }
    assert_int_equal(pm_system_long_range(NULL, "pme", NULL), PM_BAD_INPUT);
    pm_close(context);
}

TEST_GROUP(open_test_cache, close_test_cache)
