/* Parts of a launch for who makes it himself: the judge of launches, and the library, whose results
 * go to arrays of a program. */
#include "prepare/kernel_plan_parts.h"

bool kernel_plan_fill_own_outputs(struct kernel_plan *plan, unsigned char value,
                                  struct error *error) {
    const struct workload_outputs *outputs = plan_outputs(plan);
    return !outputs || outputs->fill(plan->own, value, error);
}

bool kernel_plan_build_and_launch(struct kernel_plan *plan, struct error *error) {
    bool launched = structure_build(plan, NULL, error);
    for (int p = 0; launched && p < plan->spec->variant->pass_count; p++) {
        launched = enqueue_pass(plan, p, NULL, error);
    }
    return launched;
}

void kernel_plan_skip_sums(struct kernel_plan *plan, bool skip) {
    plan->skips_sums = skip;
}

static bool make_question(struct kernel_plan *plan, struct error *error) {
    struct plan_question *question = &plan->question;
    void *memory = NULL;
    if (question->answered) {
        return true;
    }
    if (!question->answers &&
        !host_allocate(plan->device, MAX_SETS * sizeof *question->answers, &memory, error)) {
        return false;
    }
    question->answers = question->answers ? question->answers : memory;
    return event_create(plan->device, &question->answered, error);
}

void question_free(struct kernel_plan *plan) {
    if (plan->question.answers) {
        host_free(plan->device, plan->question.answers);
    }
    event_free(plan->question.answered);
}

/* A launch of time steps begins with a structure of its own. */
bool kernel_plan_outlives_moves(const struct kernel_plan *plan) {
    return !plan_has_steps(plan) && !plan_builds_in_launch(plan) &&
           (variant_rebuilds_when_moved(plan->spec->variant) ||
            structure_chain_outlives_moves(plan->sets[0].structure));
}

bool kernel_plan_ask(struct kernel_plan *plan, bool *asked, struct error *error) {
    struct plan_question *question = &plan->question;
    *asked = !plan->driver && !plan_outputs(plan) && kernel_plan_outlives_moves(plan);
    if (!*asked) {
        return true;
    }
    bool good = make_question(plan, error) && structure_ask(plan, question->expired, error);
    for (int s = 0; good && s < plan->set_count; s++) {
        question->answers[s] = 1;
        good = !question->expired[s] ||
               buffer_read_enqueued(question->expired[s], 0, &question->answers[s],
                                    sizeof question->answers[s], error);
    }
    return good && event_record(question->answered, error);
}

bool kernel_plan_answer(struct kernel_plan *plan, bool *expired, struct error *error) {
    const struct plan_question *question = &plan->question;
    bool good = event_wait(question->answered, error);
    *expired = false;
    for (int s = 0; good && s < plan->set_count; s++) {
        const bool of_set = question->answers[s] != 0;
        *expired = *expired || of_set;
        good = !of_set || !question->expired[s] ||
               buffer_fill(question->expired[s], 0, sizeof question->answers[s], error);
    }
    return good && (!*expired || structure_replace(plan, error));
}

/* Draws bind their passes at each launch. */
bool kernel_plan_redirect_results(struct kernel_plan *plan, struct buffer *theirs,
                                  struct error *error) {
    struct particle_set *set = &plan->sets[0];
    if (plan->own_result) {
        buffer_free(set->result);
        set->result = plan->own_result;
        plan->own_result = NULL;
    }
    if (theirs) {
        plan->own_result = set->result;
        set->result = theirs;
    }
    return !plan_has_particles(plan) || bind_all(plan, error);
}

void kernel_plan_draw_from(struct kernel_plan *plan, uint64_t seed, uint64_t first_step) {
    plan->seed = seed;
    if (!generator_has_streams(plan->spec->variant->generator)) {
        plan->first_step = first_step;
        plan->launches = 0;
    }
}
