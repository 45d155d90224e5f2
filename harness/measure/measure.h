/*
 * measure — a device with boxes and references at hand: evaluates, gates and times cases.
 *
 * Lives in a worker process (or a test); the process that the user starts goes through
 * campaign/worker/worker.h.
 */
#ifndef PAIRMARK_MEASURE_MEASURE_H
#define PAIRMARK_MEASURE_MEASURE_H

#include "devices/device.h"
#include "devices/machine/peak.h"
#include "kernels/case.h"
#include "kernels/results.h"
#include "measure/prepare/kernel_plan.h"

struct session;

/* Opens the device; `name` NULL or "": the best one. Not a thread's business. */
bool session_open(const char *name, struct session **session, struct error *error);
void session_close(struct session *session);
const struct device_info *session_device(const struct session *session);
/* See device_works(). */
bool session_works(struct session *session);
/* See expected_store_intact(). */
bool session_intact(const struct session *session);

/* One evaluation. `verdict`: how it compares with the reference, see gate_compare(); where that is
 * NULL no reference is computed. */
bool session_evaluate(struct session *session, const struct case_spec *spec,
                      struct evaluation *evaluation, struct verdict *verdict, struct error *error);

/* The gate alone; of case_is_long_on_cpu() on a processor, one launch. What stops the case is in
 * verdict->status and message; nothing is returned as an error. */
void session_check(struct session *session, const struct case_spec *spec, struct verdict *verdict);

/* Gate, time, gate again. A case that fails either gate is never timed to the outside:
 * verdict.status says so and `timed` is false. */
void session_measure(struct session *session, const struct case_spec *spec,
                     const struct sampling *sampling, struct measurement *measurement);

/* ---- simulations ---- */

struct motion; /* a box that is moved on the device */

/* Prepares a case of workload step to go on from any state of the particles of `box`, which is as
 * the device has it (box_as_device). Its number of steps counts for nothing; it asks for energies.
 * The case, the box and the session outlive it. */
bool motion_create(struct session *session, const struct case_spec *spec, const struct box *box,
                   double cutoff, struct motion **motion, struct error *error);
void motion_free(struct motion *motion); /* NULL is fine */

/* The state to go on from; see kernel_plan_write_motion(). */
bool motion_write(struct motion *motion, const struct plan_motion *state, struct error *error);
/* Takes it so many steps on and adds up what became of it; of no steps, the forces and the sums.
 * The same state and number of steps give the same bits where the variant is deterministic, whether
 * the state was written or is there from steps before: lists are built and forces computed at its
 * start. See kernel_plan_sum_motion() for `fastest`. */
bool motion_advance(struct motion *motion, uint64_t steps, double fastest,
                    struct plan_motion_sums *sums, struct error *error);
/* Reads the state, but for its forces where these are not asked for. */
bool motion_read(struct motion *motion, struct plan_motion *state, struct error *error);
/* What went through faces in the steps that were taken last; see kernel_plan_read_faces(). */
bool motion_read_faces(struct motion *motion, uint64_t *count, double *momentum,
                       struct error *error);
/* A thermostat's state, and the number of the state. */
bool motion_read_thermostat(struct motion *motion, struct thermostat_state *thermostat,
                            uint64_t *step, struct error *error);
/* Whether a state can stay on the device from one call to the next; else it has to be read and
 * written between two, and its kinetic energy is not known. */
bool motion_goes_on(const struct motion *motion);
/* How long the device took for all steps, lists included, without what went to and from the host.
 */
double motion_seconds(const struct motion *motion);
/* How many bytes have gone to and from the device. */
uint64_t motion_bytes(const struct motion *motion);
/* Whether what particles carry through faces is counted. */
bool motion_counts_faces(const struct motion *motion);
/* How often a structure that had served several steps was built again in all of them. */
uint64_t motion_renewals(const struct motion *motion);
/* How many of these times an outer list that it is pruned from still served. */
uint64_t motion_prunings(const struct motion *motion);
/* How often a part was renewed in between. */
uint64_t motion_parts_renewed(const struct motion *motion);

const struct device_rates *session_rates(struct session *session);

#endif
