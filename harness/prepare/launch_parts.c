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

/* A launch of time steps begins with a structure of its own. */
bool kernel_plan_outlives_moves(const struct kernel_plan *plan) {
    return !plan_has_steps(plan) && !plan_builds_in_launch(plan) &&
           (variant_rebuilds_when_moved(plan->spec->variant) ||
            structure_chain_outlives_moves(plan->sets[0].structure));
}

struct places_of_build kernel_plan_kept(const struct kernel_plan *plan, int set) {
    const struct particle_set *particles = &plan->sets[set];
    if (plan->driver || plan_outputs(plan) || !kernel_plan_outlives_moves(plan)) {
        return (struct places_of_build){ .position = NULL };
    }
    return variant_rebuilds_when_moved(plan->spec->variant)
               ? moved_test_kept(particles->moved)
               : structure_chain_kept(particles->structure);
}

bool kernel_plan_replace(struct kernel_plan *plan, struct error *error) {
    return structure_replace(plan, error);
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
