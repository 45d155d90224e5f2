#include "measure/launches/kept_results.h"

#include "core/host.h"

enum { ROUNDS_PER_LOOK = 4 };

/* ---- making ---- */

/* Time steps of rigid molecules, and those that keep more digits than a float: neither shows in one
 * particle. An exchange leaves particles in places of its own behind each launch. */
static bool has_steps_seen_whole(const struct judged_case *judged) {
    const struct kernel_plan *plan = judged->plan;
    return plan_has_steps(plan) && !plan->steps->exchange &&
           (judged->spec->step.integrator == INTEGRATOR_SETTLE ||
            plan->real_is_double != plan->accum_is_double);
}

bool kept_results_create(const struct judged_case *judged, struct kept_results *kept,
                         struct error *error) {
    const struct kernel_plan *plan = judged->plan;
    *kept = (struct kept_results){ .of = judged, .first = true };
    const bool has_steps = has_steps_seen_whole(judged);
    if (!judge_of(judged->spec)->compare_all || (plan_has_steps(plan) && !has_steps)) {
        return true;
    }
    return buffer_allocate(plan->device, buffer_bytes(plan->sets[0].result), &kept->kept, error) &&
           (!has_steps || buffer_allocate(plan->device, buffer_bytes(plan->steps->velocity),
                                          &kept->velocities, error));
}

void kept_results_free(struct kept_results *kept) {
    buffer_free(kept->kept);
    buffer_free(kept->velocities);
    *kept = (struct kept_results){ 0 };
}

/* ---- a round ---- */

void kept_results_begin(struct kept_results *kept, bool scattered) {
    kept->scattered = scattered;
    kept->looks = kept->kept && (kept->first || draw_seed() % ROUNDS_PER_LOOK == 0);
    kept->launch = 0;
}

static bool copy(const struct kept_results *kept, struct buffer *from, struct buffer *to,
                 struct error *error) {
    const size_t n = kept->of->plan->sets[0].n;
    return launch_tool_run(
        kept->of->tools, TOOL_COPY_RESULTS, n,
        ARGUMENTS(argument_int((int32_t)n), argument_buffer(from), argument_buffer(to)), error);
}

bool kept_results_launch(struct kept_results *kept, int launch, struct error *error) {
    if (!kept->looks || draw_seed() % ((uint64_t)launch + 1) != 0) {
        return true;
    }
    const struct kernel_plan *plan = kept->of->plan;
    kept->launch = launch;
    return copy(kept, plan->sets[0].result, kept->kept, error) &&
           (!kept->velocities || copy(kept, plan->steps->velocity, kept->velocities, error));
}

bool kept_results_end(struct kept_results *kept, struct verdict *verdict, struct error *error) {
    struct evaluation evaluation = { 0 };
    struct verdict of_launch;
    if (!kept->looks) {
        return true;
    }
    kept->first = kept->first && kept->scattered;
    struct kernel_plan *plan = kept->of->plan;
    const struct judge_question question = question_of(kept->of);
    if (!copy(kept, kept->kept, plan->sets[0].result, error) ||
        (kept->velocities && !copy(kept, kept->velocities, plan->steps->velocity, error)) ||
        !kernel_plan_collect(plan, &evaluation, error)) {
        return false;
    }
    judge_of(kept->of->spec)
        ->compare_all(&question, kept->of->expected->reference, &evaluation, &of_launch);
    evaluation_free(&evaluation);
    report_verdict_of_launch(kept->launch, &of_launch, verdict);
    return true;
}
