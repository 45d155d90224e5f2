#include "core/host.h"
#include "core/statistics.h"
#include "devices/machine/machine_watch.h"
#include "measure/launches/staleness.h"
#include "measure/one_case.h"
#include "workloads/gate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- stages ---- */

enum { MAX_STAMPS = MEASURE_MAX_STAGES + 1, MAX_RUNS = 5 };

static const double stages_cap_s = 0.05; /* past which no further run begins */
static const double spell_s = 200e-6;    /* that the host may take to enqueue a run */

struct stages {
    const struct sampler_source *source;
    struct event *events[MAX_STAMPS]; /* before each stage of a run, and after the last */
    int named[MAX_STAMPS];            /* which stage begins there */
    int begun;                        /* stages of this run */
    char names[MEASURE_MAX_STAGES][STAGE_NAME_SIZE];
    double seconds[MEASURE_MAX_STAGES][MAX_RUNS];
    int count, run;
};

/* Stages of one name are one: the same structure over each of two groups. -1: there are too many,
 * and the rest is left out. */
static int find_stage(struct stages *stages, const char *what, const char *part) {
    char name[STAGE_NAME_SIZE];
    (void)snprintf(name, sizeof name, "%s %s", what, part);
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

static bool begin_stage(void *context, const char *what, const char *part, struct error *error) {
    struct stages *stages = context;
    if (stages->begun == MEASURE_MAX_STAGES) {
        return true;
    }
    stages->named[stages->begun] = find_stage(stages, what, part);
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

/* Times the building of structures apart: a round of judged launches begins with one that is built.
 */
static bool run_builds(struct stages *stages, const struct stage_watch *watch,
                       struct error *error) {
    const struct sampler_source *source = stages->source;
    return !kernel_plan_has_rebuild(source->plan) ||
           (kernel_plan_invalidate(source->plan, error) &&
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
           (stages->run == 0 || clock_s() - start < stages_cap_s)) {
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

/* ---- energy ---- */

enum { RING = 4 };

static const double train_s = 0.75; /* a launch in a train without judging takes at least so much of
                                       one that is judged */
static const double look_s = 5e-3;  /* between two looks at the energy counter */
static const double shortest_s = 1e-6; /* of a launch, for how many to enqueue between looks */
static const double settle_s = 0.3;    /* of the same work, before its power is counted */
static const double energy_cap_s = 2;  /* beyond its window, if the counter does not move */

struct energy {
    const struct sampler_source *source;
    struct event *stamps[RING];
};

/* Enqueues launches and a stamp after them, then waits for those enqueued two rounds before: the
 * device does not run out of work while the counter is read, which takes a driver 3 ms. `round`
 * counts from 1. */
static bool launch_ahead(struct energy *energy, long round, int batch, struct error *error) {
    double ignored;
    for (int b = 0; b < batch; b++) {
        if (!kernel_plan_enqueue(energy->source->plan, error)) {
            return false;
        }
    }
    return event_record(energy->stamps[round % RING], error) &&
           (round < 4 || event_elapsed(energy->stamps[(round - 3) % RING],
                                       energy->stamps[(round - 2) % RING], &ignored, error));
}

/* The case is stale where launches that were not judged took less time than judged ones. */
static void judge_train(const struct sampler_source *source, double each_s,
                        struct measurement *measurement) {
    const struct staleness_limits limits =
        staleness_limits_of(source->launch_s, device_describe(source->device)->is_cpu);
    if (each_s + limits.launch_s < train_s * measurement->force.p05_s) {
        verdict_say(
            &measurement->verdict, STATUS_STALE,
            "launches that follow each other for the energy counter take %.3g s each, "
            "the quickest twentieth of those that are judged %.3g s: results are remembered "
            "from launch to launch",
            each_s, measurement->force.p05_s);
    }
}

/* Launches without a pause for as long as the energy counter needs. */
static bool sample_energy(struct energy *energy, struct measurement *measurement,
                          struct error *error) {
    const struct sampler_source *source = energy->source;
    const double launch_s = fmax(measurement->force.median_s, shortest_s);
    const double window_s = energy_window_s(launch_s);
    const int batch = launch_s < look_s ? (int)(look_s / launch_s) : 1;
    const double start = clock_s();
    struct energy_watch watch = { 0 };
    struct device_state now;
    double power = NAN;
    long rounds = 0;
    source->read_state(source->device, &now);
    while (now.energy_j >= 0 && isnan(power) && clock_s() - start < window_s + energy_cap_s) {
        if (!launch_ahead(energy, ++rounds, batch, error)) {
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
    if (rounds > 0) {
        measurement->state.power_w = power; /* a driver's own reading is a mean over a second */
        const double each_s = (clock_s() - start) / ((double)rounds * batch);
        measurement->state.energy_j = power * each_s;
        judge_train(source, each_s, measurement);
    }
    return true;
}

bool energy_measure(const struct sampler_source *source, struct measurement *measurement,
                    struct error *error) {
    struct energy energy = { .source = source };
    bool measured = true;
    for (int s = 0; measured && s < RING; s++) {
        measured = event_create(source->device, &energy.stamps[s], error);
    }
    measured = measured && sample_energy(&energy, measurement, error);
    for (int s = 0; s < RING; s++) {
        event_free(energy.stamps[s]);
    }
    return measured;
}

/* ---- end to end ---- */

enum { WARM_UPS = 5, LEAST_EVER = 3, MIN_SAMPLES = 20, MAX_SAMPLES = 200 };

static const double transfers_cap_s =
    0.5;                            /* of sampling, past which fewer than the least will do */
static const double enough_s = 0.1; /* past which the least are enough */

static bool goes_on(int count, double spent_s) {
    if (count < MIN_SAMPLES) {
        return count < LEAST_EVER || spent_s < transfers_cap_s;
    }
    return count < MAX_SAMPLES && spent_s < enough_s;
}

/* Overwrites what the last evaluation left, so that the next one cannot reuse it. */
static bool make_fresh(const struct one_case *one, struct error *error) {
    kernel_plan_end_to_end_poison(one->plan, GATE_POISON_BYTE);
    return kernel_plan_end_to_end_reorder(one->plan, one->tools, draw_seed(), error) &&
           fill_outputs_with_byte(one->plan, GATE_POISON_BYTE, error) &&
           device_finish(one->device, error);
}

static bool judge_one(const struct one_case *one, struct verdict *verdict, struct error *error) {
    struct evaluation evaluation = { 0 };
    bool collected = kernel_plan_end_to_end_collect(one->plan, &evaluation, error);
    if (collected) {
        expected_compare(one->expected, one->spec, &evaluation, verdict);
    }
    evaluation_free(&evaluation);
    return collected;
}

static bool sample(const struct one_case *one, double *median_s, struct verdict *verdict,
                   struct error *error) {
    double samples[MAX_SAMPLES];
    double spent_s = 0;
    int count = 0;
    while (verdict->status == STATUS_OK && goes_on(count, spent_s)) {
        if (!make_fresh(one, error)) {
            return false;
        }
        const double before = clock_s();
        if (!kernel_plan_end_to_end(one->plan, error)) {
            return false;
        }
        samples[count] = clock_s() - before;
        spent_s += samples[count++];
        if (!judge_one(one, verdict, error)) {
            return false;
        }
    }
    sort_numbers(samples, (size_t)count);
    *median_s = quantile_of_sorted(samples, (size_t)count, 0.5);
    return true;
}

bool end_to_end_measure(const struct one_case *one, double *median_s, struct verdict *verdict,
                        struct error *error) {
    bool measured = kernel_plan_end_to_end_begin(one->plan, error);
    const double start = clock_s();
    for (int w = 0; measured && w < WARM_UPS && (w == 0 || clock_s() - start < transfers_cap_s);
         w++) {
        measured = kernel_plan_end_to_end(one->plan, error);
    }
    measured = measured && sample(one, median_s, verdict, error);
    if (measured && verdict->status != STATUS_OK) {
        verdict_say_when(verdict, "end to end: ");
    }
    return measured;
}

/* ---- evaluations in one launch ---- */

enum { LEAST_ROUNDS = 3, MOST_ROUNDS = 25 };

static const double enqueue_s = 50e-6; /* that the host may take to enqueue an evaluation */

/* One of the evaluations, with its own copy of all that the case has on the device. */
struct evaluated {
    struct one_case one;
    struct moved_box moved; /* of this round */
};

struct amortized {
    const struct one_case *one_case;
    struct case_spec spec; /* whose launches are of each kernel by itself: the graph is of all */
    struct evaluated *each;
    size_t count;
    struct graph *graph;
    struct event *from, *to;
};

static void release(struct amortized *amortized) {
    graph_free(amortized->graph);
    for (size_t k = 0; amortized->each && k < amortized->count; k++) {
        moved_box_free(&amortized->each[k].moved);
        launch_judge_free(amortized->each[k].one.judge);
        kernel_plan_free(amortized->each[k].one.plan);
    }
    event_free(amortized->from);
    event_free(amortized->to);
    free(amortized->each);
}

/* Makes a first launch and checks it: the judge needs one that is right. */
static bool prepare(struct evaluated *evaluated, struct verdict *verdict, struct error *error) {
    struct one_case *one = &evaluated->one;
    const struct expected *expected = one->expected;
    const struct plan_input input = { one->device,    one->spec,         BUILD_PLAIN,
                                      &expected->box, &expected->groups, expected->cutoff };
    struct evaluation first = { 0 };
    const bool ran =
        kernel_plan_create(&input, &one->plan, error) &&
        gate_first(one, false, &first, verdict, error) &&
        (verdict->status != STATUS_OK ||
         launch_judge_create(one->plan, expected, one->spec, one->tools, &one->judge, error));
    evaluation_free(&first);
    return ran;
}

static bool prepare_all(struct amortized *amortized, struct verdict *verdict, struct error *error) {
    const struct one_case *one_case = amortized->one_case;
    amortized->spec = *one_case->spec;
    amortized->spec.launch = LAUNCH_EACH;
    amortized->each = calloc(one_case->spec->evaluations, sizeof *amortized->each);
    if (!amortized->each) {
        return fail_out_of_memory(error, "evaluations that follow each other");
    }
    amortized->count = one_case->spec->evaluations;
    bool prepared = event_create(one_case->device, &amortized->from, error) &&
                    event_create(one_case->device, &amortized->to, error);
    for (size_t k = 0; prepared && verdict->status == STATUS_OK && k < amortized->count; k++) {
        struct one_case *one = &amortized->each[k].one;
        *one = *one_case;
        one->spec = &amortized->spec;
        one->plan = NULL;
        one->judge = NULL;
        prepared = prepare(&amortized->each[k], verdict, error);
    }
    return prepared;
}

/* ---- a round ---- */

/* Puts the particles into a new order and new places. */
static bool begin(const struct amortized *amortized, struct evaluated *evaluated,
                  struct error *error) {
    const struct expected *expected = evaluated->one.expected;
    const struct judge_question question = { &amortized->spec, &expected->box, expected->cutoff,
                                             &expected->groups };
    const bool has_particles = kernel_plan_has_particles(evaluated->one.plan);
    const struct moves moves = expected_moves_new(expected, &amortized->spec);
    moved_box_free(&evaluated->moved);
    return (!has_particles || moved_box_make(&question, &moves, &evaluated->moved, error)) &&
           launch_judge_begin_over(evaluated->one.judge, has_particles ? &evaluated->moved : NULL,
                                   error);
}

static bool enqueue_all(void *context, struct error *error) {
    const struct amortized *amortized = context;
    bool enqueued = true;
    for (size_t k = 0; enqueued && k < amortized->count; k++) {
        enqueued = kernel_plan_enqueue(amortized->each[k].one.plan, error);
    }
    return enqueued;
}

/* Arguments change from round to round. */
static bool record(struct amortized *amortized, struct error *error) {
    graph_free(amortized->graph);
    amortized->graph = NULL;
    return amortized->one_case->spec->launch != LAUNCH_GRAPH ||
           (device_record(amortized->one_case->device, enqueue_all, amortized, &amortized->graph,
                          error) &&
            (graph_is_one_launch(amortized->graph) ||
             fail(error, STATUS_UNSUPPORTED, "launch graph: the kernels of %s make no graph",
                  amortized->spec.variant->name)));
}

static bool launch(struct amortized *amortized, struct error *error) {
    return record(amortized, error) &&
           launch_tools_spend(amortized->one_case->tools, (double)amortized->count * enqueue_s,
                              error) &&
           event_record(amortized->from, error) &&
           (amortized->graph ? graph_enqueue(amortized->graph, error)
                             : enqueue_all(amortized, error)) &&
           event_record(amortized->to, error);
}

/* Judges the evaluations; *verdict is that of the first wrong one. */
static bool judge(const struct amortized *amortized, struct verdict *verdict, bool *again,
                  struct error *error) {
    bool judged = true;
    *again = false;
    for (size_t k = 0; judged && verdict->status == STATUS_OK && k < amortized->count; k++) {
        const struct evaluated *evaluated = &amortized->each[k];
        struct verdict of_one = verdict_of(STATUS_OK);
        char when[64];
        bool lacks_room = false;
        judged = launch_judge_end_over(evaluated->one.judge,
                                       evaluated->moved.count > 0 ? &evaluated->moved : NULL,
                                       &of_one, &lacks_room, error);
        *again = *again || lacks_room;
        (void)snprintf(when, sizeof when, "evaluation %zu of %zu in one launch: ", k + 1,
                       amortized->count);
        verdict_take_over(verdict, &of_one, when);
    }
    return judged;
}

/* *seconds: NaN where lists had no room, which they have in the next. */
static bool run_round(struct amortized *amortized, double *seconds, struct verdict *verdict,
                      struct error *error) {
    bool ran = true;
    bool again = false;
    *seconds = NAN;
    for (size_t k = 0; ran && k < amortized->count; k++) {
        ran = begin(amortized, &amortized->each[k], error);
    }
    ran = ran && launch(amortized, error) && judge(amortized, verdict, &again, error) &&
          event_elapsed(amortized->from, amortized->to, seconds, error);
    *seconds = again ? NAN : *seconds / (double)amortized->count;
    return ran;
}

static bool sample_launches(struct amortized *amortized, double cap_s, double *median_s,
                            struct verdict *verdict, struct error *error) {
    const int least = median_s ? LEAST_ROUNDS : 1;
    const int most = median_s ? MOST_ROUNDS : 1;
    double samples[MOST_ROUNDS];
    const double start = clock_s();
    int count = 0;
    while (verdict->status == STATUS_OK && count < most &&
           (count < least || clock_s() - start < cap_s)) {
        if (!run_round(amortized, &samples[count], verdict, error)) {
            return false;
        }
        count += !isnan(samples[count]);
    }
    sort_numbers(samples, (size_t)count);
    if (median_s && verdict->status == STATUS_OK) {
        *median_s = quantile_of_sorted(samples, (size_t)count, 0.5);
    }
    return true;
}

bool amortized_measure(const struct one_case *one, double cap_s, double *median_s,
                       struct verdict *verdict, struct error *error) {
    struct amortized amortized = { .one_case = one };
    const bool measured = prepare_all(&amortized, verdict, error) &&
                          (verdict->status != STATUS_OK ||
                           sample_launches(&amortized, cap_s, median_s, verdict, error));
    release(&amortized);
    return measured;
}
