/*
 * early_exit_text — kernels of time steps that exit early once the list has expired.
 *
 * Steps are enqueued several at a time. Where one of them finds that the structure no longer
 * serves the particles, the state has to stay what it is until the structure is built again. So
 * every kernel of the integrator and of the forces is given parameters behind its own, and begins
 * with a look at them. Those of the forces get `step_halted`; those of the integrator also get what
 * LOOK_HOW_FAR looks at: where the structure was built for each particle, how far it may be from
 * there, and the number of the step in the run. A kernel that takes such a number may find, while
 * some of its work-groups have not begun yet, that the list expires in its own step: all of it
 * runs.
 */
#ifndef PAIRMARK_KERNELS_TEXT_HALTING_TEXT_H
#define PAIRMARK_KERNELS_TEXT_HALTING_TEXT_H

#include "core/strings.h"

#include <stdbool.h>

/* Of forces, and of integrators. */
enum halting_kind { HALTING_FORCES, HALTING_OWN };

/* Appends kernels of the dialect, each with such parameters behind its own, and with a statement
 * that leaves it before its first: STEP_HALTS, of integrators STEP_HALTS_BEFORE. Lines stay where
 * they are. */
void halting_text_append(struct strbuf *text, enum halting_kind kind, const char *kernels);

/* Appends these statements and LOOK_HOW_FAR. Where STEP_HALTS is defined, all are empty. */
void halting_text_append_words(struct strbuf *text);

/* Whether an integrator's own kernels look how far particles have come. */
bool halting_text_looks(const char *kernels);

#endif
