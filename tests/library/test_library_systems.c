/* libpairmark: another system for a live kernel, without compiling anew; the energy of each
 * particle beside all pairs in double precision; what there is; the log. */

#include "library_calls.h"

#include "support.h"

enum { MOST = 300 };
static const double straight[9] = { 9, 0, 0, 0, 8, 0, 0, 0, 10 };
static const double turned[9] = { 0, 8, 1, 9, 0, -1, 0.5, 1, 9 }; /* along no axis */
static const double little[9] = { 4, 0, 0, 1, 4, 0, 0, 0.5, 4 };

/* A lattice, each particle a little off, in the cell or, without one, in a cube. */
static void place_particles(const double *cell, size_t n, double *x) {
    const double cube[9] = { 9, 0, 0, 0, 9, 0, 0, 0, 9 };
    const double *v = cell ? cell : cube;
    size_t side = 1;
    while (side * side * side < n) {
        side++;
    }
    for (size_t i = 0; i < n; i++) {
        const size_t at[3] = { i % side, i / side % side, i / side / side };
        for (size_t d = 0; d < 3; d++) {
            x[3 * i + d] = 0.07 * sin(1.3 * (double)(3 * i + d));
            for (size_t k = 0; k < 3; k++) {
                x[3 * i + d] += v[3 * k + d] * (double)at[k] / (double)side;
            }
        }
    }
}

/* ---- another system ---- */

/* Adds up what the log says. */
static void count_compiled(void *data, const char *line) {
    const char *in = strstr(line, " s, ");
    assert_null(strchr(line, '\n'));
    if (in && strstr(in, "programs compiled")) {
        *(unsigned long *)data += strtoul(in + 4, NULL, 10);
    }
}

static pm_system *system_of(size_t n) {
    static const char *const names[] = { "A", "B" };
    static const char table[] = "type_a,type_b,function,epsilon,sigma\n"
                                "A,A,lj,1,1\nA,B,lj,0.5,0.9\nB,B,lj,2,1.1\n";
    int types[MOST];
    int pairs[MOST];
    pm_error e;
    pm_system *system = NULL;
    for (size_t i = 0; i < n; i++) {
        types[i] = i % 3 == n % 3;
        pairs[i] = (int)i;
    }
    assert_ok(pm_system_create(n, straight, &system, &e), &e);
    assert_ok(pm_system_types(system, types, names, 2, &e), &e);
    assert_ok(pm_system_exclude_pairs(system, pairs, n / 4, &e), &e);
    assert_ok(pm_system_potential(system, "lj", table, 2.5, &e), &e);
    return system;
}

static void evaluate(pm_kernel *kernel, const double *x, double *force, double *energy) {
    const pm_arrays arrays = PM_ARRAYS(.positions = x, .forces = force, .energy = energy);
    pm_error e;
    assert_ok(pm_evaluate(kernel, &arrays, &e), &e);
}

TEST(kernels_take_other_systems) {
    static const char *const variants[] = { "list_walk", "sorted_cells" };
    for (size_t v = 0; v < 2; v++) {
        const pm_choice choice =
            PM_CHOICE(.variant = variants[v], .tunables = "STABLE_SORT=1",
                      .precision = PM_PRECISION_DOUBLE, .outputs = PM_OUTPUTS_ENERGY);
        unsigned long compiled = 0;
        unsigned long at_first = 0;
        pm_context *context = open_context();
        pm_kernel *live = NULL;
        pm_error e;
        assert_ok(pm_log(context, count_compiled, &compiled, &e), &e);
        for (size_t k = 0; k < 12; k++) {
            const size_t n = MOST - 40 * (k % 6);
            double x[3 * MOST];
            double force[2][3 * MOST];
            double energy[2];
            pm_kernel *fresh = NULL;
            pm_system *system = system_of(n);
            place_particles(straight, n, x);
            assert_ok(pm_kernel_create(context, system, &choice, &fresh, &e), &e);
            evaluate(fresh, x, force[0], &energy[0]);
            pm_kernel_free(fresh);
            at_first = k == 0 ? compiled : at_first;
            if (live) {
                assert_ok(pm_set_system(live, system, &e), &e);
            } else {
                assert_ok(pm_kernel_create(context, system, &choice, &live, &e), &e);
            }
            evaluate(live, x, force[1], &energy[1]);
            assert_true(energy[0] == energy[1] && energy[0] != 0);
            assert_memory_equal(force[0], force[1], 3 * n * sizeof(double));
            pm_system_free(system);
        }
        assert_int_equal(compiled, at_first);
        pm_kernel_free(live);
        pm_close(context);
    }
}

/* What the kernel cannot take leaves it as it was. */
TEST(refused_systems_change_nothing) {
    const pm_choice choice = PM_CHOICE(.variant = "list_walk", .precision = PM_PRECISION_DOUBLE);
    const int members[2] = { 0, 1 };
    double x[3 * MOST];
    double force[2][3 * MOST];
    pm_context *context = open_context();
    pm_system *system = system_of(MOST);
    pm_kernel *kernel = NULL;
    pm_error e;
    place_particles(straight, MOST, x);
    assert_ok(pm_kernel_create(context, system, &choice, &kernel, &e), &e);
    evaluate(kernel, x, force[0], NULL);
    assert_ok(pm_system_groups(system, &(pm_groups)PM_GROUPS(members, 2), &e), &e);
    expect_refusal(pm_set_system(kernel, system, &e), &e, PM_UNSUPPORTED,
                   "groups: workload forces has none");
    assert_int_equal(pm_set_system(kernel, NULL, NULL), PM_BAD_INPUT);
    evaluate(kernel, x, force[1], NULL);
    assert_memory_equal(force[0], force[1], sizeof force[0]);
    pm_kernel_free(kernel);
    pm_system_free(system);
    pm_close(context);
}

/* ---- energies ---- */

/* Half of that of each pair with each image within the cutoff. */
static double energy_of(const double *x, size_t n, const double *cell, double cutoff, size_t i) {
    const int most = cell ? 3 : 0;
    double energy = 0;
    for (size_t j = 0; j < n; j++) {
        for (int s = 0; s < (2 * most + 1) * (2 * most + 1) * (2 * most + 1); s++) {
            const int width = 2 * most + 1;
            const int shift[3] = { s % width - most, s / width % width - most,
                                   s / width / width - most };
            double r2 = 0;
            for (size_t d = 0; d < 3; d++) {
                double r = x[3 * j + d] - x[3 * i + d];
                for (size_t k = 0; cell && k < 3; k++) {
                    r += shift[k] * cell[3 * k + d];
                }
                r2 += r * r;
            }
            if (r2 > 0 && r2 <= cutoff * cutoff) {
                const double r6 = 1 / (r2 * r2 * r2);
                energy += 2 * (r6 * r6 - r6);
            }
        }
    }
    return energy;
}

TEST(energies_are_those_of_pairs) {
    static const struct {
        const double *cell;
        size_t n;
        double cutoff;
        const char *variant;
        enum pm_precision precision;
    } cases[] = {
        { straight, 200, 2.5, "list_walk", PM_PRECISION_DOUBLE },
        { straight, 200, 2.5, "clusters_8x8", PM_PRECISION_FIXED },
        { turned, 150, 2.5, "sorted_cells", PM_PRECISION_DOUBLE },
        { little, 20, 2.5, "sorted_cells", PM_PRECISION_DOUBLE },
        { NULL, 100, 2.5, "list_walk", PM_PRECISION_MIXED },
        { NULL, 100, INFINITY, "all_pairs_tile", PM_PRECISION_FLOAT },
        { NULL, 1, 2.5, "list_walk", PM_PRECISION_DOUBLE },
        { NULL, 0, 2.5, "list_walk", PM_PRECISION_DOUBLE },
    };
    pm_context *context = open_context();
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        const size_t n = cases[c].n;
        const double allowed = cases[c].precision == PM_PRECISION_DOUBLE ? 1e-11 : 1e-4;
        const pm_choice choice =
            PM_CHOICE(.variant = cases[c].variant, .precision = cases[c].precision,
                      .outputs = PM_OUTPUTS_ENERGY);
        double x[3 * MOST];
        double force[3 * MOST];
        double energies[2][MOST] = { { 0 } };
        double energy = 0;
        double sum = 0;
        pm_system *system = NULL;
        pm_kernel *kernel = NULL;
        pm_error e;
        place_particles(cases[c].cell, n, x);
        pm_arrays arrays =
            PM_ARRAYS(.positions = x, .forces = force, .energy = &energy, .energies = energies[0]);
        assert_ok(pm_system_create(n, cases[c].cell, &system, &e), &e);
        assert_ok(pm_system_potential(system, "lj", NULL, cases[c].cutoff, &e), &e);
        assert_ok(pm_kernel_create(context, system, &choice, &kernel, &e), &e);
        assert_ok(pm_evaluate(kernel, &arrays, &e), &e);
        for (size_t i = 0; i < n; i++) {
            const double wanted = energy_of(x, n, cases[c].cell, cases[c].cutoff, i);
            assert_near(energies[0][i], wanted, allowed * (1 + fabs(wanted)));
            sum += energies[0][i];
        }
        assert_near(sum, energy, allowed * (1 + fabs(energy)) * (double)(n + 1));
        const pm_arrays alone = PM_ARRAYS(.positions = x, .energies = energies[1]);
        assert_ok(pm_evaluate(kernel, &alone, &e), &e);
        assert_memory_equal(energies[0], energies[1], n * sizeof(double));
        if (n > 1) {
            x[4] = NAN;
            expect_refusal(pm_evaluate(kernel, &alone, &e), &e, PM_BAD_INPUT, "particle 1");
        }
        pm_kernel_free(kernel);
        pm_system_free(system);
    }
    pm_close(context);
}

/* ---- what there is ---- */

static void note_device(void *data, const char *name, const char *model, const char *unusable) {
    const bool is_ours = strcmp(name, device_name()) == 0;
    assert_true(!is_ours || (*model && !*unusable));
    *(size_t *)data += is_ours;
}

static void note_variant(void *data, const char *name, const char *workload, const char *summary) {
    assert_true(*summary && *workload);
    *(size_t *)data += strcmp(name, "list_walk") == 0 && strcmp(workload, "forces") == 0;
}

TEST(what_there_is_is_listed) {
    size_t devices = 0;
    size_t variants = 0;
    pm_error e;
    assert_ok(pm_devices(note_device, &devices, &e), &e);
    assert_ok(pm_variants(note_variant, &variants, &e), &e);
    assert_int_equal(devices, 1);
    assert_int_equal(variants, 1);
    expect_refusal(pm_devices(NULL, NULL, &e), &e, PM_BAD_INPUT, "null");
    expect_refusal(pm_variants(NULL, NULL, &e), &e, PM_BAD_INPUT, "null");
}

TEST_GROUP(open_test_cache, close_test_cache)
