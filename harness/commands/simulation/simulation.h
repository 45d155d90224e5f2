/*
 * simulation — steps from a state on, with a log, a trajectory and checkpoints on the way.
 *
 * The log is CSV, a line at step 0 and behind each `log_every` steps: step, time, temperature,
 * potential (of pairs and field), kinetic, pressure (empty in an open box), conserved
 * (empty where the engine does not know it), face_pressure: the kinetic part of the pressure by
 * what particles carried through faces since step 0, mean of three directions (empty at step 0, in
 * an open box and where the engine does not know it; logs of older versions go on without). The
 * trajectory is extended XYZ, a frame every `frames_every` steps. Both grow line by line; a
 * simulation that goes on cuts them to the state from which it does, and adds to them.
 */
#ifndef PAIRMARK_COMMANDS_SIMULATION_SIMULATION_H
#define PAIRMARK_COMMANDS_SIMULATION_SIMULATION_H

#include "commands/simulation/engine.h"

/* The state of a simulation in a file, from which it goes on as if it had never ended.
 *
 * Extended XYZ, so that it is a box that any program reads: positions, velocities and masses to the
 * last bit, and in keys of its own the step, the thermostat, what was counted, and the words for
 * what was simulated. A simulation goes on with the same words alone. */

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

struct simulation {
    struct engine *engine;
    struct simulation_words words;
    double dt;
    uint64_t steps;                                     /* the number of the last state */
    const char *log, *trajectory, *checkpoint;          /* NULL: none */
    uint64_t log_every, frames_every, checkpoint_every; /* at least 1 */
    bool goes_on;                                       /* the state is a checkpoint's */
    bool (*is_ended)(void); /* whether it is to end at the next chance; NULL: never */
    /* Is shown each line of the log, and asked nothing. NULL: nobody */
    void (*show)(void *context, const struct simulation_state *state, const struct step_sums *sums);
    void *context;
};

/* What came out, over the lines of the log since this start. */
struct simulation_outcome {
    uint64_t lines;
    double temperature, temperature_deviation; /* mean, and root of the mean square about it */
    double pressure;                           /* mean; NaN in an open box */
    double conserved;                          /* at the start */
    double fluctuation; /* root of the mean square about the line that fits it best */
    double drift;       /* slope of that line, per particle and time */
    double seconds;     /* that stepping took */
    uint64_t steps;
    bool ended; /* before its last step, for is_ended() said so */
};

/* Whether what is to be written can be, before anything is computed. STATUS_BAD_INPUT. */
bool simulation_check(const struct simulation *simulation, struct error *error);

/* Steps from the state to the last; what was written until a failure stays. A checkpoint is written
 * at its steps, at the end, and where it is ended. */
bool simulation_run(const struct simulation *simulation, struct simulation_state *state,
                    struct simulation_outcome *outcome, struct error *error);

/* The kinetic part of the pressure along vector k, from what particles carried through its faces
 * since the start; NaN in an open box and at step 0. */
double simulation_crossing_pressure(const struct simulation_state *state, double dt, int k);

#endif
