#include "measure/sampler.h"

#include "base/clock.h"
#include "measure/energy.h"
#include "measure/machine_load.h"
#include "measure/statistics.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_IN_A_BATCH = 32,
    LEAST_EVER = 3,    /* even past the time cap */
    LEAST_BATCHES = 5, /* so that the samples do not all come from one lucky moment */
    MOST_BUILDS = 30,
    MOST_COLD = 256,
    MOST_DROPPED = 20 /* batches */
};

static const double batch_s = 0.02;     /* how much work to enqueue before waiting */
static const double build_cap_s = 0.25; /* of timing the structure */
static const double look_s = 5e-3;      /* between two looks at the energy counter */
static const double shortest_s = 1e-6;  /* of a launch, for how many to enqueue between looks */
static const double settle_s = 0.3;     /* of the same work, before its power is counted */
static const double energy_cap_s = 2;   /* beyond its window, if the counter does not move */

struct sampling sampling_defaults(void) {
    return (struct sampling){ .warm_up_s = 0.02,
                              .noise_target = 0.005,
                              .least_samples = 11,
                              .most_samples = 1000,
                              .time_cap_s = 0.5,
                              .cold_samples = 5 };
}

struct sampler {
    const struct sampler_source *source;
    struct stamp *stamps[MOST_IN_A_BATCH + 1];
    double samples[MEASURE_MAX_SAMPLES];
    double scratch[MEASURE_MAX_SAMPLES];
    int count;
    int dropped, dropped_batches; /* throttled */
};

static void sampler_free(struct sampler *sampler) {
    for (int s = 0; s <= MOST_IN_A_BATCH; s++) {
        stamp_free(sampler->stamps[s]);
    }
    free(sampler);
}

static bool sampler_create(const struct sampler_source *source, struct sampler **sampler,
                           struct error *error) {
    struct sampler *made = calloc(1, sizeof *made);
    if (!made) {
        return fail_out_of_memory(error, "the sampler");
    }
    made->source = source;
    for (int s = 0; s <= MOST_IN_A_BATCH; s++) {
        if (!stamp_create(source->device, &made->stamps[s], error)) {
            sampler_free(made);
            return false;
        }
    }
    *sampler = made;
    return true;
}

/* Runs until caches, clocks and lazy allocations have settled. Says how long one evaluation takes,
 * by the host's clock. */
static bool warm_up(struct sampler *sampler, double least_s, double *each_s, struct error *error) {
    const double start = clock_s();
    int runs = 0;
    do {
        if (!prepared_enqueue(sampler->source->prepared, error) ||
            !device_finish(sampler->source->device, error)) {
            return false;
        }
        runs++;
        *each_s = (clock_s() - start) / runs;
    } while (clock_s() - start < least_s);
    return true;
}

typedef bool (*enqueue_function)(struct prepared *prepared, struct error *error);

/* Enqueues `batch` units of work with a stamp before, between and after. */
static bool enqueue_batch(struct sampler *sampler, int batch, enqueue_function enqueue,
                          struct error *error) {
    if (!stamp_record(sampler->stamps[0], error)) {
        return false;
    }
    for (int b = 0; b < batch; b++) {
        if (!enqueue(sampler->source->prepared, error) ||
            !stamp_record(sampler->stamps[b + 1], error)) {
            return false;
        }
    }
    return true;
}

/* Waits, and takes the times between the stamps as samples. */
static bool read_batch(struct sampler *sampler, int batch, struct error *error) {
    if (!device_finish(sampler->source->device, error)) {
        return false;
    }
    for (int b = 0; b < batch; b++) {
        double seconds;
        if (!stamp_elapsed(sampler->stamps[b], sampler->stamps[b + 1], &seconds, error)) {
            return false;
        }
        if (sampler->count < MEASURE_MAX_SAMPLES) {
            sampler->samples[sampler->count++] = seconds;
        }
    }
    return true;
}

/* Order statistics of the samples so far; leaves them as they are. */
static void summarize(struct sampler *sampler, struct timing *timing, double *relative_error) {
    static const char *const still_running = "";
    double *sorted = sampler->scratch;
    const size_t count = (size_t)sampler->count;
    double deviations[MEASURE_MAX_SAMPLES];
    for (size_t i = 0; i < count; i++) {
        sorted[i] = sampler->samples[i];
    }
    sort_numbers(sorted, count);
    const double median = quantile_of_sorted(sorted, count, 0.5);
    const double mad = mad_of_sorted(sorted, count, median, deviations);
    *timing = (struct timing){ .median_s = median,
                               .min_s = count ? sorted[0] : median,
                               .p05_s = quantile_of_sorted(sorted, count, 0.05),
                               .p95_s = quantile_of_sorted(sorted, count, 0.95),
                               .mad_s = mad,
                               .samples = sampler->count,
                               .stop_reason = still_running };
    *relative_error = relative_error_of_median(median, mad, count);
}

/* Why to stop now; NULL to go on. */
static const char *stop_reason(const struct sampling *sampling, int batches, int count,
                               double relative_error, double spent_s) {
    if (batches >= LEAST_BATCHES && count >= sampling->least_samples &&
        relative_error <= sampling->noise_target) {
        return "noise";
    }
    if (count >= sampling->most_samples || count >= MEASURE_MAX_SAMPLES) {
        return "most_samples";
    }
    if (spent_s >= sampling->time_cap_s && count >= LEAST_EVER) {
        return "time_cap";
    }
    return NULL;
}

static int batch_size(const struct sampling *sampling, double each_s, int count) {
    int batch = each_s > 0 ? (int)(batch_s / each_s) : MOST_IN_A_BATCH;
    batch = batch < 1 ? 1 : batch;
    batch = batch > MOST_IN_A_BATCH ? MOST_IN_A_BATCH : batch;
    const int left = sampling->most_samples - count;
    return left > 0 && batch > left ? left : batch;
}

/* What the device says while a batch works, and whether to drop the batch: not for ever, and not
 * once the time is up. */
static bool drops(struct sampler *sampler, bool first, bool in_time,
                  struct measurement *measurement) {
    const struct sampler_source *source = sampler->source;
    struct device_state now;
    source->read_clock(source->device, &now);
    if (now.sm_clock_mhz > 0 || now.throttle_reasons[0]) {
        measurement->samples_dropped = sampler->dropped; /* it can tell */
    }
    const bool throttled = clock_watch_throttled(source->clocks, &now);
    if (throttled && in_time && sampler->dropped_batches < MOST_DROPPED) {
        return true;
    }
    if (first) {
        source->read_state(source->device, &measurement->state);
        measurement->state.energy_j = NAN; /* a counter so far */
    }
    if (throttled) { /* of what is kept, the worst is told */
        measurement->state.sm_clock_mhz = now.sm_clock_mhz;
        memcpy(measurement->state.throttle_reasons, now.throttle_reasons,
               sizeof now.throttle_reasons);
    }
    return false;
}

/* One batch, kept or dropped. */
static bool sample_batch(struct sampler *sampler, int batch, bool in_time,
                         struct measurement *measurement, struct error *error) {
    /* Building again gives the particles of a cell another order, which shifts some times by
     * several percent: the median is over such orders. */
    if (!prepared_build(sampler->source->prepared, error) ||
        !enqueue_batch(sampler, batch, prepared_enqueue, error)) {
        return false;
    }
    if (!drops(sampler, sampler->count == 0, in_time, measurement)) {
        return read_batch(sampler, batch, error);
    }
    sampler->dropped += batch;
    sampler->dropped_batches++;
    measurement->samples_dropped = sampler->dropped;
    return device_finish(sampler->source->device, error);
}

/* Batches until there is a reason to stop; each_s: how long an evaluation takes, roughly. */
static bool sample_batches(struct sampler *sampler, const struct sampling *sampling, double each_s,
                           struct measurement *measurement, struct error *error) {
    const char *reason = NULL;
    const double start = clock_s();
    for (int batches = 1; !reason; batches++) {
        double relative_error;
        const int batch = batch_size(sampling, each_s, sampler->count);
        const bool in_time = clock_s() - start < sampling->time_cap_s;
        if (!sample_batch(sampler, batch, in_time, measurement, error)) {
            return false;
        }
        summarize(sampler, &measurement->force, &relative_error);
        reason = stop_reason(sampling, batches - sampler->dropped_batches, sampler->count,
                             relative_error, clock_s() - start);
    }
    measurement->force.stop_reason = reason;
    return true;
}

/* Enqueues launches and a stamp behind them, then waits for those enqueued two turns before: the
 * device does not run out of work while the counter is read, which takes a driver 3 ms. `turn`
 * counts from 1. */
static bool launch_ahead(struct sampler *sampler, long turn, int batch, struct error *error) {
    enum { RING = 4 };
    double ignored;
    for (int b = 0; b < batch; b++) {
        if (!prepared_enqueue(sampler->source->prepared, error)) {
            return false;
        }
    }
    return stamp_record(sampler->stamps[turn % RING], error) &&
           (turn < 4 || stamp_elapsed(sampler->stamps[(turn - 3) % RING],
                                      sampler->stamps[(turn - 2) % RING], &ignored, error));
}

/* Launches that follow each other without a pause for as long as the counter needs. */
static bool sample_energy(struct sampler *sampler, struct measurement *measurement,
                          struct error *error) {
    const struct sampler_source *source = sampler->source;
    const double launch_s = fmax(measurement->force.median_s, shortest_s);
    const double window_s = energy_window_s(launch_s);
    const int batch = launch_s < look_s ? (int)(look_s / launch_s) : 1;
    const double start = clock_s();
    struct energy_watch watch = { 0 };
    struct device_state now;
    double power = NAN;
    long turns = 0;
    source->read_state(source->device, &now);
    while (now.energy_j >= 0 && isnan(power) && clock_s() - start < window_s + energy_cap_s) {
        if (!launch_ahead(sampler, ++turns, batch, error)) {
            return false;
        }
        source->read_state(source->device, &now);
        if (clock_s() - start >= settle_s) {
            energy_watch_take(&watch, clock_s(), now.energy_j);
        }
        power = energy_watch_power(&watch, window_s);
    }
    if (!device_finish(source->device, error)) {
        return false;
    }
    if (turns > 0) {
        measurement->state.power_w = power; /* a driver's own reading is a mean over a second */
        measurement->state.energy_j = power * (clock_s() - start) / ((double)turns * batch);
    }
    return true;
}

static bool sample_hot(struct sampler *sampler, const struct sampling *sampling,
                       struct measurement *measurement, struct error *error) {
    const struct sampler_source *source = sampler->source;
    struct device_state before;
    struct device_state after;
    double each_s;
    if (!warm_up(sampler, sampling->warm_up_s, &each_s, error)) {
        return false;
    }
    source->read_state(source->device, &before);
    const double start = clock_s();
    if (!sample_batches(sampler, sampling, each_s, measurement, error)) {
        return false;
    }
    const double window_s = clock_s() - start;
    source->read_state(source->device, &after);
    if (window_s >= energy_window_s(0)) {
        measurement->state.energy_j =
            (after.energy_j - before.energy_j) / (sampler->count + sampler->dropped);
    }
    measurement->sample_count = sampler->count;
    for (int i = 0; i < sampler->count; i++) {
        measurement->samples[i] = (float)sampler->samples[i];
    }
    return !sampling->energy || sample_energy(sampler, measurement, error);
}

/* The median of `most` units of work taken one by one, each behind a flushed cache if asked for. */
static bool median_one_by_one(struct sampler *sampler, enqueue_function enqueue, int most,
                              double cap_s, bool flush, double *median_s, struct error *error) {
    struct timing timing;
    double relative_error;
    const double start = clock_s();
    sampler->count = 0;
    while (sampler->count < most && (sampler->count < LEAST_EVER || clock_s() - start < cap_s)) {
        if ((flush && !device_flush_cache(sampler->source->device, error)) ||
            !enqueue_batch(sampler, 1, enqueue, error) || !read_batch(sampler, 1, error)) {
            return false;
        }
    }
    summarize(sampler, &timing, &relative_error);
    *median_s = timing.median_s;
    return true;
}

static bool sample_all(struct sampler *sampler, const struct sampling *sampling,
                       struct measurement *measurement, struct error *error) {
    if (prepared_has_structure(sampler->source->prepared) &&
        !median_one_by_one(sampler, prepared_build, MOST_BUILDS, build_cap_s, false,
                           &measurement->build_s_median, error)) {
        return false;
    }
    if (sampling->cold_samples > 0) {
        const int most = sampling->cold_samples < MOST_COLD ? sampling->cold_samples : MOST_COLD;
        if (!median_one_by_one(sampler, prepared_enqueue, most, sampling->time_cap_s, true,
                               &measurement->cold_force_s_median, error)) {
            return false;
        }
    }
    sampler->count = 0;
    return sample_hot(sampler, sampling, measurement, error);
}

bool sampler_run(const struct sampler_source *source, const struct sampling *sampling,
                 struct measurement *measurement, struct error *error) {
    struct sampler *sampler = NULL;
    struct machine_moment began;
    if (!sampler_create(source, &sampler, error)) {
        return false;
    }
    machine_look(&began);
    bool sampled = sample_all(sampler, sampling, measurement, error);
    if (device_describe(source->device)->is_cpu) {
        measurement->machine_load = machine_load_since(&began);
    }
    sampler_free(sampler);
    return sampled;
}
