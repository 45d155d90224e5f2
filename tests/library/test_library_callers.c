/* libpairmark, called by programs that round upwards, trap invalid operations, flush small numbers
 * to zero, or write numbers with a comma: the same bits as of a plain program, and afterwards the
 * thread is as it was. */
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <spawn.h>
#include <sys/wait.h>

#include "core/files.h"
#include "library_calls.h"

#include "support.h"

enum { N = 64 };
static const int traps = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW;

struct numbers {
    double forces[3 * N], energy, virial[9], positions[3 * N];
    int begin[N + 1], neighbours[N * N];
};

static double positions[3 * N];

static int place(void **state) {
    (void)state;
    for (int i = 0; i < N; i++) {
        const int at[3] = { i % 4, i / 4 % 4, i / 16 };
        for (int d = 0; d < 3; d++) {
            positions[3 * i + d] = 1.25 * at[d] + 0.1 * sin(3.0 * i + d);
        }
    }
    return 0;
}
TEST_GROUP(place, NULL)

static pm_kernel *make(pm_context *context, const char *words, const pm_choice *choice) {
    static const double cell[9] = { 5.1, 0, 0, 0.3, 5.1, 0, 0, 0.7, 5.1 };
    double charges[N];
    pm_error error;
    pm_system *system = NULL;
    pm_kernel *kernel = NULL;
    for (int i = 0; i < N; i++) {
        charges[i] = i % 2 ? 0.7 : -0.7;
    }
    assert_ok(pm_system_create(N, cell, &system, &error), &error);
    assert_ok(pm_system_charges(system, charges, &error), &error);
    assert_ok(pm_system_potential(system, words, NULL, 2.3, &error), &error);
    assert_ok(pm_kernel_create(context, system, choice, &kernel, &error), &error);
    pm_system_free(system);
    return kernel;
}

static void compute(struct numbers *numbers) {
    const pm_choice steps =
        PM_CHOICE(.variant = "langevin+list_walk", .tunables = "STABLE_SORT=1", .dt = 0.0025,
                  .outputs = PM_OUTPUTS_ENERGY, .precision = PM_PRECISION_DOUBLE,
                  .thermostat = "langevin:temperature=1.5,friction=0.3,seed=7");
    const pm_choice forces = PM_CHOICE(.variant = "list_walk", .precision = PM_PRECISION_DOUBLE,
                                       .outputs = PM_OUTPUTS_VIRIAL, .tunables = "STABLE_SORT=1");
    const pm_choice lists =
        PM_CHOICE(.variant = "neighbours_loop", .precision = PM_PRECISION_DOUBLE, .list = PM_CSR);
    const pm_arrays arrays = PM_ARRAYS(.positions = numbers->positions, .forces = numbers->forces,
                                       .energy = &numbers->energy, .virial = numbers->virial);
    const pm_list list =
        PM_LIST(.row_begin = numbers->begin, .neighbours = numbers->neighbours, .room = N * N);
    double velocities[3 * N] = { 0 };
    pm_motion motion = PM_MOTION(.positions = numbers->positions, .velocities = velocities);
    pm_error error;
    pm_context *context = open_context();
    pm_kernel *kernel = make(context, "lj+ewald-real:alpha=0.85,epsilon=1.5", &forces);
    memcpy(numbers->positions, positions, sizeof positions);
    assert_ok(pm_evaluate(kernel, &arrays, &error), &error);
    pm_kernel_free(kernel);
    kernel = make(context, NULL, &lists);
    assert_ok(pm_neighbours(kernel, &(pm_arrays)PM_ARRAYS(.positions = numbers->positions), &list,
                            NULL, &error),
              &error);
    pm_kernel_free(kernel);
    kernel = make(context, "energy = 1.5*(r^-12 - r^-6)*exp(-0.1*r)", &steps);
    assert_ok(pm_steps(kernel, 3, &motion, &error), &error);
    pm_kernel_free(kernel);
    pm_close(context);
}

static void expect_same(const struct numbers *a, const struct numbers *b) {
    assert_memory_equal(a, b, sizeof *a);
}

static void set_floats(void) {
    assert_int_equal(fesetround(FE_UPWARD), 0);
    assert_int_not_equal(feenableexcept(traps), -1);
#ifdef __SSE__
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040); /* small numbers are zero */
#endif
}

static void expect_floats(void) {
    assert_int_equal(fegetround(), FE_UPWARD);
    assert_int_equal(fegetexcept(), traps);
#ifdef __SSE__
    assert_int_equal(__builtin_ia32_stmxcsr() & 0x8040, 0x8040);
#endif
}

TEST(rounding_and_traps_of_the_caller) {
    struct numbers *plain = calloc(2, sizeof *plain);
    compute(plain);
    set_floats();
    compute(plain + 1);
    expect_floats();
    pm_error error;
    pm_system *system = NULL;
    assert_ok(pm_system_create(1, NULL, &system, &error), &error);
    expect_refusal(pm_system_potential(system, "lj", NULL, NAN, &error), &error, PM_BAD_INPUT,
                   "cutoff nan");
    expect_floats();
    pm_system_free(system);
    assert_int_equal(fesetenv(FE_DFL_ENV), 0);
    expect_same(plain, plain + 1);
    free(plain);
}

/* A locale with a comma, made where the machine has what it is made of. */
static bool set_comma(const char *folder) {
    char path[64];
    char *words[] = { "localedef", "--no-archive", "-i", "de_DE", "-f", "UTF-8", path, NULL };
    posix_spawn_file_actions_t silent;
    pid_t child;
    int status = -1;
    (void)snprintf(path, sizeof path, "%s/de_DE.UTF-8", folder);
    assert_int_equal(posix_spawn_file_actions_init(&silent), 0);
    assert_int_equal(
        posix_spawn_file_actions_addopen(&silent, STDERR_FILENO, "/dev/null", O_WRONLY, 0), 0);
    if (posix_spawnp(&child, words[0], &silent, NULL, words, environ) == 0) {
        assert_int_equal(waitpid(child, &status, 0), child);
    }
    assert_int_equal(posix_spawn_file_actions_destroy(&silent), 0);
    return status == 0 && setenv("LOCPATH", folder, 1) == 0 && setlocale(LC_ALL, "de_DE.UTF-8");
}

TEST(numbers_with_a_comma) {
    char folder[] = "/tmp/pairmark-test-XXXXXX", text[16];
    struct numbers *plain = calloc(2, sizeof *plain);
    assert_non_null(mkdtemp(folder));
    compute(plain);
    if (set_comma(folder)) {
        compute(plain + 1);
        (void)snprintf(text, sizeof text, "%.1f", 0.5);
        assert_string_equal(text, "0,5");
        assert_string_equal(setlocale(LC_ALL, "C"), "C");
        expect_same(plain, plain + 1);
    } else {
        print_message("no locale with a comma: localedef -i de_DE fails\n");
    }
    fs_remove_folder(folder);
    free(plain);
}
