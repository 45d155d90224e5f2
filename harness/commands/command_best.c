/* pairmark best — the fastest variant with its best tunables, for this box on this device. */
#include "base/parse.h"
#include "base/quantity.h"
#include "commands/command_table.h"
#include "commands/commands.h"
#include "run/campaign_signals.h"
#include "tune/best.h"
#include "tune/tuning.h"

#include <json.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double default_deadline_s = 300;
static const double default_time_cap_s = 0.2;
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

struct best_request {
    struct axes axes;
    const char *store;
    uint64_t seed;
    double deadline_s;
    struct best_effort effort;
    bool json, help;
};

/* ---- the arguments ---- */

static bool take_number(const char *option, const char *value, double least, double *number,
                        struct error *error) {
    return (parse_double(value, number) && *number >= least && isfinite(*number)) ||
           fail(error, STATUS_BAD_INPUT, "%s '%s': expected a number, %g or more", option, value,
                least);
}

static bool take_steps(struct best_request *request, const char *option, const char *value,
                       struct error *error) {
    double steps;
    if (!take_number(option, value, 1, &steps, error)) {
        return false;
    }
    request->effort.tuning.builds = 1 / steps;
    return true;
}

static bool take_option(void *context, const char *option, const char *value, struct error *error) {
    struct best_request *request = context;
    if (strcmp(option, "--store") == 0) {
        request->store = value;
        return true;
    }
    if (strcmp(option, "--within") == 0) {
        return take_number(option, value, 1, &request->effort.within, error);
    }
    if (strcmp(option, "--steps-per-build") == 0) {
        return take_steps(request, option, value, error);
    }
    if (strcmp(option, "--budget") == 0) {
        return command_take_duration(option, value, &request->effort.tune_s, error);
    }
    if (strcmp(option, "--time-cap") == 0) {
        return command_take_duration(option, value, &request->effort.tuning.sampling.time_cap_s,
                                     error);
    }
    if (strcmp(option, "--deadline") == 0) {
        return command_take_duration(option, value, &request->deadline_s, error);
    }
    return parse_count(value, &request->seed) ||
           fail(error, STATUS_BAD_INPUT, "%s '%s': expected a whole number", option, value);
}

static bool take_valued(struct best_request *request, int argc, char **argv, int *index,
                        bool *taken, struct error *error) {
    return command_take_own("best", argc, argv, index, take_option, request, taken, error) &&
           (*taken || command_take_reference(argc, argv, index, NULL, taken, error)) &&
           (*taken || axes_take_option(&request->axes, argc, argv, index, taken, error));
}

static bool take_arguments(struct best_request *request, int argc, char **argv,
                           struct error *error) {
    for (int i = 1; i < argc;) {
        bool taken;
        if (!take_valued(request, argc, argv, &i, &taken, error)) {
            return false;
        }
        if (taken) {
            continue;
        }
        if (strcmp(argv[i], "--with-build") == 0) {
            request->effort.tuning.builds = 1;
        } else if (strcmp(argv[i], "--json") == 0) {
            request->json = true;
        } else if (command_is_help(argv[i])) {
            request->help = true;
        } else {
            return command_unknown_option(argv[i], "best", error);
        }
        i++;
    }
    return true;
}

/* ---- words ---- */

/* One device being asked. */
struct best_run {
    const struct best_request *request;
    const struct tuning_sweep *sweep;
    const char *store;
    struct json_object *answers; /* NULL: a table is printed */
    struct worker *worker;
    struct device_info info;
    size_t wrong, without; /* cases that were wrong; cases that no variant passes */
};

static const struct case_spec *case_of(const struct best_run *run,
                                       const struct best_candidate *candidate) {
    return &run->sweep->plan.cases[run->sweep->questions[candidate->question].first];
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
                 run->info.name, run->info.model, "variant", "presets", "tuned", "ratio");
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
    json_object_object_add(object, "device", json_object_new_string(run->info.name));
    json_object_object_add(object, "model", json_object_new_string(run->info.model));
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

static void measure_by(void *context, size_t case_index, const struct sampling *sampling,
                       struct measurement *measurement) {
    worker_measure(context, case_index, sampling, measurement);
}

static bool keep_all(const struct best_run *run, const struct best_answer *answer,
                     struct error *error) {
    for (size_t c = 0; c < answer->count; c++) {
        const struct best_candidate *candidate = &answer->candidates[c];
        if (candidate->state >= BEST_TUNED && !tuning_keep(run->store, case_of(run, candidate),
                                                           &run->info, &candidate->tuned, error)) {
            return false;
        }
    }
    return true;
}

static bool answer_one(struct best_run *run, size_t question, struct error *error) {
    const struct campaign_measurer measurer = { .context = run->worker, .measure = measure_by };
    struct best_effort effort = run->request->effort;
    struct best_answer answer;
    effort.max_all_pairs = run->info.is_cpu ? MAX_ALL_PAIRS_CPU : MAX_ALL_PAIRS_GPU;
    if (!best_find(run->sweep, question, &measurer, &effort, &answer, error)) {
        return false;
    }
    bool kept = true;
    if (!answer.interrupted) {
        run->wrong += answer.wrong;
        run->without += answer.finalists == 0;
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

static bool ask_device(struct best_run *run, const char *device, struct error *error) {
    if (!worker_create(&run->sweep->plan, device, run->request->deadline_s, &run->worker, error)) {
        return false;
    }
    worker_isolate_variants(run->worker);
    bool done = command_open_device(run->worker, device, &run->info, error);
    for (size_t q = 0; done && q < run->sweep->count && !campaign_signals_noted(); q++) {
        done = !is_first_of_case(run->sweep, q) || answer_one(run, q, error);
    }
    worker_free(run->worker);
    return done;
}

static int conclude(const struct best_run *run) {
    if (run->answers) {
        (void)printf("%s\n", json_object_to_json_string_ext(run->answers, JSON_C_TO_STRING_PRETTY));
    }
    if (campaign_signals_noted()) {
        (void)fprintf(stderr, "pairmark best: interrupted\n");
        return 128 + campaign_signals_noted();
    }
    (void)fprintf(stderr, "pairmark best: tunables kept in %s, for `pairmark bench --tuned`\n",
                  run->store);
    if (run->wrong > 0) {
        (void)fprintf(stderr, "pairmark best: %zu times a case was wrong\n", run->wrong);
    }
    return run->wrong > 0 || run->without > 0 ? status_exit_code(STATUS_WRONG) : 0;
}

static bool ask(const struct best_request *request, int *status, struct error *error) {
    char path[PATH_MAX];
    struct tuning_sweep sweep = { 0 };
    struct campaign_signals signals;
    struct best_run run = { .request = request,
                            .sweep = &sweep,
                            .store = path,
                            .answers = request->json ? json_object_new_array() : NULL };
    char **devices = split_list(request->axes.device ? request->axes.device : "", ',');
    campaign_signals_catch(&signals);
    bool done = (devices || fail_out_of_memory(error, "--device")) &&
                tuning_store_path(request->store, path, sizeof path, error) &&
                tuning_sweep_make(&request->axes, request->seed, &sweep, error) &&
                tuning_store_check(path, stderr, error);
    for (size_t i = 0; done && devices[i] && !campaign_signals_noted(); i++) {
        done = ask_device(&run, devices[i], error);
    }
    if (done) {
        *status = conclude(&run);
    }
    campaign_signals_restore(&signals);
    tuning_sweep_free(&sweep);
    json_object_put(run.answers);
    free(devices);
    return done;
}

int command_best(int argc, char **argv) {
    struct best_request request = { .seed = 1,
                                    .deadline_s = default_deadline_s,
                                    .effort = { .tuning = { .sampling = sampling_defaults(),
                                                            .log = stderr },
                                                .within = default_within,
                                                .tune_s = default_budget_s } };
    struct error error;
    int status = 0;
    request.effort.tuning.sampling.time_cap_s = default_time_cap_s;
    request.effort.tuning.sampling.cold_samples = 0;
    bool ran = take_arguments(&request, argc, argv, &error);
    if (ran && request.help) {
        (void)fputs(help, stdout);
        command_print_axes();
        (void)fputs(help_after, stdout);
    } else if (ran) {
        command_tell_confinement("best", &request.axes);
        ran = ask(&request, &status, &error);
    }
    axes_free(&request.axes);
    return ran ? status : command_fail("best", &error);
}
