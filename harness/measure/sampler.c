#include "measure/one_case.h"

#include "core/host.h"
#include "core/statistics.h"
#include "devices/machine/machine_watch.h"
#include "measure/launches/staleness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_IN_A_BATCH = 8,
    MIN_OF_DRAWS = 4, /* in a batch: see batch_size() */
    MIN_EVER = 3,     /* even past the time cap */
    MIN_BATCHES = 20, /* so that the samples do not all come from one lucky moment */
    MAX_COLD = 256,
    BUILDS_PER_JUDGED = 4,
    MAX_DROPPED = 20 /* batches */
};

/* How much work to enqueue before waiting. Short: samples of a batch share an order of the
 * particles and a structure, and so say less than those of several batches. */
static const double batch_s = 0.005;
static const double enqueue_s = 16e-6; /* that the host may take to enqueue a launch, its stamps and
                                          its judging */
static const double single_s = 200e-6; /* the same of a launch by itself */
static const double build_enqueue_s =
    500e-6;                             /* the same of a structure, whose kernels are several */
static const double build_cap_s = 0.25; /* of timing the structure, by */
static const double builds_in_cap = 30; /* so many builds; fewer have as much less */

struct sampler {
    const struct sampler_source *source;
    struct event *from[MAX_IN_A_BATCH + 1];
    struct event *to[MAX_IN_A_BATCH + 1];
    double samples[MEASURE_MAX_SAMPLES];
    double scratch[MEASURE_MAX_SAMPLES];
    double batch_medians[MEASURE_MAX_SAMPLES];
    double clocks_mhz[MEASURE_MAX_SAMPLES]; /* of the batches kept, as far as they are known */
    int count, batches, clocks;
    int dropped, dropped_batches; /* throttled */
    struct staleness staleness;   /* of the hot batches */
    struct staleness_limits limits;
    double
        moving_s; /* by the host's clock: what went before the latest launch over moved particles */
    bool own_results_tried; /* whether the kernel looks at its own results is known */
    bool doubts;            /* see staleness_is_doubtful() */
    int alone;              /* which launch of this batch is by itself, and no sample; -1: none */
};

static void sampler_free(struct sampler *sampler) {
    for (int s = 0; s <= MAX_IN_A_BATCH; s++) {
        event_free(sampler->from[s]);
        event_free(sampler->to[s]);
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
    made->limits = staleness_limits_of(source->launch_s, device_describe(source->device)->is_cpu);
    for (int s = 0; s <= MAX_IN_A_BATCH; s++) {
        if (!event_create(source->device, &made->from[s], error) ||
            !event_create(source->device, &made->to[s], error)) {
            sampler_free(made);
            return false;
        }
    }
    *sampler = made;
    return true;
}

/* Runs until caches, clocks and lazy allocations have settled. Says how long one evaluation takes,
 * by the host's clock. Outputs are overwritten with garbage in between, because one that finds its
 * own results might take no time, and batches would be too long. */
static bool warm_up(struct sampler *sampler, double min_s, double *each_s, struct error *error) {
    const struct sampler_source *source = sampler->source;
    double runs = 0; /* of a long one more than an int holds */
    if (!launch_judge_begin(source->judge, error) || !device_finish(source->device, error)) {
        return false;
    }
    const double start = clock_s();
    do {
        if (!kernel_plan_enqueue(source->plan, error) ||
            !launch_judge_launch(source->judge, 0, true, error) ||
            !device_finish(source->device, error)) {
            return false;
        }
        runs++;
        *each_s = (clock_s() - start) / runs;
    } while (clock_s() - start < min_s);
    return true;
}

typedef bool (*enqueue_function)(struct kernel_plan *plan, struct error *error);

/* Enqueues one unit of work between two stamps. */
static bool enqueue_timed(struct sampler *sampler, int place, enqueue_function enqueue,
                          struct error *error) {
    return event_record(sampler->from[place], error) && enqueue(sampler->source->plan, error) &&
           event_record(sampler->to[place], error);
}

static bool tries_own(const struct sampler *sampler) {
    return !sampler->own_results_tried && staleness_try_own(&sampler->staleness, &sampler->limits);
}

/* Leaves the device idle for as long as it is before a launch over moved particles, while the host
 * is busy. A processor's threads fall asleep meanwhile, and on a busy machine wait to run again. */
static bool leave_idle(const struct sampler *sampler, struct error *error) {
    if (!device_finish(sampler->source->device, error)) {
        return false;
    }
    for (const double end = clock_s() + sampler->moving_s; clock_s() < end;) {
    }
    return true;
}

/* Before each launch of a batch. */
static bool ready_for(struct sampler *sampler, int launch, bool by_itself, struct error *error) {
    const struct sampler_source *source = sampler->source;
    const double between_s =
        kernel_plan_builds_in_launch(source->plan) ? build_enqueue_s : 2 * enqueue_s;
    return (!by_itself || leave_idle(sampler, error)) &&
           launch_judge_ready(source->judge, launch, by_itself ? single_s : between_s, error) &&
           (!by_itself || launch_tools_spend(source->tools, single_s, error));
}

/* Enqueues `batch` evaluations, and with `own` one over its own results, each between stamps and
 * judged after them. What keeps the device at work before them lets the host run ahead, so that no
 * time is the host's. */
static bool enqueue_batch(struct sampler *sampler, int batch, bool own, struct error *error) {
    const struct sampler_source *source = sampler->source;
    if (!launch_tools_spend(source->tools, (batch + 1) * enqueue_s, error)) {
        return false;
    }
    for (int b = 0; b < batch + own; b++) {
        const bool poison = !own || b != batch - 1;
        if (!ready_for(sampler, b, b == sampler->alone, error) ||
            !enqueue_timed(sampler, b, kernel_plan_enqueue, error) ||
            !launch_judge_launch(source->judge, b, poison, error)) {
            return false;
        }
    }
    return true;
}

static bool elapsed(const struct sampler *sampler, int place, double *seconds,
                    struct error *error) {
    return event_elapsed(sampler->from[place], sampler->to[place], seconds, error);
}

/* Takes the times of a batch, whose stamps have all been reached, as samples. */
static bool take_batch(struct sampler *sampler, int batch, bool own, struct error *error) {
    struct staleness *staleness = &sampler->staleness;
    double taken[MAX_IN_A_BATCH];
    size_t count = 0;
    double own_s = NAN;
    for (int b = 0; b < batch + own; b++) {
        double seconds;
        if (!elapsed(sampler, b, &seconds, error)) {
            return false;
        }
        if (b == batch) {
            own_s = seconds;
        } else if (b == sampler->alone) {
            staleness_add_alone(staleness, seconds);
        } else {
            taken[count++] = seconds;
        }
    }
    if (sampler->alone != 0) { /* else the first sample is of the round's second launch */
        staleness_add(staleness, taken, count, own_s);
    }
    for (size_t k = 0; k < count && sampler->count < MEASURE_MAX_SAMPLES; k++) {
        sampler->samples[sampler->count++] = taken[k];
    }
    sort_numbers(taken, count);
    if (count > 0 && sampler->batches < MEASURE_MAX_SAMPLES) {
        sampler->batch_medians[sampler->batches++] = quantile_of_sorted(taken, count, 0.5);
    }
    return true;
}

/* The relative error of the median of all samples, as far as their batches show it: samples that
 * share an order and a structure are not independent. 0 where there are no batches. */
static double relative_error_by_batches(struct sampler *sampler) {
    double *sorted = sampler->scratch;
    double deviations[MEASURE_MAX_SAMPLES];
    const size_t count = (size_t)sampler->batches;
    memcpy(sorted, sampler->batch_medians, count * sizeof *sorted);
    sort_numbers(sorted, count);
    const double median = quantile_of_sorted(sorted, count, 0.5);
    const double mad = mad_of_sorted(sorted, count, median, deviations);
    return count > 0 ? relative_error_of_median(median, mad, count) : 0;
}

/* Computes order statistics of the samples so far and leaves the samples in their order. */
static void summarize(struct sampler *sampler, struct timing *timing, double *relative_error) {
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
                               .samples = sampler->count };
    *relative_error =
        fmax(relative_error_of_median(median, mad, count), relative_error_by_batches(sampler));
}

/* The reason to stop sampling now; NULL: go on. */
static const char *stop_reason(const struct sampling *sampling, int batches, int count,
                               double relative_error, double spent_s) {
    if (batches >= MIN_BATCHES && count >= sampling->min_samples &&
        relative_error <= sampling->noise_target) {
        return "noise";
    }
    if (count >= sampling->max_samples || count >= MEASURE_MAX_SAMPLES) {
        return "most_samples";
    }
    if (spent_s >= sampling->time_cap_s && count >= MIN_EVER) {
        return "time_cap";
    }
    return NULL;
}

/* A batch of random numbers has at least MIN_OF_DRAWS launches: a generator could compute the first
 * step after a seed while it is seeded, which is not timed, and keep it in its state. */
static int batch_size(const struct sampler *sampler, const struct sampling *sampling,
                      double each_s) {
    const int least = kernel_plan_has_particles(sampler->source->plan) ? 1 : MIN_OF_DRAWS;
    int batch = each_s > 0 ? (int)(batch_s / each_s) : MAX_IN_A_BATCH;
    batch = batch < least ? least : batch;
    batch = batch > MAX_IN_A_BATCH ? MAX_IN_A_BATCH : batch;
    const int left = sampling->max_samples - sampler->count;
    return left > 0 && batch > left ? left : batch;
}

/* The clock of a batch that is kept, and the median over those so far: of the times, the median is
 * taken, too. */
static void keep_clock(struct sampler *sampler, double mhz, struct measurement *measurement) {
    double *sorted = sampler->scratch;
    if (!(mhz > 0) || sampler->clocks == MEASURE_MAX_SAMPLES) {
        return;
    }
    sampler->clocks_mhz[sampler->clocks++] = mhz;
    const size_t count = (size_t)sampler->clocks;
    memcpy(sorted, sampler->clocks_mhz, count * sizeof *sorted);
    sort_numbers(sorted, count);
    measurement->state.sm_clock_mhz = sorted[(count - 1) / 2];
}

/* What the device says while a batch works, and whether to drop the batch: not for ever, and not
 * once the time is up. */
static bool drops(struct sampler *sampler, bool first, bool in_time,
                  struct measurement *measurement) {
    const struct sampler_source *source = sampler->source;
    struct device_state now;
    source->read_clock(source->device, &now);
    if (now.sm_clock_mhz > 0 || now.throttle_reasons[0]) {
        measurement->samples_dropped = sampler->dropped; /* it is known */
    }
    const bool throttled = clock_watch_throttled(source->clocks, &now);
    if (throttled && in_time && sampler->dropped_batches < MAX_DROPPED) {
        return true;
    }
    if (first) {
        source->read_state(source->device, &measurement->state);
        measurement->state.energy_j = NAN; /* a counter so far */
    }
    keep_clock(sampler, now.sm_clock_mhz, measurement);
    if (throttled) { /* of the samples kept, the worst is reported */
        memcpy(measurement->state.throttle_reasons, now.throttle_reasons,
               sizeof now.throttle_reasons);
    }
    return false;
}

/* One batch, kept or dropped; judged in either case. A round of its own: another order of the
 * particles and of those in a cell shifts some times by several percent, and the median is over
 * such orders. */
static bool sample_batch(struct sampler *sampler, int batch, bool in_time,
                         struct measurement *measurement, struct error *error) {
    struct launch_judge *judge = sampler->source->judge;
    const bool own = tries_own(sampler);
    sampler->alone =
        sampler->doubts && !own && draw_seed() % 2 == 0 ? (int)(draw_seed() % (uint64_t)batch) : -1;
    if (!launch_judge_begin(judge, error) || !enqueue_batch(sampler, batch, own, error)) {
        return false;
    }
    const bool dropped = drops(sampler, sampler->count == 0, in_time, measurement);
    if (!launch_judge_end(judge, batch + own, &measurement->verdict, error)) {
        return false;
    }
    if (!dropped) {
        return take_batch(sampler, batch, own, error);
    }
    sampler->dropped += batch;
    sampler->dropped_batches++;
    measurement->samples_dropped = sampler->dropped;
    return true;
}

static bool needs_alone(const struct sampler *sampler) {
    return sampler->doubts && sampler->staleness.alone < STALENESS_LEAST_ALONE;
}

/* Batches until there is a reason to stop, a wrong launch among them; each_s: how long an
 * evaluation takes, roughly. */
static bool sample_batches(struct sampler *sampler, const struct sampling *sampling, double each_s,
                           struct measurement *measurement, struct error *error) {
    const char *reason = NULL;
    const double start = clock_s();
    for (int batches = 1; !reason; batches++) {
        double relative_error;
        const int batch = batch_size(sampler, sampling, each_s);
        const bool in_time = clock_s() - start < sampling->time_cap_s;
        if (!sample_batch(sampler, batch, in_time, measurement, error)) {
            return false;
        }
        summarize(sampler, &measurement->force, &relative_error);
        if (measurement->verdict.status != STATUS_OK) {
            reason = "wrong";
        } else if (!tries_own(sampler) && !needs_alone(sampler)) {
            reason = stop_reason(sampling, batches - sampler->dropped_batches, sampler->count,
                                 relative_error, clock_s() - start);
        }
    }
    (void)snprintf(measurement->force.stop_reason, sizeof measurement->force.stop_reason, "%s",
                   reason);
    return true;
}

/* A launch by itself over positions that no kernel can have seen: as far from those of the box as
 * what outlives moves has to bear, since a kernel may know where the particles of the box are, as
 * of a lattice; and as much work as over the box, since times are compared. */
static bool sample_one_moved(struct sampler *sampler, struct verdict *verdict,
                             struct error *error) {
    const struct sampler_source *source = sampler->source;
    struct staleness *staleness = &sampler->staleness;
    bool again = true;
    while (again) {
        const double start = clock_s();
        if (!launch_judge_begin_moved(source->judge, MOVED_NEW, error) ||
            !launch_tools_spend(source->tools, single_s, error)) {
            return false;
        }
        sampler->moving_s = clock_s() - start;
        if (!enqueue_timed(sampler, 0, kernel_plan_enqueue, error) ||
            !launch_judge_end_moved(source->judge, MOVED_NEW, verdict, &again, error) ||
            !elapsed(sampler, 0, &staleness->moved_s[staleness->moved], error)) {
            return false;
        }
    }
    staleness->moved++;
    return true;
}

typedef bool (*begin_function)(struct launch_judge *judge, struct error *error);

/* Times a single launch over the box, in the particle order of the launch before. */
static bool sample_one_unmoved(struct sampler *sampler, begin_function begin,
                               struct verdict *verdict, struct error *error) {
    const struct sampler_source *source = sampler->source;
    struct staleness *staleness = &sampler->staleness;
    if (!begin(source->judge, error)) {
        return false;
    }
    for (int launch = 0; launch < 2; launch++) {
        if (!leave_idle(sampler, error) ||
            !launch_judge_ready(source->judge, launch, single_s, error) ||
            !launch_tools_spend(source->tools, single_s, error) ||
            !enqueue_timed(sampler, launch, kernel_plan_enqueue, error) ||
            !launch_judge_launch(source->judge, launch, true, error)) {
            return false;
        }
    }
    return launch_judge_end(source->judge, 2, verdict, error) &&
           elapsed(sampler, 1, &staleness->unmoved_s[staleness->unmoved++], error);
}

/* Launches over moved particles until one of them is as quick as others, each but the last with one
 * over the same particles moved back: some kernels take half or twice as long with another order or
 * a list built over other places. Launches over known places are needed as well where the first
 * launches of rounds are slow. */
static bool sample_moved(struct sampler *sampler, struct measurement *measurement,
                         struct error *error) {
    const struct staleness *staleness = &sampler->staleness;
    const double median_s = measurement->force.median_s;
    struct verdict *verdict = &measurement->verdict;
    bool is_slow = true;
    while (is_slow && verdict->status == STATUS_OK && staleness->moved < STALENESS_MOST_MOVED) {
        if (!sample_one_moved(sampler, verdict, error)) {
            return false;
        }
        is_slow = staleness_slow_if_moved(staleness, median_s, &sampler->limits);
        if (is_slow && verdict->status == STATUS_OK &&
            !sample_one_unmoved(sampler, launch_judge_begin_moved_back, verdict, error)) {
            return false;
        }
    }
    while (staleness_in_rounds(staleness, &sampler->limits) && verdict->status == STATUS_OK &&
           staleness->unmoved < STALENESS_LEAST_ROUNDS) {
        if (!sample_one_unmoved(sampler, launch_judge_begin, verdict, error)) {
            return false;
        }
    }
    return true;
}

void judge_quickness(struct measurement *measurement, double seconds, const char *where,
                     const struct staleness_limits *limits) {
    if (staleness_too_quick(seconds, measurement->repeated_force_s_min, limits)) {
        verdict_say(&measurement->verdict, STATUS_STALE,
                    "evaluations %s take %.3g s (median), launches behind the first of a round at "
                    "least %.3g s: results are remembered from launch to launch",
                    where, seconds, measurement->repeated_force_s_min);
    }
}

/* Marks the case as stale: a kernel that is faster where it could reuse results was not timed at
 * its full work. */
static void judge_staleness(struct sampler *sampler, struct measurement *measurement) {
    const struct staleness *staleness = &sampler->staleness;
    const struct staleness_limits *limits = &sampler->limits;
    char words[256];
    measurement->fresh_force_s_median = staleness_moved(staleness);
    measurement->repeated_force_s_min = staleness_least_others(staleness);
    if (staleness_describe(staleness, measurement->force.median_s, limits, words, sizeof words)) {
        verdict_say(&measurement->verdict, STATUS_STALE, "%s", words);
    } else {
        judge_quickness(measurement, measurement->cold_force_s_median, "behind a flushed cache",
                        limits);
    }
}

static void keep_samples(const struct sampler *sampler, struct measurement *measurement) {
    measurement->sample_count = sampler->count;
    for (int i = 0; i < sampler->count; i++) {
        measurement->samples[i] = (float)sampler->samples[i];
    }
}

/* Samples again where staleness is in doubt; the later samples count. */
static bool sample_again(struct sampler *sampler, const struct sampling *sampling, double each_s,
                         struct measurement *measurement, struct error *error) {
    if (!staleness_is_doubtful(&sampler->staleness, measurement->force.median_s,
                               &sampler->limits)) {
        return true;
    }
    sampler->doubts = true;
    sampler->count = 0;
    sampler->batches = 0;
    staleness_begin_again(&sampler->staleness);
    if (!sample_batches(sampler, sampling, each_s, measurement, error)) {
        return false;
    }
    keep_samples(sampler, measurement);
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
    keep_samples(sampler, measurement);
    if (measurement->verdict.status != STATUS_OK) {
        return true;
    }
    if (!sample_moved(sampler, measurement, error)) {
        return false;
    }
    if (measurement->verdict.status == STATUS_OK &&
        !sample_again(sampler, sampling, each_s, measurement, error)) {
        return false;
    }
    if (measurement->verdict.status != STATUS_OK) {
        return true;
    }
    judge_staleness(sampler, measurement);
    return true;
}

/* The median time of builds, or of judged evaluations, timed one by one. */
struct one_by_one {
    int least, most;
    double cap_s;
    bool evaluate; /* each in a round of its own, after a flushed cache; else the structure */
};

static bool sample_one(struct sampler *sampler, const struct one_by_one *what,
                       struct verdict *verdict, struct error *error) {
    const struct sampler_source *source = sampler->source;
    if (!what->evaluate) {
        return kernel_plan_invalidate(source->plan, error) &&
               launch_tools_spend(source->tools, build_enqueue_s, error) &&
               enqueue_timed(sampler, 0, kernel_plan_build, error) &&
               device_finish(source->device, error);
    }
    return launch_judge_begin(source->judge, error) && device_flush_cache(source->device, error) &&
           enqueue_timed(sampler, 0, kernel_plan_enqueue, error) &&
           launch_judge_launch(source->judge, 0, true, error) &&
           launch_judge_end(source->judge, 1, verdict, error);
}

/* Evaluates over the structure that a timed build has left. */
static bool judge_build(struct sampler *sampler, struct verdict *verdict, struct error *error) {
    const struct sampler_source *source = sampler->source;
    struct verdict of_build = verdict_of(STATUS_OK);
    if (!launch_judge_begin_again(source->judge, error) ||
        !kernel_plan_enqueue(source->plan, error) ||
        !launch_judge_launch(source->judge, 0, true, error) ||
        !launch_judge_end(source->judge, 1, &of_build, error)) {
        return false;
    }
    verdict_take_over(verdict, &of_build, "after a timed build: ");
    return true;
}

/* Judges builds at random, so that no kernel can predict which, and the last one. */
static bool is_judged(const struct one_by_one *what, int count, bool last) {
    return !what->evaluate && count > 0 && (last || draw_seed() % BUILDS_PER_JUDGED == 0);
}

static bool median_one_by_one(struct sampler *sampler, const struct one_by_one *what,
                              struct verdict *verdict, double *median_s, struct error *error) {
    struct timing timing;
    double relative_error;
    const double start = clock_s();
    sampler->count = 0;
    while (verdict->status == STATUS_OK && sampler->count < what->most &&
           (sampler->count < what->least || clock_s() - start < what->cap_s)) {
        if (!sample_one(sampler, what, verdict, error) ||
            !elapsed(sampler, 0, &sampler->samples[sampler->count], error)) {
            return false;
        }
        sampler->count++;
        if (is_judged(what, sampler->count, false) && !judge_build(sampler, verdict, error)) {
            return false;
        }
    }
    if (verdict->status == STATUS_OK && is_judged(what, sampler->count, true) &&
        !judge_build(sampler, verdict, error)) {
        return false;
    }
    summarize(sampler, &timing, &relative_error);
    *median_s = timing.median_s;
    return true;
}

/* The gate leaves particles in an order in which neighbours in memory are strangers in space, over
 * which cells take twice as long to build: builds are timed as evaluations are. */
static bool time_builds(struct sampler *sampler, const struct one_by_one *build,
                        struct verdict *verdict, double *median_s, struct error *error) {
    return launch_judge_begin(sampler->source->judge, error) &&
           device_finish(sampler->source->device, error) &&
           median_one_by_one(sampler, build, verdict, median_s, error);
}

static bool sample_all(struct sampler *sampler, const struct sampling *sampling,
                       struct measurement *measurement, struct error *error) {
    struct verdict *verdict = &measurement->verdict;
    const struct one_by_one build = { .least = MIN_EVER,
                                      .most = sampling->max_builds,
                                      .cap_s = build_cap_s * sampling->max_builds / builds_in_cap };
    const struct one_by_one cold = { .least = 1, /* the longer a launch, the less it shows */
                                     .most = sampling->cold_samples < MAX_COLD
                                                 ? sampling->cold_samples
                                                 : MAX_COLD,
                                     .cap_s = sampling->time_cap_s,
                                     .evaluate = true };
    if (build.most > 0 && kernel_plan_has_rebuild(sampler->source->plan) &&
        !time_builds(sampler, &build, verdict, &measurement->build_s_median, error)) {
        return false;
    }
    if (cold.most > 0 &&
        !median_one_by_one(sampler, &cold, verdict, &measurement->cold_force_s_median, error)) {
        return false;
    }
    sampler->count = 0;
    sampler->batches = 0;
    sampler->clocks = 0;
    sampler->own_results_tried = sampling->earlier.gated;
    return verdict->status != STATUS_OK || sample_hot(sampler, sampling, measurement, error);
}

bool sampler_run(const struct sampler_source *source, const struct sampling *sampling,
                 struct measurement *measurement, struct error *error) {
    struct sampler *sampler = NULL;
    struct machine_moment began;
    if (!sampler_create(source, &sampler, error) || !sampler) {
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
