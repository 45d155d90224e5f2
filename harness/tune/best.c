#include "tune/best.h"

#include "base/error.h"
#include "base/statistics.h"
#include "run/campaign_signals.h"
#include "system/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A tuned variant is timed in turns with the fastest where it takes no more than this of its time.
 */
static const double finalist_within = 1.25;

/* One answer being found. */
struct finding {
    const struct tuning_sweep *sweep;
    const struct campaign_measurer *measurer;
    const struct best_effort *effort;
    struct best_answer *answer;
};

/* ---- which questions are of one case ---- */

bool best_is_same_case(const struct tuning_sweep *sweep, size_t one, size_t other) {
    char ids[2][HASH_TEXT_SIZE];
    const size_t questions[2] = { one, other };
    const struct variant *variant = sweep->plan.cases[sweep->questions[one].first].variant;
    for (int k = 0; k < 2; k++) {
        struct case_spec spec = sweep->plan.cases[sweep->questions[questions[k]].first];
        if (spec.variant->workload != variant->workload) {
            return false;
        }
        spec.variant = variant;
        case_preset_tunings(&spec);
        case_id(&spec, ids[k]);
    }
    return strcmp(ids[0], ids[1]) == 0;
}

static bool list_candidates(struct finding *finding, size_t first, struct error *error) {
    const struct tuning_sweep *sweep = finding->sweep;
    struct best_answer *answer = finding->answer;
    answer->candidates = calloc(sweep->count - first, sizeof *answer->candidates);
    if (!answer->candidates) {
        return fail_out_of_memory(error, "the variants");
    }
    for (size_t q = first; q < sweep->count; q++) {
        if (best_is_same_case(sweep, first, q)) {
            answer->candidates[answer->count++] = (struct best_candidate){
                .question = q, .preset_s = NAN, .median_s = NAN, .least_s = NAN, .most_s = NAN
            };
        }
    }
    return true;
}

/* ---- order ---- */

static int compare_candidates(const void *left, const void *right) {
    const struct best_candidate *a = left;
    const struct best_candidate *b = right;
    if (a->state != b->state) {
        return (a->state < b->state) - (a->state > b->state);
    }
    return (a->median_s > b->median_s) - (a->median_s < b->median_s);
}

static void sort(struct best_answer *answer) {
    qsort(answer->candidates, answer->count, sizeof *answer->candidates, compare_candidates);
}

static double fastest_of(const struct best_answer *answer) {
    double fastest = INFINITY;
    for (size_t c = 0; c < answer->count; c++) {
        fastest = fmin(fastest, answer->candidates[c].median_s); /* NaN: the other one */
    }
    return fastest;
}

/* ---- the three rounds ---- */

static void time_presets(struct finding *finding) {
    struct best_answer *answer = finding->answer;
    for (size_t c = 0; c < answer->count && !campaign_signals_noted(); c++) {
        struct best_candidate *candidate = &answer->candidates[c];
        const size_t preset = finding->sweep->questions[candidate->question].first;
        const struct case_spec *spec = &finding->sweep->plan.cases[preset];
        if (strcmp(spec->variant->structure, "none") == 0 &&
            spec->box.n > finding->effort->max_all_pairs) {
            continue;
        }
        const struct tuning_time time =
            tuning_measure(finding->sweep, preset, finding->measurer, &finding->effort->tuning);
        candidate->status = time.status;
        candidate->preset_s = candidate->median_s = time.seconds;
        candidate->state = isnan(time.seconds) ? BEST_FAILED : BEST_BEHIND;
        answer->wrong += tuning_is_wrong(time.status);
    }
    sort(answer);
}

/* The fastest first, so that a budget that runs out leaves out those that are behind. */
static bool tune_promising(struct finding *finding, struct error *error) {
    struct best_answer *answer = finding->answer;
    const double limit = finding->effort->within * fastest_of(answer);
    const double end_s = clock_s() + finding->effort->tune_s;
    size_t promising = 0;
    while (promising < answer->count && answer->candidates[promising].median_s <= limit) {
        promising++;
    }
    for (size_t c = 0; c < promising && !campaign_signals_noted(); c++) {
        struct best_candidate *candidate = &answer->candidates[c];
        if (!tuning_answer(finding->sweep, candidate->question, finding->measurer,
                           &finding->effort->tuning, end_s, promising - c, &candidate->tuned,
                           error)) {
            return false;
        }
        answer->wrong += candidate->tuned.wrong;
        const bool passed = candidate->tuned.outcome == TUNING_KEPT_PRESET ||
                            candidate->tuned.outcome == TUNING_BETTER;
        candidate->state = passed ? BEST_TUNED : BEST_FAILED;
        candidate->median_s = !passed ? NAN
                              : candidate->tuned.outcome == TUNING_BETTER
                                  ? candidate->tuned.best_s
                                  : candidate->tuned.preset_s;
        candidate->status = passed ? STATUS_OK : STATUS_WRONG; /* it had passed before */
    }
    sort(answer);
    return true;
}

static size_t count_finalists(const struct best_answer *answer) {
    size_t finalists = 0;
    while (finalists < answer->count && finalists < BEST_MAX_FINALISTS &&
           answer->candidates[finalists].state == BEST_TUNED &&
           (finalists < 2 || answer->candidates[finalists].median_s <=
                                 finalist_within * answer->candidates[0].median_s)) {
        finalists++;
    }
    return finalists;
}

static void conclude_turns(struct best_candidate *candidate, double seconds[BEST_TURNS]) {
    bool all = true;
    for (int t = 0; t < BEST_TURNS; t++) {
        all = all && seconds[t] > 0;
    }
    if (!all) {
        candidate->state = BEST_FAILED;
        candidate->median_s = NAN;
        return;
    }
    sort_numbers(seconds, BEST_TURNS);
    candidate->state = BEST_FINALIST;
    candidate->least_s = seconds[0];
    candidate->median_s = seconds[BEST_TURNS / 2];
    candidate->most_s = seconds[BEST_TURNS - 1];
}

/* In turns, each turn beginning with another: what drifts with time meets all alike. */
static void time_in_turns(struct finding *finding) {
    struct best_answer *answer = finding->answer;
    double seconds[BEST_MAX_FINALISTS][BEST_TURNS] = { { 0 } }; /* 0: not timed, or failed */
    const size_t finalists = count_finalists(answer);
    for (size_t t = 0; t < BEST_TURNS && !campaign_signals_noted(); t++) {
        for (size_t k = 0; k < finalists && !campaign_signals_noted(); k++) {
            const size_t c = (k + t) % finalists;
            struct best_candidate *candidate = &answer->candidates[c];
            const struct tuning_time time =
                tuning_measure(finding->sweep, candidate->tuned.best_case, finding->measurer,
                               &finding->effort->tuning);
            seconds[c][t] = isnan(time.seconds) ? 0 : time.seconds;
            candidate->status = isnan(time.seconds) ? time.status : candidate->status;
            answer->wrong += tuning_is_wrong(time.status);
        }
    }
    for (size_t c = 0; c < finalists && !campaign_signals_noted(); c++) {
        conclude_turns(&answer->candidates[c], seconds[c]);
        answer->finalists += answer->candidates[c].state == BEST_FINALIST;
    }
    sort(answer);
}

static bool is_sure(const struct best_answer *answer) {
    for (size_t c = 1; c < answer->finalists; c++) {
        if (answer->candidates[0].most_s >= answer->candidates[c].least_s) {
            return false;
        }
    }
    return answer->finalists > 0;
}

bool best_find(const struct tuning_sweep *sweep, size_t first,
               const struct campaign_measurer *measurer, const struct best_effort *effort,
               struct best_answer *answer, struct error *error) {
    struct finding finding = { sweep, measurer, effort, answer };
    *answer = (struct best_answer){ 0 };
    if (!list_candidates(&finding, first, error)) {
        return false;
    }
    time_presets(&finding);
    if (!tune_promising(&finding, error)) {
        best_free(answer);
        return false;
    }
    time_in_turns(&finding);
    answer->interrupted = campaign_signals_noted() != 0;
    answer->sure = is_sure(answer);
    return true;
}

void best_free(struct best_answer *answer) {
    free(answer->candidates);
    *answer = (struct best_answer){ 0 };
}
