#include "campaign/plan/plan.h"
#include "campaign/worker/worker.h"
#include "commands/check_report.h"
#include "commands/commands.h"
#include "core/host.h"
#include "core/strings.h"
#include "kernels/header/read_variant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct check_options {
    struct axes axes;
    double deadline_s;
    bool json;
    bool verbose;
    bool fail_fast;
    bool compile_only;
    const char *architectures; /* --arch; NULL: not given */
    const char *targets;       /* --target; NULL: not given */
    const char *junit;         /* --junit; NULL: not given */
};

static const struct command_option option_table[] = {
    { "--json",
      .help = "one JSON object that lists all cases: docs/ci.md, share/schemas/check.json",
      OPTION_STORED(struct check_options, json) },
    { "--junit", .placeholder = "FILE", .values = OPTION_FILE,
      .help = "JUnit XML, a test case per case, for a CI server",
      OPTION_STORED(struct check_options, junit) },
    { "--verbose", "-v", .help = "a line per case, of those that pass, too",
      OPTION_STORED(struct check_options, verbose) },
    { "--fail-fast", .help = "stop at the first failure",
      OPTION_STORED(struct check_options, fail_fast) },
    { "--deadline", .placeholder = "SECONDS", .help = "how long one case may take (60)",
      OPTION_POSITIVE(struct check_options, deadline_s) },
    { "--compile-only",
      .help = "compile for CUDA, with a toolkit and no device: errors with their lines, kernels "
              "that spill registers (with -v all of them); exit status 1 if anything does not "
              "compile",
      OPTION_STORED(struct check_options, compile_only) },
    { "--arch", .placeholder = "LIST",
      .help = "the architectures that --compile-only compiles for (sm_90)",
      OPTION_STORED(struct check_options, architectures) },
    { "--target", .placeholder = "LIST",
      .help = "--compile-only for sm_90 (NVRTC), gfx90a or another of AMD (clang, libclc), spirv "
              "(clang, llvm-spirv): without axes a case of each variant; structures, too; a table "
              "of registers, private and local memory, waves",
      OPTION_STORED(struct check_options, targets) },
    { .name = NULL },
};

/* ---- what is checked ---- */

/* One plan a sweep, and all their cases together: these point into the plans' variants. */
struct check_plan {
    struct plan *sweeps;
    struct axes *axes; /* what each sweep says */
    size_t count;
    struct plan all;
};

static void check_plan_free(struct check_plan *plan) {
    for (size_t i = 0; i < plan->count; i++) {
        plan_free(&plan->sweeps[i]);
        axes_free(&plan->axes[i]);
    }
    free(plan->sweeps);
    free(plan->axes);
    free(plan->all.cases);
}

/* Each sweep reads the files of variants again: one that reads the same is the same. */
static bool is_same_variant(const struct variant *a, const struct variant *b) {
    return a == b || (strcmp(a->name, b->name) == 0 && a->workload == b->workload && a->text &&
                      b->text && strcmp(a->text, b->text) == 0);
}

/* The variant under which the cases before `count` know it. */
static const struct variant *find_known(const struct plan *all, size_t count,
                                        const struct variant *variant) {
    for (size_t i = 0; i < count; i++) {
        if (is_same_variant(all->cases[i].variant, variant)) {
            return all->cases[i].variant;
        }
    }
    return variant;
}

static bool append_cases(const struct plan *from, struct plan *all, struct error *error) {
    struct case_spec *cases = realloc(all->cases, (all->count + from->count) * sizeof *cases);
    if (!cases) {
        return fail_out_of_memory(error, "the plan");
    }
    memcpy(cases + all->count, from->cases, from->count * sizeof *cases);
    all->cases = cases;
    const struct variant *last = NULL; /* cases of a variant mostly follow each other */
    const struct variant *known = NULL;
    for (size_t i = 0; i < from->count; i++) {
        struct case_spec *spec = &cases[all->count + i];
        known = spec->variant == last ? known : find_known(all, all->count, spec->variant);
        last = spec->variant;
        spec->variant = known;
    }
    all->count += from->count;
    return true;
}

static bool has_groups(const struct axes *axes) {
    return axes->group_a || axes->group_b || axes->ratio || axes->pairs;
}

/* Whether the user says what is computed or in which boxes: else all workloads are checked. */
static bool is_particular(const struct axes *axes) {
    return axes->workload || axes->variant || axes->variant_files || axes->structure ||
           axes->interaction || axes->interaction_file || axes->table || axes->exclude ||
           axes->cutoff || axes->box_files || axes->bonds || axes->angles || axes->torsions ||
           axes->rb_torsions || axes->kind || axes->n || axes->batch || axes->density ||
           axes->seed || axes->open || axes->periodic || axes->tunes || axes->distribution ||
           has_groups(axes);
}

/* Whether the sweep is run at all: what the user says takes the place of what the sweeps vary, and
 * of those that would then be the same one is kept. */
static bool sweep_is_wanted(const struct axes *axes, const struct workload_check *sweep,
                            const struct axes *of_sweep, bool first) {
    if (axes->box_files) {
        return first;
    }
    const bool excludes = of_sweep->exclude != NULL;
    const bool named = axes->interaction || axes->interaction_file;
    if (excludes && (named || axes->table || axes->exclude || axes->kind)) {
        return false;
    }
    if (has_groups(axes)) {
        return sweep->for_user_n;
    }
    const bool of_its_own = of_sweep->interaction && !excludes; /* its end fits any box */
    if (of_its_own && named && !sweep->roomy) {
        return false;
    }
    if ((axes->open && !of_sweep->open && !of_its_own) || (axes->periodic && of_sweep->open)) {
        return false;
    }
    return axes->n ? sweep->for_user_n : !axes->cutoff || sweep->roomy;
}

/* Whether the user's words leave what the sweep says of an axis as it is. Groups go together; a
 * ratio says how many particles there are. */
static bool is_open(const struct axes *axes, enum axis axis) {
    if (axis == AXIS_GROUP_A || axis == AXIS_GROUP_B || axis == AXIS_RATIO || axis == AXIS_PAIRS) {
        return !has_groups(axes);
    }
    if (axis == AXIS_INTERACTION && axes->interaction_file) {
        return false;
    }
    return !axes_say(axes, axis) && !(axis == AXIS_N && axes->ratio);
}

/* What the user left open, as the sweep has it; all precisions and outputs of boxes that the user
 * names. The words are not changed by the plan. */
static struct axes fill_axes(const struct workload *workload, const struct axes *of_sweep,
                             const struct axes *said) {
    struct axes axes = *said;
    for (int a = 0; a < AXIS_COUNT && !said->box_files; a++) {
        if (axes_say(of_sweep, (enum axis)a) && is_open(said, (enum axis)a)) {
            axes_borrow(&axes, of_sweep, (enum axis)a);
        }
    }
    if (said->box_files || said->n || said->cutoff) {
        axes.precision = said->precision ? said->precision : (char *)"*";
        axes.outputs = said->outputs ? said->outputs : (char *)"*";
    }
    axes.workload = (char *)workload->name;
    return axes;
}

/* Those of a variant together, so that each needs but one process of its own. */
static bool group_by_variant(struct plan *all, struct error *error) {
    struct case_spec *grouped = malloc(all->count * sizeof *grouped);
    size_t count = 0;
    if (!grouped) {
        return fail_out_of_memory(error, "the plan");
    }
    while (count < all->count) {
        const struct variant *variant = NULL; /* that of the first case not taken yet */
        for (size_t i = 0; i < all->count; i++) {
            struct case_spec *spec = &all->cases[i];
            variant = variant ? variant : spec->variant;
            if (spec->variant && spec->variant == variant) {
                grouped[count++] = *spec;
                spec->variant = NULL;
            }
        }
    }
    free(all->cases);
    all->cases = grouped;
    return true;
}

static size_t count_sweeps(const struct workload *workload) {
    size_t count = 0;
    while (workload->checks[count].options) {
        count++;
    }
    return count;
}

static bool plan_sweep(const struct axes *axes, const struct workload *workload, size_t index,
                       struct check_plan *plan, struct error *error) {
    const struct workload_check *sweep = &workload->checks[index];
    struct axes *of_sweep = &plan->axes[plan->count];
    struct plan *made = &plan->sweeps[plan->count++];
    if (!axes_parse(of_sweep, sweep->options, NULL, NULL, error)) {
        return fail_within(error, "the checks of %s", workload->name);
    }
    if (!sweep_is_wanted(axes, sweep, of_sweep, index == 0)) {
        return true;
    }
    const struct axes filled = fill_axes(workload, of_sweep, axes);
    const bool planned = plan_make(&filled, made, error);
    plan->all.left_out += made->left_out;
    /* A variant that takes no open boxes, say, leaves nothing of some sweeps. */
    return planned ? append_cases(made, &plan->all, error) : made->left_out > 0;
}

/* The sweeps of one workload. */
static bool plan_workload_sweeps(const struct axes *axes, const struct workload *workload,
                                 struct check_plan *plan, struct error *error) {
    for (size_t s = 0; workload->checks[s].options; s++) {
        if (!plan_sweep(axes, workload, s, plan, error)) {
            return false;
        }
    }
    return true;
}

static bool plan_sweeps(const struct axes *axes, struct check_plan *plan, struct error *error) {
    const struct workload *particular = plan_workload(axes, error);
    size_t most = 1; /* calloc() of nothing may say that there is none */
    for (size_t w = 0; workloads[w]; w++) {
        most += count_sweeps(workloads[w]);
    }
    if (!particular) {
        return false;
    }
    plan->sweeps = calloc(most, sizeof *plan->sweeps);
    plan->axes = calloc(most, sizeof *plan->axes);
    if (!plan->sweeps || !plan->axes) {
        return fail_out_of_memory(error, "the plan");
    }
    (void)fail(error, STATUS_BAD_INPUT, "no part of the check has boxes such as these");
    for (size_t w = 0; workloads[w]; w++) {
        if ((!is_particular(axes) || workloads[w] == particular) &&
            !plan_workload_sweeps(axes, workloads[w], plan, error)) {
            return false;
        }
    }
    if (plan->all.count == 0) {
        return false; /* *error says why the last was left out */
    }
    return group_by_variant(&plan->all, error);
}

/* ---- checking ---- */

/* One device's turn. */
struct checking {
    const struct check_options *options;
    const struct plan *plan;
    struct worker *worker;
    struct device_info info;
    struct check_report *report;
};

/* Precisions that the device has no means for are no part of the default campaign. */
static bool lacks_precision(const struct checking *checking, const struct case_spec *spec) {
    return !checking->options->axes.precision && !checking->info.fp64 &&
           numeric_accum_is_double(precision_numeric(spec->precision));
}

static bool is_long(const struct checking *checking, const struct case_spec *spec) {
    return checking->info.is_cpu && case_is_long_on_cpu(spec);
}

/* All pairs of a large default box, which of a variant of the program others have checked. */
static bool takes_too_long(const struct checking *checking, const struct case_spec *spec) {
    const struct axes *axes = &checking->options->axes;
    return is_long(checking, spec) && !axes->n && !axes->box_files &&
           variant_is_built_in(spec->variant->path);
}

static bool is_skipped(const struct checking *checking, const struct case_spec *spec) {
    return lacks_precision(checking, spec) || takes_too_long(checking, spec);
}

static bool check_cases(const struct checking *checking, struct error *error) {
    struct check_report *report = checking->report;
    char name[1024];
    struct verdict verdict;
    bool good = true;
    check_report_begin_device(report, &checking->info);
    for (size_t i = 0; good && i < checking->plan->count && !report->stopped; i++) {
        const struct case_spec *spec = &checking->plan->cases[i];
        if (is_skipped(checking, spec)) {
            continue;
        }
        case_name(spec, name, sizeof name);
        check_report_progress(report, i, checking->plan->count, name);
        const double began = clock_s();
        worker_check(checking->worker, i, &verdict);
        const double seconds = clock_s() - began;
        good = check_report_case(report, spec, name, &verdict, seconds, error);
        if (good && !checking->options->json && is_long(checking, spec)) {
            (void)printf("%s: one launch over all pairs, %.1f s\n", name, seconds);
        }
        report->stopped = checking->options->fail_fast && report->failed > 0;
    }
    check_report_end_device(report);
    return good;
}

static bool check_device(const struct check_options *options, const struct plan *plan,
                         const char *device, struct check_report *report, struct error *error) {
    struct checking checking = { .options = options, .plan = plan, .report = report };
    if (!worker_create(plan, device, options->deadline_s, &checking.worker, error)) {
        return false;
    }
    worker_isolate_variants(checking.worker);
    const bool good = command_open_device(checking.worker, device, &checking.info, error) &&
                      check_cases(&checking, error);
    worker_free(checking.worker);
    return good;
}

static bool check_devices(const struct check_options *options, const struct plan *plan,
                          struct check_report *report, struct error *error) {
    char **devices = split_list(options->axes.device ? options->axes.device : "", ',');
    bool good = devices != NULL || fail_out_of_memory(error, "--device");
    for (size_t i = 0; good && devices[i] && !report->stopped; i++) {
        good = check_device(options, plan, devices[i], report, error);
    }
    free(devices);
    return good;
}

/* ---- the end of it ---- */

static int conclude(const char *command, const struct check_report *report) {
    struct error error;
    if (report->failed > report->bad_input + report->system) {
        return status_exit_code(STATUS_WRONG);
    }
    if (report->failed > 0) {
        return status_exit_code(report->bad_input ? STATUS_BAD_INPUT : STATUS_SYSTEM);
    }
    if (report->not_judged > 0) {
        return status_exit_code(STATUS_WRONG);
    }
    if (report->passed == 0) {
        const char *why = report->unsupported_first.message;
        (void)fail(&error, STATUS_SYSTEM,
                   "nothing was checked: the device supports none of the %s%s%s",
                   report->unsupported ? "cases" : "precisions", *why ? ": " : "", why);
        return command_fail(command, &error);
    }
    return 0;
}

static int check_all(const struct check_options *options, const struct plan *plan,
                     struct error *error) {
    struct check_report report =
        check_report_create(options->json, options->verbose, options->junit);
    const bool good = (!options->junit || junit_check(options->junit, error)) &&
                      check_devices(options, plan, &report, error) &&
                      check_report_totals(&report, plan->left_out, error);
    const int status = good ? conclude(check_command.name, &report) : COMMAND_FAILED;
    check_report_free(&report);
    return status;
}

static int compile_all(const struct check_options *options, const struct plan *plan,
                       struct error *error) {
    const char *targets = options->targets;
    const struct compile_options compile = { .architectures =
                                                 targets ? targets : options->architectures,
                                             .json = options->json,
                                             .verbose = options->verbose,
                                             .fail_fast = options->fail_fast,
                                             .one_each = !is_particular(&options->axes) };
    int status = 0;
    return (targets ? check_targets : check_compile)(plan, &compile, &status, error)
               ? status
               : COMMAND_FAILED;
}

static bool check_options(const struct check_options *options, struct error *error) {
    if (options->architectures && !options->compile_only) {
        return fail(error, STATUS_BAD_INPUT, "--arch is of --compile-only; a device has its own");
    }
    if (options->targets && (options->architectures || !options->compile_only)) {
        return fail(error, STATUS_BAD_INPUT, "--target is of --compile-only, in place of --arch");
    }
    return !options->junit || !options->compile_only ||
           fail(error, STATUS_BAD_INPUT,
                "--junit: --compile-only compiles programs and judges no cases");
}

static void begin(void *options) {
    ((struct check_options *)options)->deadline_s = 60;
}

static int run(void *context, struct error *error) {
    const struct check_options *options = context;
    struct check_plan plan = { 0 };
    int status = COMMAND_FAILED;
    if (check_options(options, error) && plan_sweeps(&options->axes, &plan, error)) {
        if (options->compile_only) {
            status = compile_all(options, &plan.all, error);
        } else {
            command_report_confinement(check_command.name, &options->axes);
            status = check_all(options, &plan.all, error);
        }
    }
    check_plan_free(&plan);
    return status;
}

const struct command check_command = {
    .name = "check",
    .summary = "compare variants with the reference; exit status 1 if any fails",
    .run = run,
    COMMAND_REQUEST(struct check_options),
    .begin = begin,
    COMMAND_AXES(struct check_options, axes),
    .options = option_table,
    .takes_axes = true,
    .runs_kernels = true
};
