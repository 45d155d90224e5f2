/*
 * exchange — identical molecules change places as wholes, so that those next to each other in
 * memory are neighbours in space.
 *
 * Every particle of a box has a seat, its number in the input. Molecules that are identical
 * are numbered by the place of their first particle along Hilbert's curve, and
 * within each group of such molecules the first along the curve takes the seats of the first
 * molecule, and so on. What is known of a seat, its type, its mass, its molecule, whom it does not
 * interact with, stays as it is; what moves is the state: positions with their rests, velocities,
 * forces, crossings, and the number of the particle itself, by which results find the way back.
 *
 * Particles that stand alone are molecules of one. The idea is that of OpenMM's platforms for GPUs.
 */
#ifndef PAIRMARK_WORKLOADS_STEPS_EXCHANGE_H
#define PAIRMARK_WORKLOADS_STEPS_EXCHANGE_H

#include "boxes/box.h"
#include "devices/device.h"
#include "kernels/potentials/interaction.h"
#include "workloads/member_order.h"

struct exchange;

/* The state of n particles by place; `index` has the number of the particle at each. */
struct exchange_state {
    struct buffer *position, *position_rest; /* n real4 */
    struct buffer *velocity, *force;         /* n accum4 */
    struct buffer *crossing;                 /* n int4 */
    struct buffer *index;                    /* n int */
};

/* Of the box as the device has it. STATUS_BAD_INPUT where exclusions of a file make particles
 * distinct; else STATUS_OUT_OF_MEMORY, and what compiling may end in. */
bool exchange_create(struct device *device, const struct box *box,
                     const struct interaction *interaction, enum precision precision,
                     struct exchange **exchange, struct error *error);
void exchange_free(struct exchange *exchange); /* NULL is fine */

/* Enqueues one exchange of a state whose seats are at places by the order. */
bool exchange_enqueue(struct exchange *exchange, const struct member_order *order,
                      const struct exchange_state *state, struct error *error);

#endif
