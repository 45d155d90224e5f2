/* libpairmark, by calls that are drawn anew. Wrong arguments of every function (words, numbers and
 * null pointers where others are expected): a call says what is wrong in one line, or what it made
 * can be used; nothing crashes. Sequences of right calls: what came before does not show.
 * PAIRMARK_SEED repeats a run; SECONDS_OF_CALLS says how long it goes on. */
#include "library_calls.h"

#include <time.h>
#include <unistd.h>

#include "support.h"

enum { N = 27, TURNS = 400, SELDOM = 25 };

/* ---- what is drawn ---- */

static uint64_t drawn;

static unsigned draw(unsigned below) {
    drawn = drawn * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(drawn >> 33) % below;
}

static int most_seconds(void) {
    const char *given = getenv("SECONDS_OF_CALLS");
    return given ? atoi(given) : 60;
}

static void begin_drawing(void) {
    const char *given = getenv("PAIRMARK_SEED");
    drawn = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    print_message("PAIRMARK_SEED=%llu\n", (unsigned long long)drawn);
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

/* Two to four, some of which lean, are turned, small, open along some vectors, or no boxes. */
static void draw_boxes(pm_system *system) {
    pm_error e;
    double cells[9 * 4];
    size_t begin[5] = { 0 };
    const size_t count = 2 + draw(3);
    for (size_t b = 0; b < count; b++) {
        begin[b + 1] = b + 1 == count ? N : begin[b] + draw((unsigned)(N - begin[b]));
        (void)any_cell(cells + 9 * b);
        cells[9 * b + draw(9)] = draw(3) ? cells[9 * b] : any_number(0);
        if (draw(5) == 0) {
            memset(cells + 9 * b + (size_t)3 * draw(3), 0, 3 * sizeof *cells);
        }
    }
    begin[draw(9) ? 0 : 1 + draw(4)] = draw(9) ? 0 : (size_t)any_int(1);
    (void)WORKED(pm_system_boxes, system, draw(20) ? begin : NULL, count, draw(4) ? cells : NULL);
}

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
    if (!WORKED(pm_system_create, n, draw(3) ? any_cell(cell) : NULL, &system)) {
        return NULL;
    }
    if (n != N) { /* arrays are of N */
        pm_system_free(system);
        return NULL;
    }
    if (draw(4) == 0) {
        draw_boxes(system);
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
        default: {
            const pm_groups groups =
                PM_GROUPS(some, draw(N), draw(2) ? ints : NULL, draw(N), any_int(0));
            (void)WORKED(pm_system_groups, system, draw(9) ? &groups : NULL);
        }
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
        "list_walk",       "sorted_cells",    "all_pairs_loop",
        "eam_list",        "three_body_list", "neighbours",
        "bonded_gather",   "philox",          "verlet+all_pairs_loop",
        "neighbours_tile", "boxes_half",      "list_boxes"
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

/* Of a struct: one that was forgotten, is of another struct, or of an older header. */
static void draw_size(size_t *size) {
    const size_t others[] = { 0, 1, 8, 12, 16, *size - 1, *size - 8, *size - 16, 4104, SIZE_MAX };
    *size = draw(SELDOM) > 0 ? *size : DRAWN(others);
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
    pm_arrays arrays =
        PM_ARRAYS(.place = (enum pm_place)(draw(9) ? PM_HOST : any_int(0)),
                  .number = (enum pm_number)any_int(PM_DOUBLE), .positions = draw(9) ? x : NULL,
                  .forces = draw(3) ? results[0].number : NULL,
                  .energy = draw(3) ? results[1].number : NULL,
                  .virial = draw(3) ? results[2].number : NULL,
                  .energies = draw(3) ? NULL : results[3].number);
    const pm_arrays bare = PM_ARRAYS(.positions = x);
    pm_list list =
        PM_LIST(.room = draw(3) ? ROOM : draw(ROOM), .count = draw(2) ? results[0].entry : NULL,
                .row_begin = draw(2) ? results[1].entry : NULL,
                .first = draw(2) ? results[2].entry : NULL,
                .neighbours = draw(9) ? results[3].entry : NULL,
                .shifts = draw(2) ? results[4].entry : NULL,
                .vectors = draw(4) ? NULL : results[5].number,
                .distances = draw(4) ? NULL : results[draw(6)].number);
    pm_draw numbers = PM_DRAW(draw(99), draw(3), draw(5) ? x : NULL);
    pm_motion motion = PM_MOTION(.positions = draw(9) ? results[6].number : NULL,
                                 .velocities = draw(9) ? results[7].number : NULL,
                                 .energy = draw(3) ? NULL : &distance);
    draw_size(&arrays.size);
    draw_size(&list.size);
    draw_size(&numbers.size);
    draw_size(&motion.size);
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
        (void)WORKED(pm_random, kernel, draw(9) ? &numbers : NULL);
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

TEST(whatever_is_passed) {
    const time_t ends = time(NULL) + most_seconds();
    pm_context *context = open_context();
    begin_drawing();
    for (int turn = 0; turn < TURNS && time(NULL) < ends; turn++) {
        (void)alarm(300); /* nothing hangs */
        pm_system *system = draw_system();
        pm_system *other = draw_system();
        pm_context *closed = draw(SELDOM) ? NULL : open_context();
        pm_kernel *kernel = draw_kernel(closed ? closed : context, draw(20) ? system : NULL);
        pm_close(closed); /* which has had kernels, and refuses what is asked of them */
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

/* ---- drawn sequences of calls beside fresh kernels ---- */

enum { SITES = 64, MOST_ENTRIES = 40 * SITES, MOST_NUMBERS = 6 * SITES + 10, SEQUENCES = 60 };
enum ask { ASK_FORCES, ASK_LIST, ASK_STEPS };

static const struct way {
    const char *variant, *potential;
    enum ask ask;
    bool charged, excluded; /* may be */
} ways[] = {
    { "list_lanes", "lj", ASK_FORCES, false, true },
    { "clusters_8x8", "lj+coulomb-shift", ASK_FORCES, true, true },
    { "sorted_cells", "lj", ASK_FORCES, false, false },
    { "eam_list", "sutton-chen:epsilon=1,a=1.6,rc=2.4", ASK_FORCES, false, false },
    { "neighbours", NULL, ASK_LIST, false, true },
    { "verlet+list_walk", "lj", ASK_STEPS, false, true },
    { "leapfrog+eam_blocks", "sutton-chen:epsilon=1,a=1.6,rc=2.4", ASK_STEPS, false, false },
};

/* What a kernel is to know now. */
struct known {
    const struct way *way;
    size_t n;
    double cell[9], x[3 * SITES], charge[SITES];
    bool excludes;
};

static double between(double low, double high) {
    return low + (high - low) * draw(1 << 20) / (1 << 20);
}

static void shake(struct known *known, double by) {
    for (size_t k = 0; k < 3 * known->n; k++) {
        known->x[k] += between(-by, by);
    }
}

/* At sites of a lattice, in any image. */
static void draw_places(struct known *known) {
    const unsigned first = draw(SITES);
    for (size_t i = 0; i < known->n; i++) {
        const unsigned site = (first + 5 * (unsigned)i) % SITES; /* 5 and 64 have no factor */
        const unsigned at[3] = { site % 4, site / 4 % 4, site / 16 };
        const double along[3] = { at[0] / 4.0 + draw(4), at[1] / 4.0 - draw(3), at[2] / 4.0 };
        for (size_t d = 0; d < 3; d++) {
            known->x[3 * i + d] = along[0] * known->cell[d] + along[1] * known->cell[3 + d] +
                                  along[2] * known->cell[6 + d];
        }
    }
    shake(known, 0.05);
}

static void draw_vectors(struct known *known) {
    for (size_t k = 0; k < 9; k++) {
        known->cell[k] = k % 4 == 0 ? between(5.5, 8) : k > k / 3 * 4 ? 0 : between(-0.5, 0.5);
    }
    draw_places(known);
}

static void draw_particles(struct known *known) {
    known->n = 1 + draw(SITES - 1);
    known->excludes = known->way->excluded && draw(2);
    for (size_t i = 0; i < known->n; i++) {
        known->charge[i] = between(-1, 1);
    }
    draw_vectors(known);
}

static pm_system *system_of(const struct known *known) {
    pm_error e;
    pm_system *system = NULL;
    assert_int_equal(pm_system_create(known->n, known->cell, &system, &e), PM_OK);
    assert_ok(pm_system_potential(system, known->way->potential, NULL, 2.4, &e), &e);
    if (known->way->charged) {
        assert_ok(pm_system_charges(system, known->charge, &e), &e);
    }
    if (known->excludes) {
        assert_ok(pm_system_exclude(system, "next:1", &e), &e);
    }
    return system;
}

static pm_kernel *kernel_of(pm_context *context, const pm_system *system,
                            const struct known *known) {
    const bool lists = known->way->ask == ASK_LIST;
    const pm_choice choice =
        PM_CHOICE(.variant = known->way->variant, .precision = PM_PRECISION_DOUBLE,
                  .outputs = lists ? PM_OUTPUTS_FORCES : PM_OUTPUTS_VIRIAL,
                  .list = lists ? PM_COO : PM_MATRIX, .list_entries = lists ? PM_SHIFTS : 0,
                  .dt = known->way->ask == ASK_STEPS ? 0.001 : 0);
    pm_error e;
    pm_kernel *kernel = NULL;
    assert_ok(pm_kernel_create(context, system, &choice, &kernel, &e), &e);
    return kernel;
}

/* Entries in their order, or by first particles with wide numbers: sums in which each entry tells.
 */
static void ask_for_list(pm_kernel *kernel, const struct known *known, bool by_first,
                         double *numbers) {
    static int64_t memory[5 * MOST_ENTRIES];
    int *narrow = (int *)memory;
    const pm_arrays arrays = PM_ARRAYS(.number = PM_DOUBLE, .positions = (void *)known->x);
    const size_t whole = by_first ? 2 : 1;
    const pm_list list =
        PM_LIST(.room = MOST_ENTRIES, .first = narrow, .neighbours = narrow + whole * MOST_ENTRIES,
                .shifts = narrow + 2 * whole * MOST_ENTRIES, .by_first = by_first);
    size_t needed = 0;
    pm_error e;
    assert_ok(pm_neighbours(kernel, &arrays, &list, &needed, &e), &e);
    memset(numbers, 0, 2 * SITES * sizeof *numbers);
    for (size_t k = 0; k < needed; k++) {
        long long entry[5];
        for (size_t c = 0; c < 5; c++) {
            const size_t at = c < 2 ? c * MOST_ENTRIES + k : 2 * MOST_ENTRIES + 3 * k + c - 2;
            entry[c] = by_first ? memory[at] : narrow[at];
        }
        assert_in_range(entry[0], 0, known->n - 1);
        assert_true(!by_first || k == 0 || entry[0] >= memory[k - 1]);
        numbers[2 * entry[0]] += (double)(entry[1] + 1);
        numbers[2 * entry[0] + 1] +=
            (double)((entry[1] + 3) * (100 * entry[2] + 10 * entry[3] + entry[4] + 7));
    }
}

/* What the kernel says of the positions, in numbers. */
static size_t ask(pm_kernel *kernel, const struct known *known, double numbers[MOST_NUMBERS]) {
    const size_t n = known->n;
    double *energy = numbers + 6 * n;
    pm_error e;
    memset(numbers, 0, MOST_NUMBERS * sizeof *numbers);
    if (known->way->ask == ASK_LIST) {
        ask_for_list(kernel, known, draw(2), numbers);
        return 2 * n;
    }
    if (known->way->ask == ASK_STEPS) {
        memcpy(numbers, known->x, 3 * n * sizeof *numbers);
        pm_motion motion =
            PM_MOTION(.number = PM_DOUBLE, .positions = numbers, .velocities = numbers + 3 * n,
                      .energy = energy, .virial = energy + 1);
        assert_ok(pm_steps(kernel, 3, &motion, &e), &e);
        return 6 * n + 10;
    }
    const pm_arrays arrays = PM_ARRAYS(.number = PM_DOUBLE, .positions = (void *)known->x,
                                       .forces = numbers, .energy = energy, .virial = energy + 1);
    assert_ok(pm_evaluate(kernel, &arrays, &e), &e);
    return 6 * n + 10;
}

static void compare_with_fresh(pm_context *context, pm_kernel *kernel, const struct known *known) {
    static double got[MOST_NUMBERS], wanted[MOST_NUMBERS];
    pm_system *system = system_of(known);
    pm_kernel *other = kernel_of(context, system, known);
    if (draw(2)) { /* kernels know what they need */
        pm_system_free(system);
        system = NULL;
    }
    (void)ask(other, known, wanted);
    const size_t count = ask(kernel, known, got);
    double scale = 1;
    for (size_t k = 0; k < count; k++) {
        scale = fmax(scale, fabs(wanted[k]));
    }
    for (size_t k = 0; k < count; k++) {
        if (!(fabs(got[k] - wanted[k]) <= 1e-9 * scale)) {
            fail_msg("%s, %zu particles: number %zu is %.17g, of a fresh kernel %.17g",
                     known->way->variant, known->n, k, got[k], wanted[k]);
        }
    }
    pm_kernel_free(other);
    pm_system_free(system);
}

/* Is refused, and leaves all as it was. */
static void ask_wrongly(pm_kernel *kernel, const struct known *known) {
    static const double flat[9] = { 6, 0, 0, 0, 6, 0, 0, 0, 0 };
    struct known spoilt = *known;
    double forces[3 * SITES];
    pm_error e;
    spoilt.x[draw(3 * (unsigned)known->n)] = NAN;
    const pm_arrays arrays =
        PM_ARRAYS(.number = PM_DOUBLE, .positions = spoilt.x, .forces = forces);
    assert_int_not_equal(pm_evaluate(kernel, &arrays, &e), PM_OK);
    assert_int_not_equal(pm_set_cell(kernel, flat, &e), PM_OK);
    assert_int_not_equal(pm_set_system(kernel, NULL, &e), PM_OK);
}

static void take_turn(pm_context *context, pm_kernel *kernel, struct known *known) {
    pm_error e;
    switch (draw(7)) {
    case 0:
        draw_vectors(known);
        assert_ok(pm_set_cell(kernel, known->cell, &e), &e);
        break;
    case 1: {
        draw_particles(known);
        pm_system *system = system_of(known);
        assert_ok(pm_set_system(kernel, system, &e), &e);
        pm_system_free(system);
        break;
    }
    case 2:
        draw_places(known);
        break;
    case 3:
        ask_wrongly(kernel, known);
        break;
    case 4:
        compare_with_fresh(context, kernel, known);
        break;
    default:
        shake(known, draw(2) ? 0.005 : 0.05);
        compare_with_fresh(context, kernel, known);
    }
}

/* Of several kernels in a context, of which each turn is one's: what came before does not show. */
TEST(what_came_before_does_not_show) {
    enum { LIVE = 3, TURNS_OF_SEQUENCE = 12 };
    const time_t ends = time(NULL) + most_seconds() / 4;
    begin_drawing();
    for (int turn = 0; turn < SEQUENCES && (turn < 3 || time(NULL) < ends); turn++) {
        (void)alarm(300);
        pm_context *context = open_context();
        pm_kernel *kernel[LIVE];
        static struct known known[LIVE];
        for (int k = 0; k < LIVE; k++) {
            known[k].way = &DRAWN(ways);
            draw_particles(&known[k]);
            pm_system *system = system_of(&known[k]);
            kernel[k] = kernel_of(context, system, &known[k]);
            pm_system_free(system);
        }
        for (int t = 0; t < LIVE * TURNS_OF_SEQUENCE; t++) {
            const unsigned k = draw(LIVE);
            take_turn(context, kernel[k], &known[k]);
        }
        const bool closes_first = draw(2);
        if (closes_first) {
            pm_close(context);
        }
        for (unsigned k = draw(LIVE), freed = 0; freed < LIVE; freed++) {
            pm_kernel_free(kernel[(k + freed) % LIVE]);
        }
        if (!closes_first) {
            pm_close(context);
        }
    }
    (void)alarm(0);
}

TEST_GROUP(open_test_cache, close_test_cache)
