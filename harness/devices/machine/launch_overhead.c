#include "devices/machine/launch_overhead.h"

#include "core/statistics.h"

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
