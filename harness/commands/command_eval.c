#include "boxes/box.h"
#include "campaign/plan/plan.h"
#include "commands/command_parts.h"
#include "commands/commands.h"
#include "commands/search/search.h"
#include "core/files.h"
#include "core/strings.h"
#include "measure/program.h"
#include "measure/worker/worker.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct eval_options {
    struct axes axes;
    const char *forces; /* NULL: not written */
    double deadline_s;
    bool json;
    bool no_reference;
};

static bool take_reference(void *context, const char *option, const char *value,
                           struct error *error) {
    (void)option;
    return command_choose_reference(value, &((struct eval_options *)context)->no_reference, error);
}

static const struct command_option option_table[] = {
    { "--json", .help = "one JSON object, full precision",
      OPTION_STORED(struct eval_options, json) },
    { "--no-reference",
      .help = "compare nothing, and count no pairs: for boxes so large that the reference takes "
              "too long (the same as --reference none)",
      OPTION_STORED(struct eval_options, no_reference) },
    { "--reference", .placeholder = "WAY", .values = "threads serial none",
      .help = "how the reference computes: on all processors (threads), by plain loops (serial), "
              "which differ in rounding alone, or not at all (none) (threads)" },
    { "--forces", .placeholder = "FILE", .values = OPTION_FILE,
      .help = "writes the box with the force on each particle, or the derivatives of a "
              "coordination by its position (extended XYZ)",
      OPTION_STORED(struct eval_options, forces) },
    { "--deadline", .placeholder = "SECONDS", .help = "how long it may take (60)",
      OPTION_DURATION(struct eval_options, deadline_s) },
    { .name = NULL },
};

/* ---- that it is one case ---- */

enum { DIFFER_BOX = AXIS_COUNT, DIFFERENCES };

/* Boxes of two files or kinds differ by that; of one, by their numbers. */
static void compare_boxes(const struct box_spec *a, const struct box_spec *b,
                          bool differ[DIFFERENCES]) {
    if (strcmp(a->path, b->path) != 0 || strcmp(a->kind, b->kind) != 0) {
        differ[DIFFER_BOX] = true;
        return;
    }
    differ[AXIS_N] = differ[AXIS_N] || a->n != b->n;
    differ[AXIS_BATCH] = differ[AXIS_BATCH] || a->batch != b->batch;
    differ[AXIS_DENSITY] = differ[AXIS_DENSITY] || a->density != b->density;
    differ[AXIS_SEED] = differ[AXIS_SEED] || a->seed != b->seed;
}

/* What else a seed could be meant for. */
static const char *note_of_seeds(const struct case_spec *spec) {
    return step_rules_have_noise(&spec->step)
               ? " (of the box; noise has --thermostat langevin:seed=S)"
               : spec->variant->workload->words.seeds;
}

/* Where the case itself says what the axis is, and no other axis goes with it. */
static bool differ_by_words(const struct case_spec *a, const struct case_spec *b, enum axis axis) {
    const enum axis_rows rows = axis_table[axis].chooses;
    struct strbuf left = { 0 };
    struct strbuf right = { 0 };
    const enum column column = axis_table[axis].column;
    const bool differ = (rows == ROWS_BY_NAME || rows == ROWS_BY_INTERACTION) &&
                        axis != AXIS_STRUCTURE && axis_is_of(axis, a->variant->workload) &&
                        case_words(a, column, &left) && case_words(b, column, &right) &&
                        strcmp(strbuf_text(&left), strbuf_text(&right)) != 0;
    strbuf_free(&left);
    strbuf_free(&right);
    return differ;
}

/* The options along which the cases of the plan differ, as "--variant, --precision". */
static void append_differences(const struct plan *plan, struct strbuf *text) {
    bool differ[DIFFERENCES] = { false };
    const struct case_spec *first = &plan->cases[0];
    for (size_t i = 1; i < plan->count; i++) {
        const struct case_spec *other = &plan->cases[i];
        for (int axis = 0; axis < AXIS_COUNT; axis++) {
            differ[axis] = differ[axis] || differ_by_words(first, other, (enum axis)axis);
        }
        compare_boxes(&first->box, &other->box, differ);
        differ[AXIS_CUTOFF] =
            differ[AXIS_CUTOFF] || (axis_is_of(AXIS_CUTOFF, first->variant->workload) &&
                                    !cutoff_same(other->cutoff, first->cutoff));
        differ[AXIS_RATIO] = differ[AXIS_RATIO] || other->group.ratio_a != first->group.ratio_a ||
                             other->group.ratio_b != first->group.ratio_b;
    }
    for (int i = 0; i < DIFFERENCES; i++) {
        if (differ[i]) {
            strbuf_append(text, "%s%s%s", text->length ? ", " : "",
                          i < AXIS_COUNT ? axis_table[i].option : "--box or --kind",
                          i == AXIS_SEED ? note_of_seeds(first) : "");
        }
    }
    if (text->length == 0) {
        strbuf_append(text, "--tune");
    }
}

static bool check_one_case(const struct plan *plan, struct error *error) {
    struct strbuf differences = { 0 };
    char first[1024];
    if (plan->count == 1) {
        return true;
    }
    case_name(&plan->cases[0], first, sizeof first);
    append_differences(plan, &differences);
    (void)fail(error, STATUS_BAD_INPUT,
               "the axes span %zu cases, one is taken: narrow %s; the first of them is %s",
               plan->count, differences.data ? differences.data : "the axes", first);
    strbuf_free(&differences);
    return false;
}

/* The same of the cases of one variant. */
static bool check_variant(const struct plan *plan, const struct variant *variant,
                          struct error *error) {
    struct plan own = { .cases = memory_zeroed(plan->count + 1, sizeof *own.cases) };
    for (size_t i = 0; i < plan->count; i++) {
        if (plan->cases[i].variant == variant) {
            own.cases[own.count++] = plan->cases[i];
        }
    }
    const bool good = check_one_case(&own, error);
    free(own.cases);
    return good;
}

static bool names_variant(const struct axes *axes) {
    return axes->variant || axes->structure || axes->variant_files;
}

static bool plan_cases(const struct eval_options *options, struct plan *plan, struct error *error) {
    char precision[] = "double";
    char outputs[] = "virial";
    struct axes axes = options->axes;
    axes.precision = axes.precision ? axes.precision : precision;
    const struct workload *workload = axes.outputs ? NULL : plan_workload(&axes, error);
    if (workload && axis_is_of(AXIS_OUTPUTS, workload)) { /* all that it sums */
        axes.outputs = outputs;
    }
    if (axes.device && strchr(axes.device, ',')) {
        return fail(error, STATUS_BAD_INPUT, "--device: one device is taken, not '%.100s'",
                    axes.device);
    }
    if (!plan_make(&axes, plan, error)) {
        return false;
    }
    if (!plan_check_precisions(plan, &axes, error) ||
        !(names_variant(&axes) ? check_one_case(plan, error)
                               : check_variant(plan, plan->cases[0].variant, error))) {
        plan_free(plan);
        return false;
    }
    command_report_left_out(eval_command.name, plan);
    return true;
}

/* Without a named variant, the first in the order of `best` that can compute the case; if recorded
 * rows rank none of them, one without a structure, which takes any cutoff. Returns the place among
 * the cases; their count where all were tried. */
static size_t next_case(const struct plan *plan, const struct device_info *info,
                        const bool *tried) {
    size_t next = plan->count;
    size_t least = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct case_spec *spec = &plan->cases[i];
        const size_t known = best_place(spec, info->is_cpu);
        const bool walks_nothing = strcmp(spec->variant->structure, "none") == 0 &&
                                   (spec->box.batch > 1 || !variant_is_by_box(spec->variant));
        const size_t place = known == BEST_UNLISTED && walks_nothing ? BEST_UNLISTED - 1 : known;
        const bool can = !spec->variant->needs_cuda || info->kind == DEVICE_CUDA;
        if (can && !tried[i] && (next == plan->count || place < least)) {
            next = i;
            least = place;
        }
    }
    return next;
}

/* ---- what comes out ---- */

/* A number that is none is no result: say so rather than leave it out. */
static bool check_finite(const struct eval_result *result, struct error *error) {
    const struct evaluation *evaluation = result->evaluation;
    const struct verdict *verdict = result->verdict;
    const enum outputs outputs = result->spec->outputs;
    bool finite = outputs == OUTPUTS_FORCES || isfinite(evaluation->energy);
    for (int i = 0; i < 9; i++) {
        finite = finite && (outputs != OUTPUTS_VIRIAL || isfinite(evaluation->virial[i]));
    }
    for (size_t i = 0; finite && i < evaluation->numbers; i++) {
        finite = isfinite(evaluation->force[i]);
    }
    if (!finite && verdict && verdict->status != STATUS_OK) {
        return fail(error, STATUS_WRONG, "%s: the result is not finite: %s",
                    result->spec->variant->name, verdict->message);
    }
    return finite || fail(error, STATUS_WRONG,
                          "%s: the result is not finite; do particles of the box coincide?",
                          result->spec->variant->name);
}

/* What stands beside numbers that are wrong, or that could not be compared. */
static bool check_verdict(const struct eval_result *result, struct error *error) {
    const struct verdict *verdict = result->verdict;
    return !verdict || verdict->status == STATUS_OK ||
           fail(error, STATUS_WRONG, "%s: %s: %s", result->spec->variant->name,
                status_name(verdict->status), verdict->message);
}

static bool write_forces(const char *path, const struct case_spec *spec,
                         const struct evaluation *evaluation, struct error *error) {
    const struct box_spec *wanted = &spec->box;
    struct box box;
    if (!box_of_spec(wanted, &box, error)) {
        return false;
    }
    bool written = box.n == evaluation->n ||
                   fail(error, STATUS_BAD_INPUT, "%s: changed while it was in use", wanted->path);
    written = written && box_write(path, &box, evaluation->force,
                                   spec->variant->workload->words.results, error);
    box_free(&box);
    return written || fail_within(error, "--forces");
}

/* ---- the command ---- */

/* The numbers are printed, and written, whatever the verdict on them. */
static bool report(const struct eval_options *options, struct eval_result *result,
                   struct error *error) {
    const struct case_spec *spec = result->spec;
    result->has_terms = axis_is_of(AXIS_BONDS, spec->variant->workload) && !options->no_reference &&
                        spec->outputs != OUTPUTS_FORCES;
    if ((result->has_terms && !eval_terms(spec, &result->terms, error)) ||
        (!options->no_reference && !eval_beside(result, error)) || !check_finite(result, error) ||
        (options->forces &&
         !write_forces(options->forces, result->spec, result->evaluation, error))) {
        return false;
    }
    eval_report(result, options->json);
    return check_verdict(result, error);
}

/* One evaluation under way. */
struct evaluating {
    const struct eval_options *options;
    const struct plan *plan;
    struct worker *worker;
    struct device_info info;
    struct evaluation evaluation;
    struct verdict verdict;
};

static bool evaluate_case(struct evaluating *own, size_t index, struct error *error) {
    const bool compares = !own->options->no_reference;
    if (worker_evaluate(own->worker, index, &own->evaluation, compares ? &own->verdict : NULL,
                        error)) {
        return true;
    }
    if (error->status == STATUS_TIMEOUT && compares) {
        (void)fail_within(error, "the reference takes its time (--no-reference leaves it out, "
                                 "--deadline allows more)");
    }
    return false;
}

/* Evaluates the first variant that is supported here, where the user names none. */
static bool evaluate_first(struct evaluating *own, size_t *index, struct error *error) {
    const struct plan *plan = own->plan;
    bool *tried = memory_zeroed(plan->count + 1, sizeof *tried);
    bool good = false;
    (void)fail(error, STATUS_UNSUPPORTED, "no variant takes this case on %s", own->info.name);
    while (!good && error->status == STATUS_UNSUPPORTED &&
           (*index = next_case(plan, &own->info, tried)) < plan->count) {
        tried[*index] = true;
        good = check_variant(plan, plan->cases[*index].variant, error) &&
               evaluate_case(own, *index, error);
    }
    free(tried);
    return good;
}

static bool evaluate_and_report(struct evaluating *own, struct error *error) {
    const struct eval_options *options = own->options;
    size_t index = 0;
    if (!command_open_device(own->worker, options->axes.device, &own->info, error) ||
        !(own->plan->count == 1 ? evaluate_case(own, 0, error)
                                : evaluate_first(own, &index, error))) {
        return false;
    }
    struct eval_result result = { .spec = &own->plan->cases[index],
                                  .device = own->info.name,
                                  .evaluation = &own->evaluation,
                                  .verdict = options->no_reference ? NULL : &own->verdict };
    if (own->plan->count > 1) {
        (void)fprintf(stderr, "pairmark eval: no variant is named: --variant %s is taken\n",
                      result.spec->variant->name);
    }
    return report(options, &result, error);
}

static bool evaluate(const struct eval_options *options, const struct plan *plan,
                     struct error *error) {
    const struct case_spec *spec = &plan->cases[0];
    if (options->forces &&
        (spec->variant->workload->places || axis_is_of(AXIS_LIST_FORM, spec->variant->workload))) {
        return fail(error, STATUS_BAD_INPUT,
                    "--forces: workload %s has no particles or no vector for each",
                    spec->variant->workload->name);
    }
    if (options->forces && fs_same_file(options->forces, spec->box.path)) {
        return fail(error, STATUS_BAD_INPUT,
                    "--forces: %s is the box that is read; name another file", options->forces);
    }
    if (options->forces && (!box_check_name(options->forces, error) ||
                            !output_check(options->forces, &box_vectors_output, error))) {
        return fail_within(error, "--forces");
    }
    struct evaluating own = {
        .options = options,
        .plan = plan,
        .worker = worker_create(plan_worker_cases(plan), options->axes.device, options->deadline_s),
    };
    const bool good = evaluate_and_report(&own, error);
    evaluation_free(&own.evaluation);
    worker_free(own.worker);
    return good;
}

static void begin(void *options) {
    ((struct eval_options *)options)->deadline_s = 60;
}

static int run(void *context, struct error *error) {
    const struct eval_options *options = context;
    struct plan plan = { 0 };
    command_report_confinement(eval_command.name, &options->axes);
    const bool good = plan_cases(options, &plan, error) && evaluate(options, &plan, error);
    plan_free(&plan);
    return good ? 0 : COMMAND_FAILED;
}

const struct command eval_command = {
    .name = "eval",
    .summary = "one evaluation, compared with the reference: numbers, no timing",
    .run = run,
    COMMAND_REQUEST(struct eval_options),
    .begin = begin,
    COMMAND_AXES(struct eval_options, axes),
    .options = option_table,
    .take_option = take_reference,
    .takes_axes = true,
    .runs_kernels = true
};
