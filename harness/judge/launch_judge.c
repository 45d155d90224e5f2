#include "judge/launch_judge.h"

#include "judge/judges.h"
#include "prepare/prepared_parts.h"
#include "system/seed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_INPUTS = 48,
    MOST_SPOILT = 1 << 30,        /* numbers of a scratch buffer that one launch reaches */
    WORDS_PER_ITEM = 16,          /* that are summed up */
    MARKS = 1 + LAUNCH_JUDGE_MOST /* before a round, after each of its launches */
};

/* Something that kernels read and must not change. */
struct input {
    const struct buffer *buffer;
    char name[VARIANT_NAME_SIZE];
};

struct launch_judge {
    struct prepared *prepared;
    const struct truth *truth;
    const struct case_spec *spec;
    const struct launch_tools *tools;
    void *staged[MAX_SIDES];            /* n accum4 as below, by member, on the host */
    struct buffer *expected[MAX_SIDES]; /* n accum4: x, y, z, and how far each may be off */
    struct buffer *found[MAX_SIDES];    /* 2 ints a launch: see judge_results */
    struct buffer *wrong[MAX_SIDES];    /* accum4 a launch */
    struct buffer *kept;                /* MAX_SUMS accum a launch and pass */
    struct buffer *marks;               /* 2 ints per mark and input */
    struct input inputs[MOST_INPUTS];
    int input_count;
    uint64_t random; /* of this round */
};

/* ---- what is expected ---- */

static double number_of(const struct prepared *prepared, const void *numbers, size_t at) {
    return prepared->accum_is_double ? ((const double *)numbers)[at]
                                     : (double)((const float *)numbers)[at];
}

static void set_number(const struct prepared *prepared, void *numbers, size_t at, double value) {
    if (prepared->accum_is_double) {
        ((double *)numbers)[at] = value;
    } else {
        ((float *)numbers)[at] = (float)value;
    }
}

static double widest(const double tolerances[3]) {
    const double two = tolerances[0] > tolerances[1] ? tolerances[0] : tolerances[1];
    return two > tolerances[2] ? two : tolerances[2];
}

/* How far rounding what is expected, and the difference from it, may lead astray. */
static double rounding(const struct prepared *prepared, const double *expected) {
    const double unit = prepared->accum_is_double ? 0x1p-52 : 0x1p-23;
    return unit * (fabs(expected[0]) + fabs(expected[1]) + fabs(expected[2]));
}

/* One side's members each stand for a particle: the reference itself is expected. */
static void expect_reference(struct launch_judge *judge, const double *tolerances) {
    const struct prepared *prepared = judge->prepared;
    const struct prepared_side *side = &prepared->sides[0];
    for (size_t m = 0; m < side->n; m++) {
        const size_t i = side->index ? (size_t)side->index[m] : m;
        const double *force = judge->truth->reference.force + 3 * i;
        for (size_t d = 0; d < 3; d++) {
            set_number(prepared, judge->staged[0], 4 * m + d, prepared_sign(prepared) * force[d]);
        }
        set_number(prepared, judge->staged[0], 4 * m + 3,
                   widest(&tolerances[3 * i]) + rounding(prepared, force));
    }
}

/* What the outputs of a side hold, that passed the gate. */
static bool expect_outputs(struct launch_judge *judge, int s, const double *tolerances,
                           struct error *error) {
    const struct prepared *prepared = judge->prepared;
    const struct prepared_side *side = &prepared->sides[s];
    if (!buffer_read(side->result, 0, judge->staged[s], buffer_bytes(side->result), error)) {
        return false;
    }
    for (size_t m = 0; m < side->n; m++) {
        double got[3];
        for (size_t d = 0; d < 3; d++) {
            got[d] = number_of(prepared, judge->staged[s], 4 * m + d);
        }
        set_number(prepared, judge->staged[s], 4 * m + 3,
                   2 * widest(&tolerances[3 * (size_t)side->index[m]]) + rounding(prepared, got));
    }
    return true;
}

static bool upload_expected(struct launch_judge *judge, int s, const double *tolerances,
                            struct error *error) {
    struct device *device = judge->prepared->device;
    const struct prepared_side *side = &judge->prepared->sides[s];
    const size_t bytes = buffer_bytes(side->result);
    judge->staged[s] = malloc(bytes ? bytes : 1);
    if (!judge->staged[s]) {
        return fail_out_of_memory(error, "the expected results");
    }
    if (judge->prepared->side_count == 1) {
        expect_reference(judge, tolerances);
    } else if (!expect_outputs(judge, s, tolerances, error)) {
        return false;
    }
    return buffer_allocate(device, bytes, &judge->expected[s], error) &&
           (bytes == 0 || buffer_write(judge->expected[s], 0, judge->staged[s], bytes, error)) &&
           buffer_allocate(device, (size_t)2 * LAUNCH_JUDGE_MOST * sizeof(int32_t),
                           &judge->found[s], error) &&
           buffer_allocate(device,
                           (size_t)4 * LAUNCH_JUDGE_MOST * prepared_accum_size(judge->prepared),
                           &judge->wrong[s], error);
}

static struct judge_question question_of(const struct launch_judge *judge) {
    return (struct judge_question){ judge->spec, judge->prepared->box, judge->truth->cutoff,
                                    &judge->truth->groups };
}

static bool expect(struct launch_judge *judge, struct error *error) {
    const struct prepared *prepared = judge->prepared;
    double *tolerances = malloc(3 * prepared->box->n * sizeof *tolerances);
    if (!tolerances) {
        return fail_out_of_memory(error, "the tolerances");
    }
    const struct judge_question question = question_of(judge);
    bool made =
        judge_of(judge->spec)->tolerances(&question, &judge->truth->reference, tolerances, error);
    for (int s = 0; made && s < prepared->side_count; s++) {
        made = upload_expected(judge, s, tolerances, error);
    }
    free(tolerances);
    return made;
}

/* ---- inputs ---- */

static void name_input(struct launch_judge *judge, const struct buffer *buffer, const char *name) {
    for (int i = 0; i < judge->input_count; i++) {
        if (judge->inputs[i].buffer == buffer) {
            return;
        }
    }
    if (buffer && judge->input_count < MOST_INPUTS) {
        struct input *input = &judge->inputs[judge->input_count++];
        input->buffer = buffer;
        (void)snprintf(input->name, sizeof input->name, "%s", name);
    }
}

/* The buffers among what a structure offers. */
static void name_offers(struct launch_judge *judge, const struct offers *offers,
                        const void *state) {
    for (; offers && offers->table; offers++) {
        for (const struct offer *offer = offers->table; offer->name; offer++) {
            const struct argument argument = offer->value((const char *)state + offers->at);
            name_input(judge, argument.buffer, offer->name);
        }
    }
}

/* Structures may replace what they offer when they are built: asked for in every round. */
static void find_inputs(struct launch_judge *judge) {
    const struct prepared *prepared = judge->prepared;
    judge->input_count = 0;
    for (int s = 0; s < prepared->side_count; s++) {
        const struct prepared_side *side = &prepared->sides[s];
        name_input(judge, side->position, "position");
        name_input(judge, side->index_on_device, "index");
        for (const struct structure_class *structure = prepared->structure; structure;
             structure = structure_below(structure)) {
            name_offers(judge, structure->offers,
                        structure_chain_state(side->structure, structure));
        }
    }
    name_input(judge, prepared->pair.type, "the types");
    name_input(judge, prepared->pair.table, "the table of types");
    name_input(judge, prepared->pair.molecule, "the molecules");
    name_input(judge, prepared->pair.excluded_start, "the exclusions");
    name_input(judge, prepared->pair.excluded, "the exclusions");
}

static bool mark_inputs(struct launch_judge *judge, int mark, struct error *error) {
    bool marked = true;
    for (int i = 0; marked && i < judge->input_count; i++) {
        const size_t words = buffer_bytes(judge->inputs[i].buffer) / sizeof(int32_t);
        const struct argument arguments[] = {
            argument_int((int32_t)(words < INT32_MAX ? words : INT32_MAX)),
            argument_buffer(judge->inputs[i].buffer), argument_int((int32_t)judge->random),
            argument_buffer(judge->marks), argument_int(2 * (MOST_INPUTS * mark + i))
        };
        marked = launch_tool_run(judge->tools, TOOL_SUM_UP_WORDS,
                                 (words + WORDS_PER_ITEM - 1) / WORDS_PER_ITEM, arguments,
                                 sizeof arguments / sizeof arguments[0], error);
    }
    return marked;
}

/* ---- making ---- */

void launch_judge_free(struct launch_judge *judge) {
    if (!judge) {
        return;
    }
    for (int s = 0; s < MAX_SIDES; s++) {
        free(judge->staged[s]);
        buffer_free(judge->expected[s]);
        buffer_free(judge->found[s]);
        buffer_free(judge->wrong[s]);
    }
    buffer_free(judge->kept);
    buffer_free(judge->marks);
    free(judge);
}

bool launch_judge_create(struct prepared *prepared, const struct truth *truth,
                         const struct case_spec *spec, const struct launch_tools *tools,
                         struct launch_judge **judge, struct error *error) {
    struct launch_judge *made = calloc(1, sizeof *made);
    if (!made) {
        return fail_out_of_memory(error, "a judge of launches");
    }
    const size_t sums = (size_t)LAUNCH_JUDGE_MOST * VARIANT_MAX_PASSES * MAX_SUMS;
    const size_t marks = (size_t)2 * MARKS * MOST_INPUTS;
    made->prepared = prepared;
    made->truth = truth;
    made->spec = spec;
    made->tools = tools;
    if (!expect(made, error) ||
        !buffer_allocate(prepared->device, sums * prepared_accum_size(prepared), &made->kept,
                         error) ||
        !buffer_allocate(prepared->device, marks * sizeof(int32_t), &made->marks, error)) {
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

/* launch -1: nothing has been launched yet, and what is found is of no interest. */
static bool judge_side(struct launch_judge *judge, int s, int launch, bool spoil,
                       struct error *error) {
    const struct prepared_side *side = &judge->prepared->sides[s];
    const struct argument arguments[] = { argument_int((int32_t)side->n),
                                          argument_int((int32_t)side->order.shift),
                                          argument_int(side->order.reversed),
                                          argument_buffer(judge->expected[s]),
                                          argument_buffer(side->result),
                                          argument_int(launch < 0 ? 0 : launch),
                                          argument_buffer(judge->found[s]),
                                          argument_buffer(judge->wrong[s]),
                                          argument_int(spoil),
                                          seed_of(judge, launch, s) };
    return launch_tool_run(judge->tools, TOOL_JUDGE_RESULTS, side->n, arguments,
                           sizeof arguments / sizeof arguments[0], error);
}

/* Where the sums of a pass of a launch are kept. */
static size_t kept_at(int launch, int pass) {
    return ((size_t)launch * VARIANT_MAX_PASSES + (size_t)pass) * MAX_SUMS;
}

static bool judge_pass(struct launch_judge *judge, int p, int launch, bool spoil,
                       struct error *error) {
    const struct prepared_pass *pass = &judge->prepared->passes[p];
    const size_t partial = buffer_bytes(pass->partial_sums) / prepared_accum_size(judge->prepared);
    const struct argument keep[] = { argument_int(judge->prepared->sum_count),
                                     argument_buffer(pass->sums),
                                     argument_buffer(judge->kept),
                                     argument_int((int32_t)kept_at(launch < 0 ? 0 : launch, p)),
                                     argument_int(spoil),
                                     seed_of(judge, launch, MAX_SIDES + p) };
    const struct argument garbage[] = {
        argument_int((int32_t)partial), argument_buffer(pass->partial_sums),
        seed_of(judge, launch, MAX_SIDES + VARIANT_MAX_PASSES + p)
    };
    return launch_tool_run(judge->tools, TOOL_KEEP_SUMS, (size_t)judge->prepared->sum_count, keep,
                           sizeof keep / sizeof keep[0], error) &&
           (!spoil || launch_tool_run(judge->tools, TOOL_SPOIL_NUMBERS, partial, garbage,
                                      sizeof garbage / sizeof garbage[0], error));
}

/* Whatever is to be found in the outputs: nothing that kernels keep for themselves stays. Numbers
 * that could be forces follow where a byte over and over would give itself away. */
static bool spoil_scratch(struct launch_judge *judge, int launch, struct error *error) {
    struct prepared *prepared = judge->prepared;
    bool spoilt = scratch_spoil(prepared, error);
    for (int s = 0; spoilt && s < prepared->spec->variant->scratch_count; s++) {
        const size_t numbers = buffer_bytes(prepared->scratch[s]) / prepared_accum_size(prepared);
        const size_t spoils = numbers < MOST_SPOILT ? numbers : MOST_SPOILT;
        const int which = MAX_SIDES + 2 * VARIANT_MAX_PASSES + s;
        const struct argument garbage[] = { argument_int((int32_t)spoils),
                                            argument_buffer(prepared->scratch[s]),
                                            seed_of(judge, launch, which) };
        spoilt = launch_tool_run(judge->tools, TOOL_SPOIL_NUMBERS, spoils, garbage,
                                 sizeof garbage / sizeof garbage[0], error);
    }
    return spoilt;
}

static bool judge_outputs(struct launch_judge *judge, int launch, bool spoil, struct error *error) {
    bool judged = spoil_scratch(judge, launch, error);
    for (int s = 0; judged && s < judge->prepared->side_count; s++) {
        judged = judge_side(judge, s, launch, spoil, error);
    }
    for (int p = 0; judged && p < judge->prepared->spec->variant->pass_count; p++) {
        judged = !judge->prepared->passes[p].has_sums || judge_pass(judge, p, launch, spoil, error);
    }
    return judged;
}

static bool clear(struct buffer *buffer, struct error *error) {
    return !buffer || buffer_fill(buffer, 0, buffer_bytes(buffer), error);
}

/* Another order, which every structure has to be built for. Where the particles are moved besides,
 * a structure that outlives moves is built before it, so that it shows whether it does. */
static bool place_particles(struct launch_judge *judge, const struct box *moved,
                            struct error *error) {
    struct prepared *prepared = judge->prepared;
    bool rebuilt;
    if (!prepared_reorder(prepared, judge->tools, judge->random, error)) {
        return false;
    }
    if (!moved) {
        return prepared_build(prepared, error);
    }
    return (!prepared_structure_outlives_moves(prepared) || prepared_build(prepared, error)) &&
           prepared_move(prepared, moved, error) && prepared_renew(prepared, &rebuilt, error);
}

/* `moved`: the particles' places; NULL: those of the box. */
static bool begin(struct launch_judge *judge, const struct box *moved, struct error *error) {
    judge->random = draw_seed();
    if (!place_particles(judge, moved, error) || !judge_outputs(judge, -1, true, error) ||
        !clear(judge->marks, error)) {
        return false;
    }
    bool cleared = true;
    for (int s = 0; cleared && s < judge->prepared->side_count; s++) {
        cleared = clear(judge->found[s], error);
    }
    find_inputs(judge);
    return cleared && mark_inputs(judge, 0, error);
}

bool launch_judge_begin(struct launch_judge *judge, struct error *error) {
    return begin(judge, NULL, error);
}

bool launch_judge_launch(struct launch_judge *judge, int launch, bool spoil, struct error *error) {
    return judge_outputs(judge, launch, spoil, error) && mark_inputs(judge, 1 + launch, error);
}

/* ---- the verdict ---- */

static void judge_inputs(struct launch_judge *judge, const int32_t *marks, int launch,
                         struct verdict *verdict) {
    const int32_t *after = &marks[(size_t)2 * MOST_INPUTS * (size_t)(1 + launch)];
    for (int i = 0; i < judge->input_count && verdict->status == STATUS_OK; i++) {
        if (memcmp(&marks[2 * i], &after[2 * i], 2 * sizeof *marks) != 0) {
            verdict->status = STATUS_WRONG;
            (void)snprintf(verdict->message, sizeof verdict->message,
                           "launch %d of a round: the kernel changed what it is only given to "
                           "read: %s",
                           launch + 1, judge->inputs[i].name);
        }
    }
}

static void describe_wrong(const struct launch_judge *judge, int s, int launch,
                           const int32_t found[2], const void *wrong, struct verdict *verdict) {
    const struct prepared *prepared = judge->prepared;
    const struct prepared_side *side = &prepared->sides[s];
    const struct workload_words *words = &judge->spec->variant->workload->words;
    const size_t member = (size_t)found[1] < side->n ? (size_t)found[1] : 0;
    double got[3] = { 0 };
    double expected[4];
    for (size_t d = 0; d < 4; d++) {
        const double sign = d < 3 ? prepared_sign(prepared) : 1; /* the fourth is the tolerance */
        expected[d] = sign * number_of(prepared, judge->staged[s], 4 * member + d);
        if (d < 3) {
            got[d] = sign * number_of(prepared, wrong, 4 * (size_t)launch + d);
        }
    }
    verdict->status = STATUS_WRONG;
    (void)snprintf(verdict->message, sizeof verdict->message,
                   "launch %d of a round, %s %s particle %zu: got (%.9g, %.9g, %.9g), expected "
                   "(%.9g, %.9g, %.9g), tolerance %.3g; out of tolerance: %d of %zu particles",
                   launch + 1, words->result, words->of,
                   side->index ? (size_t)side->index[member] + 1 : member + 1, got[0], got[1],
                   got[2], expected[0], expected[1], expected[2], expected[3], (int)found[0],
                   side->n);
}

static bool judge_results(struct launch_judge *judge, int s, int launches, struct verdict *verdict,
                          struct error *error) {
    int32_t found[2 * LAUNCH_JUDGE_MOST];
    double wrong[4 * LAUNCH_JUDGE_MOST]; /* room for either type */
    const size_t each = 4 * prepared_accum_size(judge->prepared);
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

static void judge_sums_of_launch(const struct launch_judge *judge, int launch, const void *kept,
                                 struct verdict *verdict) {
    const struct prepared *prepared = judge->prepared;
    struct evaluation evaluation = { .n = prepared->box->n };
    double sums[MAX_SUMS] = { 0 };
    for (int p = 0; p < prepared->spec->variant->pass_count; p++) {
        if (prepared->passes[p].has_sums) {
            add_sums(prepared,
                     (const char *)kept + kept_at(launch, p) * prepared_accum_size(prepared), sums);
        }
    }
    evaluation_take_sums(prepared, sums, &evaluation);
    struct verdict of_sums;
    const struct judge_question question = question_of(judge);
    judge_of(judge->spec)
        ->compare_scalars(&question, &judge->truth->reference, &evaluation, &of_sums);
    if (of_sums.status != STATUS_OK) {
        verdict->status = of_sums.status;
        (void)snprintf(verdict->message, sizeof verdict->message, "launch %d of a round, %.*s",
                       launch + 1, (int)sizeof verdict->message - 48, of_sums.message);
    }
}

static bool judge_sums(struct launch_judge *judge, int launches, struct verdict *verdict,
                       struct error *error) {
    const size_t bytes = kept_at(launches, 0) * prepared_accum_size(judge->prepared);
    void *kept = malloc(bytes);
    if (!kept) {
        return fail_out_of_memory(error, "the sums");
    }
    bool read = buffer_read(judge->kept, 0, kept, bytes, error);
    for (int launch = 0; read && launch < launches && verdict->status == STATUS_OK; launch++) {
        judge_sums_of_launch(judge, launch, kept, verdict);
    }
    free(kept);
    return read;
}

/* Waits, and looks at the inputs behind each launch. */
static bool end_round(struct launch_judge *judge, int launches, struct verdict *verdict,
                      struct error *error) {
    int32_t marks[2 * MARKS * MOST_INPUTS];
    const size_t bytes = (size_t)2 * MOST_INPUTS * (size_t)(1 + launches) * sizeof *marks;
    verdict->status = STATUS_OK;
    if (!device_finish(judge->prepared->device, error) ||
        !buffer_read(judge->marks, 0, marks, bytes, error)) {
        return false;
    }
    for (int launch = 0; launch < launches && verdict->status == STATUS_OK; launch++) {
        judge_inputs(judge, marks, launch, verdict);
    }
    return true;
}

bool launch_judge_end(struct launch_judge *judge, int launches, struct verdict *verdict,
                      struct error *error) {
    bool ended = end_round(judge, launches, verdict, error);
    for (int s = 0; ended && s < judge->prepared->side_count && verdict->status == STATUS_OK; s++) {
        ended = judge_results(judge, s, launches, verdict, error);
    }
    return ended && (verdict->status != STATUS_OK || judge->prepared->sum_count == 0 ||
                     judge_sums(judge, launches, verdict, error));
}

/* ---- over particles that have moved ---- */

bool launch_judge_begin_moved(struct launch_judge *judge, enum moved_use use, struct error *error) {
    const struct moved_box *moved = truth_moved(judge->truth, judge->spec, use, error);
    return moved && begin(judge, &moved->box, error);
}

bool launch_judge_end_moved(struct launch_judge *judge, enum moved_use use, struct verdict *verdict,
                            struct error *error) {
    const struct moved_box *moved =
        truth_moved(judge->truth, judge->spec, use == MOVED_NEW ? MOVED_LATEST : use, error);
    struct evaluation evaluation = { 0 };
    struct verdict of_results;
    if (!moved || !mark_inputs(judge, 1, error) || !end_round(judge, 1, verdict, error)) {
        return false;
    }
    if (verdict->status != STATUS_OK) {
        return true;
    }
    bool judged = prepared_collect(judge->prepared, &evaluation, error) &&
                  moved_box_judge(moved, judge->spec, &evaluation, &of_results, error);
    evaluation_free(&evaluation);
    if (judged && of_results.status != STATUS_OK) {
        verdict->status = of_results.status;
        memcpy(verdict->message, of_results.message, sizeof verdict->message);
    }
    return judged;
}
