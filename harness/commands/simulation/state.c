#include "commands/simulation/state.h"

#include <stdlib.h>
#include <string.h>

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
