/* Judges one kernel: checks all its cases, then times it and its baseline in turns. */
#include "commands/search/search.h"

#include "campaign/plan/plan.h"
#include "core/quantity.h"
#include "core/statistics.h"
#include "measure/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double kernel_confidence = 0.95;

/* The state of one judgement. */
struct judging_state {
    const struct kernel_judging *judging;
    struct kernel_verdict *verdict;
    struct measurement *measurement;
    double *times; /* per case and turn the kernel's and the baseline's */
    struct device_rates rates;
};

/* ---- which cases ---- */

/* The id of the case as if it were of `variant` with that variant's presets. */
static void id_without_variant(const struct case_spec *from, const struct variant *variant,
                               char id[HASH_TEXT_SIZE]) {
    struct case_spec spec = *from;
    spec.variant = variant;
    case_preset_tunings(&spec);
    case_id(&spec, id);
}

/* The case of the baseline that does the same; SIZE_MAX: there is none. */
static size_t find_baseline(const struct kernel_judging *judging, size_t index) {
    const struct case_spec *cases = judging->plan->cases;
    char wanted[HASH_TEXT_SIZE];
    id_without_variant(&cases[index], cases[index].variant, wanted);
    for (size_t i = 0; i < judging->hidden_from; i++) {
        char id[HASH_TEXT_SIZE];
        if (strcmp(cases[i].variant->name, judging->baseline) == 0) {
            id_without_variant(&cases[i], cases[index].variant, id);
            if (strcmp(id, wanted) == 0) {
                return i;
            }
        }
    }
    return SIZE_MAX;
}

static bool list_cases(struct judging_state *state, struct error *error) {
    const struct kernel_judging *judging = state->judging;
    const struct plan *plan = judging->plan;
    struct kernel_verdict *verdict = state->verdict;
    verdict->cases = memory_zeroed(plan->count + 1, sizeof *verdict->cases);
    state->measurement = memory_zeroed(1, sizeof *state->measurement);
    state->times = memory_zeroed((plan->count + 1) * 2 * KERNEL_MAX_TURNS, sizeof *state->times);
    for (size_t i = 0; i < plan->count; i++) {
        const bool hidden = i >= judging->hidden_from;
        struct kernel_case *next = &verdict->cases[verdict->count];
        if (strcmp(plan->cases[i].variant->name, judging->kernel) != 0) {
            continue;
        }
        *next = (struct kernel_case){ .spec = &plan->cases[i],
                                      .hidden = hidden,
                                      .index = i,
                                      .baseline = SIZE_MAX,
                                      .seconds = NAN,
                                      .baseline_seconds = NAN,
                                      .arithmetic_s = NAN,
                                      .copied_s = NAN,
                                      .percent_of_peak = NAN,
                                      .percent_of_roof = NAN };
        if (!hidden && judging->baseline &&
            (next->baseline = find_baseline(judging, i)) == SIZE_MAX) {
            return fail(error, STATUS_BAD_INPUT,
                        "--baseline: %s has no case such as those of %s: another precision, or "
                        "outputs that it does not have",
                        judging->baseline, judging->kernel);
        }
        verdict->count++;
    }
    return true;
}

/* ---- right or wrong ---- */

/* Whether the other cases are not worth trying: they would fail likewise, or take a deadline each.
 */
static bool ends_judging(enum status status) {
    return status == STATUS_COMPILE_ERROR || status == STATUS_TIMEOUT || status == STATUS_SYSTEM;
}

static void take_verdict(struct kernel_verdict *all, struct kernel_case *judged,
                         const struct verdict *verdict) {
    if (!status_failed(judged->verdict.status)) {
        const int64_t pairs = judged->verdict.pairs_in_cutoff; /* the first alone has it */
        judged->verdict = *verdict;
        judged->verdict.pairs_in_cutoff =
            verdict->pairs_in_cutoff >= 0 ? verdict->pairs_in_cutoff : pairs;
    }
    if (status_failed(verdict->status) && !status_failed(all->status)) {
        all->status = verdict->status;
    }
    if (verdict->status == STATUS_OK && verdict->bitwise_repeatable >= 0) {
        all->repeatable = verdict->bitwise_repeatable && all->repeatable != 0;
    }
}

static void check_cases(struct judging_state *state) {
    struct kernel_verdict *all = state->verdict;
    bool ran = false;
    bool has_pairs = false; /* else forces are zero, whatever a kernel does with pairs */
    for (size_t c = 0; c < all->count; c++) {
        all->cases[c].verdict = verdict_of(STATUS_UNSUPPORTED);
    }
    for (size_t c = 0; c < all->count && !signals_noted() && !ends_judging(all->status); c++) {
        struct verdict verdict;
        worker_check(state->judging->worker, all->cases[c].index, &verdict);
        const bool cannot_be = verdict.box_overflows || verdict.status == STATUS_BAD_INPUT;
        if (all->cases[c].hidden && cannot_be) { /* a box that nobody asked for */
            verdict = verdict_of(STATUS_UNSUPPORTED);
        }
        take_verdict(all, &all->cases[c], &verdict);
        ran = ran || verdict.status != STATUS_UNSUPPORTED;
        has_pairs = has_pairs || all->cases[c].verdict.pairs_in_cutoff != 0;
    }
    all->status = ran && (has_pairs || all->status != STATUS_OK) ? all->status : STATUS_UNSUPPORTED;
}

/* ---- time ---- */

static double *time_of(struct judging_state *state, size_t c, bool baseline) {
    return state->times + (2 * c + baseline) * KERNEL_MAX_TURNS;
}

static bool is_timed(const struct judging_state *state, size_t c) {
    const struct kernel_case *judged = &state->verdict->cases[c];
    return !judged->hidden && judged->verdict.status == STATUS_OK;
}

/* Positions read once and forces written once: the least that there can be (the roofline of `plot`
 * has the same). */
static double least_bytes(const struct case_spec *spec, size_t n) {
    const struct numeric numeric = precision_numeric(spec->precision);
    return (double)n *
           (double)(4 * format_bytes(numeric.position) + 3 * format_bytes(numeric.accumulation));
}

static void rate_case(const struct judging_state *state, struct kernel_case *judged) {
    const struct measurement *measurement = state->measurement;
    judged->arithmetic_s = 0.01 * measurement->percent_of_peak * measurement->force.median_s;
    judged->copied_s =
        least_bytes(judged->spec, measurement->n) / state->rates.peaks.copy_bytes_per_s;
}

/* False: the baseline failed. */
static bool time_case(struct judging_state *state, size_t c, bool baseline, int turn,
                      struct error *error) {
    const struct kernel_judging *judging = state->judging;
    struct kernel_verdict *all = state->verdict;
    struct kernel_case *judged = &all->cases[c];
    struct measurement *measurement = state->measurement;
    worker_measure(baseline ? judging->baseline_worker : judging->worker,
                   baseline ? judged->baseline : judged->index, &judging->sampling, measurement);
    if (signals_noted()) {
        return true;
    }
    all->machine_load = fmax(all->machine_load, measurement->machine_load);
    if (measurement->timed) {
        time_of(state, c, baseline)[turn] = measurement->force.median_s;
    }
    if (baseline) {
        return measurement->timed ||
               fail(error, STATUS_BAD_INPUT, "--baseline: %s is no measure: %s: %s",
                    judging->baseline, status_name(measurement->verdict.status),
                    measurement->verdict.message);
    }
    take_verdict(all, judged, &measurement->verdict);
    if (measurement->timed) {
        rate_case(state, judged);
    }
    return true;
}

/* Times one turn of kernel and baseline; turns alternate in which comes first. */
static bool time_turn(struct judging_state *state, int turn, struct error *error) {
    struct kernel_verdict *all = state->verdict;
    const bool compared = state->judging->baseline != NULL;
    for (size_t c = 0; c < all->count && all->status == STATUS_OK; c++) {
        for (int k = 0; k < (compared ? 2 : 1) && is_timed(state, c); k++) {
            const bool baseline = compared && (k + turn) % 2 != 0;
            if (signals_noted()) {
                return true;
            }
            if (!time_case(state, c, baseline, turn, error)) {
                return false;
            }
        }
    }
    return true;
}

void kernel_interval(const double *log_ratios, int turns, double *ratio, double *low,
                     double *high) {
    double mean = 0, squares = 0;
    for (int t = 0; t < turns; t++) {
        mean += log_ratios[t] / turns;
    }
    for (int t = 0; t < turns; t++) {
        squares += (log_ratios[t] - mean) * (log_ratios[t] - mean);
    }
    const double reach = turns < 2 ? INFINITY
                                   : student_quantile((1 - kernel_confidence) / 2, turns - 1) *
                                         sqrt(squares / (turns - 1) / turns);
    *ratio = exp(mean);
    *low = exp(mean - reach);
    *high = exp(mean + reach);
}

static void compare_speed(struct judging_state *state) {
    struct kernel_verdict *all = state->verdict;
    const int turns = state->judging->turns;
    double ratios[KERNEL_MAX_TURNS] = { 0 };
    size_t compared = 0;
    for (size_t c = 0; c < all->count; c++) {
        compared += is_timed(state, c);
    }
    for (size_t c = 0; c < all->count && compared > 0; c++) {
        for (int t = 0; t < turns && is_timed(state, c); t++) {
            ratios[t] +=
                log(time_of(state, c, true)[t] / time_of(state, c, false)[t]) / (double)compared;
        }
    }
    if (compared > 0) {
        kernel_interval(ratios, turns, &all->ratio, &all->low, &all->high);
        all->speed = all->low > 1    ? KERNEL_FASTER
                     : all->high < 1 ? KERNEL_SLOWER
                                     : KERNEL_UNDECIDED;
    }
}

static double geometric_mean(const double *times, int count) {
    double sum = 0;
    for (int t = 0; t < count; t++) {
        sum += log(times[t]);
    }
    return exp(sum / count);
}

/* Geometric means, so that the quotient of the two times that are shown is the ratio. */
static void take_times(struct judging_state *state) {
    const int turns = state->judging->turns;
    for (size_t c = 0; c < state->verdict->count; c++) {
        struct kernel_case *judged = &state->verdict->cases[c];
        if (!is_timed(state, c)) {
            continue;
        }
        judged->seconds = geometric_mean(time_of(state, c, false), turns);
        if (judged->arithmetic_s > 0) {
            judged->percent_of_peak = 100 * judged->arithmetic_s / judged->seconds;
            judged->percent_of_roof =
                100 * fmax(judged->arithmetic_s, judged->copied_s) / judged->seconds; /* NaN: one */
        }
        if (state->judging->baseline) {
            judged->baseline_seconds = geometric_mean(time_of(state, c, true), turns);
        }
    }
}

/* Times all cases in turns; if a case fails in a later turn, no time counts. */
static bool time_cases(struct judging_state *state, struct error *error) {
    struct kernel_verdict *all = state->verdict;
    struct error ignored;
    if (!worker_rates(state->judging->worker, &state->rates, &ignored)) {
        state->rates.peaks.copy_bytes_per_s = NAN;
    }
    for (int turn = 0; turn < state->judging->turns; turn++) {
        if (!time_turn(state, turn, error)) {
            return false;
        }
    }
    if (all->status == STATUS_OK && !signals_noted()) {
        take_times(state);
        if (state->judging->baseline) {
            compare_speed(state);
        }
    }
    return true;
}

/* ---- all of it ---- */

/* A worker may find only after cases passed that the kernel damages its process. */
static void take_blame(struct judging_state *state) {
    const char *words = worker_blame(state->judging->worker, 0);
    struct kernel_verdict *all = state->verdict;
    if (words && all->count > 0) {
        struct verdict verdict = verdict_of(STATUS_CRASHED);
        (void)snprintf(verdict.message, sizeof verdict.message, "%s", words);
        take_verdict(all, &all->cases[0], &verdict);
    }
}

bool kernel_verdict_find(const struct kernel_judging *judging, struct kernel_verdict *verdict,
                         struct error *error) {
    struct judging_state state = { .judging = judging, .verdict = verdict };
    *verdict = (struct kernel_verdict){
        .repeatable = -1, .ratio = NAN, .low = NAN, .high = NAN, .machine_load = NAN
    };
    bool found = list_cases(&state, error);
    if (found) {
        check_cases(&state);
        found = verdict->status != STATUS_OK || time_cases(&state, error);
    }
    take_blame(&state);
    verdict->interrupted = signals_noted() != 0;
    free(state.measurement);
    free(state.times);
    return found;
}

void kernel_verdict_free(struct kernel_verdict *verdict) {
    free(verdict->cases);
    *verdict = (struct kernel_verdict){ 0 };
}
