/* pairmark best — the fastest variant with its best tunables, for this box on this device. */
#include "campaign/progress.h"
#include "commands/command_parts.h"
#include "commands/commands.h"
#include "core/host.h"
#include "core/strings.h"
#include "devices/machine/machine_watch.h"
#include "kernels/schedule.h"
#include "measure/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double default_budget_gpu_s = 120, default_budget_cpu_s = 90;
static const double default_within = 3;
/* A case may take as long as the budget; less than this is lost to compiling a single one. */
static const double least_deadline_s = 60;
/* The share of the budget after which tuning ends: a turn of all finalists takes a second on a GPU,
 * and several on a processor. */
static const double tuning_share_cpu = 0.7, tuning_share_gpu = 0.88;
/* The share of the budget that measuring how long lists last takes at most. */
static const double motion_share = 0.1;
/* Steps of a case of workload step that the gate judges: of rigid waters in float no more can be.
 * Timed runs have others. */
static const char gated_steps[] = "3";

/* Beyond, all pairs take too long per launch: PoCL on a few cores does about 1e9 distances/s, a GPU
 * 1e12. */
enum { MAX_ALL_PAIRS_CPU = 16000, MAX_ALL_PAIRS_GPU = 512000 };

struct best_run {
    struct tuning_request request;
    struct best_report report;
    struct best_motion motion;
    struct motion_words words;
    double within;
    bool forces_only, json;
    bool has_dt;
    double *steps_per_list; /* of each case of the sweep */
    double began_s;         /* the answer that is being found */
    size_t answered;
    struct json_object *answers; /* NULL: a table is printed */
};

/* ---- the arguments ---- */

static bool check(void *context, struct error *error) {
    const struct best_run *run = context;
    const bool states = run->report.steps_per_build > 0;
    if (run->forces_only && states) {
        return fail(error, STATUS_BAD_INPUT,
                    "--forces-only beside --steps-per-build: either building counts or it does "
                    "not");
    }
    if ((run->forces_only || states) &&
        (run->words.temperature >= 0 || run->has_dt || run->words.integrator)) {
        return fail(error, STATUS_BAD_INPUT,
                    "--temperature, --dt and --integrator say how long lists last, which "
                    "--forces-only and --steps-per-build leave no need to measure");
    }
    return true;
}

/* ---- what a time is of ---- */

static int skin_of(const struct case_spec *spec) {
    return tunings_value(&spec->tunings, SCHEDULE_SKIN, 0);
}

/* How often the structure that the case walks is built per step. */
static double builds_of(const void *context, const struct case_spec *spec) {
    const struct best_run *run = context;
    if (run->report.time == BEST_EVALUATION || run->report.time == BEST_WHOLE_STEP) {
        return 0;
    }
    if (run->report.time == BEST_STATED) {
        const bool lasts = skin_of(spec) > 0 || !spec->variant->workload->forces_by;
        return lasts ? 1 / run->report.steps_per_build : 1;
    }
    return skin_of(spec) == 0 || !run->motion.measured
               ? 1
               : 1 / steps_within_skin(&run->motion.record,
                                       0.01 * skin_of(spec) * run->motion.cutoff);
}

static enum best_time choose_time(const struct best_run *run, const struct workload *workload) {
    return axis_is_of(AXIS_STEPS, workload)  ? BEST_WHOLE_STEP
           : run->forces_only                ? BEST_EVALUATION
           : run->report.steps_per_build > 0 ? BEST_STATED
           : workload->all_pairs_exceed      ? BEST_MEASURED
                                             : BEST_EVALUATION;
}

/* Tries all variants of pme where none is named: the fastest is wanted. */
static void take_any_reciprocal(struct axes *axes) {
    static const char any[] = "pme_*";
    const char *words = axes->long_range;
    struct strbuf every = { 0 };
    if (!words || strncmp(words, "pme", 3) != 0 || (words[3] != ':' && words[3] != '\0')) {
        return;
    }
    strbuf_append(&every, "%s%s", any, words + 3);
    free(axes->long_range);
    axes->long_range = every.data;
}

/* Moves the options of this command into the axes of workload step, which has them as such. */
static bool fill_axes(struct best_run *run, struct error *error) {
    struct axes *axes = &run->request.axes;
    char words[32];
    if (run->forces_only || run->report.steps_per_build > 0) {
        return fail(error, STATUS_BAD_INPUT,
                    "--forces-only and --steps-per-build are of workload forces; of workload step "
                    "whole steps are timed");
    }
    if (axes->batch && strcmp(axes->batch, "1") != 0) {
        return fail(
            error, STATUS_BAD_INPUT,
            "--batch: whole steps are timed as a simulation, which is of one box; `pairmark "
            "bench --workload step --batch` times launches of steps");
    }
    (void)snprintf(words, sizeof words, "%.17g", run->words.dt);
    axes->dt = run->has_dt ? memory_copy(words) : NULL;
    axes->steps = axes->steps ? axes->steps : memory_copy(gated_steps);
    take_any_reciprocal(axes);
    return true;
}

/* Takes all cases but those of workload step with another integrator than the one asked for. Where
 * neither that nor a variant was asked for, settle moves rigid waters, and all others move the
 * rest. */
static bool takes(const void *context, const struct case_spec *spec) {
    const struct best_run *run = context;
    const enum integrator integrator = run->motion.rules.integrator;
    if (run->report.time != BEST_WHOLE_STEP) {
        return true;
    }
    if (run->words.integrator) {
        return spec->step.integrator == integrator;
    }
    return run->request.axes.variant ||
           (spec->step.integrator == INTEGRATOR_SETTLE) == (integrator == INTEGRATOR_SETTLE);
}

static bool begin(void *context, struct error *error) {
    struct best_run *run = context;
    struct tuning_request *request = &run->request;
    const struct workload *workload = plan_workload(&request->axes, error);
    if (!workload) {
        return false;
    }
    run->report.time = choose_time(run, workload);
    const bool whole = run->report.time == BEST_WHOLE_STEP;
    if ((whole && !fill_axes(run, error)) ||
        !tuning_request_begin(
            request, run->report.time == BEST_EVALUATION ? TUNING_DRAWN : TUNING_DRAWN_SKINS,
            error)) {
        return false;
    }
    run->steps_per_list = memory_zeroed(request->sweep.plan.count + 1, sizeof *run->steps_per_list);
    run->report.request = request;
    run->report.motion = &run->motion;
    run->report.steps_per_list = run->steps_per_list;
    run->answers = run->json ? json_object_new_array() : NULL;
    return true;
}

/* ---- the box ---- */

/* Describes the box in the units of its file, too, where the reader converts them. */
static void describe_lengths(const struct case_spec *spec, const struct box *box,
                             struct strbuf *words) {
    const char *path = spec->box.path;
    const double edge = box->periodic ? box_least_repeat(box) : box_length_scale(box);
    const char *what = box->periodic ? "cell height" : "extent";
    if (ends_with(path, ".gro")) {
        strbuf_append(words, "%s %.4g angstrom, from %.4g nm in the file; cutoffs are in angstrom",
                      what, edge, 0.1 * edge);
    } else {
        strbuf_append(words, "%s %.4g; cutoffs are in the box's unit%s", what, edge,
                      ends_with(path, ".pdb") || ends_with(path, ".ent") ? ", angstrom" : "");
    }
}

static bool fail_apart(const struct best_run *run, const struct case_spec *spec,
                       struct error *error) {
    struct strbuf words = { 0 };
    struct strbuf cutoff = { 0 };
    const bool has_box = run->motion.box.n > 0;
    if (has_box) {
        describe_lengths(spec, &run->motion.box, &words);
    }
    cutoff_append(&cutoff, spec->cutoff, 6);
    (void)fail(error, STATUS_BAD_INPUT, "no two particles of %s are within the cutoff, %s%s%s%s",
               *spec->box.path ? spec->box.path : spec->box.kind,
               cutoff.data && !cutoff.failed ? cutoff.data : "", has_box ? " (" : "",
               strbuf_text(&words), has_box ? ")" : "");
    strbuf_free(&words);
    strbuf_free(&cutoff);
    return false;
}

static void warn_of_temperature(const struct best_run *run, const struct case_spec *spec) {
    if (run->motion.assumed && *spec->box.path && run->report.time != BEST_EVALUATION &&
        run->report.time != BEST_STATED) {
        (void)fprintf(stderr,
                      "pairmark best: %s has no velocities: the temperature is taken to be 1 (k_B "
                      "T, in the unit of energy); --temperature T says otherwise\n",
                      spec->box.path);
    }
}

static double widest_skin(const struct best_run *run) {
    const struct plan *plan = &run->request.sweep.plan;
    int widest = 0;
    for (size_t c = 0; c < plan->count; c++) {
        const int skin = skin_of(&plan->cases[c]);
        widest = skin > widest ? skin : widest;
    }
    return isfinite(run->motion.cutoff) ? 0.01 * widest * run->motion.cutoff : 0;
}

/* The box, and how long lists last in it, where that is asked for; a box that is read in any case.
 */
static bool prepare(struct best_run *run, const struct case_spec *spec, struct error *error) {
    const bool whole = run->report.time == BEST_WHOLE_STEP;
    const bool moves = run->report.time == BEST_MEASURED || whole;
    best_motion_free(&run->motion);
    if (!spec->variant->workload->forces_by || (!moves && !*spec->box.path)) {
        return true;
    }
    if (!best_motion_prepare(&run->words, spec, &run->motion, error)) {
        return false;
    }
    warn_of_temperature(run, spec);
    const double skin = widest_skin(run);
    const struct best_motion_wanted wanted = { skin, motion_share * run->request.budget_s,
                                               run->request.deadline_s };
    return !moves || (!whole && skin == 0) ||
           best_motion_measure(spec, &run->request.info, &wanted, &run->motion, error);
}

/* ---- whole steps ---- */

/* Times what passed its gate over many steps of the box, as `run` takes them. */
static void time_steps(struct best_run *run, size_t case_index, double cap_s,
                       struct measurement *measurement) {
    struct case_spec spec = run->request.sweep.plan.cases[case_index];
    const struct trial trial = { .device = run->request.info.name,
                                 .spec = &spec,
                                 .cutoff = run->motion.cutoff,
                                 .deadline_s = run->request.deadline_s };
    struct trial_time time;
    struct error error;
    spec.outputs = OUTPUTS_VIRIAL;
    if (!trial_steps(&trial, &run->motion.box, cap_s, &time, &error)) {
        measurement->verdict.status = error.status;
        (void)snprintf(measurement->verdict.message, sizeof measurement->verdict.message, "%.1000s",
                       error.message);
        return;
    }
    measurement->force.median_s = time.step_s;
    measurement->machine_load = run->request.info.is_cpu ? time.machine_load : NAN;
    run->steps_per_list[case_index] = time.steps_per_list;
}

static void measure(void *context, size_t case_index, const struct sampling *sampling,
                    struct measurement *measurement) {
    struct best_run *run = context;
    worker_measure(run->request.worker, case_index, sampling, measurement);
    if (run->report.time == BEST_WHOLE_STEP && measurement->verdict.status == STATUS_OK &&
        measurement->timed) {
        time_steps(run, case_index, sampling->time_cap_s, measurement);
    }
}

static void compile(void *context, const size_t *cases, size_t count) {
    struct best_run *run = context;
    worker_compile_ahead(run->request.worker, cases, count);
}

/* ---- answers ---- */

/* Stores the tunables of the answer, which turns may have changed since tuning. */
static bool keep_one(const struct best_run *run, const struct best_candidate *candidate,
                     struct error *error) {
    const struct tuning_request *request = &run->request;
    const struct case_spec *spec = tuning_request_case(request, candidate->question);
    const struct case_spec *best = &request->sweep.plan.cases[candidate->case_index];
    struct tuning_result result = candidate->tuned;
    result.best = best->tunings;
    result.outcome = best == spec ? TUNING_KEPT_PRESET : TUNING_BETTER;
    result.ratio = isnan(candidate->preset_s) ? 1 : candidate->preset_s / candidate->time.seconds;
    return tuning_keep(request->store, spec, &request->info, &result, error);
}

static void report_kept(const struct best_run *run, const struct best_answer *answer, size_t kept) {
    const struct tuning_request *request = &run->request;
    if (kept == 0) {
        (void)fprintf(stderr, "pairmark best: nothing is stored in %s: no variant %s\n",
                      request->store, answer->passed > 0 ? "was tuned within --budget" : "passes");
        return;
    }
    (void)fprintf(stderr,
                  "pairmark best: the tunables of %zu variant%s are in %s, for `pairmark bench "
                  "--tuned%s%s`\n",
                  kept, kept == 1 ? "" : "s", request->store,
                  request->store_option ? " --store " : "",
                  request->store_option ? request->store_option : "");
}

static bool keep_all(const struct best_run *run, const struct best_answer *answer,
                     struct error *error) {
    size_t kept = 0;
    for (size_t c = 0; c < answer->count; c++) {
        if (answer->candidates[c].state == BEST_TUNED) {
            if (!keep_one(run, &answer->candidates[c], error)) {
                return false;
            }
            kept++;
        }
    }
    report_kept(run, answer, kept);
    return true;
}

static void show(void *context, const char *what, size_t done, size_t total) {
    const struct best_run *run = context;
    char line[512];
    (void)snprintf(line, sizeof line, "%.0f s of %.0f: %s, %zu of %zu", clock_s() - run->began_s,
                   run->request.budget_s, what, done + 1, total);
    terminal_show_line(stderr, line);
}

/* Whether all variants that were tried fail by their input. */
static bool is_unusable(const struct best_answer *answer) {
    size_t failed = 0;
    size_t by_input = 0;
    for (size_t c = 0; c < answer->count; c++) {
        if (answer->candidates[c].state == BEST_FAILED) {
            failed++;
            by_input += answer->candidates[c].status == STATUS_BAD_INPUT;
        }
    }
    return failed > 0 && by_input == failed;
}

/* One that was interrupted is printed as far as it is known; nothing of it is stored. */
static bool report_answer(struct best_run *run, const struct best_answer *answer,
                          struct error *error) {
    if (answer->interrupted && answer->passed == 0) {
        return true;
    }
    run->request.wrong += answer->wrong;
    run->request.without += answer->passed == 0;
    run->request.unusable += answer->passed == 0 && is_unusable(answer);
    const bool kept = answer->interrupted || keep_all(run, answer, error);
    if (run->answers) {
        json_object_array_add(run->answers, best_report_json(&run->report, answer));
    } else {
        (void)printf("%s", run->answered++ > 0 ? "\n" : "");
        best_report_print(&run->report, answer);
    }
    return kept;
}

static bool answer_one(struct best_run *run, size_t question, struct error *error) {
    struct tuning_request *request = &run->request;
    const struct case_spec *spec = tuning_request_case(request, question);
    const struct campaign_measurer measurer = { .context = run,
                                                .measure = measure,
                                                .compile = compile };
    run->began_s = clock_s();
    const struct best_effort effort = {
        .tuning = request->effort,
        .within = run->within,
        .began_s = run->began_s,
        .end_s = run->began_s + request->budget_s,
        .is_processor = request->info.is_cpu,
        .has_cuda = request->info.kind == DEVICE_CUDA,
        .max_all_pairs = request->info.is_cpu ? MAX_ALL_PAIRS_CPU : MAX_ALL_PAIRS_GPU,
        .tuning_share = request->info.is_cpu ? tuning_share_cpu : tuning_share_gpu,
        .takes = takes,
        .show = show,
        .context = run
    };
    struct best_answer answer = { 0 };
    bool good = prepare(run, spec, error) &&
                best_find(&request->sweep, question, &measurer, &effort, &answer, error);
    terminal_clear_line(stderr);
    if (good && answer.has_no_pairs) {
        good = fail_apart(run, spec, error);
    } else if (good) {
        good = report_answer(run, &answer, error);
    }
    best_free(&answer);
    return good || signals_noted();
}

static bool is_first_of_case(const struct tuning_sweep *sweep, size_t question) {
    for (size_t q = 0; q < question; q++) {
        if (best_is_same_case(sweep, q, question)) {
            return false;
        }
    }
    return true;
}

static size_t count_answers(const struct tuning_sweep *sweep) {
    size_t answers = 0;
    for (size_t q = 0; q < sweep->count; q++) {
        answers += is_first_of_case(sweep, q);
    }
    return answers;
}

static void print_estimate(const struct best_run *run) {
    const size_t answers = count_answers(&run->request.sweep);
    const size_t variants = answers > 0 ? run->request.sweep.count / answers : 0;
    (void)fprintf(stderr, "pairmark best: %zu variant%s", variants, variants == 1 ? "" : "s");
    if (answers > 1) {
        (void)fprintf(stderr, " in each of %zu cases", answers);
    }
    (void)fprintf(stderr, " on %s: about %s at most (--budget)\n", run->request.info.name,
                  progress_duration((double)answers * run->request.budget_s).text);
}

static bool ask_device(void *context, const char *device, struct error *error) {
    struct best_run *run = context;
    struct tuning_request *request = &run->request;
    const bool no_budget = isinf(request->budget_s);
    if (isnan(request->deadline_s)) {
        request->deadline_s =
            no_budget ? default_budget_gpu_s : fmax(least_deadline_s, request->budget_s);
    }
    bool done = tuning_request_open(request, device, error);
    if (done) {
        request->budget_s = !no_budget             ? request->budget_s
                            : request->info.is_cpu ? default_budget_cpu_s
                                                   : default_budget_gpu_s;
        print_estimate(run);
    }
    for (size_t q = 0; done && q < request->sweep.count && !signals_noted(); q++) {
        done = !is_first_of_case(&request->sweep, q) || answer_one(run, q, error);
    }
    worker_free(request->worker);
    request->budget_s = no_budget ? INFINITY : request->budget_s;
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
    return tuning_request_exit_code(&run->request, "best", "case");
}

static void end(void *context) {
    struct best_run *run = context;
    tuning_request_end(&run->request);
    best_motion_free(&run->motion);
    free(run->steps_per_list);
    json_object_put(run->answers);
}

static void start(void *context) {
    struct best_run *run = context;
    *run = (struct best_run){ .request = tuning_request_defaults(),
                              .words = { .temperature = -1, .dt = step_rules_default().dt },
                              .within = default_within };
    run->request.deadline_s = NAN; /* unless it is said */
    run->request.effort.builds_of = builds_of;
    run->request.effort.context = run;
    run->request.effort.strict = true;
}

static int run_best(void *context, struct error *error) {
    static const struct sweep best = {
        .begin = begin, .ask_device = ask_device, .conclude = conclude, .end = end
    };
    return check(context, error) ? command_sweep(&best_command, &best, context, error)
                                 : COMMAND_FAILED;
}

static const struct command_option options[] = {
    { "--budget", .placeholder = "S",
      .help = "the whole time for an answer, about (120 s; without a GPU 90 s)",
      OPTION_DURATION(struct best_run, request.budget_s) },
    { "--within", .placeholder = "X",
      .help = "tune what takes X times the fastest's time at most (3)",
      OPTION_AT_LEAST(struct best_run, within, 1) },
    { "--forces-only", .help = "time the evaluation alone: building is not counted",
      OPTION_STORED(struct best_run, forces_only) },
    { "--steps-per-build", .placeholder = "K", .help = "a list lasts K steps, whatever its skin",
      OPTION_AT_LEAST(struct best_run, report.steps_per_build, 1) },
    { "--temperature", .placeholder = "T",
      .help = "of the short simulation (k_B T, an energy; that of the box's velocities, else 1)",
      OPTION_POSITIVE(struct best_run, words.temperature) },
    { "--dt", .placeholder = "T", .help = "its time step (0.005)",
      OPTION_POSITIVE(struct best_run, words.dt), OPTION_NOTED(struct best_run, has_dt) },
    { "--integrator", .placeholder = "I",
      .help = "its integrator (verlet; settle for rigid waters); of workload step, those of its "
              "variants that are timed (all)",
      OPTION_STORED(struct best_run, words.integrator) },
    { "--store", .placeholder = "FILE", .values = OPTION_FILE,
      .help = "where the best tunables are stored (tuned.csv in the cache folder)",
      OPTION_STORED(struct best_run, request.store_option) },
    { "--time-cap", .placeholder = "S",
      .help = "sample each combination for at most S seconds (0.2)",
      OPTION_DURATION(struct best_run, request.effort.sampling.time_cap_s) },
    { "--shuffle-seed", .placeholder = "N",
      .help = "of the order in which combinations are tried (1)",
      OPTION_COUNT(struct best_run, request.seed, 0, OPTION_ANY) },
    { "--deadline", .placeholder = "S",
      .help = "how long one combination may take before it is a timeout (60, or the budget where "
              "that is more)",
      OPTION_DURATION(struct best_run, request.deadline_s) },
    { "--verbose", .help = "the tunables of each line, and how long each skin lasts",
      OPTION_STORED(struct best_run, report.verbose) },
    { "--json", .help = "one JSON document", OPTION_STORED(struct best_run, json) },
    { .name = NULL },
};

const struct command best_command = {
    .name = "best",
    .summary = "the fastest variant with its best tunables, for this box",
    .run = run_best,
    COMMAND_REQUEST(struct best_run),
    .begin = start,
    COMMAND_AXES(struct best_run, request.axes),
    .options = options,
    .takes_axes = true,
    .runs_kernels = true
};
