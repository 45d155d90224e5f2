/*
 * moving — what `run` and `best` have in common: a box with velocities, its cutoff, and the kernels
 * that move it where nobody says which.
 */
#ifndef PAIRMARK_COMMANDS_MOVING_H
#define PAIRMARK_COMMANDS_MOVING_H

#include "kernels/case.h"

/* Makes or reads the box; a temperature of 0 or more gives it velocities. Those of rigid waters
 * lose what would change the sides, unless they are kept as they are. Errors: those of box_make(),
 * box_read() and rigid_set_velocities(). */
bool moving_box(const struct box_spec *spec, const struct step_rules *rules, double temperature,
                bool keeps_velocities, struct box *box, struct error *error);

/* The box as kernels have it: its cell is then the same in every state. */
bool moving_box_round(enum precision precision, struct box *box, struct error *error);

/* STATUS_BAD_INPUT where the box or the interaction does not accept it. */
bool moving_cutoff(const struct case_spec *spec, const struct box *box, double *cutoff,
                   struct error *error);

/* The variant of the integrator's file, over cells; over all pairs of an open box, where nothing
 * bounds cells. */
void moving_variant(const struct step_rules *rules, bool open, char *words, size_t size);

#endif
