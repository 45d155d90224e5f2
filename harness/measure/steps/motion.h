/*
 * motion — a prepared case of time steps that goes on from any state: what a simulation calls.
 */
#ifndef PAIRMARK_MEASURE_STEPS_MOTION_H
#define PAIRMARK_MEASURE_STEPS_MOTION_H

#include "measure/prepare/kernel_plan.h"

/* The particles of a case of time steps between two steps, by their numbers in the box. */
struct plan_motion {
    double *position;  /* 3n, in the cell where periodic */
    double *velocity;  /* 3n */
    double *force;     /* 3n, of the pairs at `position`; read alone. NULL: not asked for */
    int32_t *crossing; /* 3n, faces along each vector since it was written, or read; read alone */
    struct thermostat_state thermostat;
    uint64_t step; /* the number of the state */
};

/* What is summed over a state. */
struct plan_motion_sums {
    double potential, virial[9]; /* of the pairs; virial: where the case has it, else NaN */
    double kinetic, momentum[3]; /* kinetic: NaN where the device has no double precision */
    int64_t astray; /* the number of a particle that is nowhere or too fast; -1: there is none */
};

/* Makes a state the one to start from. Waits. */
bool kernel_plan_write_motion(struct kernel_plan *plan, const struct plan_motion *motion,
                              struct error *error);
/* Enqueues so many steps from there, and the sums that the case asks for at the end; of no steps,
 * the forces and the sums. kernel_plan_collect() has energy and virial then. */
bool kernel_plan_advance(struct kernel_plan *plan, uint64_t steps, struct error *error);
/* Takes at most so many steps, 1 at least, before the host looks whether the structure still
 * serves; 0: as many as are wanted. The results are the same, bit by bit. */
void kernel_plan_limit_runs(struct kernel_plan *plan, uint64_t longest);
/* How often steps have had a structure built again that had served until then. */
uint64_t kernel_plan_renewals(const struct kernel_plan *plan);
/* How many of these times what it is built from was left as it was: an outer list. */
uint64_t kernel_plan_prunings(const struct kernel_plan *plan);
/* How often a part of it was renewed in between. */
uint64_t kernel_plan_parts_renewed(const struct kernel_plan *plan);
/* Whether steps can go on without the host: where the device has double precision. */
bool kernel_plan_goes_on(const struct kernel_plan *plan);
/* Makes the state of now the one to start from: the same, bit by bit, as reading and writing it.
 * `counted`: its crossings were read, and count from now on. */
bool kernel_plan_keep_motion(struct kernel_plan *plan, bool told, struct error *error);
/* Waits, and adds up the state as it is now. `lag`: of velocities behind positions, a time;
 * fastest: along an axis. */
bool kernel_plan_sum_motion(struct kernel_plan *plan, double lag, double fastest,
                            struct plan_motion_sums *sums, struct error *error);
/* Waits, and reads what a thermostat has now, and the number of the state. */
bool kernel_plan_read_thermostat(const struct kernel_plan *plan,
                                 struct thermostat_state *thermostat, uint64_t *step,
                                 struct error *error);
/* Waits, and reads what went through faces since the state was written or kept, 6 numbers per type;
 * of kernels that count. */
bool kernel_plan_read_faces(struct kernel_plan *plan, uint64_t *count, double *momentum,
                            struct error *error);
/* Whether its steps count what particles carry through faces. */
bool kernel_plan_counts_faces(const struct kernel_plan *plan);
/* Waits, and reads the state as it is now. */
bool kernel_plan_read_motion(struct kernel_plan *plan, struct plan_motion *motion,
                             struct error *error);

#endif
