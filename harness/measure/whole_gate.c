#include "measure/whole_gate.h"

#include "core/host.h"
#include "measure/repeats.h"
#include "workloads/judges/gate.h"
#include "workloads/judges/judges.h"

#include <string.h>

void expected_compare(const struct expected *expected, const struct case_spec *spec,
                      const struct evaluation *evaluation, struct verdict *verdict) {
    const struct verdict before = *verdict;
    const struct judge_question question = { spec, &expected->box, expected->cutoff,
                                             &expected->groups };
    judge_of(spec)->compare(&question, &expected->reference, evaluation, verdict);
    verdict->bitwise_repeatable = before.bitwise_repeatable;
    memcpy(verdict->repeatable, before.repeatable, sizeof verdict->repeatable);
    memcpy(verdict->result_hash, before.result_hash, sizeof verdict->result_hash);
    verdict->judged = expected->judged;
}

void verdict_stop(struct verdict *verdict, const struct error *error) {
    verdict->status = error->status;
    (void)snprintf(verdict->message, sizeof verdict->message, "%.*s",
                   (int)sizeof verdict->message - 1, error->message);
}

/* Reads and compares what lies in the outputs now. False when the device failed; the verdict has
 * the rest. */
static bool gate_outputs(struct kernel_plan *plan, const struct expected *expected,
                         const struct case_spec *spec, struct verdict *verdict,
                         struct evaluation *evaluation, struct error *error) {
    if (!kernel_plan_collect(plan, evaluation, error)) {
        return false;
    }
    expected_compare(expected, spec, evaluation, verdict);
    return true;
}

void verdict_say_when(struct verdict *verdict, const char *when) {
    const size_t length = strlen(when);
    memmove(verdict->message + length, verdict->message, sizeof verdict->message - length - 1);
    memcpy(verdict->message, when, length);
    verdict->message[sizeof verdict->message - 1] = '\0';
}

/* One run over outputs that are neither unwritten nor right, though what the kernel keeps for
 * itself stays: finds those that compute only where they see that they must. */
static bool gate_disturbed(struct kernel_plan *plan, const struct expected *expected,
                           const struct case_spec *spec, struct verdict *verdict,
                           struct error *error) {
    struct evaluation evaluation = { 0 };
    bool ran = fill_outputs_with_garbage(plan, error) && kernel_plan_enqueue(plan, error) &&
               gate_outputs(plan, expected, spec, verdict, &evaluation, error);
    evaluation_free(&evaluation);
    if (ran && verdict->status != STATUS_OK) {
        verdict_say_when(verdict, "launched over other outputs: ");
    }
    return ran;
}

void whole_gate_look_at_guards(struct device *device, struct verdict *verdict) {
    struct error error;
    struct verdict before = *verdict;
    if (device_check_guards(device, &error)) {
        return;
    }
    if (verdict->status == STATUS_OK || verdict->status == STATUS_WRONG) {
        verdict_stop(verdict, &error);
    }
    if (before.status == STATUS_WRONG && error.status == STATUS_WRONG) {
        const size_t length = strlen(verdict->message);
        (void)snprintf(verdict->message + length, sizeof verdict->message - length, "; %.*s",
                       (int)(sizeof before.message - length - sizeof "; "), before.message);
    }
}

/* Two runs, both compared with the reference, and with each other bit by bit: what is right once
 * may race the second time. The first starts from NaN, so that nothing unwritten passes; the second
 * from zeros, so that a kernel that computes only where it finds NaN does not pass either. Then
 * one over other outputs, unless launches over such are timed. Each of the two has other guards
 * around the buffers. What is settled has the first alone. The caller frees what the two gave. */
static bool gate_runs(const struct gate_scene *scene, enum gate_extent extent,
                      struct evaluation evaluations[2], struct verdict *verdict,
                      struct error *error) {
    struct kernel_plan *plan = scene->plan;
    static const unsigned char before[2] = { GATE_POISON_BYTE, 0 };
    const int runs = extent == GATE_SETTLED ? 1 : 2;
    bool ran = true;
    for (int run = 0; ran && run < runs && verdict->status == STATUS_OK; run++) {
        ran = kernel_plan_forget(plan, error) && kernel_plan_build(plan, error) &&
              fill_outputs_with_byte(plan, before[run], error) &&
              kernel_plan_enqueue(plan, error) &&
              gate_outputs(plan, scene->expected, scene->spec, verdict, &evaluations[run], error);
        if (ran) {
            whole_gate_look_at_guards(scene->device, verdict);
        }
    }
    if (ran && evaluations[1].force) {
        verdict->bitwise_repeatable = repeats_same_bits(&evaluations[0], &evaluations[1]);
    }
    if (ran && extent == GATE_ALONE && verdict->status == STATUS_OK) {
        ran = gate_disturbed(plan, scene->expected, scene->spec, verdict, error);
    }
    return ran;
}

void verdict_take_over(struct verdict *verdict, const struct verdict *later, const char *when) {
    if (later->status != STATUS_OK) {
        verdict->status = later->status;
        memcpy(verdict->message, later->message, sizeof verdict->message);
        verdict_say_when(verdict, when);
    }
}

bool whole_gate_round(struct launch_judge *judge, struct kernel_plan *plan, int launches,
                      struct verdict *verdict, struct error *error) {
    bool ran = launch_judge_begin(judge, error);
    for (int launch = 0; ran && launch < launches; launch++) {
        ran = kernel_plan_enqueue(plan, error) && launch_judge_launch(judge, launch, true, error);
    }
    return ran && launch_judge_end(judge, launches, verdict, error);
}

/* Launches over what the last one left, as many as cost little: what is wrong now and then, or from
 * some launch on; and what takes particles that are near in space for near in memory. */
static bool gate_again(struct launch_judge *judge, struct kernel_plan *plan, struct device *device,
                       struct verdict *verdict, struct error *error) {
    static const double cap_s = 0.01;
    struct verdict of_round = *verdict;
    int launches = 0;
    bool ran = launch_judge_begin_scattered(judge, error) && device_finish(device, error);
    const double start = clock_s();
    while (ran && launches < LAUNCH_JUDGE_MAX && clock_s() - start < cap_s) {
        ran = kernel_plan_enqueue(plan, error) &&
              launch_judge_launch(judge, launches++, false, error) && device_finish(device, error);
    }
    if (!ran || !launch_judge_end(judge, launches, &of_round, error)) {
        return false;
    }
    verdict_take_over(verdict, &of_round, "launched again: ");
    return true;
}

static bool gate_moved(struct launch_judge *judge, struct kernel_plan *plan, enum moved_use use,
                       const char *when, struct verdict *verdict, struct error *error) {
    struct verdict of_round = *verdict;
    if (!launch_judge_begin_moved(judge, use, error) || !kernel_plan_enqueue(plan, error) ||
        !launch_judge_end_moved(judge, use, &of_round, error)) {
        return false;
    }
    verdict_take_over(verdict, &of_round, when);
    return true;
}

/* Rounds over particles in another order, then a launch over particles a little off their places.
 */
static bool gate_rounds(struct launch_judge *judge, struct kernel_plan *plan,
                        struct verdict *verdict, struct error *error) {
    enum { ROUNDS = 2, LAUNCHES = 3 };
    struct verdict of_round = *verdict;
    for (int round = 0; round < ROUNDS && of_round.status == STATUS_OK; round++) {
        if (!whole_gate_round(judge, plan, LAUNCHES, &of_round, error)) {
            return false;
        }
    }
    verdict_take_over(verdict, &of_round,
                      kernel_plan_is_of_draws(plan) ? "another seed: "
                                                    : "particles in another order: ");
    return verdict->status != STATUS_OK ||
           gate_moved(judge, plan, MOVED_KEPT,
                      kernel_plan_is_of_draws(plan) ? "another seed: "
                                                    : "particles moved a little: ",
                      verdict, error);
}

/* What the device judges; particles as far off as what outlives moves must bear come last. */
static bool gate_launches(const struct gate_scene *scene, struct launch_judge *judge,
                          enum gate_extent extent, struct verdict *verdict, struct error *error) {
    struct kernel_plan *plan = scene->plan;
    if (!gate_again(judge, plan, scene->device, verdict, error) ||
        (verdict->status == STATUS_OK && extent == GATE_ALONE &&
         !gate_rounds(judge, plan, verdict, error))) {
        return false;
    }
    return verdict->status != STATUS_OK || !kernel_plan_outlives_moves(plan) ||
           gate_moved(judge, plan, MOVED_FAR, "particles moved by nearly half the skin: ", verdict,
                      error);
}

bool whole_gate_pass(const struct gate_scene *scene, enum gate_extent extent,
                     struct launch_judge **judge, struct verdict *verdict, struct error *error) {
    struct evaluation evaluations[2] = { { 0 }, { 0 } };
    bool ran = gate_runs(scene, extent, evaluations, verdict, error) &&
               (verdict->status != STATUS_OK ||
                launch_judge_create(scene->plan, scene->expected, scene->spec, scene->tools, judge,
                                    error));
    if (extent == GATE_SETTLED) {
        repeats_note_hash(&evaluations[0], verdict);
    } else {
        ran = ran &&
              (verdict->status != STATUS_OK ||
               gate_launches(scene, *judge, extent, verdict, error)) &&
              (verdict->status != STATUS_OK ||
               repeats_find(scene->plan, scene->spec, scene->expected, scene->tools, scene->device,
                            &evaluations[0], verdict, error));
    }
    evaluation_free(&evaluations[0]);
    evaluation_free(&evaluations[1]);
    return ran;
}
