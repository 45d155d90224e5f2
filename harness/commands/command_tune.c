/* pairmark tune — the best tunables of variants on this device, kept where `bench --tuned` finds
 * them. */
#include "base/parse.h"
#include "base/quantity.h"
#include "commands/command_table.h"
#include "commands/commands.h"
#include "run/campaign_signals.h"
#include "system/clock.h"
#include "tune/tuning.h"
#include "tune/tuning_sweep.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double default_deadline_s = 300;
static const double default_time_cap_s = 0.2;

static const char help[] =
    "usage: pairmark tune [axes] [options]\n"
    "\n"
    "Tries the values of each variant's tunables on this device, in all combinations, and keeps "
    "the\n"
    "best where `pairmark bench --tuned` finds them. Every combination passes the gate before and\n"
    "after it is timed: one that is wrong never wins. The fastest is timed three times more in "
    "turns\n"
    "with the preset, and replaces it only where it is ahead by more than the times of either\n"
    "differ among themselves. --tune NAME=V,... restricts the values that are tried.\n"
    "\n"
    "What is kept holds for the device's model and backend, workload, variant, precision,\n"
    "interaction, outputs, way of adding up, groups, box, density, cutoff, and N by powers of 4: "
    "1024\n"
    "to 4095, 4096 to 16383, ... It holds until the kernel text changes.\n"
    "\n"
    "Options:\n"
    "  --budget S        stop after about S seconds (60, 60s, 5m): a random part of the "
    "combinations\n"
    "  --store FILE      where the best are kept (tuned.csv in the cache folder)\n"
    "  --with-build      count the building of structures: for positions that change each time\n"
    "  --time-cap S      sample each combination for at most S seconds (0.2)\n"
    "  --shuffle-seed N  of the order in which combinations are tried (1)\n"
    "  --deadline S      how long one combination may take before it is a timeout (300)\n"
    "\n";

static const char help_after[] =
    "\n"
    "Exit status: 0 done, 1 a combination was wrong or a variant had none that passed, 2 unusable\n"
    "arguments, 3 a device or system failure.\n";

struct tune_request {
    struct axes axes;
    const char *store;
    double budget_s; /* INFINITY: none */
    uint64_t seed;
    double deadline_s;
    struct tuning_effort effort;
    bool help;
};

/* ---- the arguments ---- */

static bool take_option(void *context, const char *option, const char *value, struct error *error) {
    struct tune_request *request = context;
    if (strcmp(option, "--store") == 0) {
        request->store = value;
        return true;
    }
    if (strcmp(option, "--budget") == 0) {
        return command_take_duration(option, value, &request->budget_s, error);
    }
    if (strcmp(option, "--time-cap") == 0) {
        return command_take_duration(option, value, &request->effort.sampling.time_cap_s, error);
    }
    if (strcmp(option, "--deadline") == 0) {
        return command_take_duration(option, value, &request->deadline_s, error);
    }
    return parse_count(value, &request->seed) ||
           fail(error, STATUS_BAD_INPUT, "%s '%s': expected a whole number", option, value);
}

static bool take_valued(struct tune_request *request, int argc, char **argv, int *index,
                        bool *taken, struct error *error) {
    return command_take_own("tune", argc, argv, index, take_option, request, taken, error) &&
           (*taken || command_take_reference(argc, argv, index, NULL, taken, error)) &&
           (*taken || axes_take_option(&request->axes, argc, argv, index, taken, error));
}

static bool take_arguments(struct tune_request *request, int argc, char **argv,
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
            request->effort.builds = 1;
        } else if (command_is_help(argv[i])) {
            request->help = true;
        } else {
            return command_unknown_option(argv[i], "tune", error);
        }
        i++;
    }
    return true;
}

/* ---- answers ---- */

/* One device being tuned. */
struct tuning_run {
    const struct tune_request *request;
    const struct tuning_sweep *sweep;
    const char *store;
    struct worker *worker;
    struct device_info info;
    size_t wrong, without; /* combinations that were wrong; questions with none that passed */
};

static void measure_by(void *context, size_t case_index, const struct sampling *sampling,
                       struct measurement *measurement) {
    worker_measure(context, case_index, sampling, measurement);
}

/* What the noise allows to say. */
static void outcome_words(const struct tuning_result *result, char *words, size_t size) {
    char fastest[TUNING_WORDS_SIZE];
    tunings_describe(&result->fastest, fastest, sizeof fastest);
    if (result->outcome == TUNING_NONE) {
        (void)snprintf(words, size, "nothing passed its gate");
    } else if (result->outcome == TUNING_BETTER && isnan(result->preset_s)) {
        (void)snprintf(words, size, "%s (the preset does not pass)", fastest);
    } else if (result->outcome == TUNING_BETTER) {
        (void)snprintf(words, size, "%s", fastest);
    } else if (isnan(result->noise)) {
        (void)snprintf(words, size, "the preset is the fastest%s",
                       result->tried < result->combinations ? " of those tried" : "");
    } else {
        (void)snprintf(words, size, "the preset: %s is within the noise", fastest);
    }
}

static void print_heading(const struct tuning_run *run) {
    (void)printf("%s (%s)\n%-26s %-9s %10s %9s %9s %9s %7s %6s  %s\n", run->info.name,
                 run->info.model, "variant", "precision", "N", "tried", "preset", "fastest",
                 "ratio", "noise", "kept");
}

static void print_answer(const struct case_spec *spec, const struct tuning_result *result) {
    char preset[24], best[24], noise[24], tried[32], words[TUNING_WORDS_SIZE + 64];
    quantity_seconds(result->preset_s, preset, sizeof preset);
    quantity_seconds(result->best_s, best, sizeof best);
    (void)snprintf(noise, sizeof noise, isnan(result->noise) ? "-" : "%.1f %%",
                   100 * result->noise);
    (void)snprintf(tried, sizeof tried, "%zu/%zu", result->tried, result->combinations);
    outcome_words(result, words, sizeof words);
    (void)printf("%-26s %-9s %10zu %9s %9s %9s %6.2fx %6s  %s\n", spec->variant->name,
                 precision_name(spec->precision), spec->box.n, tried, preset, best, result->ratio,
                 noise, words);
    (void)fflush(stdout);
}

static bool answer_all(struct tuning_run *run, struct error *error) {
    const struct tuning_sweep *sweep = run->sweep;
    const struct campaign_measurer measurer = { .context = run->worker, .measure = measure_by };
    double end_s = clock_s() + run->request->budget_s;
    for (size_t q = 0; q < sweep->count && !campaign_signals_noted(); q++) {
        const struct case_spec *spec = &sweep->plan.cases[sweep->questions[q].first];
        struct tuning_result result;
        if (!tuning_answer(sweep, q, &measurer, &run->request->effort, end_s, sweep->count - q,
                           &result, error)) {
            return false;
        }
        run->wrong += result.wrong;
        if (result.outcome == TUNING_INTERRUPTED) {
            break;
        }
        run->without += result.outcome == TUNING_NONE;
        print_answer(spec, &result);
        if (result.outcome != TUNING_NONE &&
            !tuning_keep(run->store, spec, &run->info, &result, error)) {
            return false;
        }
    }
    return true;
}

static bool tune_device(struct tuning_run *run, const char *device, struct error *error) {
    if (!worker_create(&run->sweep->plan, device, run->request->deadline_s, &run->worker, error)) {
        return false;
    }
    worker_isolate_variants(run->worker);
    bool done = command_open_device(run->worker, device, &run->info, error);
    if (done) {
        print_heading(run);
        done = answer_all(run, error);
    }
    worker_free(run->worker);
    return done;
}

static int conclude(const struct tuning_run *run) {
    if (campaign_signals_noted()) {
        (void)fprintf(stderr, "pairmark tune: interrupted; what was found before is in %s\n",
                      run->store);
        return 128 + campaign_signals_noted();
    }
    (void)printf("kept in %s\n", run->store);
    if (run->wrong > 0) {
        (void)fprintf(stderr, "pairmark tune: %zu times a combination was wrong\n", run->wrong);
    }
    return run->wrong > 0 || run->without > 0 ? status_exit_code(STATUS_WRONG) : 0;
}

static bool tune(const struct tune_request *request, int *status, struct error *error) {
    char path[PATH_MAX];
    struct tuning_sweep sweep = { 0 };
    struct campaign_signals signals;
    struct tuning_run run = { .request = request, .sweep = &sweep, .store = path };
    char **devices = split_list(request->axes.device ? request->axes.device : "", ',');
    campaign_signals_catch(&signals);
    bool done = (devices || fail_out_of_memory(error, "--device")) &&
                tuning_store_path(request->store, path, sizeof path, error) &&
                tuning_sweep_make(&request->axes, request->seed, &sweep, error) &&
                tuning_store_check(path, stderr, error);
    for (size_t i = 0; done && devices[i] && !campaign_signals_noted(); i++) {
        done = tune_device(&run, devices[i], error);
    }
    if (done) {
        *status = conclude(&run);
    }
    campaign_signals_restore(&signals);
    tuning_sweep_free(&sweep);
    free(devices);
    return done;
}

int command_tune(int argc, char **argv) {
    struct tune_request request = { .budget_s = INFINITY,
                                    .seed = 1,
                                    .deadline_s = default_deadline_s,
                                    .effort = { .sampling = sampling_defaults(), .log = stderr } };
    struct error error;
    int status = 0;
    request.effort.sampling.time_cap_s = default_time_cap_s;
    request.effort.sampling.cold_samples = 0;
    bool ran = take_arguments(&request, argc, argv, &error);
    if (ran && request.help) {
        (void)fputs(help, stdout);
        command_print_axes();
        (void)fputs(help_after, stdout);
    } else if (ran) {
        command_tell_confinement("tune", &request.axes);
        ran = tune(&request, &status, &error);
    }
    axes_free(&request.axes);
    return ran ? status : command_fail("tune", &error);
}
