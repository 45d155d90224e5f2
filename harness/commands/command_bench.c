/* pairmark bench — gate and time many cases, keep a row of each, and say which variant is fastest.
 */
#include "base/parse.h"
#include "base/strbuf.h"
#include "commands/command_table.h"
#include "commands/commands.h"
#include "files/fs.h"
#include "plan/campaign_preset.h"
#include "plan/plan_shard.h"
#include "plot/plot.h"
#include "record/campaign_repeats.h"
#include "record/environment.h"
#include "record/kept_kernels.h"
#include "run/campaign.h"
#include "run/visits.h"
#include "summary/summary.h"
#include "tune/tuning.h"
#include "worker/worker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double default_deadline_s = 300;

static const char help_before[] =
    "usage: pairmark bench [--preset NAME] [axes] [options] [-- Google Benchmark's options]\n"
    "\n"
    "Gates every case against the reference, times those that pass, and appends a row of\n"
    "each to DIR/rows.csv. Beside it: samples.csv, stages.csv, benchmark.json,\n"
    "environment.json, figures, summary.txt, and in kernels/ the texts that were compiled.\n"
    "\n"
    "Presets fill in the axes that are left open, for the device at hand (quick unless said):\n";

static const char help_options[] =
    "\n"
    "Options:\n"
    "  -o, --output DIR    a new folder for the results (results-DATE-HOST)\n"
    "  --resume DIR        go on with a folder: what has a row is not measured again; without\n"
    "                      axes, those of the folder's run; kernels are those that it keeps\n"
    "  --baseline NAME     variant that every time of the summary is set against (the fastest)\n"
    "  --visits N          time every case N times, each in another round, another order and "
    "another\n"
    "                      process, sharing samples and times: compare goes by their differences "
    "(3;\n"
    "                      fewer where a launch takes more than a twentieth of --time-cap)\n"
    "  --samples-min N     least samples of a case, of all visits together (11)\n"
    "  --samples-max N     most samples of a case (1000)\n"
    "  --noise F           stop when the median's relative error is below F (0.005)\n"
    "  --time-cap S        stop after S seconds of sampling, of all visits together (the "
    "preset's,\n"
    "                      else 0.5)\n"
    "  --warm-up S         run for S seconds first, likewise (0.02)\n"
    "  --cold N            launches with the cache flushed (5; 0: none)\n"
    "  --energy            launch on after sampling until the energy counter can tell: 0.9 to\n"
    "                      3 seconds per case, where the device counts energy\n"
    "  --twins N           time at most N cases twice, one in four, for a noise floor of the run\n"
    "                      (0; 8 with --visits 1)\n"
    "  --shuffle-seed N    of the order of cases (the time of day; recorded)\n"
    "  --deadline S        how long one case may take before it is a timeout (300)\n"
    "  --shard K/N         share K of N of the cases, for several machines: `pairmark merge` "
    "joins\n"
    "                      the folders\n"
    "  --tuned             tunables as `pairmark tune` found them on this device\n"
    "  --store FILE        where it kept them (tuned.csv in the cache folder)\n"
    "  --no-plot           draw no figures\n"
    "  --fail-fast         measure nothing more after a failure; --resume goes on\n"
    "  --verbose           tell every failure in full, not only the first of each variant and\n"
    "                      reason\n"
    "\n";

static const char help_after[] =
    "\n"
    "After `--`: --benchmark_filter=REGEX, --benchmark_repetitions=N, --benchmark_list_tests,\n"
    "--benchmark_enable_random_interleaving=true, --benchmark_out=FILE, ... (`-- --help`)\n"
    "\n"
    "Exit status: 0 all passed, 1 a case failed, 2 unusable arguments, 3 a device or system\n"
    "failure.\n";

struct request {
    struct axes axes;
    const char *preset, *output, *resume;
    const char *baseline; /* variant of the summary's ratios; NULL: the fastest */
    struct sampling sampling;
    bool time_cap_given, shuffle_seed_given;
    uint64_t shuffle_seed;
    uint64_t visits, repeats;
    bool repeats_given;
    double deadline_s;
    const char *store; /* of tunables; NULL: the usual one */
    struct plan_shard shard;
    bool tuned, no_plot, verbose, fail_fast, help;
    bool only_resume; /* nothing was said that decides what to measure */
    char **words;     /* after `--` */
    size_t word_count;
};

/* ---- the arguments ---- */

static bool to_samples(const char *option, const char *value, int least, int *samples,
                       struct error *error) {
    uint64_t count;
    if (!parse_count(value, &count) || count > MEASURE_MAX_SAMPLES || (int)count < least) {
        return fail(error, STATUS_BAD_INPUT, "%s '%s': expected a whole number from %d to %d",
                    option, value, least, MEASURE_MAX_SAMPLES);
    }
    *samples = (int)count;
    return true;
}

static bool to_positive(const char *option, const char *value, bool zero_too, double *number,
                        struct error *error) {
    if (!parse_double(value, number) || *number < 0 || (*number == 0 && !zero_too)) {
        return fail(error, STATUS_BAD_INPUT, "%s '%s': expected a %s number", option, value,
                    zero_too ? "non-negative" : "positive");
    }
    return true;
}

static bool to_seed(const char *option, const char *value, uint64_t *seed, struct error *error) {
    return parse_count(value, seed) ||
           fail(error, STATUS_BAD_INPUT, "%s '%s': expected a whole number from 0 to 2^53", option,
                value);
}

/* An option whose value is known. */
static bool take_option(void *context, const char *option, const char *value, struct error *error) {
    struct request *request = context;
    struct sampling *sampling = &request->sampling;
    if (strcmp(option, "-o") == 0 || strcmp(option, "--output") == 0) {
        request->output = value;
        return true;
    }
    if (strcmp(option, "--resume") == 0) {
        request->resume = value;
        return true;
    }
    if (strcmp(option, "--baseline") == 0) {
        request->baseline = value;
        return true;
    }
    request->only_resume = false;
    if (strcmp(option, "--preset") == 0) {
        request->preset = value;
        return true;
    } else if (strcmp(option, "--store") == 0) {
        request->store = value;
        return true;
    } else if (strcmp(option, "--shard") == 0) {
        return plan_shard_parse(option, value, &request->shard, error);
    } else if (strcmp(option, "--samples-min") == 0) {
        return to_samples(option, value, 1, &sampling->min_samples, error);
    } else if (strcmp(option, "--samples-max") == 0) {
        return to_samples(option, value, 1, &sampling->max_samples, error);
    } else if (strcmp(option, "--cold") == 0) {
        return to_samples(option, value, 0, &sampling->cold_samples, error);
    } else if (strcmp(option, "--noise") == 0) {
        return to_positive(option, value, false, &sampling->noise_target, error);
    } else if (strcmp(option, "--time-cap") == 0) {
        request->time_cap_given = true;
        return to_positive(option, value, false, &sampling->time_cap_s, error);
    } else if (strcmp(option, "--warm-up") == 0) {
        return to_positive(option, value, true, &sampling->warm_up_s, error);
    } else if (strcmp(option, "--shuffle-seed") == 0) {
        request->shuffle_seed_given = true;
        return to_seed(option, value, &request->shuffle_seed, error);
    } else if (strcmp(option, "--visits") == 0) {
        return (parse_count(value, &request->visits) && request->visits >= 1 &&
                request->visits <= MAX_VISITS) ||
               fail(error, STATUS_BAD_INPUT, "--visits '%s': expected a whole number from 1 to %d",
                    value, MAX_VISITS);
    } else if (strcmp(option, "--twins") == 0) {
        request->repeats_given = true;
        return parse_count(value, &request->repeats) ||
               fail(error, STATUS_BAD_INPUT, "--twins '%s': expected a whole number", value);
    }
    return to_positive(option, value, false, &request->deadline_s, error); /* --deadline */
}

static bool take_valued(struct request *request, int argc, char **argv, int *index, bool *taken,
                        struct error *error) {
    if (!command_take_own("bench", argc, argv, index, take_option, request, taken, error) ||
        (!*taken && !command_take_reference(argc, argv, index, NULL, taken, error))) {
        return false;
    }
    if (*taken) {
        return true;
    }
    if (!axes_take_option(&request->axes, argc, argv, index, taken, error)) {
        return false;
    }
    request->only_resume = request->only_resume && !*taken;
    return true;
}

static bool take_arguments(struct request *request, int argc, char **argv, struct error *error) {
    for (int i = 1; i < argc;) {
        bool taken;
        if (strcmp(argv[i], "--") == 0) {
            request->words = argv + i + 1;
            request->word_count = (size_t)(argc - i - 1);
            request->only_resume = false;
            break;
        }
        if (!take_valued(request, argc, argv, &i, &taken, error)) {
            return false;
        }
        if (taken) {
            continue;
        }
        if (strcmp(argv[i], "--tuned") == 0) {
            request->tuned = true;
            request->only_resume = false;
        } else if (strcmp(argv[i], "--no-plot") == 0) {
            request->no_plot = true;
        } else if (strcmp(argv[i], "--verbose") == 0) {
            request->verbose = true;
        } else if (strcmp(argv[i], "--fail-fast") == 0) {
            request->fail_fast = true;
        } else if (strcmp(argv[i], "--energy") == 0) {
            request->sampling.energy = true;
            request->only_resume = false;
        } else if (command_is_help(argv[i])) {
            request->help = true;
        } else {
            return command_unknown_option(argv[i], "bench", error);
        }
        i++;
    }
    return true;
}

static bool check_request(const struct request *request, struct error *error) {
    if (request->output && request->resume) {
        return fail(error, STATUS_BAD_INPUT,
                    "-o and --resume exclude each other: --resume goes on "
                    "in its own folder");
    }
    if (request->tuned && request->axes.tunes) {
        return fail(error, STATUS_BAD_INPUT,
                    "--tuned and --tune exclude each other: give the values or let them be found");
    }
    if (request->store && !request->tuned) {
        return fail(error, STATUS_BAD_INPUT, "--store: says where --tuned looks: give that, too");
    }
    if (request->sampling.min_samples > request->sampling.max_samples) {
        return fail(error, STATUS_BAD_INPUT, "--samples-min %d is more than --samples-max %d",
                    request->sampling.min_samples, request->sampling.max_samples);
    }
    return true;
}

static void request_begin(struct request *request) {
    *request = (struct request){ .sampling = sampling_defaults(),
                                 .deadline_s = default_deadline_s,
                                 .visits = DEFAULT_VISITS,
                                 .only_resume = true };
}

/* `--resume DIR` and nothing else: what the folder's own run was asked for. *recorded is the
 * command line that stands behind the request, for the caller to free. */
static bool take_recorded(struct request *request, char ***recorded, struct error *error) {
    uint64_t seed;
    const struct request own = *request; /* how to run, not what */
    const char *folder = request->resume;
    int count = 0;
    char *path = fs_join(folder, "environment.json", error);
    bool read = path && environment_read_command(path, recorded, &seed, error);
    free(path);
    if (!read) {
        return fail_within(error, "--resume %s without axes", folder);
    }
    while ((*recorded)[count]) {
        count++;
    }
    axes_free(&request->axes);
    request_begin(request);
    /* The first word is the program's name, and the second the command's. */
    if (count < 2 || strcmp((*recorded)[1], "bench") != 0) {
        return fail(error, STATUS_BAD_INPUT,
                    "--resume %s without axes: its environment.json records no command line of "
                    "bench",
                    folder);
    }
    if (!take_arguments(request, count - 1, *recorded + 1, error)) {
        return fail_within(error, "the command line that %s records", folder);
    }
    request->no_plot = own.no_plot || request->no_plot;
    request->baseline = own.baseline ? own.baseline : request->baseline;
    request->verbose = own.verbose;
    request->fail_fast = own.fail_fast;
    request->output = NULL;
    request->resume = folder;
    if (!request->shuffle_seed_given) {
        request->shuffle_seed = seed;
        request->shuffle_seed_given = true;
    }
    return true;
}

/* A folder's rows go on with the kernels that it keeps. A --variant-file that the user names now is
 * read as it is: campaign_run() refuses one that differs. */
static bool take_kept(struct request *request, bool is_recorded, struct error *error) {
    struct kept_kernels kept;
    if (!kept_kernels_read(request->resume, &kept, error)) {
        return fail_within(error, "--resume");
    }
    bool taken =
        kept_kernels_use(&kept, error) &&
        (!is_recorded || kept_kernels_point(&kept, request->resume, &request->axes, error));
    kept_kernels_free(&kept);
    return taken;
}

/* ---- devices and their plans ---- */

struct bench_device {
    struct plan plan;
    struct worker *worker;
};

struct bench {
    struct request request;
    char **recorded;     /* command line of the run that is resumed; NULL: our own counts */
    char **command_line; /* as recorded in environment.json */
    const struct preset *preset;
    char **names; /* of devices; NULL: the best one */
    struct bench_device *devices;
    struct campaign_part *parts;
    size_t count;
    size_t left_out;
    size_t planned;               /* cases of all devices, before they were shared out */
    char plan_id[HASH_TEXT_SIZE]; /* of all of them; "": they are not */
};

static bool rates_of(void *context, struct device_rates *rates, struct error *error) {
    return worker_rates(context, rates, error);
}

static void measure_by(void *context, size_t case_index, const struct sampling *sampling,
                       struct measurement *measurement) {
    worker_measure(context, case_index, sampling, measurement);
}

static void renew_worker(void *context) {
    worker_renew(context);
}

/* A worker without a plan tells what the device is, which the plan depends on. */
static bool describe_device(const char *name, double deadline_s, struct device_info *info,
                            struct error *error) {
    const struct plan nothing = { 0 };
    struct worker *worker;
    if (!worker_create(&nothing, name, deadline_s, &worker, error)) {
        return false;
    }
    bool described = worker_device(worker, info, error);
    worker_free(worker);
    return described;
}

/* The cases of all spans of the preset. */
static bool span_preset(const struct bench *bench, const struct device_info *info,
                        struct plan *plan, struct error *error) {
    const struct axes *given = &bench->request.axes;
    *plan = (struct plan){ 0 };
    for (size_t s = 0; s < preset_span_count(bench->preset); s++) {
        struct axes filled = *given;
        struct plan span = { 0 };
        if (!preset_span_serves(bench->preset, s, given)) {
            continue;
        }
        bool made = preset_fill(bench->preset, s, info, &filled, error) &&
                    plan_make(&filled, s == 0 ? plan : &span, error);
        preset_release(given, &filled);
        if (!made || (s > 0 && !plan_join(plan, &span, error))) {
            return false;
        }
    }
    return true;
}

/* Of several devices each plan is shared out by itself. */
static bool take_shard(struct bench *bench, struct plan *plan, struct error *error) {
    char id[HASH_TEXT_SIZE];
    bench->planned += plan->count;
    if (bench->request.shard.of == 0) {
        return true;
    }
    if (!plan_shard_take(&bench->request.shard, plan, id, error)) {
        return false;
    }
    struct hash_state *hash = hash_begin();
    hash_add_string(hash, bench->plan_id);
    hash_add_string(hash, id);
    hash_end(hash, bench->plan_id);
    return true;
}

static bool make_plan(struct bench *bench, const struct device_info *info, struct plan *plan,
                      struct error *error) {
    const struct axes *given = &bench->request.axes;
    size_t too_long = 0;
    if (!span_preset(bench, info, plan, error) ||
        !preset_shape(bench->preset, info, given, plan, &too_long, error)) {
        return false;
    }
    if (plan->count == 0) {
        return fail(error, STATUS_BAD_INPUT, "the axes span no case: %zu combinations are left out",
                    plan->left_out);
    }
    if (bench->request.tuned &&
        !tuning_apply_stored(bench->request.store, info, plan, stderr, error)) {
        return false;
    }
    if (!take_shard(bench, plan, error)) {
        return false;
    }
    (void)fprintf(stderr, "pairmark bench: %zu case%s on %s (%s)", plan->count,
                  plan->count == 1 ? "" : "s", info->name, info->model);
    if (too_long > 0) {
        (void)fprintf(stderr, "; left out: %zu all-pairs cases of an N that would take too long",
                      too_long);
    }
    if (plan->left_out > too_long) {
        (void)fprintf(stderr, "; left out: %zu combinations that make no sense",
                      plan->left_out - too_long);
    }
    (void)fputc('\n', stderr);
    bench->left_out += plan->left_out;
    return true;
}

static bool open_device(struct bench *bench, size_t index, struct error *error) {
    struct bench_device *device = &bench->devices[index];
    struct campaign_part *part = &bench->parts[index];
    const char *name = bench->names ? bench->names[index] : NULL;
    double deadline_s = bench->request.deadline_s;
    if (!describe_device(name, deadline_s, &part->info, error) ||
        !make_plan(bench, &part->info, &device->plan, error) ||
        !worker_create(&device->plan, name, deadline_s, &device->worker, error)) {
        return false;
    }
    for (size_t i = 0; i < index; i++) {
        if (strcmp(bench->parts[i].info.name, part->info.name) == 0) {
            return fail(error, STATUS_BAD_INPUT, "--device: %s is given twice", part->info.name);
        }
    }
    part->plan = &device->plan;
    part->measurer = (struct campaign_measurer){
        .context = device->worker, .rates = rates_of, .measure = measure_by, .renew = renew_worker
    };
    return true;
}

static bool open_devices(struct bench *bench, struct error *error) {
    const char *list = bench->request.axes.device;
    bench->count = 1;
    if (list) {
        bench->names = split_list(list, ',');
        bench->count = 0;
        while (bench->names && bench->names[bench->count]) {
            bench->count++;
        }
    }
    bench->devices = calloc(bench->count + 1, sizeof *bench->devices);
    bench->parts = calloc(bench->count + 1, sizeof *bench->parts);
    if ((list && !bench->names) || !bench->devices || !bench->parts) {
        return fail_out_of_memory(error, "the devices");
    }
    for (size_t i = 0; i < bench->count; i++) {
        if (!open_device(bench, i, error)) {
            return false;
        }
    }
    return true;
}

/* The baseline is one of the variants that run. */
static bool check_baseline(const struct bench *bench, struct error *error) {
    const char *baseline = bench->request.baseline;
    const char *last = "";
    struct strbuf choices = { 0 };
    bool found = !baseline || bench->request.shard.of > 0; /* it may be another share's */
    for (size_t d = 0; d < bench->count && !found; d++) {
        const struct plan *plan = &bench->devices[d].plan;
        for (size_t i = 0; i < plan->count && !found; i++) {
            const char *name = plan->cases[i].variant->name;
            found = strcmp(name, baseline) == 0;
            if (strcmp(name, last) != 0 && d == 0) {
                strbuf_append(&choices, "%s%s", *last ? ", " : "", name);
            }
            last = name;
        }
    }
    if (!found) {
        (void)fail(error, STATUS_BAD_INPUT, "--baseline '%.100s': not run here; expected one of %s",
                   baseline, choices.data ? choices.data : "the variants that run");
    }
    strbuf_free(&choices);
    return found;
}

/* ---- the run ---- */

static bool keep_command_line(struct bench *bench, int argc, char **argv, struct error *error) {
    static char program[] = "pairmark";
    if (bench->recorded) {
        bench->command_line = bench->recorded;
        return true;
    }
    bench->command_line = calloc((size_t)argc + 2, sizeof *bench->command_line);
    if (!bench->command_line) {
        return fail_out_of_memory(error, "the command line");
    }
    bench->command_line[0] = program;
    memcpy(bench->command_line + 1, argv, (size_t)argc * sizeof *argv);
    return true;
}

static void draw_figures(const char *directory) {
    struct error error;
    if (!plot_directory(directory, stderr, &error)) {
        (void)fprintf(stderr, "pairmark bench: no figures: %s\n", error.message);
    }
}

static int exit_status(const struct campaign_tally *tally) {
    if (tally->signal) {
        return 128 + tally->signal;
    }
    if (tally->system > 0) {
        return status_exit_code(STATUS_SYSTEM);
    }
    if (tally->failed > 0) {
        return status_exit_code(STATUS_WRONG);
    }
    return tally->bad_input > 0 ? status_exit_code(STATUS_BAD_INPUT) : 0;
}

/* Rows that passed are not taken back: who reads them is told what was found since. */
static void tell_accusations(const struct bench *bench, struct campaign_tally *tally) {
    for (size_t i = 0; i < bench->count; i++) {
        const char *words;
        for (size_t k = 0; (words = worker_accusation(bench->devices[i].worker, k)); k++) {
            (void)fprintf(stderr, "pairmark bench: %s: %s\n", bench->parts[i].info.name, words);
            tally->failed++;
        }
    }
}

/* Visits tell more of a run's noise than repeats do. */
static size_t repeats_of(const struct request *request) {
    if (request->repeats_given) {
        return (size_t)request->repeats;
    }
    return request->visits > 1 ? 0 : DEFAULT_REPEATS;
}

/* --exclude also takes a word. */
static bool names_file(const char *exclude) {
    return exclude && strcmp(exclude, "molecule") != 0;
}

static bool run_campaign(struct bench *bench, const struct bench_options *wishes, int *status,
                         struct error *error) {
    const struct request *request = &bench->request;
    char folder[128];
    struct campaign_tally tally;
    struct summary_settings summary = { .command_line = bench->command_line,
                                        .baseline = request->baseline,
                                        .questions = preset_has_questions(bench->preset),
                                        .results = wishes->own_display ? stderr : stdout };
    const struct environment_shard shard = { .index = request->shard.index,
                                             .of = request->shard.of,
                                             .cases = bench->planned,
                                             .plan = bench->plan_id };
    environment_default_folder(folder, sizeof folder);
    struct campaign_settings settings = {
        .directory = request->resume   ? request->resume
                     : request->output ? request->output
                                       : folder,
        .resume = request->resume != NULL,
        .sampling = request->sampling,
        .shuffle_seed = request->shuffle_seed_given ? request->shuffle_seed : (uint64_t)time(NULL),
        .visits = (size_t)request->visits,
        .repeats = repeats_of(request),
        .wishes = *wishes,
        .fail_fast = request->fail_fast,
        .preset = request->preset ? request->preset : "quick",
        .interaction = request->axes.interaction_file,
        .table = request->axes.table,
        .exclusions = names_file(request->axes.exclude) ? request->axes.exclude : NULL,
        .terms = { request->axes.bonds, request->axes.angles, request->axes.torsions,
                   request->axes.rb_torsions, request->axes.constraints },
        .left_out = bench->left_out,
        .deadline_s = request->deadline_s,
        .command_line = bench->command_line,
        .shard = shard.of > 0 ? &shard : NULL,
        .verbose = request->verbose,
        .log = stderr,
        .conclude = summary_conclude,
        .context = &summary,
    };
    if (!campaign_run(bench->parts, bench->count, &settings, &tally, error)) {
        return false;
    }
    tell_accusations(bench, &tally);
    *status = exit_status(&tally);
    if (!wishes->lists_only) {
        if (!request->no_plot && !tally.signal) {
            draw_figures(settings.directory);
        }
        (void)fprintf(stderr, "pairmark bench: results in %s\n", settings.directory);
        if (tally.signal) {
            (void)fprintf(stderr,
                          "pairmark bench: interrupted; pairmark bench --resume %s goes on\n",
                          settings.directory);
        }
    }
    return true;
}

static bool bench_run(struct bench *bench, int argc, char **argv, int *status,
                      struct error *error) {
    struct request *request = &bench->request;
    struct bench_options wishes;
    if (request->resume && request->only_resume &&
        !take_recorded(request, &bench->recorded, error)) {
        return false;
    }
    if (request->resume && !take_kept(request, bench->recorded != NULL, error)) {
        return false;
    }
    bench->preset = preset_find(request->preset ? request->preset : "quick", error);
    if (!bench->preset || !check_request(request, error) ||
        !gbench_take_words(request->words, request->word_count, &wishes, error)) {
        return false;
    }
    if (!request->time_cap_given) {
        preset_sampling(bench->preset, &request->sampling);
    }
    return keep_command_line(bench, argc, argv, error) && open_devices(bench, error) &&
           check_baseline(bench, error) && run_campaign(bench, &wishes, status, error);
}

static void bench_free(struct bench *bench) {
    for (size_t i = 0; bench->devices && bench->parts && i < bench->count; i++) {
        worker_free(bench->devices[i].worker);
        plan_free(&bench->devices[i].plan);
    }
    if (bench->command_line != bench->recorded) {
        free(bench->command_line);
    }
    free(bench->recorded);
    free(bench->names);
    free(bench->devices);
    free(bench->parts);
    axes_free(&bench->request.axes);
}

static void print_help(void) {
    struct strbuf presets = { 0 };
    preset_describe(&presets);
    (void)printf("%s%s%s", help_before, presets.data ? presets.data : "", help_options);
    command_print_axes();
    (void)fputs(help_after, stdout);
    strbuf_free(&presets);
}

int command_bench(int argc, char **argv) {
    struct bench bench = { 0 };
    struct error error;
    int status = 0;
    request_begin(&bench.request);
    bool ran = take_arguments(&bench.request, argc, argv, &error);
    if (ran && bench.request.help) {
        print_help();
    } else if (ran) {
        command_tell_confinement("bench", &bench.request.axes);
        ran = bench_run(&bench, argc, argv, &status, &error);
    }
    bench_free(&bench);
    return ran ? status : command_fail("bench", &error);
}
