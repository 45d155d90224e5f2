/* Sums in fixed point: added up as whole numbers (variants/accumulation.cl), then converted to
 * reals.
 */
#include "measure/prepare/kernel_plan_parts.h"

enum { FORCE_PLANES = 4 };

static bool check(const struct kernel_plan *plan, struct error *error) {
    const struct device_info *info = device_describe(plan->device);
    const struct variant *variant = plan->spec->variant;
    if (plan->spec->precision != PRECISION_FIXED) {
        return true;
    }
    return info->atomics64 || (!variant->accumulates && !plan->sum_method->in_place) ||
           fail(error, STATUS_UNSUPPORTED,
                "precision fixed: %s has no 64-bit atomics (cl_khr_int64_base_atomics)",
                info->name);
}

bool fixed_point_create(struct kernel_plan *plan, struct error *error) {
    bool made = check(plan, error);
    if (plan->spec->precision != PRECISION_FIXED) {
        return made;
    }
    made = made && program_kernel(plan->program, "write_fixed_forces", &plan->tell_forces, error) &&
           program_kernel(plan->program, "write_fixed_sums", &plan->tell_sums, error);
    for (int s = 0; made && s < plan->set_count; s++) {
        struct particle_set *set = &plan->sets[s];
        made = buffer_allocate(plan->device, FORCE_PLANES * set_force_plane(set) * sizeof(int64_t),
                               &set->fixed_force, error);
    }
    return made;
}

void fixed_point_free(struct kernel_plan *plan) {
    for (int s = 0; s < MAX_SETS; s++) {
        buffer_free(plan->sets[s].fixed_force);
    }
    for (int p = 0; p < VARIANT_MAX_PASSES; p++) {
        buffer_free(plan->passes[p].fixed_sums);
    }
}

bool fixed_point_zero(struct kernel_plan *plan, struct error *error) {
    bool zeroed = true;
    for (int s = 0; zeroed && s < plan->set_count; s++) {
        struct buffer *force = plan->sets[s].fixed_force;
        zeroed = !force || buffer_fill(force, 0, buffer_bytes(force), error);
    }
    return zeroed;
}

static bool launch_over(const struct kernel_plan *plan, struct kernel *kernel, size_t items,
                        const struct argument *arguments, size_t count, struct error *error) {
    const size_t group = (size_t)plan->group_size;
    return kernel_launch(kernel, (items + group - 1) / group, group, arguments, count, error);
}

bool fixed_point_write_forces(struct kernel_plan *plan, const struct stage_watch *watch,
                              struct error *error) {
    bool told = true;
    for (int s = 0; told && s < plan->set_count; s++) {
        const struct particle_set *set = &plan->sets[s];
        const struct argument arguments[] = { argument_int((int32_t)set->n),
                                              argument_int((int32_t)set_force_plane(set)),
                                              argument_buffer(set->fixed_force),
                                              argument_buffer(set->result) };
        told = !set->fixed_force || set->n == 0 ||
               (stage_begins(watch, "tell", "results", error) &&
                launch_over(plan, plan->tell_forces, set->n, arguments,
                            sizeof arguments / sizeof arguments[0], error));
    }
    return told;
}

bool fixed_point_write_sums(const struct kernel_plan *plan, const struct planned_pass *pass,
                            struct error *error) {
    const struct argument arguments[] = { argument_int(plan->sum_count),
                                          argument_buffer(pass->fixed_sums),
                                          argument_buffer(pass->sums) };
    return !plan->sums_are_fixed || !pass->has_sums ||
           launch_over(plan, plan->tell_sums, (size_t)plan->sum_count, arguments,
                       sizeof arguments / sizeof arguments[0], error);
}
