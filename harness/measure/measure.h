/*
 * measure — a device with boxes and references at hand: evaluates, gates and times cases.
 *
 * Lives in a worker process (or a test); the process that the user starts goes through
 * worker/worker.h.
 */
#ifndef PAIRMARK_MEASURE_MEASURE_H
#define PAIRMARK_MEASURE_MEASURE_H

#include "case/case.h"
#include "case/results.h"
#include "device/device.h"
#include "machine/peak.h"
#include "prepare/kernel_plan.h"

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

/* The gate alone. What stops the case is in verdict->status and message; nothing is returned as an
 * error. */
void session_check(struct session *session, const struct case_spec *spec, struct verdict *verdict);

/* Gate, time, gate again. A case that fails either gate is never timed to the outside:
 * verdict.status says so and `timed` is false. */
void session_measure(struct session *session, const struct case_spec *spec,
                     const struct sampling *sampling, struct measurement *measurement);

/* ---- simulations ---- */

struct motion; /* a box that is moved on the device */

/* What is summed over the pairs at a state. */
struct motion_sums {
    double potential, virial[9]; /* virial: where the case's outputs have it, else NaN */
};

/* Prepares a case of workload step to go on from any state of the particles of `box`, which is as
 * the device has it (box_as_device). Its number of steps counts for nothing; it asks for energies.
 * The case, the box and the session outlive it. */
bool motion_create(struct session *session, const struct case_spec *spec, const struct box *box,
                   double cutoff, struct motion **motion, struct error *error);
void motion_free(struct motion *motion); /* NULL is fine */

/* Takes a state so many steps on and tells what became of it: `state` is read and written, but for
 * its forces and crossings, which are written. The same state gives the same bits where the variant
 * is deterministic: lists are built and forces computed at its start. Of no steps: the forces and
 * the sums. On failure the state may be anything. */
bool motion_advance(struct motion *motion, uint64_t steps, struct plan_motion *state,
                    struct motion_sums *sums, struct error *error);
/* How often a structure that had served several steps was built again in all of them. */
uint64_t motion_renewals(const struct motion *motion);

const struct device_rates *session_rates(struct session *session);

#endif
