/* Lists the combinations of tunables of each case, searches them for the fastest, and stores it. */
#include "commands/search/search.h"

#include "boxes/random.h"
#include "campaign/plan/plan.h"
#include "campaign/rows/run_folder.h"
#include "core/error.h"
#include "core/host.h"
#include "kernels/schedule.h"
#include "measure/program.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COMBINATIONS = 100000, ROUNDS = 3 };
/* The most combinations that a search with a budget tries; of more, it draws so many. */
enum { MAX_DRAWN = 1000 };

/* ---- combinations ---- */

/* What the tunables of one case may be. */
struct choices {
    int values[TUNINGS_MAX][VARIANT_MAX_VALUES];
    int counts[TUNINGS_MAX];
};

static void add_value(struct choices *choices, int tunable, int value) {
    for (int v = 0; v < choices->counts[tunable]; v++) {
        if (choices->values[tunable][v] == value) {
            return;
        }
    }
    if (choices->counts[tunable] < VARIANT_MAX_VALUES) {
        choices->values[tunable][choices->counts[tunable]++] = value;
    }
}

/* Skins beside the one that an author lists, in hundredths of the cutoff. */
static const int other_skins[] = { 6, 9, 18, 24 };

/* Adds the values that the plan's cases have: every value of a --tune. */
static void add_named(const struct plan *plan, const struct case_spec *spec, int t,
                      struct choices *choices) {
    const struct tuning *preset = &spec->tunings.items[t];
    for (size_t i = 0; i < plan->count; i++) {
        if (plan->cases[i].variant == spec->variant) {
            add_value(choices, t,
                      tunings_value(&plan->cases[i].tunings, preset->name, preset->value));
        }
    }
}

/* Lists the choices of tunables for a case at its presets: the values that --tune names and, for
 * the other tunables, those that the variant's author lists. The table of types stays where it is,
 * as does the cache for a table where there is none. */
static void list_choices(const struct axes *axes, const struct plan *plan,
                         const struct case_spec *spec, bool skins, struct choices *choices) {
    *choices = (struct choices){ 0 };
    for (int t = 0; t < spec->tunings.count; t++) {
        const struct tunable *tunable = case_tunable(spec, t);
        const bool named = axes_tune(axes, tunable->name);
        const bool stays =
            tunable == &type_table_tunable ||
            (!spec->interaction.eam && strcmp(tunable->name, TABLE_CACHE_TUNABLE) == 0);
        const int listed = named || stays ? 0 : tunable->value_count;
        if (named) {
            add_named(plan, spec, t, choices);
        }
        for (int v = 0; v < listed; v++) {
            choices->values[t][v] = tunable->values[v];
        }
        choices->counts[t] = listed > 0 ? listed : choices->counts[t];
        if (choices->counts[t] == 0) {
            add_value(choices, t, spec->tunings.items[t].value);
        }
        const bool widens =
            skins && choices->counts[t] == 1 && strcmp(tunable->name, SCHEDULE_SKIN) == 0 && !named;
        for (size_t v = 0; widens && v < sizeof other_skins / sizeof other_skins[0]; v++) {
            add_value(choices, t, other_skins[v]);
        }
    }
}

/* list_choices leaves at least one. */
static size_t choice_count(const struct choices *choices, int tunable) {
    return choices->counts[tunable] > 0 ? (size_t)choices->counts[tunable] : 1;
}

/* A number that no variant's author reaches by hand stands for more. */
static size_t count_combinations(const struct choices *choices, int tunables) {
    const size_t beyond = SIZE_MAX / VARIANT_MAX_VALUES;
    size_t count = 1;
    for (int t = 0; t < tunables && count <= beyond; t++) {
        count *= choice_count(choices, t);
    }
    return count;
}

/* The combination of an index, the last tunable changing fastest. True where it is the preset. */
static bool combination_at(const struct choices *choices, size_t index, struct tunings *tunings) {
    bool preset = true;
    for (int t = tunings->count; t-- > 0;) {
        int value = choices->values[t][index % choice_count(choices, t)];
        preset = preset && value == tunings->items[t].value;
        tunings->items[t].value = value;
        index /= choice_count(choices, t);
    }
    return preset;
}

static bool differs_by_skin_alone(const struct tunings *a, const struct tunings *b) {
    bool same = true;
    for (int t = 0; same && t < a->count; t++) {
        same =
            a->items[t].value == b->items[t].value || strcmp(a->items[t].name, SCHEDULE_SKIN) == 0;
    }
    return same;
}

/* What is likely to matter most is tried first, whatever the budget. */
static void put_skins_first(const struct case_spec *base, struct case_spec *cases, size_t count) {
    size_t front = 0;
    for (size_t i = 0; i < count; i++) {
        if (differs_by_skin_alone(&base->tunings, &cases[i].tunings)) {
            struct case_spec moved = cases[front];
            cases[front++] = cases[i];
            cases[i] = moved;
        }
    }
}

/* The preset with another value of each listed skin. */
static size_t span_skins(const struct case_spec *base, const struct choices *choices,
                         struct case_spec *cases) {
    size_t count = 0;
    for (int t = 0; t < base->tunings.count; t++) {
        const bool skin = strcmp(base->tunings.items[t].name, SCHEDULE_SKIN) == 0;
        for (int v = 0; skin && v < choices->counts[t]; v++) {
            if (choices->values[t][v] != base->tunings.items[t].value) {
                cases[count] = *base;
                cases[count++].tunings.items[t].value = choices->values[t][v];
            }
        }
    }
    return count;
}

/* The preset, then every other combination; of too many the skins, and combinations by chance. */
static size_t span_question(const struct case_spec *base, const struct choices *choices, bool draws,
                            struct case_spec *cases, struct random *random) {
    const size_t all = count_combinations(choices, base->tunings.count);
    const bool drawn = draws && all > MAX_DRAWN;
    size_t count = 1;
    cases[0] = *base;
    count += drawn ? span_skins(base, choices, cases + 1) : 0;
    for (size_t i = 0; i < (drawn ? MAX_DRAWN : all); i++) {
        cases[count] = *base;
        count += !combination_at(choices, drawn ? (size_t)(random_next(random) % all) : i,
                                 &cases[count].tunings);
    }
    if (!drawn) {
        random_shuffle(cases + 1, count - 1, sizeof *cases, random);
        put_skins_first(base, cases + 1, count - 1);
    }
    return count;
}

/* ---- questions ---- */

/* The cases of the plan at their presets, each once. */
static void keep_questions(struct plan *plan) {
    for (size_t i = 0; i < plan->count; i++) {
        case_preset_tunings(&plan->cases[i]);
    }
    plan_drop_doubles(plan);
}

/* Lists the choices of each case before the plan's cases become the questions. */
static bool list_all(const struct axes *axes, struct plan *plan, enum tuning_breadth breadth,
                     struct choices **choices, size_t *total, struct error *error) {
    const bool draws = breadth != TUNING_ALL;
    const bool skins = breadth == TUNING_DRAWN_SKINS;
    struct plan spanned = *plan;
    *choices = memory_zeroed(plan->count + 1, sizeof **choices);
    spanned.cases = memory_zeroed(plan->count + 1, sizeof *spanned.cases);
    memcpy(spanned.cases, plan->cases, plan->count * sizeof *plan->cases);
    keep_questions(plan);
    *total = 0;
    bool listed = true;
    for (size_t q = 0; listed && q < plan->count; q++) {
        const struct case_spec *spec = &plan->cases[q];
        list_choices(axes, &spanned, spec, skins, &(*choices)[q]);
        size_t count = count_combinations(&(*choices)[q], spec->tunings.count);
        /* The preset may be none of them; one is written and taken back; skins of those drawn. */
        *total += (draws && count > MAX_DRAWN ? MAX_DRAWN + VARIANT_MAX_VALUES : count) + 2;
        listed =
            draws || count <= MAX_COMBINATIONS ||
            fail(error, STATUS_BAD_INPUT,
                 "%s has more than %d combinations of tunables: --tune NAME=... restricts them",
                 spec->variant->name, MAX_COMBINATIONS);
    }
    free(spanned.cases);
    return listed;
}

static void span_all(struct tuning_sweep *sweep, const struct choices *choices, size_t total,
                     bool draws, uint64_t seed) {
    struct plan *plan = &sweep->plan;
    struct case_spec *cases = memory_zeroed(total + 1, sizeof *cases);
    sweep->questions = memory_zeroed(plan->count + 1, sizeof *sweep->questions);
    size_t used = 0;
    struct random random = random_from_seed(seed);
    for (size_t q = 0; q < plan->count; q++) {
        struct tuning_question *question = &sweep->questions[sweep->count++];
        question->first = used;
        question->count = span_question(&plan->cases[q], &choices[q], draws, cases + used, &random);
        used += question->count;
    }
    free(plan->cases);
    plan->cases = cases;
    plan->count = used;
}

/* The plan of the axes, for the interaction that bench takes where none is named: what is tuned is
 * what runs. */
static bool plan_usual(const struct axes *axes, struct plan *plan, struct error *error) {
    struct axes filled = *axes;
    const struct workload *workload = plan_workload(axes, error);
    if (!workload) {
        return false;
    }
    if (!axes->interaction && !axes->interaction_file) {
        filled.interaction = (char *)workload->bench_interaction; /* not changed by the plan */
    }
    if (!plan_make(&filled, plan, error)) {
        return false;
    }
    if (!plan_check_precisions(plan, axes, error)) {
        plan_free(plan);
        return false;
    }
    if (!axes->variant && !axes->variant_files) {
        (void)plan_drop_of_batches(plan);
    }
    return true;
}

bool tuning_sweep_make(const struct axes *axes, uint64_t seed, enum tuning_breadth breadth,
                       struct tuning_sweep *sweep, struct error *error) {
    const bool draws = breadth != TUNING_ALL;
    struct choices *choices = NULL;
    size_t total = 0;
    *sweep = (struct tuning_sweep){ 0 };
    bool made = plan_usual(axes, &sweep->plan, error) &&
                list_all(axes, &sweep->plan, breadth, &choices, &total, error);
    if (made) {
        span_all(sweep, choices, total, draws, seed);
    } else {
        tuning_sweep_free(sweep);
    }
    free(choices);
    return made;
}

void tuning_sweep_free(struct tuning_sweep *sweep) {
    plan_free(&sweep->plan);
    free(sweep->questions);
    *sweep = (struct tuning_sweep){ 0 };
}

/* ---- an answer ---- */

/* One question being answered. */
struct search {
    const struct tuning_sweep *sweep;
    const struct campaign_measurer *measurer;
    const struct tuning_effort *effort;
    const struct tuning_question *question;
    struct tuning_result *result;
    struct tuning_time *times; /* of each combination in the sweep; NaN: failed, or not tried */
    bool *tried;
};

/* The line of a compiler's log that names the error; else the first. */
static const char *line_of_error(const char *message) {
    const char *error = strstr(message, "error");
    while (error && error > message && error[-1] != '\n') {
        error--;
    }
    return error ? error : message;
}

static void report_failure(const struct case_spec *spec, const struct verdict *verdict, FILE *log) {
    char words[TUNING_WORDS_SIZE];
    const char *line = line_of_error(verdict->message);
    tunings_describe(&spec->tunings, words, sizeof words);
    if (verdict->status != STATUS_UNSUPPORTED) {
        log_warning(log, "%s: %s: %s: %.*s", spec->variant->name, words,
                    status_name(verdict->status), (int)strcspn(line, "\n"), line);
    }
}

bool tuning_is_wrong(enum status status) {
    return status == STATUS_WRONG || status == STATUS_STALE;
}

struct tuning_time tuning_time_none(void) {
    return (struct tuning_time){ .status = STATUS_OUT_OF_MEMORY,
                                 .seconds = NAN,
                                 .evaluate_s = NAN,
                                 .build_s = NAN,
                                 .machine_load = NAN,
                                 .pairs = -1 };
}

static void take_times(const struct measurement *measurement, double builds,
                       struct tuning_time *time) {
    const bool counts = builds > 0 && measurement->build_s_median > 0;
    time->evaluate_s = measurement->force.median_s;
    time->build_s = counts ? measurement->build_s_median : NAN;
    time->builds = counts ? builds : 0;
    time->seconds = time->evaluate_s + (counts ? builds * time->build_s : 0);
    time->machine_load = measurement->machine_load;
    time->pairs = measurement->pairs_in_cutoff;
}

struct tuning_time tuning_measure(const struct tuning_sweep *sweep, size_t case_index,
                                  const struct campaign_measurer *measurer,
                                  const struct tuning_effort *effort) {
    const struct case_spec *spec = &sweep->plan.cases[case_index];
    struct tuning_time time = tuning_time_none();
    struct measurement *measurement = memory_zeroed(1, sizeof *measurement);
    measurer->measure(measurer->context, case_index, &effort->sampling, measurement);
    time.status = measurement->verdict.status;
    if (signals_noted()) {
        time.status = STATUS_SYSTEM;
    } else if (time.status == STATUS_OK && measurement->timed) {
        take_times(measurement,
                   effort->builds_of ? effort->builds_of(effort->context, spec) : effort->builds,
                   &time);
    } else {
        time.status = time.status == STATUS_OK ? STATUS_LAUNCH_ERROR : time.status;
        report_failure(spec, &measurement->verdict, effort->log);
    }
    free(measurement);
    return time;
}

/* The time of a combination of the question; NaN where it did not pass. */
static struct tuning_time measure(struct search *search, size_t index) {
    const struct tuning_time time = tuning_measure(search->sweep, search->question->first + index,
                                                   search->measurer, search->effort);
    search->result->wrong += tuning_is_wrong(time.status);
    search->result->failed += isnan(time.seconds) && !tuning_is_wrong(time.status);
    return time;
}

/* The fastest so far; the question's count where nothing passed. */
static size_t find_fastest(const struct search *search) {
    size_t count = search->question->count;
    size_t fastest = count;
    for (size_t i = 0; i < count; i++) {
        if (search->times[i].seconds > 0 &&
            (fastest == count || search->times[i].seconds < search->times[fastest].seconds)) {
            fastest = i;
        }
    }
    return fastest;
}

/* The number of tunables in which two combinations differ. */
static int distance(const struct tunings *a, const struct tunings *b) {
    int count = 0;
    for (int t = 0; t < a->count; t++) {
        count += a->items[t].value != b->items[t].value;
    }
    return count;
}

/* Chooses, of the combinations that were not tried, the nearest to the fastest so far, in the order
 * of the sweep where several are as near: tunables matter mostly by themselves, so what differs in
 * one of them is likelier to be faster than one drawn at random. Where all neighbours are slower
 * the search widens by itself. Before anything passed, the first in the order of the sweep; the
 * count: none is left. */
static size_t choose_next(const struct search *search) {
    const size_t count = search->question->count;
    const struct case_spec *cases = &search->sweep->plan.cases[search->question->first];
    const size_t fastest = find_fastest(search);
    size_t next = count;
    int nearest = TUNINGS_MAX + 1;
    for (size_t i = 0; i < count; i++) {
        const int away =
            fastest == count ? 0 : distance(&cases[fastest].tunings, &cases[i].tunings);
        if (!search->tried[i] && away < nearest) {
            next = i;
            nearest = away;
        }
    }
    return next;
}

/* All combinations, or until one more and timing the best anew would end after `end_s`. What one
 * more costs is what the last did; the first has the reference to compute, too. */
static void try_combinations(struct search *search, double end_s) {
    const size_t least = search->effort->strict ? 1 : 2;
    double cheapest = INFINITY;
    double last = 0;
    for (size_t next = choose_next(search); next < search->question->count && !signals_noted();
         next = choose_next(search)) {
        double began = clock_s();
        if (search->result->tried >= least && began + last + 2 * ROUNDS * cheapest > end_s) {
            break;
        }
        search->times[next] = measure(search, next);
        search->tried[next] = true;
        search->result->tried++;
        last = clock_s() - began;
        cheapest = fmin(cheapest, last);
    }
}

int tuning_compare_times(const void *left, const void *right) {
    const double a = ((const struct tuning_time *)left)->seconds;
    const double b = ((const struct tuning_time *)right)->seconds;
    return (a > b) - (a < b);
}

/* Three times of the preset and of the other in turns; false where either failed. */
static bool compare(struct search *search, size_t other) {
    struct tuning_result *result = search->result;
    struct tuning_time preset[ROUNDS];
    struct tuning_time best[ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
        preset[r] = measure(search, 0);
        best[r] = measure(search, other);
        if (isnan(preset[r].seconds) || isnan(best[r].seconds)) {
            return false;
        }
    }
    qsort(preset, ROUNDS, sizeof *preset, tuning_compare_times);
    qsort(best, ROUNDS, sizeof *best, tuning_compare_times);
    result->preset_s = preset[ROUNDS / 2].seconds;
    result->best_s = best[ROUNDS / 2].seconds;
    result->ratio = result->preset_s / result->best_s;
    result->noise = fmax(preset[ROUNDS - 1].seconds / preset[0].seconds,
                         best[ROUNDS - 1].seconds / best[0].seconds) -
                    1;
    const bool is_beyond_noise =
        best[ROUNDS - 1].seconds < preset[0].seconds && result->ratio > 1 + result->noise;
    result->outcome = is_beyond_noise ? TUNING_BETTER : TUNING_KEPT_PRESET;
    result->time = is_beyond_noise ? best[ROUNDS / 2] : preset[ROUNDS / 2];
    return true;
}

/* Decides the outcome. If the preset does not pass, any combination that does is better. */
static void conclude(struct search *search) {
    struct tuning_result *result = search->result;
    const struct case_spec *cases = &search->sweep->plan.cases[search->question->first];
    const size_t none = search->question->count;
    for (size_t best = find_fastest(search); best != none && !signals_noted();
         best = find_fastest(search)) {
        result->fastest = cases[best].tunings;
        result->fastest_case = search->question->first + best;
        result->time = search->times[best];
        result->best_s = result->time.seconds;
        result->outcome = best == 0 ? TUNING_KEPT_PRESET : TUNING_BETTER;
        if (best == 0 || isnan(search->times[0].seconds) || compare(search, best)) {
            break;
        }
        search->times[best] = tuning_time_none(); /* it failed when timed anew: the next one */
        result->outcome = TUNING_NONE;
    }
    if (result->outcome == TUNING_BETTER) {
        result->best = result->fastest;
        result->best_case = result->fastest_case;
    }
}

void tuning_answer(const struct tuning_sweep *sweep, size_t question,
                   const struct tuning_means *means, struct tuning_result *result) {
    const struct tuning_question *asked = &sweep->questions[question];
    struct search search = { .sweep = sweep,
                             .measurer = means->measurer,
                             .effort = means->effort,
                             .question = asked,
                             .result = result,
                             .times = memory_zeroed(asked->count, sizeof *search.times),
                             .tried = memory_zeroed(asked->count, sizeof *search.tried) };
    double now = clock_s();
    *result = (struct tuning_result){ .outcome = TUNING_NONE,
                                      .best = sweep->plan.cases[asked->first].tunings,
                                      .best_case = asked->first,
                                      .fastest = sweep->plan.cases[asked->first].tunings,
                                      .fastest_case = asked->first,
                                      .time = tuning_time_none(),
                                      .combinations = asked->count,
                                      .preset_s = NAN,
                                      .best_s = NAN,
                                      .ratio = 1,
                                      .noise = NAN };
    for (size_t i = 0; i < asked->count; i++) {
        search.times[i] = tuning_time_none();
    }
    try_combinations(&search, isinf(means->end_s)
                                  ? means->end_s
                                  : now + (means->end_s - now) / (double)means->remaining);
    result->preset_s = search.times[0].seconds;
    conclude(&search);
    if (signals_noted()) {
        result->outcome = TUNING_INTERRUPTED;
    }
    free(search.times);
    free(search.tried);
}

/* ---- what was found is stored ---- */

static void fill_entry(const struct case_spec *spec, const struct tuning_result *result,
                       struct tuning_entry *entry) {
    struct case_spec preset = *spec;
    char words[TUNING_WORDS_SIZE];
    char ratio[32];
    char utc[32];
    tunings_describe(&result->best, words, sizeof words);
    tuning_entry_set(entry, COLUMN_TUNABLES, words);
    case_preset_tunings(&preset);
    tunings_describe(&preset.tunings, words, sizeof words);
    (void)snprintf(ratio, sizeof ratio, "%.4g",
                   result->outcome == TUNING_BETTER ? result->ratio : 1.0);
    environment_utc(utc, sizeof utc);
    tuning_entry_set(entry, TUNING_PRESET, words);
    tuning_entry_set(entry, TUNING_RATIO, ratio);
    tuning_entry_set(entry, COLUMN_UTC, utc);
}

bool tuning_keep(const char *store, const struct case_spec *spec, const struct device_info *info,
                 const struct tuning_result *result, struct error *error) {
    struct tuning_entry entry;
    tuning_key(spec, info, &entry);
    fill_entry(spec, result, &entry);
    const bool kept = tuning_store_put(store, &entry, stderr, error);
    tuning_entry_free(&entry);
    return kept;
}
