/*
 * halting_text — kernels that do nothing once a run of time steps has halted.
 *
 * Steps are enqueued several at a time. Where one of them finds that the structure no longer
 * serves the particles, the state has to stay what it is until the structure is built again. So
 * every kernel of the integrator and of the forces is given one parameter more, the last, and
 * begins with a look at it.
 */
#ifndef PAIRMARK_PREPARE_HALTING_TEXT_H
#define PAIRMARK_PREPARE_HALTING_TEXT_H

#include "base/strbuf.h"

/* Appends kernels of the dialect, each with `GLOBAL const int *step_halted` behind its own
 * parameters, and with STEP_HALTS, which leaves it where that is not 0, before its first statement.
 * Lines stay where they are. */
void halting_text_append(struct strbuf *text, const char *kernels);

#endif
