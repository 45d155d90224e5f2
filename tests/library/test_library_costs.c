/* libpairmark: what a call asks the driver for, once all is made: kernels, copies, waits,
 * allocations. Who adds one has to say so here. */
#include <dlfcn.h>

#include "driver_calls.h"
#include "library_calls.h"

#include "support.h"

enum { SIDE = 6, N = SIDE * SIDE * SIDE, ROOM = 64 * N };
static const double cell[9] = { 7, 0, 0, 0, 7, 0, 0, 0, 7 };

static struct driver_calls *counted;

static void place(double *x, double by) {
    for (int i = 0; i < N; i++) {
        const int at[3] = { i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE };
        for (int d = 0; d < 3; d++) {
            x[3 * i + d] = 7.0 / SIDE * at[d] + 0.05 * sin(1.7 * (3 * i + d)) + by;
        }
    }
}

static pm_kernel *kernel_of(pm_context *context, const pm_choice *choice, bool has_potential) {
    pm_error e;
    pm_system *system = NULL;
    pm_kernel *kernel = NULL;
    assert_ok(pm_system_create(N, cell, &system, &e), &e);
    assert_ok(pm_system_potential(system, has_potential ? "lj" : NULL, NULL, 2.5, &e), &e);
    assert_ok(pm_kernel_create(context, system, choice, &kernel, &e), &e);
    pm_system_free(system);
    return kernel;
}

static bool is_as_expected(const char *what, const struct driver_calls *wanted) {
    const bool same = memcmp(counted, wanted, sizeof *wanted) == 0;
    if (!same) {
        print_message("%s: %d kernels, %d copies, %d waits, %d allocations; expected %d, %d, %d, "
                      "%d\n",
                      what, counted->kernels, counted->copies, counted->waits, counted->allocations,
                      wanted->kernels, wanted->copies, wanted->waits, wanted->allocations);
    }
    return same;
}

static const struct {
    const char *what, *variant;
    bool sums, announced; /* energy and virial are wanted; pm_moved() */
    double by;            /* what particles are moved by before */
    struct driver_calls calls;
} evaluations[] = {
    { "forces of a list", "list_lanes", false, false, 0.01, { 3, 2, 2, 0 } },
    { "a list that serves for sure", "list_lanes", false, true, 0.01, { 3, 2, 1, 0 } },
    { "a list that has expired", "list_lanes", false, false, 0.3, { 7, 4, 3, 0 } },
    { "virial of a list", "list_lanes", true, false, 0.01, { 6, 4, 2, 0 } },
    { "forces without a structure", "all_pairs_loop", false, false, 0.01, { 3, 2, 1, 0 } },
};

/* From arrays of the host: one copy there and one back, for which the call waits. */
TEST(evaluations_ask_for_little) {
    pm_context *context = open_context();
    bool good = true;
    for (size_t k = 0; k < sizeof evaluations / sizeof evaluations[0]; k++) {
        const bool sums = evaluations[k].sums;
        const pm_choice choice =
            PM_CHOICE(.variant = evaluations[k].variant, .precision = PM_PRECISION_DOUBLE,
                      .outputs = PM_OUTPUTS_VIRIAL);
        pm_kernel *kernel = kernel_of(context, &choice, true);
        double x[3 * N], force[3 * N], energy = NAN, virial[9];
        pm_error e;
        const pm_arrays arrays =
            PM_ARRAYS(.positions = x, .forces = force, .energy = sums ? &energy : NULL,
                      .virial = sums ? virial : NULL);
        place(x, 0);
        for (int call = 0; call < 3; call++) {
            place(x, call == 2 ? evaluations[k].by : 0);
            if (evaluations[k].announced) {
                assert_ok(pm_moved(kernel, 0.02, &e), &e);
            }
            *counted = (struct driver_calls){ 0 };
            assert_ok(pm_evaluate(kernel, &arrays, &e), &e);
        }
        good = is_as_expected(evaluations[k].what, &evaluations[k].calls) && good;
        pm_kernel_free(kernel);
    }
    pm_close(context);
    assert_true(good);
}

static const struct {
    const char *what, *variant;
    struct driver_calls calls;
} lists[] = {
    { "a list by all pairs", "neighbours_tile", { 3, 1, 1, 3 } },
    { "a list by cells", "neighbours_cells", { 4, 1, 1, 3 } },
};

TEST(lists_ask_for_little) {
    _Alignas(128) static int first[ROOM], second[ROOM], shifts[3 * ROOM]; /* written in place */
    pm_context *context = open_context();
    bool good = true;
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
        const pm_choice choice =
            PM_CHOICE(.variant = lists[k].variant, .precision = PM_PRECISION_DOUBLE, .list = PM_COO,
                      .list_entries = PM_SHIFTS);
        pm_kernel *kernel = kernel_of(context, &choice, false);
        double x[3 * N];
        size_t needed = 0;
        pm_error e;
        const pm_arrays arrays = PM_ARRAYS(.positions = x);
        const pm_list list =
            PM_LIST(.room = ROOM, .first = first, .neighbours = second, .shifts = shifts);
        place(x, 0);
        for (int call = 0; call < 3; call++) {
            *counted = (struct driver_calls){ 0 };
            assert_ok(pm_neighbours(kernel, &arrays, &list, &needed, &e), &e);
        }
        good = is_as_expected(lists[k].what, &lists[k].calls) && good;
        pm_kernel_free(kernel);
    }
    pm_close(context);
    assert_true(good);
}

TEST_GROUP(open_test_cache, close_test_cache)

int main(void) {
    (void)setenv("OPENCL_LAYERS", COUNTING_LAYER, 1); /* read at the first call of OpenCL */
    void *layer = dlopen(COUNTING_LAYER, RTLD_NOW);
    counted = layer ? dlsym(layer, "driver_calls") : NULL;
    if (!counted || strncmp(device_name(), "opencl:", 7) != 0) {
        (void)printf("no layer of OpenCL to count with, or another device\n");
        return 77;
    }
    return run_listed_tests();
}
