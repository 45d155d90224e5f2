#include "measure/stages.h"

#include "core/host.h"
#include "core/statistics.h"

#include <string.h>

enum { MAX_STAMPS = MEASURE_MAX_STAGES + 1, MAX_RUNS = 5 };

static const double cap_s = 0.05;     /* past which no further run begins */
static const double spell_s = 200e-6; /* that the host may take to enqueue a run */

struct stages {
    const struct sampler_source *source;
    struct event *events[MAX_STAMPS]; /* before each stage of a run, and behind the last */
    int named[MAX_STAMPS];            /* which stage begins there */
    int begun;                        /* stages of this run */
    char names[MEASURE_MAX_STAGES][STAGE_NAME_SIZE];
    double seconds[MEASURE_MAX_STAGES][MAX_RUNS];
    int count, run;
};

/* Stages of one name are one: the same structure over each of two groups. -1: there are too many,
 * and the rest is left out. */
static int find_stage(struct stages *stages, const char *what, const char *of) {
    char name[STAGE_NAME_SIZE];
    (void)snprintf(name, sizeof name, "%s %s", what, of);
    for (int s = 0; s < stages->count; s++) {
        if (strcmp(stages->names[s], name) == 0) {
            return s;
        }
    }
    if (stages->count == MEASURE_MAX_STAGES) {
        return -1;
    }
    memcpy(stages->names[stages->count], name, sizeof name);
    return stages->count++;
}

static bool begin_stage(void *context, const char *what, const char *of, struct error *error) {
    struct stages *stages = context;
    if (stages->begun == MEASURE_MAX_STAGES) {
        return true;
    }
    stages->named[stages->begun] = find_stage(stages, what, of);
    return event_record(stages->events[stages->begun++], error);
}

/* Adds what the stages took, whose stamps have all been recorded; waits. */
static bool take_times(struct stages *stages, struct error *error) {
    for (int s = 0; s < stages->begun; s++) {
        double seconds;
        if (!event_elapsed(stages->events[s], stages->events[s + 1], &seconds, error)) {
            return false;
        }
        if (stages->named[s] >= 0) {
            stages->seconds[stages->named[s]][stages->run] += seconds;
        }
    }
    stages->begun = 0;
    return true;
}

/* Structures first: a round of judged launches builds them by itself. */
static bool run_builds(struct stages *stages, const struct stage_watch *watch,
                       struct error *error) {
    const struct sampler_source *source = stages->source;
    return !kernel_plan_has_rebuild(source->plan) ||
           (kernel_plan_forget(source->plan, error) &&
            launch_tools_spend(source->tools, spell_s, error) &&
            kernel_plan_build_watched(source->plan, watch, error) &&
            event_record(stages->events[stages->begun], error) && take_times(stages, error));
}

static bool run_evaluation(struct stages *stages, const struct stage_watch *watch,
                           struct verdict *verdict, struct error *error) {
    const struct sampler_source *source = stages->source;
    return launch_judge_begin(source->judge, error) &&
           launch_tools_spend(source->tools, spell_s, error) &&
           kernel_plan_enqueue_watched(source->plan, watch, error) &&
           event_record(stages->events[stages->begun], error) &&
           launch_judge_launch(source->judge, 0, true, error) &&
           launch_judge_end(source->judge, 1, verdict, error) && take_times(stages, error);
}

static bool run_all(struct stages *stages, struct verdict *verdict, struct error *error) {
    const struct stage_watch watch = { begin_stage, stages };
    const double start = clock_s();
    bool ran = true;
    while (ran && verdict->status == STATUS_OK && stages->run < MAX_RUNS &&
           (stages->run == 0 || clock_s() - start < cap_s)) {
        ran = run_builds(stages, &watch, error) && run_evaluation(stages, &watch, verdict, error);
        stages->run += ran;
    }
    return ran;
}

static void summarize(struct stages *stages, struct measurement *measurement) {
    measurement->stage_count = stages->count;
    for (int s = 0; s < stages->count; s++) {
        struct stage_time *stage = &measurement->stages[s];
        memcpy(stage->name, stages->names[s], sizeof stage->name);
        sort_numbers(stages->seconds[s], (size_t)stages->run);
        stage->median_s = quantile_of_sorted(stages->seconds[s], (size_t)stages->run, 0.5);
        stage->min_s = stages->seconds[s][0];
        stage->samples = stages->run;
    }
}

bool stages_measure(const struct sampler_source *source, struct measurement *measurement,
                    struct error *error) {
    struct stages stages = { .source = source };
    bool measured = true;
    for (int s = 0; measured && s < MAX_STAMPS; s++) {
        measured = event_create(source->device, &stages.events[s], error);
    }
    measured = measured && run_all(&stages, &measurement->verdict, error);
    if (measured && measurement->verdict.status == STATUS_OK) {
        summarize(&stages, measurement);
    }
    for (int s = 0; s < MAX_STAMPS; s++) {
        event_free(stages.events[s]);
    }
    return measured;
}
