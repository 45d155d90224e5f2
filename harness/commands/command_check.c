#include "commands/check_parts.h"
#include "commands/commands.h"
#include "core/host.h"
#include "core/strings.h"
#include "kernels/header/read_variant.h"
#include "measure/program.h"
#include "measure/worker/worker.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct check_options {
    struct axes axes;
    double deadline_s;
    bool is_deadline_said;
    struct check_draw draw;
    bool json;
    bool verbose;
    bool fail_fast;
    bool compile_only;
    const char *targets; /* --target; NULL: not given */
    const char *junit;   /* --junit; NULL: not given */
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
    { "--budget", .placeholder = "SECONDS",
      .help = "how long the cases that are drawn may take for each variant (60; 600 with "
              "--thorough; less on a GPU); 0: those that are listed, and none drawn",
      OPTION_AT_LEAST(struct check_options, draw.budget_s, 0),
      OPTION_NOTED(struct check_options, draw.is_budget_said) },
    { "--thorough", .help = "every three values of three axes, as far as the budget goes",
      OPTION_STORED(struct check_options, draw.thorough) },
    { "--fail-fast", .help = "stop at the first failure",
      OPTION_STORED(struct check_options, fail_fast) },
    { "--deadline", .placeholder = "SECONDS",
      .help = "how long one case may take (60; longer where it is large)",
      OPTION_DURATION(struct check_options, deadline_s),
      OPTION_NOTED(struct check_options, is_deadline_said) },
    { "--compile-only",
      .help = "compile for sm_90, with a CUDA toolkit and no device: errors with their lines, "
              "kernels that spill registers (with -v all of them); exit status 1 if anything does "
              "not compile",
      OPTION_STORED(struct check_options, compile_only) },
    { "--target", .placeholder = "LIST",
      .help = "--compile-only for sm_80 or another (NVRTC), gfx90a or another of AMD (clang, "
              "libclc), spirv "
              "(clang, llvm-spirv): without axes a case of each variant; structures, too; a table "
              "of registers, private and local memory, waves",
      OPTION_STORED(struct check_options, targets) },
    { .name = NULL },
};

/* ---- checking ---- */

/* One device's turn. */
struct checking {
    const struct check_options *options;
    struct check_plan *plan;
    struct worker *worker;
    struct device_info info;
    struct check_report *report;
    double budget_s;      /* of what is drawn, for each variant */
    bool counts_planning; /* within the budget */
};

/* Precisions that the device has no means for are no part of the default campaign. */
static bool lacks_precision(const struct checking *checking, const struct case_spec *spec) {
    return !checking->options->axes.precision && !checking->info.fp64 &&
           numeric_accum_is_double(precision_numeric(spec->precision));
}

static bool is_long(const struct checking *checking, const struct case_spec *spec) {
    return case_is_long(spec, checking->info.is_cpu);
}

/* All pairs of a large default box, which of a variant of the program others have checked; beside
 * cases that are drawn, which are short enough, of any. */
static bool takes_too_long(const struct checking *checking, const struct case_spec *spec) {
    const struct axes *axes = &checking->options->axes;
    return is_long(checking, spec) && !axes->n && !axes->box_files &&
           (variant_is_built_in(spec->variant->path) || checking->plan->drawn_count > 0);
}

static bool is_skipped(const struct checking *checking, const struct case_spec *spec, bool drawn) {
    return lacks_precision(checking, spec) || (!drawn && takes_too_long(checking, spec));
}

/* Unless the user says it: several times as long as a case should take, for other work may go on.
 */
static double deadline_of(const struct checking *checking, const struct case_spec *spec) {
    const double reserve = 5;
    const struct check_options *options = checking->options;
    const double should = reserve * drawn_case_seconds(spec); /* NaN: of a file */
    return options->is_deadline_said ? options->deadline_s : fmax(options->deadline_s, should);
}

/* What is drawn for a variant, so far: choosing the cases, and running them and those beside them.
 */
struct spending {
    const struct variant *variant;
    double seconds;
    size_t cases;
    bool has_planned; /* the time of choosing is within */
    bool has_judged;  /* a case with pairs, which shows a kernel's mistakes */
};

static void begin_variant(struct spending *spending, const struct variant *variant) {
    if (spending->variant != variant) {
        *spending = (struct spending){ .variant = variant };
    }
}

/* Whether the budget is spent: not before one case was run, however long planning took, and later
 * while there was nothing to judge. */
static bool is_spent(const struct checking *checking, const struct spending *spending) {
    const double most = 4; /* where cases have no pairs, or no kernel takes them */
    const double budget_s = spending->has_judged ? checking->budget_s : most * checking->budget_s;
    return spending->cases > 0 && spending->seconds >= budget_s;
}

static void check_case(const struct checking *checking, size_t index, struct spending *spending) {
    const struct plan *all = &checking->plan->all;
    const struct case_spec *spec = &all->cases[index];
    struct check_report *report = checking->report;
    struct drawn_case origin;
    struct verdict verdict;
    char name[1024];
    struct drawn *drawn = check_plan_drawn(checking->plan, index, &origin);
    begin_variant(spending, spec->variant);
    if (drawn && checking->counts_planning && !spending->has_planned) {
        spending->seconds += drawn->variants[origin.variant].planning_s;
        spending->has_planned = true;
    }
    if (is_skipped(checking, spec, drawn != NULL) || (drawn && is_spent(checking, spending))) {
        return;
    }
    case_name(spec, name, sizeof name);
    check_report_progress(index, all->count, name);
    const double began = clock_s();
    worker_set_deadline(checking->worker, deadline_of(checking, spec));
    worker_check(checking->worker, index, &verdict);
    const double seconds = clock_s() - began;
    spending->seconds += seconds;
    report->by_variant = checking->plan->drawn_count > 0;
    /* what the planner could not know */
    if (drawn && (verdict.status == STATUS_BAD_INPUT || verdict.box_overflows)) {
        checking->plan->all.left_out++;
        check_report_left_out(report, name, &verdict);
        return;
    }
    spending->cases += drawn != NULL;
    spending->has_judged |= verdict.status != STATUS_UNSUPPORTED && verdict.pairs_in_cutoff != 0;
    check_report_case(report, spec, name, &verdict, seconds);
    if (drawn && verdict.status != STATUS_UNSUPPORTED) {
        struct drawn_variant *variant = &drawn->variants[origin.variant];
        covering_meet(variant->covering, origin.row);
        variant->failed += verdict.status != STATUS_OK;
    }
    if (!checking->options->json && is_long(checking, spec)) {
        (void)printf("%s: one launch over all pairs, %.1f s\n", name, seconds);
    }
    report->stopped = checking->options->fail_fast && report->failed > 0;
}

static void check_cases(const struct checking *checking) {
    struct check_report *report = checking->report;
    struct spending spending = { .variant = NULL };
    check_report_begin_device(report, &checking->info);
    for (size_t i = 0; i < checking->plan->all.count && !report->stopped; i++) {
        check_case(checking, checking->plan->order[i], &spending);
    }
    check_report_end_device(report);
}

/* A GPU is not to take longer for all variants than for those cases that are listed: its budget is
 * of cases alone. */
static void choose_budget(struct checking *checking) {
    const double most = 20, of_all = 50; /* planning takes time, too */
    const struct check_draw *draw = &checking->options->draw;
    size_t variants = 0;
    for (size_t d = 0; d < checking->plan->drawn_count; d++) {
        variants += checking->plan->drawn[d].variant_count;
    }
    checking->counts_planning =
        draw->is_budget_said || draw->thorough || checking->info.is_cpu || variants == 0;
    checking->budget_s =
        checking->counts_planning ? draw->budget_s : fmin(most, of_all / (double)variants);
}

static void report_coverage(const struct checking *checking) {
    const struct check_options *options = checking->options;
    struct strbuf lines = { 0 };
    if (checking->plan->drawn_count > 0 && !options->json) {
        check_plan_append_coverage(checking->plan, options->draw.thorough ? 3 : 2, options->verbose,
                                   &lines);
        (void)fputs(strbuf_text(&lines), stdout);
    }
    strbuf_free(&lines);
    check_plan_remember(checking->plan, checking->info.model);
    check_plan_reset(checking->plan);
}

static bool check_device(void *context, const char *device, struct error *error) {
    struct checking checking = *(const struct checking *)context;
    if (checking.report->stopped) {
        return true;
    }
    checking.worker =
        worker_create(plan_worker_cases(&checking.plan->all), device, checking.options->deadline_s);
    worker_isolate_variants(checking.worker);
    const bool good = command_open_device(checking.worker, device, &checking.info, error);
    if (good) {
        choose_budget(&checking);
        check_cases(&checking);
        report_coverage(&checking);
    }
    worker_free(checking.worker);
    return good;
}

/* Whether the device is there. Asked before cases are drawn, which takes long. */
static bool find_device(void *context, const char *device, struct error *error) {
    const struct check_options *options = context;
    struct device_info info;
    return command_describe_device(device, options->deadline_s, &info, error);
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
        const char *left_out = report->left_out_first.message;
        if (report->unsupported == 0 && *left_out) {
            (void)fail(&error, STATUS_BAD_INPUT,
                       "nothing was checked: no case that was drawn can "
                       "be run: %s",
                       left_out);
        } else {
            (void)fail(&error, STATUS_SYSTEM,
                       "nothing was checked: the device supports none of the %s%s%s",
                       report->unsupported ? "cases" : "precisions", *why ? ": " : "", why);
        }
        return command_fail(command, &error);
    }
    return 0;
}

static int check_all(const struct check_options *options, struct check_plan *plan,
                     struct error *error) {
    struct check_report report =
        check_report_create(options->json, options->verbose, options->junit);
    struct checking checking = { .options = options, .plan = plan, .report = &report };
    report.seed = plan->drawn_count > 0 ? &plan->seed : NULL;
    const bool good = (!options->junit || junit_check(options->junit, error)) &&
                      command_each_device(&options->axes, check_device, &checking, error) &&
                      check_report_totals(&report, plan->all.left_out, error);
    const int status = good ? conclude(check_command.name, &report) : COMMAND_FAILED;
    check_report_free(&report);
    return status;
}

static int compile_all(const struct check_options *options, const struct plan *plan,
                       struct error *error) {
    const struct compile_options compile = { .targets =
                                                 options->targets ? options->targets : "sm_90",
                                             .json = options->json,
                                             .verbose = options->verbose,
                                             .fail_fast = options->fail_fast,
                                             .structures = options->targets != NULL,
                                             .one_each = !check_is_particular(&options->axes) };
    int status = 0;
    return check_compile(plan, &compile, &status, error) ? status : COMMAND_FAILED;
}

static bool check_options(const struct check_options *options, struct error *error) {
    if (options->targets && !options->compile_only) {
        return fail(error, STATUS_BAD_INPUT, "--target is of --compile-only");
    }
    return !options->junit || !options->compile_only ||
           fail(error, STATUS_BAD_INPUT,
                "--junit: --compile-only compiles programs and judges no cases");
}

static void begin(void *options) {
    ((struct check_options *)options)->deadline_s = 60;
}

static bool choose_draw(struct check_options *options) {
    struct check_draw *draw = &options->draw;
    draw->listed = options->compile_only;
    if (!draw->is_budget_said) {
        draw->budget_s = draw->thorough ? 600 : 60;
    }
    return true;
}

static int run(void *context, struct error *error) {
    struct check_options *options = context;
    struct check_plan plan = { 0 };
    int status = COMMAND_FAILED;
    const struct axes *axes = &options->axes;
    const bool draws = !options->compile_only && !axes->kind && !axes->n && !axes->box_files;
    if (check_options(options, error) && choose_draw(options) &&
        (!draws || command_each_device(axes, find_device, options, error)) &&
        check_plan_make(axes, &options->draw, &plan, error) &&
        plan_check_precisions(&plan.all, axes, error)) {
        if (options->compile_only) {
            status = compile_all(options, &plan.all, error);
        } else {
            command_report_confinement(check_command.name, axes);
            command_report_left_out(check_command.name, &plan.all);
            status = check_all(options, &plan, error);
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
