/* The calls of measure.h: one case at a time, from box to verdict to times. */
#include "base/clock.h"
#include "measure/end_to_end.h"
#include "measure/gate.h"
#include "measure/launch_overhead.h"
#include "measure/prepared.h"
#include "measure/sampler.h"
#include "measure/truth.h"

#include <stdlib.h>
#include <string.h>

struct session {
    struct device *device;
    struct truth_store *store;
    struct clock_watch clocks;
    bool rates_known;
    struct device_rates rates;
};

void evaluation_free(struct evaluation *evaluation) {
    free(evaluation->force);
    evaluation->force = NULL;
}

bool session_open(const char *name, struct session **session, struct error *error) {
    struct session *opened = calloc(1, sizeof *opened);
    if (!opened) {
        return fail_out_of_memory(error, "a session");
    }
    opened->store = truth_store_create();
    if (!opened->store) {
        free(opened);
        return fail_out_of_memory(error, "a session");
    }
    if (!device_open(name, &opened->device, error)) {
        truth_store_free(opened->store);
        free(opened);
        return false;
    }
    *session = opened;
    return true;
}

void session_close(struct session *session) {
    if (session) {
        truth_store_free(session->store);
        device_close(session->device);
        free(session);
    }
}

const struct device_info *session_device(const struct session *session) {
    return device_describe(session->device);
}

bool session_works(struct session *session) {
    return device_works(session->device);
}

/* One evaluation from poisoned outputs. */
static bool evaluate_once(struct prepared *prepared, struct evaluation *evaluation,
                          struct error *error) {
    return prepared_fill_outputs(prepared, GATE_POISON_BYTE, error) &&
           prepared_enqueue(prepared, error) && prepared_collect(prepared, evaluation, error);
}

bool session_evaluate(struct session *session, const struct case_spec *spec,
                      struct evaluation *evaluation, struct error *error) {
    struct prepared *prepared = NULL;
    const struct truth *truth = truth_for(session->store, spec, true, error);
    if (!truth || !prepared_create(session->device, spec, BUILD_PLAIN, &truth->box, &truth->groups,
                                   truth->cutoff, &prepared, error)) {
        return false;
    }
    bool evaluated = prepared_build(prepared, error) && evaluate_once(prepared, evaluation, error);
    prepared_free(prepared);
    if (evaluated) {
        evaluation->pairs_in_cutoff = truth->reference.pairs_in_cutoff;
    }
    return evaluated;
}

static void verdict_stopped(struct verdict *verdict, const struct error *error) {
    verdict->status = error->status;
    (void)snprintf(verdict->message, sizeof verdict->message, "%.*s",
                   (int)sizeof verdict->message - 1, error->message);
}

static void compare(const struct truth *truth, const struct case_spec *spec,
                    const struct evaluation *evaluation, struct verdict *verdict) {
    const int repeatable = verdict->bitwise_repeatable;
    gate_compare(&truth->reference, box_length_scale(&truth->box), spec->precision, spec->outputs,
                 evaluation, verdict);
    verdict->bitwise_repeatable = repeatable;
}

/* Reads and compares what lies in the outputs now. False when the device failed; the verdict tells
 * the rest. */
static bool gate_outputs(struct prepared *prepared, const struct truth *truth,
                         const struct case_spec *spec, struct verdict *verdict,
                         struct evaluation *evaluation, struct error *error) {
    if (!prepared_collect(prepared, evaluation, error)) {
        return false;
    }
    compare(truth, spec, evaluation, verdict);
    return true;
}

static bool same_bits(const struct evaluation *one, const struct evaluation *other) {
    return memcmp(one->force, other->force, 3 * one->n * sizeof *one->force) == 0 &&
           memcmp(&one->energy, &other->energy, sizeof one->energy) == 0 &&
           memcmp(&one->energy_vdw, &other->energy_vdw, sizeof one->energy_vdw) == 0 &&
           memcmp(&one->energy_coulomb, &other->energy_coulomb, sizeof one->energy_coulomb) == 0 &&
           memcmp(one->virial, other->virial, sizeof one->virial) == 0;
}

/* Says when it was that a result turned out wrong. */
static void say_when(struct verdict *verdict, const char *when) {
    const size_t length = strlen(when);
    memmove(verdict->message + length, verdict->message, sizeof verdict->message - length - 1);
    memcpy(verdict->message, when, length);
    verdict->message[sizeof verdict->message - 1] = '\0';
}

/* One run over outputs that are neither unwritten nor right, though what the kernel keeps for
 * itself stays: finds those that compute only where they see that they must. */
static bool gate_disturbed(struct prepared *prepared, const struct truth *truth,
                           const struct case_spec *spec, struct verdict *verdict,
                           struct error *error) {
    struct evaluation evaluation = { 0 };
    bool ran = prepared_disturb_outputs(prepared, error) && prepared_enqueue(prepared, error) &&
               gate_outputs(prepared, truth, spec, verdict, &evaluation, error);
    evaluation_free(&evaluation);
    if (ran && verdict->status != STATUS_OK) {
        say_when(verdict, "launched over other outputs: ");
    }
    return ran;
}

/* Launches as they are timed, over what the last one left, for as long as it costs little: what is
 * wrong now and then, or from some launch on. Only what differs from `first`, which was right, is
 * compared with the reference. */
static bool gate_again(struct prepared *prepared, const struct truth *truth,
                       const struct case_spec *spec, const struct evaluation *first,
                       struct verdict *verdict, struct error *error) {
    enum { MOST_RUNS = 24 };
    static const double cap_s = 0.01;
    const double start = clock_s();
    bool ran = true;
    for (int run = 0;
         ran && run < MOST_RUNS && clock_s() - start < cap_s && verdict->status == STATUS_OK;
         run++) {
        struct evaluation evaluation = { 0 };
        ran = prepared_enqueue(prepared, error) && prepared_collect(prepared, &evaluation, error);
        if (ran && !same_bits(first, &evaluation)) {
            compare(truth, spec, &evaluation, verdict);
        }
        evaluation_free(&evaluation);
    }
    if (ran && verdict->status != STATUS_OK) {
        say_when(verdict, "launched again: ");
    }
    return ran;
}

/* Two runs, both compared with the reference, and with each other bit by bit: what is right once
 * may race the second time. The first starts from NaN, so that nothing unwritten passes; the second
 * from zeros, so that a kernel that computes only where it finds NaN does not pass either. Then
 * more of them, over other outputs and as they are timed. */
static bool gate_runs(struct prepared *prepared, const struct truth *truth,
                      const struct case_spec *spec, struct verdict *verdict, struct error *error) {
    static const unsigned char before[2] = { GATE_POISON_BYTE, 0 };
    struct evaluation evaluations[2] = { { 0 }, { 0 } };
    bool ran = true;
    for (int run = 0; ran && run < 2 && verdict->status == STATUS_OK; run++) {
        ran = prepared_build(prepared, error) &&
              prepared_fill_outputs(prepared, before[run], error) &&
              prepared_enqueue(prepared, error) &&
              gate_outputs(prepared, truth, spec, verdict, &evaluations[run], error);
    }
    if (ran && evaluations[1].force) {
        verdict->bitwise_repeatable = same_bits(&evaluations[0], &evaluations[1]);
    }
    if (ran && verdict->status == STATUS_OK) {
        ran = gate_disturbed(prepared, truth, spec, verdict, error);
    }
    if (ran && verdict->status == STATUS_OK) {
        ran = gate_again(prepared, truth, spec, &evaluations[1], verdict, error);
    }
    evaluation_free(&evaluations[0]);
    evaluation_free(&evaluations[1]);
    return ran;
}

void session_check(struct session *session, const struct case_spec *spec, struct verdict *verdict) {
    struct error error;
    struct prepared *prepared = NULL;
    *verdict = verdict_of(STATUS_OK);
    const struct truth *truth = truth_for(session->store, spec, true, &error);
    if (!truth || !prepared_create(session->device, spec, BUILD_PLAIN, &truth->box, &truth->groups,
                                   truth->cutoff, &prepared, &error)) {
        verdict_stopped(verdict, &error);
        return;
    }
    if (!gate_runs(prepared, truth, spec, verdict, &error)) {
        verdict_stopped(verdict, &error);
    }
    prepared_free(prepared);
}

static void measurement_clear(struct measurement *measurement) {
    memset(measurement, 0, sizeof *measurement);
    measurement->verdict = verdict_of(STATUS_OK);
    measurement->n_a = -1;
    measurement->n_b = -1;
    measurement->density = NAN;
    measurement->cutoff = NAN;
    measurement->pairs_in_cutoff = -1;
    measurement->pairs_evaluated = -1;
    measurement->registers = -1;
    measurement->local_bytes = -1;
    measurement->force = (struct timing){ NAN, NAN, NAN, NAN, NAN, 0, "" };
    measurement->build_s_median = NAN;
    measurement->end_to_end_s_median = NAN;
    measurement->cold_force_s_median = NAN;
    measurement->percent_of_peak = NAN;
    measurement->samples_dropped = -1;
    measurement->short_kernel = -1;
    measurement->machine_load = NAN;
    measurement->state = (struct device_state){ NAN, NAN, NAN, NAN, "" };
}

static void describe_box(const struct case_spec *spec, const struct truth *truth,
                         struct measurement *measurement) {
    memcpy(measurement->box_kind, truth->box.kind, sizeof measurement->box_kind);
    memcpy(measurement->box_hash, truth->box_hash, sizeof measurement->box_hash);
    measurement->n = truth->box.n;
    measurement->density = truth->box.density;
    measurement->cutoff = truth->cutoff;
    if (case_is_coordination(spec)) {
        measurement->n_a = (int64_t)truth->groups.n_a;
        measurement->n_b = (int64_t)truth->groups.n_b;
    }
    if (truth->has_reference) {
        measurement->pairs_in_cutoff = (int64_t)truth->reference.pairs_in_cutoff;
    }
}

static void describe_program(const struct prepared *prepared, struct measurement *measurement) {
    const struct program *program = prepared_program(prepared);
    (void)snprintf(measurement->compiler_options, sizeof measurement->compiler_options, "%s",
                   program_options(program));
    program_hash(program, measurement->kernel_hash);
    prepared_resources(prepared, &measurement->registers, &measurement->local_bytes);
}

/* How many distances the variant computes and how often it applies the pair function, from a build
 * that counts. */
static bool count_pairs(struct session *session, const struct case_spec *spec,
                        const struct truth *truth, int64_t *distances, int64_t *pairs,
                        struct error *error) {
    struct prepared *counting = NULL;
    if (!prepared_create(session->device, spec, BUILD_COUNTING, &truth->box, &truth->groups,
                         truth->cutoff, &counting, error)) {
        return false;
    }
    bool counted = prepared_build(counting, error) && prepared_enqueue(counting, error) &&
                   prepared_counts(counting, distances, pairs, error);
    prepared_free(counting);
    return counted;
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

/* With transfers, which a coordination's users pay each time; judged like everything timed. */
static bool measure_end_to_end(struct session *session, const struct case_spec *spec,
                               const struct truth *truth, struct prepared *prepared,
                               struct measurement *measurement, struct error *error) {
    struct evaluation last = { 0 };
    if (!end_to_end_measure(session->device, prepared, &measurement->end_to_end_s_median, &last,
                            error)) {
        return false;
    }
    compare(truth, spec, &last, &measurement->verdict);
    evaluation_free(&last);
    if (measurement->verdict.status != STATUS_OK) {
        say_when(&measurement->verdict, "end to end: ");
    }
    return true;
}

/* Gate, time, gate again what the last timed launch left, and one launch more. */
static bool measure_prepared(struct session *session, const struct case_spec *spec,
                             const struct truth *truth, struct prepared *prepared,
                             const struct sampling *sampling, struct measurement *measurement,
                             struct error *error) {
    struct verdict *verdict = &measurement->verdict;
    struct evaluation last = { 0 };
    const struct sampler_source source = { .device = session->device,
                                           .prepared = prepared,
                                           .clocks = &session->clocks,
                                           .read_clock = device_read_clock,
                                           .read_state = device_read_state };
    if (!gate_runs(prepared, truth, spec, verdict, error)) {
        return false;
    }
    if (verdict->status != STATUS_OK) {
        return true;
    }
    /* Outputs that are not right yet: only a launch that is timed can make them so. */
    if (!prepared_disturb_outputs(prepared, error) ||
        !sampler_run(&source, sampling, measurement, error) ||
        !gate_outputs(prepared, truth, spec, verdict, &last, error)) {
        return false;
    }
    evaluation_free(&last);
    if (verdict->status == STATUS_OK && !gate_disturbed(prepared, truth, spec, verdict, error)) {
        return false;
    }
    if (verdict->status != STATUS_OK) {
        say_when(verdict, "after the timed launches: ");
        return true;
    }
    if (case_is_coordination(spec) &&
        !measure_end_to_end(session, spec, truth, prepared, measurement, error)) {
        return false;
    }
    measurement->timed = verdict->status == STATUS_OK;
    return true;
}

/* Operations of the distances computed and of the pair functions applied, over what the device
 * could have done; and whether the time is mostly that of launching. */
static void rate(struct session *session, const struct case_spec *spec, int64_t distances,
                 int64_t pairs, struct measurement *measurement) {
    const double operations = (double)distances * spec->interaction.flops_distance +
                              (double)pairs * spec->interaction.flops_pair;
    const struct device_rates *rates = session_rates(session);
    const double seconds = measurement->force.median_s;
    measurement->pairs_evaluated = distances > 0 ? distances : -1;
    if (distances > 0) {
        measurement->percent_of_peak =
            100 * operations / seconds / peaks_operations_per_s(&rates->peaks, spec->precision);
    }
    if (rates->launch_overhead_s > 0) {
        measurement->short_kernel = seconds < SHORT_IN_OVERHEADS * rates->launch_overhead_s;
    }
}

static bool measure_case(struct session *session, const struct case_spec *spec,
                         const struct sampling *sampling, struct measurement *measurement,
                         struct error *error) {
    struct prepared *prepared = NULL;
    int64_t distances;
    int64_t pairs;
    const struct truth *truth = truth_for(session->store, spec, true, error);
    if (!truth) {
        return false;
    }
    describe_box(spec, truth, measurement);
    if (!prepared_create(session->device, spec, BUILD_PLAIN, &truth->box, &truth->groups,
                         truth->cutoff, &prepared, error)) {
        return false;
    }
    describe_program(prepared, measurement);
    bool measured = measure_prepared(session, spec, truth, prepared, sampling, measurement, error);
    prepared_free(prepared);
    if (!measured || !measurement->timed) {
        return measured;
    }
    if (!count_pairs(session, spec, truth, &distances, &pairs, error)) {
        return false;
    }
    rate(session, spec, distances, pairs, measurement);
    return true;
}

void session_measure(struct session *session, const struct case_spec *spec,
                     const struct sampling *sampling, struct measurement *measurement) {
    struct error error;
    measurement_clear(measurement);
    if (!measure_case(session, spec, sampling, measurement, &error)) {
        measurement->timed = false;
        verdict_stopped(&measurement->verdict, &error);
    }
}
