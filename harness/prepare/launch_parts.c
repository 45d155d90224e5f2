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
