#include "measure/one_case.h"

#include "core/host.h"
#include "core/statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEAST_ROUNDS = 3, MOST_ROUNDS = 25 };

static const double enqueue_s = 50e-6; /* that the host may take to enqueue an evaluation */

/* One of the evaluations: all that the case has on the device, once more. */
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

/* A first launch that is right, which its judge needs. */
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

/* Particles in an order and in places that are new. */
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

/* The first of them that is wrong. */
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

static bool sample(struct amortized *amortized, double cap_s, double *median_s,
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
    const bool measured =
        prepare_all(&amortized, verdict, error) &&
        (verdict->status != STATUS_OK || sample(&amortized, cap_s, median_s, verdict, error));
    release(&amortized);
    return measured;
}
