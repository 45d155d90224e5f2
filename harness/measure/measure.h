/*
 * measure — a device with boxes and references at hand: evaluates, gates and times cases.
 *
 * Lives in a worker process (or a test); the process that the user starts goes through
 * measure/worker/worker.h.
 */
#ifndef PAIRMARK_MEASURE_MEASURE_H
#define PAIRMARK_MEASURE_MEASURE_H

#include "devices/device.h"
#include "devices/machine/peak.h"
#include "kernels/case.h"
#include "kernels/results.h"

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

/* Compiles what session_measure() will run, into the cache. What fails fails again there. */
void session_compile(struct session *session, const struct case_spec *spec);

/* The gate alone; of what case_is_long(), one launch. What stops the case is in
 * verdict->status and message; nothing is returned as an error. */
void session_check(struct session *session, const struct case_spec *spec, struct verdict *verdict);

/* Gate, time, gate again. A case that fails either gate is never timed to the outside:
 * verdict.status says so and `timed` is false. */
void session_measure(struct session *session, const struct case_spec *spec,
                     const struct sampling *sampling, struct measurement *measurement);

/* What the device can do at best; measured, or read from a cache, when first asked for. */
const struct device_rates *session_rates(struct session *session);

#endif
