/* Threads with contexts of their own, and threads that share one and a kernel of it: right forces.
 * By test_library_races.sh, of a library that is compiled for ThreadSanitizer. */
#include <math.h>
#include <pairmark.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 216, THREADS = 4, TURNS = 4 };
static const double cell[9] = { 7, 0, 0, 0, 7, 0, 0, 0, 7 };
static const char *const variants[] = { "list_lanes", "sorted_cells", "all_pairs_loop",
                                        "list_walk" };
static pm_context *shared;
static pm_kernel *shared_kernel;
static double x[3 * N], expected[3 * N];

static void must(enum pm_status status, const pm_error *error) {
    if (status != PM_OK) {
        printf("status %d: %s\n", (int)status, error->message);
        exit(1);
    }
}

static pm_kernel *make(pm_context *context, const char *variant, enum pm_form list) {
    pm_error error;
    pm_system *system;
    pm_kernel *kernel;
    const pm_choice choice =
        PM_CHOICE(.variant = variant, .precision = PM_PRECISION_DOUBLE, .list = list);
    must(pm_system_create(N, cell, &system, &error), &error);
    must(pm_system_potential(system, "lj", NULL, 2.5, &error), &error);
    must(pm_kernel_create(context, system, &choice, &kernel, &error), &error);
    pm_system_free(system);
    return kernel;
}

static void evaluate(pm_kernel *kernel) {
    pm_error error;
    double force[3 * N] = { 0 };
    const pm_arrays arrays = PM_ARRAYS(.positions = x, .forces = force);
    must(pm_evaluate(kernel, &arrays, &error), &error);
    for (int i = 0; i < 3 * N; i++) {
        if (fabs(force[i] - expected[i]) > 1e-8) {
            puts("wrong forces");
            exit(1);
        }
    }
}

static void *by_own(void *number) {
    pm_error error;
    pm_context *context;
    size_t needed;
    static const pm_arrays arrays = PM_ARRAYS(.positions = x);
    must(pm_open(getenv("PAIRMARK_TEST_DEVICE"), &context, &error), &error);
    for (size_t turn = 0; turn < TURNS; turn++) {
        pm_kernel *kernel = make(context, variants[((size_t)number + turn) % 4], PM_MATRIX);
        evaluate(kernel);
        evaluate(kernel);
        pm_kernel_free(kernel);
    }
    pm_kernel *lists = make(context, "neighbours", PM_COO);
    const enum pm_status status =
        pm_neighbours(lists, &arrays, &(pm_list)PM_LIST(), &needed, &error);
    if (status != PM_NO_ROOM) {
        must(PM_BAD_INPUT, &error);
    }
    pm_kernel_free(lists);
    pm_close(context);
    return NULL;
}

static void *by_shared(void *number) {
    pm_error error;
    double reach;
    for (size_t turn = 0; turn < TURNS; turn++) {
        evaluate(shared_kernel);
        must(pm_reach(shared_kernel, &reach, &error), &error);
        pm_kernel *kernel = make(shared, variants[((size_t)number + turn) % 4], PM_MATRIX);
        evaluate(kernel);
        must(pm_set_cell(kernel, cell, &error), &error);
        evaluate(kernel);
        pm_kernel_free(kernel);
    }
    return NULL;
}

static void take(void *data, const char *one, const char *two, const char *three) {
    (void)data, (void)one, (void)two, (void)three;
}

static void *by_names(void *number) {
    pm_error error;
    (void)number;
    must(pm_devices(take, NULL, &error), &error);
    must(pm_variants(take, NULL, &error), &error);
    return NULL;
}

static void run(void *(*work)(void *)) {
    pthread_t threads[THREADS + 1];
    for (size_t t = 0; t <= THREADS; t++) {
        if (pthread_create(&threads[t], NULL, t < THREADS ? work : by_names, (void *)t)) {
            exit(1);
        }
    }
    for (size_t t = 0; t <= THREADS; t++) {
        pthread_join(threads[t], NULL);
    }
}

int main(void) {
    pm_error error;
    for (int i = 0; i < N; i++) {
        const int at[3] = { i % 6, i / 6 % 6, i / 36 };
        for (int d = 0; d < 3; d++) {
            x[3 * i + d] = 7.0 / 6 * at[d] + 0.05 * sin(1.7 * (3 * i + d));
        }
    }
    must(pm_open(getenv("PAIRMARK_TEST_DEVICE"), &shared, &error), &error);
    shared_kernel = make(shared, "list_lanes", PM_MATRIX);
    const pm_arrays arrays = PM_ARRAYS(.positions = x, .forces = expected);
    must(pm_evaluate(shared_kernel, &arrays, &error), &error);
    run(by_own);
    run(by_shared);
    pm_close(shared);
    pm_kernel_free(shared_kernel);
    puts("right");
    return 0;
}
