/* The calls of measure.h: one case at a time, from box to verdict to times. */
#include "core/cache.h"
#include "core/host.h"
#include "core/strings.h"
#include "devices/machine/launch_overhead.h"
#include "measure/end_to_end.h"
#include "measure/judge/counts.h"
#include "measure/judge/expected.h"
#include "measure/judge/rate.h"
#include "measure/measure.h"
#include "measure/prepare/kernel_plan.h"
#include "measure/sampler.h"
#include "measure/whole_gate.h"
#include "workloads/judges/gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COUNTED = 1024 };

struct session {
    struct device *device;
    struct expected_store *store;
    struct clock_watch clocks;
    struct launch_tools tools[PRECISION_COUNT]; /* by precision, made when first needed */
    bool rates_known;
    struct device_rates rates;
    char counted[MAX_COUNTED][HASH_TEXT_SIZE]; /* cases whose counts were right, the latest */
    size_t counted_count;
};

bool session_open(const char *name, struct session **session, struct error *error) {
    struct session *opened = calloc(1, sizeof *opened);
    if (!opened) {
        return fail_out_of_memory(error, "a session");
    }
    opened->store = expected_store_create();
    if (!opened->store) {
        free(opened);
        return fail_out_of_memory(error, "a session");
    }
    if (!device_open(name, &opened->device, error)) {
        expected_store_free(opened->store);
        free(opened);
        return false;
    }
    expected_store_use_device(opened->store, opened->device);
    *session = opened;
    return true;
}

void session_close(struct session *session) {
    if (session) {
        expected_store_free(session->store);
        for (int p = 0; p < PRECISION_COUNT; p++) {
            launch_tools_free(&session->tools[p]);
        }
        device_close(session->device);
        free(session);
    }
}

const struct device_info *session_device(const struct session *session) {
    return device_describe(session->device);
}

bool session_intact(const struct session *session) {
    return expected_store_intact(session->store);
}

bool session_works(struct session *session) {
    return device_works(session->device);
}

/* One evaluation from poisoned outputs. */
static bool evaluate_once(struct kernel_plan *plan, struct evaluation *evaluation,
                          struct error *error) {
    return fill_outputs_with_byte(plan, GATE_POISON_BYTE, error) &&
           kernel_plan_enqueue(plan, error) && kernel_plan_collect(plan, evaluation, error);
}

/* -1 where there are none to be within a cutoff. */
static int64_t known_pairs(const struct case_spec *spec, const struct expected *expected) {
    return expected->has_reference && !spec->variant->workload->is_of_draws
               ? (int64_t)expected->reference.pairs_in_cutoff
               : -1;
}

bool session_evaluate(struct session *session, const struct case_spec *spec,
                      struct evaluation *evaluation, struct verdict *verdict, struct error *error) {
    struct kernel_plan *plan = NULL;
    const struct expected *expected = expected_for(session->store, spec, verdict != NULL, error);
    if (!expected || !kernel_plan_create(session->device, spec, BUILD_PLAIN, &expected->box,
                                         &expected->groups, expected->cutoff, &plan, error)) {
        return false;
    }
    bool evaluated = kernel_plan_build(plan, error) && evaluate_once(plan, evaluation, error);
    if (evaluated && !device_check_guards(session->device, error)) {
        evaluation_free(evaluation);
        evaluated = false;
    }
    kernel_plan_free(plan);
    evaluation->cutoff = expected->cutoff;
    evaluation->cell = expected->box.cell;
    evaluation->rotated = expected->box.rotated;
    evaluation->pairs_in_cutoff = known_pairs(spec, expected);
    if (evaluated && verdict) {
        verdict->bitwise_repeatable = -1;
        expected_compare(expected, spec, evaluation, verdict);
    }
    return evaluated;
}

/* Of what decides the counts of a case: what sums come out, and how, does not. */
static void hash_counted(const struct case_spec *spec, const struct expected *expected,
                         char text[HASH_TEXT_SIZE]) {
    const struct variant *variant = spec->variant;
    struct strbuf words = { 0 };
    char tunings[TUNINGS_WORDS_SIZE];
    tunings_describe(&spec->tunings, tunings, sizeof tunings);
    interaction_describe(&spec->interaction, &words);
    strbuf_append(&words, " %.17g ", expected->cutoff);
    group_spec_describe(&spec->group, &words);
    struct hash_state *hash = hash_begin();
    hash_add_string(hash, variant->workload->name);
    hash_add_string(hash, variant->name);
    hash_add_string(hash, variant->text ? variant->text : "");
    hash_add_string(hash, words.data ? words.data : "");
    hash_add_string(hash, precision_name(spec->precision));
    hash_add_string(hash, tunings);
    hash_add_string(hash, expected->box_hash);
    hash_end(hash, text);
    strbuf_free(&words);
}

/* Whether these counts were judged before. Notes that they were. */
static bool was_counted(struct session *session, const struct case_spec *spec,
                        const struct expected *expected) {
    char id[HASH_TEXT_SIZE];
    hash_counted(spec, expected, id);
    for (size_t c = 0; c < session->counted_count && c < MAX_COUNTED; c++) {
        if (strcmp(session->counted[c], id) == 0) {
            return true;
        }
    }
    memcpy(session->counted[session->counted_count++ % MAX_COUNTED], id, sizeof id);
    return false;
}

/* Judges the counts of a case that is right, if it has any. */
static bool check_counts(struct session *session, const struct case_spec *spec,
                         const struct expected *expected, struct verdict *verdict,
                         struct error *error) {
    struct pair_counts counts;
    if (verdict->status != STATUS_OK || !pair_counts_available(spec->variant) ||
        was_counted(session, spec, expected)) {
        return true;
    }
    if (!pair_counts_take(session->device, spec, expected, &counts, error)) {
        return false;
    }
    const struct pair_counts_bounds bounds = pair_counts_bounds_of(spec, expected);
    pair_counts_judge(&counts, &bounds, verdict);
    return true;
}

static const struct launch_tools *tools_for(struct session *session, enum precision precision,
                                            struct error *error) {
    struct launch_tools *tools = &session->tools[precision];
    return tools->program || launch_tools_create(session->device, precision, tools, error) ? tools
                                                                                           : NULL;
}

/* See whole_gate_pass(). */
static bool pass_gate(struct session *session, struct kernel_plan *plan,
                      const struct expected *expected, const struct case_spec *spec,
                      enum gate_extent extent, struct launch_judge **judge, struct verdict *verdict,
                      struct error *error) {
    const struct gate_scene scene = { .device = session->device,
                                      .tools = tools_for(session, spec->precision, error),
                                      .plan = plan,
                                      .expected = expected,
                                      .spec = spec };
    return scene.tools && whole_gate_pass(&scene, extent, judge, verdict, error);
}

void session_check(struct session *session, const struct case_spec *spec, struct verdict *verdict) {
    struct error error;
    struct kernel_plan *plan = NULL;
    struct launch_judge *judge = NULL;
    *verdict = verdict_of(STATUS_OK);
    const struct expected *expected = expected_for(session->store, spec, true, &error);
    if (!expected || !kernel_plan_create(session->device, spec, BUILD_PLAIN, &expected->box,
                                         &expected->groups, expected->cutoff, &plan, &error)) {
        verdict_stop(verdict, &error);
        return;
    }
    const bool once = device_describe(session->device)->is_cpu && case_is_long_on_cpu(spec);
    if (!pass_gate(session, plan, expected, spec, once ? GATE_SETTLED : GATE_ALONE, &judge, verdict,
                   &error)) {
        verdict_stop(verdict, &error);
    }
    whole_gate_look_at_guards(session->device, verdict);
    verdict->pairs_in_cutoff = known_pairs(spec, expected);
    launch_judge_free(judge);
    kernel_plan_free(plan);
    if (!once && !check_counts(session, spec, expected, verdict, &error)) {
        verdict_stop(verdict, &error);
    }
}

static void describe_box(const struct case_spec *spec, const struct expected *expected,
                         struct measurement *measurement) {
    memcpy(measurement->box_kind, expected->box.kind, sizeof measurement->box_kind);
    memcpy(measurement->box_hash, expected->box_hash, sizeof measurement->box_hash);
    measurement->n = expected->box.n;
    measurement->density = expected->box.density;
    measurement->periodic = expected->box.periodic;
    measurement->cutoff = expected->cutoff;
    if (spec->variant->workload->forces_of) {
        measurement->steps = (int64_t)spec->step.steps;
    }
    if (spec->variant->workload->takes_groups) {
        measurement->n_a = (int64_t)expected->groups.n_a;
        measurement->n_b = (int64_t)expected->groups.n_b;
    }
    measurement->pairs_in_cutoff = known_pairs(spec, expected);
}

static void describe_program(const struct kernel_plan *plan, struct measurement *measurement) {
    const struct program *program = kernel_plan_program(plan);
    (void)snprintf(measurement->compiler_options, sizeof measurement->compiler_options, "%s",
                   program_options(program));
    program_hash(program, measurement->kernel_hash);
    kernel_plan_resources(plan, &measurement->registers, &measurement->local_bytes);
    kernel_plan_terms(plan, measurement->terms);
}

const struct device_rates *session_rates(struct session *session) {
    struct device_rates *rates = &session->rates;
    struct error ignored;
    if (!session->rates_known) {
        session->rates_known = true;
        peaks_measure(session->device, &rates->peaks);
        if (!launch_overhead_measure(session->device, &rates->launch_overhead_s, &ignored)) {
            rates->launch_overhead_s = NAN;
        }
    }
    return rates;
}

struct comparison {
    const struct expected *expected;
    const struct case_spec *spec;
};

static void compare_end_to_end(void *context, const struct evaluation *evaluation,
                               struct verdict *verdict) {
    const struct comparison *comparison = context;
    expected_compare(comparison->expected, comparison->spec, evaluation, verdict);
}

/* With transfers, which users of some workloads pay each time; judged like everything timed. */
static bool measure_end_to_end(struct session *session, const struct case_spec *spec,
                               const struct expected *expected, struct kernel_plan *plan,
                               const struct launch_tools *tools, struct measurement *measurement,
                               struct error *error) {
    struct comparison comparison = { expected, spec };
    if (!end_to_end_measure(session->device, plan, tools, compare_end_to_end, &comparison,
                            &measurement->end_to_end_s_median, &measurement->verdict, error)) {
        return false;
    }
    if (measurement->verdict.status != STATUS_OK) {
        verdict_say_when(&measurement->verdict, "end to end: ");
    }
    return true;
}

/* Time and judge each timed launch; one launch more behind those that nobody judged. */
static bool measure_judged(struct session *session, const struct case_spec *spec,
                           const struct expected *expected, struct kernel_plan *plan,
                           struct launch_judge *judge, const struct sampling *sampling,
                           struct measurement *measurement, struct error *error) {
    struct verdict *verdict = &measurement->verdict;
    struct verdict of_times = verdict_of(STATUS_OK);
    const struct verdict of_gate = *verdict;
    const struct sampler_source source = { .device = session->device,
                                           .plan = plan,
                                           .judge = judge,
                                           .tools = tools_for(session, spec->precision, error),
                                           .launch_s = session_rates(session)->launch_overhead_s,
                                           .clocks = &session->clocks,
                                           .read_clock = device_read_clock,
                                           .read_state = device_read_state };
    if (!sampler_run(&source, sampling, measurement, error)) {
        return false;
    }
    of_times = *verdict;
    *verdict = of_gate;
    verdict_take_over(verdict, &of_times, "while it was timed: ");
    if (verdict->status == STATUS_OK && sampling->energy) {
        if (!whole_gate_round(judge, plan, 1, &of_times, error)) {
            return false;
        }
        verdict_take_over(verdict, &of_times, "after the timed launches: ");
    }
    if (verdict->status == STATUS_OK && spec->variant->workload->times_transfers &&
        !measure_end_to_end(session, spec, expected, plan, source.tools, measurement, error)) {
        return false;
    }
    measurement->timed = verdict->status == STATUS_OK;
    return true;
}

static bool measure_prepared(struct session *session, const struct case_spec *spec,
                             const struct expected *expected, struct kernel_plan *plan,
                             const struct sampling *sampling, struct measurement *measurement,
                             struct error *error) {
    struct launch_judge *judge = NULL;
    const enum gate_extent extent = sampling->settled.gated ? GATE_SETTLED : GATE_BEFORE_TIMES;
    bool measured =
        pass_gate(session, plan, expected, spec, extent, &judge, &measurement->verdict, error);
    if (measured && measurement->verdict.status == STATUS_OK) {
        measured =
            measure_judged(session, spec, expected, plan, judge, sampling, measurement, error);
    }
    launch_judge_free(judge);
    return measured;
}

/* What the time amounts to, and whether it can be; peaks that an earlier run measured may be out of
 * date, and are measured again before they say that it cannot. */
static void rate(struct session *session, const struct case_spec *spec,
                 const struct expected *expected, const struct pair_counts *counts,
                 struct measurement *measurement) {
    session_rates(session);
    struct device_rates *rates = &session->rates;
    const double seconds = measurement->force.median_s;
    const struct rate_work work =
        rate_work_of(spec, expected, counts, device_describe(session->device));
    struct verdict ignored;
    if (!rate_judge(&work, &rates->peaks, spec->precision, seconds, &ignored)) {
        peaks_again(session->device, &rates->peaks);
    }
    rate_judge(&work, &rates->peaks, spec->precision, seconds, &measurement->verdict);
    measurement->pairs_evaluated = counts->distances > 0 ? counts->distances : -1;
    measurement->pairs_counted = counts->pairs;
    /* Nothing is paid by what a kernel says of itself: the least that its result needs. */
    const struct workload *workload = spec->variant->workload;
    if (!workload->takes_terms && !workload->forces_of) {
        measurement->percent_of_peak =
            rate_percent(work.min_operations, &rates->peaks, spec->precision, seconds);
    }
    measurement->counted_percent_of_peak =
        rate_percent(work.operations, &rates->peaks, spec->precision, seconds);
    if (rates->launch_overhead_s > 0) {
        measurement->short_kernel = seconds < SHORT_IN_OVERHEADS * rates->launch_overhead_s;
    }
}

/* Counts, unless that is settled, and judges the counts and the rate that they make; of a variant
 * without counts, the time alone. */
static bool measure_counts(struct session *session, const struct case_spec *spec,
                           const struct expected *expected, const struct settled *settled,
                           struct measurement *measurement, struct error *error) {
    struct pair_counts counts = pair_counts_unknown;
    if (settled->distances > 0) {
        counts = (struct pair_counts){ settled->distances, settled->pairs };
    } else if (pair_counts_available(spec->variant)) {
        const struct pair_counts_bounds bounds = pair_counts_bounds_of(spec, expected);
        if (!pair_counts_take(session->device, spec, expected, &counts, error)) {
            return false;
        }
        pair_counts_judge(&counts, &bounds, &measurement->verdict);
    }
    if (measurement->verdict.status == STATUS_OK) {
        rate(session, spec, expected, &counts, measurement);
    }
    measurement->timed = measurement->verdict.status == STATUS_OK;
    return true;
}

static bool measure_case(struct session *session, const struct case_spec *spec,
                         const struct sampling *sampling, struct measurement *measurement,
                         struct error *error) {
    struct kernel_plan *plan = NULL;
    const struct expected *expected = expected_for(session->store, spec, true, error);
    if (!expected) {
        return false;
    }
    describe_box(spec, expected, measurement);
    if (!kernel_plan_create(session->device, spec, BUILD_PLAIN, &expected->box, &expected->groups,
                            expected->cutoff, &plan, error)) {
        return false;
    }
    describe_program(plan, measurement);
    bool measured = measure_prepared(session, spec, expected, plan, sampling, measurement, error);
    whole_gate_look_at_guards(session->device, &measurement->verdict);
    kernel_plan_free(plan);
    measurement->timed = measurement->timed && measurement->verdict.status == STATUS_OK;
    if (!measured || !measurement->timed) {
        return measured;
    }
    return measure_counts(session, spec, expected, &sampling->settled, measurement, error);
}

void session_measure(struct session *session, const struct case_spec *spec,
                     const struct sampling *sampling, struct measurement *measurement) {
    struct error error;
    measurement_clear(measurement);
    if (!measure_case(session, spec, sampling, measurement, &error)) {
        measurement->timed = false;
        verdict_stop(&measurement->verdict, &error);
    }
}

/* ---- simulations ---- */

struct motion {
    struct device *device;
    struct kernel_plan *plan;
    double lag;       /* of velocities behind positions */
    double seconds;   /* that steps took */
    bool is_fresh;    /* the state was written, and no step taken from it */
    bool is_reported; /* its crossings were read */
};

bool motion_create(struct session *session, const struct case_spec *spec, const struct box *box,
                   double cutoff, struct motion **motion, struct error *error) {
    struct motion *made = calloc(1, sizeof *made);
    if (!made) {
        return fail_out_of_memory(error, "a simulation");
    }
    made->device = session->device;
    if (!kernel_plan_create(session->device, spec, BUILD_PLAIN, box, NULL, cutoff, &made->plan,
                            error)) {
        free(made);
        return false;
    }
    made->lag = spec->step.integrator == INTEGRATOR_LEAPFROG ? 0.5 * spec->step.dt : 0;
    *motion = made;
    return true;
}

void motion_free(struct motion *motion) {
    if (motion) {
        kernel_plan_free(motion->plan);
        free(motion);
    }
}

double motion_seconds(const struct motion *motion) {
    return motion->seconds;
}

uint64_t motion_bytes(const struct motion *motion) {
    return device_bytes_moved(motion->device);
}

bool motion_counts_faces(const struct motion *motion) {
    return kernel_plan_counts_faces(motion->plan);
}

uint64_t motion_renewals(const struct motion *motion) {
    return kernel_plan_renewals(motion->plan);
}

uint64_t motion_prunings(const struct motion *motion) {
    return kernel_plan_prunings(motion->plan);
}

uint64_t motion_parts_renewed(const struct motion *motion) {
    return kernel_plan_parts_renewed(motion->plan);
}

static bool take_steps(struct motion *motion, uint64_t steps, struct error *error) {
    const double start = clock_s();
    const bool taken =
        kernel_plan_advance(motion->plan, steps, error) && device_finish(motion->device, error);
    motion->seconds += steps > 0 ? clock_s() - start : 0;
    return taken;
}

bool motion_goes_on(const struct motion *motion) {
    return kernel_plan_goes_on(motion->plan);
}

bool motion_write(struct motion *motion, const struct plan_motion *state, struct error *error) {
    motion->is_fresh = true;
    motion->is_reported = false;
    return kernel_plan_write_motion(motion->plan, state, error) &&
           device_finish(motion->device, error);
}

bool motion_advance(struct motion *motion, uint64_t steps, double fastest,
                    struct plan_motion_sums *sums, struct error *error) {
    if (!motion->is_fresh && !kernel_plan_keep_motion(motion->plan, motion->is_reported, error)) {
        return false;
    }
    motion->is_fresh = false;
    motion->is_reported = false;
    return take_steps(motion, steps, error) &&
           kernel_plan_sum_motion(motion->plan, motion->lag, fastest, sums, error) &&
           device_check_guards(motion->device, error);
}

bool motion_read(struct motion *motion, struct plan_motion *state, struct error *error) {
    motion->is_reported = true;
    return kernel_plan_read_motion(motion->plan, state, error);
}

bool motion_read_faces(struct motion *motion, uint64_t *count, double *momentum,
                       struct error *error) {
    return kernel_plan_read_faces(motion->plan, count, momentum, error);
}

bool motion_read_thermostat(struct motion *motion, struct thermostat_state *thermostat,
                            uint64_t *step, struct error *error) {
    return kernel_plan_read_thermostat(motion->plan, thermostat, step, error);
}
