/* pairmark tune — the best tunables of variants on this device, kept where `bench --tuned` finds
 * them. */
#include "commands/command_parts.h"
#include "commands/commands.h"
#include "commands/search/search.h"
#include "core/host.h"
#include "core/quantity.h"
#include "core/strings.h"
#include "measure/program.h"

#include <math.h>
#include <string.h>

/* ---- what best has in common with it ---- */

static const double default_deadline_s = 300;
static const double default_time_cap_s = 0.2;

struct tuning_request tuning_request_defaults(void) {
    struct tuning_request request = { .budget_s = INFINITY,
                                      .seed = 1,
                                      .deadline_s = default_deadline_s,
                                      .effort = { .sampling = sampling_defaults(),
                                                  .log = stderr } };
    request.effort.sampling.time_cap_s = default_time_cap_s;
    request.effort.sampling.cold_samples = 0;
    return request;
}

bool tuning_request_begin(struct tuning_request *request, enum tuning_breadth breadth,
                          struct error *error) {
    return tuning_store_path(request->store_option, request->store, sizeof request->store, error) &&
           tuning_sweep_make(&request->axes, request->seed, breadth, &request->sweep, error) &&
           tuning_store_check(request->store, stderr, error);
}

void tuning_request_end(struct tuning_request *request) {
    tuning_sweep_free(&request->sweep);
}

bool tuning_request_open(struct tuning_request *request, const char *device, struct error *error) {
    request->worker =
        worker_create(plan_worker_cases(&request->sweep.plan), device, request->deadline_s);
    worker_isolate_variants(request->worker);
    return command_open_device(request->worker, device, &request->info, error);
}

const struct case_spec *tuning_request_case(const struct tuning_request *request, size_t question) {
    return &request->sweep.plan.cases[request->sweep.questions[question].first];
}

int tuning_request_exit_code(const struct tuning_request *request, const char *command,
                             const char *what) {
    if (request->wrong > 0) {
        (void)fprintf(stderr, "pairmark %s: %zu times a %s was wrong\n", command, request->wrong,
                      what);
    }
    if (request->wrong > 0 || request->without > request->unusable) {
        return status_exit_code(STATUS_WRONG);
    }
    return request->unusable > 0 ? status_exit_code(STATUS_BAD_INPUT) : 0;
}

/* ---- answers ---- */

/* What is kept, and what the noise allows to say of it. */
static void outcome_words(const struct tuning_result *result, char *words, size_t size) {
    char fastest[TUNING_WORDS_SIZE];
    char best[TUNING_WORDS_SIZE];
    tunings_describe(&result->fastest, fastest, sizeof fastest);
    tunings_describe(&result->best, best, sizeof best);
    if (result->outcome == TUNING_NONE) {
        (void)snprintf(words, size, "nothing passed its gate");
    } else if (result->outcome == TUNING_BETTER && isnan(result->preset_s)) {
        (void)snprintf(words, size, "%s (the preset does not pass)", fastest);
    } else if (result->outcome == TUNING_BETTER) {
        (void)snprintf(words, size, "%s", fastest);
    } else if (isnan(result->noise)) {
        (void)snprintf(words, size, "%s (the preset, the fastest%s)", best,
                       result->tried < result->combinations ? " of those tried" : "");
    } else {
        (void)snprintf(words, size, "%s (the preset; %s is within the noise)", best, fastest);
    }
}

static void print_heading(const struct device_info *info) {
    (void)printf("%s (%s)\n%-22s %-9s %7s %6s %8s %8s %7s %6s%s\n", info->name, info->model,
                 "variant", "precision", "N", "tried", "preset", "fastest", "ratio", "noise",
                 terminal_columns(stdout) > TERMINAL_DEFAULT_COLUMNS + 6 ? "  kept" : "");
}

/* What is kept stands under the rest of its line where that would be too long with it. */
static void print_answer(const struct case_spec *spec, const struct tuning_result *result) {
    char tried[32], words[2 * TUNING_WORDS_SIZE + 64];
    (void)snprintf(tried, sizeof tried, "%zu/%zu", result->tried, result->combinations);
    outcome_words(result, words, sizeof words);
    const int length =
        printf("%-22s %-9s %7zu %6s %8s %8s %6sx %6s", spec->variant->name,
               precision_name(spec->precision), spec->box.n, tried,
               quantity_seconds(result->preset_s).text, quantity_seconds(result->best_s).text,
               quantity_ratio(result->ratio).text, quantity_percent(result->noise).text);
    const bool fits = length + 2 + (int)strlen(words) <= terminal_columns(stdout);
    (void)printf("%s  %s\n", fits ? "" : "\n", words);
    (void)fflush(stdout);
}

static bool answer_all(struct tuning_request *request, struct error *error) {
    const struct tuning_sweep *sweep = &request->sweep;
    const struct campaign_measurer measurer = worker_measurer(request->worker);
    double end_s = clock_s() + request->budget_s;
    for (size_t q = 0; q < sweep->count && !signals_noted(); q++) {
        const struct case_spec *spec = tuning_request_case(request, q);
        struct tuning_result result;
        tuning_answer(
            sweep, q,
            &(struct tuning_means){ &measurer, &request->effort, end_s, sweep->count - q },
            &result);
        request->wrong += result.wrong;
        if (result.outcome == TUNING_INTERRUPTED) {
            break;
        }
        request->without += result.outcome == TUNING_NONE;
        print_answer(spec, &result);
        if (result.outcome != TUNING_NONE &&
            !tuning_keep(request->store, spec, &request->info, &result, error)) {
            return false;
        }
    }
    return true;
}

static bool begin(void *context, struct error *error) {
    return tuning_request_begin(context, TUNING_ALL, error);
}

static bool tune_device(void *context, const char *device, struct error *error) {
    struct tuning_request *request = context;
    bool done = tuning_request_open(request, device, error);
    if (done) {
        print_heading(&request->info);
        done = answer_all(request, error);
    }
    worker_free(request->worker);
    return done;
}

static int conclude(void *context, bool interrupted) {
    const struct tuning_request *request = context;
    if (interrupted) {
        (void)fprintf(stderr, "pairmark tune: interrupted; what was found before is in %s\n",
                      request->store);
        return 0;
    }
    (void)printf("kept in %s\n", request->store);
    return tuning_request_exit_code(request, "tune", "combination");
}

static void end(void *context) {
    tuning_request_end(context);
}

static void start(void *context) {
    *(struct tuning_request *)context = tuning_request_defaults();
}

static int run(void *context, struct error *error) {
    static const struct sweep tune = {
        .begin = begin, .ask_device = tune_device, .conclude = conclude, .end = end
    };
    return command_sweep(&tune_command, &tune, context, error);
}

static const struct command_option options[] = {
    { "--budget", .placeholder = "S",
      .help = "stop after about S seconds (60, 60s, 5m): combinations near "
              "the fastest so far are tried first",
      OPTION_DURATION(struct tuning_request, budget_s) },
    { "--store", .placeholder = "FILE", .values = OPTION_FILE,
      .help = "where the best are kept (tuned.csv in the cache folder)",
      OPTION_STORED(struct tuning_request, store_option) },
    { "--with-build",
      .help = "count the building of structures: for positions that change each time",
      OPTION_POSITIVE(struct tuning_request, effort.builds) },
    { "--time-cap", .placeholder = "S",
      .help = "sample each combination for at most S seconds (0.2)",
      OPTION_DURATION(struct tuning_request, effort.sampling.time_cap_s) },
    { "--shuffle-seed", .placeholder = "N",
      .help = "of the order in which combinations are tried (1)",
      OPTION_COUNT(struct tuning_request, seed, 0, OPTION_ANY) },
    { "--deadline", .placeholder = "S",
      .help = "how long one combination may take before it is a timeout (300)",
      OPTION_DURATION(struct tuning_request, deadline_s) },
    { .name = NULL },
};

const struct command tune_command = { .name = "tune",
                                      .summary =
                                          "find the best tunables of variants on this device",
                                      .run = run,
                                      COMMAND_REQUEST(struct tuning_request),
                                      .begin = start,
                                      COMMAND_AXES(struct tuning_request, axes),
                                      .options = options,
                                      .takes_axes = true,
                                      .runs_kernels = true };
