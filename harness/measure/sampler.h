/*
 * sampler — how often to launch, and what the times come to.
 *
 * One sample is one evaluation between two device time stamps. Hot samples are enqueued in batches
 * behind work that lets the host run ahead, so that its latency does not show; each batch is a
 * round of measure/launches/launch_judge.h, and each of its launches is judged between the stamps
 * of one sample and the next. Cold ones are taken one by one behind a flush of the last-level
 * cache, each a round of its own. Sampling stops when the relative standard error of the median
 * falls under the target, with least and most counts and a cap on the time; which of them stopped
 * it is recorded.
 *
 * The clock is read once a batch, while it works. A batch that ran throttled
 * (devices/machine/machine_watch.h) is dropped, its samples are counted, and another one takes its
 * place: at most 20 batches, and none once the cap on the time has passed. What still comes
 * throttled then is what the device can sustain: it is kept, and state.throttle_reasons says so.
 *
 * Energy: from the sampling, where its window is at least half a second; it then holds the building
 * between batches, too. other_times.h measures it where sampling.energy asks for that.
 */
#ifndef PAIRMARK_MEASURE_SAMPLER_H
#define PAIRMARK_MEASURE_SAMPLER_H

#include "devices/machine/machine_watch.h"
#include "measure/launches/launch_judge.h"
#include "measure/prepare/kernel_plan.h"

/* What is sampled, and what knows its state. */
struct sampler_source {
    struct device *device;
    struct kernel_plan *plan;
    struct launch_judge *judge;       /* of the prepared case */
    const struct launch_tools *tools; /* of its precision */
    double launch_s;                  /* what a launch costs; NaN: not known */
    struct clock_watch *clocks;       /* of the device, over all that was sampled on it */
    /* device_read_clock and device_read_state, or a test's */
    void (*read_clock)(struct device *device, struct device_state *state);
    void (*read_state)(struct device *device, struct device_state *state);
};

/* Fills the time and state fields of *measurement from hot (and, where asked for, cold) samples,
 * and the time to build the structure. measurement->verdict, STATUS_OK before, becomes STATUS_WRONG
 * or STATUS_STALE where a timed launch shows it. The structure must have been built. */
bool sampler_run(const struct sampler_source *source, const struct sampling *sampling,
                 struct measurement *measurement, struct error *error);

#endif
