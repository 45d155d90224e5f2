/* pairmark bench — gate and time many cases, keep a row of each, and say which variant is fastest.
 */
#include "answers/plot/plot.h"

#include "answers/report/report.h"
#include "answers/summary/summary.h"
#include "answers/tables/analysis.h"
#include "campaign/campaign.h"
#include "campaign/plan/plan.h"
#include "campaign/rows/rows.h"
#include "campaign/rows/run_folder.h"
#include "campaign/visits.h"
#include "commands/command_parts.h"
#include "commands/commands.h"
#include "commands/search/stored_tunables.h"
#include "core/embedded.h"
#include "core/files.h"
#include "core/strings.h"
#include "kernels/header/read_variant.h"
#include "kernels/potentials/exclusions.h"
#include "measure/program.h"
#include "measure/worker/worker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- the request ---- */

/* The command line, or the one that a run records. */
struct bench_request {
    struct axes axes;
    const char *preset, *output, *resume;
    const char *baseline; /* variant of the summary's ratios; NULL: the fastest */
    struct sampling sampling;
    bool time_cap_given, shuffle_seed_given;
    uint64_t shuffle_seed;
    uint64_t visits, most_visits, twins;
    bool visits_given;
    bool twins_given;
    double deadline_s;
    enum concurrency concurrency;
    const char *store; /* of tunables; NULL: the usual one */
    struct plan_shard shard;
    bool tuned, no_plot, verbose, fail_fast, despite_checksums;
    char **argv; /* the whole command line, from the command's name on */
    int argc;
    char **words; /* after `--`, which are Google Benchmark's */
    size_t word_count;
};

static const double default_deadline_s = 300;

/* "3": just so many; "3..24": more where a case stays unclear. */
static bool take_visits(const char *value, struct bench_request *request) {
    char least[24];
    const char *dots = strstr(value, "..");
    const size_t length = dots ? (size_t)(dots - value) : strlen(value);
    (void)snprintf(least, sizeof least, "%.*s", (int)length, value);
    request->visits_given = true;
    return length < sizeof least && parse_count(least, &request->visits) &&
           parse_count(dots ? dots + 2 : least, &request->most_visits) && request->visits >= 1 &&
           request->most_visits >= request->visits && request->most_visits <= MAX_VISITS;
}

static bool bench_take_option(void *context, const char *option, const char *value,
                              struct error *error) {
    struct bench_request *request = context;
    if (strcmp(option, "--concurrent") == 0) {
        return lanes_parse(option, value, &request->concurrency, error);
    }
    if (strcmp(option, "--shard") == 0) {
        return plan_shard_parse(option, value, &request->shard, error);
    }
    return take_visits(value, request) ||
           fail(error, STATUS_BAD_INPUT,
                "--visits '%s': expected a whole number from 1 to %d, or two as in 3..24", value,
                MAX_VISITS);
}

static const struct command_option bench_options[] = {
    { "--preset", .placeholder = "NAME", .values = OPTION_PRESET, .help = "one of those above",
      OPTION_STORED(struct bench_request, preset) },
    { "--output", "-o", "DIR", .values = OPTION_FOLDER,
      .help = "a new folder for the results (results-DATE-HOST)",
      OPTION_STORED(struct bench_request, output) },
    { "--resume", .placeholder = "DIR", .values = OPTION_FOLDER,
      .help = "go on with a folder: what has a row is not measured again; without axes, those of "
              "the folder's run, with its options where none are given; kernels are those that it "
              "keeps",
      OPTION_STORED(struct bench_request, resume) },
    { "--despite-checksums",
      .help = "--resume also a run that does not fit its checksums: what is written says so",
      OPTION_STORED(struct bench_request, despite_checksums) },
    { "--baseline", .placeholder = "NAME",
      .help = "variant that every time of the summary is set against (the fastest)",
      OPTION_STORED(struct bench_request, baseline) },
    { "--visits", .placeholder = "N[..M]",
      .help = "time every case in N sweeps over all cases, each in another order and process, and "
              "up to M times where that leaves a change of 3 % unclear (3..24; on processors 3). "
              "Visits share samples and times. Fewer where a launch takes more than a twentieth of "
              "--time-cap" },
    { "--samples-min", .placeholder = "N",
      .help = "least samples of a case, of all visits together (11)",
      OPTION_INT(struct bench_request, sampling.min_samples, 1, MEASURE_MAX_SAMPLES) },
    { "--samples-max", .placeholder = "N", .help = "most samples of a case (1000)",
      OPTION_INT(struct bench_request, sampling.max_samples, 1, MEASURE_MAX_SAMPLES) },
    { "--noise", .placeholder = "F",
      .help = "stop when the median's relative error is below F (0.005)",
      OPTION_POSITIVE(struct bench_request, sampling.noise_target) },
    { "--time-cap", .placeholder = "S",
      .help = "stop after S seconds of sampling, of all visits together (the preset's, else 0.5)",
      OPTION_DURATION(struct bench_request, sampling.time_cap_s),
      OPTION_NOTED(struct bench_request, time_cap_given) },
    { "--warm-up", .placeholder = "S", .help = "run for S seconds first, likewise (0.02)",
      OPTION_AT_LEAST(struct bench_request, sampling.warm_up_s, 0) },
    { "--cold", .placeholder = "N", .help = "launches with the cache flushed (5; 0: none)",
      OPTION_INT(struct bench_request, sampling.cold_samples, 0, MEASURE_MAX_SAMPLES) },
    { "--energy",
      .help = "launch on after sampling until the energy counter resolves it: 0.9 to 3 seconds per "
              "case, where the device counts energy",
      OPTION_STORED(struct bench_request, sampling.energy) },
    { "--twins", .placeholder = "N",
      .help = "time at most N cases twice, one in four, for a noise floor of the run (0; 8 with "
              "--visits 1)",
      OPTION_COUNT(struct bench_request, twins, 0, OPTION_ANY),
      OPTION_NOTED(struct bench_request, twins_given) },
    { "--shuffle-seed", .placeholder = "N",
      .help = "of the order of cases (the time of day; recorded)",
      OPTION_COUNT(struct bench_request, shuffle_seed, 0, OPTION_ANY),
      OPTION_NOTED(struct bench_request, shuffle_seed_given) },
    { "--deadline", .placeholder = "S",
      .help = "how long one case may take before it is a timeout (300)",
      OPTION_DURATION(struct bench_request, deadline_s) },
    { "--shard", .placeholder = "K/N",
      .help = "share K of N of the cases, for several machines: `pairmark merge` joins the "
              "folders" },
    { "--tuned", .help = "tunables as `pairmark tune` found them on this device",
      OPTION_STORED(struct bench_request, tuned) },
    { "--store", .placeholder = "FILE", .values = OPTION_FILE,
      .help = "where it kept them (tuned.csv in the cache folder)",
      OPTION_STORED(struct bench_request, store) },
    { "--no-plot", .help = "draw no figures, write no report",
      OPTION_STORED(struct bench_request, no_plot) },
    { "--concurrent", .placeholder = "WHICH", .values = "auto no yes",
      .help = "devices of --device at the same time: auto (cards are; processors, and devices "
              "whose place on the bus is unknown run alone after them), no or yes (all; times of "
              "processors then show the others)" },
    { "--fail-fast", .help = "measure nothing more after a failure; --resume goes on",
      OPTION_STORED(struct bench_request, fail_fast) },
    { "--verbose",
      .help = "print every failure in full, not only the first of each variant and reason, and in "
              "the summary all tunables",
      OPTION_STORED(struct bench_request, verbose) },
    { .name = NULL },
};

/* Keeps a command line and what stands after its `--`; returns how many words are before that. */
static int bench_request_cut_words(void *context, int argc, char **argv) {
    struct bench_request *request = context;
    int own = 1;
    while (own < argc && strcmp(argv[own], "--") != 0) {
        own++;
    }
    request->argv = argv;
    request->argc = argc;
    if (own < argc) {
        request->words = argv + own + 1;
        request->word_count = (size_t)(argc - own - 1);
    }
    return own;
}

static bool take_words(struct bench_request *request, const struct command *command, int argc,
                       char **argv, struct error *error) {
    bool help;
    argc = bench_request_cut_words(request, argc, argv);
    return command_parse(command, argc, argv, request, &help, error);
}

/* Whether a resumed folder's own axes decide. */
static bool is_only_resumed(const struct bench_request *request) {
    bool only = request->resume && !request->preset;
    for (int i = 0; i < AXIS_COUNT; i++) {
        only = only && !axes_say(&request->axes, (enum axis)i);
    }
    return only;
}

/* Whether what was said goes together. */
static bool bench_request_check(const struct bench_request *request, struct error *error) {
    if (request->output && request->resume) {
        return fail(error, STATUS_BAD_INPUT,
                    "-o and --resume exclude each other: --resume goes on "
                    "in its own folder");
    }
    if (request->despite_checksums && !request->resume) {
        return fail(
            error, STATUS_BAD_INPUT,
            "--despite-checksums: only --resume goes on with rows that may have been changed");
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

/* The request before any word is read: defaults. */
static void bench_request_begin(void *request) {
    *(struct bench_request *)request =
        (struct bench_request){ .sampling = sampling_defaults(),
                                .deadline_s = default_deadline_s,
                                .visits = DEFAULT_VISITS,
                                .most_visits = DEFAULT_VISITS * MORE_VISITS };
}

/* `--resume DIR` without axes and preset, else nothing: the request that the folder records, then
 * the options of this command line over it. *recorded holds the recorded words, for the caller to
 * free after the request. STATUS_BAD_INPUT: the folder has no environment.json, or it records no
 * request of bench.
 */
static bool bench_request_take_recorded(struct bench_request *request,
                                        const struct command *command, char ***recorded,
                                        struct error *error) {
    uint64_t seed;
    const char *folder = request->resume;
    char **argv = request->argv;
    const int argc = request->argc;
    int count = 0;
    if (!is_only_resumed(request)) {
        return true;
    }
    if (!environment_read_command(folder, recorded, &seed, error)) {
        return fail_within(error, "--resume %s without axes", folder);
    }
    char **words = *recorded;
    while (words[count]) {
        count++;
    }
    axes_free(&request->axes);
    bench_request_begin(request);
    /* The first word is the program's name, and the second the command's. */
    if (count < 2 || strcmp(words[1], "bench") != 0) {
        return fail(error, STATUS_BAD_INPUT,
                    "--resume %s without axes: its environment.json records no command line of "
                    "bench",
                    folder);
    }
    if (!take_words(request, command, count - 1, words + 1, error)) {
        return fail_within(error, "the command line that %s records", folder);
    }
    request->verbose = false;
    request->fail_fast = false;
    request->despite_checksums = false; /* of that run: each asks for itself */
    request->output = NULL;
    if (!request->shuffle_seed_given) {
        request->shuffle_seed = seed;
        request->shuffle_seed_given = true;
    }
    return take_words(request, command, argc, argv, error); /* what is said now goes first */
}

/* A folder's rows go on with the kernels that it keeps. A --variant-file that the user names now is
 * read as it is: campaign_run() refuses one that differs. */
static bool bench_request_take_kept(struct bench_request *request, bool is_recorded,
                                    struct error *error) {
    struct kept_kernels kept;
    if (!kept_kernels_read(request->resume, &kept, error)) {
        return fail_within(error, "--resume");
    }
    kept_kernels_use(&kept);
    const bool taken =
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
    struct bench_request request; /* first: the options of the table are its members */
    char **recorded;     /* command line of the run that is resumed; NULL: our own counts */
    char **command_line; /* as recorded in environment.json */
    struct preset *preset;
    char **names; /* of devices; NULL: the best one */
    struct bench_device *devices;
    struct campaign_part *parts;
    size_t count;
    size_t left_out;
    size_t planned;               /* cases of all devices, before they were shared out */
    char plan_id[HASH_TEXT_SIZE]; /* of all of them; "": they are not */
};

/* The cases of a span of the preset are added to *plan. Where none is left, *error says why, and
 * *left_out how many there would have been; false then, too. */
static bool add_span(const struct bench *bench, size_t index, const struct device_info *info,
                     struct plan *plan, size_t *left_out, struct error *error) {
    const struct axes *given = &bench->request.axes;
    struct axes filled = *given;
    struct plan span = { 0 };
    const bool made =
        preset_fill(bench->preset, index, info, &filled, error) && plan_make(&filled, &span, error);
    *left_out = made ? 0 : span.left_out;
    if (made && plan->count == 0) {
        *plan = span; /* with what --variant-file and the like brought */
        return true;
    }
    if (made) {
        plan_join(plan, &span);
    }
    return made;
}

/* The cases of all spans of the preset. What the user chose need not fit all of them. */
static bool span_preset(const struct bench *bench, const struct device_info *info,
                        struct plan *plan, struct error *error) {
    struct error why;
    size_t left_out = 0;
    *plan = (struct plan){ 0 };
    for (size_t s = 0; s < bench->preset->span_count; s++) {
        size_t of_span;
        if (!preset_span_serves(bench->preset, s, &bench->request.axes) ||
            add_span(bench, s, info, plan, &of_span, error)) {
            continue;
        }
        if (of_span == 0) {
            return false;
        }
        if (left_out == 0) {
            why = *error;
        }
        left_out += of_span;
    }
    if (plan->count == 0 && left_out > 0) {
        *error = why;
        return false;
    }
    plan->left_out += left_out;
    return plan_check_precisions(plan, &bench->request.axes, error);
}

/* Takes this machine's share of a plan; of several devices each has a plan of its own. */
static bool take_shard(struct bench *bench, struct plan *plan, struct error *error) {
    char id[HASH_TEXT_SIZE];
    bench->planned += plan->count;
    if (bench->request.shard.total == 0) {
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

/* Reports, once per variant, a tunable that is too small for a box. */
static void report_short(const struct plan *plan) {
    for (size_t i = 0; i < plan->count; i++) {
        const struct case_spec *spec = &plan->cases[i];
        int needed = 0;
        int earlier = 0;
        const struct tuning *tuning = case_short_tuning(spec, &needed);
        size_t before = 0;
        while (tuning && before < i &&
               (plan->cases[before].variant != spec->variant ||
                !case_short_tuning(&plan->cases[before], &earlier))) {
            before++;
        }
        if (tuning && before == i) {
            (void)fprintf(stderr,
                          "pairmark bench: %s: %s=%d holds less than the box brings; --tune %s=%d "
                          "would hold it\n",
                          spec->variant->name, tuning->name, tuning->value, tuning->name, needed);
        }
    }
}

static void announce(const struct device_info *info, const struct plan *plan,
                     const struct preset_dropped *dropped) {
    const size_t senseless =
        plan->left_out - dropped->too_long - dropped->of_batches - dropped->need_cuda;
    (void)fprintf(stderr, "pairmark bench: %zu case%s on %s (%s)", plan->count,
                  plan->count == 1 ? "" : "s", info->name, info->model);
    if (dropped->too_long > 0) {
        (void)fprintf(stderr, "; left out: %zu all-pairs case%s of an N that would take too long",
                      dropped->too_long, dropped->too_long == 1 ? "" : "s");
    }
    if (dropped->of_batches > 0) {
        (void)fprintf(stderr, "; left out: %zu case%s of one box by kernels of batches",
                      dropped->of_batches, dropped->of_batches == 1 ? "" : "s");
    }
    if (dropped->need_cuda > 0) {
        (void)fprintf(stderr, "; left out: %zu case%s that need%s CUDA (%s)", dropped->need_cuda,
                      dropped->need_cuda == 1 ? "" : "s", dropped->need_cuda == 1 ? "s" : "",
                      dropped->one_name);
    }
    if (senseless > 0) {
        (void)fprintf(stderr, "; left out: %zu combination%s that make%s no sense", senseless,
                      senseless == 1 ? "" : "s", senseless == 1 ? "s" : "");
    }
    (void)fputc('\n', stderr);
}

static bool make_plan(struct bench *bench, const struct device_info *info, struct plan *plan,
                      struct error *error) {
    const struct axes *given = &bench->request.axes;
    struct preset_dropped dropped;
    if (!span_preset(bench, info, plan, error)) {
        return false;
    }
    preset_drop(bench->preset, info, given, plan, &dropped);
    report_short(plan);
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
    announce(info, plan, &dropped);
    command_report_left_out(bench_command.name, plan);
    bench->left_out += plan->left_out;
    return true;
}

static bool open_device(struct bench *bench, size_t index, struct error *error) {
    struct bench_device *device = &bench->devices[index];
    struct campaign_part *part = &bench->parts[index];
    const char *name = bench->names ? bench->names[index] : NULL;
    double deadline_s = bench->request.deadline_s;
    if (!command_describe_device(name, deadline_s, &part->info, error) ||
        !make_plan(bench, &part->info, &device->plan, error)) {
        return false;
    }
    device->worker = worker_create(plan_worker_cases(&device->plan), name, deadline_s);
    for (size_t i = 0; i < index; i++) {
        if (strcmp(bench->parts[i].info.name, part->info.name) == 0) {
            return fail(error, STATUS_BAD_INPUT, "--device: %s is given twice", part->info.name);
        }
    }
    part->plan = &device->plan;
    part->measurer = worker_measurer(device->worker);
    return true;
}

static bool open_devices(struct bench *bench, struct error *error) {
    const char *list = bench->request.axes.device;
    bench->count = 1;
    if (list) {
        bench->names = memory_split(list, ',');
        bench->count = 0;
        while (bench->names && bench->names[bench->count]) {
            bench->count++;
        }
    }
    bench->devices = memory_zeroed(bench->count + 1, sizeof *bench->devices);
    bench->parts = memory_zeroed(bench->count + 1, sizeof *bench->parts);
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
    bool found = !baseline || bench->request.shard.total > 0; /* it may be another share's */
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

static void keep_command_line(struct bench *bench) {
    static char program[] = "pairmark";
    const size_t argc = (size_t)bench->request.argc;
    if (bench->recorded) {
        bench->command_line = bench->recorded;
        return;
    }
    bench->command_line = memory_zeroed(argc + 2, sizeof *bench->command_line);
    bench->command_line[0] = program;
    memcpy(bench->command_line + 1, bench->request.argv, argc * sizeof *bench->request.argv);
}

static void draw_figures(const char *directory) {
    struct error error;
    if (!plot_directory(directory, stderr, &error)) {
        (void)fprintf(stderr, "pairmark bench: no figures: %s\n", error.message);
    }
}

/* All of it on one page. */
static void write_report(const char *directory) {
    struct error error;
    char *page = fs_join(directory, "report.html", &error);
    if (page && report_write(&directory, 1, page, NULL, NULL, &error)) {
        (void)fprintf(stderr, "pairmark bench: everything on one page: %s\n", page);
    } else {
        (void)fprintf(stderr, "pairmark bench: no report: %s\n", error.message);
    }
    free(page);
}

/* The largest made box of the run, and its cutoff. */
static void say_next(const struct bench *bench) {
    const struct plan *plan = &bench->devices[0].plan;
    const struct case_spec *largest = NULL;
    struct strbuf cutoff = { 0 };
    for (size_t i = 0; i < plan->count; i++) {
        const struct case_spec *spec = &plan->cases[i];
        if (*spec->box.kind && (!largest || spec->box.n > largest->box.n)) {
            largest = spec;
        }
    }
    if (!largest) {
        return;
    }
    cutoff_append(&cutoff, largest->cutoff, 17);
    (void)fprintf(stderr,
                  "next, the best kernel for one box (for your own: --box FILE in place of --kind "
                  "and --n):\n  %s best --kind %s --n %zu --cutoff %s%s\n",
                  command_program(), largest->box.kind, largest->box.n,
                  cutoff.data ? cutoff.data : "2.5", largest->box.open ? " --open" : "");
    strbuf_free(&cutoff);
}

/* Whether `check` has passed for the kernel files that were timed: this run judged these boxes. */
static void report_checked(const struct plan *plan) {
    const struct variant *last = NULL;
    for (size_t c = 0; c < plan->count; c++) {
        const struct variant *variant = plan->cases[c].variant;
        char words[256];
        bool seen = variant == last || variant_is_built_in(variant->path);
        for (size_t before = 0; !seen && before < c; before++) {
            seen = plan->cases[before].variant == variant;
        }
        last = variant;
        if (seen) {
            continue;
        }
        if (checked_find(variant, words, sizeof words)) {
            (void)fprintf(stderr, "pairmark bench: %s: `check` has passed for these bytes: %s\n",
                          variant->path, words);
        } else {
            (void)fprintf(stderr,
                          "pairmark bench: %s: `check` has not passed for these bytes: judged in "
                          "the boxes above alone; for others: %s check --variant-file %s --variant "
                          "%s\n",
                          variant->path, command_program(), variant->path, variant->name);
        }
    }
}

/* What to look at, and what to run next. */
static void conclude(const struct bench *bench, const char *directory,
                     const struct campaign_tally *tally) {
    const struct bench_request *request = &bench->request;
    const struct axes *axes = &request->axes;
    if (tally->signal) {
        (void)fprintf(stderr,
                      "pairmark bench: interrupted: %zu of %zu cases are recorded in %s; to "
                      "continue: %s bench --resume %s\n",
                      tally->recorded, tally->cases, directory, command_program(), directory);
        return;
    }
    if (!request->no_plot) {
        draw_figures(directory);
        write_report(directory);
    }
    (void)fprintf(stderr, "pairmark bench: results in %s\n", directory);
    if (!request->no_plot && !axes->variant && !axes->variant_files && !axes->workload &&
        !axes->box_files) {
        say_next(bench);
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

/* Rows that passed are not taken back; what was found since is reported. */
static void report_blames(const struct bench *bench, struct campaign_tally *tally) {
    for (size_t i = 0; i < bench->count; i++) {
        const char *words;
        for (size_t k = 0; (words = worker_blame(bench->devices[i].worker, k)); k++) {
            (void)fprintf(stderr, "pairmark bench: %s: %s\n", bench->parts[i].info.name, words);
            tally->failed++;
        }
    }
}

/* Visits show more of a run's noise than twins do. */
static size_t twins_of(const struct bench_request *request) {
    if (request->twins_given) {
        return (size_t)request->twins;
    }
    return request->visits > 1 ? 0 : DEFAULT_TWINS;
}

/* What is built in needs not be kept, nor what is of the box, which is not kept either. */
static bool is_kept(enum axis axis, const char *path) {
    return axis == AXIS_TABLE     ? !embedded_file_text(path) && !box_is_lammps_file(path)
           : axis == AXIS_EXCLUDE ? exclusions_in_file(path)
                                  : true;
}

static void list_inputs(const struct axes *axes, struct campaign_settings *settings) {
    for (int k = 0; k < KEPT_INPUTS; k++) {
        const enum axis axis = kept_inputs[k].axis;
        const char *path = axes_say(axes, axis) ? axes_value(axes, axis) : NULL;
        settings->inputs[k] = path && is_kept(axis, path) ? path : NULL;
    }
}

static bool run_campaign(struct bench *bench, const struct gbench_flags *flags, int *status,
                         struct error *error) {
    const struct bench_request *request = &bench->request;
    char folder[128];
    struct campaign_tally tally;
    struct summary_settings summary = { .command_line = bench->command_line,
                                        .verbose = request->verbose,
                                        .baseline = request->baseline,
                                        .results = flags->own_display ? stderr : stdout };
    const struct environment_shard shard = { .index = request->shard.index,
                                             .total = request->shard.total,
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
        .most_visits = (size_t)request->most_visits,
        .more_on_processors = request->visits_given,
        .twins = twins_of(request),
        .flags = *flags,
        .concurrency = request->concurrency,
        .fail_fast = request->fail_fast,
        .preset = request->preset ? request->preset : "quick",
        .left_out = bench->left_out,
        .deadline_s = request->deadline_s,
        .command_line = bench->command_line,
        .shard = shard.total > 0 ? &shard : NULL,
        .verbose = request->verbose,
        .log = stderr,
        .conclude = summary_conclude,
        .context = &summary,
    };
    list_inputs(&request->axes, &settings);
    if (!campaign_run(bench->parts, bench->count, &settings, &tally, error)) {
        return false;
    }
    report_blames(bench, &tally);
    *status = exit_status(&tally);
    if (!flags->lists_only) {
        conclude(bench, settings.directory, &tally);
        report_checked(&bench->devices[0].plan);
    }
    return true;
}

/* The kernels that the folder of --resume keeps are taken; its rows are as they were recorded. */
static bool take_resumed(struct bench *bench, struct error *error) {
    struct bench_request *request = &bench->request;
    const char *const folder = request->resume;
    return !folder || (bench_request_take_kept(request, bench->recorded != NULL, error) &&
                       runs_verify(&folder, 1, request->despite_checksums, stderr, error));
}

static int bench_run(void *context, struct error *error) {
    struct bench *bench = context;
    struct bench_request *request = &bench->request;
    struct gbench_flags flags;
    int status;
    command_report_confinement(bench_command.name, &request->axes);
    if (!bench_request_take_recorded(request, &bench_command, &bench->recorded, error) ||
        !take_resumed(bench, error)) {
        return COMMAND_FAILED;
    }
    bench->preset = preset_find(request->preset ? request->preset : "quick", error);
    if (!bench->preset || !bench_request_check(request, error) ||
        !gbench_take_words(request->words, request->word_count, &flags, error)) {
        return COMMAND_FAILED;
    }
    if (!request->time_cap_given) {
        request->sampling.time_cap_s = bench->preset->time_cap_s;
    }
    keep_command_line(bench);
    return open_devices(bench, error) && check_baseline(bench, error) &&
                   run_campaign(bench, &flags, &status, error)
               ? status
               : COMMAND_FAILED;
}

static void bench_end(void *context) {
    struct bench *bench = context;
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
    preset_free(bench->preset);
}

const struct command bench_command = { .name = "bench",
                                       .summary = "check, time and record variants",
                                       .run = bench_run,
                                       COMMAND_REQUEST(struct bench),
                                       .begin = bench_request_begin,
                                       .end = bench_end,
                                       .cut_words = bench_request_cut_words,
                                       COMMAND_AXES(struct bench, request.axes),
                                       .append_help = preset_describe,
                                       .options = bench_options,
                                       .take_option = bench_take_option,
                                       .takes_axes = true,
                                       .runs_kernels = true };
