#include "measure/peak.h"

#include "variant/embedded.h"

enum {
    PEAK_GROUP_SIZE = 256,
    GROUPS_PER_UNIT = 32,
    CHAINS = 8,
    FIRST_ROUNDS = 256,
    MOST_ROUNDS = 1 << 22,
    PEAK_LAUNCHES = 5
};

static const double long_enough_s = 2e-3;

struct peak_run {
    struct device *device;
    bool is_double;
    size_t groups;
    struct program *program;
    struct kernel *kernel;
    struct buffer *result;
    struct stamp *from, *to;
};

static void peak_release(struct peak_run *run) {
    stamp_free(run->from);
    stamp_free(run->to);
    buffer_free(run->result);
    program_free(run->program);
}

static bool peak_prepare(struct peak_run *run, enum precision precision, struct error *error) {
    const struct program_source source = {
        .name = "peak",
        .text = embedded_text("harness/measure/peak.cl"),
        .precision_words =
            precision_name(precision == PRECISION_MIXED ? PRECISION_FLOAT : precision),
        .group_size = PEAK_GROUP_SIZE,
    };
    const size_t items = run->groups * PEAK_GROUP_SIZE;
    return program_compile(run->device, &source, &run->program, error) &&
           program_kernel(run->program, "multiply_add", &run->kernel, error) &&
           buffer_allocate(run->device, items * (run->is_double ? sizeof(double) : sizeof(float)),
                           &run->result, error) &&
           stamp_create(run->device, &run->from, error) &&
           stamp_create(run->device, &run->to, error);
}

static bool peak_time(struct peak_run *run, int rounds, double *seconds, struct error *error) {
    const struct argument arguments[] = { argument_int(rounds), argument_real(0.5, run->is_double),
                                          argument_real(0.25, run->is_double),
                                          argument_buffer(run->result) };
    return stamp_record(run->from, error) &&
           kernel_launch(run->kernel, run->groups, PEAK_GROUP_SIZE, arguments, 4, error) &&
           stamp_record(run->to, error) && stamp_elapsed(run->from, run->to, seconds, error);
}

static bool peak_sample(struct peak_run *run, double *operations_per_s, struct error *error) {
    int rounds = FIRST_ROUNDS;
    double seconds;
    if (!peak_time(run, rounds, &seconds, error)) { /* compiles and warms up */
        return false;
    }
    do {
        rounds *= 2;
        if (!peak_time(run, rounds, &seconds, error)) {
            return false;
        }
    } while (seconds < long_enough_s && rounds < MOST_ROUNDS);
    double best_s = seconds;
    for (int launch = 0; launch < PEAK_LAUNCHES; launch++) {
        if (!peak_time(run, rounds, &seconds, error)) {
            return false;
        }
        best_s = seconds < best_s ? seconds : best_s;
    }
    *operations_per_s = 2.0 * CHAINS * rounds * (double)(run->groups * PEAK_GROUP_SIZE) / best_s;
    return true;
}

bool peak_measure(struct device *device, enum precision precision, double *operations_per_s,
                  struct error *error) {
    const struct device_info *info = device_describe(device);
    struct peak_run run = { .device = device,
                            .is_double = precision == PRECISION_DOUBLE,
                            .groups = (size_t)info->compute_units * GROUPS_PER_UNIT };
    if (info->max_group_size < PEAK_GROUP_SIZE || (run.is_double && !info->fp64)) {
        return fail(error, STATUS_UNSUPPORTED, "%s cannot run the peak kernel in %s", info->name,
                    precision_name(precision));
    }
    bool measured =
        peak_prepare(&run, precision, error) && peak_sample(&run, operations_per_s, error);
    peak_release(&run);
    return measured;
}
