/* Faults around libpairmark: no memory, wherever it is asked for; null pointers; contexts that are
 * closed or another process's. What fails says so, and leaves in order what it was called with.
 *
 * The linker gives us malloc and its like, as the library calls them (CMakeLists.txt: --wrap). */
#include <sys/wait.h>
#include <unistd.h>

#include "library_calls.h"

#include "support.h"

/* ---- memory that runs out ---- */

static _Thread_local long left = -1; /* allocations until one fails; below 0: none does */
static _Thread_local bool has_failed;

static bool fails_now(void) {
    const bool fails = left == 0;
    left -= left >= 0;
    has_failed = has_failed || fails;
    return fails;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
char *__wrap_strdup(const char *text);

void *__wrap_malloc(size_t size) {
    return fails_now() ? NULL : __real_malloc(size);
}
void *__wrap_calloc(size_t count, size_t size) {
    return fails_now() ? NULL : __real_calloc(count, size);
}
void *__wrap_realloc(void *memory, size_t size) {
    return fails_now() ? NULL : __real_realloc(memory, size);
}
char *__wrap_strdup(const char *text) {
    return fails_now() ? NULL : __real_strdup(text);
}

/* ---- what is called ---- */

enum { N = 64 };
static const double cell[9] = { 5, 0, 0, 0, 5, 0, 0, 0, 5 };
static double positions[3 * N];

static void place_particles(void) {
    for (int i = 0; i < N; i++) {
        const int at[3] = { i % 4, i / 4 % 4, i / 16 };
        for (int d = 0; d < 3; d++) {
            positions[3 * i + d] = 1.25 * at[d] + 0.1 * sin(3.0 * i + d);
        }
    }
}

struct made {
    pm_system *system, *grouped;
    pm_kernel *forces, *lists, *groups;
};

static enum pm_status make_system(struct made *made, pm_error *error) {
    static const int types[N] = { 0, 1, 1 };
    static const char *const names[] = { "A", "B" };
    static const double charges[N] = { 1 };
    static const int pairs[] = { 0, 1, 2, 3 };
    static const int bond[] = { 0, 1 };
    static const double stiff[] = { 1, 1 };
    static const char words[] = "energy = 4*eps*(r^-12 - r^-6); eps = 1.5";
    enum pm_status s = pm_system_create(N, cell, &made->system, error);
    s = s ? s : pm_system_types(made->system, types, names, 2, error);
    s = s ? s : pm_system_charges(made->system, charges, error);
    s = s ? s : pm_system_molecules(made->system, types, error);
    s = s ? s : pm_system_exclude_pairs(made->system, pairs, 2, error);
    s = s ? s : pm_system_terms(made->system, PM_BONDS, bond, stiff, 1, error);
    return s ? s : pm_system_potential(made->system, words, NULL, 2.4, error);
}

/* In a slab. */
static enum pm_status make_groups(pm_context *context, struct made *made, pm_error *error) {
    static const int along[] = { 1, 1, 0 };
    static const int a[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    const pm_choice choice =
        PM_CHOICE(.variant = "two_groups_cells", .precision = PM_PRECISION_DOUBLE,
                  .tunables = "STABLE_SORT=1");
    enum pm_status s = pm_system_create(N, cell, &made->grouped, error);
    s = s ? s : pm_system_periodic(made->grouped, along, error);
    s = s ? s : pm_system_groups(made->grouped, &(pm_groups)PM_GROUPS(.a = a, .count_a = 8), error);
    s = s ? s : pm_system_groups(made->grouped, &(pm_groups)PM_GROUPS(.b = a, .count_b = 8), error);
    s = s ? s : pm_system_potential(made->grouped, "rational:r0=1,dmax=2", NULL, INFINITY, error);
    return s ? s : pm_kernel_create(context, made->grouped, &choice, &made->groups, error);
}

static enum pm_status make_kernels(pm_context *context, struct made *made, pm_error *error) {
    const pm_choice forces = PM_CHOICE(.variant = "list_walk", .precision = PM_PRECISION_DOUBLE,
                                       .outputs = PM_OUTPUTS_ENERGY, .tunables = "STABLE_SORT=1");
    const pm_choice lists =
        PM_CHOICE(.variant = "neighbours_cells", .precision = PM_PRECISION_DOUBLE, .list = PM_CSR,
                  .list_entries = PM_SHIFTS);
    enum pm_status s = pm_kernel_create(context, made->system, &forces, &made->forces, error);
    s = s ? s : pm_kernel_create(context, made->system, &lists, &made->lists, error);
    return s ? s : make_groups(context, made, error);
}

static void free_made(struct made *made) {
    pm_kernel_free(made->forces);
    pm_kernel_free(made->lists);
    pm_kernel_free(made->groups);
    pm_system_free(made->system);
    pm_system_free(made->grouped);
    memset(made, 0, sizeof *made);
}

struct numbers {
    double force[3 * N], energy, derivative[3 * N];
    int begin[N + 1], neighbour[N * N], shift[3 * N * N];
};

static enum pm_status evaluate(const struct made *made, struct numbers *numbers, pm_error *error) {
    const pm_arrays arrays =
        PM_ARRAYS(.positions = positions, .forces = numbers->force, .energy = &numbers->energy);
    return pm_evaluate(made->forces, &arrays, error);
}

static enum pm_status coordinate(const struct made *made, struct numbers *numbers,
                                 pm_error *error) {
    const pm_arrays arrays = PM_ARRAYS(.positions = positions, .forces = numbers->derivative);
    return pm_evaluate(made->groups, &arrays, error);
}

static enum pm_status list(const struct made *made, struct numbers *numbers, pm_error *error) {
    const pm_arrays arrays = PM_ARRAYS(.positions = positions);
    const pm_list list = PM_LIST(.room = N * N, .row_begin = numbers->begin,
                                 .neighbours = numbers->neighbour, .shifts = numbers->shift);
    return pm_neighbours(made->lists, &arrays, &list, NULL, error);
}

static void assert_no_memory(enum pm_status status, const pm_error *error) {
    expect_refusal(status, error, PM_OUT_OF_MEMORY, "");
}

/* ---- the tests ---- */

/* Each allocation fails once. */
TEST(making_takes_memory) {
    pm_context *context = open_context();
    struct made made = { 0 };
    pm_error error;
    for (long allowed = 0;; allowed++) {
        has_failed = false;
        left = allowed;
        enum pm_status status = make_system(&made, &error);
        status = status ? status : make_kernels(context, &made, &error);
        left = -1;
        free_made(&made);
        if (!has_failed) {
            assert_ok(status, &error);
            assert_true(allowed > 20);
            break;
        }
        if (status != PM_OK) { /* some do without */
            assert_no_memory(status, &error);
        }
    }
    pm_close(context);
}

typedef enum pm_status call(const struct made *made, struct numbers *numbers, pm_error *error);
static call *const calls[] = { evaluate, list, coordinate };

/* Of evaluations there are too many to try each; after a failure the next one is right. */
TEST(evaluating_takes_memory) {
    struct numbers *expected = calloc(1, sizeof *expected);
    struct numbers *got = calloc(1, sizeof *got);
    pm_context *context = open_context();
    struct made made = { 0 };
    pm_error error;
    assert_ok(make_system(&made, &error), &error);
    assert_ok(make_kernels(context, &made, &error), &error);
    assert_ok(evaluate(&made, expected, &error), &error);
    assert_ok(list(&made, expected, &error), &error);
    assert_ok(coordinate(&made, expected, &error), &error);
    for (int k = 0; k < 3; k++) {
        bool failed = true;
        for (long allowed = 0; failed; allowed += 1 + allowed / 8) {
            assert_ok(pm_set_cell(made.forces, cell, &error), &error); /* all is made anew */
            assert_ok(pm_set_cell(made.lists, cell, &error), &error);
            assert_ok(pm_set_cell(made.groups, cell, &error), &error);
            has_failed = false;
            left = allowed;
            enum pm_status status = calls[k](&made, got, &error);
            left = -1;
            failed = has_failed;
            if (failed && status != PM_OK) {
                assert_no_memory(status, &error);
                status = calls[k](&made, got, &error);
            }
            assert_ok(status, &error);
        }
    }
    assert_memory_equal(got->force, expected->force, sizeof got->force);
    assert_true(got->energy == expected->energy);
    assert_memory_equal(got->begin, expected->begin, sizeof got->begin);
    assert_memory_equal(got->derivative, expected->derivative, sizeof got->derivative);
    free_made(&made);
    pm_close(context);
    free(expected);
    free(got);
}

/* That of the device: a matrix of rows of 2^31 - 1. */
TEST(devices_are_full) {
    const pm_choice choice = PM_CHOICE(.variant = "neighbours_loop");
    pm_context *context = open_context();
    struct made made = { 0 };
    int count[N];
    int few[2];
    size_t needed = 0;
    pm_error error;
    assert_ok(make_system(&made, &error), &error);
    assert_ok(pm_kernel_create(context, made.system, &choice, &made.lists, &error), &error);
    const pm_arrays arrays = PM_ARRAYS(.positions = positions);
    const pm_list huge = PM_LIST(.room = INT32_MAX, .neighbours = few);
    assert_no_memory(pm_neighbours(made.lists, &arrays, &huge, NULL, &error), &error);
    const pm_list none = PM_LIST(.count = count);
    expect_refusal(pm_neighbours(made.lists, &arrays, &none, &needed, &error), &error, PM_NO_ROOM,
                   "needs");
    assert_true(needed > 1 && count[0] > 1);
    free_made(&made);
    pm_close(context);
}

/* Of every function that takes a context or a kernel: `expected`, or 0 where they are NULL. */
static void call_all(pm_context *context, const struct made *made, enum pm_status expected) {
    static struct numbers numbers;
    const pm_choice choice = PM_CHOICE(.variant = "sorted_cells");
    const pm_arrays arrays = PM_ARRAYS(.positions = positions);
    const pm_trial trial = PM_TRIAL(&arrays, .steps = 1, .milliseconds = 1);
    pm_error error;
    pm_kernel *kernel = NULL;
    double reach = 0;
    const enum pm_status answers[] = {
        pm_kernel_create(context, made->system, &choice, &kernel, &error),
        pm_kernel_best(context, made->system, &choice, &trial, &kernel, &error),
        pm_compile(made->forces, &error),
        evaluate(made, &numbers, &error),
        list(made, &numbers, &error),
        pm_moved(made->forces, 0, &error),
        pm_reach(made->forces, &reach, &error),
        pm_set_cell(made->forces, cell, &error),
        pm_random(made->forces, &(pm_draw)PM_DRAW(.numbers = &numbers), &error),
        pm_moved(made->forces, 0, NULL),
    };
    for (size_t a = 0; a < sizeof answers / sizeof answers[0]; a++) {
        assert_int_equal(answers[a], expected);
    }
    assert_null(kernel);
}

TEST(contexts_are_closed) {
    pm_context *context = open_context();
    pm_context *other = open_context();
    struct numbers *numbers = calloc(1, sizeof *numbers);
    struct made made = { 0 };
    struct made beside = { 0 };
    pm_error error;
    call_all(NULL, &made, PM_BAD_INPUT); /* null pointers */
    assert_ok(make_system(&made, &error), &error);
    assert_ok(make_kernels(context, &made, &error), &error);
    assert_ok(make_system(&beside, &error), &error);
    assert_ok(make_kernels(other, &beside, &error), &error);
    assert_ok(evaluate(&made, numbers, &error), &error);
    assert_ok(evaluate(&beside, numbers, &error), &error);
    const pid_t child = fork();
    if (child == 0) {
        call_all(context, &made, PM_FORKED);
        free_made(&made);
        pm_close(context);
        _exit(0);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    pm_kernel *const lists = made.lists;
    made.lists = NULL;
    pm_kernel_free(lists);
    made.lists = NULL;
    pm_close(context);
    assert_int_equal(evaluate(&made, numbers, &error), PM_BAD_INPUT);
    assert_int_equal(pm_set_cell(made.forces, cell, &error), PM_BAD_INPUT);
    assert_int_equal(pm_moved(made.forces, 0, &error), PM_BAD_INPUT);
    assert_int_equal(pm_compile(made.forces, &error), PM_BAD_INPUT);
    assert_ok(evaluate(&beside, numbers, &error), &error); /* a context of its own */
    free_made(&made);
    free_made(&beside);
    pm_close(other);
    free(numbers);
}

/* Numbers that no evaluation wants, in every place that takes some. */
TEST(numbers_are_checked) {
    static const double odd[] = { NAN, INFINITY, -INFINITY, -1, -0.0, 1e308, 5e-324 };
    pm_context *context = open_context();
    struct numbers *numbers = calloc(1, sizeof *numbers);
    struct made made = { 0 };
    pm_error error;
    assert_ok(make_system(&made, &error), &error);
    assert_ok(make_kernels(context, &made, &error), &error);
    for (size_t o = 0; o < sizeof odd / sizeof odd[0]; o++) {
        for (int k = 0; k < 9; k++) {
            double wrong[9];
            pm_system *system = NULL;
            memcpy(wrong, cell, sizeof wrong);
            wrong[k] = odd[o];
            (void)pm_set_cell(made.forces, wrong, &error);
            (void)pm_system_create(N, wrong, &system, &error);
            pm_system_free(system);
        }
        assert_ok(pm_set_cell(made.forces, cell, &error), &error);
        (void)pm_moved(made.forces, odd[o], &error);
        (void)pm_system_potential(made.system, "lj", NULL, odd[o], &error);
        const double kept = positions[7];
        positions[7] = odd[o];
        assert_int_equal(evaluate(&made, numbers, &error),
                         fabs(odd[o]) <= 1 ? PM_OK : PM_BAD_INPUT);
        positions[7] = kept;
        assert_ok(pm_moved(made.forces, INFINITY, &error), &error);
        assert_ok(evaluate(&made, numbers, &error), &error);
        assert_true(isfinite(numbers->energy));
    }
    free_made(&made);
    pm_close(context);
    free(numbers);
}

TEST_GROUP(open_test_cache, close_test_cache)

int main(void) {
    place_particles();
    return run_listed_tests();
}
