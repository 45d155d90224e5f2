/*
 * checkpoint — the state of a simulation in a file, from which it goes on as if it had never ended.
 *
 * Extended XYZ, so that it is a box that any program reads: positions, velocities and masses to the
 * last bit, and in keys of its own the step, the thermostat, what was counted, and the words for
 * what was simulated. A simulation goes on with the same words alone.
 */
#ifndef PAIRMARK_COMMANDS_SIMULATION_CHECKPOINT_H
#define PAIRMARK_COMMANDS_SIMULATION_CHECKPOINT_H

#include "commands/simulation/engine.h"

/* What a simulation is of: full spellings, which must be the same to go on. */
struct simulation_words {
    const char *rules;       /* step_rules_describe() */
    const char *interaction; /* interaction_describe() */
    double cutoff;
    const char *engine; /* of struct engine: others need not give the same bits */
};

/* Replaces one of pairmark's own, whole or not at all; refuses other files. STATUS_BAD_INPUT,
 * STATUS_SYSTEM. */
bool checkpoint_write(const char *path, const struct simulation_state *state,
                      const struct simulation_words *words, struct error *error);

/* The words of its cutoff as --cutoff takes them, into `words`. STATUS_BAD_INPUT likewise. */
bool checkpoint_cutoff(const char *path, char *words, size_t size, struct error *error);

/* Whether checkpoint_write() would be allowed to. */
bool checkpoint_check(const char *path, struct error *error);

/* STATUS_BAD_INPUT, naming the path, for what is no checkpoint, is damaged, or is of another
 * simulation, saying what differs. */
bool checkpoint_read(const char *path, const struct simulation_words *words,
                     struct simulation_state *state, struct error *error);

#endif
