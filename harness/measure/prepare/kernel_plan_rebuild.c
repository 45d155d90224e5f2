/* What steps find ready: the structure, and the scratch that passes of other schedules fill. */
#include "measure/prepare/kernel_plan_parts.h"

/* A structure that was built may have replaced what kernels are given, where it grew. */
static bool bind_anew(struct kernel_plan *plan, struct error *error) {
    bool bound = true;
    plan->graph_is_stale = true;
    plan->launches = 0;
    plan->step = plan->first_step;
    for (int p = 0; bound && p < plan->spec->variant->pass_count; p++) {
        bound = bind_pass(plan, p, error);
    }
    return bound;
}

static bool note_positions(struct kernel_plan *plan, const struct stage_watch *watch,
                           struct error *error) {
    bool noted = !plan->sets[0].moved || stage_begins(watch, "note", "positions", error);
    for (int s = 0; noted && s < plan->set_count; s++) {
        struct moved_test *moved = plan->sets[s].moved;
        noted = !moved || moved_test_note(moved, error);
    }
    return noted;
}

/* The passes behind the building of the structure. */
static bool fill_kept(struct kernel_plan *plan, const struct stage_watch *watch,
                      struct error *error) {
    bool filled = bind_anew(plan, error);
    for (int p = 0; filled && p < plan->spec->variant->pass_count; p++) {
        const struct pass *pass = &plan->spec->variant->passes[p];
        filled = pass_is_step(pass) ||
                 (stage_begins(watch, "build", pass->kernel, error) && launch_pass(plan, p, error));
    }
    return filled && note_positions(plan, watch, error);
}

bool structure_build(struct kernel_plan *plan, const struct stage_watch *watch,
                     struct error *error) {
    bool built = true;
    for (int s = 0; built && s < plan->set_count; s++) {
        built = structure_chain_build_watched(plan->sets[s].structure, watch, error);
    }
    return built && fill_kept(plan, watch, error);
}

bool structure_rebuild(struct kernel_plan *plan, bool *whole, struct error *error) {
    bool built = true;
    *whole = false;
    for (int s = 0; built && s < plan->set_count; s++) {
        bool below_rebuilt;
        built = structure_chain_rebuild(plan->sets[s].structure, &below_rebuilt, error);
        *whole = *whole || below_rebuilt;
    }
    return built && fill_kept(plan, NULL, error);
}

/* By half the skin, of any set. */
static bool ask_moved(struct kernel_plan *plan, bool *moved, struct error *error) {
    bool asked = true;
    *moved = false;
    for (int s = 0; asked && !*moved && s < plan->set_count; s++) {
        asked = moved_test_ask(plan->sets[s].moved, moved, error);
    }
    return asked;
}

bool structure_renew(struct kernel_plan *plan, bool *rebuilt, struct error *error) {
    *rebuilt = false;
    if (variant_rebuilds_when_moved(plan->spec->variant)) {
        return ask_moved(plan, rebuilt, error) && (!*rebuilt || structure_build(plan, NULL, error));
    }
    for (int s = 0; s < plan->set_count; s++) {
        bool of_set;
        if (!structure_chain_renew(plan->sets[s].structure, &of_set, error)) {
            return false;
        }
        *rebuilt = *rebuilt || of_set;
    }
    return !*rebuilt || fill_kept(plan, NULL, error);
}
