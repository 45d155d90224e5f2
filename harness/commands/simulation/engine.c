/* Kernels on a device take the steps. */
#include "commands/simulation/simulation.h"

#include "core/host.h"
#include "kernels/bindings.h"
#include "kernels/motion/step_rules.h"
#include "prepare/kernel_plan.h"
#include "workloads/pme/settings.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct device_engine {
    struct engine engine;
    struct case_spec spec;
    double cutoff;
    struct device *device;
    struct kernel_plan *plan; /* NULL until the first state is there */
    struct box box;           /* as the device has it */
    double *force;            /* 3n */
    int32_t *crossing;        /* 3n, of the steps that were taken last */
    uint64_t *face_count;     /* 6 types, likewise; and what was carried */
    double *face_momentum;
    size_t rigid;                       /* waters */
    bool is_written;                    /* the state was written, and no step taken from it */
    bool is_read;                       /* its crossings were read */
    bool is_under_way;                  /* the device has the state */
    bool is_behind;                     /* and the host an older one, */
    uint64_t fetched;                   /* of that number */
    uint64_t starts;                    /* how often steps began with a list of their own */
    uint64_t renewals, parts, prunings; /* of the step that compiled the kernels */
};

/* ---- what is summed over a state ---- */

/* The energy of a wall at a coordinate in the cell. */
static double energy_of_wall(const struct step_wall *wall, double x) {
    const double depth = !wall->present  ? 0
                         : x < wall->low ? wall->low - x
                                         : fmax(x - wall->high, 0);
    return 0.5 * wall->strength * depth * depth;
}

/* Fields act at unwrapped positions, walls at those in the cell. */
static double energy_of_field(const struct simulation_state *state,
                              const struct step_field *field) {
    const struct box *box = &state->box;
    double energy = 0;
    for (size_t i = 0; i < box->n; i++) {
        const double *p = &box->position[3 * i];
        const int32_t *image = &state->image[3 * i];
        const double whole[3] = { p[0] + image[0] * box->edge[0] + image[1] * box->tilt[0] +
                                      image[2] * box->tilt[1],
                                  p[1] + image[1] * box->edge[1] + image[2] * box->tilt[2],
                                  p[2] + image[2] * box->edge[2] };
        for (int k = 0; k < 3; k++) {
            energy -=
                (box->charge[i] * field->per_charge[k] + box_mass(box, i) * field->per_mass[k]) *
                    whole[k] -
                energy_of_wall(&field->wall[k], p[k]);
        }
    }
    return energy;
}

/* Velocities of leapfrog are those of half a step before. */
static double lag_of(const struct step_rules *rules) {
    return rules->integrator == INTEGRATOR_LEAPFROG ? 0.5 * rules->dt : 0;
}

/* Adds up the kinetic energy where the device does not. */
static void add_kinetic(const struct device_engine *own, const struct simulation_state *state,
                        struct step_sums *sums) {
    const double lag = lag_of(&own->spec.step);
    sums->kinetic = 0;
    for (size_t k = 0; k < 3 * state->box.n; k++) {
        const double mass = box_mass(&state->box, k / 3);
        const double velocity = state->box.velocity[k] + lag * own->force[k] / mass;
        sums->kinetic += 0.5 * mass * velocity * velocity;
        sums->momentum[k % 3] += mass * velocity;
    }
}

/* What the thermostat has taken out. Langevin's heat is not added up on the device. */
static double energy_of_thermostat(const struct step_rules *rules,
                                   const struct thermostat_state *thermostat, double degrees) {
    double energy = step_rules_have_noise(rules) ? NAN : -thermostat->heat;
    for (int j = 0; rules->thermostat == THERMOSTAT_NOSE_HOOVER && j < rules->chain; j++) {
        const double share = j == 0 ? degrees : 1;
        const double mass =
            share * rules->temperature * rules->time_constant * rules->time_constant;
        energy += 0.5 * mass * thermostat->velocity[j] * thermostat->velocity[j] +
                  share * rules->temperature * thermostat->position[j];
    }
    return energy;
}

static void add_up(const struct device_engine *own, const struct simulation_state *state,
                   const struct plan_motion_sums *reported, struct step_sums *sums) {
    const struct box *box = &state->box;
    const struct step_rules *rules = &own->spec.step;
    const double degrees = step_rules_freedom(rules, box->n, own->rigid);
    const double volume = box->edge[0] * box->edge[1] * box->edge[2];
    const double *virial = reported->virial;
    *sums = (struct step_sums){ .potential = reported->potential, .kinetic = reported->kinetic };
    memcpy(sums->virial, virial, sizeof sums->virial);
    memcpy(sums->momentum, reported->momentum, sizeof sums->momentum);
    if (isnan(reported->kinetic)) {
        add_kinetic(own, state, sums);
    }
    sums->field = step_field_is_there(&rules->field) ? energy_of_field(state, &rules->field) : 0;
    sums->temperature = degrees > 0 ? 2 * sums->kinetic / degrees : 0;
    sums->pressure = box->periodic && own->rigid == 0
                         ? (2 * sums->kinetic + virial[0] + virial[4] + virial[8]) / (3 * volume)
                         : NAN;
    sums->conserved = sums->potential + sums->field + sums->kinetic +
                      energy_of_thermostat(rules, &state->thermostat, degrees);
}

/* ---- the engine ---- */

static bool make_plan(struct device_engine *own, const struct simulation_state *state,
                      struct error *error) {
    const size_t n = state->box.n;
    struct rigid_molecules molecules = { 0 };
    const bool found = own->spec.step.integrator != INTEGRATOR_SETTLE ||
                       rigid_molecules_find(&state->box, &own->spec.step, &molecules, error);
    own->rigid = molecules.rigid;
    rigid_molecules_free(&molecules);
    if (!found) {
        return false;
    }
    own->force = calloc(3 * n, sizeof *own->force);
    own->crossing = calloc(3 * n, sizeof *own->crossing);
    const size_t faces = STEP_FACES * (size_t)state->box.types;
    own->face_count = calloc(faces, sizeof *own->face_count);
    own->face_momentum = calloc(faces, sizeof *own->face_momentum);
    if (!own->force || !own->crossing || !own->face_count || !own->face_momentum) {
        return fail_out_of_memory(error, "the forces");
    }
    if (!box_as_device(&state->box, own->spec.precision, &own->box, error) ||
        !kernel_plan_create(&(struct plan_input){ own->device, &own->spec, BUILD_PLAIN, &own->box,
                                                  NULL, own->cutoff },
                            &own->plan, error)) {
        return false;
    }
    own->fetched = state->step;
    own->engine.carries = kernel_plan_counts_faces(own->plan);
    return true;
}

static bool take_faces(struct device_engine *own, struct simulation_state *state,
                       struct error *error) {
    if (!own->engine.carries) {
        return true;
    }
    if (!kernel_plan_read_faces(own->plan, own->face_count, own->face_momentum, error)) {
        return false;
    }
    for (size_t f = 0; f < STEP_FACES * (size_t)state->box.types; f++) {
        state->carried[f] += own->face_momentum[f];
    }
    return true;
}

static bool write_state(struct device_engine *own, const struct simulation_state *state,
                        struct error *error) {
    const struct plan_motion moving = { .position = state->box.position,
                                        .velocity = state->box.velocity,
                                        .thermostat = state->thermostat,
                                        .step = state->step };
    own->is_written = true;
    own->is_read = false;
    return kernel_plan_write_motion(own->plan, &moving, error) && device_finish(own->device, error);
}

static bool fail_astray(uint64_t from, uint64_t to, size_t particle, struct error *error) {
    return fail(error, STATUS_BAD_INPUT,
                "between steps %llu and %llu particle %zu comes to move by more than the cell in a "
                "step, or is nowhere: is the time step too long, or do particles overlap at the "
                "start?",
                (unsigned long long)from, (unsigned long long)to, particle + 1);
}

/* Kernels take one vector of the cell off a position at most. */
static double fastest_of(const struct device_engine *own, const struct box *box) {
    return box->periodic ? box_least_repeat(box) / own->spec.step.dt : DBL_MAX;
}

/* The state is written to copies, so that a failure leaves it as it was. */
static bool fetch_copies(struct device_engine *own, double *position, double *velocity,
                         struct simulation_state *state, struct error *error) {
    struct plan_motion moving = { .position = position,
                                  .velocity = velocity,
                                  .force = kernel_plan_goes_on(own->plan) ? NULL : own->force,
                                  .crossing = own->crossing };
    const size_t bytes = 3 * state->box.n * sizeof *position;
    const double fastest = fastest_of(own, &state->box);
    own->is_read = true;
    if (!kernel_plan_read_motion(own->plan, &moving, error)) {
        return false;
    }
    for (size_t k = 0; k < 3 * state->box.n; k++) {
        if (!isfinite(position[k]) || !(fabs(velocity[k]) <= fastest)) {
            return fail_astray(own->fetched, moving.step, k / 3, error);
        }
    }
    memcpy(state->box.position, position, bytes);
    memcpy(state->box.velocity, velocity, bytes);
    for (size_t k = 0; k < 3 * state->box.n; k++) {
        state->image[k] += own->crossing[k];
    }
    own->fetched = moving.step;
    own->is_behind = false;
    return true;
}

static bool fetch(struct engine *engine, struct simulation_state *state, struct error *error) {
    struct device_engine *own = (struct device_engine *)engine;
    const size_t bytes = 3 * state->box.n * sizeof(double);
    if (!own->is_behind) {
        return true;
    }
    double *position = malloc(bytes);
    double *velocity = malloc(bytes);
    const bool fetched = ((position && velocity) || fail_out_of_memory(error, "the state")) &&
                         fetch_copies(own, position, velocity, state, error);
    free(position);
    free(velocity);
    engine->bytes = device_bytes_moved(own->device);
    return fetched;
}

/* Drivers compile kernels when they are first launched: a step that nobody asked for is taken and
 * forgotten, for the state is written anew. It is not timed. */
static bool prepare(struct device_engine *own, const struct simulation_state *state,
                    struct error *error) {
    if (own->plan) {
        return true;
    }
    if (!make_plan(own, state, error) || !write_state(own, state, error) ||
        !kernel_plan_advance(own->plan, 1, error) || !device_finish(own->device, error)) {
        return false;
    }
    own->renewals = kernel_plan_renewals(own->plan);
    own->parts = kernel_plan_parts_renewed(own->plan);
    own->prunings = kernel_plan_prunings(own->plan);
    return true;
}

static void note_progress(struct device_engine *own, uint64_t steps) {
    const uint64_t renewals = kernel_plan_renewals(own->plan) - own->renewals;
    own->starts += steps > 0;
    own->engine.parts = kernel_plan_parts_renewed(own->plan) - own->parts;
    own->engine.lists = renewals + own->engine.parts > 0 ? renewals + own->starts : 0;
    own->engine.prunings = kernel_plan_prunings(own->plan) - own->prunings;
    own->engine.bytes = device_bytes_moved(own->device);
}

/* Takes it so many steps on and adds up what became of it; of no steps, the forces and the sums.
 * The same state and number of steps give the same bits where the variant is deterministic, whether
 * the state was written or is there from steps before: lists are built and forces computed at its
 * start. */
static bool take_steps(struct device_engine *own, uint64_t steps, double fastest,
                       struct plan_motion_sums *sums, struct error *error) {
    if (!own->is_written && !kernel_plan_keep_motion(own->plan, own->is_read, error)) {
        return false;
    }
    own->is_written = false;
    own->is_read = false;
    const double start = clock_s();
    const bool taken =
        kernel_plan_advance(own->plan, steps, error) && device_finish(own->device, error);
    own->engine.seconds += steps > 0 ? clock_s() - start : 0;
    return taken &&
           kernel_plan_sum_motion(own->plan, lag_of(&own->spec.step), fastest, sums, error) &&
           device_check_guards(own->device, error);
}

static bool advance(struct engine *engine, uint64_t steps, struct simulation_state *state,
                    struct step_sums *sums, struct error *error) {
    struct device_engine *own = (struct device_engine *)engine;
    struct plan_motion_sums reported;
    const uint64_t from = state->step;
    if (!prepare(own, state, error)) {
        return false;
    }
    const bool goes_on =
        own->is_under_way && !engine->state_changed && kernel_plan_goes_on(own->plan);
    if ((!goes_on && !write_state(own, state, error)) ||
        !take_steps(own, steps, fastest_of(own, &state->box), &reported, error) ||
        !kernel_plan_read_thermostat(own->plan, &state->thermostat, &state->step, error) ||
        !take_faces(own, state, error)) {
        return false;
    }
    if (reported.astray >= 0) {
        return fail_astray(from, state->step, (size_t)reported.astray, error);
    }
    own->is_under_way = true;
    own->is_behind = true;
    engine->state_changed = false;
    const bool is_needed =
        !kernel_plan_goes_on(own->plan) || step_field_is_there(&own->spec.step.field);
    if (is_needed && !fetch(engine, state, error)) {
        return false;
    }
    add_up(own, state, &reported, sums);
    note_progress(own, steps);
    return true;
}

static void free_engine(struct engine *engine) {
    struct device_engine *own = (struct device_engine *)engine;
    kernel_plan_free(own->plan);
    device_close(own->device);
    box_free(&own->box);
    free(own->force);
    free(own->crossing);
    free(own->face_count);
    free(own->face_momentum);
    free(own);
}

/* Asks for counts at faces where the variant has kernels that count. */
static void count_faces(struct case_spec *spec) {
    const struct tunable *tunable = case_find_tunable(spec, "COUNT_CROSSINGS");
    const int place = tunings_place(&spec->tunings, "COUNT_CROSSINGS");
    if (place >= 0 && tunable && tunable_has(tunable, COUNT_FACES)) {
        spec->tunings.items[place].value = COUNT_FACES;
    }
}

bool engine_of_device(const char *device, const struct case_spec *spec, double cutoff, bool faces,
                      struct engine **engine, struct error *error) {
    struct device_engine *own = calloc(1, sizeof *own);
    if (!own) {
        return fail_out_of_memory(error, "the engine");
    }
    own->engine = (struct engine){ .advance = advance, .fetch = fetch, .free = free_engine };
    own->spec = *spec;
    own->cutoff = cutoff;
    if (!device_open(device, &own->device, error)) {
        free(own);
        return false;
    }
    if (faces && device_describe(own->device)->atomics64) {
        count_faces(&own->spec);
    }
    (void)snprintf(own->engine.name, sizeof own->engine.name, "%s, %s, on %s", spec->variant->name,
                   precision_name(spec->precision), device_describe(own->device)->model);
    *engine = &own->engine;
    return true;
}

/* ---- the serial reference ---- */

struct reference_engine {
    struct engine engine;
    const struct interaction *interaction;
    double cutoff;
    const struct step_rules *rules;
    const struct long_range *long_range;
};

/* What the vectors taken off before are worth in a constant field. */
static double energy_of_images(const struct simulation_state *state,
                               const struct step_field *field) {
    const struct box *box = &state->box;
    const double vectors[3][3] = { { box->edge[0], 0.0, 0.0 },
                                   { box->tilt[0], box->edge[1], 0.0 },
                                   { box->tilt[1], box->tilt[2], box->edge[2] } };
    double energy = 0.0;
    for (size_t i = 0; i < box->n; i++) {
        for (int k = 0; k < 3; k++) {
            const double pull =
                box->charge[i] * field->per_charge[k] + box_mass(box, i) * field->per_mass[k];
            for (size_t v = 0; v < 3 && pull != 0.0; v++) {
                energy -= pull * state->image[3 * i + v] * vectors[v][k];
            }
        }
    }
    return energy;
}

static void take_end(const struct step_end *end, struct simulation_state *state) {
    struct box *box = &state->box;
    memcpy(box->position, end->position, 3 * box->n * sizeof *box->position);
    memcpy(box->velocity, end->velocity, 3 * box->n * sizeof *box->velocity);
    for (size_t k = 0; k < 3 * box->n; k++) {
        state->image[k] += end->image[k];
    }
    for (size_t f = 0; f < STEP_FACES * (size_t)box->types; f++) {
        state->carried[f] += end->carried[f];
    }
    state->step = end->step;
    state->thermostat = end->thermostat;
}

static bool advance_reference(struct engine *engine, uint64_t steps, struct simulation_state *state,
                              struct step_sums *sums, struct error *error) {
    const struct reference_engine *own = (const struct reference_engine *)engine;
    struct step_rules rules = *own->rules;
    const bool is_long = own->long_range->variant != NULL;
    struct step_long_range long_range = { 0 };
    struct step_end end;
    rules.steps = steps;
    const struct step_case step_case = { .box = &state->box,
                                         .interaction = own->interaction,
                                         .cutoff = own->cutoff,
                                         .rules = &rules,
                                         .state_step = state->step,
                                         .thermostat = &state->thermostat,
                                         .long_range = is_long ? &long_range : NULL };
    if ((is_long && !pme_settings_of_steps(own->long_range, PRECISION_DOUBLE, &state->box,
                                           &long_range, error)) ||
        !reference_integrate(&step_case, &end, error)) {
        return false;
    }
    const double before = energy_of_images(state, &rules.field);
    take_end(&end, state);
    *sums = end.last;
    sums->field += before;
    sums->conserved += before;
    step_end_free(&end);
    return true;
}

/* Does nothing: the state is in host memory. */
static bool fetch_nothing(struct engine *engine, struct simulation_state *state,
                          struct error *error) {
    (void)engine;
    (void)state;
    (void)error;
    return true;
}

static void free_reference(struct engine *engine) {
    free(engine);
}

bool engine_of_reference(const struct interaction *interaction, double cutoff,
                         const struct step_rules *rules, const struct long_range *long_range,
                         struct engine **engine, struct error *error) {
    struct reference_engine *own = calloc(1, sizeof *own);
    if (!own) {
        return fail_out_of_memory(error, "the reference");
    }
    *own = (struct reference_engine){ .engine = { .carries = true,
                                                  .advance = advance_reference,
                                                  .fetch = fetch_nothing,
                                                  .free = free_reference },
                                      .interaction = interaction,
                                      .cutoff = cutoff,
                                      .rules = rules,
                                      .long_range = long_range };
    (void)snprintf(own->engine.name, sizeof own->engine.name, "the serial reference");
    *engine = &own->engine;
    return true;
}
