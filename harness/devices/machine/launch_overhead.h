/*
 * launch_overhead — what the sampler reads for a kernel that does nothing: the device's own cost of
 * a launch, which every sample holds once a launch.
 */
#ifndef PAIRMARK_DEVICES_MACHINE_LAUNCH_OVERHEAD_H
#define PAIRMARK_DEVICES_MACHINE_LAUNCH_OVERHEAD_H

#include "devices/device.h"

/* A case shorter than this many overheads is marked: a third of its time and more is not its own.
 */
enum { SHORT_IN_OVERHEADS = 3 };

/* The median time between two neighbouring stamps with one launch of an empty kernel (a single
 * work-group) between them, enqueued by the dozen before the first is waited for, as the sampler
 * does: launches follow each other as fast as the device starts them or the host enqueues them,
 * whichever is slower. What the host waits for a launch to come back is not in it. */
bool launch_overhead_measure(struct device *device, double *seconds, struct error *error);

#endif
