/* What a plan has the device do: fill outputs, build, evaluate. */
#include "measure/prepare/kernel_plan_parts.h"

#include <stdlib.h>
#include <string.h>

/* Makes 0.75 of a float and 5e-4 of a double. */
enum { DISTURBED_BYTE = 0x3F };

static bool fill_results(struct kernel_plan *plan, unsigned char value, struct error *error) {
    bool filled = true;
    for (int s = 0; filled && s < plan->set_count; s++) {
        struct buffer *result = plan->sets[s].result;
        filled = buffer_fill(result, value, buffer_bytes(result), error);
    }
    return filled && (!plan->steps.totals || buffer_fill(plan->steps.totals, value,
                                                         buffer_bytes(plan->steps.totals), error));
}

static bool fill_sums(struct kernel_plan *plan, unsigned char value, struct error *error) {
    bool filled = true;
    for (int p = 0; filled && p < plan->spec->variant->pass_count; p++) {
        struct planned_pass *pass = &plan->passes[p];
        filled = buffer_fill(pass->partial_sums, value, buffer_bytes(pass->partial_sums), error) &&
                 buffer_fill(pass->sums, value, buffer_bytes(pass->sums), error);
    }
    return filled;
}

bool fill_outputs_with_byte(struct kernel_plan *plan, unsigned char value, struct error *error) {
    return fill_results(plan, value, error) && fill_sums(plan, value, error) &&
           scratch_poison(plan, error);
}

/* A set's results, but for the fourth number of each. */
static bool disturb_set(const struct kernel_plan *plan, const struct particle_set *set,
                        struct error *error) {
    const size_t size = buffer_bytes(set->result);
    const size_t number = kernel_plan_accum_size(plan);
    unsigned char *bytes = malloc(size ? size : 1);
    if (!bytes) {
        return fail_out_of_memory(error, "the forces");
    }
    bool disturbed = buffer_read(set->result, 0, bytes, size, error);
    if (disturbed && kernel_plan_is_of_draws(plan)) {
        memset(bytes, DISTURBED_BYTE, size);
    }
    for (size_t at = 0; disturbed && !kernel_plan_is_of_draws(plan) && at < size;
         at += 4 * number) {
        memset(bytes + at, DISTURBED_BYTE, 3 * number);
    }
    disturbed = disturbed && buffer_write(set->result, 0, bytes, size, error);
    free(bytes);
    return disturbed;
}

bool fill_outputs_with_garbage(struct kernel_plan *plan, struct error *error) {
    bool disturbed = device_finish(plan->device, error);
    for (int s = 0; disturbed && s < plan->set_count; s++) {
        disturbed = disturb_set(plan, &plan->sets[s], error);
    }
    return disturbed && fill_sums(plan, DISTURBED_BYTE, error) && scratch_poison(plan, error);
}

/* Every launch of draws is a step of its own. */
static bool take_step(struct kernel_plan *plan, struct error *error) {
    bool bound = true;
    if (!kernel_plan_is_of_draws(plan)) {
        return true;
    }
    plan->step = plan->first_step + plan->launches++;
    for (int p = 0; bound && p < plan->spec->variant->pass_count; p++) {
        bound = !pass_is_step(&plan->spec->variant->passes[p]) || bind_pass(plan, p, error);
    }
    return bound;
}

bool kernel_plan_build_watched(struct kernel_plan *plan, const struct stage_watch *watch,
                               struct error *error) {
    return plan_has_steps(plan) ? steps_begin(plan, watch, error)
                                : structure_build(plan, watch, error);
}

bool kernel_plan_build(struct kernel_plan *plan, struct error *error) {
    return kernel_plan_build_watched(plan, NULL, error);
}

bool kernel_plan_renew(struct kernel_plan *plan, bool *rebuilt, struct error *error) {
    *rebuilt = true;
    return plan_has_steps(plan) ? steps_begin(plan, NULL, error)
                                : structure_renew(plan, rebuilt, error);
}

bool kernel_plan_enqueue_watched(struct kernel_plan *plan, const struct stage_watch *watch,
                                 struct error *error) {
    if (plan_has_steps(plan)) {
        return steps_enqueue(plan, watch, error);
    }
    bool enqueued = take_step(plan, error) && zero_outputs(plan, watch, error);
    for (int p = 0; enqueued && p < plan->spec->variant->pass_count; p++) {
        enqueued =
            !pass_is_step(&plan->spec->variant->passes[p]) || enqueue_pass(plan, p, watch, error);
    }
    return enqueued && fixed_point_write_forces(plan, watch, error);
}

bool kernel_plan_ready(struct kernel_plan *plan, struct error *error) {
    return !plan_has_steps(plan) || steps_ready(plan, error);
}

static bool enqueue_each(void *context, struct error *error) {
    return kernel_plan_enqueue_watched(context, NULL, error);
}

bool kernel_plan_record(struct kernel_plan *plan, struct error *error) {
    if (plan->spec->launch != LAUNCH_GRAPH || !plan->was_enqueued ||
        (plan->graph && !plan->graph_is_stale)) {
        return true;
    }
    graph_free(plan->graph);
    plan->graph = NULL;
    plan->graph_is_stale = false;
    return device_record(plan->device, enqueue_each, plan, &plan->graph, error) &&
           (graph_is_one_launch(plan->graph) ||
            fail(error, STATUS_UNSUPPORTED, "launch graph: the kernels of %s make no graph",
                 plan->spec->variant->name));
}

bool kernel_plan_enqueue(struct kernel_plan *plan, struct error *error) {
    if (plan->graph && !plan->graph_is_stale) {
        return graph_enqueue(plan->graph, error);
    }
    plan->was_enqueued = true;
    return kernel_plan_enqueue_watched(plan, NULL, error);
}
