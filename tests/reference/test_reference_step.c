/* The serial integrator against closed forms, and against what no integrator may change. */
#include "reference/steps/step.h"
#include "reference/steps/step_some.h"
#include "reference/steps/step_store.h"

#include "core/threads.h"
#include "reference/pairs/reference.h"

#include "hand_box.h"

#include "support.h"

enum { MELT = 108 };

static struct step_rules rules_of(enum integrator integrator, double dt, uint64_t steps) {
    return (struct step_rules){ .integrator = integrator,
                                .dt = dt,
                                .steps = steps,
                                .temperature = 1.0,
                                .time_constant = 0.2,
                                .friction = 1.0,
                                .interval = 5,
                                .chain = 1,
                                .seed = 7 };
}

static struct step_end run_from(const struct box *box, const struct interaction *interaction,
                                double cutoff, const struct step_rules *rules, uint64_t step,
                                const struct thermostat_state *thermostat,
                                const struct step_units *units) {
    struct step_end end;
    struct error error = { 0 };
    if (!reference_integrate(
            &(struct step_case){ box, interaction, cutoff, rules, step, thermostat, units, NULL },
            &end, &error)) {
        fail_msg("%s", error.message);
    }
    return end;
}

static struct step_end run(const struct box *box, const struct interaction *interaction,
                           double cutoff, const struct step_rules *rules) {
    return run_from(box, interaction, cutoff, rules, 0, NULL, NULL);
}

static void give_velocities(struct box *box, double size, uint64_t seed) {
    double mean[3] = { 0.0, 0.0, 0.0 };
    box->velocity = calloc(3 * box->n + 1, sizeof *box->velocity);
    assert_non_null(box->velocity);
    for (size_t k = 0; k < 3 * box->n; k++) {
        box->velocity[k] = size * (2.0 * hand_random(&seed) - 1.0);
        mean[k % 3] += box->velocity[k] / (double)box->n;
    }
    for (size_t k = 0; k < 3 * box->n && box->n > 1; k++) {
        box->velocity[k] -= mean[k % 3];
    }
}

static void give_masses(struct box *box, uint64_t seed) {
    box->mass = calloc(box->n + 1, sizeof *box->mass);
    assert_non_null(box->mass);
    for (size_t i = 0; i < box->n; i++) {
        box->mass[i] = 0.5 + 2.0 * hand_random(&seed);
    }
}

/* Lennard-Jones particles at the melt's density, a layer of them at each face; it melts. */
static struct box melt(void) {
    struct box box = hand_box_lattice(MELT, 0.8442 * 125.0 / MELT, 0.05, true, 3);
    for (size_t k = 0; k < 3 * box.n; k++) {
        box.position[k] -= 0.089 * box.edge[k % 3]; /* of 0.1: half a spacing */
    }
    give_velocities(&box, 2.0, 11);
    return box;
}

static double conserved_spread(const struct box *from, const struct interaction *interaction,
                               double cutoff, struct step_rules rules, uint64_t samples,
                               uint64_t between) {
    struct thermostat_state thermostat = { { 0.0 }, { 0.0 }, 0.0 };
    struct box box = *from;
    double sum = 0.0;
    double squares = 0.0;
    double origin = 0.0;
    struct step_end end = { 0 };
    rules.steps = between;
    for (uint64_t s = 0; s < samples; s++) {
        struct step_end next =
            run_from(&box, interaction, cutoff, &rules, s * between, &thermostat, NULL);
        step_end_free(&end);
        end = next;
        box.position = end.position;
        box.velocity = end.velocity;
        thermostat = end.thermostat;
        origin = s == 0 ? end.first.conserved : origin;
        const double off = end.last.conserved - origin;
        sum += off;
        squares += off * off;
    }
    step_end_free(&end);
    const double mean = sum / (double)samples;
    return sqrt(squares / (double)samples - mean * mean);
}

/* ---- closed forms ---- */

/* Velocity Verlet solves x'' = a exactly: faces are counted as the parabola says. */
TEST(constant_field) {
    enum { STEPS = 200 };
    const double edge[3] = { 3.0, 4.0, 5.0 };
    const struct interaction lj = hand_lj(1.0, 1.0);
    struct box box = hand_box_empty(1);
    box.periodic = true;
    memcpy(box.edge, edge, sizeof edge);
    const double x0[3] = { 0.5, -7.0, 12.0 }; /* not in the cell */
    memcpy(box.position, x0, sizeof x0);
    box.charge[0] = -2.0;
    give_velocities(&box, 1.0, 5);
    box.mass = calloc(1, sizeof *box.mass);
    box.mass[0] = 4.0;
    struct step_rules rules = rules_of(INTEGRATOR_VERLET, 0.01, STEPS);
    rules.field.per_charge[0] = -60.0; /* acceleration 30 */
    rules.field.per_mass[1] = -10.0;
    struct step_end end = run(&box, &lj, 1.0, &rules);
    const double t = STEPS * 0.01;
    const double a[3] = { 30.0, -10.0, 0.0 };
    for (size_t k = 0; k < 3; k++) {
        const double way = box.velocity[k] * t + 0.5 * a[k] * t * t;
        assert_true(fabs(end.displacement[k] - way) < 1e-11);
        assert_true(fabs(end.velocity[k] - (box.velocity[k] + a[k] * t)) < 1e-12);
        const double inside = x0[k] - edge[k] * floor(x0[k] / edge[k]);
        assert_int_equal(end.image[k], (int)floor((inside + way) / edge[k]));
        assert_int_equal((int64_t)end.crossing[2 * k + 1] - (int64_t)end.crossing[2 * k],
                         end.image[k]);
        assert_true(end.position[k] >= 0.0 && end.position[k] < edge[k]);
    }
    assert_true(end.crossing[1] >= 19 && end.crossing[2] >= 3);
    assert_true(fabs(end.last.conserved - end.first.conserved) < 1e-9);
    assert_true(end.last.temperature == 2.0 * end.last.kinetic / 3.0);
    /* m |v| of each crossing, v of the drift: the half step's */
    double carried = 0.0;
    double x = 0.5;
    for (int s = 0; s < STEPS; s++) {
        const double v = box.velocity[0] + 30.0 * 0.01 * (s + 0.5);
        const double before = floor(x / 3.0);
        x += 0.01 * v;
        carried += (floor(x / 3.0) - before) * 4.0 * fabs(v);
    }
    assert_true(fabs(end.carried[0] + end.carried[1] - carried) < 1e-9);
    assert_int_equal(end.step, STEPS);
    step_end_free(&end);
    hand_box_free(&box);
}

/* Between walls that leave no room a particle is an oscillator, whose steps have a closed form:
 * x_n = x_0 cos(n phi) + v_0 / (w cos(phi/2)) sin(n phi), sin(phi/2) = w dt/2. */
TEST(oscillator) {
    const struct interaction lj = hand_lj(1.0, 1.0);
    struct box box = hand_box_empty(1);
    box.velocity = calloc(3, sizeof *box.velocity);
    box.mass = calloc(1, sizeof *box.mass);
    box.mass[0] = 2.0;
    box.position[0] = 7.3;
    box.velocity[0] = -0.4;
    const double centre = 7.0;
    const double dt = 0.05;
    struct step_rules rules = rules_of(INTEGRATOR_VERLET, dt, 0);
    rules.field.wall[0] = (struct step_wall){ true, centre, nextafter(centre, 8.0), 18.0 };
    const double w = 3.0;
    const double phi = 2.0 * asin(0.5 * w * dt);
    for (uint64_t n = 1; n <= 1000; n += 111) {
        rules.steps = n;
        struct step_end end = run(&box, &lj, INFINITY, &rules);
        const double x =
            0.3 * cos((double)n * phi) - 0.4 / (w * cos(0.5 * phi)) * sin((double)n * phi);
        assert_true(fabs(end.position[0] - centre - x) < 1e-10);
        assert_true(end.last.field >= 0.0);
        step_end_free(&end);
    }
    hand_box_free(&box);
}

/* The relative motion of two particles of unlike mass, in one dimension, by tiny steps of Runge and
 * Kutta. */
static double relative_distance(double r, double v, double reduced, double time, int steps) {
    const double h = time / steps;
    for (int s = 0; s < steps; s++) {
        double dr[4] = { 0.0 };
        double dv[4] = { 0.0 };
        for (int k = 0; k < 4; k++) {
            const double share = k == 0 ? 0.0 : k == 3 ? h : 0.5 * h;
            const double at = r + (k ? share * dr[k - 1] : 0.0);
            dr[k] = v + (k ? share * dv[k - 1] : 0.0);
            dv[k] = 24.0 * (2.0 * pow(at, -13.0) - pow(at, -7.0)) / reduced;
        }
        r += h / 6.0 * (dr[0] + 2.0 * dr[1] + 2.0 * dr[2] + dr[3]);
        v += h / 6.0 * (dv[0] + 2.0 * dv[1] + 2.0 * dv[2] + dv[3]);
    }
    return r;
}

TEST(two_bodies) {
    const struct interaction lj = hand_lj(1.0, 1.0);
    struct box box = hand_box_empty(2);
    box.mass = calloc(2, sizeof *box.mass);
    box.velocity = calloc(6, sizeof *box.velocity);
    box.mass[0] = 1.0;
    box.mass[1] = 3.0;
    box.position[3] = 1.2;
    box.velocity[0] = 0.3;
    box.velocity[3] = -0.1;
    const double expected = relative_distance(1.2, -0.4, 0.75, 2.0, 20000);
    double off[3];
    for (int halved = 0; halved < 3; halved++) {
        const uint64_t steps = 400u << halved;
        const struct step_rules rules = rules_of(INTEGRATOR_VERLET, 2.0 / (double)steps, steps);
        struct step_end end = run(&box, &lj, INFINITY, &rules);
        off[halved] = end.position[3] - end.position[0] - expected;
        /* the centre of mass rests */
        assert_true(fabs(end.displacement[0] + 3.0 * end.displacement[3]) < 1e-13);
        step_end_free(&end);
    }
    assert_true(fabs(off[0]) < 5e-3 && fabs(off[0]) > 1e-7);
    assert_true(fabs(off[0] / off[1] - 4.0) < 0.2 && fabs(off[1] / off[2] - 4.0) < 0.1);
    hand_box_free(&box);
}

/* ---- what stays ---- */

/* Open, where no pair jumps at a cutoff: the fluctuation of what is conserved is of dt squared. */
TEST(conserved_quantity_follows_dt) {
    const struct interaction lj = hand_lj(1.0, 1.0);
    struct box box = hand_box_lattice(27, 1.0, 0.05, false, 3);
    give_velocities(&box, 0.8, 11);
    give_masses(&box, 5);
    static const struct {
        enum integrator integrator;
        enum thermostat thermostat;
        int chain;
    } cases[] = { { INTEGRATOR_VERLET, THERMOSTAT_NONE, 1 },
                  { INTEGRATOR_LEAPFROG, THERMOSTAT_NONE, 1 },
                  { INTEGRATOR_VERLET, THERMOSTAT_NOSE_HOOVER, 1 },
                  { INTEGRATOR_VERLET, THERMOSTAT_NOSE_HOOVER, 4 } };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        double spread[3];
        for (int halved = 0; halved < 3; halved++) {
            struct step_rules rules = rules_of(cases[c].integrator, 0.004 / (1 << halved), 0);
            rules.thermostat = cases[c].thermostat;
            rules.chain = cases[c].chain;
            rules.temperature = 0.3;
            spread[halved] = conserved_spread(&box, &lj, INFINITY, rules, 150, 2u << halved);
        }
        if (!(fabs(spread[0] / spread[1] - 4.0) < 0.5 && fabs(spread[1] / spread[2] - 4.0) < 0.3)) {
            fail_msg("case %zu: %g %g %g", c, spread[0], spread[1], spread[2]);
        }
    }
    hand_box_free(&box);
}

static void turn(struct step_end *end) {
    for (size_t k = 0; k < 3 * end->n; k++) {
        end->velocity[k] = -end->velocity[k];
    }
    for (int j = 0; j < STEP_MAX_CHAIN; j++) {
        end->thermostat.velocity[j] = -end->thermostat.velocity[j];
    }
}

/* Forward, velocities turned, and back; with a thermostat of links, too. */
TEST(reversible) {
    const struct interaction lj = hand_lj(1.0, 1.0);
    struct box box = melt();
    for (int chain = 0; chain <= 3; chain += 3) {
        struct step_rules rules = rules_of(INTEGRATOR_VERLET, 0.004, 60);
        rules.thermostat = chain ? THERMOSTAT_NOSE_HOOVER : THERMOSTAT_NONE;
        rules.chain = chain;
        struct step_end there = run(&box, &lj, 2.5, &rules);
        turn(&there);
        struct box half = box;
        half.position = there.position;
        half.velocity = there.velocity;
        struct step_end back = run_from(&half, &lj, 2.5, &rules, 60, &there.thermostat, NULL);
        for (size_t k = 0; k < 3 * box.n; k++) {
            assert_true(fabs(there.displacement[k] + back.displacement[k]) < 1e-9);
            assert_true(fabs(box.velocity[k] + back.velocity[k]) < 1e-8);
        }
        assert_true(fabs(back.last.potential - there.first.potential) < 1e-7);
        step_end_free(&there);
        step_end_free(&back);
    }
    hand_box_free(&box);
}

static void check_way(const struct box *box, const struct step_end *end) {
    int64_t net[3] = { 0, 0, 0 };
    int64_t counted[3] = { 0, 0, 0 };
    const double vectors[3][3] = { { box->edge[0], 0, 0 },
                                   { box->tilt[0], box->edge[1], 0 },
                                   { box->tilt[1], box->tilt[2], box->edge[2] } };
    for (size_t i = 0; i < box->n; i++) {
        for (size_t k = 0; k < 3; k++) {
            double x = end->position[3 * i + k];
            for (size_t v = 0; v < 3; v++) {
                x += end->image[3 * i + v] * vectors[v][k];
            }
            /* the box's own positions are in the cell */
            assert_true(fabs(box->position[3 * i + k] + end->displacement[3 * i + k] - x) < 1e-12);
            net[k] += end->image[3 * i + k];
        }
    }
    for (size_t f = 0; f < STEP_FACES * (size_t)box->types; f++) {
        counted[f % 6 / 2] += f % 2 ? (int64_t)end->crossing[f] : -(int64_t)end->crossing[f];
        assert_true((end->carried[f] > 0.0) == (end->crossing[f] > 0));
        assert_int_equal(end->doubt[f], 0);
    }
    for (int k = 0; k < 3; k++) {
        assert_int_equal(net[k], counted[k]);
    }
}

/* Counted by one who looks at each step by itself. */
TEST(crossings_and_momentum) {
    enum { STEPS = 150 };
    const struct interaction lj = hand_lj(1.0, 1.0);
    struct box box = melt();
    give_masses(&box, 9);
    box.types = 2;
    for (size_t i = 0; i < box.n; i++) {
        box.type[i] = i % 3 == 0;
    }
    struct step_rules rules = rules_of(INTEGRATOR_VERLET, 0.005, STEPS);
    struct step_end whole = run(&box, &lj, 2.5, &rules);
    check_way(&box, &whole);
    assert_true(whole.lists >= 2 && whole.lists < STEPS / 3);
    for (int k = 0; k < 3; k++) {
        assert_true(fabs(whole.last.momentum[k] - whole.first.momentum[k]) < 1e-11);
    }
    uint64_t crossing[12] = { 0 };
    double carried[12] = { 0.0 };
    struct box now = box;
    struct step_end end = { 0 };
    rules.steps = 1;
    for (uint64_t s = 0; s < STEPS; s++) {
        struct step_end next = run_from(&now, &lj, 2.5, &rules, s, NULL, NULL);
        for (size_t k = 0; k < 3 * box.n; k++) {
            const size_t face = 6 * (size_t)box.type[k / 3] + 2 * (k % 3);
            const double v = next.displacement[k] / rules.dt;
            crossing[face] += next.image[k] < 0;
            crossing[face + 1] += next.image[k] > 0;
            carried[face + (next.image[k] > 0)] += next.image[k] ? box.mass[k / 3] * fabs(v) : 0.0;
        }
        step_end_free(&end);
        end = next;
        now.position = end.position;
        now.velocity = end.velocity;
    }
    assert_memory_equal(crossing, whole.crossing, sizeof crossing);
    for (int f = 0; f < 12; f++) {
        assert_true(crossing[f] > 0);
        assert_true(fabs(carried[f] - whole.carried[f]) < 1e-9 * carried[f] + 1e-9);
    }
    /* One after the other is the same, to the last bit. */
    assert_memory_equal(end.position, whole.position, 3 * box.n * sizeof(double));
    assert_memory_equal(end.velocity, whole.velocity, 3 * box.n * sizeof(double));
    assert_true(end.last.potential == whole.last.potential);
    step_end_free(&end);
    step_end_free(&whole);
    hand_box_free(&box);
}

TEST(triclinic_way) {
    const struct interaction lj = hand_lj(1.0, 1.0);
    struct box box = melt();
    struct box leaning = melt();
    leaning.tilt[0] = 0.3 * box.edge[0];
    leaning.tilt[1] = -0.2 * box.edge[0];
    leaning.tilt[2] = 0.25 * box.edge[1];
    for (size_t i = 0; i < box.n; i++) {
        double *x = leaning.position + 3 * i;
        const double f[3] = { x[0] / box.edge[0], x[1] / box.edge[1], x[2] / box.edge[2] };
        x[0] += f[1] * leaning.tilt[0] + f[2] * leaning.tilt[1];
        x[1] += f[2] * leaning.tilt[2];
    }
    const struct step_rules rules = rules_of(INTEGRATOR_VERLET, 0.004, 150);
    struct step_end end = run(&leaning, &lj, 2.0, &rules);
    check_way(&leaning, &end);
    uint64_t crossings = 0;
    for (int f = 0; f < 6; f++) {
        crossings += end.crossing[f];
    }
    assert_true(crossings > 50);
    step_end_free(&end);
    hand_box_free(&box);
    hand_box_free(&leaning);
}

/* The forces are those of the reference where the particles are, list or none. */
TEST(forces_are_the_references) {
    const struct interaction lj = hand_lj(1.0, 1.0);
    struct box box = hand_box_lattice(1000, 0.8, 0.1, true, 3); /* cells, not one */
    give_velocities(&box, 1.5, 4);
    const struct step_rules rules = rules_of(INTEGRATOR_VERLET, 0.005, 25);
    struct step_end end = run(&box, &lj, 2.5, &rules);
    struct box now = box;
    struct reference expected;
    struct error error = { 0 };
    now.position = end.position;
    assert_true(reference_direct(&now, &lj, 2.5, &expected, &error));
    assert_memory_equal(end.force, expected.force, 3 * box.n * sizeof(double));
    assert_true(end.last.potential == expected.energy);
    assert_memory_equal(end.last.virial, expected.virial, sizeof expected.virial);
    assert_true(end.lists >= 2);
    reference_free(&expected);
    step_end_free(&end);
    hand_box_free(&box);
}

/* Many particles are shared out among threads, whose number changes no bit; one after the other
 * they come to the same but for the order of adding up. */
TEST(threads) {
    const struct interaction lj = hand_lj(1.0, 1.0);
    const struct step_units units = { 0x1p-24, 0x1p-24, 0x1p-24, 0x1p-24, 0 };
    const struct step_rules rules = rules_of(INTEGRATOR_VERLET, 0.005, 4);
    struct box box = hand_box_lattice(5000, 0.8, 0.1, true, 3);
    give_velocities(&box, 1.5, 4);
    threads_limit(1);
    struct step_end one = run_from(&box, &lj, 2.5, &rules, 0, NULL, &units);
    threads_limit(3);
    struct step_end three = run_from(&box, &lj, 2.5, &rules, 0, NULL, &units);
    threads_limit(0);
    reference_choose_way(REFERENCE_SERIAL);
    struct step_end serial = run_from(&box, &lj, 2.5, &rules, 0, NULL, &units);
    reference_choose_way(REFERENCE_THREADS);
    const size_t bytes = box.n * sizeof(double);
    assert_memory_equal(three.displacement, one.displacement, 3 * bytes);
    assert_memory_equal(three.velocity, one.velocity, 3 * bytes);
    assert_memory_equal(three.displacement_error, one.displacement_error, bytes);
    assert_memory_equal(&three.last, &one.last, sizeof one.last);
    assert_int_equal(one.lists, 0);
    assert_true(serial.lists > 0);
    for (size_t k = 0; k < 3 * box.n; k++) {
        assert_true(fabs(one.displacement[k] - serial.displacement[k]) <= 1e-13);
        assert_true(fabs(one.velocity[k] - serial.velocity[k]) <= 1e-12);
    }
    for (size_t i = 0; i < box.n; i++) {
        assert_true(fabs(one.displacement_error[i] - serial.displacement_error[i]) <=
                    1e-9 * serial.displacement_error[i]);
    }
    step_end_free(&one);
    step_end_free(&three);
    step_end_free(&serial);
    hand_box_free(&box);
}

/* ---- thermostats ---- */

TEST(rescale_and_berendsen) {
    const struct interaction lj = hand_lj(1.0, 1.0);
    struct box box = melt();
    for (int i = INTEGRATOR_VERLET; i <= INTEGRATOR_LEAPFROG; i++) {
        struct step_rules rules = rules_of((enum integrator)i, 0.002, 10);
        rules.thermostat = THERMOSTAT_RESCALE;
        rules.temperature = 0.7;
        struct step_end end = run(&box, &lj, 2.5, &rules);
        double kinetic = 0.0;
        for (size_t k = 0; k < 3 * box.n; k++) {
            kinetic += 0.5 * end.velocity[k] * end.velocity[k];
        }
        assert_true(fabs(2.0 * kinetic / (3.0 * MELT - 3.0) - 0.7) < 1e-12);
        step_end_free(&end);
        rules.steps = 9; /* at step 5 last */
        end = run(&box, &lj, 2.5, &rules);
        assert_true(fabs(end.last.temperature - 0.7) > 1e-6);
        step_end_free(&end);
    }
    /* Without forces: T follows the exponential's discrete form, to the bit. */
    struct box gas = hand_box_lattice(64, 1e-6, 0.0, true, 3);
    give_velocities(&gas, 1.0, 8);
    struct step_rules rules = rules_of(INTEGRATOR_VERLET, 0.01, 40);
    rules.thermostat = THERMOSTAT_BERENDSEN;
    rules.temperature = 2.5;
    struct step_end end = run(&gas, &lj, 1.0, &rules);
    double temperature = end.first.temperature;
    for (int s = 0; s < 40; s++) {
        temperature += 0.01 / 0.2 * (2.5 - temperature);
    }
    assert_true(fabs(end.last.temperature - temperature) < 1e-12);
    assert_true(fabs(end.last.conserved - end.first.conserved) < 1e-10);
    step_end_free(&end);
    hand_box_free(&gas);
    hand_box_free(&box);
}

/* An ideal gas has the Ornstein-Uhlenbeck process alone: mean T and variance 2 T^2 / 3n. */
TEST(langevin_of_an_ideal_gas) {
    enum { GAS = 400, SAMPLES = 400 };
    const struct interaction lj = hand_lj(1.0, 1.0);
    struct box box = hand_box_lattice(GAS, 1e-6, 0.0, true, 3);
    give_masses(&box, 2);
    struct step_rules rules = rules_of(INTEGRATOR_LANGEVIN, 0.1, 2);
    rules.friction = 5.0;
    rules.temperature = 1.7;
    for (int floats = 0; floats < 2; floats++) {
        struct box now = box;
        struct step_end end = { 0 };
        double sum = 0.0;
        double squares = 0.0;
        double by_mass = 0.0; /* covariance of mass and m v^2: none, in equipartition */
        rules.float_noise = floats;
        for (uint64_t s = 0; s < SAMPLES + 20; s++) {
            struct step_end next = run_from(&now, &lj, 1.0, &rules, 2 * s, NULL, NULL);
            step_end_free(&end);
            end = next;
            now.position = end.position;
            now.velocity = end.velocity;
            if (s < 20) {
                continue; /* from rest: exp(-2 5 2) of it is left */
            }
            sum += end.last.temperature;
            squares += end.last.temperature * end.last.temperature;
            for (size_t k = 0; k < 3 * box.n; k++) {
                const double m = box.mass[k / 3];
                by_mass += (m - 1.5) * (m * end.velocity[k] * end.velocity[k] - 1.7);
            }
        }
        const double mean = sum / SAMPLES;
        const double variance = squares / SAMPLES - mean * mean;
        const double expected = 2.0 * 1.7 * 1.7 / (3.0 * GAS);
        /* Samples two steps apart: velocities keep exp(-1), their squares exp(-2). */
        assert_true(fabs(mean - 1.7) < 5.0 * sqrt(expected * 1.31 / SAMPLES));
        assert_true(fabs(variance / expected - 1.0) < 5.0 * sqrt(2.0 * 1.04 / SAMPLES));
        by_mass /= SAMPLES * 3.0 * GAS;
        assert_true(fabs(by_mass) < 5.0 * 0.58 * 1.7 * sqrt(2.0 * 1.31 / (SAMPLES * 3.0 * GAS)));
        step_end_free(&end);
    }
    hand_box_free(&box);
}

TEST(langevin_follows_its_counter) {
    const struct interaction lj = hand_lj(1.0, 1.0);
    struct box box = melt();
    struct step_rules rules = rules_of(INTEGRATOR_LANGEVIN, 0.005, 6);
    struct step_end whole = run(&box, &lj, 2.5, &rules);
    rules.steps = 3;
    struct step_end half = run(&box, &lj, 2.5, &rules);
    struct box middle = box;
    middle.position = half.position;
    middle.velocity = half.velocity;
    struct step_end rest = run_from(&middle, &lj, 2.5, &rules, 3, &half.thermostat, NULL);
    assert_memory_equal(rest.position, whole.position, 3 * box.n * sizeof(double));
    assert_memory_equal(rest.velocity, whole.velocity, 3 * box.n * sizeof(double));
    assert_true(rest.thermostat.heat == whole.thermostat.heat);
    struct step_end other = run_from(&middle, &lj, 2.5, &rules, 4, &half.thermostat, NULL);
    assert_memory_not_equal(other.velocity, whole.velocity, 3 * box.n * sizeof(double));
    step_end_free(&other);
    rules.seed++;
    other = run_from(&middle, &lj, 2.5, &rules, 3, &half.thermostat, NULL);
    assert_memory_not_equal(other.velocity, whole.velocity, 3 * box.n * sizeof(double));
    step_end_free(&other);
    step_end_free(&rest);
    step_end_free(&half);
    step_end_free(&whole);
    hand_box_free(&box);
}

/* Kinetic energies of few particles in a periodic box: relative variance of T, and its mean. */
static double temperature_variance(struct step_rules rules, uint64_t samples, double *mean) {
    const struct interaction lj = hand_lj(1.0, 1.0);
    struct box box = hand_box_lattice(27, 0.6, 0.05, true, 3);
    struct box now = box;
    struct thermostat_state thermostat = { { 0.0 }, { 0.0 }, 0.0 };
    struct step_end end = { 0 };
    double sum = 0.0;
    double squares = 0.0;
    const uint64_t equilibration = samples / 10;
    give_velocities(&box, 1.5, 11);
    now.velocity = box.velocity;
    for (uint64_t s = 0; s < samples + equilibration; s++) {
        struct step_end next = run_from(&now, &lj, 1.5, &rules, s * rules.steps, &thermostat, NULL);
        step_end_free(&end);
        end = next;
        now.position = end.position;
        now.velocity = end.velocity;
        thermostat = end.thermostat;
        sum += s < equilibration ? 0.0 : end.last.temperature;
        squares += s < equilibration ? 0.0 : end.last.temperature * end.last.temperature;
    }
    step_end_free(&end);
    hand_box_free(&box);
    *mean = sum / (double)samples;
    return squares / (double)samples / (*mean * *mean) - 1.0;
}

/* In the canonical ensemble T has a relative variance of 2 / g. A chain and Langevin give it,
 * Berendsen's thermostat does not, which must be found. */
TEST(who_is_canonical) {
    double mean;
    struct step_rules rules = rules_of(INTEGRATOR_VERLET, 0.005, 20);
    rules.temperature = 1.2;
    rules.time_constant = 0.1;
    rules.thermostat = THERMOSTAT_NOSE_HOOVER;
    rules.chain = 3;
    double variance = temperature_variance(rules, 1500, &mean) * (3.0 * 27.0 - 3.0) / 2.0;
    if (!(fabs(mean - 1.2) < 0.03 && fabs(variance - 1.0) < 0.25)) {
        fail_msg("chain: mean %g, %g times the canonical variance", mean, variance);
    }
    rules.thermostat = THERMOSTAT_BERENDSEN;
    variance = temperature_variance(rules, 500, &mean) * (3.0 * 27.0 - 3.0) / 2.0;
    if (!(fabs(mean - 1.2) < 0.05 && variance < 0.6)) {
        fail_msg("Berendsen: mean %g, %g times the canonical variance", mean, variance);
    }
    rules.thermostat = THERMOSTAT_NONE;
    rules.integrator = INTEGRATOR_LANGEVIN;
    rules.friction = 5.0;
    variance = temperature_variance(rules, 1500, &mean) * 3.0 * 27.0 / 2.0;
    if (!(fabs(mean - 1.2) < 0.03 && fabs(variance - 1.0) < 0.25)) {
        fail_msg("Langevin: mean %g, %g times the canonical variance", mean, variance);
    }
}

/* ---- errors ---- */

/* Velocity Verlet in float, by the plainest loop. */
static void integrate_in_float(const struct box *box, double cutoff, double dt, uint64_t steps,
                               float *x, float *v, int32_t *image, int64_t crossing[6]) {
    const size_t n = box->n;
    float *f = calloc(3 * n + 1, sizeof *f);
    assert_non_null(f);
    for (size_t k = 0; k < 3 * n; k++) {
        x[k] = (float)box->position[k];
        v[k] = (float)box->velocity[k];
        image[k] = 0;
    }
    for (uint64_t s = 0; s <= steps; s++) {
        for (size_t k = 0; k < 3 * n && s > 0; k++) {
            const float edge = (float)box->edge[k % 3];
            v[k] += 0.5F * (float)dt * f[k];
            x[k] += (float)dt * v[k];
            if (x[k] < 0.0F || x[k] >= edge) {
                image[k] += x[k] < 0.0F ? -1 : 1;
                crossing[2 * (k % 3) + (x[k] >= edge)]++;
                x[k] += x[k] < 0.0F ? edge : -edge;
            }
        }
        memset(f, 0, 3 * n * sizeof *f);
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++) {
                float d[3];
                for (size_t k = 0; k < 3; k++) {
                    const float edge = (float)box->edge[k];
                    d[k] = x[3 * i + k] - x[3 * j + k];
                    d[k] -= edge * rintf(d[k] / edge);
                }
                const float r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
                const float s2 = 1.0F / r2;
                const float s6 = s2 * s2 * s2;
                for (size_t k = 0; k < 3 && i != j && r2 <= (float)(cutoff * cutoff); k++) {
                    f[3 * i + k] += 24.0F * s6 * (2.0F * s6 - 1.0F) * s2 * d[k];
                }
            }
        }
        for (size_t k = 0; k < 3 * n && s > 0; k++) {
            v[k] += 0.5F * (float)dt * f[k];
        }
    }
    free(f);
}

static double off_by(const double *a, const double b[3]) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

/* What float comes to lies within the bounds of float, and not within those of a hundredth of it:
 * the bounds are no excuse for everything. */
TEST(bounds_of_float) {
    const struct interaction lj = hand_lj(1.0, 1.0);
    struct box box = melt();
    float x[3 * MELT];
    float v[3 * MELT];
    int32_t image[3 * MELT];
    hand_box_round(&box);
    for (size_t k = 0; k < 3 * box.n; k++) {
        box.velocity[k] = (double)(float)box.velocity[k];
    }
    const struct step_units in_float = { 0x1p-24, 0x1p-24, 0x1p-24, 0x1p-24, 0 };
    for (uint64_t steps = 1; steps <= 12; steps += steps < 4 ? 3 : 8) {
        const struct step_rules rules = rules_of(INTEGRATOR_VERLET, 0.004, steps);
        struct step_end end = run_from(&box, &lj, 2.5, &rules, 0, NULL, &in_float);
        struct step_end exact = run(&box, &lj, 2.5, &rules);
        assert_memory_equal(end.position, exact.position, 3 * box.n * sizeof(double));
        assert_true(exact.displacement_error[0] == 0.0 && exact.last.kinetic_error == 0.0);
        int64_t crossing[6] = { 0 };
        integrate_in_float(&box, 2.5, 0.004, steps, x, v, image, crossing);
        for (int f = 0; f < 6; f++) {
            assert_true(llabs(crossing[f] - (int64_t)end.crossing[f]) <= (int64_t)end.doubt[f]);
        }
        double nearest = INFINITY; /* the largest share of a bound is its inverse */
        double kinetic = 0.0;
        for (size_t i = 0; i < box.n; i++) {
            double way[3];
            double velocity[3];
            for (size_t k = 0; k < 3; k++) {
                way[k] = x[3 * i + k] + image[3 * i + k] * box.edge[k] - box.position[3 * i + k];
                velocity[k] = v[3 * i + k];
                kinetic += 0.5 * velocity[k] * velocity[k];
            }
            const double off = off_by(end.displacement + 3 * i, way);
            assert_true(off <= end.displacement_error[i]);
            assert_true(off_by(end.velocity + 3 * i, velocity) <= end.velocity_error[i]);
            nearest = fmin(nearest, end.displacement_error[i] / off);
        }
        assert_true(fabs(kinetic - end.last.kinetic) <= end.last.kinetic_error);
        if (!(nearest < 150.0)) {
            fail_msg("%d steps: bounds %g times what float is off by", (int)steps, nearest);
        }
        step_end_free(&end);
        step_end_free(&exact);
    }
    hand_box_free(&box);
}

TEST(what_cannot_be_integrated) {
    const struct interaction lj = hand_lj(1.0, 1.0);
    struct error error = { 0 };
    struct step_end end;
    struct box box = melt();
    struct step_rules rules = rules_of(INTEGRATOR_VERLET, 3.0, 50);
    assert_false(reference_integrate(
        &(struct step_case){ &box, &lj, 2.5, &rules, 0, NULL, NULL, NULL }, &end, &error));
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    assert_says(error.message, "step ");
    assert_says(error.message, "is the time step too long");
    rules = rules_of(INTEGRATOR_VERLET, -0.1, 1);
    assert_false(reference_integrate(
        &(struct step_case){ &box, &lj, 2.5, &rules, 0, NULL, NULL, NULL }, &end, &error));
    rules = rules_of(INTEGRATOR_LEAPFROG, 0.1, 1);
    rules.thermostat = THERMOSTAT_NOSE_HOOVER;
    assert_false(reference_integrate(
        &(struct step_case){ &box, &lj, 2.5, &rules, 0, NULL, NULL, NULL }, &end, &error));
    rules = rules_of(INTEGRATOR_VERLET, 0.1, 1);
    assert_false(
        reference_integrate(&(struct step_case){ &box, &lj, 3.5, &rules, 0, NULL, NULL, NULL },
                            &end, &error) &&
        box.edge[0] < 3.0);
    step_end_free(&end);
    box.velocity[4] = NAN;
    assert_false(reference_integrate(
        &(struct step_case){ &box, &lj, 2.5, &rules, 0, NULL, NULL, NULL }, &end, &error));
    assert_says(error.message, "particle 2: a velocity is not finite");
    hand_box_free(&box);
}

/* Errors of float grow beyond all bounds within so many steps. That is said while nobody has to
 * look at pairs that are that far apart: in a step that comes before the last. */
TEST(what_no_arithmetic_can_tell) {
    const struct interaction lj = hand_lj(1.0, 1.0);
    const struct step_units units = { 6e-8, 6e-8, 6e-8, 6e-8, 0 };
    struct error error = { 0 };
    struct step_end end;
    struct box box = melt();
    struct step_rules rules = rules_of(INTEGRATOR_VERLET, 0.005, 400);
    assert_false(reference_integrate(
        &(struct step_case){ &box, &lj, 2.5, &rules, 0, NULL, &units, NULL }, &end, &error));
    assert_int_equal(error.status, STATUS_UNSUPPORTED);
    assert_says(error.message, " of 400 of 0.005, errors of ");
    assert_says(error.message, "nothing is left to judge; take fewer or shorter steps");
    assert_true(
        reference_integrate(&(struct step_case){ &box, &lj, 2.5, &rules, 0, NULL, NULL, NULL },
                            &end, &error)); /* exact */
    step_end_free(&end);
    rules.steps = 10;
    assert_true(reference_integrate(
        &(struct step_case){ &box, &lj, 2.5, &rules, 0, NULL, &units, NULL }, &end, &error));
    step_end_free(&end);
    hand_box_free(&box);
}

/* Kernels take one vector of the cell off a position at most: a particle that crosses the cell
 * twice in a step is not compared, but integrated. */
TEST(what_crosses_twice) {
    const struct interaction lj = hand_lj(1.0, 1.0);
    const struct step_units units = { 1e-16, 1e-16, 1e-16, 1e-16, 0 };
    struct error error = { 0 };
    struct step_end end;
    struct box box = melt();
    struct step_rules rules = rules_of(INTEGRATOR_VERLET, 1e-9, 1);
    for (int cells = 0; cells <= 2; cells++) {
        const struct step_case compared = { &box, &lj, 2.5, &rules, 0, NULL, &units, NULL };
        const struct step_case alone = { &box, &lj, 2.5, &rules, 0, NULL, NULL, NULL };
        box.velocity[1] = ((double)cells * box.edge[1] + 0.5 * box.edge[1]) / rules.dt;
        box.position[1] = 0.25 * box.edge[1];
        assert_int_equal(reference_integrate(&compared, &end, &error), cells < 2);
        step_end_free(&end);
        assert_true(reference_integrate(&alone, &end, &error));
        assert_int_equal(end.image[1], cells);
        step_end_free(&end);
    }
    assert_int_equal(error.status, STATUS_UNSUPPORTED);
    assert_says(error.message, "goes through the cell 2 times in a step");
    hand_box_free(&box);
}

/* ---- some particles ---- */

enum { CROWD = 8000, SOME = 24 };

static struct box crowd(void) {
    struct box box = hand_box_lattice(CROWD, 0.8442, 0.1, true, 3);
    give_velocities(&box, 2.0, 11);
    give_masses(&box, 5);
    return box;
}

/* So many particles around two of them, which are asked for twice. */
static void choose_some(const struct box *box, uint32_t particle[SOME]) {
    const size_t centre[2] = { 17, CROWD / 2 + 3 };
    for (size_t p = 0; p < 2; p++) {
        size_t count = 1;
        particle[p * SOME / 2] = (uint32_t)centre[p];
        for (size_t i = 0; i < box->n && count < SOME / 2; i++) {
            double square = 0.0;
            for (size_t k = 0; k < 3; k++) {
                double d = box->position[3 * i + k] - box->position[3 * centre[p] + k];
                d -= box->edge[k] * rint(d / box->edge[k]);
                square += d * d;
            }
            if (square < 1.5 * 1.5) {
                particle[p * SOME / 2 + count++] = (uint32_t)i;
            }
        }
        assert_true(count > 4);
        while (count < SOME / 2) {
            particle[p * SOME / 2 + count++] = (uint32_t)centre[p];
        }
    }
}

/* Those that lie together come where they come among all, though few others are moved. */
static void check_some(const struct box *box, const struct step_rules *rules, bool few) {
    const struct interaction lj = hand_lj(1.0, 1.0);
    const struct step_units units = { 0x1p-24, 0x1p-24, 0x1p-24, 0x1p-24, 0 };
    uint32_t particle[SOME];
    struct step_some some;
    struct error error;
    struct step_end all = run_from(box, &lj, 1.5, rules, 0, NULL, &units);
    choose_some(box, particle);
    assert_int_equal(reference_step_places(box, &lj, 1.5, rules) > 0, few);
    assert_true(reference_integrate_some(
        &(struct step_case){
            .box = box, .interaction = &lj, .cutoff = 1.5, .rules = rules, .units = &units },
        particle, SOME, &some, &error));
    assert_int_equal(some.integrated < box->n / 2, few);
    for (size_t k = 0; k < SOME; k++) {
        const size_t i = particle[k];
        for (size_t d = 0; d < 3; d++) {
            const double off = some.displacement[3 * k + d] - all.displacement[3 * i + d];
            assert_true(fabs(off) <= 1e-13);
        }
        assert_true(some.error[k] <= all.displacement_error[i] * (1.0 + 1e-9));
        assert_true(some.error[k] >= 0.5 * all.displacement_error[i]);
    }
    step_some_free(&some);
    step_end_free(&all);
}

TEST(some_particles) {
    struct box box = crowd();
    struct step_rules rules = rules_of(INTEGRATOR_VERLET, 0.004, 4);
    check_some(&box, &rules, true);
    rules.integrator = INTEGRATOR_LEAPFROG;
    check_some(&box, &rules, true);
    rules.thermostat = THERMOSTAT_BERENDSEN; /* all are scaled by what all have */
    check_some(&box, &rules, false);
    rules =
        rules_of(INTEGRATOR_LANGEVIN, 0.004, 2); /* noise is drawn by the number of a particle */
    check_some(&box, &rules, false);
    hand_box_free(&box);
}

/* Who is faster than was thought at the start has all particles integrated. */
TEST(some_that_are_thrown) {
    struct box box = crowd();
    struct step_rules rules = rules_of(INTEGRATOR_VERLET, 0.004, 4);
    rules.field.per_mass[0] = 1e4;
    const struct interaction lj = hand_lj(1.0, 1.0);
    const struct step_units units = { 0x1p-24, 0x1p-24, 0x1p-24, 0x1p-24, 0 };
    uint32_t particle[SOME];
    struct step_some some;
    struct error error;
    choose_some(&box, particle);
    assert_true(reference_integrate_some(
        &(struct step_case){
            .box = &box, .interaction = &lj, .cutoff = 1.5, .rules = &rules, .units = &units },
        particle, SOME, &some, &error));
    assert_int_equal(some.integrated, box.n);
    step_some_free(&some);
    hand_box_free(&box);
}

/* ---- what is kept ---- */

static double *some_numbers(size_t count) {
    double *numbers = malloc(count * sizeof *numbers);
    assert_non_null(numbers);
    for (size_t k = 0; k < count; k++) {
        numbers[k] = 1.0 / (double)(k + 3);
    }
    return numbers;
}

static uint64_t *some_counts(size_t count) {
    uint64_t *counts = malloc(count * sizeof *counts);
    assert_non_null(counts);
    for (size_t k = 0; k < count; k++) {
        counts[k] = 5 * k + 1;
    }
    return counts;
}

/* What comes from disk is what went there, under the same steps alone. */
TEST(kept_steps) {
    struct box box = melt();
    const struct interaction lj = hand_lj(1.0, 1.0);
    const struct step_units units = { 0x1p-24, 0x1p-24, 0x1p-24, 0x1p-24, 0 };
    struct step_rules rules = rules_of(INTEGRATOR_VERLET, 0.004, 4);
    const struct step_case of = {
        .box = &box, .interaction = &lj, .cutoff = 2.0, .rules = &rules, .units = &units
    };
    char folder[TEST_FOLDER_SIZE];
    char key[HASH_TEXT_SIZE];
    char other[HASH_TEXT_SIZE];
    struct reference kept;
    struct reference back;
    struct error error;
    make_test_folder(folder);
    assert_int_equal(setenv("PAIRMARK_CACHE", folder, 1), 0);
    assert_true(reference_compute_once(&box, &lj, 2.0, &kept, &error));
    kept.motion = (struct reference_motion){ .types = 1, .kinetic = 0.5, .thermostat_error = 0.25 };
    kept.motion.velocity = some_numbers(3 * box.n);
    kept.motion.displacement_error = some_numbers(box.n);
    kept.motion.velocity_error = some_numbers(box.n);
    kept.motion.crossing = some_counts(STEP_FACES);
    kept.motion.doubt = some_counts(STEP_FACES);
    kept.motion.carried = some_numbers(STEP_FACES);
    kept.motion.carried_error = some_numbers(STEP_FACES);
    step_reference_key(&of, key);
    assert_false(step_reference_load(key, box.n, &back));
    step_reference_store(key, &kept, 10.0);
    assert_true(step_reference_load(key, box.n, &back));
    assert_memory_equal(back.force, kept.force, 3 * box.n * sizeof(double));
    assert_memory_equal(back.motion.velocity, kept.motion.velocity, 3 * box.n * sizeof(double));
    assert_memory_equal(back.motion.velocity_error, kept.motion.velocity_error,
                        box.n * sizeof(double));
    assert_memory_equal(back.motion.crossing, kept.motion.crossing, STEP_FACES * sizeof(uint64_t));
    assert_memory_equal(back.motion.carried_error, kept.motion.carried_error,
                        STEP_FACES * sizeof(double));
    assert_true(back.motion.types == 1 && back.motion.kinetic == 0.5 &&
                back.motion.thermostat_error == 0.25 && back.energy == kept.energy);
    rules.steps++;
    step_reference_key(&of, other);
    assert_string_not_equal(key, other);
    assert_int_equal(remove_test_folder(folder), 0);
    assert_int_equal(unsetenv("PAIRMARK_CACHE"), 0);
    reference_free(&kept);
    reference_free(&back);
    hand_box_free(&box);
}
