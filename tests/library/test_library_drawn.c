/* libpairmark: wrong arguments of every function, drawn anew: words, numbers and null pointers
 * where others are expected. A call says what is wrong in one line, or what it made can be used;
 * nothing crashes. PAIRMARK_SEED repeats a run. */
#include "library_calls.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "support.h"

enum { N = 27, TURNS = 400, MOST_SECONDS = 60, SELDOM = 25 };

/* ---- what is drawn ---- */

static uint64_t state;

static unsigned draw(unsigned below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % below;
}

#define DRAWN(array) (array)[draw(sizeof(array) / sizeof(array)[0])]

static const char *any_word(const char *usual) {
    static char long_word[6000];
    static const char *const words[] = { NULL,
                                         "",
                                         " ",
                                         "x",
                                         ":",
                                         "lj",
                                         "lj:",
                                         "lj:epsilon=",
                                         "lj:epsilon=nan",
                                         "lj+lj",
                                         "+",
                                         "\n",
                                         "pme",
                                         "pme:alpha=-1",
                                         "pme:order=4.5",
                                         "energy =",
                                         "energy = 1/r",
                                         "energy = r^",
                                         "eam",
                                         "sutton-chen",
                                         "stillinger-weber",
                                         "rational",
                                         "rational:r0=1",
                                         "neighbours",
                                         "bonded",
                                         "/",
                                         "/dev/null",
                                         "none.cl",
                                         "none.csv",
                                         "next:",
                                         "next:-1",
                                         "next:99999999999",
                                         "molecule",
                                         "list_walk",
                                         "sorted_cells",
                                         "eam_list",
                                         "pme_atomic",
                                         "philox",
                                         "verlet+list_walk",
                                         "verlet+",
                                         "+list_walk",
                                         "GROUP_SIZE=64",
                                         "GROUP_SIZE=63",
                                         "SKIN=-1",
                                         "SKIN",
                                         "SKIN=1,,",
                                         "langevin:temperature=1",
                                         "mass=0:0:-9.81",
                                         "\xff\xfe",
                                         "%s%n",
                                         "type_a,type_b\n",
                                         "A,B\nC",
                                         long_word };
    memset(long_word, 'a', sizeof long_word - 1);
    return draw(SELDOM) > 0 ? usual : DRAWN(words);
}

static double any_number(double usual) {
    const double numbers[] = { 0,         -0.0, -1,  1,   1e-300, 5e-324, 1e300, INFINITY,
                               -INFINITY, NAN,  2.5, 1e9, -1e-9,  0.5,    12,    4e9 };
    return draw(SELDOM) > 0 ? usual : DRAWN(numbers);
}

static int any_int(int usual) {
    static const int numbers[] = { 0, 1, -1, 2, 3, 7, 27, 28, INT32_MAX, INT32_MIN, 255, 1 << 30 };
    return draw(SELDOM) > 0 ? usual : DRAWN(numbers);
}

/* A lattice, here and there spoilt. */
static void draw_numbers(double *numbers, size_t count) {
    for (size_t k = 0; k < count; k++) {
        numbers[k] = 2 * (double)(k / 3 / (k % 3 == 0 ? 1 : k % 3 == 1 ? 3 : 9) % 3);
    }
    if (draw(9) == 0) {
        numbers[draw((unsigned)count)] = any_number(1);
    }
}

static void draw_ints(int *numbers, size_t count, int below) {
    for (size_t k = 0; k < count; k++) {
        numbers[k] = (int)draw((unsigned)below);
    }
    if (draw(9) == 0) {
        numbers[draw((unsigned)count)] = any_int(0);
    }
}

static const double *any_cell(double cell[9]) {
    memset(cell, 0, 9 * sizeof *cell);
    cell[0] = cell[4] = cell[8] = 6;
    if (draw(9) == 0) {
        cell[draw(9)] = any_number(1);
    }
    return draw(6) == 0 ? NULL : cell;
}

/* ---- what a call says ---- */

static const pm_error fresh = { .message = "nothing" };
static unsigned done, refused, evaluated; /* calls */

/* One line that says something, and the status that was returned. */
static int worked(const char *call, enum pm_status status, const pm_error *error) {
    done += status == PM_OK;
    refused += status != PM_OK;
    evaluated += status == PM_OK && strcmp(call, "pm_evaluate") == 0;
    if (status == PM_OK) {
        return 1;
    }
    const size_t length = strlen(error->message);
    const char *end = strchr(error->message, '\n');
    if (status < PM_OK || status > PM_NO_ROOM || error->status != status || length < 5 ||
        strcmp(error->message, fresh.message) == 0 || (end && status != PM_COMPILE_ERROR)) {
        fail_msg("%s: status %d, %d: '%s'", call, (int)status, (int)error->status, error->message);
    }
    return 0;
}
#define WORKED(function, ...) (e = fresh, worked(#function, function(__VA_ARGS__, &e), &e))

/* ---- systems ---- */

static pm_system *draw_system(void) {
    static const char *const good[] = { "lj", "lj+ewald-real:alpha=0.5", "sutton-chen:rc=2.5",
                                        "stillinger-weber:sigma=1.4", "energy = r^-12" };
    const char *potential = DRAWN(good);
    pm_error e;
    pm_system *system = NULL;
    double cell[9];
    double reals[6 * N];
    int ints[4 * N];
    const char *const names[] = { any_word("A"), any_word("B") };
    const size_t n = draw(12) == 0 ? (size_t)any_int(N) : N;
    if (!WORKED(pm_system_create, n, any_cell(cell), &system)) {
        return NULL;
    }
    if (n != N) { /* arrays are of N */
        pm_system_free(system);
        return NULL;
    }
    for (unsigned k = draw(4); k > 0; k--) {
        draw_numbers(reals, sizeof reals / sizeof reals[0]);
        draw_ints(ints, sizeof ints / sizeof ints[0], draw(2) ? 2 : N);
        const int *some = draw(8) ? ints : NULL;
        const double *numbers = draw(8) ? reals : NULL;
        switch (draw(9)) {
        case 0:
            (void)WORKED(pm_system_types, system, some, names, any_int(2) % 3);
            break;
        case 1:
            (void)WORKED(pm_system_charges, system, numbers);
            break;
        case 2:
            (void)WORKED(pm_system_masses, system, numbers);
            break;
        case 3:
            (void)WORKED(pm_system_molecules, system, some);
            break;
        case 4:
            (void)WORKED(pm_system_exclude, system, any_word("next:1"));
            break;
        case 5:
            (void)WORKED(pm_system_exclude_pairs, system, some, draw(N));
            break;
        case 6:
            (void)WORKED(pm_system_periodic, system, some);
            break;
        case 7:
            (void)WORKED(pm_system_terms, system, (enum pm_terms)any_int((int)draw(4)), some,
                         numbers, draw(N));
            break;
        default:
            (void)WORKED(pm_system_groups, system, some, draw(N), draw(2) ? ints : NULL, draw(N),
                         any_int(0));
        }
    }
    (void)WORKED(pm_system_potential, system, any_word(potential), draw(4) ? NULL : any_word(NULL),
                 any_number(2.5));
    if (draw(4) == 0) {
        (void)WORKED(pm_system_long_range, system, any_word("pme:grid_x=8,grid_y=8,grid_z=8"));
    }
    return system;
}

/* ---- kernels ---- */

static pm_kernel *draw_kernel(pm_context *context, const pm_system *system) {
    static const char *const good[] = {
        "list_walk",      "sorted_cells",    "all_pairs_loop",
        "eam_list",       "three_body_list", "neighbours",
        "bonded_gather",  "philox",          "verlet+all_pairs_loop",
        "neighbours_tile"
    };
    const char *variant = DRAWN(good);
    const int lists = variant[0] == 'n';
    const int sums = !lists && variant[0] != 'p';
    const pm_choice choice =
        PM_CHOICE(.variant = any_word(variant), .tunables = draw(3) ? NULL : any_word(NULL),
                  .answer = draw(9) ? NULL : any_word(NULL),
                  .precision = (enum pm_precision)any_int(PM_PRECISION_FLOAT),
                  .outputs = (enum pm_outputs)any_int(sums ? PM_OUTPUTS_VIRIAL : 0),
                  .list = (enum pm_form)any_int(lists ? (int)draw(3) : 0),
                  .list_pairs = (enum pm_pairs)any_int(0),
                  .list_entries = any_int(lists ? PM_SHIFTS : 0),
                  .distribution = (enum pm_distribution)any_int(0),
                  .dt = any_number(variant[0] == 'v' ? 0.001 : 0),
                  .thermostat = draw(9) ? NULL : any_word(NULL),
                  .field = draw(9) ? NULL : any_word(NULL));
    pm_error e;
    pm_kernel *kernel = NULL;
    return WORKED(pm_kernel_create, context, system, &choice, &kernel) ? kernel : NULL;
}

/* Memory that any call may write to: a row of a matrix has ROOM entries. */
enum { ROOM = 100 };
static union {
    double number[3 * ROOM * N];
    int entry[3 * ROOM * N];
} results[8];

static void call_kernel(pm_context *context, pm_kernel *kernel, const pm_system *system) {
    pm_error e;
    double x[4 * N];
    double cell[9];
    double distance = 0;
    size_t needed = 0;
    draw_numbers(x, 3 * N);
    x[0] = draw(4) == 0 ? any_number(1) : x[0];
    const pm_arrays arrays =
        PM_ARRAYS(.place = (enum pm_place)(draw(9) ? PM_HOST : any_int(0)),
                  .number = (enum pm_number)any_int(PM_DOUBLE), .positions = draw(9) ? x : NULL,
                  .forces = draw(3) ? results[0].number : NULL,
                  .energy = draw(3) ? results[1].number : NULL,
                  .virial = draw(3) ? results[2].number : NULL,
                  .energies = draw(3) ? NULL : results[3].number);
    const pm_arrays bare = PM_ARRAYS(.positions = x);
    const pm_list list =
        PM_LIST(.room = draw(3) ? ROOM : draw(ROOM), .count = draw(2) ? results[0].entry : NULL,
                .row_begin = draw(2) ? results[1].entry : NULL,
                .first = draw(2) ? results[2].entry : NULL,
                .neighbours = draw(9) ? results[3].entry : NULL,
                .shifts = draw(2) ? results[4].entry : NULL,
                .vectors = draw(4) ? NULL : results[5].number,
                .distances = draw(4) ? NULL : results[draw(6)].number);
    pm_motion motion = PM_MOTION(.positions = draw(9) ? results[6].number : NULL,
                                 .velocities = draw(9) ? results[7].number : NULL,
                                 .energy = draw(3) ? NULL : &distance);
    draw_numbers(results[6].number, 3 * N);
    memset(results[7].number, 0, sizeof results[7].number);
    switch (draw(12)) {
    case 0:
        (void)WORKED(pm_compile, kernel);
        break;
    case 1:
        (void)WORKED(pm_neighbours, kernel, draw(5) ? &bare : &arrays, &list,
                     draw(3) ? &needed : NULL);
        break;
    case 2:
        (void)WORKED(pm_random, kernel, draw(99), draw(3), PM_HOST, draw(5) ? x : NULL, NULL);
        break;
    case 3:
        (void)WORKED(pm_steps, kernel, draw(4), &motion);
        break;
    case 4:
        (void)WORKED(pm_set_cell, kernel, any_cell(cell));
        break;
    case 5:
        (void)WORKED(pm_set_system, kernel, draw(9) ? system : NULL);
        break;
    case 6:
        (void)WORKED(pm_moved, kernel, any_number(0.1));
        break;
    case 7:
        (void)WORKED(pm_reach, kernel, draw(5) ? &distance : NULL);
        break;
    default:
        (void)WORKED(pm_evaluate, kernel, &arrays);
    }
    (void)context;
}

static void whatever_is_passed(void **unused) {
    (void)unused;
    const char *given = getenv("PAIRMARK_SEED");
    const uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    const time_t ends = time(NULL) + MOST_SECONDS;
    pm_context *context = open_context();
    state = seed;
    print_message("PAIRMARK_SEED=%llu\n", (unsigned long long)seed);
    for (int turn = 0; turn < TURNS && time(NULL) < ends; turn++) {
        (void)alarm(300); /* nothing hangs */
        pm_system *system = draw_system();
        pm_system *other = draw_system();
        pm_kernel *kernel = draw_kernel(context, draw(20) ? system : NULL);
        for (int call = 0; kernel && call < 10; call++) {
            call_kernel(context, kernel, other);
        }
        pm_kernel_free(kernel);
        pm_system_free(system);
        pm_system_free(other);
    }
    (void)alarm(0);
    pm_close(context);
    print_message("%u calls done, %u of them evaluations, %u refused\n", done, evaluated, refused);
    assert_true(evaluated > 0 && refused > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(whatever_is_passed) };
    return cmocka_run_group_tests(tests, open_test_cache, close_test_cache);
}
