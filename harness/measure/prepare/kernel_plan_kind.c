/* What kind of case a plan is of. */
#include "measure/prepare/kernel_plan_parts.h"

#include <string.h>

bool kernel_plan_is_of_draws(const struct kernel_plan *plan) {
    return plan->spec->variant->workload->is_of_draws;
}

bool kernel_plan_has_structure(const struct kernel_plan *plan) {
    return strcmp(plan->structure->name, "none") != 0;
}

/* What steps rebuild is part of their time. */
bool kernel_plan_has_rebuild(const struct kernel_plan *plan) {
    return !plan_has_steps(plan) &&
           (kernel_plan_has_structure(plan) || variant_rebuilds(plan->spec->variant));
}

/* A launch of time steps begins with a structure of its own. */
bool kernel_plan_outlives_moves(const struct kernel_plan *plan) {
    return !plan_has_steps(plan) && (variant_rebuilds_when_moved(plan->spec->variant) ||
                                     structure_chain_outlives_moves(plan->sets[0].structure));
}

double steps_freedom(const struct kernel_plan *plan) {
    const struct step_rules *rules = &plan->spec->step;
    const double n = (double)plan->box->n;
    const bool momentum_stays = rules->integrator != INTEGRATOR_LANGEVIN &&
                                !step_field_is_there(&rules->field) && plan->box->n > 1;
    const double constraints = 3 * (double)plan->steps.molecules.rigid;
    return (momentum_stays ? 3 * n - 3 : 3 * n) - constraints;
}
