/* What kernels of time steps are given besides, by which they exit early where the list has
 * expired. */
#include "kernels/text/kernel_text.h"
#include "measure/prepare/kernel_plan_parts.h"

#include <math.h>

/* Compilers for CPUs make loops over work-items of what lies between barriers; PoCL's gets that
 * wrong in kernels that may be left before the first barrier and loop behind the last, as those of
 * thermostats do. There, the host asks in each step. */
bool runs_halt(const struct kernel_plan *plan) {
    const struct variant *variant = plan->spec->variant;
    const int end = variant->forces.first + variant->forces.count;
    bool of_groups = false;
    for (int p = 0; p < variant->pass_count; p++) {
        const struct pass *pass = &variant->passes[p];
        of_groups = of_groups || (pass->per_group && pass->schedule.when != PASS_WHEN_ASKED &&
                                  (p < variant->forces.first || p >= end));
    }
    return plan_has_steps(plan) && !(device_describe(plan->device)->is_cpu && of_groups);
}

double runs_way(const struct kernel_plan *plan) {
    const struct particle_set *set = &plan->sets[0];
    return fmin(structure_chain_way(set->structure),
                set->moved ? moved_test_limit(set->moved) : NAN);
}

static bool is_own(const struct kernel_plan *plan, int index) {
    const struct variant *variant = plan->spec->variant;
    return index < variant->forces.first || index >= variant->forces.first + variant->forces.count;
}

size_t runs_arguments(const struct kernel_plan *plan, int index, struct argument *arguments) {
    const struct plan_runs *runs = &plan->steps.runs;
    const double way = runs_way(plan);
    arguments[0] = argument_buffer(runs->expired);
    if (!is_own(plan, index)) {
        return 1;
    }
    arguments[1] = argument_buffer(runs->built);
    arguments[2] = argument_real(isfinite(way) ? way * way : 0, plan->real_is_double);
    arguments[3] = argument_int(0);
    return RUNS_OWN_ARGUMENTS;
}
