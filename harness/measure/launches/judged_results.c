#include "measure/launches/judge_parts.h"

#include "core/host.h"
#include "core/quantity.h"

#include <math.h>
#include <stdlib.h>

/* n accum4 that kernels have written, in the order of a set. */
struct judged_numbers {
    const struct particle_set *set;
    struct buffer *numbers;
    const char *name;
    double sign;
    bool poisons; /* what is judged is to leave garbage behind */
};

static struct judged_numbers judged_at(const struct judged_results *results, int s) {
    const struct kernel_plan *plan = results->judged->plan;
    if (s >= kernel_plan_set_count(
                 plan)) { /* the state begins anew in each launch: nothing to overwrite */
        return (struct judged_numbers){ kernel_plan_set(plan, 0), results->velocity, "velocity", 1,
                                        false };
    }
    const struct particle_set *set = kernel_plan_set(plan, s);
    return (struct judged_numbers){ set, set->result,
                                    results->judged->spec->variant->workload->words.result,
                                    kernel_plan_sign(plan), true };
}

/* ---- what is wanted ---- */

static double widest(const double tolerances[3]) {
    const double two = tolerances[0] > tolerances[1] ? tolerances[0] : tolerances[1];
    return two > tolerances[2] ? two : tolerances[2];
}

/* A bound of what rounding does to the expected number and to its difference from the result. */
static double rounding(const struct kernel_plan *plan, const double *wanted) {
    const double unit = kernel_plan_accum_is_double(plan) ? 0x1p-52 : 0x1p-23;
    return unit * (fabs(wanted[0]) + fabs(wanted[1]) + fabs(wanted[2]));
}

/* What the judge expects of every particle of the box. */
struct bounds {
    double *wanted, *tolerance; /* 3 numbers each */
};

static void bounds_free(struct bounds *bounds) {
    free(bounds->wanted);
    free(bounds->tolerance);
}

static bool bounds_make(const struct judged_case *judged, enum judged_field field,
                        struct bounds *bounds, struct error *error) {
    const struct judge_question question = question_of(judged);
    const size_t bytes = 3 * kernel_plan_box(judged->plan)->n * sizeof(double);
    *bounds = (struct bounds){ malloc(bytes), malloc(bytes) };
    return bounds->wanted && bounds->tolerance
               ? judge_bounds(&question, judged->expected->reference, field, bounds->wanted,
                              bounds->tolerance, error)
               : fail_out_of_memory(error, "the tolerances");
}

/* Expects of each member of a set what the judge expects of its particle. */
static void expect_bounds(struct judged_results *results, int s, double sign,
                          const struct bounds *bounds) {
    const struct kernel_plan *plan = results->judged->plan;
    const struct particle_set *set = kernel_plan_set(plan, 0);
    for (size_t m = 0; m < set->n; m++) {
        const size_t i = set->index ? (size_t)set->index[m] : m;
        const double *wanted = bounds->wanted + 3 * i;
        for (size_t d = 0; d < 3; d++) {
            real_set(results->staged[s], kernel_plan_accum_is_double(plan), 4 * m + d,
                     sign * wanted[d]);
        }
        real_set(results->staged[s], kernel_plan_accum_is_double(plan), 4 * m + 3,
                 widest(&bounds->tolerance[3 * i]) + rounding(plan, wanted));
    }
}

/* Expects what the outputs of the set hold now, since that has passed the gate. */
static bool expect_outputs(struct judged_results *results, int s, const double *tolerances,
                           struct error *error) {
    const struct kernel_plan *plan = results->judged->plan;
    const struct particle_set *set = kernel_plan_set(plan, s);
    if (!buffer_read(set->result, 0, results->staged[s], buffer_bytes(set->result), error)) {
        return false;
    }
    for (size_t m = 0; m < set->n; m++) {
        double got[3];
        for (size_t d = 0; d < 3; d++) {
            got[d] = real_at(results->staged[s], kernel_plan_accum_is_double(plan), 4 * m + d);
        }
        real_set(results->staged[s], kernel_plan_accum_is_double(plan), 4 * m + 3,
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

/* Writes what is expected to the device, covered, so that no kernel under test can make use of it.
 */
static bool write_covered(struct judged_results *results, int s, size_t bytes,
                          struct error *error) {
    const size_t blocks = bytes / (4 * sizeof(int32_t));
    return bytes == 0 ||
           (buffer_write(results->wanted[s], 0, results->staged[s], bytes, error) &&
            launch_tool_run(results->judged->tools, TOOL_COVER_WORDS, blocks,
                            ARGUMENTS(argument_int((int32_t)blocks),
                                      argument_buffer(results->wanted[s]), low_word(results->cover),
                                      high_word(results->cover)),
                            error));
}

static bool upload_expected(struct judged_results *results, int s, const struct bounds *bounds,
                            struct error *error) {
    const struct kernel_plan *plan = results->judged->plan;
    struct device *device = kernel_plan_device(plan);
    const int sets = kernel_plan_set_count(plan);
    const size_t bytes = buffer_bytes(judged_at(results, s).numbers);
    results->staged[s] = malloc(bytes ? bytes : 1);
    if (!results->staged[s]) {
        return fail_out_of_memory(error, "the wanted results");
    }
    if (s >= sets || sets == 1) {
        expect_bounds(results, s, judged_at(results, s).sign, bounds);
    } else if (!expect_outputs(results, s, bounds->tolerance, error)) {
        return false;
    }
    return buffer_allocate(device, bytes, &results->wanted[s], error) &&
           write_covered(results, s, bytes, error) &&
           buffer_allocate(device, (size_t)2 * LAUNCH_JUDGE_MAX * sizeof(int32_t),
                           &results->found[s], error) &&
           buffer_allocate(device, (size_t)4 * LAUNCH_JUDGE_MAX * kernel_plan_accum_size(plan),
                           &results->wrong[s], error);
}

bool judged_results_create(const struct judged_case *judged, struct judged_results *results,
                           struct error *error) {
    const struct kernel_plan *plan = judged->plan;
    const bool has_steps = kernel_plan_has_steps(plan);
    const int sets = kernel_plan_set_count(plan);
    *results = (struct judged_results){ .judged = judged,
                                        .count = sets + has_steps,
                                        .cover = draw_seed() };
    bool made = !has_steps || buffer_allocate(kernel_plan_device(plan),
                                              buffer_bytes(kernel_plan_set(plan, 0)->result),
                                              &results->velocity, error);
    for (int s = 0; made && s < results->count; s++) {
        struct bounds bounds;
        made = bounds_make(judged, s < sets ? JUDGED_RESULT : JUDGED_VELOCITY, &bounds, error) &&
               upload_expected(results, s, &bounds, error);
        bounds_free(&bounds);
    }
    return made;
}

void judged_results_free(struct judged_results *results) {
    for (int s = 0; s < MAX_JUDGED; s++) {
        free(results->staged[s]);
        buffer_free(results->wanted[s]);
        buffer_free(results->found[s]);
        buffer_free(results->wrong[s]);
    }
    buffer_free(results->velocity);
    *results = (struct judged_results){ 0 };
}

/* ---- a round ---- */

bool judged_results_clear(struct judged_results *results, struct error *error) {
    bool cleared = true;
    for (int s = 0; cleared && s < results->count; s++) {
        cleared = buffer_fill(results->found[s], 0, buffer_bytes(results->found[s]), error);
    }
    return cleared;
}

/* Writes the velocities of time steps to where results are. */
static bool write_velocities(const struct judged_results *results, struct error *error) {
    const struct kernel_plan *plan = results->judged->plan;
    const struct particle_set *set = kernel_plan_set(plan, 0);
    const struct step_outputs steps = kernel_plan_step_outputs(plan);
    const struct member_order *order = &set->order;
    return launch_tool_run(
        results->judged->tools, TOOL_WRITE_VELOCITIES, set->n,
        ARGUMENTS(argument_int((int32_t)set->n), argument_int((int32_t)order->shift),
                  argument_int((int32_t)order_back(order)), argument_int(steps.exchanges),
                  argument_buffer(steps.index), argument_buffer(steps.velocity),
                  argument_buffer(results->velocity)),
        error);
}

static bool judge_set(struct judged_results *results, int s, int launch, bool poison,
                      struct error *error) {
    const struct judged_numbers judged = judged_at(results, s);
    const struct particle_set *set = judged.set;
    const uint64_t garbage = draw_seed();
    return launch_tool_run(
        results->judged->tools, TOOL_JUDGE_RESULTS, set->n,
        ARGUMENTS(
            argument_int((int32_t)set->n), argument_int((int32_t)order_share(&set->order, set->n)),
            argument_int((int32_t)set->order.shift),
            argument_int((int32_t)order_stride(&set->order)), argument_buffer(results->wanted[s]),
            low_word(results->cover), high_word(results->cover), argument_buffer(judged.numbers),
            argument_int(launch_slot(launch)), argument_buffer(results->found[s]),
            argument_buffer(results->wrong[s]), argument_int(poison && judged.poisons),
            low_word(garbage), high_word(garbage)),
        error);
}

bool judged_results_launch(struct judged_results *results, int launch, bool poison,
                           struct error *error) {
    struct kernel_plan *plan = results->judged->plan;
    bool judged = !kernel_plan_has_steps(plan) || write_velocities(results, error);
    judged = judged && kernel_plan_compute_results(plan, error);
    for (int s = 0; judged && s < results->count; s++) {
        judged = judge_set(results, s, launch, poison, error);
    }
    return judged &&
           (!poison || kernel_plan_fill_own_outputs(plan, (unsigned char)draw_seed(), error));
}

/* ---- the verdict ---- */

static void describe_wrong(const struct judged_results *results, int s, int launch,
                           const int32_t found[2], const void *wrong, struct verdict *verdict) {
    const struct kernel_plan *plan = results->judged->plan;
    const struct judged_numbers judged = judged_at(results, s);
    const struct particle_set *set = judged.set;
    const size_t member = (size_t)found[1] < set->n ? (size_t)found[1] : 0;
    double got[3] = { 0 };
    double wanted[4];
    for (size_t d = 0; d < 4; d++) {
        const double sign = d < 3 ? judged.sign : 1; /* the fourth is the tolerance */
        wanted[d] =
            sign * real_at(results->staged[s], kernel_plan_accum_is_double(plan), 4 * member + d);
        if (d < 3) {
            got[d] =
                sign * real_at(wrong, kernel_plan_accum_is_double(plan), 4 * (size_t)launch + d);
        }
    }
    verdict_say(verdict, STATUS_WRONG,
                "launch %d of a round, %s %s particle %zu: got (%.9g, %.9g, %.9g), wanted "
                "(%.9g, %.9g, %.9g), tolerance %.3g; out of tolerance: %d of %zu particles",
                launch + 1, judged.name,
                results->judged->spec->variant->workload->words.preposition,
                set->index ? (size_t)set->index[member] + 1 : member + 1, unsigned_nan(got[0]),
                unsigned_nan(got[1]), unsigned_nan(got[2]), wanted[0], wanted[1], wanted[2],
                wanted[3], (int)found[0], set->n);
}

static bool end_set(const struct judged_results *results, int s, int launches,
                    struct verdict *verdict, struct error *error) {
    int32_t found[2 * LAUNCH_JUDGE_MAX];
    double wrong[4 * LAUNCH_JUDGE_MAX]; /* room for either type */
    const size_t each = 4 * kernel_plan_accum_size(results->judged->plan);
    if (!buffer_read(results->found[s], 0, found, (size_t)launches * 2 * sizeof *found, error)) {
        return false;
    }
    for (int launch = 0; launch < launches; launch++) {
        if (found[2 * launch] == 0) {
            continue;
        }
        if (!buffer_read(results->wrong[s], 0, wrong, (size_t)launches * each, error)) {
            return false;
        }
        describe_wrong(results, s, launch, &found[2 * launch], wrong, verdict);
        return true;
    }
    return true;
}

bool judged_results_end(const struct judged_results *results, int launches, struct verdict *verdict,
                        struct error *error) {
    bool ended = true;
    for (int s = 0; ended && s < results->count && verdict->status == STATUS_OK; s++) {
        ended = end_set(results, s, launches, verdict, error);
    }
    return ended;
}
