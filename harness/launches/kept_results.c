#include "launches/kept_results.h"

#include "system/seed.h"

enum { ROUNDS_PER_LOOK = 4 };

/* ---- making ---- */

bool kept_results_create(const struct judged_case *judged, struct kept_results *kept,
                         struct error *error) {
    const struct kernel_plan *plan = judged->plan;
    *kept = (struct kept_results){ .of = judged, .first = true };
    return !judged->spec->variant->workload->constrains ||
           buffer_allocate(plan->device, buffer_bytes(plan->sets[0].result), &kept->kept, error);
}

void kept_results_free(struct kept_results *kept) {
    buffer_free(kept->kept);
    *kept = (struct kept_results){ 0 };
}

/* ---- a round ---- */

void kept_results_begin(struct kept_results *kept) {
    kept->looks = kept->kept && (kept->first || draw_seed() % ROUNDS_PER_LOOK == 0);
    kept->launch = 0;
}

static bool copy(const struct kept_results *kept, struct buffer *from, struct buffer *to,
                 struct error *error) {
    const size_t n = kept->of->plan->sets[0].n;
    const struct argument arguments[] = { argument_int((int32_t)n), argument_buffer(from),
                                          argument_buffer(to) };
    return launch_tool_run(kept->of->tools, TOOL_COPY_RESULTS, n, arguments,
                           sizeof arguments / sizeof arguments[0], error);
}

bool kept_results_launch(struct kept_results *kept, int launch, struct error *error) {
    if (!kept->looks || draw_seed() % ((uint64_t)launch + 1) != 0) {
        return true;
    }
    kept->launch = launch;
    return copy(kept, kept->of->plan->sets[0].result, kept->kept, error);
}

bool kept_results_end(struct kept_results *kept, struct verdict *verdict, struct error *error) {
    struct evaluation evaluation = { 0 };
    struct verdict of_launch;
    if (!kept->looks) {
        return true;
    }
    kept->first = false;
    const struct judge_question question = question_of(kept->of);
    if (!copy(kept, kept->kept, kept->of->plan->sets[0].result, error) ||
        !kernel_plan_collect(kept->of->plan, &evaluation, error)) {
        return false;
    }
    judge_of(kept->of->spec)
        ->compare(&question, &kept->of->expected->reference, &evaluation, &of_launch);
    evaluation_free(&evaluation);
    tell_verdict_of_launch(kept->launch, &of_launch, verdict);
    return true;
}
