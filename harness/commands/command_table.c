#include "commands/commands.h"

#include <stddef.h>
#include <string.h>

static const struct command_option no_options[] = { { NULL, NULL } };

static const struct command_option devices_options[] = { { "--json", NULL }, { NULL, NULL } };

/* Of the axes, those that say something about variants. */
static const struct command_option list_options[] = {
    { "--workload", "" },
    { "--variant", "" },
    { "--structure", "" },
    { "--variant-file", OPTION_FILE },
    { "--include", OPTION_FOLDER },
    { "--short", NULL },
    { "--json", NULL },
    { "--structures", NULL },
    { NULL, NULL },
};

static const struct command_option init_options[] = {
    { "--workload", "" },
    { "--cuda", NULL },
    { NULL, NULL },
};

static const struct command_option box_options[] = {
    { "--n", "" },
    { "--density", "" },
    { "--seed", "" },
    { "--temperature", "" },
    { "--open", NULL },
    { "--box", OPTION_FILE },
    { "--describe", NULL },
    { "-o", OPTION_FILE },
    { "--output", OPTION_FILE },
    { "--terms", OPTION_FILE },
    { NULL, NULL },
};

static const struct command_option eval_options[] = {
    { "--json", NULL },
    { "--no-reference", NULL },
    { "--forces", OPTION_FILE },
    { "--deadline", "" },
    { NULL, NULL },
};

static const struct command_option check_options[] = {
    { "--json", NULL },    { "--junit", OPTION_FILE },
    { "--verbose", NULL }, { "--fail-fast", NULL },
    { "--deadline", "" },  { "--compile-only", NULL },
    { "--arch", "" },      { NULL, NULL },
};

static const struct command_option judge_options[] = {
    { "--baseline", "" }, { "--hidden", "" },   { "--hidden-seed", "" }, { "--turns", "" },
    { "--time-cap", "" }, { "--deadline", "" }, { "--json", NULL },      { NULL, NULL },
};

static const struct command_option bench_options[] = {
    { "--baseline", "" },
    { "--preset",
      "quick standard full article balance random bonded constraints molecules melt step-article "
      "accumulation interactions" },
    { "-o", OPTION_FOLDER },
    { "--output", OPTION_FOLDER },
    { "--resume", OPTION_FOLDER },
    { "--samples-min", "" },
    { "--samples-max", "" },
    { "--noise", "" },
    { "--time-cap", "" },
    { "--warm-up", "" },
    { "--cold", "" },
    { "--shuffle-seed", "" },
    { "--deadline", "" },
    { "--shard", "" },
    { "--concurrent", "auto no yes" },
    { "--visits", "" },
    { "--twins", "" },
    { "--store", OPTION_FILE },
    { "--tuned", NULL },
    { "--no-plot", NULL },
    { "--energy", NULL },
    { "--verbose", NULL },
    { "--fail-fast", NULL },
    { NULL, NULL },
};

static const struct command_option tune_options[] = {
    { "--budget", "" },       { "--store", OPTION_FILE }, { "--time-cap", "" },
    { "--shuffle-seed", "" }, { "--deadline", "" },       { "--with-build", NULL },
    { NULL, NULL },
};

static const struct command_option best_options[] = {
    { "--budget", "" },
    { "--store", OPTION_FILE },
    { "--time-cap", "" },
    { "--shuffle-seed", "" },
    { "--deadline", "" },
    { "--within", "" },
    { "--with-build", NULL },
    { "--steps-per-build", "" },
    { "--forces-only", NULL },
    { "--temperature", "" },
    { "--dt", "" },
    { "--integrator", "" },
    { "--verbose", NULL },
    { "--json", NULL },
    { NULL, NULL },
};

static const struct command_option run_options[] = {
    { "--reference", NULL },
    { "--steps", "" },
    { "--dt", "" },
    { "--temperature", "" },
    { "--integrator", "verlet leapfrog langevin" },
    { "--thermostat", "none rescale berendsen nose-hoover" },
    { "--field", "" },
    { "--log", OPTION_FILE },
    { "--log-every", "" },
    { "--trajectory", OPTION_FILE },
    { "--trajectory-every", "" },
    { "--checkpoint", OPTION_FILE },
    { "--checkpoint-every", "" },
    { "--resume", OPTION_FILE },
    { NULL, NULL },
};

static const struct command_option plot_options[] = {
    { "-o", OPTION_FOLDER },
    { "--output", OPTION_FOLDER },
    { "--format", "svg png" },
    { NULL, NULL },
};

static const struct command_option report_options[] = {
    { "-o", OPTION_FILE },
    { "--output", OPTION_FILE },
    { NULL, NULL },
};

static const struct command_option merge_options[] = {
    { "-o", OPTION_FOLDER },
    { "--output", OPTION_FOLDER },
    { NULL, NULL },
};

static const struct command_option compare_options[] = {
    { "--by", "device variant precision commit" },
    { "--baseline", "" },
    { "--threshold", "" },
    { "--format", "table csv markdown" },
    { "-o", OPTION_FILE },
    { "--output", OPTION_FILE },
    { "--list-unmatched", NULL },
    { "--verbose", NULL },
    { "--strict", NULL },
    { NULL, NULL },
};

static const struct command_option query_options[] = {
    { "--csv", NULL }, { "--json", NULL }, { "--rows", "" }, { "--timeout", "" }, { NULL, NULL },
};

const struct command command_table[] = {
    { "devices", "what can run here", .options = devices_options, .runs_kernels = true },
    { "list", "the variants: structure, tunables, source", .options = list_options },
    { "init", "write a kernel file to begin with: one that is right, under your name",
      .options = init_options },
    { "box", "make a box of particles (extended XYZ)", .options = box_options, .operands = "KIND" },
    { "eval", "one evaluation, compared with the reference: numbers, no timing",
      .options = eval_options, .takes_axes = true, .runs_kernels = true },
    { "check", "compare variants with the reference; exit status 1 if any fails",
      .options = check_options, .takes_axes = true, .runs_kernels = true },
    { "judge", "one verdict on a kernel of others: right, repeatable, how fast",
      .options = judge_options, .operands = OPTION_FILE, .takes_axes = true, .runs_kernels = true },
    { "bench", "check, time and record variants", .options = bench_options, .takes_axes = true,
      .runs_kernels = true },
    { "tune", "find the best tunables of variants on this device", .options = tune_options,
      .takes_axes = true, .runs_kernels = true },
    { "best", "the fastest variant with its best tunables, for this box", .options = best_options,
      .takes_axes = true, .runs_kernels = true },
    { "run", "a short simulation: log, trajectory, checkpoints", .options = run_options,
      .takes_axes = true, .runs_kernels = true },
    { "plot", "figures from recorded rows, with gnuplot", .options = plot_options,
      .operands = OPTION_FILE, .takes_axes = true },
    { "merge", "one run of the shares that several machines ran", .options = merge_options,
      .operands = OPTION_FOLDER },
    { "compare", "what became faster or slower between runs", .options = compare_options,
      .operands = OPTION_FILE },
    { "report", "recorded rows as one page: winners, figures, a table", .options = report_options,
      .operands = OPTION_FILE },
    { "query", "an SQL question to recorded rows", .options = query_options,
      .operands = OPTION_FILE },
    { "completion", "what completes these words in a shell", .options = no_options,
      .operands = "bash zsh" },
    { .name = NULL },
};

const struct command *command_find(const char *name) {
    const struct command *command = command_table;
    while (command->name && strcmp(command->name, name) != 0) {
        command++;
    }
    return command->name ? command : NULL;
}
