/*
 * confine_calls — the system calls that a confined process has no use for (seccomp).
 *
 * What Landlock does not know: sockets but those of the machine itself, and calls that change the
 * system or go around the rules (mounting, modules, tracing, io_uring).
 */
#ifndef PAIRMARK_CORE_CONFINE_CALLS_H
#define PAIRMARK_CORE_CONFINE_CALLS_H

#include <stdbool.h>

/* Whether there is a filter for this machine's processor. */
bool confine_calls_known(void);

/* Refuses them from now on, for this process (of a single thread, with no new privileges) and all
 * that it starts. False: the system does not let it. True where there is no filter. */
bool confine_calls(void);

#endif
