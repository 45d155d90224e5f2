/* The structures of time steps: when they are built, and for which positions.
 *
 * A structure is built for the positions that particles will have halfway through the steps that it
 * is to serve, as many as the one before it served (step_predict). It is valid while no particle is
 * farther from there than half the skin, and so serves about twice as long.
 *
 * A structure of parts has one of them renewed every so many steps of a run, on the device, for
 * where particles are then. How far they have come is compared from there on; where one has come
 * too far before the next part's turn, the step exits early, and all parts are built anew. */
#include "prepare/steps_parts.h"

#include <math.h>
#include <string.h>

/* ---- what kernels are given ---- */

static bool is_own(const struct kernel_plan *plan, int index) {
    const struct variant *variant = plan->spec->variant;
    return index < variant->forces.first || index >= variant->forces.first + variant->forces.count;
}

size_t runs_arguments(const struct kernel_plan *plan, int index, struct argument *arguments) {
    const double way = kernel_plan_reach(plan);
    arguments[0] = argument_buffer(plan->steps->runs.expired);
    if (!is_own(plan, index)) {
        return 1;
    }
    arguments[1] = argument_buffer(plan->sets[0].built);
    arguments[2] = argument_real(isfinite(way) ? way * way : 0, plan->real_is_double);
    arguments[3] = argument_int(0);
    return RUNS_OWN_ARGUMENTS;
}

/* ---- how long it serves ---- */

/* Whether what steps walk serves several of them, until a test says that it does not. */
bool lists_outlive_steps(const struct kernel_plan *plan) {
    return variant_rebuilds_when_moved(plan->spec->variant) ||
           structure_chain_has_skin(plan->sets[0].structure);
}

/* Whether steps ask, by themselves, if what they walk still serves. */
bool lists_are_tested(const struct kernel_plan *plan) {
    return plan_exits_early(plan) && plan_foresees(plan);
}

/* Whether the passes before the forces fill the structure, so that it is not built in steps. */
bool lists_are_filled(const struct kernel_plan *plan) {
    const struct variant *variant = plan->spec->variant;
    return *variant->fills && (!*variant->fills_where ||
                               tunings_value(&plan->spec->tunings, variant->fills_where, 0) != 0);
}

/* ---- parts ---- */

/* Only steps that ask by themselves renew parts; where the host asks, all are built. */
bool lists_have_parts(const struct kernel_plan *plan) {
    return lists_are_tested(plan) && structure_chain_parts(plan->sets[0].structure) > 1;
}

/* Steps from one to the next, if particles some four times as fast as in the mean go straight on.
 */
static uint64_t guess_period(const struct kernel_plan *plan) {
    const double steps =
        0.25 * kernel_plan_reach(plan) / (plan->steps->start_speed * plan->spec->step.dt);
    return steps >= 1 ? (uint64_t)fmin(steps, (double)RUNS_LONGEST) : 1;
}

/* What steps walk ended with number `served` of them. Where a particle had come too far since the
 * last part, a step less would have been in time; else all parts were, and a step more is tried. */
void lists_adapt_period(struct kernel_plan *plan, uint64_t served, bool too_far) {
    uint64_t *period = &plan->steps->runs.period;
    const uint64_t in_time = (served - 1) % *period;
    const uint64_t wanted = too_far ? in_time : *period + 1;
    *period = wanted < 1 ? 1 : wanted < RUNS_LONGEST ? wanted : RUNS_LONGEST;
}

/* Renews the next part of the lists, if it is due in step `served` since they were built; `mark` is
 * the number of that step in the run. */
bool lists_renew_part(struct kernel_plan *plan, uint64_t served, int mark, struct error *error) {
    const struct plan_runs *runs = &plan->steps->runs;
    const struct particle_set *set = &plan->sets[0];
    return !lists_have_parts(plan) || served % runs->period != 0 ||
           (steps_launch(plan, runs->note_places,
                         ARGUMENTS(argument_int((int32_t)set->n), argument_buffer(set->position),
                                   argument_buffer(runs->expired), argument_buffer(set->built)),
                         error) &&
            structure_chain_renew_part(set->structure, runs->expired, -mark, error));
}

/* ---- building ---- */

/* Notes what kernels are given from now on: that is what a recording holds. */
static void note_built(struct kernel_plan *plan) {
    struct plan_runs *runs = &plan->steps->runs;
    struct hash_state *state = hash_begin();
    runs->served = 0;
    for (int p = 0; p < plan->spec->variant->pass_count; p++) {
        const struct planned_pass *pass = &plan->passes[p];
        hash_add(state, &pass->groups, sizeof pass->groups);
        const size_t last = is_own(plan, p); /* the step of a run, which each step sets */
        for (size_t a = 0; a + last < pass->argument_count; a++) {
            const struct argument *argument = &pass->arguments[a];
            hash_add(state, &argument->buffer, sizeof argument->buffer);
            hash_add(state, &argument->size, sizeof argument->size);
            hash_add(state, argument_bytes(argument), argument->buffer ? 0 : argument->size);
        }
    }
    hash_end(state, runs->arguments);
}

static struct argument box_argument(const struct kernel_plan *plan) {
    return bindings_box(&plan->box->cell, plan->box->periodic, plan->real_is_double);
}

/* Predicts where particles will be after half the horizon; pushed: forces move them, too. */
static bool predict(struct kernel_plan *plan, bool pushed, struct error *error) {
    enum { HUNDREDTHS = 90 }; /* of the way, that they may be away from where they are now */
    const struct plan_runs *runs = &plan->steps->runs;
    const struct particle_set *set = &plan->sets[0];
    const bool is_double = plan->accum_is_double;
    return steps_launch(
        plan, runs->predict,
        ARGUMENTS(argument_int((int32_t)set->n),
                  argument_real(0.5 * runs->horizon * plan->spec->step.dt, is_double),
                  argument_int(pushed),
                  argument_real(0.01 * HUNDREDTHS * kernel_plan_reach(plan), is_double),
                  box_argument(plan), argument_buffer(plan->steps->velocity),
                  argument_buffer(plan->steps->force), argument_buffer(set->position),
                  argument_buffer(set->built)),
        error);
}

static bool foresee(struct kernel_plan *plan, bool pushed, const struct stage_watch *watch,
                    struct error *error) {
    return !plan_foresees(plan) ||
           (stage_begins(watch, "foresee", "positions", error) && predict(plan, pushed, error));
}

static bool clear_expired(struct kernel_plan *plan, struct error *error) {
    struct buffer *expired = plan->steps->runs.expired;
    return buffer_fill(expired, 0, buffer_bytes(expired), error);
}

bool lists_build(struct kernel_plan *plan, bool pushed, const struct stage_watch *watch,
                 struct error *error) {
    if (!clear_expired(plan, error) || !foresee(plan, pushed, watch, error) ||
        !structure_build(plan, watch, error)) {
        return false;
    }
    note_built(plan);
    return true;
}

/* What a building consists of where nothing has to be looked at meanwhile: one graph. */
static bool enqueue_building(void *context, struct error *error) {
    struct kernel_plan *plan = context;
    return clear_expired(plan, error) && structure_chain_enqueue(plan->sets[0].structure, error);
}

static bool can_record_building(const struct kernel_plan *plan) {
    return plan_has_structure(plan) && structure_chain_never_waits(plan->sets[0].structure);
}

/* What was recorded before the structure grew no longer holds. */
static bool record_building(struct kernel_plan *plan, struct error *error) {
    struct plan_runs *runs = &plan->steps->runs;
    const uint64_t growths = structure_chain_growths(plan->sets[0].structure);
    if (runs->building && runs->growths == growths) {
        return true;
    }
    graph_free(runs->building);
    runs->building = NULL;
    runs->growths = growths;
    return device_record(plan->device, enqueue_building, plan, &runs->building, error);
}

static bool build_recorded(struct kernel_plan *plan, struct error *error) {
    if (!record_building(plan, error) || !graph_enqueue(plan->steps->runs.building, error) ||
        !structure_chain_settle(plan->sets[0].structure, error)) {
        return false;
    }
    return structure_fill_kept(plan, NULL, error);
}

static bool build_what_expired(struct kernel_plan *plan, struct error *error) {
    bool whole = false;
    const bool built = clear_expired(plan, error) && structure_rebuild(plan, &whole, error);
    plan->steps->runs.prunings += !whole;
    return built;
}

/* How long the first structure will serve is guessed from the speeds: particles some four times as
 * fast as the mean decide. */
bool runs_begin(struct kernel_plan *plan, const struct stage_watch *watch, struct error *error) {
    const double step = plan->steps->start_speed * plan->spec->step.dt;
    plan->steps->runs.horizon =
        plan_foresees(plan) ? fmin(0.5 * kernel_plan_reach(plan) / step, (double)RUNS_LONGEST) : 0;
    plan->steps->runs.period = guess_period(plan);
    plan->steps->runs.is_open = false;
    return lists_build(plan, false, watch, error);
}

bool lists_rebuild(struct kernel_plan *plan, struct error *error) {
    struct plan_runs *runs = &plan->steps->runs;
    runs->lasted = runs->served;
    runs->horizon = (double)runs->lasted;
    runs->renewals++;
    if (!foresee(plan, !plan->spec->variant->accumulates, NULL, error) ||
        !(can_record_building(plan) ? build_recorded(plan, error)
                                    : build_what_expired(plan, error))) {
        return false;
    }
    note_built(plan);
    return true;
}

bool lists_enqueue_test(struct kernel_plan *plan, int mark, struct error *error) {
    const struct plan_runs *runs = &plan->steps->runs;
    const struct particle_set *set = &plan->sets[0];
    const double way = kernel_plan_reach(plan);
    return steps_launch(plan, runs->find_moved,
                        ARGUMENTS(argument_int((int32_t)set->n), argument_buffer(set->position),
                                  argument_buffer(set->built), box_argument(plan),
                                  argument_real(way * way, plan->real_is_double),
                                  argument_int(mark), argument_buffer(runs->expired)),
                        error);
}

/* Asks, and waits for the answer. */
static bool ask(struct kernel_plan *plan, bool *moved, struct error *error) {
    struct buffer *expired = plan->steps->runs.expired;
    int32_t mark = 0;
    const bool asked = lists_enqueue_test(plan, 1, error) &&
                       buffer_read(expired, 0, &mark, sizeof mark, error) &&
                       buffer_fill(expired, 0, sizeof mark, error);
    *moved = mark != 0;
    return asked;
}

/* Builds what the forces walk, where it is no longer valid and no pass has filled it. Waits where
 * it has to ask. */
bool lists_renew(struct kernel_plan *plan, const struct stage_watch *watch, struct error *error) {
    const bool has_structure = plan_has_structure(plan);
    bool rebuilt = false;
    if ((!has_structure && !variant_rebuilds(plan->spec->variant)) || lists_are_filled(plan)) {
        return true;
    }
    if (!stage_begins(watch, "renew", has_structure ? plan->structure->name : "scratch", error)) {
        return false;
    }
    return plan_foresees(plan)
               ? ask(plan, &rebuilt, error) && (!rebuilt || lists_rebuild(plan, error))
               : structure_renew(plan, &rebuilt, error);
}
