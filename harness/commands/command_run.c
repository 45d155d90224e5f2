/* pairmark run — a short simulation: what a box does from step to step. */
#include "boxes/box.h"
#include "campaign/plan/plan.h"
#include "campaign/progress.h"
#include "commands/commands.h"
#include "commands/simulation/simulation.h"
#include "core/files.h"
#include "core/host.h"
#include "core/quantity.h"
#include "kernels/motion/step_rules.h"
#include "measure/program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_LOG = 100, DEFAULT_FRAMES = 1000, TABLE_LINES = 20 };

struct run_options {
    struct axes axes;
    struct step_rules rules;
    struct simulation simulation;
    const char *integrator, *thermostat, *field; /* as said; NULL: not */
    double temperature;                          /* less than 0: none was said */
    bool has_steps, reference;
};

/* What the simulation shows on its way. */
struct watch {
    struct progress progress;
    uint64_t shown_every; /* lines of the log from one to the next that is printed */
    uint64_t line;
    bool prints; /* whether there is a table: not where the log goes to standard output */
    const struct simulation *simulation;
};

/* ---- the arguments ---- */

static const struct command_option option_table[] = {
    { "--reference",
      .help = "the serial integrator in double precision takes the steps, no kernel; else the "
              "kernels of --variant do, verlet+sorted_cells or its like, in --precision on "
              "--device",
      OPTION_STORED(struct run_options, reference) },
    { "--steps", .placeholder = "N", .help = "the number of the last step: 1000, 100k",
      OPTION_COUNT(struct run_options, simulation.steps, 1, OPTION_ANY),
      OPTION_NOTED(struct run_options, has_steps) },
    { "--dt", .placeholder = "T", .help = "the time step (0.005)",
      OPTION_POSITIVE(struct run_options, rules.dt) },
    { "--temperature", .placeholder = "T",
      .help = "velocities at the start are drawn at this temperature (k_B T, an energy), whatever "
              "the box has; and a thermostat's, where that is given none",
      OPTION_AT_LEAST(struct run_options, temperature, 0) },
    { "--integrator", .placeholder = "I", .values = "verlet leapfrog langevin settle",
      .help = "verlet, leapfrog, langevin[:friction=1,temperature=T,seed=1], or "
              "settle[:oh=1,hh=1.633], verlet of rigid waters (verlet)",
      OPTION_STORED(struct run_options, integrator) },
    { "--thermostat", .placeholder = "H", .values = "none rescale berendsen nose-hoover langevin",
      .help = "none, rescale[:temperature=T,interval=10], berendsen[:temperature=T,time=0.5], "
              "nose-hoover[:temperature=T,time=0.5,chain=1], of rigid waters "
              "langevin[:friction=1,temperature=T,seed=1] (none)",
      OPTION_STORED(struct run_options, thermostat) },
    { "--field", .placeholder = "F",
      .help = "charge=X:Y:Z, mass=X:Y:Z, wall-x=LOW:HIGH:STRENGTH (wall-y, wall-z), by commas: a "
              "force per charge, an acceleration, harmonic walls",
      OPTION_STORED(struct run_options, field) },
    { "--log", .placeholder = "FILE", .values = OPTION_FILE,
      .help = "CSV: step, time, temperature, potential, kinetic, pressure, conserved, "
              "face_pressure (its kinetic part by what went through faces since step 0)",
      OPTION_STORED(struct run_options, simulation.log) },
    { "--log-every", .placeholder = "K", .help = "steps from line to line (100)",
      OPTION_COUNT(struct run_options, simulation.log_every, 1, OPTION_ANY) },
    { "--trajectory", .placeholder = "FILE", .values = OPTION_FILE,
      .help = "extended XYZ: positions in the cell, velocities, images",
      OPTION_STORED(struct run_options, simulation.trajectory) },
    { "--trajectory-every", .placeholder = "K", .help = "steps from frame to frame (1000)",
      OPTION_COUNT(struct run_options, simulation.frames_every, 1, OPTION_ANY) },
    { .name = NULL },
};

/* ---- what they come to ---- */

/* The words for how particles are moved, by the names of their options. */
static bool take_rules(struct run_options *options, struct error *error) {
    struct step_rules *rules = &options->rules;
    rules->temperature = options->temperature > 0.0 ? options->temperature : NAN;
    if (options->integrator && !step_integrator_parse(options->integrator, rules, error)) {
        return fail_within(error, "--integrator");
    }
    if (options->thermostat && !step_thermostat_parse(options->thermostat, rules, error)) {
        return fail_within(error, "--thermostat");
    }
    if (options->field && !step_field_parse(options->field, &rules->field, error)) {
        return fail_within(error, "--field");
    }
    return step_rules_check(rules, error);
}

static bool check_reference(const struct run_options *options, struct error *error) {
    static const enum axis of_kernels[] = { AXIS_WORKLOAD,     AXIS_VARIANT,   AXIS_STRUCTURE,
                                            AXIS_VARIANT_FILE, AXIS_PRECISION, AXIS_OUTPUTS,
                                            AXIS_REDUCTION,    AXIS_LAUNCH,    AXIS_GROUP_A,
                                            AXIS_GROUP_B,      AXIS_PAIRS,     AXIS_RATIO,
                                            AXIS_TUNE,         AXIS_EXCHANGE,  AXIS_DEVICE,
                                            AXIS_ALL_PAIRINGS };
    if (!options->reference) {
        return !axes_say(&options->axes, AXIS_VARIANT_FILE) ||
               fail(error, STATUS_BAD_INPUT,
                    "--variant-file: a simulation takes built-in kernels alone, which need no "
                    "confinement; `pairmark check` and `bench` take others");
    }
    for (size_t k = 0; k < sizeof of_kernels / sizeof of_kernels[0]; k++) {
        if (axes_say(&options->axes, of_kernels[k])) {
            return fail(error, STATUS_BAD_INPUT,
                        "%s beside --reference: it is of kernels, and the reference has none",
                        axis_table[of_kernels[k]].option);
        }
    }
    return true;
}

/* Whether the kernels do what was asked for: theirs is one integrator and one thermostat. */
static bool check_kernels(const struct run_options *options, struct case_spec *spec,
                          struct error *error) {
    const struct step_rules *rules = &options->rules;
    const struct step_rules of_file = spec->step;
    struct step_rules checked;
    if (of_file.integrator != rules->integrator || of_file.thermostat != rules->thermostat) {
        return fail(error, STATUS_BAD_INPUT,
                    "--variant: %s is of integrator %s and thermostat %s, asked for are %s and %s",
                    spec->variant->name, integrator_name(of_file.integrator),
                    thermostat_name(of_file.thermostat), integrator_name(rules->integrator),
                    thermostat_name(rules->thermostat));
    }
    if (!case_step_rules(spec->variant, spec->precision, &checked, error)) {
        return false;
    }
    if (!case_take_thermostat(spec->variant, options->thermostat, &checked, error)) {
        return fail_within(error, "--thermostat");
    }
    if (!case_take_field(spec->variant, options->field, &checked, error)) {
        return fail_within(error, "--field");
    }
    spec->step = *rules;
    spec->step.float_noise = of_file.float_noise;
    return true;
}

/* The case of forces by which the reference knows what acts has no time steps. */
static bool take_long_range(const char *list, struct case_spec *spec, struct error *error) {
    char **words = NULL;
    bool good = long_range_expand(list, &words, error);
    if (good && words[1]) {
        good = fail(error, STATUS_BAD_INPUT, "'%.60s'; expected one, for a simulation is of one",
                    list);
    }
    good = good && long_range_parse(words[0], spec, &spec->long_range, error);
    free(words);
    return good || fail_within(error, "--long-range");
}

/* The workload whose forces move particles: that of the interaction or of the variant, or by pairs;
 * NULL where --workload names one that does not. What is wrong with other axes is said where the
 * plan is made. */
static const struct workload *forces_of(const struct axes *axes, struct error *error) {
    const struct workload *asked = plan_workload(axes, error);
    const struct workload *forces =
        asked && asked->forces_by ? workload_find(asked->forces_by) : asked;
    if (forces && workload_of_steps(forces)) {
        return forces;
    }
    if (asked && axes->workload) {
        (void)fail(error, STATUS_BAD_INPUT,
                   "--workload: by '%s' no particle moves; expected step, eam_step or "
                   "three_body_step, or none",
                   asked->name);
    }
    return axes->workload ? NULL : workload_default();
}

/* One case defines what acts in which box, and how far; without kernels, one of forces. */
static bool make_plan(struct run_options *options, struct plan *plan, struct error *error) {
    const struct workload *forces = forces_of(&options->axes, error);
    char variant[48];
    char outputs[] = "virial";
    struct axes axes = options->axes;
    if (!forces) {
        return false;
    }
    axes.workload = (char *)(options->reference ? forces : workload_of_steps(forces))->name;
    if (options->reference) {
        axes.long_range = NULL;
        (void)snprintf(variant, sizeof variant, "%s", forces->words.all_pairs[0]);
    } else {
        moving_variant(&options->rules, forces, options->axes.open, variant, sizeof variant);
        axes.outputs = outputs;
    }
    axes.variant = !options->reference && axes.variant ? axes.variant : variant;
    if (!plan_make(&axes, plan, error)) {
        return false;
    }
    if (plan->count != 1) {
        const size_t count = plan->count;
        plan_free(plan);
        return fail(error, STATUS_BAD_INPUT,
                    "the axes span %zu boxes, interactions or kernels; a simulation is of one",
                    count);
    }
    if (plan->cases[0].box.batch > 1) {
        plan_free(plan);
        return fail(error, STATUS_BAD_INPUT, "--batch: a simulation is of one box");
    }
    if (options->reference ? options->axes.long_range &&
                                 !take_long_range(options->axes.long_range, &plan->cases[0], error)
                           : !check_kernels(options, &plan->cases[0], error)) {
        plan_free(plan);
        return false;
    }
    command_report_left_out(run_command.name, plan);
    return true;
}

/* ---- on its way ---- */

static bool signal_noted(void) {
    return signals_noted() != 0;
}

static void print_row(struct watch *watch, const struct simulation_state *state,
                      const struct step_sums *sums) {
    progress_clear(&watch->progress); /* on the same terminal, it may be */
    if (watch->line == 0) {
        (void)printf("%8s %8s %11s %13s %11s %9s %14s\n", "step", "time", "temperature",
                     "potential", "kinetic", "pressure", "conserved");
    }
    (void)printf("%8llu %8.6g %11.6g %13.9g %11.9g %9.6g %14.12g\n",
                 (unsigned long long)state->step, (double)state->step * watch->simulation->dt,
                 sums->temperature, sums->potential + sums->field, sums->kinetic, sums->pressure,
                 sums->conserved);
    (void)fflush(stdout);
}

static void show(void *context, const struct simulation_state *state,
                 const struct step_sums *sums) {
    struct watch *watch = context;
    char words[80];
    const bool last = state->step == watch->simulation->steps;
    if (watch->prints && (watch->line % watch->shown_every == 0 || last)) {
        print_row(watch, state, sums);
    }
    if (watch->line++ > 0) {
        progress_done(&watch->progress);
    }
    (void)snprintf(words, sizeof words, "step %llu of %llu, temperature %.4g",
                   (unsigned long long)state->step, (unsigned long long)watch->simulation->steps,
                   sums->temperature);
    if (!last) {
        progress_case(&watch->progress, words);
    }
}

static void print_rate(const char *name, double atom_steps, double steps, double seconds,
                       const char *behind) {
    (void)printf("%-12s %s atom-steps/s, %s per step%s\n", name,
                 quantity_large(atom_steps / seconds).text, quantity_seconds(seconds / steps).text,
                 behind);
}

static void print_rates(const struct simulation *simulation, const struct simulation_state *state,
                        const struct simulation_outcome *outcome) {
    const struct engine *engine = simulation->engine;
    const double steps = (double)outcome->steps;
    const double atom_steps = steps * (double)state->box.n;
    if (!(outcome->seconds > 0) || outcome->steps == 0) {
        return;
    }
    print_rate("rate", atom_steps, steps, outcome->seconds, "");
    if (engine->seconds > 0) {
        print_rate("on device", atom_steps, steps, engine->seconds,
                   ": without what goes to and from the host");
        (void)printf("start        %s, in no rate: compiling, and the first forces\n",
                     quantity_seconds(outcome->start_s).text);
        (void)printf("transfers    %.4g MB to and from the device\n", 1e-6 * (double)engine->bytes);
    }
}

static void print_lists(const struct engine *engine, const struct simulation_outcome *outcome) {
    if (engine->lists == 0) {
        return;
    }
    (void)printf("lists        each served %.3g steps",
                 (double)outcome->steps / (double)engine->lists);
    if (engine->prunings > 0) {
        (void)printf("; %llu of %llu were pruned from an outer one that still did",
                     (unsigned long long)engine->prunings, (unsigned long long)engine->lists);
    }
    if (engine->parts > 0) {
        (void)printf("; %llu parts were pruned besides", (unsigned long long)engine->parts);
    }
    (void)printf("\n");
}

static void print_means(const struct simulation *simulation, const struct simulation_state *state,
                        const struct simulation_outcome *outcome) {
    (void)printf("temperature  %.6g, root mean square deviation %.3g (%llu lines)\n",
                 outcome->temperature, outcome->temperature_deviation,
                 (unsigned long long)outcome->lines);
    const bool has_pressure = state->box.periodic && isfinite(outcome->pressure);
    if (has_pressure && !simulation->engine->carries) {
        (void)printf("pressure     %.6g\n", outcome->pressure);
    } else if (has_pressure) {
        (void)printf("pressure     %.6g; its kinetic part by crossings of faces: %.5g %.5g %.5g\n",
                     outcome->pressure, simulation_crossing_pressure(state, simulation->dt, 0),
                     simulation_crossing_pressure(state, simulation->dt, 1),
                     simulation_crossing_pressure(state, simulation->dt, 2));
    }
    if (isfinite(outcome->conserved)) {
        (void)printf("conserved    %.12g, drift %.3g per particle and time, fluctuation %.3g\n",
                     outcome->conserved, outcome->drift, outcome->fluctuation);
    }
}

static void print_outcome(const struct simulation *simulation, const struct simulation_state *state,
                          const struct simulation_outcome *outcome) {
    const struct quantity duration = outcome->seconds < 10 ? quantity_seconds(outcome->seconds)
                                                           : progress_duration(outcome->seconds);
    (void)printf("\n%llu steps of %zu particles by %s in %s\n", (unsigned long long)outcome->steps,
                 state->box.n, simulation->engine->name, duration.text);
    print_rates(simulation, state, outcome);
    print_lists(simulation->engine, outcome);
    if (outcome->lines >= SIMULATION_LEAST_LINES) {
        print_means(simulation, state, outcome);
    } else {
        (void)printf("no means, no drift: the log has %llu lines, %d are needed (--steps, "
                     "--log-every)\n",
                     (unsigned long long)outcome->lines, SIMULATION_LEAST_LINES);
    }
}

/* Lines of the log that are still to come, and every how manieth of them is printed. */
static void begin_watch(const struct simulation *simulation, struct watch *watch) {
    const uint64_t every = simulation->log_every;
    const uint64_t lines = simulation->steps / every + (simulation->steps % every > 0);
    *watch = (struct watch){ .shown_every = (lines + TABLE_LINES - 1) / TABLE_LINES,
                             .prints = !simulation->log || strcmp(simulation->log, "-") != 0,
                             .simulation = simulation };
    watch->shown_every += watch->shown_every == 0;
    progress_begin(&watch->progress, stderr, (size_t)lines, 1);
}

static bool run_to_end(struct simulation *simulation, struct watch *watch,
                       struct simulation_state *state, int *signal, struct error *error) {
    struct signals signals;
    struct simulation_outcome outcome;
    begin_watch(simulation, watch);
    simulation->show = show;
    simulation->context = watch;
    simulation->is_ended = signal_noted;
    signals_catch(&signals);
    const bool good = simulation_run(simulation, state, &outcome, error);
    *signal = signals_noted();
    signals_restore(&signals);
    progress_clear(&watch->progress);
    if (good && watch->prints) {
        print_outcome(simulation, state, &outcome);
    }
    if (good && outcome.ended) {
        (void)fprintf(stderr, "pairmark run: interrupted after step %llu\n",
                      (unsigned long long)state->step);
    } else {
        *signal = 0;
    }
    return good;
}

/* ---- the command ---- */

/* Says so where no particle moves at the start: forces alone set it in motion then. */
static void report_rest(const struct box *box) {
    size_t still = 0;
    while (box->velocity && still < 3 * box->n && box->velocity[still] == 0) {
        still++;
    }
    if (!box->velocity || still == 3 * box->n) {
        (void)fprintf(stderr, "pairmark run: all velocities are 0 at the start; --temperature T "
                              "draws others\n");
    }
}

/* What is known of the box before the first step. */
static void report_box(const struct box_spec *spec, const struct box *box) {
    struct strbuf words = { 0 };
    if (spec->path[0] && box_spec_is_open(spec)) {
        command_append_open(spec, &words);
        (void)fprintf(stderr, "pairmark run: %s: %s\n", spec->path, strbuf_text(&words));
    }
    strbuf_free(&words);
    report_rest(box);
}

/* Refuses a period without its file, and gives a file without a period the usual one. */
static bool take_period(struct simulation *simulation, struct error *error) {
    if (simulation->frames_every > 0 && !simulation->trajectory) {
        return fail(error, STATUS_BAD_INPUT,
                    "--trajectory-every without a file; expected --trajectory FILE beside it");
    }
    if (simulation->frames_every == 0) {
        simulation->frames_every = DEFAULT_FRAMES;
    }
    return true;
}

/* Each file has one writer. */
static bool check_files(const struct simulation *simulation, struct error *error) {
    const char *log = simulation->log;
    const char *trajectory = simulation->trajectory;
    if (!trajectory) {
        return true;
    }
    if (!box_check_name(trajectory, error)) {
        return fail_within(error, "--trajectory");
    }
    return !log || !fs_same_target(log, trajectory) ||
           fail(error, STATUS_BAD_INPUT, "--log and --trajectory name one file, %s; expected two",
                trajectory);
}

static bool simulate(struct run_options *options, const struct case_spec *spec, struct box *box,
                     int *signal, struct error *error) {
    struct engine **engine = &options->simulation.engine;
    struct simulation_state state = { 0 };
    struct watch watch;
    double cutoff;
    const bool good =
        moving_cutoff(spec, box, &cutoff, error) &&
        (options->reference
             ? engine_of_reference(&spec->interaction, cutoff, &options->rules, &spec->long_range,
                                   engine, error)
             : engine_of_device(options->axes.device, spec, cutoff,
                                !axes_tune(&options->axes, "COUNT_CROSSINGS"), engine, error)) &&
        state_begin(box, &state, error) &&
        run_to_end(&options->simulation, &watch, &state, signal, error);
    if (*engine) {
        (*engine)->free(*engine);
    }
    state_free(&state);
    return good;
}

static bool run(struct run_options *options, int *signal, struct error *error) {
    struct plan plan = { 0 };
    struct box box = { 0 };
    options->simulation.dt = options->rules.dt;
    if (!options->has_steps) {
        return fail(error, STATUS_BAD_INPUT, "no number of steps; expected --steps N");
    }
    if (!take_period(&options->simulation, error) || !check_files(&options->simulation, error) ||
        !check_reference(options, error) || !take_rules(options, error) ||
        !make_plan(options, &plan, error)) {
        return false;
    }
    const struct case_spec *spec = &plan.cases[0];
    bool good = moving_box(&spec->box, &options->rules, options->temperature, &box, error) &&
                (options->reference || moving_box_round(spec->precision, &box, error));
    if (good) {
        report_box(&spec->box, &box);
        good = simulate(options, spec, &box, signal, error);
    }
    box_free(&box);
    plan_free(&plan);
    return good;
}

static void start(void *options) {
    *(struct run_options *)options = (struct run_options){ .rules = step_rules_default(),
                                                           .simulation.log_every = DEFAULT_LOG,
                                                           .temperature = -1.0 };
}

static int run_simulation(void *options, struct error *error) {
    int signal = 0;
    return !run(options, &signal, error) ? COMMAND_FAILED : signal ? 128 + signal : 0;
}

const struct command run_command = { .name = "run",
                                     .summary = "a short simulation: log, trajectory",
                                     .run = run_simulation,
                                     COMMAND_REQUEST(struct run_options),
                                     .begin = start,
                                     COMMAND_AXES(struct run_options, axes),
                                     .options = option_table,
                                     .takes_axes = true,
                                     .runs_kernels = true };
