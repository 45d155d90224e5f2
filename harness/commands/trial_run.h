/*
 * trial_run — a short simulation in a process of its own: how long lists last, how long a step
 * takes.
 *
 * The caller's process opens no device, so that workers can still be forked from it. The other one
 * is confined as a worker is, and ends with the caller, at a signal, or at the deadline.
 */
#ifndef PAIRMARK_COMMANDS_TRIAL_RUN_H
#define PAIRMARK_COMMANDS_TRIAL_RUN_H

#include "commands/simulation/list_life.h"

struct trial {
    const char *device;
    const struct case_spec
        *spec; /* of workload step; of `by_reference` step and interaction alone */
    double cutoff;
    bool by_reference; /* the serial integrator takes the steps, no kernel */
    double deadline_s;
};

/* See list_life_measure(). The box has velocities, and gets the positions and velocities that the
 * record begins with. Errors: those of the engine; STATUS_CRASHED, STATUS_TIMEOUT. */
bool trial_life(const struct trial *trial, struct box *box, double temperature, double farthest,
                double cap_s, struct list_life *life, struct error *error);

struct trial_time {
    double step_s;         /* of a step, lists included */
    double steps_per_list; /* NaN: nothing lasts for several steps */
    double machine_load;   /* NaN: not known */
};

/* Some steps from the box on, then so many as take about `cap_s` seconds. Errors likewise. */
bool trial_steps(const struct trial *trial, const struct box *box, double cap_s,
                 struct trial_time *time, struct error *error);

#endif
