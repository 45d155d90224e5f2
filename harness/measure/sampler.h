/*
 * sampler — how often to launch, and what the times come to.
 *
 * One sample is one evaluation between two device time stamps. Hot samples are enqueued back to
 * back in batches, so that the host's launch latency hides behind the device's work; cold ones are
 * taken one by one behind a flush of the last-level cache. Sampling stops when the relative
 * standard error of the median falls under the target, with least and most counts and a cap on the
 * time; which of them stopped it is recorded.
 */
#ifndef PAIRMARK_MEASURE_SAMPLER_H
#define PAIRMARK_MEASURE_SAMPLER_H

#include "measure/prepared.h"

/* Fills the time and state fields of *measurement from hot (and, where asked for, cold) samples,
 * and the time to build the structure. The structure must have been built. */
bool sampler_run(struct device *device, struct prepared *prepared, const struct sampling *sampling,
                 struct measurement *measurement, struct error *error);

#endif
