/* Particles between two steps, the box that `run` and `best` begin with, and how long its lists
 * last. */
#include "commands/simulation/engine.h"

#include "core/host.h"
#include "kernels/motion/rigid.h"
#include "kernels/potentials/type_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- particles between two steps ---- */

bool state_begin(struct box *box, struct simulation_state *state, struct error *error) {
    const size_t faces = STEP_FACES * (size_t)box->types;
    *state = (struct simulation_state){ .box = *box };
    *box = (struct box){ 0 };
    strcpy(state->box.kind, "file");
    state->image = calloc(3 * state->box.n, sizeof *state->image);
    state->crossing = calloc(faces, sizeof *state->crossing);
    state->carried = calloc(faces, sizeof *state->carried);
    const bool made = (state->image && state->crossing && state->carried) ||
                      fail_out_of_memory(error, "the particles of a simulation");
    if (!made || !box_add_velocities(&state->box, error)) {
        state_free(state);
        return false;
    }
    return true;
}

void state_free(struct simulation_state *state) {
    box_free(&state->box);
    free(state->image);
    free(state->crossing);
    free(state->carried);
    *state = (struct simulation_state){ 0 };
}

/* ---- the box that run and best begin with ---- */

bool moving_box(const struct box_spec *spec, const struct step_rules *rules, double temperature,
                bool keeps_velocities, struct box *box, struct error *error) {
    if (!box_of_spec(spec, box, error)) {
        return false;
    }
    if (box_is_partly_periodic(box)) {
        char axes[AXES_SIZE];
        box_axes(box, axes);
        box_free(box);
        return fail(error, STATUS_BAD_INPUT,
                    "the box is periodic along %s only, which particles that move on and on leave; "
                    "expected one that is periodic along all axes, or --open (`bench --workload "
                    "step` takes it for some steps)",
                    axes);
    }
    const bool good = (temperature < 0.0 ||
                       box_set_temperature(box, temperature, spec->seed ? spec->seed : 1, error)) &&
                      (rules->integrator != INTEGRATOR_SETTLE || keeps_velocities ||
                       rigid_set_velocities(box, rules, temperature, error));
    if (!good) {
        box_free(box);
    }
    return good;
}

bool moving_box_round(enum precision precision, struct box *box, struct error *error) {
    struct box rounded;
    if (!box_as_device(box, precision, &rounded, error)) {
        return false;
    }
    box_free(box);
    *box = rounded;
    return true;
}

bool moving_cutoff(const struct case_spec *spec, const struct box *box, double *cutoff,
                   struct error *error) {
    *cutoff = cutoff_in(spec->cutoff, !box->periodic, 0.5 * box_least_repeat(box));
    return box_accepts_cutoff(box, *cutoff, error) &&
           interaction_fits(&spec->interaction, box, *cutoff, error);
}

void moving_variant(const struct step_rules *rules, bool open, char *words, size_t size) {
    static const char *const of_thermostat[] = { [THERMOSTAT_NONE] = "verlet",
                                                 [THERMOSTAT_RESCALE] = "rescale",
                                                 [THERMOSTAT_BERENDSEN] = "berendsen",
                                                 [THERMOSTAT_NOSE_HOOVER] = "nose_hoover" };
    const bool plain = rules->integrator == INTEGRATOR_VERLET;
    const char *name =
        plain ? of_thermostat[rules->thermostat] : integrator_name(rules->integrator);
    if (plain && rules->thermostat == THERMOSTAT_NONE && step_field_is_there(&rules->field)) {
        name = "verlet_field";
    }
    if (rules->integrator == INTEGRATOR_SETTLE) {
        name = "verlet_settle";
    }
    (void)snprintf(words, size, "%s+%s", name, open ? "all_pairs_loop" : "sorted_cells");
}

/* ---- for how many steps a list lasts ---- */

/* Of bringing a box to a temperature. */
enum { SETTLING_ROUNDS = 20, SETTLING_STEPS = 10 };
static const double settling_share = 0.5; /* of the time */

/* By whole vectors of the cell, so that who leaves at one side has not moved far. */
static void unwrap(const struct simulation_state *state, size_t i, double place[3]) {
    const struct box *box = &state->box;
    const int32_t *image = &state->image[3 * i];
    place[0] = box->position[3 * i] + image[0] * box->edge[0] + image[1] * box->tilt[0] +
               image[2] * box->tilt[1];
    place[1] = box->position[3 * i + 1] + image[1] * box->edge[1] + image[2] * box->tilt[2];
    place[2] = box->position[3 * i + 2] + image[2] * box->edge[2];
}

static bool advance(struct engine *engine, uint64_t steps, struct simulation_state *state,
                    struct step_sums *sums, struct error *error) {
    return engine->advance(engine, steps, state, sums, error) &&
           engine->fetch(engine, state, error);
}

static void scale_velocities(struct simulation_state *state, double factor) {
    for (size_t k = 0; k < 3 * state->box.n; k++) {
        state->box.velocity[k] *= factor;
    }
}

static bool settle(struct engine *engine, struct simulation_state *state, double temperature,
                   double end_s, struct error *error) {
    for (int r = 0; r < SETTLING_ROUNDS && clock_s() < end_s; r++) {
        struct step_sums sums;
        if (!advance(engine, SETTLING_STEPS, state, &sums, error)) {
            return false;
        }
        if (sums.temperature > 0) {
            scale_velocities(state, sqrt(temperature / sums.temperature));
            engine->state_changed = true;
        }
    }
    return true;
}

static double farthest_from(const struct simulation_state *state, const double *origin) {
    double most = 0;
    for (size_t i = 0; i < state->box.n; i++) {
        double place[3];
        double square = 0;
        unwrap(state, i, place);
        for (int k = 0; k < 3; k++) {
            const double way = place[k] - origin[3 * i + (size_t)k];
            square += way * way;
        }
        most = fmax(most, square);
    }
    return sqrt(most);
}

static bool record(struct engine *engine, struct simulation_state *state, const double *origin,
                   double farthest, double end_s, struct list_life *life, struct error *error) {
    double temperatures = 0;
    while (life->steps < LIST_LIFE_STEPS && life->moved[life->steps] <= farthest &&
           (life->steps < 2 || clock_s() < end_s)) {
        struct step_sums sums;
        if (!advance(engine, 1, state, &sums, error)) {
            return false;
        }
        temperatures += sums.temperature;
        life->steps++;
        life->moved[life->steps] = fmax(farthest_from(state, origin), life->moved[life->steps - 1]);
    }
    life->temperature = temperatures / (double)life->steps;
    return true;
}

bool list_life_measure(struct engine *engine, struct simulation_state *state, double temperature,
                       double farthest, double cap_s, struct list_life *life, struct error *error) {
    const double began_s = clock_s();
    double *origin = malloc(3 * state->box.n * sizeof *origin);
    *life = (struct list_life){ 0 };
    if (!origin) {
        return fail_out_of_memory(error, "where particles were");
    }
    bool good = settle(engine, state, temperature, began_s + settling_share * cap_s, error);
    for (size_t i = 0; good && i < state->box.n; i++) {
        unwrap(state, i, &origin[3 * i]);
    }
    good = good && record(engine, state, origin, farthest, began_s + cap_s, life, error);
    free(origin);
    return good;
}

double list_life_of(const struct list_life *life, double skin) {
    const double half = 0.5 * skin;
    const double last = life->moved[life->steps];
    size_t served = 0;
    while (served < life->steps && life->moved[served] <= half) {
        served++;
    }
    if (life->moved[served] <= half && last > 0) {
        return (double)life->steps * half / last;
    }
    return served < 1 ? 1 : (double)served;
}
