/*
 * worker — the process that owns a device, and the calls that the user's process makes to it.
 *
 * Forked before any device library is opened, from the process that holds the cases, so that one
 * is named by its index. A worker that crashes, runs past its deadline or is killed costs the case
 * it was on: the call returns a measurement whose status is crashed, timeout or, where the system
 * was out of memory, out_of_memory, and the next call starts a new worker. So does the call after
 * one that has lost the device to its process, as a kernel that faults can, or written outside of
 * its buffers.
 *
 * A kernel may damage the process and so take down a later case of another variant. A case that
 * fails in a process that has run other variants is therefore run again in a new process, and that
 * result counts. Then each of the other variants is run again in a new process, followed by the
 * case: the one after which the crash comes back is to blame, and is not run any more. A variant
 * that was tried so shares a process with no other from then on.
 *
 * A process that closes its end of the socket and lives on is ended, as are the children that one
 * leaves: they share its group.
 *
 * What a worker may do is confined where the system can (measure/worker/confine.h).
 *
 * A signal that the caller handles (Ctrl-C) ends the wait and the worker: the call returns with the
 * status crashed and the message "interrupted", and the caller's own flag says to stop. The
 * worker dies with the thread that made the first request, however that ends.
 */
#ifndef PAIRMARK_MEASURE_WORKER_WORKER_H
#define PAIRMARK_MEASURE_WORKER_WORKER_H

#include "devices/device.h"
#include "devices/machine/peak.h"
#include "kernels/case.h"
#include "kernels/results.h"

struct worker;

/* The cases that a worker can be asked about. They outlive it and do not change. */
struct worker_cases {
    const struct case_spec *items;
    size_t count;
    void (*name)(const struct case_spec *spec, char *name, size_t size); /* for messages */
};

/* Forks at the first request. deadline_s: how long one request may take. */
struct worker *worker_create(struct worker_cases cases, const char *device, double deadline_s);
/* Sets the deadline of the requests from now on. */
void worker_set_deadline(struct worker *worker, double deadline_s);
/* Ends the process after it has closed its device; the next request starts another one. */
void worker_restart(struct worker *worker);
void worker_free(struct worker *worker); /* ends the process; NULL is fine */

/* From now on, a process runs the cases of one variant only. */
void worker_isolate_variants(struct worker *worker);
/* What was found against a variant whose earlier cases passed, in a line: the first by index 0;
 * NULL after the last. Whoever reports results reports these. */
const char *worker_blame(const struct worker *worker, size_t index);

/* The device that the worker opened. STATUS_SYSTEM when it cannot be opened, STATUS_BAD_INPUT for
 * an unknown name. */
bool worker_device(struct worker *worker, struct device_info *info, struct error *error);
/* What it can do at best. */
bool worker_rates(struct worker *worker, struct device_rates *rates, struct error *error);

/* As the session_ functions of the same name. What ends the worker is in the verdict's status.
 * worker_evaluate returns false with the status instead. */
bool worker_evaluate(struct worker *worker, size_t case_index, struct evaluation *evaluation,
                     struct verdict *verdict, struct error *error);
void worker_check(struct worker *worker, size_t case_index, struct verdict *verdict);
void worker_measure(struct worker *worker, size_t case_index, const struct sampling *sampling,
                    struct measurement *measurement);
/* Compiles the kernels of so many cases into the cache, at most eight at a time, each in a process
 * of its own. Returns when that is done, or at a signal that the caller handles. */
void worker_compile_ahead(struct worker *worker, const size_t *cases, size_t count);

/* Enumerates the devices in a child process of its own, so that the caller never opens a device
 * library. */
bool worker_enumerate(struct device_info **list, size_t *count, char *notes, size_t notes_size,
                      struct error *error);

#endif
