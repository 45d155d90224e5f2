/*
 * state — particles between two steps of a simulation, and what was counted since its start.
 */
#ifndef PAIRMARK_COMMANDS_SIMULATION_STATE_H
#define PAIRMARK_COMMANDS_SIMULATION_STATE_H

#include "boxes/box.h"
#include "kernels/motion/step_rules.h"

struct simulation_state {
    struct box box; /* positions in the cell where periodic; velocities are there; of kind "file" */
    uint64_t step;  /* its number; 0 at the start */
    int32_t *image; /* 3n: whole vectors a, b, c that were taken off positions since the start */
    uint64_t *crossing; /* 6 types: see struct step_end of reference/motion/step.h */
    double *carried;    /* 6 types */
    struct thermostat_state thermostat;
};

/* At the start: takes the box over, also on failure, and gives it velocities (zeros) where it has
 * none. STATUS_OUT_OF_MEMORY. */
bool state_begin(struct box *box, struct simulation_state *state, struct error *error);
void state_free(struct simulation_state *state); /* also of a zeroed one; zeroes it */

#endif
