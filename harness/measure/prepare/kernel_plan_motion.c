/* Simulations: steps that go on from where they are, without the host; and what is summed over a
 * state, on the device. */
#include "measure/prepare/kernel_plan_parts.h"

#include <math.h>
#include <stdlib.h>

/* Work-groups that sum up, and how many sums each leaves: see step_sum_state. */
enum { SUM_GROUPS = 64, STATE_SUMS = 5 };

static const struct device_info *info_of(const struct kernel_plan *plan) {
    return device_describe(plan->device);
}

bool kernel_plan_goes_on(const struct kernel_plan *plan) {
    return info_of(plan)->fp64;
}

bool motion_tools_create(struct kernel_plan *plan, struct error *error) {
    struct plan_steps *steps = &plan->steps;
    return !kernel_plan_goes_on(plan) ||
           (buffer_allocate(plan->device, SUM_GROUPS * STATE_SUMS * sizeof(double),
                            &steps->state_sums, error) &&
            buffer_allocate(plan->device, sizeof(int32_t), &steps->astray, error) &&
            program_kernel(plan->program, "step_keep_state", &steps->keep_state, error) &&
            program_kernel(plan->program, "step_sum_state", &steps->sum_state, error));
}

void motion_tools_free(struct kernel_plan *plan) {
    buffer_free(plan->steps.state_sums);
    buffer_free(plan->steps.astray);
}

/* ---- sums ---- */

/* What the work-groups left, always in the same order. */
static bool read_state_sums(const struct kernel_plan *plan, struct state_sums *sums,
                            struct error *error) {
    double of_group[SUM_GROUPS * STATE_SUMS];
    double total[STATE_SUMS] = { 0 };
    int32_t astray;
    if (!buffer_read(plan->steps.state_sums, 0, of_group, sizeof of_group, error) ||
        !buffer_read(plan->steps.astray, 0, &astray, sizeof astray, error)) {
        return false;
    }
    for (int k = 0; k < SUM_GROUPS * STATE_SUMS; k++) {
        total[k % STATE_SUMS] += of_group[k];
    }
    *sums = (struct state_sums){ .kinetic = total[0],
                                 .momentum = { total[1], total[2], total[3] },
                                 .square = total[4],
                                 .astray = (int64_t)astray - 1 };
    return true;
}

bool motion_sum_state(const struct kernel_plan *plan, const struct buffer *position,
                      const struct buffer *velocity, double lag, double fastest,
                      struct state_sums *sums, struct error *error) {
    const struct plan_steps *steps = &plan->steps;
    const bool is_double = plan->accum_is_double;
    const double most = 1e30; /* of a float */
    const struct argument arguments[] = { argument_int((int32_t)plan->sets[0].n),
                                          argument_real(lag, is_double),
                                          argument_real(fmin(fastest, most), is_double),
                                          argument_buffer(position),
                                          argument_buffer(velocity),
                                          argument_buffer(steps->force),
                                          argument_buffer(steps->index),
                                          argument_buffer(steps->state_sums),
                                          argument_buffer(steps->astray) };
    return buffer_fill(steps->astray, 0, sizeof(int32_t), error) &&
           kernel_launch(steps->sum_state, SUM_GROUPS, (size_t)plan->group_size, arguments,
                         sizeof arguments / sizeof arguments[0], error) &&
           read_state_sums(plan, sums, error);
}

bool motion_find_speed(struct kernel_plan *plan, struct error *error) {
    struct plan_steps *steps = &plan->steps;
    const double n = (double)plan->sets[0].n;
    struct state_sums sums;
    if (!isnan(steps->start_speed)) {
        return true;
    }
    if (!motion_sum_state(plan, steps->start_position, steps->start_velocity, 0, INFINITY, &sums,
                          error)) {
        return false;
    }
    steps->start_speed = n > 0 ? sqrt(sums.square / n) : 0;
    return true;
}
