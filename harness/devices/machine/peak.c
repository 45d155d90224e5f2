#include "devices/machine/peak.h"

#include "core/cache.h"
#include "core/embedded.h"
#include "core/statistics.h"
#include "devices/machine/machine_watch.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    PEAK_GROUP_SIZE = 256,
    GROUPS_PER_UNIT = 32,
    GROUPS_PER_PROCESSOR = 2,
    FIRST_ROUNDS = 1,
    MAX_ROUNDS = 1 << 20,
    PEAK_LAUNCHES = 15,
    MAX_WIDTH = 16 /* of the kernels' vectors */
};

static const double long_enough_s = 2e-3;
static const double min_error = 0.05; /* clocks differ from one second to the next */
static const char peak_path[] = "harness/devices/machine/peak.cl";

/* What a kernel does in a round, by each work-item, for each of the numbers that it says a chain
 * comes to in a round. */
struct rate_kernel {
    const char *name;
    bool is_double;
    double each;
    size_t field; /* of struct peaks */
};

static const struct rate_kernel rate_kernels[] = {
    { "multiply_add", false, 2 * 8, offsetof(struct peaks, fp32_operations_per_s) },
    { "multiply_add", true, 2 * 8, offsetof(struct peaks, fp64_operations_per_s) },
    { "reciprocal_root", false, 8, offsetof(struct peaks, rsqrt_per_s) },
    { "read_local", false, 8 * 4 * sizeof(float), offsetof(struct peaks, local_bytes_per_s) },
};

struct peak_run {
    struct device *device;
    struct program *program;
    struct kernel *kernel;
    struct buffer *buffers[2];
    struct event *from, *to;
    size_t groups;
    double error; /* see struct peaks */
};

static void peak_release(struct peak_run *run) {
    event_free(run->from);
    event_free(run->to);
    buffer_free(run->buffers[0]);
    buffer_free(run->buffers[1]);
    program_free(run->program);
}

static bool peak_prepare(struct peak_run *run, const char *kernel, bool is_double,
                         struct error *error) {
    const struct device_info *info = device_describe(run->device);
    const struct program_source source = {
        .name = "peak",
        .text = embedded_text(peak_path),
        .precision_words = precision_name(is_double ? PRECISION_DOUBLE : PRECISION_FLOAT),
        .group_size = PEAK_GROUP_SIZE,
    };
    if (info->max_group_size < PEAK_GROUP_SIZE || (is_double && !info->fp64)) {
        return fail(error, STATUS_UNSUPPORTED, "%s cannot run %s of %s", info->name, kernel,
                    peak_path);
    }
    return program_compile(run->device, &source, &run->program, error) &&
           program_kernel(run->program, kernel, &run->kernel, error) &&
           event_create(run->device, &run->from, error) &&
           event_create(run->device, &run->to, error);
}

static bool peak_time(struct peak_run *run, const struct argument *arguments, size_t count,
                      double *seconds, struct error *error) {
    return event_record(run->from, error) &&
           kernel_launch(run->kernel, run->groups, PEAK_GROUP_SIZE, arguments, count, error) &&
           event_record(run->to, error) && event_elapsed(run->from, run->to, seconds, error);
}

/* The shortest of several launches; run->error grows to how much longer half of them took. */
static bool peak_best(struct peak_run *run, const struct argument *arguments, size_t count,
                      double *best_s, struct error *error) {
    double seconds[PEAK_LAUNCHES];
    for (int launch = 0; launch < PEAK_LAUNCHES; launch++) {
        if (!peak_time(run, arguments, count, &seconds[launch], error)) {
            return false;
        }
    }
    sort_numbers(seconds, PEAK_LAUNCHES);
    *best_s = seconds[0];
    run->error = fmax(run->error, seconds[PEAK_LAUNCHES / 2] / seconds[0] - 1.0);
    return true;
}

/* Doubles the rounds until a launch is long enough to be timed well; the first one compiles and
 * warms up. */
static bool rate_sample(struct peak_run *run, const struct rate_kernel *rate, double *per_s,
                        struct error *error) {
    struct argument arguments[] = { argument_int(FIRST_ROUNDS), argument_real(0.5, rate->is_double),
                                    argument_real(0.25, rate->is_double),
                                    argument_buffer(run->buffers[0]),
                                    argument_buffer(run->buffers[1]) };
    const size_t count = sizeof arguments / sizeof arguments[0];
    double seconds;
    int32_t per_round = 0;
    int rounds = FIRST_ROUNDS;
    if (!peak_time(run, arguments, count, &seconds, error)) {
        return false;
    }
    do {
        rounds *= 2;
        arguments[0] = argument_int(rounds);
        if (!peak_time(run, arguments, count, &seconds, error)) {
            return false;
        }
    } while (seconds < long_enough_s && rounds < MAX_ROUNDS);
    if (!peak_best(run, arguments, count, &seconds, error) ||
        !buffer_read(run->buffers[1], 0, &per_round, sizeof per_round, error)) {
        return false;
    }
    *per_s = per_round * rate->each * rounds * (double)(run->groups * PEAK_GROUP_SIZE) / seconds;
    return true;
}

static bool rate_measure(struct device *device, const struct rate_kernel *rate, double *per_s,
                         double *spread, struct error *error) {
    const struct device_info *info = device_describe(device);
    const int each = info->is_cpu ? GROUPS_PER_PROCESSOR : GROUPS_PER_UNIT;
    struct peak_run run = { .device = device, .groups = (size_t)(info->compute_units * each) };
    const size_t size = rate->is_double ? sizeof(double) : sizeof(float);
    const bool measured = peak_prepare(&run, rate->name, rate->is_double, error) &&
                          buffer_allocate(device, run.groups * PEAK_GROUP_SIZE * MAX_WIDTH * size,
                                          &run.buffers[0], error) &&
                          buffer_allocate(device, sizeof(int32_t), &run.buffers[1], error) &&
                          rate_sample(&run, rate, per_s, error);
    *spread = fmax(*spread, run.error);
    peak_release(&run);
    return measured;
}

/* The groups that copy: their arrays are larger than the caches, each at most an eighth of the
 * memory. */
static size_t copy_groups(const struct device_info *info) {
    const uint64_t wanted = info->is_cpu ? (uint64_t)1 << 27 : (uint64_t)1 << 32;
    const uint64_t bytes = wanted < info->memory_bytes / 8 ? wanted : info->memory_bytes / 8;
    const uint64_t group_bytes = (uint64_t)PEAK_GROUP_SIZE * 4 * sizeof(float);
    return bytes > group_bytes ? (size_t)(bytes / group_bytes) : 1;
}

static bool copy_sample(struct peak_run *run, size_t bytes, double *bytes_per_s,
                        struct error *error) {
    double seconds;
    for (int i = 0; i < 2; i++) {
        if (!buffer_allocate(run->device, bytes, &run->buffers[i], error) ||
            !buffer_fill(run->buffers[i], 0, bytes, error)) {
            return false;
        }
    }
    const struct argument arguments[] = { argument_buffer(run->buffers[0]),
                                          argument_buffer(run->buffers[1]) };
    if (!peak_time(run, arguments, 2, &seconds, error) ||
        !peak_best(run, arguments, 2, &seconds, error)) {
        return false;
    }
    *bytes_per_s = 2.0 * (double)bytes / seconds;
    return true;
}

static bool copy_measure(struct device *device, double *bytes_per_s, double *spread,
                         struct error *error) {
    struct peak_run run = { .device = device, .groups = copy_groups(device_describe(device)) };
    const size_t bytes = run.groups * PEAK_GROUP_SIZE * 4 * sizeof(float);
    const bool measured =
        peak_prepare(&run, "copy", false, error) && copy_sample(&run, bytes, bytes_per_s, error);
    *spread = fmax(*spread, run.error);
    peak_release(&run);
    return measured;
}

static void measure_all(struct device *device, struct peaks *peaks) {
    struct machine_moment began;
    struct error ignored;
    struct tm parts;
    const time_t now = time(NULL);
    *peaks = (struct peaks){ NAN, NAN, NAN, NAN, NAN, min_error, NAN, "", false };
    if (gmtime_r(&now, &parts)) {
        (void)strftime(peaks->measured_utc, sizeof peaks->measured_utc, "%Y-%m-%dT%H:%M:%SZ",
                       &parts);
    }
    machine_look(&began);
    for (size_t i = 0; i < sizeof rate_kernels / sizeof rate_kernels[0]; i++) {
        double per_s;
        if (rate_measure(device, &rate_kernels[i], &per_s, &peaks->error, &ignored)) {
            memcpy((char *)peaks + rate_kernels[i].field, &per_s, sizeof per_s);
        }
    }
    if (!copy_measure(device, &peaks->copy_bytes_per_s, &peaks->error, &ignored)) {
        peaks->copy_bytes_per_s = NAN;
    }
    if (device_describe(device)->is_cpu) {
        peaks->machine_load = machine_load_since(&began);
    }
}

static void key_of(const struct device_info *info, char key[HASH_TEXT_SIZE]) {
    const int numbers[] = { (int)info->kind, info->compute_units, info->clock_mhz,
                            (int)sizeof(struct peaks) };
    struct hash_state *hash = hash_begin();
    hash_add_string(hash, info->model);
    hash_add_string(hash, info->driver);
    hash_add_string(hash, info->toolkit);
    hash_add_string(hash, embedded_text(peak_path));
    hash_add(hash, numbers, sizeof numbers);
    hash_end(hash, key);
}

void peaks_join(const struct peaks *earlier, struct peaks *later) {
    /* fmax() of NaN and a number is the number. */
    later->fp32_operations_per_s =
        fmax(earlier->fp32_operations_per_s, later->fp32_operations_per_s);
    later->fp64_operations_per_s =
        fmax(earlier->fp64_operations_per_s, later->fp64_operations_per_s);
    later->rsqrt_per_s = fmax(earlier->rsqrt_per_s, later->rsqrt_per_s);
    later->copy_bytes_per_s = fmax(earlier->copy_bytes_per_s, later->copy_bytes_per_s);
    later->local_bytes_per_s = fmax(earlier->local_bytes_per_s, later->local_bytes_per_s);
    later->error = fmax(earlier->error, later->error);
}

static void keep(const char *key, const struct peaks *peaks) {
    if (peaks->fp32_operations_per_s > 0) {
        cache_store("peaks", key, peaks, sizeof *peaks);
    }
}

void peaks_again(struct device *device, struct peaks *peaks) {
    char key[HASH_TEXT_SIZE];
    const struct peaks earlier = *peaks;
    key_of(device_describe(device), key);
    measure_all(device, peaks);
    peaks_join(&earlier, peaks);
    keep(key, peaks);
}

void peaks_measure(struct device *device, struct peaks *peaks) {
    char key[HASH_TEXT_SIZE];
    void *data = NULL;
    size_t length = 0;
    struct peaks earlier;
    key_of(device_describe(device), key);
    const bool found = cache_load("peaks", key, &data, &length) && length == sizeof earlier;
    if (found) {
        memcpy(&earlier, data, sizeof earlier);
    }
    free(data);
    if (found && !(earlier.machine_load > machine_load_bound)) {
        *peaks = earlier;
        peaks->cached = true;
        return;
    }
    measure_all(device, peaks);
    if (found) {
        peaks_join(&earlier, peaks);
    }
    keep(key, peaks);
}

double peaks_operations_per_s(const struct peaks *peaks, enum precision precision) {
    return numeric_real_is_double(precision_numeric(precision)) ? peaks->fp64_operations_per_s
                                                                : peaks->fp32_operations_per_s;
}

/* ---- the cost of a launch ---- */

enum { LAUNCHES = 32, BATCHES = 8, GROUP = 32 };

static const char empty_kernel[] = "KERNEL void nothing(void)\n{\n}\n";

struct overhead_run {
    struct program *program;
    struct kernel *kernel;
    struct event *events[LAUNCHES + 1];
};

static bool prepare(struct device *device, struct overhead_run *run, struct error *error) {
    const struct program_source source = {
        .name = "nothing", .text = empty_kernel, .precision_words = "float", .group_size = GROUP
    };
    bool made = program_compile(device, &source, &run->program, error) &&
                program_kernel(run->program, "nothing", &run->kernel, error);
    for (int s = 0; made && s <= LAUNCHES; s++) {
        made = event_create(device, &run->events[s], error);
    }
    return made;
}

static bool sample_batch(struct device *device, struct overhead_run *run, double samples[LAUNCHES],
                         struct error *error) {
    bool done = event_record(run->events[0], error);
    for (int i = 0; done && i < LAUNCHES; i++) {
        done = kernel_launch(run->kernel, 1, GROUP, NULL, 0, error) &&
               event_record(run->events[i + 1], error);
    }
    done = done && device_finish(device, error);
    for (int i = 0; done && i < LAUNCHES; i++) {
        done = event_elapsed(run->events[i], run->events[i + 1], &samples[i], error);
    }
    return done;
}

bool launch_overhead_measure(struct device *device, double *seconds, struct error *error) {
    struct overhead_run run = { 0 };
    double samples[BATCHES * LAUNCHES];
    /* The first batch warms up and is written over. */
    bool measured = prepare(device, &run, error) && sample_batch(device, &run, samples, error);
    for (int b = 0; measured && b < BATCHES; b++) {
        measured = sample_batch(device, &run, samples + (size_t)b * LAUNCHES, error);
    }
    if (measured) {
        sort_numbers(samples, sizeof samples / sizeof samples[0]);
        *seconds = quantile_of_sorted(samples, sizeof samples / sizeof samples[0], 0.5);
    }
    for (int s = 0; s <= LAUNCHES; s++) {
        event_free(run.events[s]);
    }
    program_free(run.program);
    return measured;
}
