/* One pass on the device: what it adds to, its launch, its sums. */
#include "measure/prepare/kernel_plan_parts.h"

static enum sum_type sum_type_of(const struct kernel_plan *plan) {
    if (plan->build == BUILD_COUNTING || plan->sums_are_fixed) {
        return SUM_INT64;
    }
    return plan->accum_is_double ? SUM_DOUBLE : SUM_FLOAT;
}

/* What kernels add forces to. */
static bool zero_forces(struct kernel_plan *plan, struct error *error) {
    bool filled = true;
    if (plan->spec->precision == PRECISION_FIXED) {
        return fixed_point_zero(plan, error);
    }
    for (int s = 0; filled && s < plan->set_count; s++) {
        struct buffer *force = plan_force(plan, s);
        filled = buffer_fill(force, 0, buffer_bytes(force), error);
    }
    return filled;
}

/* What kernels add to atomically. */
static bool clear_sums(struct kernel_plan *plan, struct error *error) {
    bool cleared = true;
    for (int p = 0; cleared && p < plan->spec->variant->pass_count; p++) {
        struct planned_pass *pass = &plan->passes[p];
        struct buffer *sums = pass->fixed_sums ? pass->fixed_sums : pass->sums;
        cleared = buffer_fill(sums, 0, buffer_bytes(sums), error);
    }
    return cleared;
}

/* From one number a group and sum to one a sum. */
static bool add_groups(struct kernel_plan *plan, const struct planned_pass *pass,
                       struct error *error) {
    return plan->sum_method->add(plan->device, sum_type_of(plan), pass->partial_sums, pass->groups,
                                 kernel_plan_sums_added(plan),
                                 pass->fixed_sums ? pass->fixed_sums : pass->sums, error);
}

/* What kernels add to atomically begins as zero. */
bool zero_outputs(struct kernel_plan *plan, const struct stage_watch *watch, struct error *error) {
    const bool sums = plan->sum_method->in_place && plan->sum_count > 0;
    const bool results =
        plan->spec->variant->accumulates || plan->spec->precision == PRECISION_FIXED;
    return (!results ||
            (stage_begins(watch, "zero", "results", error) && zero_forces(plan, error))) &&
           (!sums || (stage_begins(watch, "zero", "sums", error) && clear_sums(plan, error)));
}

static bool needs_adding(const struct kernel_plan *plan, const struct planned_pass *pass) {
    return pass->has_sums && !plan->sum_method->in_place;
}

bool launch_pass(struct kernel_plan *plan, int index, struct error *error) {
    struct planned_pass *pass = &plan->passes[index];
    return pass->is_grid ? kernel_launch_grid(pass->kernel, &pass->shape, pass->arguments,
                                              pass->argument_count, error)
                         : kernel_launch(pass->kernel, pass->groups, (size_t)plan->group_size,
                                         pass->arguments, pass->argument_count, error);
}

bool enqueue_pass(struct kernel_plan *plan, int index, const struct stage_watch *watch,
                  struct error *error) {
    const struct planned_pass *pass = &plan->passes[index];
    const char *name = plan->spec->variant->passes[index].kernel;
    return stage_begins(watch, "pass", name, error) && launch_pass(plan, index, error) &&
           (!needs_adding(plan, pass) ||
            (stage_begins(watch, "reduce", name, error) && add_groups(plan, pass, error))) &&
           fixed_point_write_sums(plan, pass, error);
}
