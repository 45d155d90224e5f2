/* The particles of a simulation, and what run and best begin with. */
#include "commands/simulation/simulation.h"

#include "boxes/box.h"
#include "kernels/motion/step_rules.h"
#include "kernels/potentials/type_table.h"

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
    state->carried = calloc(faces, sizeof *state->carried);
    const bool made = (state->image && state->carried) ||
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
    free(state->carried);
    *state = (struct simulation_state){ 0 };
}

/* ---- the box that run and best begin with ---- */

bool moving_box(const struct box_spec *spec, const struct step_rules *rules, double temperature,
                struct box *box, struct error *error) {
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
    const bool good = case_field_fits(&rules->field, spec, box, error) &&
                      (temperature < 0.0 ||
                       box_set_temperature(box, temperature, spec->seed ? spec->seed : 1, error)) &&
                      (rules->integrator != INTEGRATOR_SETTLE ||
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

void moving_variant(const struct step_rules *rules, const struct workload *forces, bool open,
                    char *words, size_t size) {
    static const char *const of_thermostat[] = { [THERMOSTAT_NONE] = "verlet",
                                                 [THERMOSTAT_RESCALE] = "rescale",
                                                 [THERMOSTAT_BERENDSEN] = "berendsen",
                                                 [THERMOSTAT_NOSE_HOOVER] = "nose_hoover" };
    static const char *const of_waters[] = { [THERMOSTAT_NONE] = "verlet_settle",
                                             [THERMOSTAT_NOSE_HOOVER] = "settle_hoover",
                                             [THERMOSTAT_LANGEVIN] = "settle_langevin" };
    const bool plain = rules->integrator == INTEGRATOR_VERLET;
    const char *name =
        plain ? of_thermostat[rules->thermostat] : integrator_name(rules->integrator);
    if (plain && rules->thermostat == THERMOSTAT_NONE && step_field_is_there(&rules->field)) {
        name = "verlet_field";
    }
    if (rules->integrator == INTEGRATOR_SETTLE) {
        name = of_waters[rules->thermostat];
    }
    (void)snprintf(words, size, "%s+%s", name,
                   open ? forces->words.all_pairs[0] : forces->default_mover);
}
