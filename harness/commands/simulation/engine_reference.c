#include "commands/simulation/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reference_engine {
    struct engine engine;
    const struct interaction *interaction;
    double cutoff;
    const struct step_rules *rules;
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
        state->crossing[f] += end->crossing[f];
        state->carried[f] += end->carried[f];
    }
    state->step = end->step;
    state->thermostat = end->thermostat;
}

static bool advance(struct engine *engine, uint64_t steps, struct simulation_state *state,
                    struct step_sums *sums, struct error *error) {
    const struct reference_engine *own = (const struct reference_engine *)engine;
    struct step_rules rules = *own->rules;
    struct step_end end;
    rules.steps = steps;
    if (!reference_integrate(&state->box, own->interaction, own->cutoff, &rules, state->step,
                             &state->thermostat, NULL, &end, error)) {
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

/* They are there. */
static bool fetch(struct engine *engine, struct simulation_state *state, struct error *error) {
    (void)engine;
    (void)state;
    (void)error;
    return true;
}

static void free_engine(struct engine *engine) {
    free(engine);
}

bool engine_of_reference(const struct interaction *interaction, double cutoff,
                         const struct step_rules *rules, struct engine **engine,
                         struct error *error) {
    struct reference_engine *own = calloc(1, sizeof *own);
    if (!own) {
        return fail_out_of_memory(error, "the reference");
    }
    *own = (struct reference_engine){
        .engine = { .carries = true, .advance = advance, .fetch = fetch, .free = free_engine },
        .interaction = interaction,
        .cutoff = cutoff,
        .rules = rules
    };
    (void)snprintf(own->engine.name, sizeof own->engine.name, "the serial reference");
    *engine = &own->engine;
    return true;
}
