/* Identical molecules change places, on the device. */
#include "measure/prepare/kernel_plan_parts.h"

bool steps_exchange(struct kernel_plan *plan, struct error *error) {
    const struct plan_steps *steps = &plan->steps;
    const struct exchange_state state = { .position = plan->sets[0].position,
                                          .position_rest = steps->position_rest,
                                          .velocity = steps->velocity,
                                          .force = steps->force,
                                          .crossing = steps->crossing,
                                          .index = steps->index };
    return !steps->exchange ||
           exchange_enqueue(steps->exchange, &plan->sets[0].order, &state, error);
}
