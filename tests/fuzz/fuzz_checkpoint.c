/* Checkpoints of simulations. What is read must be what writing it and reading it again gives. */
#include "commands/simulation/simulation.h"
#include "fuzz_input.h"

#include <math.h>

static const struct simulation_words words = { .rules = "verlet:dt=0.005 thermostat=none",
                                               .interaction = "lj:epsilon=1,sigma=1",
                                               .cutoff = 2.5,
                                               .engine = "the serial reference" };

static void require_usable(const struct simulation_state *state) {
    fuzz_require(state->box.n >= 1 && state->box.velocity);
    fuzz_require(isfinite(state->thermostat.heat));
    for (size_t k = 0; k < 3 * state->box.n; k++) {
        fuzz_require(isfinite(state->box.velocity[k]) && abs(state->image[k]) <= 1000000000);
    }
    for (size_t f = 0; f < STEP_FACES * (size_t)state->box.types; f++) {
        fuzz_require(isfinite(state->carried[f]));
    }
}

static void require_round_trip(const struct simulation_state *state) {
    struct error error = { 0 };
    struct simulation_state again;
    char hashes[2][HASH_TEXT_SIZE];
    const char *path = fuzz_file(1, NULL, 0);
    fuzz_require(checkpoint_write(path, state, &words, &error));
    fuzz_require(checkpoint_read(path, &words, &again, &error));
    box_hash(&state->box, hashes[0]);
    box_hash(&again.box, hashes[1]);
    const size_t faces = STEP_FACES * (size_t)state->box.types;
    fuzz_require(strcmp(hashes[0], hashes[1]) == 0 && again.step == state->step);
    fuzz_require(memcmp(again.image, state->image, 3 * state->box.n * sizeof *again.image) == 0);
    fuzz_require(memcmp(again.crossing, state->crossing, faces * sizeof *again.crossing) == 0);
    fuzz_require(memcmp(again.carried, state->carried, faces * sizeof *again.carried) == 0);
    fuzz_require(memcmp(&again.thermostat, &state->thermostat, sizeof again.thermostat) == 0);
    state_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct error error = { 0 };
    struct simulation_state state;
    if (!checkpoint_read(fuzz_file(0, data, size), &words, &state, &error)) {
        fuzz_require_reason(&error);
        return 0;
    }
    require_usable(&state);
    require_round_trip(&state);
    state_free(&state);
    return 0;
}
