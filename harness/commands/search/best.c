/* Finds the fastest variant of a case: times all at their presets, the likeliest first, tunes those
 * near the fastest, times these again in turns, and says how sure the answer is. */
#include "commands/search/search.h"

#include "campaign/plan/plan.h"
#include "core/embedded.h"
#include "core/error.h"
#include "core/host.h"
#include "core/strings.h"
#include "devices/machine/machine_watch.h"
#include "measure/program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Variants that take at most so many times the fastest's time are timed again in turns with it. */
static const double finalist_within = 1.25;
/* If two times of the same tunables differ by more than this factor, the machine has changed. */
static const double agree_within = 1.25;
/* The share of the budget after which timing presets ends. */
static const double presets_share = 0.5;
enum { LEAST_TURNS = 3, MAX_ENTRIES = 2 * BEST_MAX_FINALISTS };

/* One answer being found. */
struct finding {
    const struct tuning_sweep *sweep;
    const struct campaign_measurer *measurer;
    const struct best_effort *effort;
    struct best_answer *answer;
    int64_t pairs; /* within the cutoff; -1: not known yet */
    /* What timing presets has taken: all of them, the quickest, and the slowest but for the first,
     * which has the reference to compute, too. */
    double presets_s, quickest_s, slowest_s;
    double before_s; /* what the budget had lost before: to measuring how long lists last */
};

static const struct case_spec *case_of(const struct finding *finding,
                                       const struct best_candidate *candidate) {
    const struct tuning_sweep *sweep = finding->sweep;
    return &sweep->plan.cases[sweep->questions[candidate->question].first];
}

static bool walks_all_pairs(const struct finding *finding, const struct best_candidate *candidate) {
    return strcmp(case_of(finding, candidate)->variant->structure, "none") == 0;
}

/* The time at which this share of the budget is spent. */
static double end_of(const struct finding *finding, double share) {
    const struct best_effort *effort = finding->effort;
    return isinf(effort->end_s) ? effort->end_s
                                : effort->began_s + share * (effort->end_s - effort->began_s);
}

static void show(const struct finding *finding, const char *what, size_t done, size_t total) {
    if (finding->effort->show) {
        finding->effort->show(finding->effort->context, what, done, total);
    }
}

static struct tuning_time measure(struct finding *finding, size_t case_index) {
    const struct tuning_time time =
        tuning_measure(finding->sweep, case_index, finding->measurer, &finding->effort->tuning);
    finding->answer->wrong += tuning_is_wrong(time.status);
    finding->pairs = time.pairs >= 0 ? time.pairs : finding->pairs;
    return time;
}

/* ---- how likely each is to be the fastest, as recorded rows say ---- */

/* A line of the order: of a class of devices at one N. */
struct order {
    char device[8];
    double n;
    const char *names; /* separated by blanks, up to the end of the line */
};

static bool read_order(const char *line, struct order *order) {
    int names_at = 0;
    const bool read =
        sscanf(line, "%7[a-z] %lf %n", order->device, &order->n, &names_at) == 2 && names_at > 0;
    order->names = line + names_at;
    return read && order->n > 0;
}

/* The line whose N is nearest by ratio; NULL names: there is none of the class. */
static struct order nearest_order(const char *device, size_t n) {
    struct order nearest = { .names = NULL };
    double least = INFINITY;
    for (const char *line = embedded_text("share/presets/likely.txt"); *line;
         line = line_after(line)) {
        struct order order;
        if (!read_order(line, &order) || strcmp(order.device, device) != 0) {
            continue;
        }
        const double distance = fabs(log((double)n / order.n));
        if (distance < least) {
            least = distance;
            nearest = order;
        }
    }
    return nearest;
}

/* The place of a name in the list, from 1; BEST_UNLISTED: it is not there. */
static size_t place_of(const char *name, const char *names) {
    size_t place = 1;
    for (const char *word = names; *word && *word != '\n'; place++) {
        const size_t length = strcspn(word, " \n");
        if (is_spelt(word, length, name)) {
            return place;
        }
        word += length;
        word += strspn(word, " ");
    }
    return BEST_UNLISTED;
}

size_t best_place(const struct case_spec *spec, bool is_processor) {
    const struct variant *forces =
        spec->variant->forces.variant ? spec->variant->forces.variant : spec->variant;
    const struct order order = nearest_order(is_processor ? "cpu" : "gpu", spec->box.n);
    const size_t place = order.names ? place_of(forces->name, order.names) : BEST_UNLISTED;
    const bool is_own = !embedded_original(spec->variant->path);
    return place == BEST_UNLISTED && is_own ? 0 : place;
}

/* ---- which questions are of one case ---- */

bool best_is_same_case(const struct tuning_sweep *sweep, size_t one, size_t other) {
    char ids[2][HASH_TEXT_SIZE];
    const size_t questions[2] = { one, other };
    const struct case_spec *first = &sweep->plan.cases[sweep->questions[one].first];
    for (int k = 0; k < 2; k++) {
        struct case_spec spec = sweep->plan.cases[sweep->questions[questions[k]].first];
        if (spec.variant->workload != first->variant->workload) {
            return false;
        }
        spec.variant = first->variant;
        spec.step = (struct step_rules){ .dt = spec.step.dt, .steps = spec.step.steps };
        if (spec.long_range.variant && first->long_range.variant) {
            spec.long_range.variant = first->long_range.variant;
            spec.long_range.tunings = first->long_range.tunings;
            spec.long_range.streams = first->long_range.streams;
            spec.long_range.in_float = first->long_range.in_float;
        }
        case_preset_tunings(&spec);
        case_id(&spec, ids[k]);
    }
    return strcmp(ids[0], ids[1]) == 0;
}

static bool takes_part(const struct finding *finding, size_t question) {
    const struct best_effort *effort = finding->effort;
    const struct tuning_sweep *sweep = finding->sweep;
    return !effort->takes ||
           effort->takes(effort->context, &sweep->plan.cases[sweep->questions[question].first]);
}

/* Whether it can be timed, or why it is skipped. */
static enum best_state first_state(const struct finding *finding,
                                   const struct best_candidate *candidate) {
    const struct case_spec *spec = case_of(finding, candidate);
    return spec->variant->needs_cuda && !finding->effort->has_cuda ? BEST_NEEDS_CUDA
           : walks_all_pairs(finding, candidate) && spec->box.n > finding->effort->max_all_pairs
               ? BEST_TOO_LARGE
               : BEST_NOT_TIMED;
}

static bool list_candidates(struct finding *finding, size_t first, struct error *error) {
    const struct tuning_sweep *sweep = finding->sweep;
    struct best_answer *answer = finding->answer;
    answer->candidates = memory_zeroed(sweep->count - first, sizeof *answer->candidates);
    for (size_t q = first; q < sweep->count; q++) {
        if (takes_part(finding, q) && best_is_same_case(sweep, first, q)) {
            struct best_candidate *candidate = &answer->candidates[answer->count++];
            *candidate = (struct best_candidate){ .question = q,
                                                  .state = BEST_NOT_TIMED,
                                                  .first_s = NAN,
                                                  .preset_s = NAN,
                                                  .time = tuning_time_none(),
                                                  .least_s = NAN,
                                                  .most_s = NAN,
                                                  .machine_load = NAN };
            candidate->case_index = sweep->questions[q].first;
            candidate->state = first_state(finding, candidate);
            candidate->place =
                best_place(case_of(finding, candidate), finding->effort->is_processor);
        }
    }
    return answer->count > 0 ||
           fail(error, STATUS_BAD_INPUT, "no chosen variant has the integrator of this box");
}

/* ---- order ---- */

static size_t count_state(const struct best_answer *answer, enum best_state state) {
    size_t count = 0;
    for (size_t c = 0; c < answer->count; c++) {
        count += answer->candidates[c].state == state;
    }
    return count;
}

static int compare_candidates(const void *left, const void *right) {
    const struct best_candidate *a = left;
    const struct best_candidate *b = right;
    if (isnan(a->time.seconds) || isnan(b->time.seconds)) {
        const int later = isnan(a->time.seconds) - isnan(b->time.seconds);
        return later ? later : (a->state < b->state) - (a->state > b->state);
    }
    return (a->time.seconds > b->time.seconds) - (a->time.seconds < b->time.seconds);
}

static void sort(struct best_answer *answer) {
    qsort(answer->candidates, answer->count, sizeof *answer->candidates, compare_candidates);
    answer->passed = 0;
    while (answer->passed < answer->count &&
           !isnan(answer->candidates[answer->passed].time.seconds)) {
        answer->passed++;
    }
}

/* ---- presets ---- */

/* The least time that a structure's variants have taken so far; 0: none was tried. */
static double time_of_structure(const struct finding *finding, const char *structure) {
    const struct best_answer *answer = finding->answer;
    double least = 0;
    for (size_t c = 0; c < answer->count; c++) {
        const struct best_candidate *candidate = &answer->candidates[c];
        if (candidate->state >= BEST_FAILED &&
            strcmp(case_of(finding, candidate)->variant->structure, structure) == 0) {
            const double seconds = candidate->preset_s; /* NaN: it failed */
            least = isnan(seconds) ? (least > 0 ? least : INFINITY)
                    : least > 0    ? fmin(least, seconds)
                                   : seconds;
        }
    }
    return least;
}

/* The likeliest; of those that nobody knows one of each structure, all pairs last, then of the
 * structure that was fastest. NULL: all are timed. */
static struct best_candidate *next_to_time(const struct finding *finding) {
    struct best_answer *answer = finding->answer;
    struct best_candidate *next = NULL;
    double least = INFINITY;
    for (size_t c = 0; c < answer->count; c++) {
        struct best_candidate *candidate = &answer->candidates[c];
        if (candidate->state != BEST_NOT_TIMED) {
            continue;
        }
        double rank = time_of_structure(finding, case_of(finding, candidate)->variant->structure);
        rank = rank == 0 && walks_all_pairs(finding, candidate) ? 1e-30 : rank;
        if (!next || candidate->place < next->place ||
            (candidate->place == next->place && rank < least)) {
            next = candidate;
            least = rank;
        }
    }
    return next;
}

static void note_cost(struct finding *finding, double seconds) {
    const bool is_first = finding->answer->timed == 0;
    finding->presets_s += seconds;
    finding->quickest_s = is_first ? seconds : fmin(finding->quickest_s, seconds);
    finding->slowest_s = is_first ? 0 : fmax(finding->slowest_s, seconds);
}

/* Times a candidate at its presets. One that a signal interrupts stays untimed. */
static void time_preset(struct finding *finding, struct best_candidate *candidate) {
    const double began_s = clock_s();
    const struct tuning_time time =
        measure(finding, finding->sweep->questions[candidate->question].first);
    if (signals_noted()) {
        return;
    }
    note_cost(finding, clock_s() - began_s);
    finding->answer->timed++;
    candidate->time = time;
    candidate->status = time.status;
    candidate->first_s = candidate->preset_s = time.seconds;
    candidate->state = isnan(time.seconds) ? BEST_FAILED : BEST_BEHIND;
}

/* All that may be timed: a compiler takes longer than a GPU for what a preset asks of it. */
static void compile_presets(const struct finding *finding) {
    const struct best_answer *answer = finding->answer;
    size_t *cases = memory_zeroed(answer->count + 1, sizeof *cases);
    size_t count = 0;
    for (size_t c = 0; c < answer->count; c++) {
        if (answer->candidates[c].state == BEST_NOT_TIMED) {
            cases[count++] = answer->candidates[c].case_index;
        }
    }
    if (finding->measurer->compile && !finding->effort->is_processor) {
        show(finding, "compiling", 0, count);
        count = plan_choose_kernels(&finding->sweep->plan, cases, count);
        finding->measurer->compile(finding->measurer->context, cases, count);
    }
    free(cases);
}

/* Times presets until `end_s`. The next is begun if there is time for half of what the quickest so
 * far cost. */
static void time_presets(struct finding *finding, double end_s) {
    struct best_answer *answer = finding->answer;
    const size_t count = answer->timed + count_state(answer, BEST_NOT_TIMED);
    for (struct best_candidate *next = next_to_time(finding);
         next && finding->pairs != 0 && !signals_noted(); next = next_to_time(finding)) {
        if (answer->timed > 0 && clock_s() + 0.5 * finding->quickest_s > end_s) {
            break;
        }
        show(finding, case_of(finding, next)->variant->name, answer->timed, count);
        time_preset(finding, next);
    }
    answer->untimed = count_state(answer, BEST_NOT_TIMED);
    sort(answer);
}

/* A budget within which all are timed at their presets before any is tuned, in whole half minutes:
 * more than there was. The likeliest came first, so the others take as long as the slowest. */
static double find_enough(const struct finding *finding) {
    const struct best_answer *answer = finding->answer;
    const struct best_effort *effort = finding->effort;
    const double each_s = finding->slowest_s > 0 ? finding->slowest_s : finding->quickest_s;
    const double needed_s =
        (finding->before_s + finding->presets_s + (double)answer->untimed * each_s) / presets_share;
    const double had_s = effort->end_s - effort->began_s;
    return 30 * fmax(ceil(needed_s / 30), floor(had_s / 30) + 1);
}

/* ---- tunables ---- */

/* Takes over what tuning found: nothing if there was time for the preset alone. */
static void take_tuned(struct best_candidate *candidate) {
    const struct tuning_result *tuned = &candidate->tuned;
    const bool passed = tuned->outcome == TUNING_KEPT_PRESET || tuned->outcome == TUNING_BETTER;
    if (tuned->outcome == TUNING_INTERRUPTED ||
        (passed && tuned->tried < 2 && tuned->combinations > 1)) {
        return;
    }
    candidate->state = passed ? BEST_TUNED : BEST_FAILED;
    candidate->preset_s = tuned->preset_s; /* at the time of its tunables */
    candidate->time = passed ? tuned->time : tuning_time_none();
    candidate->case_index = tuned->best_case;
    candidate->status = passed ? STATUS_OK : STATUS_WRONG; /* it had passed before */
}

/* Marks candidates within reach of the fastest; returns how many of them wait to be tuned. */
static size_t mark_promising(const struct finding *finding) {
    const struct best_answer *answer = finding->answer;
    const double limit =
        answer->passed > 0 ? finding->effort->within * answer->candidates[0].time.seconds : 0;
    for (size_t c = 0; c < answer->passed && answer->candidates[c].time.seconds <= limit; c++) {
        if (answer->candidates[c].state == BEST_BEHIND) {
            answer->candidates[c].state = BEST_NOT_TUNED;
        }
    }
    return count_state(answer, BEST_NOT_TUNED);
}

/* What timing a case costs, about; 0: none was timed. */
static double mean_cost(const struct finding *finding) {
    const size_t timed = finding->answer->timed;
    return timed > 0 ? finding->presets_s / (double)timed : 0;
}

/* Among how many of the waiting variants the time until `end_s` is divided: four at most, and so
 * few that each can try two combinations and time the better one in turns with the preset. 0: there
 * is no time for any. */
static size_t shares_until(const struct finding *finding, double end_s, size_t waiting) {
    enum { MOST_SHARES = 4, LEAST_TIMES = 8 };
    const double room = (end_s - clock_s()) / (LEAST_TIMES * mean_cost(finding));
    const size_t most = waiting < MOST_SHARES ? waiting : MOST_SHARES;
    return room < (double)most ? (size_t)fmax(room, 0) : most;
}

/* Tunes the fastest first. Each gets a quarter of the time that is left, or an equal share if that
 * is more; so a small budget skips those that are behind. */
static void tune_promising(struct finding *finding, double end_s) {
    struct best_answer *answer = finding->answer;
    const size_t promising = mark_promising(finding);
    size_t done = 0;
    for (size_t c = 0; c < answer->passed && clock_s() < end_s && !signals_noted(); c++) {
        struct best_candidate *candidate = &answer->candidates[c];
        if (candidate->state != BEST_NOT_TUNED) {
            continue;
        }
        const size_t shares = shares_until(finding, end_s, promising - done);
        if (shares == 0) {
            break;
        }
        show(finding, "tunables", done++, promising);
        tuning_answer(
            finding->sweep, candidate->question,
            &(struct tuning_means){ finding->measurer, &finding->effort->tuning, end_s, shares },
            &candidate->tuned);
        answer->wrong += candidate->tuned.wrong;
        take_tuned(candidate);
    }
    sort(answer);
}

/* ---- turns ---- */

static size_t preset_case(const struct finding *finding, const struct best_candidate *candidate) {
    return finding->sweep->questions[candidate->question].first;
}

/* A candidate with some tunables. */
struct entry {
    size_t candidate, case_index;
    struct tuning_time times[BEST_TURNS];
};

/* Whether there is only one candidate, so that no turns are needed: tuning has compared it with its
 * presets. */
static bool is_alone(const struct best_answer *answer) {
    return answer->passed == 1 && answer->untimed == 0;
}

static size_t count_finalists(const struct best_answer *answer) {
    size_t finalists = 0;
    while (!is_alone(answer) && finalists < answer->passed && finalists < BEST_MAX_FINALISTS &&
           (finalists < 2 || answer->candidates[finalists].time.seconds <=
                                 finalist_within * answer->candidates[0].time.seconds)) {
        finalists++;
    }
    return finalists;
}

/* Lists the finalists, each with its presets and with its fastest tunables: the faster of the two
 * in turns is its best. */
static size_t list_entries(const struct finding *finding, struct entry entries[MAX_ENTRIES]) {
    const struct best_answer *answer = finding->answer;
    const size_t finalists = count_finalists(answer);
    size_t count = 0;
    for (size_t c = 0; c < finalists; c++) {
        const struct best_candidate *candidate = &answer->candidates[c];
        const size_t preset = preset_case(finding, candidate);
        const size_t fastest =
            candidate->state == BEST_TUNED ? candidate->tuned.fastest_case : preset;
        if (!isnan(candidate->preset_s)) {
            entries[count++] = (struct entry){ .candidate = c, .case_index = preset };
        }
        if (fastest != preset) {
            entries[count++] = (struct entry){ .candidate = c, .case_index = fastest };
        }
    }
    return count;
}

/* What an entry's turns come to, where they are better than another entry of the candidate. */
static void conclude_turns(struct finding *finding, struct entry *entry, size_t turns) {
    struct best_candidate *candidate = &finding->answer->candidates[entry->candidate];
    double load = NAN;
    for (size_t t = 0; t < turns; t++) {
        if (isnan(entry->times[t].seconds)) {
            candidate->status = entry->times[t].status;
            return;
        }
        load = fmax(load, entry->times[t].machine_load);
    }
    qsort(entry->times, turns, sizeof *entry->times, tuning_compare_times);
    const struct tuning_time *median = &entry->times[turns / 2];
    if (entry->case_index == preset_case(finding, candidate)) {
        candidate->preset_s = median->seconds;
    }
    if (candidate->finalist && candidate->time.seconds <= median->seconds) {
        return;
    }
    candidate->finalist = true;
    candidate->time = *median;
    candidate->least_s = entry->times[0].seconds;
    candidate->most_s = entry->times[turns - 1].seconds;
    candidate->machine_load = load;
    candidate->case_index = entry->case_index;
}

static void conclude_finalists(struct finding *finding, struct entry *entries, size_t count) {
    struct best_answer *answer = finding->answer;
    for (size_t e = 0; e < count; e++) {
        conclude_turns(finding, &entries[e], answer->turns);
    }
    for (size_t e = 0; e < count; e++) {
        struct best_candidate *candidate = &answer->candidates[entries[e].candidate];
        if (!candidate->finalist) { /* it failed in its turns */
            candidate->state = BEST_FAILED;
            candidate->time = tuning_time_none();
        }
    }
    sort(answer);
    for (size_t c = 0; c < answer->count; c++) {
        answer->finalists += answer->candidates[c].finalist;
    }
}

/* When tuning ends: its share of the budget, or later where turns do not need the rest. */
static double end_of_tuning(const struct finding *finding) {
    const struct best_answer *answer = finding->answer;
    const size_t most = 2 * count_finalists(answer); /* presets and tunables */
    return fmax(end_of(finding, finding->effort->tuning_share),
                finding->effort->end_s - BEST_TURNS * (double)most * mean_cost(finding));
}

/* Times the entries in turns, each turn beginning with another entry, so that drift with time
 * affects all alike. Runs as many whole turns as there is time for. */
static void time_in_turns(struct finding *finding) {
    struct best_answer *answer = finding->answer;
    struct entry entries[MAX_ENTRIES];
    const size_t count = list_entries(finding, entries);
    const double began_s = clock_s();
    for (size_t t = 0; count > 1 && t < BEST_TURNS && !signals_noted(); t++) {
        const double now = clock_s();
        if (t > 0 && now + (now - began_s) / (double)t > finding->effort->end_s) {
            break;
        }
        for (size_t k = 0; k < count && !signals_noted(); k++) {
            struct entry *entry = &entries[(k + t) % count];
            show(finding, "turns", t * count + k, BEST_TURNS * count);
            entry->times[t] = measure(finding, entry->case_index);
        }
        answer->turns += !signals_noted();
    }
    if (answer->turns > 0) {
        conclude_finalists(finding, entries, count);
    }
}

/* ---- how sure ---- */

/* The nearest whose times are not all above those of the first; NULL: there is none. */
static const struct best_candidate *find_overlap(const struct best_answer *answer) {
    for (size_t c = 1; c < answer->passed; c++) {
        if (answer->candidates[c].finalist &&
            answer->candidates[0].most_s >= answer->candidates[c].least_s) {
            return &answer->candidates[c];
        }
    }
    return NULL;
}

/* Finds a candidate that may be faster than the first and was not timed in turns with it; NULL:
 * there is none. */
static const struct best_candidate *find_untimed(const struct best_answer *answer) {
    const struct best_candidate *first = &answer->candidates[0];
    for (size_t c = 0; answer->passed > 1 && c < answer->passed; c++) {
        const struct best_candidate *candidate = &answer->candidates[c];
        if (!candidate->finalist && !(candidate->time.seconds > first->most_s)) {
            return candidate;
        }
    }
    return NULL;
}

/* A finalist whose preset took another time when it was timed again; NULL: there is none. */
static const struct best_candidate *find_drift(const struct best_answer *answer) {
    for (size_t c = 0; c < answer->passed; c++) {
        const struct best_candidate *candidate = &answer->candidates[c];
        const double ratio = candidate->preset_s / candidate->first_s;
        if ((candidate->finalist || is_alone(answer)) &&
            (ratio > agree_within || ratio < 1 / agree_within)) {
            return candidate;
        }
    }
    return NULL;
}

static double most_load(const struct best_answer *answer) {
    double load = is_alone(answer) ? answer->candidates[0].time.machine_load : NAN;
    for (size_t c = 0; c < answer->passed; c++) {
        load = fmax(load, answer->candidates[c].machine_load);
    }
    return load;
}

/* Whether one of those that were tuned has tunables that were not tried. */
static bool has_untried(const struct best_answer *answer) {
    for (size_t c = 0; c < answer->passed; c++) {
        const struct tuning_result *tuned = &answer->candidates[c].tuned;
        if (answer->candidates[c].state == BEST_TUNED && tuned->tried < tuned->combinations) {
            return true;
        }
    }
    return false;
}

/* Counts candidates within reach that have tunables to try, none of which was tried. */
static size_t count_not_tuned(const struct finding *finding) {
    const struct best_answer *answer = finding->answer;
    size_t count = 0;
    for (size_t c = 0; c < answer->passed; c++) {
        const struct best_candidate *candidate = &answer->candidates[c];
        count += candidate->state == BEST_NOT_TUNED &&
                 finding->sweep->questions[candidate->question].count > 1;
    }
    return count;
}

static char *next_doubt(struct best_answer *answer) {
    return answer->doubts[answer->doubt_count++];
}

static void doubt_for_budget(const struct finding *finding, struct best_answer *answer) {
    const size_t not_tuned = count_not_tuned(finding);
    if (answer->untimed > 0) {
        (void)snprintf(next_doubt(answer), BEST_DOUBT_SIZE,
                       "%zu variant%s not timed within --budget", answer->untimed,
                       answer->untimed == 1 ? " was" : "s were");
    }
    if (not_tuned > 0) {
        (void)snprintf(next_doubt(answer), BEST_DOUBT_SIZE,
                       "%zu variant%s not tuned within --budget", not_tuned,
                       not_tuned == 1 ? " was" : "s were");
    }
    if (answer->passed > 1 && answer->turns < LEAST_TURNS) {
        (void)snprintf(next_doubt(answer), BEST_DOUBT_SIZE,
                       "--budget left time for %zu turn%s of the fastest", answer->turns,
                       answer->turns == 1 ? "" : "s");
    }
}

static void doubt_for_times(const struct finding *finding, struct best_answer *answer) {
    const struct best_candidate *drifted = find_drift(answer);
    const struct best_candidate *untimed = answer->turns > 0 ? find_untimed(answer) : NULL;
    if (most_load(answer) > machine_load_bound) {
        (void)snprintf(next_doubt(answer), BEST_DOUBT_SIZE,
                       "other processes used up to %.0f %% of the processors",
                       100 * most_load(answer));
    }
    if (drifted) {
        (void)snprintf(next_doubt(answer), BEST_DOUBT_SIZE,
                       "the preset of %s took %.2f times as long when timed again",
                       case_of(finding, drifted)->variant->name,
                       drifted->preset_s / drifted->first_s);
    }
    if (untimed) {
        (void)snprintf(next_doubt(answer), BEST_DOUBT_SIZE,
                       "%s was not timed in turns with the others",
                       case_of(finding, untimed)->variant->name);
    }
}

/* Every reason why the first may not be the best, the most serious first. */
static void find_doubts(const struct finding *finding) {
    struct best_answer *answer = finding->answer;
    const struct best_candidate *first = &answer->candidates[0];
    const struct best_candidate *overlap = find_overlap(answer);
    if (answer->interrupted) {
        (void)snprintf(next_doubt(answer), BEST_DOUBT_SIZE, "interrupted after %zu of %zu variants",
                       answer->timed, answer->timed + answer->untimed);
        return;
    }
    if (overlap) {
        (void)snprintf(next_doubt(answer), BEST_DOUBT_SIZE,
                       "%s takes %.2f times as long (%.2f to %.2f): their times overlap",
                       case_of(finding, overlap)->variant->name,
                       overlap->time.seconds / first->time.seconds,
                       overlap->least_s / first->most_s, overlap->most_s / first->least_s);
    }
    doubt_for_budget(finding, answer);
    doubt_for_times(finding, answer);
}

/* ---- the answer ---- */

static void conclude(const struct finding *finding) {
    struct best_answer *answer = finding->answer;
    answer->interrupted = signals_noted() != 0;
    answer->partly = has_untried(answer);
    if (answer->untimed > 0 && answer->timed > 0 && !answer->interrupted) {
        answer->enough_s = find_enough(finding);
    }
    if (answer->passed > 0) {
        find_doubts(finding);
        answer->sure = answer->doubt_count == 0;
    }
}

bool best_find(const struct tuning_sweep *sweep, size_t first,
               const struct campaign_measurer *measurer, const struct best_effort *effort,
               struct best_answer *answer, struct error *error) {
    struct finding finding = { .sweep = sweep,
                               .measurer = measurer,
                               .effort = effort,
                               .answer = answer,
                               .pairs = -1,
                               .before_s = clock_s() - effort->began_s };
    *answer = (struct best_answer){ .enough_s = NAN };
    if (!list_candidates(&finding, first, error)) {
        best_free(answer);
        return false;
    }
    const struct workload *workload = case_of(&finding, &answer->candidates[0])->variant->workload;
    compile_presets(&finding);
    time_presets(&finding, end_of(&finding, presets_share));
    answer->has_no_pairs = finding.pairs == 0 && workload->all_pairs_exceed;
    if (answer->has_no_pairs) {
        return true;
    }
    tune_promising(&finding, end_of_tuning(&finding));
    time_presets(&finding, end_of_tuning(&finding)); /* in what tuning has left */
    tune_promising(&finding, end_of_tuning(&finding));
    time_in_turns(&finding);
    conclude(&finding);
    return true;
}

void best_free(struct best_answer *answer) {
    free(answer->candidates);
    *answer = (struct best_answer){ 0 };
}
