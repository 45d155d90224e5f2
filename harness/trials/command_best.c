/* pairmark best — the fastest variant with its best tunables, for this box on this device. */
#include "base/parse.h"
#include "base/quantity.h"
#include "commands/commands.h"
#include "run/campaign_signals.h"
#include "trials/sweep_command.h"
#include "trials/tuning_request.h"
#include "tune/best.h"

#include <json.h>
#include <math.h>
#include <string.h>

static const double default_budget_s = 120;
static const double default_within = 3;

/* Beyond, all pairs take seconds per launch: PoCL on a few cores does about 1e9 distances/s, a GPU
 * 1e12. */
enum { MAX_ALL_PAIRS_CPU = 32000, MAX_ALL_PAIRS_GPU = 512000 };

static const char help[] =
    "usage: pairmark best [axes] [options]\n"
    "\n"
    "Says which variant, with which tunables, computes this case fastest on this device, and how\n"
    "sure that is. Every variant passes the gate and is timed at its presets; those within three\n"
    "times of the fastest are tuned, as `pairmark tune` does; the fastest of them, four at most,\n"
    "are timed five times more in turns. The first is surely the best where each of its times is\n"
    "below each of the others'. What tuning found is kept where `pairmark bench --tuned` finds "
    "it.\n"
    "\n"
    "Where the axes span several cases, each gets its answer. What walks all pairs is left out\n"
    "beyond 32000 particles on processors, 512000 on others.\n"
    "\n"
    "Options:\n"
    "  --budget S           tune for about S seconds per answer (120; 60s, 5m)\n"
    "  --within X           tune what takes X times the fastest's time at most (3)\n"
    "  --with-build         count the building of structures in each evaluation\n"
    "  --steps-per-build K  count it once in K evaluations: of lists that live over steps\n"
    "  --store FILE         where the best tunables are kept (tuned.csv in the cache folder)\n"
    "  --time-cap S         sample each combination for at most S seconds (0.2)\n"
    "  --shuffle-seed N     of the order in which combinations are tried (1)\n"
    "  --deadline S         how long one combination may take before it is a timeout (300)\n"
    "  --json               one JSON document\n"
    "\n";

static const char help_after[] =
    "\n"
    "Exit status: 0 answered, 1 a case was wrong or no variant passed, 2 unusable arguments, 3 a\n"
    "device or system failure.\n";

struct best_run {
    struct tuning_request request;
    double within;
    bool json;
    struct json_object *answers; /* NULL: a table is printed */
};

/* ---- the arguments ---- */

static bool take_number(const char *option, const char *value, double least, double *number,
                        struct error *error) {
    return (parse_double(value, number) && *number >= least && isfinite(*number)) ||
           fail(error, STATUS_BAD_INPUT, "%s '%s': expected a number, %g or more", option, value,
                least);
}

static bool take_steps(struct best_run *run, const char *option, const char *value,
                       struct error *error) {
    double steps;
    if (!take_number(option, value, 1, &steps, error)) {
        return false;
    }
    run->request.effort.builds = 1 / steps;
    return true;
}

static bool take_option(void *context, const char *option, const char *value, struct error *error) {
    struct best_run *run = context;
    if (strcmp(option, "--within") == 0) {
        return take_number(option, value, 1, &run->within, error);
    }
    if (strcmp(option, "--steps-per-build") == 0) {
        return take_steps(run, option, value, error);
    }
    return tuning_request_take(&run->request, option, value, error);
}

static bool take_word(void *context, const char *word, bool *taken, struct error *error) {
    struct best_run *run = context;
    (void)error;
    tuning_request_take_word(&run->request, word, taken);
    if (strcmp(word, "--json") == 0) {
        run->json = true;
        *taken = true;
    }
    return true;
}

/* ---- words ---- */

static const struct case_spec *case_of(const struct best_run *run,
                                       const struct best_candidate *candidate) {
    return tuning_request_case(&run->request, candidate->question);
}

static void describe_case(const struct case_spec *spec, struct strbuf *words) {
    strbuf_append(words, "%s of %s, N = %zu, %s", spec->variant->workload->name,
                  *spec->box.path ? spec->box.path : spec->box.kind, spec->box.n,
                  precision_name(spec->precision));
    if (!spec->variant->workload->cutoff_is_its_own) {
        strbuf_append(words, ", cutoff ");
        cutoff_append(words, spec->cutoff, 6);
    }
    strbuf_append(words, ", ");
    interaction_describe(&spec->interaction, words);
    strbuf_append(words, ", outputs %s", outputs_name(spec->outputs));
}

static const struct tunings *tunings_of(const struct best_run *run,
                                        const struct best_candidate *candidate) {
    return candidate->state >= BEST_TUNED ? &candidate->tuned.best
                                          : &case_of(run, candidate)->tunings;
}

static const char *state_words(const struct best_candidate *candidate) {
    switch (candidate->state) {
    case BEST_LEFT_OUT:
        return "left out: all pairs of too many particles";
    case BEST_FAILED:
        return status_name(candidate->status);
    case BEST_BEHIND:
        return "not tuned";
    default:
        return "";
    }
}

static void print_candidate(const struct best_run *run, const struct best_answer *answer,
                            const struct best_candidate *candidate) {
    char preset[24], best[24], words[TUNING_WORDS_SIZE];
    quantity_even_seconds(candidate->preset_s, preset, sizeof preset);
    quantity_even_seconds(candidate->median_s, best, sizeof best);
    tunings_describe(tunings_of(run, candidate), words, sizeof words);
    (void)printf("  %-26s", case_of(run, candidate)->variant->name);
    if (isnan(candidate->median_s)) {
        (void)printf(" %s\n", state_words(candidate));
        return;
    }
    (void)printf(" %10s %10s %6.2fx  %s%s%s\n", preset, candidate->state >= BEST_TUNED ? best : "-",
                 candidate->median_s / answer->candidates[0].median_s,
                 candidate->state >= BEST_TUNED ? words : "", *state_words(candidate) ? " " : "",
                 state_words(candidate));
}

/* By how much the others are behind, and whether that is beyond what times differ by. */
static void print_verdict(const struct best_run *run, const struct best_answer *answer) {
    const struct best_candidate *first = &answer->candidates[0];
    const struct best_candidate *second = answer->finalists > 1 ? first + 1 : NULL;
    char seconds[24], words[TUNING_WORDS_SIZE];
    quantity_seconds(first->median_s, seconds, sizeof seconds);
    tunings_describe(tunings_of(run, first), words, sizeof words);
    (void)printf("best: %s, %s: %s\n", case_of(run, first)->variant->name, words, seconds);
    if (!second) {
        (void)printf("  no other variant passes\n");
        return;
    }
    const char *name = case_of(run, second)->variant->name;
    const double low = second->least_s / first->most_s;
    const double high = second->most_s / first->least_s;
    const double ratio = second->median_s / first->median_s;
    if (answer->sure) {
        (void)printf("  sure: each of its %d times is below each of the others'; %s takes %.2f "
                     "times as long (%.2f to %.2f)\n",
                     BEST_TURNS, name, ratio, low, high);
    } else {
        (void)printf("  not sure: %s takes %.2f times as long (%.2f to %.2f): their times "
                     "overlap\n",
                     name, ratio, low, high);
    }
}

static void print_answer(const struct best_run *run, const struct best_answer *answer) {
    struct strbuf words = { 0 };
    describe_case(case_of(run, &answer->candidates[0]), &words);
    (void)printf("%s, on %s (%s)\n  %-26s %10s %10s %7s\n", words.data ? words.data : "",
                 run->request.info.name, run->request.info.model, "variant", "presets", "tuned",
                 "ratio");
    strbuf_free(&words);
    for (size_t c = 0; c < answer->count; c++) {
        print_candidate(run, answer, &answer->candidates[c]);
    }
    if (answer->finalists > 0) {
        print_verdict(run, answer);
    } else {
        (void)printf("no variant passes\n");
    }
    (void)printf("\n");
    (void)fflush(stdout);
}

/* ---- JSON ---- */

static void add_seconds(struct json_object *object, const char *name, double seconds) {
    if (!isnan(seconds)) {
        json_object_object_add(object, name, json_object_new_double(seconds));
    }
}

static struct json_object *candidate_object(const struct best_run *run,
                                            const struct best_candidate *candidate) {
    static const char *const states[] = { [BEST_LEFT_OUT] = "left_out",
                                          [BEST_FAILED] = "failed",
                                          [BEST_BEHIND] = "behind",
                                          [BEST_TUNED] = "tuned",
                                          [BEST_FINALIST] = "finalist" };
    char words[TUNING_WORDS_SIZE];
    struct json_object *object = json_object_new_object();
    tunings_describe(tunings_of(run, candidate), words, sizeof words);
    json_object_object_add(object, "variant",
                           json_object_new_string(case_of(run, candidate)->variant->name));
    json_object_object_add(object, "state", json_object_new_string(states[candidate->state]));
    if (candidate->state == BEST_FAILED) {
        json_object_object_add(object, "status",
                               json_object_new_string(status_name(candidate->status)));
    }
    json_object_object_add(object, "tunables", json_object_new_string(words));
    add_seconds(object, "preset_s", candidate->preset_s);
    add_seconds(object, "median_s", candidate->median_s);
    add_seconds(object, "least_s", candidate->least_s);
    add_seconds(object, "most_s", candidate->most_s);
    return object;
}

static void add_answer(const struct best_run *run, const struct best_answer *answer) {
    struct json_object *object = json_object_new_object();
    struct json_object *candidates = json_object_new_array();
    struct strbuf words = { 0 };
    describe_case(case_of(run, &answer->candidates[0]), &words);
    for (size_t c = 0; c < answer->count; c++) {
        json_object_array_add(candidates, candidate_object(run, &answer->candidates[c]));
    }
    json_object_object_add(object, "case", json_object_new_string(words.data ? words.data : ""));
    json_object_object_add(object, "device", json_object_new_string(run->request.info.name));
    json_object_object_add(object, "model", json_object_new_string(run->request.info.model));
    json_object_object_add(
        object, "best",
        answer->finalists > 0
            ? json_object_new_string(case_of(run, &answer->candidates[0])->variant->name)
            : NULL);
    json_object_object_add(object, "sure", json_object_new_boolean(answer->sure));
    json_object_object_add(object, "variants", candidates);
    json_object_array_add(run->answers, object);
    strbuf_free(&words);
}

/* ---- answers ---- */

static bool keep_all(const struct best_run *run, const struct best_answer *answer,
                     struct error *error) {
    for (size_t c = 0; c < answer->count; c++) {
        const struct best_candidate *candidate = &answer->candidates[c];
        if (candidate->state >= BEST_TUNED &&
            !tuning_keep(run->request.store, case_of(run, candidate), &run->request.info,
                         &candidate->tuned, error)) {
            return false;
        }
    }
    return true;
}

static bool answer_one(struct best_run *run, size_t question, struct error *error) {
    struct tuning_request *request = &run->request;
    const struct campaign_measurer measurer = tuning_request_measurer(request);
    const struct best_effort effort = { .tuning = request->effort,
                                        .within = run->within,
                                        .tune_s = request->budget_s,
                                        .max_all_pairs = request->info.is_cpu ? MAX_ALL_PAIRS_CPU
                                                                              : MAX_ALL_PAIRS_GPU };
    struct best_answer answer;
    if (!best_find(&request->sweep, question, &measurer, &effort, &answer, error)) {
        return false;
    }
    bool kept = true;
    if (!answer.interrupted) {
        request->wrong += answer.wrong;
        request->without += answer.finalists == 0;
        run->answers ? add_answer(run, &answer) : print_answer(run, &answer);
        kept = keep_all(run, &answer, error);
    }
    best_free(&answer);
    return kept;
}

static bool is_first_of_case(const struct tuning_sweep *sweep, size_t question) {
    for (size_t q = 0; q < question; q++) {
        if (best_is_same_case(sweep, q, question)) {
            return false;
        }
    }
    return true;
}

static bool begin(void *context, struct error *error) {
    struct best_run *run = context;
    run->answers = run->json ? json_object_new_array() : NULL;
    return tuning_request_begin(&run->request, error);
}

static bool ask_device(void *context, const char *device, struct error *error) {
    struct best_run *run = context;
    const struct tuning_sweep *sweep = &run->request.sweep;
    bool done = tuning_request_open(&run->request, device, error);
    for (size_t q = 0; done && q < sweep->count && !campaign_signals_noted(); q++) {
        done = !is_first_of_case(sweep, q) || answer_one(run, q, error);
    }
    worker_free(run->request.worker);
    return done;
}

static int conclude(void *context, bool interrupted) {
    const struct best_run *run = context;
    if (run->answers) {
        (void)printf("%s\n", json_object_to_json_string_ext(run->answers, JSON_C_TO_STRING_PRETTY));
    }
    if (interrupted) {
        (void)fprintf(stderr, "pairmark best: interrupted\n");
        return 0;
    }
    (void)fprintf(stderr, "pairmark best: tunables kept in %s, for `pairmark bench --tuned`\n",
                  run->request.store);
    return tuning_request_exit_code(&run->request, "best", "case");
}

static void end(void *context) {
    struct best_run *run = context;
    tuning_request_end(&run->request);
    json_object_put(run->answers);
}

int command_best(int argc, char **argv) {
    static const struct sweep_command best = { .name = "best",
                                               .help = help,
                                               .help_after = help_after,
                                               .take_option = take_option,
                                               .take_word = take_word,
                                               .begin = begin,
                                               .ask_device = ask_device,
                                               .conclude = conclude,
                                               .end = end };
    struct best_run run = { .request = tuning_request_defaults(), .within = default_within };
    run.request.budget_s = default_budget_s;
    return sweep_command_run(&best, argc, argv, &run.request.axes, &run);
}
