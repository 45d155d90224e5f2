/* Kernels on a device take the steps. */
#include "measure/measure.h"
#include "simulate/engine.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct device_engine {
    struct engine engine;
    const struct case_spec *spec;
    double cutoff;
    struct session *session;
    struct motion *motion; /* NULL until the first state is there */
    struct box box;        /* as the device has it */
    double *force;         /* 3n */
    int32_t *crossing;     /* 3n, of the steps that were taken last */
    uint64_t starts;       /* how often steps began with a list of their own */
};

/* ---- what is summed over a state ---- */

/* Of a wall at a coordinate in the cell. */
static double energy_of_wall(const struct step_wall *wall, double x) {
    const double depth = !wall->present  ? 0
                         : x < wall->low ? wall->low - x
                                         : fmax(x - wall->high, 0);
    return 0.5 * wall->strength * depth * depth;
}

/* By unwrapped positions, and of walls by those in the cell. */
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
static void add_kinetic(const struct device_engine *own, const struct simulation_state *state,
                        struct step_sums *sums) {
    const struct step_rules *rules = &own->spec->step;
    const double lag = rules->integrator == INTEGRATOR_LEAPFROG ? 0.5 * rules->dt : 0;
    for (size_t k = 0; k < 3 * state->box.n; k++) {
        const double mass = box_mass(&state->box, k / 3);
        const double velocity = state->box.velocity[k] + lag * own->force[k] / mass;
        sums->kinetic += 0.5 * mass * velocity * velocity;
        sums->momentum[k % 3] += mass * velocity;
    }
}

static double degrees_of_freedom(const struct step_rules *rules, size_t n) {
    const bool momentum_stays =
        rules->integrator != INTEGRATOR_LANGEVIN && !step_field_is_there(&rules->field) && n > 1;
    return 3 * (double)n - (momentum_stays ? 3 : 0);
}

/* What the thermostat has taken out. Langevin's heat is not added up on the device. */
static double energy_of_bath(const struct step_rules *rules, const struct step_bath *bath,
                             double degrees) {
    double energy = rules->integrator == INTEGRATOR_LANGEVIN ? NAN : -bath->heat;
    for (int j = 0; rules->thermostat == THERMOSTAT_NOSE_HOOVER && j < rules->chain; j++) {
        const double share = j == 0 ? degrees : 1;
        const double mass =
            share * rules->temperature * rules->time_constant * rules->time_constant;
        energy += 0.5 * mass * bath->velocity[j] * bath->velocity[j] +
                  share * rules->temperature * bath->position[j];
    }
    return energy;
}

static void add_up(const struct device_engine *own, const struct simulation_state *state,
                   const struct motion_sums *of_pairs, struct step_sums *sums) {
    const struct box *box = &state->box;
    const struct step_rules *rules = &own->spec->step;
    const double degrees = degrees_of_freedom(rules, box->n);
    const double volume = box->edge[0] * box->edge[1] * box->edge[2];
    const double *virial = of_pairs->virial;
    *sums = (struct step_sums){ .potential = of_pairs->potential };
    memcpy(sums->virial, virial, sizeof sums->virial);
    add_kinetic(own, state, sums);
    sums->field = energy_of_field(state, &rules->field);
    sums->temperature = degrees > 0 ? 2 * sums->kinetic / degrees : 0;
    sums->pressure = box->periodic
                         ? (2 * sums->kinetic + virial[0] + virial[4] + virial[8]) / (3 * volume)
                         : NAN;
    sums->conserved = sums->potential + sums->field + sums->kinetic +
                      energy_of_bath(rules, &state->bath, degrees);
}

/* ---- the engine ---- */

static bool prepare(struct device_engine *own, const struct simulation_state *state,
                    struct error *error) {
    const size_t n = state->box.n;
    if (own->motion) {
        return true;
    }
    own->force = calloc(3 * n, sizeof *own->force);
    own->crossing = calloc(3 * n, sizeof *own->crossing);
    return ((own->force && own->crossing) || fail_out_of_memory(error, "the forces")) &&
           box_as_device(&state->box, own->spec->precision, &own->box, error) &&
           motion_create(own->session, own->spec, &own->box, own->cutoff, &own->motion, error);
}

/* Faces that a particle went through and came back by count for nothing here; what it carried is
 * not known. */
static void take_crossings(const struct device_engine *own, struct simulation_state *state) {
    for (size_t k = 0; k < 3 * state->box.n; k++) {
        const int32_t crossed = own->crossing[k];
        const size_t face = 2 * (k % 3) + (crossed > 0);
        const size_t at = STEP_FACES * (size_t)state->box.type[k / 3] + face;
        state->image[k] += crossed;
        state->crossing[at] += (uint64_t)abs(crossed);
    }
}

/* The state is written to copies, so that a failure leaves it as it was. */
static bool advance_copies(struct device_engine *own, uint64_t steps, double *position,
                           double *velocity, struct simulation_state *state,
                           struct motion_sums *sums, struct error *error) {
    struct plan_motion moving = { .position = position,
                                  .velocity = velocity,
                                  .force = own->force,
                                  .crossing = own->crossing,
                                  .bath = state->bath,
                                  .step = state->step };
    const size_t bytes = 3 * state->box.n * sizeof *position;
    /* Kernels take one vector of the cell off a position at most. */
    const double fastest =
        state->box.periodic ? cell_least_height(&state->box.cell) / own->spec->step.dt : DBL_MAX;
    memcpy(position, state->box.position, bytes);
    memcpy(velocity, state->box.velocity, bytes);
    if (!motion_advance(own->motion, steps, &moving, sums, error)) {
        return false;
    }
    const uint64_t renewals = motion_renewals(own->motion);
    own->starts += steps > 0;
    own->engine.lists = renewals > 0 ? renewals + own->starts : 0;
    for (size_t k = 0; k < 3 * state->box.n; k++) {
        if (!isfinite(position[k]) || !(fabs(velocity[k]) <= fastest)) {
            return fail(error, STATUS_BAD_INPUT,
                        "between steps %llu and %llu particle %zu comes to move by more than the "
                        "cell in a step, or is nowhere: is the time step too long, or do particles "
                        "overlap at the start?",
                        (unsigned long long)state->step, (unsigned long long)moving.step,
                        k / 3 + 1);
        }
    }
    memcpy(state->box.position, position, bytes);
    memcpy(state->box.velocity, velocity, bytes);
    state->bath = moving.bath;
    state->step = moving.step;
    return true;
}

static bool advance(struct engine *engine, uint64_t steps, struct simulation_state *state,
                    struct step_sums *sums, struct error *error) {
    struct device_engine *own = (struct device_engine *)engine;
    struct motion_sums of_pairs;
    const size_t bytes = 3 * state->box.n * sizeof(double);
    double *position = malloc(bytes);
    double *velocity = malloc(bytes);
    const bool advanced = ((position && velocity) || fail_out_of_memory(error, "the state")) &&
                          prepare(own, state, error) &&
                          advance_copies(own, steps, position, velocity, state, &of_pairs, error);
    free(position);
    free(velocity);
    if (advanced) {
        take_crossings(own, state);
        add_up(own, state, &of_pairs, sums);
    }
    return advanced;
}

static void free_engine(struct engine *engine) {
    struct device_engine *own = (struct device_engine *)engine;
    motion_free(own->motion);
    session_close(own->session);
    box_free(&own->box);
    free(own->force);
    free(own->crossing);
    free(own);
}

bool engine_of_device(const char *device, const struct case_spec *spec, double cutoff,
                      struct engine **engine, struct error *error) {
    struct device_engine *own = calloc(1, sizeof *own);
    if (!own) {
        return fail_out_of_memory(error, "the engine");
    }
    own->engine = (struct engine){ .advance = advance, .free = free_engine };
    own->spec = spec;
    own->cutoff = cutoff;
    if (!session_open(device, &own->session, error)) {
        free(own);
        return false;
    }
    (void)snprintf(own->engine.name, sizeof own->engine.name, "%s, %s, on %s", spec->variant->name,
                   precision_name(spec->precision), session_device(own->session)->model);
    *engine = &own->engine;
    return true;
}
