/*
 * steps — what the workloads of time steps have in common: each is of the forces of another.
 */
#ifndef PAIRMARK_WORKLOADS_STEPS_STEPS_H
#define PAIRMARK_WORKLOADS_STEPS_STEPS_H

#include "boxes/box.h"
#include "devices/device.h"
#include "kernels/bindings.h"
#include "kernels/potentials/interaction.h"
#include "kernels/workload.h"
#include "workloads/member_order.h"

extern const struct workload_field step_fields[];
extern const struct workload_scalar step_scalars[];
extern const struct kernel_parameter step_parameters[];
extern const char *const step_units[], *const step_header_words[];
extern const struct judge judge_trajectory;

/* Of steps by forces that are no sums over pairs: they end by themselves, and particles stay where
 * they are in the arrays. */
extern const char *const step_axes_of_bodies[], *const step_columns_of_bodies[];
extern const struct workload_refusal step_refusals_of_bodies[];

/* What their workloads have in common. */
#define STEP_MEMBERS_OF_BODIES                                                                     \
    .judge = &judge_trajectory, .fields = step_fields, .scalars = step_scalars,                    \
    .axes = step_axes_of_bodies, .refusals = step_refusals_of_bodies,                              \
    .columns = step_columns_of_bodies, .units = { [GROUPS_ONE] = step_units },                     \
    .header_words = step_header_words, .precisions_refused = 1U << PRECISION_FIXED,                \
    .groups = GROUPS_ONE_BIT, .default_outputs = OUTPUTS_FORCES

#define STEP_WORDS(COUNTED, ALL_PAIRS)                                                             \
    {                                                                                              \
        .result = "displacement", .results = "displacements", .preposition = "of",                 \
        .value = "energy", .tensor = "virial", .tensor_key = "virial",                             \
        .outputs = { [OUTPUTS_FORCES] = "displacements",                                           \
                     [OUTPUTS_ENERGY] = "displacements and energies",                              \
                     [OUTPUTS_VIRIAL] = "displacements, energies and virial" },                    \
        .counted = COUNTED "s", .counted_one = COUNTED, .rate = "pairs/s",                         \
        .size = "N (particles)", .seeds = "", .all_pairs = {                                       \
            ALL_PAIRS,                                                                             \
            ALL_PAIRS                                                                              \
        }                                                                                          \
    }

/* How many steps, of what length, under which thermostat: of `check`. */
#define STEP_FACTORS                                                                               \
    { .name = "precision",                                                                         \
      .values = WORKLOAD_VALUES("--precision double", "--precision float", "--precision mixed"),   \
      .text = true },                                                                              \
        { .name = "outputs",                                                                       \
          .values = WORKLOAD_VALUES("--outputs forces", "--outputs virial", "--outputs energy"),   \
          .text = true },                                                                          \
        { .name = "steps",                                                                         \
          .values = WORKLOAD_VALUES("", "--steps 1", "--steps 2", "--steps 25") },                 \
        { .name = "dt", .values = WORKLOAD_VALUES("--dt 0.001", "--dt 0.0002") }, {                \
        .name = "thermostat",                                                                      \
        .values = WORKLOAD_VALUES("", "--thermostat berendsen:temperature=2,time=0.1",             \
                                  "--thermostat langevin:temperature=2,friction=3")                \
    }

/* Every state takes as long as one evaluation of the reference. */
#define STEP_SIZES                                                                                 \
    WORKLOAD_VALUES("--n 257", "--n 1", "--n 2", "--n 3", "--n 31", "--n 65", "--n 127",           \
                    "--n 128", "--n 512", "--n 1025", WORKLOAD_REMAINDERS)

/* ---- identical molecules that change places ---- */

/* Identical molecules change places as wholes, so that those next to each other in
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

struct exchange;

/* The state of n particles by place; `index` has the number of the particle at each. */
struct exchange_state {
    struct buffer *position, *position_rest; /* n real4 */
    struct buffer *velocity, *force;         /* n accum4 */
    struct buffer *crossing;                 /* n int4 */
    struct buffer *index;                    /* n int */
};

/* Makes an exchange for the box as the device has it. STATUS_BAD_INPUT where exclusions of a file
 * make particles distinct; else STATUS_OUT_OF_MEMORY, and the errors of compiling. */
bool exchange_create(struct device *device, const struct box *box,
                     const struct interaction *interaction, enum precision precision,
                     struct exchange **exchange, struct error *error);
void exchange_free(struct exchange *exchange); /* NULL is fine */

/* Enqueues one exchange of a state whose seats are at places by the order. */
bool exchange_enqueue(struct exchange *exchange, const struct member_order *order,
                      const struct exchange_state *state, struct error *error);

#endif
