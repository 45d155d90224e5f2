#include "measure/launches/launch_judge.h"

#include "boxes/random.h"
#include "core/host.h"
#include "kernels/schedule.h"
#include "measure/launches/judge_parts.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_POISONED = 1 << 30 }; /* numbers of a scratch buffer that one launch reaches */

struct launch_judge {
    struct judged_case judged;
    struct judged_results results; /* over particles; else zeroed */
    struct kept_places places;     /* of results that are not over particles */
    struct kept_results whole;     /* of what does not show in one particle alone */
    struct kept_sums sums;
    struct watched_inputs inputs;
    bool has_seen_rows;
    int agains;       /* rounds in a row that lacked room */
    uint64_t order;   /* of the particles, in this round */
    double displaced; /* of this round: how far particles were from their places when the structure
                         was built, at most */
};

static bool has_places(const struct launch_judge *judge) {
    return judged_has_places(&judge->judged);
}

/* ---- making ---- */

void launch_judge_free(struct launch_judge *judge) {
    if (!judge) {
        return;
    }
    judged_results_free(&judge->results);
    kept_places_free(&judge->places);
    kept_results_free(&judge->whole);
    kept_sums_free(&judge->sums);
    watched_inputs_free(&judge->inputs);
    free(judge);
}

/* Results over particles are compared on the device, others by the host. */
static bool make_parts(struct launch_judge *judge, struct error *error) {
    return (has_places(judge) ? kept_places_create(&judge->judged, &judge->places, error)
                              : judged_results_create(&judge->judged, &judge->results, error)) &&
           kept_results_create(&judge->judged, &judge->whole, error) &&
           kept_sums_create(&judge->judged, &judge->sums, error) &&
           watched_inputs_create(judge->judged.plan, judge->judged.tools, LAUNCH_JUDGE_MAX,
                                 &judge->inputs, error);
}

bool launch_judge_create(struct kernel_plan *plan, const struct expected *expected,
                         const struct case_spec *spec, const struct launch_tools *tools,
                         struct launch_judge **judge, struct error *error) {
    struct launch_judge *made = calloc(1, sizeof *made);
    if (!made) {
        return fail_out_of_memory(error, "a judge of launches");
    }
    made->judged = (struct judged_case){ plan, expected, spec, tools, 0 };
    if (!make_parts(made, error)) {
        launch_judge_free(made);
        return false;
    }
    *judge = made;
    return true;
}

/* ---- a round ---- */

/* Overwrites scratch memory between launches, also where the outputs stay. Bytes that are all alike
 * could be recognised, so numbers that could be forces go over them. */
static bool poison_scratch(struct launch_judge *judge, int launch, struct error *error) {
    struct kernel_plan *plan = judge->judged.plan;
    const struct variant *variant = judge->judged.spec->variant;
    bool poisoned = kernel_plan_poison_scratch(plan, error);
    for (int s = 0; poisoned && s < variant->scratch_count; s++) {
        if (variant_keeps_scratch(variant, s)) {
            continue;
        }
        struct buffer *scratch = kernel_plan_scratch(plan, s);
        const size_t numbers = buffer_bytes(scratch) / kernel_plan_accum_size(plan);
        const size_t poisons = numbers < MAX_POISONED ? numbers : MAX_POISONED;
        const struct argument garbage[] = {
            argument_int((int32_t)poisons), argument_buffer(scratch),
            garbage_seed(&judge->judged, launch, GARBAGE_OF_SCRATCH + s)
        };
        poisoned = launch_tool_run(judge->judged.tools, TOOL_POISON_NUMBERS, poisons, garbage,
                                   sizeof garbage / sizeof garbage[0], error);
    }
    return poisoned;
}

static bool judge_outputs(struct launch_judge *judge, int launch, bool poison,
                          struct error *error) {
    return poison_scratch(judge, launch, error) &&
           (has_places(judge) ? kept_places_launch(&judge->places, launch, poison, error)
                              : judged_results_launch(&judge->results, launch, poison, error)) &&
           kept_sums_launch(&judge->sums, launch, poison, error);
}

/* A list with a skin is built for displaced particles, so that timed launches use an aged list, as
 * in a simulation. The displacement is drawn: 50 to 95 % of half the skin, so that no rounding
 * makes the list invalid. */
static bool build_displaced(struct launch_judge *judge, double half_skin, struct error *error) {
    static const double youngest = 0.5;
    static const double oldest = 0.95;
    struct kernel_plan *plan = judge->judged.plan;
    struct random random = random_from_seed(draw_seed());
    bool rebuilt;
    judge->displaced = half_skin * (youngest + (oldest - youngest) * random_unit(&random));
    return kernel_plan_displace(plan, random_next(&random), judge->displaced, error) &&
           watched_inputs_before_building(&judge->inputs, error) &&
           kernel_plan_build(plan, error) &&
           watched_inputs_behind_building(&judge->inputs, error) &&
           kernel_plan_restore_positions(plan, error) && kernel_plan_renew(plan, &rebuilt, error);
}

/* What sets a round apart from those that are timed. */
struct beginning {
    const struct box *moved; /* the particles' places; NULL: those of the box */
    bool scattered;
    bool moved_back; /* in the order of the round before, and the structure built as it was there */
};

/* Puts the particles into another order, for which every structure has to be built. Where they are
 * moved as well, a list with a skin is built before the move, to see whether it is still valid
 * after it. Inputs are summed up before the last building, since a pass of that could leave
 * something in them. */
static bool place_particles(struct launch_judge *judge, const struct beginning *how,
                            struct error *error) {
    struct kernel_plan *plan = judge->judged.plan;
    bool rebuilt;
    if (!kernel_plan_reorder(plan, judge->judged.tools, judge->order, how->scattered, error)) {
        return false;
    }
    if (!how->moved) {
        const double half_skin =
            kernel_plan_has_skin(plan) && !how->moved_back
                ? expected_half_skin(judge->judged.expected, judge->judged.spec)
                : 0;
        return watched_inputs_begin(&judge->inputs, judge->judged.random, error) &&
               (half_skin > 0 ? build_displaced(judge, half_skin, error)
                              : kernel_plan_build(plan, error));
    }
    return (!kernel_plan_has_skin(plan) || kernel_plan_build(plan, error)) &&
           kernel_plan_move(plan, how->moved, error) &&
           watched_inputs_begin(&judge->inputs, judge->judged.random, error) &&
           kernel_plan_renew(plan, &rebuilt, error);
}

/* Begins the launches of a round, once the structure is built. */
static bool begin_launches(struct launch_judge *judge, struct error *error) {
    return judge_outputs(judge, -1, true, error) && judged_results_clear(&judge->results, error) &&
           kernel_plan_record(judge->judged.plan, error) &&
           watched_inputs_built(&judge->inputs, error);
}

static bool begin(struct launch_judge *judge, const struct beginning *how, struct error *error) {
    judge->judged.random = draw_seed();
    judge->order = how->moved_back ? judge->order : judge->judged.random;
    judge->displaced = 0;
    kept_results_begin(&judge->whole, how->scattered);
    return (!has_places(judge) || kept_places_choose(&judge->places, error)) &&
           place_particles(judge, how, error) && begin_launches(judge, error);
}

bool launch_judge_begin(struct launch_judge *judge, struct error *error) {
    return begin(judge, &(struct beginning){ 0 }, error);
}

bool launch_judge_begin_again(struct launch_judge *judge, struct error *error) {
    return watched_inputs_begin(&judge->inputs, judge->judged.random, error) &&
           begin_launches(judge, error);
}

bool launch_judge_begin_scattered(struct launch_judge *judge, struct error *error) {
    return begin(judge, &(struct beginning){ .scattered = true }, error);
}

bool launch_judge_ready(struct launch_judge *judge, int launch, double seconds,
                        struct error *error) {
    if (kernel_plan_builds_in_launch(judge->judged.plan)) {
        return launch_tools_spend(judge->judged.tools, seconds, error);
    }
    if (launch == 0 || !kernel_plan_has_steps(judge->judged.plan)) {
        return true;
    }
    return kernel_plan_ready(judge->judged.plan, error) && poison_scratch(judge, launch, error) &&
           launch_tools_spend(judge->judged.tools, seconds, error);
}

bool launch_judge_launch(struct launch_judge *judge, int launch, bool poison, struct error *error) {
    return kept_results_launch(&judge->whole, launch, error) &&
           judge_outputs(judge, launch, poison, error) &&
           watched_inputs_mark(&judge->inputs, 1 + launch, error);
}

/* ---- the verdict ---- */

static void say_how_far(const struct launch_judge *judge, struct verdict *verdict) {
    const size_t length = strlen(verdict->message);
    if (verdict->status == STATUS_WRONG && judge->displaced > 0) {
        (void)snprintf(verdict->message + length, sizeof verdict->message - length,
                       "; built for particles up to %.3g away", judge->displaced);
    }
}

/* Waits for the round, and compares the sums of the inputs after each launch. */
static bool end_round(struct launch_judge *judge, int launches, struct verdict *verdict,
                      struct error *error) {
    verdict->status = STATUS_OK;
    return device_finish(kernel_plan_device(judge->judged.plan), error) &&
           watched_inputs_judge(&judge->inputs, launches, verdict, error);
}

/* Where the first pass of the kernel under test begins. */
static bool mark_built(void *context, const char *what, const char *part, struct error *error) {
    struct watched_inputs *inputs = context;
    (void)part;
    return strcmp(what, "pass") != 0 || watched_inputs_built_in_launch(inputs, error);
}

/* Rows of lists one by one, of the first round and of some of the others. */
static bool judge_rows(struct launch_judge *judge, struct verdict *verdict, struct error *error) {
    enum { ROUNDS_PER_LOOK = 4 };
    const struct judge *of_case = judge_of(judge->judged.spec);
    const struct judge_question question = question_of(&judge->judged);
    struct evaluation evaluation = { 0 };
    if (!of_case->compare_rows || verdict->status != STATUS_OK ||
        (judge->has_seen_rows && draw_seed() % ROUNDS_PER_LOOK != 0)) {
        return true;
    }
    judge->has_seen_rows = true;
    const bool judged =
        kernel_plan_collect(judge->judged.plan, &evaluation, error) &&
        of_case->compare_rows(&question, evaluation.rows, draw_seed(), verdict, error);
    evaluation_free(&evaluation);
    return judged;
}

/* Structures that launches build are inspected in one more launch, after those of the round, which
 * kernels cannot distinguish from them and which is not timed. */
static bool launch_watched(struct launch_judge *judge, struct verdict *verdict,
                           struct error *error) {
    struct kernel_plan *plan = judge->judged.plan;
    const struct stage_watch watch = { mark_built, &judge->inputs };
    return !kernel_plan_builds_in_launch(plan) ||
           (poison_scratch(judge, LAUNCH_JUDGE_MAX, error) &&
            kernel_plan_enqueue_watched(plan, &watch, error) &&
            watched_inputs_behind_building(&judge->inputs, error) &&
            device_finish(kernel_plan_device(plan), error) &&
            watched_inputs_judge(&judge->inputs, 0, verdict, error) &&
            judge_rows(judge, verdict, error));
}

bool launch_judge_end(struct launch_judge *judge, int launches, struct verdict *verdict,
                      struct error *error) {
    if (!end_round(judge, launches, verdict, error)) {
        return false;
    }
    if (verdict->status == STATUS_OK &&
        !(has_places(judge) ? kept_places_end(&judge->places, launches, verdict, error)
                            : judged_results_end(&judge->results, launches, verdict, error))) {
        return false;
    }
    if (verdict->status == STATUS_OK && !kept_results_end(&judge->whole, verdict, error)) {
        return false;
    }
    const bool ended =
        verdict->status != STATUS_OK || kept_sums_end(&judge->sums, launches, verdict, error);
    say_how_far(judge, verdict);
    return ended && (verdict->status != STATUS_OK || launch_watched(judge, verdict, error));
}

/* ---- over particles that have moved ---- */

bool launch_judge_begin_over(struct launch_judge *judge, const struct moved_box *moved,
                             struct error *error) {
    return begin(judge, &(struct beginning){ .moved = moved ? &moved->box : NULL }, error);
}

/* *moved: NULL where there are no particles. */
static bool find_moved(const struct launch_judge *judge, enum moved_use use,
                       const struct moved_box **moved, struct error *error) {
    *moved = NULL;
    if (!kernel_plan_has_particles(judge->judged.plan)) {
        return true;
    }
    *moved = expected_moved(judge->judged.expected, judge->judged.spec, use, error);
    return *moved != NULL;
}

bool launch_judge_begin_moved(struct launch_judge *judge, enum moved_use use, struct error *error) {
    const struct moved_box *moved;
    return find_moved(judge, use, &moved, error) && launch_judge_begin_over(judge, moved, error);
}

bool launch_judge_begin_moved_back(struct launch_judge *judge, struct error *error) {
    return begin(judge, &(struct beginning){ .moved_back = true }, error);
}

/* Compares all results of one launch with a seed that no kernel has seen. */
static bool end_other_seed(struct launch_judge *judge, struct verdict *verdict,
                           struct error *error) {
    struct evaluation evaluation = { 0 };
    const struct judge_question question = question_of(&judge->judged);
    struct verdict of_results;
    if (!watched_inputs_mark(&judge->inputs, 1, error) || !end_round(judge, 1, verdict, error) ||
        !kernel_plan_collect(judge->judged.plan, &evaluation, error)) {
        return false;
    }
    judge_compare(&question, judge->judged.expected->reference, &evaluation, &of_results);
    evaluation_free(&evaluation);
    if (verdict->status == STATUS_OK && of_results.status != STATUS_OK) {
        verdict->status = of_results.status;
        memcpy(verdict->message, of_results.message, sizeof verdict->message);
    }
    return true;
}

/* Lists may lack room in a few rounds in a row; after that it is a fault. */
static bool ask_again(struct launch_judge *judge, struct verdict *verdict) {
    enum { MOST_AGAIN = 8 };
    if (++judge->agains < MOST_AGAIN) {
        return true;
    }
    verdict_say(verdict, STATUS_WRONG,
                "the kernels ask for more room in each of %d launches over particles that have "
                "moved",
                judge->agains);
    return false;
}

bool launch_judge_end_moved(struct launch_judge *judge, enum moved_use use, struct verdict *verdict,
                            bool *again, struct error *error) {
    const struct moved_box *moved;
    return find_moved(judge, use == MOVED_KEPT ? use : MOVED_LATEST, &moved, error) &&
           launch_judge_end_over(judge, moved, verdict, again, error);
}

bool launch_judge_end_over(struct launch_judge *judge, const struct moved_box *moved,
                           struct verdict *verdict, bool *again, struct error *error) {
    bool fits = true;
    *again = false;
    if (!moved) {
        return end_other_seed(judge, verdict, error);
    }
    const struct judge_question question = question_of(&judge->judged);
    struct evaluation evaluation = { 0 };
    struct verdict of_results;
    if (!watched_inputs_mark(&judge->inputs, 1, error) || !end_round(judge, 1, verdict, error)) {
        return false;
    }
    if (verdict->status != STATUS_OK) {
        return true;
    }
    if (!kernel_plan_make_room(judge->judged.plan, &fits, error)) {
        return false;
    }
    if (!fits) {
        *again = ask_again(judge, verdict);
        return true;
    }
    judge->agains = 0;
    bool judged = kernel_plan_collect(judge->judged.plan, &evaluation, error) &&
                  moved_box_judge(moved, &question, &evaluation, &of_results, error);
    evaluation_free(&evaluation);
    if (judged && of_results.status != STATUS_OK) {
        verdict->status = of_results.status;
        memcpy(verdict->message, of_results.message, sizeof verdict->message);
    }
    return judged;
}
