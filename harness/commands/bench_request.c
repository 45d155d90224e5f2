#include "commands/command_parts.h"

#include "campaign/rows/rows.h"
#include "campaign/rows/run_folder.h"
#include "campaign/visits.h"
#include "commands/commands.h"
#include "core/files.h"
#include "core/strings.h"

#include <stdlib.h>
#include <string.h>

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

bool bench_take_option(void *context, const char *option, const char *value, struct error *error) {
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

const struct command_option bench_options[] = {
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

int bench_request_cut_words(void *context, int argc, char **argv) {
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

bool bench_request_check(const struct bench_request *request, struct error *error) {
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

void bench_request_begin(void *request) {
    *(struct bench_request *)request =
        (struct bench_request){ .sampling = sampling_defaults(),
                                .deadline_s = default_deadline_s,
                                .visits = DEFAULT_VISITS,
                                .most_visits = DEFAULT_VISITS * MORE_VISITS };
}

bool bench_request_take_recorded(struct bench_request *request, const struct command *command,
                                 char ***recorded, struct error *error) {
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
    while ((*recorded)[count]) {
        count++;
    }
    axes_free(&request->axes);
    bench_request_begin(request);
    /* The first word is the program's name, and the second the command's. */
    if (count < 2 || strcmp((*recorded)[1], "bench") != 0) {
        return fail(error, STATUS_BAD_INPUT,
                    "--resume %s without axes: its environment.json records no command line of "
                    "bench",
                    folder);
    }
    if (!take_words(request, command, count - 1, *recorded + 1, error)) {
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

bool bench_request_take_kept(struct bench_request *request, bool is_recorded, struct error *error) {
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
