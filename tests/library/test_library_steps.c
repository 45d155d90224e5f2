/* libpairmark: time steps by forces of pairs and of many bodies beside those of a program that
 * evaluates forces; a call of
 * many steps beside several of few; positions that go on out of the cell; refusals. */

#include "library_calls.h"

#include "support.h"

enum { SIDE = 5, N = SIDE * SIDE * SIDE, STEPS = 20 };
static const double straight[9] = { 6, 0, 0, 0, 6, 0, 0, 0, 6 };
static const double turned[9] = { 0, 6, 0.6, 6, 0, 0, 0, -0.6, 6 };
static const double dt = 0.004;

struct state {
    double x[3 * N], v[3 * N];
};

static void begin(const double *cell, struct state *state) {
    for (int i = 0; i < N; i++) {
        const int at[3] = { i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE };
        for (int d = 0; d < 3; d++) {
            state->x[3 * i + d] = 0.05 * sin(1.7 * (3 * i + d)) - 7; /* out of the cell */
            state->v[3 * i + d] = cos(2.3 * (3 * i + d)) + (d == 0 ? 30 : 0);
            for (int k = 0; k < 3; k++) {
                state->x[3 * i + d] += cell[3 * k + d] * at[k] / SIDE;
            }
        }
    }
}

static double mass_of(int i) {
    return 1 + 0.5 * (i % 3);
}

static pm_system *system_of(const double *cell, const char *potential) {
    double mass[N];
    pm_error e;
    pm_system *system = NULL;
    for (int i = 0; i < N; i++) {
        mass[i] = mass_of(i);
    }
    assert_ok(pm_system_create(N, cell, &system, &e), &e);
    assert_ok(pm_system_masses(system, mass, &e), &e);
    assert_ok(pm_system_potential(system, potential, NULL, 2.5, &e), &e);
    return system;
}

static pm_kernel *kernel_of(pm_context *context, const double *cell, const char *potential,
                            const pm_choice *choice) {
    pm_error e;
    pm_kernel *kernel = NULL;
    pm_system *system = system_of(cell, potential);
    assert_ok(pm_kernel_create(context, system, choice, &kernel, &e), &e);
    pm_system_free(system);
    return kernel;
}

static void assert_same_state(const struct state *got, const struct state *wanted, double within) {
    for (int k = 0; k < 3 * N; k++) {
        assert_near(got->x[k], wanted->x[k], within);
        assert_near(got->v[k], wanted->v[k], within);
    }
}

/* Velocity Verlet, with forces of pm_evaluate(). */
static void step_by_hand(pm_kernel *kernel, struct state *state, double *force, double *energy,
                         double *virial) {
    const pm_arrays arrays =
        PM_ARRAYS(.positions = state->x, .forces = force, .energy = energy, .virial = virial);
    pm_error e;
    assert_ok(pm_evaluate(kernel, &arrays, &e), &e);
    for (int s = 0; s < STEPS; s++) {
        for (int k = 0; k < 3 * N; k++) {
            state->v[k] += 0.5 * dt / mass_of(k / 3) * force[k];
            state->x[k] += dt * state->v[k];
        }
        assert_ok(pm_evaluate(kernel, &arrays, &e), &e);
        for (int k = 0; k < 3 * N; k++) {
            state->v[k] += 0.5 * dt / mass_of(k / 3) * force[k];
        }
    }
}

TEST(steps_are_those_of_verlet) {
    static const struct {
        const char *potential, *forces, *steps;
    } cases[] = {
        { "lj", "sorted_cells", "verlet+sorted_cells" },
        { "lj", "sorted_cells", "verlet+list_walk" },
        { "sutton-chen:epsilon=1,a=1.6,n=9,m=6,c=30,rc=2.4", "eam_loop", "verlet+eam_blocks" },
        { "sutton-chen:epsilon=1,a=1.6,n=9,m=6,c=30,rc=2.4", "eam_loop", "verlet+eam_list" },
        { "stillinger-weber:epsilon=1,sigma=1.1", "three_body_loop", "verlet+three_body_lanes" },
        { "stillinger-weber:epsilon=1,sigma=1.1", "three_body_loop", "verlet+three_body_list" }
    };
    const double *const cells[] = { straight, turned };
    pm_context *context = open_context();
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        const double *cell = cells[c % 2];
        const pm_choice forces =
            PM_CHOICE(.variant = cases[c].forces, .precision = PM_PRECISION_DOUBLE,
                      .outputs = PM_OUTPUTS_VIRIAL);
        const pm_choice steps =
            PM_CHOICE(.variant = cases[c].steps, .dt = dt, .precision = PM_PRECISION_DOUBLE,
                      .outputs = PM_OUTPUTS_VIRIAL);
        pm_kernel *kernels[2] = { kernel_of(context, cell, cases[c].potential, &forces),
                                  kernel_of(context, cell, cases[c].potential, &steps) };
        struct state wanted, got, parts;
        double force[2][3 * N], energy[2], virial[2][9], kinetic = 0, by_hand = 0;
        pm_error e;
        begin(cell, &wanted);
        got = parts = wanted;
        step_by_hand(kernels[0], &wanted, force[0], &energy[0], virial[0]);
        pm_motion motion =
            PM_MOTION(.positions = got.x, .velocities = got.v, .forces = force[1],
                      .energy = &energy[1], .virial = virial[1], .kinetic = &kinetic);
        assert_ok(pm_steps(kernels[1], STEPS, &motion, &e), &e);
        assert_int_equal(motion.step, STEPS);
        assert_same_state(&got, &wanted, 1e-9);
        for (int k = 0; k < 3 * N; k++) {
            assert_near(force[1][k], force[0][k], 1e-7 * (1 + fabs(force[0][k])));
            by_hand += 0.5 * mass_of(k / 3) * wanted.v[k] * wanted.v[k];
        }
        assert_near(energy[1], energy[0], 1e-8 * fabs(energy[0]));
        assert_near(kinetic, by_hand, 1e-9 * by_hand);
        for (int k = 0; k < 9; k++) {
            assert_near(virial[1][k], virial[0][k], 1e-7 * (fabs(energy[0]) + fabs(virial[0][k])));
        }
        motion = (pm_motion)PM_MOTION(.positions = parts.x, .velocities = parts.v);
        for (int s = 0; s < STEPS; s += 5) {
            assert_ok(pm_steps(kernels[1], 5, &motion, &e), &e);
        }
        assert_int_equal(motion.step, STEPS);
        assert_same_state(&parts, &got, 1e-9);
        pm_kernel_free(kernels[0]);
        pm_kernel_free(kernels[1]);
    }
    pm_close(context);
}

/* Numbers of steps decide on random forces, and a thermostat goes on from call to call. */
TEST(thermostats_go_on) {
    static const struct {
        const char *variant, *thermostat;
    } cases[] = { { "langevin+sorted_cells", "langevin:temperature=1,friction=2,seed=5" },
                  { "nose_hoover+sorted_cells", "nose-hoover:temperature=1,time=0.2" } };
    pm_context *context = open_context();
    for (size_t c = 0; c < 2; c++) {
        const pm_choice choice =
            PM_CHOICE(.variant = cases[c].variant, .tunables = "STABLE_SORT=1", .dt = dt,
                      .thermostat = cases[c].thermostat, .precision = PM_PRECISION_DOUBLE);
        pm_kernel *kernel = kernel_of(context, straight, "lj", &choice);
        struct state whole, parts;
        pm_error e;
        begin(straight, &whole);
        parts = whole;
        pm_motion motion = PM_MOTION(.positions = whole.x, .velocities = whole.v);
        assert_ok(pm_steps(kernel, STEPS, &motion, &e), &e);
        motion = (pm_motion)PM_MOTION(.positions = parts.x, .velocities = parts.v);
        assert_ok(pm_steps(kernel, 7, &motion, &e), &e);
        assert_ok(pm_steps(kernel, STEPS - 7, &motion, &e), &e);
        assert_same_state(&parts, &whole, 1e-9);
        pm_kernel_free(kernel);
    }
    pm_close(context);
}

TEST(steps_are_checked) {
    static const struct {
        pm_choice choice;
        const double *cell;
        enum pm_status status;
        const char *words;
    } refused[] = {
        { PM_CHOICE(.variant = "verlet+list_walk"), straight, PM_BAD_INPUT, "dt 0" },
        { PM_CHOICE(.variant = "verlet+list_walk", .dt = -1), straight, PM_BAD_INPUT, "dt -1" },
        { PM_CHOICE(.variant = "list_walk", .dt = 1), straight, PM_BAD_INPUT, "no time steps" },
        { PM_CHOICE(.variant = "verlot+list_walk", .dt = 1), straight, PM_BAD_INPUT,
          "no integrator 'verlot'" },
        { PM_CHOICE(.variant = "verlet+list_wolk", .dt = 1), straight, PM_BAD_INPUT,
          "no variant 'list_wolk'" },
        { PM_CHOICE(.variant = "verlet+list_walk", .dt = 1, .thermostat = "rescale"), straight,
          PM_BAD_INPUT, "thermostat" },
        { PM_CHOICE(.variant = "verlet+sorted_cells", .dt = 1), NULL, PM_UNSUPPORTED,
          "without a cell by all pairs" },
    };
    pm_context *context = open_context();
    pm_error e;
    for (size_t r = 0; r < sizeof refused / sizeof refused[0]; r++) {
        pm_kernel *kernel = NULL;
        pm_system *system = system_of(refused[r].cell, "lj");
        expect_refusal(pm_kernel_create(context, system, &refused[r].choice, &kernel, &e), &e,
                       refused[r].status, refused[r].words);
        pm_system_free(system);
    }
    struct state start, got;
    const pm_choice choice =
        PM_CHOICE(.variant = "verlet+sorted_cells", .dt = dt, .precision = PM_PRECISION_DOUBLE);
    pm_kernel *kernel = kernel_of(context, straight, "lj", &choice);
    double energy = 0;
    begin(straight, &start);
    got = start;
    pm_motion motion = PM_MOTION(.positions = got.x, .velocities = got.v, .energy = &energy);
    const pm_arrays arrays = PM_ARRAYS(.positions = got.x);
    expect_refusal(pm_evaluate(kernel, &arrays, &e), &e, PM_BAD_INPUT, "is of workload step");
    expect_refusal(pm_steps(kernel, 1, &motion, &e), &e, PM_BAD_INPUT, "energy: ");
    motion.energy = NULL;
    got.v[7] = NAN;
    expect_refusal(pm_steps(kernel, 1, &motion, &e), &e, PM_BAD_INPUT, "particle 2: the velocity");
    got.v[7] = 1e9;
    expect_refusal(pm_steps(kernel, 1, &motion, &e), &e, PM_BAD_INPUT, "particle");
    got.v[7] = start.v[7];
    assert_memory_equal(&got, &start, sizeof got);
    assert_int_equal(motion.step, 0);
    motion.velocities = NULL;
    expect_refusal(pm_steps(kernel, 1, &motion, &e), &e, PM_BAD_INPUT, "velocities: a null");
    motion.velocities = got.v;
    static const double narrow[9] = {
        3, 0, 0, 0, 3, 0, 0, 0, 3
    }; /* copies would have to step, too */
    expect_refusal(pm_set_cell(kernel, narrow, &e), &e, PM_UNSUPPORTED,
                   "at least twice the cutoff");
    assert_ok(pm_steps(kernel, 1, &motion, &e), &e);
    pm_kernel_free(kernel);
    pm_close(context);
}

TEST_GROUP(open_test_cache, close_test_cache)
