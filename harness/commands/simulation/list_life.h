/*
 * list_life — for how many steps a neighbour list lasts, by its skin: until a particle has moved by
 * half of it.
 *
 * A box is brought to a temperature by rescaling its velocities every few steps; then it moves
 * freely, and after each step the largest displacement of all particles is recorded. From one such
 * record the life of every skin is read.
 */
#ifndef PAIRMARK_COMMANDS_SIMULATION_LIST_LIFE_H
#define PAIRMARK_COMMANDS_SIMULATION_LIST_LIFE_H

#include "commands/simulation/engine.h"

enum { LIST_LIFE_STEPS = 400 };

struct list_life {
    double temperature;                /* mean while it was recorded */
    size_t steps;                      /* recorded */
    double moved[LIST_LIFE_STEPS + 1]; /* the largest displacement after 0, 1, ... steps */
};

/* Leaves the state where the record begins. It has velocities of about `temperature` (> 0). Ends
 * where a particle has moved by `farthest`, after LIST_LIFE_STEPS, or after about `cap_s` seconds.
 * Errors: the engine's; STATUS_OUT_OF_MEMORY. */
bool list_life_measure(struct engine *engine, struct simulation_state *state, double temperature,
                       double farthest, double cap_s, struct list_life *life, struct error *error);

/* Steps per building for a skin (a length), at least 1. Beyond the record, as if the fastest
 * particle went on as fast. */
double list_life_of(const struct list_life *life, double skin);

#endif
