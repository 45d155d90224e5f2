/*
 * Simulations on the device: a state that stays there goes on as one that the host reads and writes
 * does, bit by bit, and hardly a byte goes to and fro.
 */
#include "boxes/box.h"
#include "core/embedded.h"
#include "prepare/kernel_plan.h"

#include "device_fixture.h"

#include "kernels/header/read_variant.h"
#include "support.h"

enum { PARTICLES = 108, STEPS = 30 };
static const double cutoff = 2;

struct place {
    double position[3 * PARTICLES], velocity[3 * PARTICLES], force[3 * PARTICLES];
    int32_t crossing[3 * PARTICLES];
    struct plan_motion motion;
};

struct going {
    struct variant variant;
    struct case_spec spec;
    struct box box;
    struct kernel_plan *plan;
};

static void begin(struct device *device, const char *integrator, const char *name,
                  enum precision precision, struct going *going) {
    char path[128];
    struct box made = { 0 };
    struct error error;
    *going = (struct going){ .spec.variant = &going->variant };
    struct case_spec *spec = &going->spec;
    (void)snprintf(path, sizeof path, "variants/step/%s.cl", integrator);
    for (int k = 0; going->variant.name[0] == '\0' || strcmp(going->variant.name, name) != 0; k++) {
        variant_free(&going->variant);
        assert_true(variant_parse_kth(path, embedded_text(path), k, &going->variant, &error));
    }
    assert_true(box_make("melt", PARTICLES, 0.8442, 3, &made, &error));
    assert_true(box_set_temperature(&made, 3, 1, &error));
    assert_true(box_as_device(&made, precision, &going->box, &error));
    box_free(&made);
    spec->cutoff = cutoff_of(cutoff);
    spec->precision = precision;
    spec->outputs = OUTPUTS_VIRIAL;
    assert_true(interaction_parse("lj", &spec->interaction, &error));
    assert_true(case_step_rules(&going->variant, precision, &spec->step, &error));
    spec->step.dt = 0.004;
    case_preset_tunings(spec);
    if (!kernel_plan_create(
            &(struct plan_input){ device, spec, BUILD_PLAIN, &going->box, NULL, cutoff },
            &going->plan, &error)) {
        fail_msg("%s", error.message);
    }
}

static void end(struct going *going) {
    kernel_plan_free(going->plan);
    box_free(&going->box);
    variant_free(&going->variant);
}

static void point(struct place *place) {
    place->motion.position = place->position;
    place->motion.velocity = place->velocity;
    place->motion.force = place->force;
    place->motion.crossing = place->crossing;
}

static void write(struct going *going, struct place *place) {
    struct error error;
    point(place);
    assert_true(kernel_plan_write_motion(going->plan, &place->motion, &error));
}

static void read(struct going *going, struct place *place) {
    struct error error;
    point(place);
    assert_true(kernel_plan_read_motion(going->plan, &place->motion, &error));
}

static void take_steps(struct going *going) {
    struct error error;
    assert_true(kernel_plan_advance(going->plan, STEPS, &error));
}

static void keep(struct going *going, bool told) {
    struct error error;
    assert_true(kernel_plan_keep_motion(going->plan, told, &error));
}

static void assert_same_place(const struct place *a, const struct place *b) {
    assert_memory_equal(a->position, b->position, sizeof a->position);
    assert_memory_equal(a->velocity, b->velocity, sizeof a->velocity);
    assert_memory_equal(a->force, b->force, sizeof a->force);
    assert_memory_equal(a->crossing, b->crossing, sizeof a->crossing);
    assert_memory_equal(&a->motion.thermostat, &b->motion.thermostat, sizeof a->motion.thermostat);
    assert_int_equal(a->motion.step, b->motion.step);
}

/* In two goes: by way of the host, and without it. */
static void compare(struct device *device, const char *integrator, const char *name,
                    enum precision precision) {
    static struct place first, second, kept;
    struct going going;
    begin(device, integrator, name, precision, &going);
    first = (struct place){ .motion.step = 0 };
    memcpy(first.position, going.box.position, sizeof first.position);
    memcpy(first.velocity, going.box.velocity, sizeof first.velocity);
    struct place start = first;
    write(&going, &first);
    take_steps(&going);
    read(&going, &first);
    second = first;
    write(&going, &second);
    take_steps(&going);
    read(&going, &second);

    write(&going, &start);
    take_steps(&going);
    read(&going, &kept);
    assert_same_place(&kept, &first);
    keep(&going, true);
    take_steps(&going);
    read(&going, &kept);
    assert_same_place(&kept, &second);

    /* unless it is told, crossings are those since the start */
    write(&going, &start);
    take_steps(&going);
    const uint64_t before = device_bytes_moved(device);
    keep(&going, false);
    take_steps(&going);
    assert_between(device_bytes_moved(device) - before, 1, 8192);
    read(&going, &kept);
    int64_t crossed = 0;
    for (size_t k = 0; k < sizeof kept.crossing / sizeof kept.crossing[0]; k++) {
        assert_int_equal(kept.crossing[k], first.crossing[k] + second.crossing[k]);
        crossed += kept.crossing[k] != 0;
    }
    assert_true(crossed > 0);
    end(&going);
}

TEST(states_stay_on_the_device) {
    compare(*state, "nose_hoover", "nose_hoover+all_pairs_loop", PRECISION_MIXED);
    compare(*state, "leapfrog", "leapfrog+sorted_cells", PRECISION_FLOAT);
}

/* Against the host's, of a state in double. */
TEST(states_are_summed_up) {
    static struct place now;
    struct going going;
    struct plan_motion_sums sums;
    struct error error;
    double kinetic = 0;
    double momentum[3] = { 0 };
    begin(*state, "leapfrog", "leapfrog+all_pairs_loop", PRECISION_DOUBLE, &going);
    memcpy(now.position, going.box.position, sizeof now.position);
    memcpy(now.velocity, going.box.velocity, sizeof now.velocity);
    now.velocity[7] += 1;
    write(&going, &now);
    take_steps(&going);
    read(&going, &now);
    const double lag = 0.002;
    assert_true(kernel_plan_sum_motion(going.plan, lag, 1000, &sums, &error));
    for (size_t k = 0; k < sizeof now.velocity / sizeof now.velocity[0]; k++) {
        const double v = now.velocity[k] + lag * now.force[k];
        kinetic += 0.5 * v * v;
        momentum[k % 3] += v;
    }
    assert_true(fabs(sums.kinetic - kinetic) < 1e-12 * kinetic);
    for (int k = 0; k < 3; k++) {
        assert_true(fabs(sums.momentum[k] - momentum[k]) < 1e-11);
    }
    assert_int_equal(sums.astray, -1);
    assert_true(isfinite(sums.potential) && isfinite(sums.virial[8]));

    /* who is too fast, and who is nowhere */
    now.velocity[3 * 31 + 2] = -50;
    write(&going, &now);
    assert_true(kernel_plan_advance(going.plan, 0, &error));
    assert_true(kernel_plan_sum_motion(going.plan, 0, 49, &sums, &error));
    assert_int_equal(sums.astray, 31);
    now.velocity[3 * 31 + 2] = 0;
    now.position[3 * 5] = NAN;
    write(&going, &now);
    assert_true(kernel_plan_advance(going.plan, 0, &error));
    assert_true(kernel_plan_sum_motion(going.plan, 0, 1000, &sums, &error));
    assert_int_equal(sums.astray, 5);
    end(&going);
}
