/*
 * guard — room before and behind every buffer that nobody may write. Private to harness/devicess.
 *
 * A buffer lies in the middle of a larger one of the backend's. Both ends of that are filled with a
 * pattern that is a NaN as float and as double and far out of range as an index, and with zeros
 * after each look at them: who reads there gets a wrong result or faults, unless what was read is
 * left out in both cases; who writes there is found by device_check_guards().
 *
 * Without guards (PAIRMARK_GUARDS=0) a buffer is the backend's own, so that tools which know the
 * bounds of allocations see accesses beyond them.
 */
#ifndef PAIRMARK_DEVICES_GUARD_H
#define PAIRMARK_DEVICES_GUARD_H

#include "devices/backend.h"

/* Whether buffers get guards: unless the environment's PAIRMARK_GUARDS is 0. */
bool guards_wanted(void);

/* As buffer_allocate() and buffer_free(), which are these. The buffer joins the device's list. */
bool guard_allocate(struct device *device, size_t bytes, struct buffer **buffer,
                    struct error *error);
void guard_free(struct buffer *buffer);

/* Before the device is closed. */
void guards_close(struct device *device);

#endif
