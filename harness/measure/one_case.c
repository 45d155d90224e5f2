/* One case, from its box to its row. This file is the main path; read it from top to bottom:
 *
 *   prepare   the box, the expected result, the kernels and the structure
 *   gate      launches that must be right before anything is timed
 *   time      launches that are timed, each of them judged
 *   count     how much work the kernel says it did, and whether the device can do that
 *   row       what stands in rows.csv, in the order above
 *
 * Each step needs the one before it. What is wrong with a kernel goes into the verdict, and the
 * steps after it are skipped; what fails otherwise is an error and ends the case. */
#include "measure/one_case.h"

#include "devices/machine/peak.h"
#include "measure/judge/counts.h"

#include <math.h>
#include <string.h>

static bool is_ok(const struct verdict *verdict) {
    return verdict->status == STATUS_OK;
}

/* ---- prepare ---- */

/* The box is made or read, wrapped and rounded as the device gets it, and the reference computes
 * what is expected; cases that share both share them in the store. */
static bool find_expected(struct session *session, const struct case_spec *spec,
                          bool with_reference, struct one_case *one, struct error *error) {
    *one = (struct one_case){ .session = session, .device = session->device, .spec = spec };
    one->expected = expected_for(session->store, spec, with_reference, error);
    return one->expected != NULL;
}

static struct plan_input input_of(const struct one_case *one, enum build_kind build) {
    const struct expected *expected = one->expected;
    return (struct plan_input){ one->device,    one->spec,         build,
                                &expected->box, &expected->groups, expected->cutoff };
}

/* Compiles the kernels, copies the particles, creates the structure, binds every argument. */
static bool prepare_kernels(struct one_case *one, struct error *error) {
    const struct plan_input input = input_of(one, BUILD_PLAIN);
    return kernel_plan_create(&input, &one->plan, error);
}

/* Frees the case's memory on the device; expected results stay in the store. */
static void release_kernels(struct one_case *one) {
    launch_judge_free(one->judge);
    kernel_plan_free(one->plan);
    one->judge = NULL;
    one->plan = NULL;
}

/* ---- gate ---- */

/* How much of the gate a case has to pass. */
enum gate_extent {
    GATE_ALONE,        /* all: no timed launch will be judged */
    GATE_BEFORE_TIMES, /* not what timed launches are judged by: orders, places, poisoned outputs */
    GATE_ONCE          /* one launch: an earlier visit passed all of the gate, or smaller boxes did
                             and a launch takes seconds */
};

/* The launches after the first: over what the last one left, over particles in other orders and
 * places, and as far from their places as a list must bear. */
static bool gate_more(struct one_case *one, enum gate_extent extent, const struct evaluation *first,
                      struct verdict *verdict, struct error *error) {
    return gate_again(one, verdict, error) &&
           (extent != GATE_ALONE ||
            (gate_orders(one, verdict, error) && gate_sums(one, verdict, error) &&
             gate_units(one, verdict, error))) &&
           gate_far(one, verdict, error) && gate_repeats(one, first, verdict, error);
}

/* The first launches are compared with the reference on the host. If they are right, the judge of
 * launches is made, which compares all others. */
static bool pass_gate(struct one_case *one, enum gate_extent extent, struct verdict *verdict,
                      struct error *error) {
    struct evaluation first = { 0 };
    one->tools = session_tools(one->session, one->spec->precision, error);
    bool ran = one->tools && gate_first(one, extent != GATE_ONCE, &first, verdict, error) &&
               (extent != GATE_ALONE || gate_over_others(one, verdict, error)) &&
               (!is_ok(verdict) || launch_judge_create(one->plan, one->expected, one->spec,
                                                       one->tools, &one->judge, error));
    if (extent == GATE_ONCE) {
        gate_note_hash(&first, verdict);
    } else {
        ran = ran && gate_more(one, extent, &first, verdict, error);
    }
    evaluation_free(&first);
    return ran;
}

/* ---- time ---- */

/* Samples hot and cold launches and builds; every launch is judged on the device. Launches for the
 * energy counter are not: one more, which is, follows them. */
static bool time_launches(struct one_case *one, const struct sampling *sampling,
                          struct measurement *measurement, struct error *error) {
    struct session *session = one->session;
    struct verdict *verdict = &measurement->verdict;
    const struct verdict of_gate = *verdict;
    if (!is_ok(verdict)) {
        return true;
    }
    const struct sampler_source source = { .device = one->device,
                                           .plan = one->plan,
                                           .judge = one->judge,
                                           .tools = one->tools,
                                           .launch_s = session_rates(session)->launch_overhead_s,
                                           .clocks = &session->clocks,
                                           .read_clock = device_read_clock,
                                           .read_state = device_read_state };
    if (!sampler_run(&source, sampling, measurement, error) ||
        (is_ok(verdict) && sampling->energy && !energy_measure(&source, measurement, error)) ||
        (is_ok(verdict) && sampling->stages && !stages_measure(&source, measurement, error))) {
        return false;
    }
    const struct verdict of_times = *verdict;
    *verdict = of_gate;
    verdict_take_over(verdict, &of_times, "while it was timed: ");
    return !is_ok(verdict) || !sampling->energy || gate_afterwards(one, verdict, error);
}

/* Times one of several evaluations in a launch, where the case asks for that; median_s NULL: they
 * are judged alone. What the gate found of errors stays. */
static bool time_amortized(const struct one_case *one, double cap_s, double *median_s,
                           struct verdict *verdict, struct error *error) {
    struct verdict of_evaluations = verdict_of(STATUS_OK);
    if (!is_ok(verdict) || one->spec->evaluations == 0) {
        return true;
    }
    const bool measured = amortized_measure(one, cap_s, median_s, &of_evaluations, error);
    verdict_take_over(verdict, &of_evaluations, "");
    return measured;
}

/* Times evaluations with copies from and to host memory, which users of some workloads need each
 * time. */
static bool time_transfers(const struct one_case *one, struct measurement *measurement,
                           struct error *error) {
    struct verdict *verdict = &measurement->verdict;
    if (!is_ok(verdict) ||
        !workload_fills_column(one->spec->variant->workload, "end_to_end_s_median")) {
        return true;
    }
    if (!end_to_end_measure(one, &measurement->end_to_end_s_median, verdict, error)) {
        return false;
    }
    if (is_ok(verdict)) {
        const struct staleness_limits limits = staleness_limits_of(
            session_rates(one->session)->launch_overhead_s, device_describe(one->device)->is_cpu);
        judge_quickness(measurement, measurement->end_to_end_s_median, "with copies", &limits);
    }
    return true;
}

/* ---- count ---- */

/* What the time amounts to, and whether it can be; peaks that an earlier run measured may be out of
 * date, and are measured again before they say that it cannot. */
static void judge_rate(const struct one_case *one, const struct pair_counts *counts,
                       struct measurement *measurement) {
    const struct case_spec *spec = one->spec;
    session_rates(one->session);
    struct device_rates *rates = &one->session->rates;
    const double seconds = measurement->force.median_s;
    const double least = fmin(seconds, measurement->amortized_s_median);
    const struct rate_work work =
        rate_work_of(spec, one->expected, counts, device_describe(one->device));
    struct verdict ignored;
    if (!rate_judge(&work, &rates->peaks, spec->precision, least, &ignored)) {
        peaks_again(one->device, &rates->peaks);
    }
    rate_judge(&work, &rates->peaks, spec->precision, least, &measurement->verdict);
    measurement->pairs_evaluated = counts->distances > 0 ? counts->distances : -1;
    measurement->pairs_counted = counts->pairs;
    /* Nothing is paid by what a kernel says of itself: the least that its result needs. */
    if (spec->variant->workload->all_pairs_exceed && spec->step.steps == 0) {
        measurement->percent_of_peak =
            rate_percent(work.min_operations, &rates->peaks, spec->precision, seconds);
    }
    measurement->counted_percent_of_peak =
        rate_percent(work.operations, &rates->peaks, spec->precision, seconds);
    if (rates->launch_overhead_s > 0) {
        measurement->short_kernel = seconds < SHORT_IN_OVERHEADS * rates->launch_overhead_s;
    }
}

/* Has a build of the kernel count distances and pairs, unless an earlier visit did. */
static bool take_counts(const struct one_case *one, const struct earlier_visit *earlier,
                        struct pair_counts *counts, struct verdict *verdict, struct error *error) {
    *counts = pair_counts_unknown;
    if (earlier && earlier->distances > 0) {
        *counts = (struct pair_counts){ earlier->distances, earlier->pairs };
    } else if (pair_counts_available(one->spec->variant)) {
        const struct pair_counts_bounds bounds = pair_counts_bounds_of(one->spec, one->expected);
        if (!pair_counts_take(one->device, one->spec, one->expected, counts, error)) {
            return false;
        }
        pair_counts_judge(counts, &bounds, verdict);
    }
    return true;
}

/* ---- row ---- */

/* The pairs within the cutoff; -1 for a workload without pairs. */
static int64_t known_pairs(const struct one_case *one) {
    return expected_work_of(one->spec, one->expected).pairs;
}

static void describe_box(const struct one_case *one, struct measurement *measurement) {
    const struct expected *expected = one->expected;
    memcpy(measurement->box_kind, expected->box.kind, sizeof measurement->box_kind);
    memcpy(measurement->box_hash, expected->box_hash, sizeof measurement->box_hash);
    measurement->n = expected->box.n;
    measurement->density = expected->box.density;
    measurement->periodic = expected->box.periodic;
    if (box_is_partly_periodic(&expected->box)) {
        box_axes(&expected->box, measurement->axes);
    }
    measurement->cutoff = expected->cutoff;
    if (one->spec->step.steps > 0) {
        measurement->steps = (int64_t)one->spec->step.steps;
    }
    if (workload_lists_axis(one->spec->variant->workload, "--group-a")) {
        measurement->n_a = (int64_t)expected->groups.n_a;
        measurement->n_b = (int64_t)expected->groups.n_b;
    }
    measurement->pairs_in_cutoff = known_pairs(one);
}

static void describe_program(const struct one_case *one, struct measurement *measurement) {
    const struct program *program = kernel_plan_program(one->plan);
    (void)snprintf(measurement->compiler_options, sizeof measurement->compiler_options, "%s",
                   program_options(program));
    program_hash(program, measurement->kernel_hash);
    kernel_plan_resources(one->plan, &measurement->registers, &measurement->local_bytes);
    kernel_plan_terms(one->plan, measurement->terms);
}

/* ---- the four ways through a case ---- */

void session_compile(struct session *session, const struct case_spec *spec) {
    struct one_case one;
    struct error ignored;
    if (!find_expected(session, spec, false, &one, &ignored)) {
        return;
    }
    const struct plan_input plain = input_of(&one, BUILD_PLAIN);
    const struct plan_input counting = input_of(&one, BUILD_COUNTING);
    (void)session_tools(session, spec->precision, &ignored);
    if (kernel_plan_compile(&plain, &ignored) && pair_counts_available(spec->variant)) {
        (void)kernel_plan_compile(&counting, &ignored);
    }
}

static bool measure_case(struct one_case *one, const struct sampling *sampling,
                         struct measurement *measurement, struct error *error) {
    const enum gate_extent extent = sampling->earlier.gated ? GATE_ONCE : GATE_BEFORE_TIMES;
    struct verdict *verdict = &measurement->verdict;
    struct pair_counts counts;
    describe_box(one, measurement);
    if (!prepare_kernels(one, error)) {
        return false;
    }
    describe_program(one, measurement);
    const bool measured = pass_gate(one, extent, verdict, error) &&
                          time_launches(one, sampling, measurement, error) &&
                          time_amortized(one, sampling->time_cap_s,
                                         &measurement->amortized_s_median, verdict, error) &&
                          time_transfers(one, measurement, error);
    gate_guards(one->device, verdict);
    release_kernels(one);
    if (!measured || !is_ok(verdict)) {
        return measured;
    }
    if (!take_counts(one, &sampling->earlier, &counts, verdict, error)) {
        return false;
    }
    if (is_ok(verdict)) {
        judge_rate(one, &counts, measurement);
    }
    measurement->timed = is_ok(verdict);
    return true;
}

void session_measure(struct session *session, const struct case_spec *spec,
                     const struct sampling *sampling, struct measurement *measurement) {
    struct one_case one;
    struct error error;
    measurement_clear(measurement);
    if (!find_expected(session, spec, true, &one, &error) ||
        !measure_case(&one, sampling, measurement, &error)) {
        measurement->timed = false;
        verdict_fail(&measurement->verdict, &error);
    }
}

void session_check(struct session *session, const struct case_spec *spec, struct verdict *verdict) {
    struct one_case one;
    struct pair_counts counts;
    struct error error;
    *verdict = verdict_of(STATUS_OK);
    if (!find_expected(session, spec, true, &one, &error) || !prepare_kernels(&one, &error)) {
        verdict_fail(verdict, &error);
        return;
    }
    const bool once = case_is_long(spec, device_describe(one.device)->is_cpu);
    if (!pass_gate(&one, once ? GATE_ONCE : GATE_ALONE, verdict, &error) ||
        !time_amortized(&one, 0, NULL, verdict, &error)) {
        verdict_fail(verdict, &error);
    }
    gate_guards(one.device, verdict);
    verdict->pairs_in_cutoff = known_pairs(&one);
    release_kernels(&one);
    if (!once && is_ok(verdict) && !session_has_counted(session, spec, one.expected) &&
        !take_counts(&one, NULL, &counts, verdict, &error)) {
        verdict_fail(verdict, &error);
    }
}

/* Reverses the shifts of listed entries, so that they count the cell vectors that the user gave. */
static void reverse_shifts(struct evaluation *evaluation) {
    for (size_t k = 0; k + LISTED_NUMBERS <= evaluation->numbers; k += LISTED_NUMBERS) {
        double *shift = &evaluation->force[k + 2];
        for (size_t d = 0; d < 3; d++) {
            shift[d] = evaluation->reversed[d] ? 0.0 - shift[d] : shift[d];
        }
    }
}

bool session_evaluate(struct session *session, const struct case_spec *spec,
                      struct evaluation *evaluation, struct verdict *verdict, struct error *error) {
    struct one_case one;
    if (!find_expected(session, spec, verdict != NULL, &one, error) ||
        !prepare_kernels(&one, error)) {
        return false;
    }
    bool evaluated = gate_evaluate(one.plan, evaluation, error);
    if (evaluated && !device_check_guards(one.device, error)) {
        evaluation_free(evaluation);
        evaluated = false;
    }
    evaluation->cutoff = one.expected->cutoff;
    evaluation->cell = one.expected->box.cell;
    evaluation->rotated = one.expected->box.rotated;
    memcpy(evaluation->reversed, one.expected->box.reversed, sizeof evaluation->reversed);
    evaluation->pairs_in_cutoff = known_pairs(&one);
    if (evaluated && verdict) {
        verdict->bitwise_repeatable = -1;
        expected_compare(one.expected, spec, evaluation, verdict);
    }
    if (evaluated && evaluation->rows) {
        evaluated = evaluation->rows->list(evaluation->rows->context, evaluation, error);
        if (!evaluated) {
            evaluation_free(evaluation);
        } else {
            reverse_shifts(evaluation);
        }
    }
    evaluation->rows = NULL;
    release_kernels(&one);
    return evaluated;
}
