#include "judge/launch_judge.h"

#include "gate/draws.h"
#include "gate/judges.h"
#include "judge/watched_inputs.h"
#include "prepare/kernel_plan_parts.h"
#include "system/seed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_SPOILT = 1 << 30,      /* numbers of a scratch buffer that one launch reaches */
    MAX_JUDGED = MAX_SETS + 1, /* results of sets; behind them, of time steps, velocities */
    WORDS_PER_FACE_NUMBER = 2  /* as the device copies them */
};

struct launch_judge {
    struct kernel_plan *plan;
    const struct expected *expected;
    const struct case_spec *spec;
    const struct launch_tools *tools;
    void *staged[MAX_JUDGED];          /* n accum4 as below, by member, on the host */
    struct buffer *wanted[MAX_JUDGED]; /* n accum4: x, y, z, and how far each may be off; covered */
    uint64_t cover;                    /* its key */
    struct buffer *found[MAX_JUDGED];  /* 2 ints a launch: see judge_results */
    struct buffer *wrong[MAX_JUDGED];  /* accum4 a launch */
    struct buffer *kept;               /* MAX_SUMS accum a launch and pass */
    struct buffer *velocity;           /* of time steps, told where results are: n accum4 */
    size_t face_numbers;               /* of time steps that count at faces; else 0 */
    struct buffer *face_places;        /* 0, 1, ...: so many ints */
    struct buffer *faces;              /* so many int64 a launch */
    struct watched_inputs inputs;
    uint64_t random; /* of this round */
    /* Of draws, in the place of wanted, found and wrong: results that are kept for the host. */
    int32_t place[DRAWS_SAMPLE]; /* of this round */
    size_t place_count;
    struct buffer *places, *sampled; /* DRAWS_SAMPLE results a launch, as the kernel wrote them */
    uint64_t step_of[LAUNCH_JUDGE_MAX]; /* the step that each launch was */
};

static bool of_draws(const struct launch_judge *judge) {
    return judge->spec->variant->workload->is_of_draws;
}

/* ---- what is judged ---- */

/* n accum4 that kernels have written, in the order of a set. */
struct judged_numbers {
    const struct particle_set *set;
    struct buffer *numbers;
    const char *name;
    double sign;
    bool spoils; /* what is judged is to leave garbage behind */
};

static int judged_count(const struct launch_judge *judge) {
    return judge->plan->set_count + plan_has_steps(judge->plan);
}

static struct judged_numbers judged_at(const struct launch_judge *judge, int s) {
    const struct kernel_plan *plan = judge->plan;
    if (s >= plan->set_count) { /* the state begins anew in each launch: nothing to spoil */
        return (struct judged_numbers){ &plan->sets[0], judge->velocity, "velocity", 1, false };
    }
    return (struct judged_numbers){ &plan->sets[s], plan->sets[s].result,
                                    judge->spec->variant->workload->words.result,
                                    kernel_plan_sign(plan), true };
}

/* ---- what is wanted ---- */

static double number_of(const struct kernel_plan *plan, const void *numbers, size_t at) {
    return plan->accum_is_double ? ((const double *)numbers)[at]
                                 : (double)((const float *)numbers)[at];
}

static void set_number(const struct kernel_plan *plan, void *numbers, size_t at, double value) {
    if (plan->accum_is_double) {
        ((double *)numbers)[at] = value;
    } else {
        ((float *)numbers)[at] = (float)value;
    }
}

static double widest(const double tolerances[3]) {
    const double two = tolerances[0] > tolerances[1] ? tolerances[0] : tolerances[1];
    return two > tolerances[2] ? two : tolerances[2];
}

/* How far rounding what is wanted, and the difference from it, may lead astray. */
static double rounding(const struct kernel_plan *plan, const double *wanted) {
    const double unit = plan->accum_is_double ? 0x1p-52 : 0x1p-23;
    return unit * (fabs(wanted[0]) + fabs(wanted[1]) + fabs(wanted[2]));
}

/* The members of a set each stand for a particle: the reference itself is wanted. */
static void expect_reference(struct launch_judge *judge, const double *tolerances) {
    const struct kernel_plan *plan = judge->plan;
    const struct particle_set *set = &plan->sets[0];
    for (size_t m = 0; m < set->n; m++) {
        const size_t i = set->index ? (size_t)set->index[m] : m;
        const double *force = judge->expected->reference.force + 3 * i;
        for (size_t d = 0; d < 3; d++) {
            set_number(plan, judge->staged[0], 4 * m + d, kernel_plan_sign(plan) * force[d]);
        }
        set_number(plan, judge->staged[0], 4 * m + 3,
                   widest(&tolerances[3 * i]) + rounding(plan, force));
    }
}

/* Of time steps, how fast each particle is at the end. */
static void expect_velocities(struct launch_judge *judge, int s) {
    const struct reference_motion *motion = &judge->expected->reference.motion;
    const struct kernel_plan *plan = judge->plan;
    for (size_t i = 0; i < plan->sets[0].n; i++) {
        const double *velocity = motion->velocity + 3 * i;
        for (size_t d = 0; d < 3; d++) {
            set_number(plan, judge->staged[s], 4 * i + d, velocity[d]);
        }
        set_number(plan, judge->staged[s], 4 * i + 3,
                   motion->velocity_error[i] + rounding(plan, velocity));
    }
}

/* What the outputs of a set hold, that passed the gate. */
static bool expect_outputs(struct launch_judge *judge, int s, const double *tolerances,
                           struct error *error) {
    const struct kernel_plan *plan = judge->plan;
    const struct particle_set *set = &plan->sets[s];
    if (!buffer_read(set->result, 0, judge->staged[s], buffer_bytes(set->result), error)) {
        return false;
    }
    for (size_t m = 0; m < set->n; m++) {
        double got[3];
        for (size_t d = 0; d < 3; d++) {
            got[d] = number_of(plan, judge->staged[s], 4 * m + d);
        }
        set_number(plan, judge->staged[s], 4 * m + 3,
                   2 * widest(&tolerances[3 * (size_t)set->index[m]]) + rounding(plan, got));
    }
    return true;
}

static struct argument low_word(uint64_t key) {
    return argument_int((int32_t)(uint32_t)key);
}

static struct argument high_word(uint64_t key) {
    return argument_int((int32_t)(uint32_t)(key >> 32));
}

/* To the device, where no kernel under test can make use of it. */
static bool write_covered(struct launch_judge *judge, int s, size_t bytes, struct error *error) {
    const size_t blocks = bytes / (4 * sizeof(int32_t));
    const struct argument cover[] = { argument_int((int32_t)blocks),
                                      argument_buffer(judge->wanted[s]), low_word(judge->cover),
                                      high_word(judge->cover) };
    return bytes == 0 || (buffer_write(judge->wanted[s], 0, judge->staged[s], bytes, error) &&
                          launch_tool_run(judge->tools, TOOL_COVER_WORDS, blocks, cover,
                                          sizeof cover / sizeof cover[0], error));
}

static bool upload_expected(struct launch_judge *judge, int s, const double *tolerances,
                            struct error *error) {
    struct device *device = judge->plan->device;
    const size_t bytes = buffer_bytes(judged_at(judge, s).numbers);
    judge->staged[s] = malloc(bytes ? bytes : 1);
    if (!judge->staged[s]) {
        return fail_out_of_memory(error, "the wanted results");
    }
    if (s >= judge->plan->set_count) {
        expect_velocities(judge, s);
    } else if (judge->plan->set_count == 1) {
        expect_reference(judge, tolerances);
    } else if (!expect_outputs(judge, s, tolerances, error)) {
        return false;
    }
    return buffer_allocate(device, bytes, &judge->wanted[s], error) &&
           write_covered(judge, s, bytes, error) &&
           buffer_allocate(device, (size_t)2 * LAUNCH_JUDGE_MAX * sizeof(int32_t), &judge->found[s],
                           error) &&
           buffer_allocate(device,
                           (size_t)4 * LAUNCH_JUDGE_MAX * kernel_plan_accum_size(judge->plan),
                           &judge->wrong[s], error);
}

static struct judge_question question_of(const struct launch_judge *judge) {
    return (struct judge_question){ judge->spec, judge->plan->box, judge->expected->cutoff,
                                    &judge->expected->groups };
}

/* Of draws each launch has its own: what is expected is worked out behind it. */
static bool make_sample(struct launch_judge *judge, struct error *error) {
    const size_t results = (size_t)LAUNCH_JUDGE_MAX * DRAWS_SAMPLE;
    return buffer_allocate(judge->plan->device, sizeof judge->place, &judge->places, error) &&
           buffer_allocate(judge->plan->device, results * case_drawn_bytes(judge->spec),
                           &judge->sampled, error);
}

/* Of time steps: velocities, and what is counted at faces. */
static bool make_room_for_steps(struct launch_judge *judge, struct error *error) {
    const struct kernel_plan *plan = judge->plan;
    if (!plan_has_steps(plan)) {
        return true;
    }
    judge->face_numbers =
        kernel_plan_counts_faces(plan) ? buffer_bytes(plan->steps.face_sums) / sizeof(int64_t) : 0;
    const size_t bytes = judge->face_numbers * sizeof(int32_t);
    int32_t *places = malloc(bytes + 1);
    for (size_t p = 0; places && p < judge->face_numbers; p++) {
        places[p] = (int32_t)p;
    }
    const bool made =
        places ? buffer_allocate(plan->device, buffer_bytes(plan->sets[0].result), &judge->velocity,
                                 error) &&
                     (judge->face_numbers == 0 ||
                      (buffer_allocate(plan->device, bytes, &judge->face_places, error) &&
                       buffer_write(judge->face_places, 0, places, bytes, error) &&
                       buffer_allocate(plan->device,
                                       LAUNCH_JUDGE_MAX * judge->face_numbers * sizeof(int64_t),
                                       &judge->faces, error)))
               : fail_out_of_memory(error, "the sums at faces");
    free(places);
    return made;
}

static bool expect(struct launch_judge *judge, struct error *error) {
    const struct kernel_plan *plan = judge->plan;
    if (of_draws(judge)) {
        return make_sample(judge, error);
    }
    double *tolerances = malloc(3 * plan->box->n * sizeof *tolerances);
    if (!tolerances) {
        return fail_out_of_memory(error, "the tolerances");
    }
    const struct judge_question question = question_of(judge);
    bool made = judge_of(judge->spec)
                    ->tolerances(&question, &judge->expected->reference, tolerances, error);
    made = made && make_room_for_steps(judge, error);
    for (int s = 0; made && s < judged_count(judge); s++) {
        made = upload_expected(judge, s, tolerances, error);
    }
    free(tolerances);
    return made;
}

/* ---- making ---- */

void launch_judge_free(struct launch_judge *judge) {
    if (!judge) {
        return;
    }
    for (int s = 0; s < MAX_JUDGED; s++) {
        free(judge->staged[s]);
        buffer_free(judge->wanted[s]);
        buffer_free(judge->found[s]);
        buffer_free(judge->wrong[s]);
    }
    buffer_free(judge->kept);
    buffer_free(judge->velocity);
    buffer_free(judge->face_places);
    buffer_free(judge->faces);
    watched_inputs_free(&judge->inputs);
    buffer_free(judge->places);
    buffer_free(judge->sampled);
    free(judge);
}

bool launch_judge_create(struct kernel_plan *plan, const struct expected *expected,
                         const struct case_spec *spec, const struct launch_tools *tools,
                         struct launch_judge **judge, struct error *error) {
    struct launch_judge *made = calloc(1, sizeof *made);
    if (!made) {
        return fail_out_of_memory(error, "a judge of launches");
    }
    const size_t sums = (size_t)LAUNCH_JUDGE_MAX * (VARIANT_MAX_PASSES + 1) * MAX_SUMS;
    made->plan = plan;
    made->expected = expected;
    made->spec = spec;
    made->tools = tools;
    made->cover = draw_seed();
    if (!expect(made, error) ||
        !buffer_allocate(plan->device, sums * kernel_plan_accum_size(plan), &made->kept, error) ||
        !watched_inputs_create(plan, tools, LAUNCH_JUDGE_MAX, &made->inputs, error)) {
        launch_judge_free(made);
        return false;
    }
    *judge = made;
    return true;
}

/* ---- a round ---- */

static struct argument seed_of(const struct launch_judge *judge, int launch, int which) {
    const uint64_t seed = judge->random ^ ((uint64_t)(launch + 2) * 0x9e3779b97f4a7c15U +
                                           (uint64_t)which * 0x632be5abU);
    return argument_int((int32_t)(seed ^ seed >> 32));
}

/* Keeps the sample of a launch, and makes chance of all results. */
static bool keep_draws(struct launch_judge *judge, int launch, bool spoil, struct error *error) {
    const struct particle_set *set = &judge->plan->sets[0];
    const size_t bytes = case_drawn_bytes(judge->spec);
    const size_t words = set->n * bytes / sizeof(int32_t);
    const int slot = launch < 0 ? 0 : launch;
    const struct argument keep[] = { argument_int((int32_t)judge->place_count),
                                     argument_int((int32_t)(bytes / sizeof(int32_t))),
                                     argument_buffer(judge->places),
                                     argument_buffer(set->result),
                                     argument_buffer(judge->sampled),
                                     argument_int(slot * DRAWS_SAMPLE) };
    const struct argument garbage[] = { argument_int((int32_t)words), argument_buffer(set->result),
                                        seed_of(judge, launch, 0) };
    judge->step_of[slot] = judge->plan->step;
    return launch_tool_run(judge->tools, TOOL_KEEP_WORDS, judge->place_count, keep,
                           sizeof keep / sizeof keep[0], error) &&
           (!spoil || launch_tool_run(judge->tools, TOOL_SPOIL_WORDS, words, garbage,
                                      sizeof garbage / sizeof garbage[0], error));
}

/* launch -1: nothing has been launched yet, and what is found is of no interest. */
static bool judge_set(struct launch_judge *judge, int s, int launch, bool spoil,
                      struct error *error) {
    const struct judged_numbers judged = judged_at(judge, s);
    const struct particle_set *set = judged.set;
    const uint64_t garbage = draw_seed();
    const struct argument arguments[] = { argument_int((int32_t)set->n),
                                          argument_int((int32_t)set->order.shift),
                                          argument_int((int32_t)order_stride(&set->order)),
                                          argument_buffer(judge->wanted[s]),
                                          low_word(judge->cover),
                                          high_word(judge->cover),
                                          argument_buffer(judged.numbers),
                                          argument_int(launch < 0 ? 0 : launch),
                                          argument_buffer(judge->found[s]),
                                          argument_buffer(judge->wrong[s]),
                                          argument_int(spoil && judged.spoils),
                                          low_word(garbage),
                                          high_word(garbage) };
    return launch_tool_run(judge->tools, TOOL_JUDGE_RESULTS, set->n, arguments,
                           sizeof arguments / sizeof arguments[0], error);
}

_Static_assert((int)OFFERED_TOTALS <= (int)MAX_SUMS,
               "the totals of time steps have the room of a pass");

/* Where the sums of a pass of a launch are kept; behind the last pass, the totals of time steps. */
static size_t kept_at(int launch, int pass) {
    return ((size_t)launch * (VARIANT_MAX_PASSES + 1) + (size_t)pass) * MAX_SUMS;
}

/* What sums over particles come to: some units of energy per particle. */
static struct argument size_of_sums(const struct launch_judge *judge) {
    return argument_real(4.0 * (double)judge->plan->sets[0].n, judge->plan->accum_is_double);
}

static bool judge_pass(struct launch_judge *judge, int p, int launch, bool spoil,
                       struct error *error) {
    const struct planned_pass *pass = &judge->plan->passes[p];
    const size_t partial = buffer_bytes(pass->partial_sums) / kernel_plan_accum_size(judge->plan);
    const struct argument keep[] = { argument_int(judge->plan->sum_count),
                                     argument_buffer(pass->sums),
                                     argument_buffer(judge->kept),
                                     argument_int((int32_t)kept_at(launch < 0 ? 0 : launch, p)),
                                     argument_int(spoil),
                                     size_of_sums(judge),
                                     seed_of(judge, launch, MAX_SETS + p) };
    const struct argument garbage[] = { argument_int((int32_t)partial),
                                        argument_buffer(pass->partial_sums),
                                        seed_of(judge, launch, MAX_SETS + VARIANT_MAX_PASSES + p) };
    return launch_tool_run(judge->tools, TOOL_KEEP_SUMS, (size_t)judge->plan->sum_count, keep,
                           sizeof keep / sizeof keep[0], error) &&
           (!spoil || launch_tool_run(judge->tools, TOOL_SPOIL_NUMBERS, partial, garbage,
                                      sizeof garbage / sizeof garbage[0], error));
}

/* Whatever is to be found in the outputs: nothing that kernels keep for themselves stays. Numbers
 * that could be forces follow where a byte over and over would give itself away. */
static bool spoil_scratch(struct launch_judge *judge, int launch, struct error *error) {
    struct kernel_plan *plan = judge->plan;
    bool spoilt = scratch_spoil(plan, error);
    for (int s = 0; spoilt && s < plan->spec->variant->scratch_count; s++) {
        if (variant_keeps_scratch(plan->spec->variant, s)) {
            continue;
        }
        const size_t numbers = buffer_bytes(plan->scratch[s]) / kernel_plan_accum_size(plan);
        const size_t spoils = numbers < MAX_SPOILT ? numbers : MAX_SPOILT;
        const int which = MAX_SETS + 2 * VARIANT_MAX_PASSES + s;
        const struct argument garbage[] = { argument_int((int32_t)spoils),
                                            argument_buffer(plan->scratch[s]),
                                            seed_of(judge, launch, which) };
        spoilt = launch_tool_run(judge->tools, TOOL_SPOIL_NUMBERS, spoils, garbage,
                                 sizeof garbage / sizeof garbage[0], error);
    }
    return spoilt;
}

/* Of time steps: kept as if another pass had added them up. */
static bool judge_totals(struct launch_judge *judge, int launch, bool spoil, struct error *error) {
    const struct argument keep[] = {
        argument_int(OFFERED_TOTALS),
        argument_buffer(judge->plan->steps.totals),
        argument_buffer(judge->kept),
        argument_int((int32_t)kept_at(launch < 0 ? 0 : launch, VARIANT_MAX_PASSES)),
        argument_int(spoil),
        size_of_sums(judge),
        seed_of(judge, launch, MAX_SETS + 3 * VARIANT_MAX_PASSES + VARIANT_MAX_SCRATCH)
    };
    return !plan_has_steps(judge->plan) ||
           launch_tool_run(judge->tools, TOOL_KEEP_SUMS, OFFERED_TOTALS, keep,
                           sizeof keep / sizeof keep[0], error);
}

/* Of time steps: velocities where results are, and what was counted at faces aside for the host. */
static bool keep_state(struct launch_judge *judge, int launch, struct error *error) {
    const struct kernel_plan *plan = judge->plan;
    const struct member_order *order = &plan->sets[0].order;
    const size_t slot = launch < 0 ? 0 : (size_t)launch;
    if (!plan_has_steps(plan)) {
        return true;
    }
    const struct argument tell[] = {
        argument_int((int32_t)plan->sets[0].n),     argument_int((int32_t)order->shift),
        argument_int((int32_t)order_stride(order)), argument_int((int32_t)order_back(order)),
        argument_int(plan->steps.exchange != NULL), argument_buffer(plan->steps.index),
        argument_buffer(plan->steps.velocity),      argument_buffer(judge->velocity)
    };
    const struct argument keep[] = { argument_int((int32_t)judge->face_numbers),
                                     argument_int(WORDS_PER_FACE_NUMBER),
                                     argument_buffer(judge->face_places),
                                     argument_buffer(plan->steps.face_sums),
                                     argument_buffer(judge->faces),
                                     argument_int((int32_t)(slot * judge->face_numbers)) };
    return launch_tool_run(judge->tools, TOOL_TELL_VELOCITIES, plan->sets[0].n, tell,
                           sizeof tell / sizeof tell[0], error) &&
           launch_tool_run(judge->tools, TOOL_KEEP_WORDS, judge->face_numbers, keep,
                           sizeof keep / sizeof keep[0], error);
}

static bool judge_outputs(struct launch_judge *judge, int launch, bool spoil, struct error *error) {
    bool judged = spoil_scratch(judge, launch, error) &&
                  judge_totals(judge, launch, spoil, error) && keep_state(judge, launch, error);
    for (int s = 0; judged && s < judged_count(judge); s++) {
        judged = of_draws(judge) ? keep_draws(judge, launch, spoil, error)
                                 : judge_set(judge, s, launch, spoil, error);
    }
    for (int p = 0; judged && p < judge->plan->spec->variant->pass_count; p++) {
        judged = !judge->plan->passes[p].has_sums || judge_pass(judge, p, launch, spoil, error);
    }
    return judged;
}

static bool clear(struct buffer *buffer, struct error *error) {
    return !buffer || buffer_fill(buffer, 0, buffer_bytes(buffer), error);
}

/* Another order, which every structure has to be built for. Where the particles are moved besides,
 * a structure that outlives moves is built before it, so that it shows whether it does. */
static bool place_particles(struct launch_judge *judge, const struct box *moved, bool scattered,
                            struct error *error) {
    struct kernel_plan *plan = judge->plan;
    bool rebuilt;
    if (!kernel_plan_reorder(plan, judge->tools, judge->random, scattered, error)) {
        return false;
    }
    if (!moved) {
        return kernel_plan_build(plan, error);
    }
    return (!kernel_plan_outlives_moves(plan) || kernel_plan_build(plan, error)) &&
           kernel_plan_move(plan, moved, error) && kernel_plan_renew(plan, &rebuilt, error);
}

/* Which results are looked at in this round: no kernel knows. */
static bool place_sample(struct launch_judge *judge, struct error *error) {
    judge->place_count =
        draws_choose(judge->spec, judge->plan->sets[0].n, draw_seed(), judge->place);
    return buffer_write(judge->places, 0, judge->place, judge->place_count * sizeof *judge->place,
                        error);
}

/* `moved`: the particles' places; NULL: those of the box. */
static bool begin(struct launch_judge *judge, const struct box *moved, bool scattered,
                  struct error *error) {
    judge->random = draw_seed();
    if (of_draws(judge) && !place_sample(judge, error)) {
        return false;
    }
    if (!place_particles(judge, moved, scattered, error) ||
        !judge_outputs(judge, -1, true, error)) {
        return false;
    }
    bool cleared = true;
    for (int s = 0; cleared && s < judged_count(judge); s++) {
        cleared = clear(judge->found[s], error);
    }
    return cleared && kernel_plan_record(judge->plan, error) &&
           watched_inputs_begin(&judge->inputs, judge->random, error);
}

bool launch_judge_begin(struct launch_judge *judge, struct error *error) {
    return begin(judge, NULL, false, error);
}

bool launch_judge_begin_scattered(struct launch_judge *judge, struct error *error) {
    return begin(judge, NULL, true, error);
}

bool launch_judge_ready(struct launch_judge *judge, int launch, double seconds,
                        struct error *error) {
    if (launch == 0 || !plan_has_steps(judge->plan)) {
        return true;
    }
    return kernel_plan_ready(judge->plan, error) && spoil_scratch(judge, launch, error) &&
           launch_tools_spend(judge->tools, seconds, error);
}

bool launch_judge_launch(struct launch_judge *judge, int launch, bool spoil, struct error *error) {
    return judge_outputs(judge, launch, spoil, error) &&
           watched_inputs_mark(&judge->inputs, 1 + launch, error);
}

/* ---- the verdict ---- */

static void describe_wrong(const struct launch_judge *judge, int s, int launch,
                           const int32_t found[2], const void *wrong, struct verdict *verdict) {
    const struct kernel_plan *plan = judge->plan;
    const struct judged_numbers judged = judged_at(judge, s);
    const struct particle_set *set = judged.set;
    const size_t member = (size_t)found[1] < set->n ? (size_t)found[1] : 0;
    double got[3] = { 0 };
    double wanted[4];
    for (size_t d = 0; d < 4; d++) {
        const double sign = d < 3 ? judged.sign : 1; /* the fourth is the tolerance */
        wanted[d] = sign * number_of(plan, judge->staged[s], 4 * member + d);
        if (d < 3) {
            got[d] = sign * number_of(plan, wrong, 4 * (size_t)launch + d);
        }
    }
    verdict->status = STATUS_WRONG;
    (void)snprintf(verdict->message, sizeof verdict->message,
                   "launch %d of a round, %s %s particle %zu: got (%.9g, %.9g, %.9g), wanted "
                   "(%.9g, %.9g, %.9g), tolerance %.3g; out of tolerance: %d of %zu particles",
                   launch + 1, judged.name, judge->spec->variant->workload->words.of,
                   set->index ? (size_t)set->index[member] + 1 : member + 1, got[0], got[1], got[2],
                   wanted[0], wanted[1], wanted[2], wanted[3], (int)found[0], set->n);
}

static void compare_sample(const struct launch_judge *judge, int launch, const void *results,
                           double *numbers, struct verdict *verdict) {
    struct verdict of_launch = verdict_of(STATUS_OK);
    const struct drawn_numbers drawn = { .spec = judge->spec,
                                         .n = judge->plan->sets[0].n,
                                         .seed = judge->plan->seed,
                                         .step = judge->step_of[launch],
                                         .got = numbers,
                                         .place = judge->place,
                                         .count = judge->place_count };
    const size_t offset = (size_t)launch * DRAWS_SAMPLE * case_drawn_bytes(judge->spec);
    set_take_draws(judge->plan, (const char *)results + offset, judge->place_count, numbers);
    draws_compare(&drawn, &of_launch);
    if (of_launch.status != STATUS_OK) {
        verdict->status = of_launch.status;
        (void)snprintf(verdict->message, sizeof verdict->message, "launch %d of a round, %.*s",
                       launch + 1, (int)sizeof verdict->message - 48, of_launch.message);
    }
}

static bool judge_samples(struct launch_judge *judge, int launches, struct verdict *verdict,
                          struct error *error) {
    double numbers[DRAWS_SAMPLE];
    const size_t bytes = (size_t)launches * DRAWS_SAMPLE * case_drawn_bytes(judge->spec);
    void *results = malloc(bytes);
    if (!results) {
        return fail_out_of_memory(error, "the draws");
    }
    const bool read = buffer_read(judge->sampled, 0, results, bytes, error);
    for (int launch = 0; read && launch < launches && verdict->status == STATUS_OK; launch++) {
        compare_sample(judge, launch, results, numbers, verdict);
    }
    free(results);
    return read;
}

static bool judge_results(struct launch_judge *judge, int s, int launches, struct verdict *verdict,
                          struct error *error) {
    if (of_draws(judge)) {
        return judge_samples(judge, launches, verdict, error);
    }
    int32_t found[2 * LAUNCH_JUDGE_MAX];
    double wrong[4 * LAUNCH_JUDGE_MAX]; /* room for either type */
    const size_t each = 4 * kernel_plan_accum_size(judge->plan);
    if (!buffer_read(judge->found[s], 0, found, (size_t)launches * 2 * sizeof *found, error)) {
        return false;
    }
    for (int launch = 0; launch < launches; launch++) {
        if (found[2 * launch] == 0) {
            continue;
        }
        if (!buffer_read(judge->wrong[s], 0, wrong, (size_t)launches * each, error)) {
            return false;
        }
        describe_wrong(judge, s, launch, &found[2 * launch], wrong, verdict);
        return true;
    }
    return true;
}

/* What the launches of a round left for the host. */
struct kept_sums {
    void *sums;     /* of each launch and pass, as kept_at() says */
    int64_t *faces; /* of each launch face_numbers; NULL: nobody counts */
};

static void kept_sums_free(struct kept_sums *kept) {
    free(kept->sums);
    free(kept->faces);
}

static bool kept_sums_read(const struct launch_judge *judge, int launches, struct kept_sums *kept,
                           struct error *error) {
    const size_t bytes = kept_at(launches, 0) * kernel_plan_accum_size(judge->plan);
    const size_t of_faces = (size_t)launches * judge->face_numbers * sizeof *kept->faces;
    *kept = (struct kept_sums){ .sums = malloc(bytes) };
    kept->faces = of_faces > 0 ? malloc(of_faces) : NULL;
    if (!kept->sums || (of_faces > 0 && !kept->faces)) {
        return fail_out_of_memory(error, "the sums");
    }
    return buffer_read(judge->kept, 0, kept->sums, bytes, error) &&
           (of_faces == 0 || buffer_read(judge->faces, 0, kept->faces, of_faces, error));
}

static bool take_faces(const struct launch_judge *judge, const int64_t *faces,
                       struct evaluation *evaluation, struct error *error) {
    if (!faces) {
        return true;
    }
    if (!evaluation_make_faces(judge->plan, evaluation, error)) {
        return false;
    }
    steps_tell_faces(judge->plan, faces, evaluation->face_count, evaluation->face_momentum);
    return true;
}

static void take_sums_of_launch(const struct launch_judge *judge, int launch,
                                const struct kept_sums *kept, struct evaluation *evaluation) {
    const struct kernel_plan *plan = judge->plan;
    const size_t size = kernel_plan_accum_size(plan);
    double sums[MAX_SUMS] = { 0 };
    for (int p = 0; p < plan->spec->variant->pass_count; p++) {
        if (plan->passes[p].has_sums) {
            add_sums(plan, (const char *)kept->sums + kept_at(launch, p) * size, sums);
        }
    }
    evaluation_take_sums(plan, sums, evaluation);
    if (plan_has_steps(plan)) {
        evaluation_take_totals(
            plan, (const char *)kept->sums + kept_at(launch, VARIANT_MAX_PASSES) * size,
            evaluation);
    }
}

static bool judge_sums_of_launch(const struct launch_judge *judge, int launch,
                                 const struct kept_sums *kept, struct verdict *verdict,
                                 struct error *error) {
    struct evaluation evaluation = { .n = judge->plan->box->n };
    const int64_t *faces = kept->faces ? kept->faces + (size_t)launch * judge->face_numbers : NULL;
    struct verdict of_sums;
    const struct judge_question question = question_of(judge);
    take_sums_of_launch(judge, launch, kept, &evaluation);
    const bool taken = take_faces(judge, faces, &evaluation, error);
    if (taken) {
        judge_of(judge->spec)
            ->compare_scalars(&question, &judge->expected->reference, &evaluation, &of_sums);
    }
    if (taken && of_sums.status != STATUS_OK) {
        verdict->status = of_sums.status;
        (void)snprintf(verdict->message, sizeof verdict->message, "launch %d of a round, %.*s",
                       launch + 1, (int)sizeof verdict->message - 48, of_sums.message);
    }
    evaluation_free(&evaluation);
    return taken;
}

static bool judge_sums(struct launch_judge *judge, int launches, struct verdict *verdict,
                       struct error *error) {
    struct kept_sums kept;
    if (judge->plan->sum_count == 0 && judge->face_numbers == 0) {
        return true;
    }
    bool judged = kept_sums_read(judge, launches, &kept, error);
    for (int launch = 0; judged && launch < launches && verdict->status == STATUS_OK; launch++) {
        judged = judge_sums_of_launch(judge, launch, &kept, verdict, error);
    }
    kept_sums_free(&kept);
    return judged;
}

/* Waits, and looks at the inputs behind each launch. */
static bool end_round(struct launch_judge *judge, int launches, struct verdict *verdict,
                      struct error *error) {
    verdict->status = STATUS_OK;
    return device_finish(judge->plan->device, error) &&
           watched_inputs_judge(&judge->inputs, launches, verdict, error);
}

bool launch_judge_end(struct launch_judge *judge, int launches, struct verdict *verdict,
                      struct error *error) {
    bool ended = end_round(judge, launches, verdict, error);
    for (int s = 0; ended && s < judged_count(judge) && verdict->status == STATUS_OK; s++) {
        ended = judge_results(judge, s, launches, verdict, error);
    }
    return ended && (verdict->status != STATUS_OK || judge_sums(judge, launches, verdict, error));
}

/* ---- over particles that have moved ---- */

bool launch_judge_begin_moved(struct launch_judge *judge, enum moved_use use, struct error *error) {
    if (of_draws(judge)) {
        return begin(judge, NULL, false, error);
    }
    const struct moved_box *moved = expected_moved(judge->expected, judge->spec, use, error);
    return moved && begin(judge, &moved->box, false, error);
}

/* All of the results of one launch of a seed that no kernel has seen. */
static bool end_other_seed(struct launch_judge *judge, struct verdict *verdict,
                           struct error *error) {
    struct evaluation evaluation = { 0 };
    const struct judge_question question = question_of(judge);
    struct verdict of_results;
    if (!watched_inputs_mark(&judge->inputs, 1, error) || !end_round(judge, 1, verdict, error) ||
        !kernel_plan_collect(judge->plan, &evaluation, error)) {
        return false;
    }
    judge_of(judge->spec)
        ->compare(&question, &judge->expected->reference, &evaluation, &of_results);
    evaluation_free(&evaluation);
    if (verdict->status == STATUS_OK && of_results.status != STATUS_OK) {
        verdict->status = of_results.status;
        memcpy(verdict->message, of_results.message, sizeof verdict->message);
    }
    return true;
}

bool launch_judge_end_moved(struct launch_judge *judge, enum moved_use use, struct verdict *verdict,
                            struct error *error) {
    if (of_draws(judge)) {
        return end_other_seed(judge, verdict, error);
    }
    const struct moved_box *moved =
        expected_moved(judge->expected, judge->spec, use == MOVED_KEPT ? use : MOVED_LATEST, error);
    struct evaluation evaluation = { 0 };
    struct verdict of_results;
    if (!moved || !watched_inputs_mark(&judge->inputs, 1, error) ||
        !end_round(judge, 1, verdict, error)) {
        return false;
    }
    if (verdict->status != STATUS_OK) {
        return true;
    }
    bool judged = kernel_plan_collect(judge->plan, &evaluation, error) &&
                  moved_box_judge(moved, judge->spec, &evaluation, &of_results, error);
    evaluation_free(&evaluation);
    if (judged && of_results.status != STATUS_OK) {
        verdict->status = of_results.status;
        memcpy(verdict->message, of_results.message, sizeof verdict->message);
    }
    return judged;
}
