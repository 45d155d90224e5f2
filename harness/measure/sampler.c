#include "measure/sampler.h"

#include "measure/statistics.h"

#include <stdlib.h>
#include <time.h>

enum {
    MOST_IN_A_BATCH = 32,
    LEAST_EVER = 3,    /* even past the time cap */
    LEAST_BATCHES = 5, /* so that the samples do not all come from one lucky moment */
    MOST_BUILDS = 30,
    MOST_COLD = 256
};

static const double batch_s = 0.02;     /* how much work to enqueue before waiting */
static const double build_cap_s = 0.25; /* of timing the structure */
static const double energy_window_s =
    0.5; /* shorter windows say nothing: the counter moves in steps of about 0.1 s */

struct sampling sampling_defaults(void) {
    return (struct sampling){ .warm_up_s = 0.02,
                              .noise_target = 0.005,
                              .least_samples = 11,
                              .most_samples = 1000,
                              .time_cap_s = 0.5,
                              .cold_samples = 5 };
}

static double now_s(void) {
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

struct sampler {
    struct device *device;
    struct prepared *prepared;
    struct stamp *stamps[MOST_IN_A_BATCH + 1];
    double samples[MEASURE_MAX_SAMPLES];
    double scratch[MEASURE_MAX_SAMPLES];
    int count;
};

static void sampler_free(struct sampler *sampler) {
    for (int s = 0; s <= MOST_IN_A_BATCH; s++) {
        stamp_free(sampler->stamps[s]);
    }
    free(sampler);
}

static bool sampler_create(struct device *device, struct prepared *prepared,
                           struct sampler **sampler, struct error *error) {
    struct sampler *made = calloc(1, sizeof *made);
    if (!made) {
        return fail_out_of_memory(error, "the sampler");
    }
    made->device = device;
    made->prepared = prepared;
    for (int s = 0; s <= MOST_IN_A_BATCH; s++) {
        if (!stamp_create(device, &made->stamps[s], error)) {
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
    const double start = now_s();
    int runs = 0;
    do {
        if (!prepared_enqueue(sampler->prepared, error) || !device_finish(sampler->device, error)) {
            return false;
        }
        runs++;
        *each_s = (now_s() - start) / runs;
    } while (now_s() - start < least_s);
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
        if (!enqueue(sampler->prepared, error) || !stamp_record(sampler->stamps[b + 1], error)) {
            return false;
        }
    }
    return true;
}

/* Waits, and takes the times between the stamps as samples. */
static bool read_batch(struct sampler *sampler, int batch, struct error *error) {
    if (!device_finish(sampler->device, error)) {
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

/* The state while at work; energy_j becomes the joules of one evaluation. */
static void finish_state(struct sampler *sampler, double energy_before, double window_s,
                         struct measurement *measurement) {
    struct device_state after;
    device_read_state(sampler->device, &after);
    measurement->state.energy_j =
        window_s >= energy_window_s ? (after.energy_j - energy_before) / sampler->count : NAN;
}

static bool sample_hot(struct sampler *sampler, const struct sampling *sampling,
                       struct measurement *measurement, struct error *error) {
    double each_s;
    double relative_error;
    struct device_state before;
    const char *reason = NULL;
    int batches = 0;
    if (!warm_up(sampler, sampling->warm_up_s, &each_s, error)) {
        return false;
    }
    device_read_state(sampler->device, &before);
    const double start = now_s();
    while (!reason) {
        const int batch = batch_size(sampling, each_s, sampler->count);
        /* Building again gives the particles of a cell another order, which shifts some times by
         * several percent: the median is over such orders. */
        if (!prepared_build(sampler->prepared, error) ||
            !enqueue_batch(sampler, batch, prepared_enqueue, error)) {
            return false;
        }
        if (batches++ == 0) {
            device_read_state(sampler->device, &measurement->state); /* while it works */
        }
        if (!read_batch(sampler, batch, error)) {
            return false;
        }
        summarize(sampler, &measurement->force, &relative_error);
        reason = stop_reason(sampling, batches, sampler->count, relative_error, now_s() - start);
    }
    measurement->force.stop_reason = reason;
    finish_state(sampler, before.energy_j, now_s() - start, measurement);
    measurement->sample_count = sampler->count;
    for (int i = 0; i < sampler->count; i++) {
        measurement->samples[i] = (float)sampler->samples[i];
    }
    return true;
}

/* The median of `most` units of work taken one by one, each behind a flushed cache if asked for. */
static bool median_one_by_one(struct sampler *sampler, enqueue_function enqueue, int most,
                              double cap_s, bool flush, double *median_s, struct error *error) {
    struct timing timing;
    double relative_error;
    const double start = now_s();
    sampler->count = 0;
    while (sampler->count < most && (sampler->count < LEAST_EVER || now_s() - start < cap_s)) {
        if ((flush && !device_flush_cache(sampler->device, error)) ||
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
    if (prepared_has_structure(sampler->prepared) &&
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

bool sampler_run(struct device *device, struct prepared *prepared, const struct sampling *sampling,
                 struct measurement *measurement, struct error *error) {
    struct sampler *sampler = NULL;
    if (!sampler_create(device, prepared, &sampler, error)) {
        return false;
    }
    bool sampled = sample_all(sampler, sampling, measurement, error);
    sampler_free(sampler);
    return sampled;
}
