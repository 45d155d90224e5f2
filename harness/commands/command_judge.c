/* pairmark judge — one verdict on a kernel that somebody else, or a machine, has written. */
#include "boxes/random.h"
#include "campaign/axes/axes.h"
#include "campaign/plan/plan.h"
#include "commands/check_parts.h"
#include "commands/command_parts.h"
#include "commands/commands.h"
#include "commands/search/search.h"
#include "core/host.h"
#include "core/quantity.h"
#include "core/strings.h"
#include "kernels/potentials/exclusions.h"

#include <json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the verdict, in lines or as one JSON object (share/schemas/judge.json) ---- */

struct judge_result {
    const struct kernel_judging *judging;
    const struct kernel_verdict *verdict;
    const struct device_info *device;
    const char *file;
    uint64_t hidden_seed;
    size_t hidden; /* boxes; 0: none could be made */
};

/* A load by other processes above this share of the processors is reported. */
static const double load_told = 0.1;

static const char *speed_name(enum kernel_speed speed) {
    static const char *const names[] = { [KERNEL_NOT_TIMED] = "not_timed",
                                         [KERNEL_FASTER] = "faster",
                                         [KERNEL_SLOWER] = "slower",
                                         [KERNEL_UNDECIDED] = "undecided" };
    return names[speed];
}

/* ---- reasons ---- */

typedef void reason_fn(void *context, const char *words);

static void give_failures(const struct kernel_verdict *verdict, reason_fn *give, void *context) {
    const char *last = "";
    for (size_t c = 0; c < verdict->count; c++) {
        const struct kernel_case *judged = &verdict->cases[c];
        char name[1024];
        struct strbuf words = { 0 };
        if (!status_failed(judged->verdict.status) || strcmp(judged->verdict.message, last) == 0) {
            continue;
        }
        last = judged->verdict.message;
        case_name(judged->spec, name, sizeof name);
        strbuf_append(&words, "%s%s: %s: %s", status_name(judged->verdict.status),
                      judged->hidden ? ", over a hidden box" : "", name, judged->verdict.message);
        give(context, words.data ? words.data : last);
        strbuf_free(&words);
    }
}

static void give_unsupported(const struct kernel_verdict *verdict, reason_fn *give, void *context) {
    if (verdict->status == STATUS_UNSUPPORTED && verdict->count > 0) {
        const struct verdict *first = &verdict->cases[0].verdict;
        give(context, first->status == STATUS_OK
                          ? "nothing was judged: no pair is within the cutoff in any case"
                          : first->message);
    }
}

/* What a verdict rests on, or fails by, a sentence each. */
static void give_reasons(const struct judge_result *result, reason_fn *give, void *context) {
    const struct kernel_verdict *verdict = result->verdict;
    char words[256];
    give_failures(verdict, give, context);
    give_unsupported(verdict, give, context);
    if (result->hidden == 0) {
        give(context, result->judging->plan->cases[0].box.path[0]
                          ? "no hidden boxes: boxes that are read have no seed"
                          : "no hidden boxes were asked for: --hidden 0");
    }
    if (verdict->speed == KERNEL_UNDECIDED) {
        give(context, "the ratio's interval includes 1: more --turns, a larger box or a quieter "
                      "machine may decide");
    }
    if (verdict->machine_load > load_told) {
        (void)snprintf(words, sizeof words,
                       "other processes took up to %s of the processors while it was timed",
                       quantity_percent(verdict->machine_load).text);
        give(context, words);
    }
}

/* ---- lines ---- */

static void print_reason(void *context, const char *words) {
    (void)context;
    (void)printf("  because     %s\n", words);
}

static size_t count_hidden(const struct kernel_verdict *verdict) {
    size_t hidden = 0;
    for (size_t c = 0; c < verdict->count; c++) {
        hidden += verdict->cases[c].hidden;
    }
    return hidden;
}

static void print_right(const struct judge_result *result) {
    const struct kernel_verdict *verdict = result->verdict;
    const char *right = verdict->status == STATUS_OK            ? "yes"
                        : verdict->status == STATUS_UNSUPPORTED ? "not known"
                                                                : "no";
    (void)printf("  correct     %s: %zu case%s", right, verdict->count,
                 verdict->count == 1 ? "" : "s");
    if (result->hidden > 0) {
        (void)printf(", %zu of them over hidden boxes (--hidden-seed %llu)", count_hidden(verdict),
                     (unsigned long long)result->hidden_seed);
    }
    (void)putchar('\n');
    (void)printf("  repeatable  %s\n", verdict->repeatable < 0    ? "not known"
                                       : verdict->repeatable == 1 ? "yes, bit by bit"
                                                                  : "no: within the tolerance");
}

static void print_times(const struct judge_result *result) {
    const struct kernel_verdict *verdict = result->verdict;
    for (size_t c = 0; c < verdict->count; c++) {
        const struct kernel_case *judged = &verdict->cases[c];
        char name[1024];
        if (isnan(judged->seconds)) {
            continue;
        }
        case_name(judged->spec, name, sizeof name);
        (void)printf("  time        %s", quantity_seconds(judged->seconds).text);
        if (result->judging->baseline) {
            (void)printf(", %s %s", result->judging->baseline,
                         quantity_seconds(judged->baseline_seconds).text);
        }
        (void)printf("  (%s)\n", name);
        if (judged->percent_of_peak > 0) {
            (void)printf("  limit       %s of the rate of multiply-adds; %s of what that rate and "
                         "the least traffic allow\n",
                         quantity_percent(0.01 * judged->percent_of_peak).text,
                         quantity_percent(0.01 * judged->percent_of_roof).text);
        }
    }
}

static size_t count_timed(const struct kernel_verdict *verdict) {
    size_t timed = 0;
    for (size_t c = 0; c < verdict->count; c++) {
        timed += isnan(verdict->cases[c].seconds) ? 0 : 1;
    }
    return timed;
}

static void print_speed(const struct judge_result *result) {
    const struct kernel_verdict *verdict = result->verdict;
    if (verdict->speed == KERNEL_NOT_TIMED) {
        (void)printf("  speed       not compared%s\n",
                     result->judging->baseline ? "" : ": no --baseline");
        return;
    }
    (void)printf(
        "  speed       %s times that of %s (%s to %s with %.0f %% confidence, %d turns%s): "
        "%s\n",
        quantity_ratio(verdict->ratio).text, result->judging->baseline,
        quantity_ratio(verdict->low).text, quantity_ratio(verdict->high).text,
        100 * kernel_confidence, result->judging->turns,
        count_timed(verdict) > 1 ? "; geometric mean over all cases" : "",
        speed_name(verdict->speed));
}

static void judge_report_text(const struct judge_result *result) {
    (void)printf("%s: %s on %s (%s)\n", status_name(result->verdict->status), result->file,
                 result->device->name, result->device->model);
    print_right(result);
    print_times(result);
    print_speed(result);
    give_reasons(result, print_reason, NULL);
    (void)fflush(stdout);
}

/* ---- JSON ---- */

static void add_reason(void *context, const char *words) {
    json_object_array_add(context, json_object_new_string(words));
}

static void add_case(struct json_object *cases, const struct kernel_case *judged) {
    struct json_object *object = json_object_new_object();
    char name[1024];
    case_name(judged->spec, name, sizeof name);
    json_object_array_add(cases, object);
    json_add_text(object, "case", name);
    json_add_flag(object, "hidden", judged->hidden);
    json_add_verdict(object, &judged->verdict);
    json_add_number(object, "force_s", judged->seconds);
    json_add_number(object, "baseline_force_s", judged->baseline_seconds);
    json_add_number(object, "percent_of_peak", judged->percent_of_peak);
    json_add_number(object, "percent_of_roof", judged->percent_of_roof);
    json_add_case(object, judged->spec);
}

/* true, false; null: not known. */
static void add_answer(struct json_object *object, const char *name, int answer) {
    json_object_object_add(object, name, answer < 0 ? NULL : json_object_new_boolean(answer));
}

static struct json_object *speed_object(const struct judge_result *result) {
    const struct kernel_verdict *verdict = result->verdict;
    struct json_object *object = json_object_new_object();
    json_add_text(object, "answer", speed_name(verdict->speed));
    if (result->judging->baseline) {
        json_add_text(object, "baseline", result->judging->baseline);
    }
    json_add_number(object, "ratio", verdict->ratio);
    json_add_number(object, "low", verdict->low);
    json_add_number(object, "high", verdict->high);
    json_add_number(object, "confidence", kernel_confidence);
    json_add_count(object, "turns", result->judging->turns);
    json_add_number(object, "machine_load", verdict->machine_load);
    return object;
}

static void judge_report_json(const struct judge_result *result, struct json_object *all) {
    const struct kernel_verdict *verdict = result->verdict;
    struct json_object *object = json_object_new_object();
    struct json_object *reasons = json_object_new_array();
    struct json_object *cases = json_object_new_array();
    const bool known = verdict->status != STATUS_UNSUPPORTED;
    json_object_array_add(all, object);
    json_add_text(object, "kernel", result->file);
    json_add_text(object, "variant", result->judging->kernel);
    json_add_text(object, "device", result->device->name);
    json_add_text(object, "device_model", result->device->model);
    json_add_text(object, "verdict", status_name(verdict->status));
    add_answer(object, "correct", known ? verdict->status == STATUS_OK : -1);
    add_answer(object, "repeatable", verdict->repeatable);
    json_object_object_add(object, "speed", speed_object(result));
    json_add_count(object, "hidden_seed", (int64_t)result->hidden_seed);
    give_reasons(result, add_reason, reasons);
    json_object_object_add(object, "reasons", reasons);
    json_object_object_add(object, "cases", cases);
    for (size_t c = 0; c < verdict->count; c++) {
        add_case(cases, &verdict->cases[c]);
    }
}

/* ---- the command ---- */

static const double default_deadline_s = 60;
static const double default_time_cap_s = 0.2;
/* SMALL_BOX: the most particles of hidden boxes after the first LARGE_HIDDEN. */
enum {
    DEFAULT_HIDDEN = 16,
    LARGE_HIDDEN = 3,
    MAX_HIDDEN = 100,
    SMALL_BOX = 4100,
    MAX_VALUES = 64,
    DEFAULT_TURNS = 5
};
/* Seeds of hidden boxes are whole numbers that JSON and options can hold. */
#define SEED_MASK ((UINT64_C(1) << 48) - 1)

struct judge_request {
    struct axes axes;
    const char *file, *baseline;
    uint64_t hidden, hidden_seed, turns;
    double time_cap_s, deadline_s;
    bool seed_given, json;
};

/* All devices' turns. */
struct judge_run {
    struct judge_request request;
    struct plan plan;
    size_t hidden_from;
    struct json_object *all; /* NULL: lines are printed */
    struct kernel_verdict verdict;
    int exit_code; /* the worst so far */
};

/* ---- the arguments ---- */

static bool check_request(void *context, struct error *error) {
    struct judge_request *request = &((struct judge_run *)context)->request;
    if (!request->file) {
        return fail(error, STATUS_BAD_INPUT, "expected the file of a kernel");
    }
    if (request->axes.variant) {
        return fail(error, STATUS_BAD_INPUT,
                    "--variant: the kernel is that of %s, and what it is compared with is named by "
                    "--baseline",
                    request->file);
    }
    if (!request->seed_given) {
        request->hidden_seed = draw_seed() & SEED_MASK;
    }
    /* The first of the files is the kernel's: make_plan() and judge_device() know it by that. */
    return axes_put_first(&request->axes, AXIS_VARIANT_FILE, request->file, error);
}

/* ---- what is judged ---- */

/* A common multiple of the batch sizes, between sizes of boxes; 1 without batches. */
static bool find_step(const char *batches, double *step, struct error *error) {
    struct number_list numbers = { 0 };
    *step = 1;
    if (batches && !axis_numbers("--batch", batches, &numbers, error)) {
        return false;
    }
    for (size_t i = 0; i < numbers.count; i++) {
        *step *= fmod(*step, numbers.values[i]) == 0 ? 1 : numbers.values[i];
    }
    free(numbers.values);
    return true;
}

/* Writes sizes that are up to a quarter less than those of the list, "1k,16k", multiples of the
 * step and none above `largest`. A range, LEAST-MOST, stays: sizes within it are drawn by the seed.
 */
static bool vary_sizes(const char *list, const char *batches, double largest, struct random *random,
                       struct strbuf *words, struct error *error) {
    struct number_list sizes;
    double step;
    if (strchr(list, '-')) {
        strbuf_append(words, "%s", list);
        return true;
    }
    if (!find_step(batches, &step, error) || !axis_numbers("--n", list, &sizes, error)) {
        return false;
    }
    for (size_t i = 0; i < sizes.count; i++) {
        const double most = fmin(sizes.values[i], fmax(largest, step)) / step;
        const double least = ceil(0.75 * most);
        strbuf_append(words, "%s%.0f", i ? "," : "",
                      step * (least + floor(random_unit(random) * (floor(most) - least + 1))));
    }
    free(sizes.values);
    return true;
}

/* Hidden boxes are drawn one after the other. Of each factor they take a value that none has had
 * yet, as long as there is one. */
struct hidden_draw {
    struct random random;
    size_t had[COVERING_MAX_FACTORS][MAX_VALUES]; /* how often each was had */
};

/* Draws one of the values that were had least often. */
static size_t draw_value(const char *const *values, const size_t *had, struct random *random) {
    size_t chosen = 0;
    size_t alike = 0;
    for (size_t v = 0; v < MAX_VALUES && values[v] && !drawn_is_alone(values[v]); v++) {
        alike = v == 0 || had[v] < had[chosen] ? 1 : alike + (had[v] == had[chosen]);
        const bool takes = had[v] < had[chosen] || random_unit(random) * (double)alike < 1;
        chosen = had[v] <= had[chosen] && takes ? v : chosen;
    }
    return chosen;
}

/* Appends a value of the factor, which counts as had whether or not the kernel takes it. */
static void append_drawn(const struct workload *workload, size_t factor, struct hidden_draw *draw,
                         struct strbuf *words) {
    const char *const *values = workload->factors[factor].values;
    const size_t v = draw_value(values, draw->had[factor], &draw->random);
    draw->had[factor][v]++;
    const char *value = values[v];
    if (*value == ',') {
        strbuf_append(words, " --interaction %s:", workload->default_interaction);
        value++;
    }
    strbuf_append(words, "%s", value > values[v] || *value == '@' ? "" : " ");
    drawn_append_value(value, &draw->random, words);
}

static bool is_of_kind(const struct workload_factor *factor) {
    return strcmp(factor->name, "kind") == 0 || strcmp(factor->name, "cell") == 0;
}

/* Whether small boxes differ in it: sizes, and all else that is left open, but for what kernels are
 * compiled for. */
static bool is_drawn(const struct axes *said, const struct workload_factor *factor) {
    return !factor->text && !is_of_kind(factor) &&
           (strcmp(factor->name, "n") == 0 ? !said->batch : !drawn_is_said(said, factor));
}

/* Whether the words are of another kind than the shown one, and not of several boxes or a large
 * one. */
static bool is_other(const struct axes *said, const struct axes *drawn) {
    double n = 0;
    return (!drawn->kind || strcmp(drawn->kind, axes_value(said, AXIS_KIND)) != 0) &&
           (said->batch || !drawn->batch) &&
           (!drawn->n || (parse_double(drawn->n, &n) && n <= SMALL_BOX));
}

/* Whether all cases can be judged and, where they are small, in a short time. */
static bool plan_suits(const struct plan *plan) {
    const double most_s = 2;
    bool suits = true;
    for (size_t c = 0; c < plan->count; c++) {
        const struct case_spec *spec = &plan->cases[c];
        suits = suits && drawn_suits(spec) &&
                (spec->box.n > SMALL_BOX || drawn_case_seconds(spec) < most_s);
    }
    return suits;
}

/* The least number of pairs per particle of all cases. */
static double least_pairs(const struct plan *plan) {
    double least = INFINITY;
    for (size_t c = 0; c < plan->count; c++) {
        const struct case_spec *spec = &plan->cases[c];
        least = fmin(least, case_count_pairs(spec).near / (double)spec->box.n);
    }
    return least;
}

/* Hidden boxes as words, and their plan. */
struct drawn_boxes {
    struct strbuf words;
    struct plan plan;
};

static void drawn_boxes_free(struct drawn_boxes *boxes) {
    strbuf_free(&boxes->words);
    plan_free(&boxes->plan);
}

/* Plans what is asked for in the boxes that the words say; false where that cannot be judged. */
static bool plan_boxes(const struct axes *axes, struct drawn_boxes *boxes) {
    struct axes drawn = { 0 };
    struct axes other = *axes;
    struct error ignored;
    other.kind = other.n = other.periodic = other.density = NULL;
    other.open = false;
    bool planned = axes_parse(&drawn, strbuf_text(&boxes->words), NULL, NULL, &ignored) &&
                   is_other(axes, &drawn);
    if (planned) {
        axes_fill(&other, &drawn);
        other.n = other.n ? other.n : axes->n;
        planned = plan_make(&other, &boxes->plan, &ignored) && plan_suits(&boxes->plan);
    }
    axes_free(&drawn);
    return planned;
}

/* Draws a value of the factor. Boxes with it take the place of those before, if they can be judged
 * and have about as many pairs. */
static bool add_value(const struct axes *axes, const struct workload *workload, size_t factor,
                      struct hidden_draw *draw, struct drawn_boxes *boxes) {
    const double enough = 0.1; /* pairs of a particle: else there is nothing to judge */
    struct drawn_boxes others = { 0 };
    strbuf_append(&others.words, "%s", boxes->words.data);
    append_drawn(workload, factor, draw, &others.words);
    const bool added = plan_boxes(axes, &others) &&
                       least_pairs(&others.plan) >= fmin(least_pairs(&boxes->plan), enough);
    drawn_boxes_free(added ? boxes : &others);
    *boxes = added ? others : *boxes;
    return added;
}

/* Adds a value of each other factor in which small boxes may differ, if one of a few fits. */
static void vary_small(const struct axes *axes, const struct workload *workload,
                       struct hidden_draw *draw, struct drawn_boxes *boxes) {
    const int attempts = 8;
    for (size_t f = 0; workload->factors[f].name; f++) {
        bool added = !is_drawn(axes, &workload->factors[f]);
        for (int attempt = 0; !added && attempt < attempts; attempt++) {
            added = add_value(axes, workload, f, draw, boxes);
        }
    }
}

/* The plan of boxes of another kind, or none that the kernel takes. */
static bool plan_other_kind(const struct axes *axes, const struct workload *workload, bool small,
                            struct hidden_draw *draw, struct plan *hidden) {
    const int attempts = 20;
    bool planned = false;
    for (int attempt = 0; !planned && attempt < attempts; attempt++) {
        struct drawn_boxes boxes = { 0 };
        strbuf_append(&boxes.words, " ");
        for (size_t f = 0; workload->factors[f].name; f++) {
            if (is_of_kind(&workload->factors[f])) {
                append_drawn(workload, f, draw, &boxes.words);
            }
        }
        planned = plan_boxes(axes, &boxes);
        if (planned && small) {
            vary_small(axes, workload, draw, &boxes);
        }
        if (planned) {
            *hidden = boxes.plan;
            boxes.plan = (struct plan){ 0 };
        }
        drawn_boxes_free(&boxes);
    }
    return planned;
}

/* One more box per case: of another seed, another size and, for all but the first of a case,
 * another kind and cell; from the fourth on they are small, so that many take little time, and
 * differ in all that is left open. Groups say how many particles there are, and which, so that with
 * them the size stays; likewise what is listed of a box. */
static bool add_hidden(const struct judge_request *request, struct hidden_draw *draw, uint64_t k,
                       struct plan *plan, struct error *error) {
    const double largest = k < LARGE_HIDDEN ? INFINITY : SMALL_BOX;
    const bool other_kind = k > 0;
    struct axes axes = request->axes;
    struct strbuf sizes = { 0 };
    struct plan hidden;
    char seed[32];
    const bool sized = !axes.group_a && !axes.group_b && !axes.ratio && !axes.pairs &&
                       !axes.bonds && !axes.angles && !axes.torsions && !axes.rb_torsions &&
                       !exclusions_in_file(axes.exclude);
    char *files[] = { axes.variant_files[0], NULL };
    (void)snprintf(seed, sizeof seed, "%llu",
                   (unsigned long long)(random_next(&draw->random) & SEED_MASK));
    axes.seed = seed;
    axes.variant_files = files;
    bool made = !sized || vary_sizes(axes_value(&axes, AXIS_N), axes.batch, largest, &draw->random,
                                     &sizes, error);
    axes.n = made && sized ? sizes.data : axes.n;
    made = made && ((sized && other_kind &&
                     plan_other_kind(&axes, plan->cases[0].variant->workload, k >= LARGE_HIDDEN,
                                     draw, &hidden)) ||
                    plan_make(&axes, &hidden, error));
    if (made) {
        plan_join(plan, &hidden);
    }
    strbuf_free(&sizes);
    return made;
}

static bool check_names(const struct judge_request *request, const struct plan *plan,
                        const char *kernel, struct error *error) {
    bool found = !request->baseline;
    if (request->baseline && strcmp(request->baseline, kernel) == 0) {
        return fail(error, STATUS_BAD_INPUT,
                    "--baseline: the kernel of %s is called %s itself: give it another name",
                    request->file, kernel);
    }
    for (size_t i = 0; i < plan->count && !found; i++) {
        found = strcmp(plan->cases[i].variant->name, request->baseline) == 0;
    }
    return found || fail(error, STATUS_BAD_INPUT,
                         "--baseline '%.100s': expected one variant that has the cases of %s: see "
                         "`pairmark list`",
                         request->baseline, kernel);
}

/* The plan has the kernel as --variant-file and the baseline as --variant: puts the words in their
 * place that the user said. Returns false. */
static bool fail_as_said(struct error *error) {
    static const char *const words[][2] = { { "--variant-file: ", "" },
                                            { "--variant: ", "--baseline: " } };
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
        if (begins_with(error->message, words[w][0])) {
            char message[sizeof error->message];
            (void)snprintf(message, sizeof message, "%s", error->message + strlen(words[w][0]));
            (void)snprintf(error->message, sizeof error->message, "%s%s", words[w][1], message);
            break;
        }
    }
    return false;
}

/* Makes the plan: the shown cases, then the hidden ones. Further files of the command line are of
 * the baseline. */
static bool make_plan(struct judge_request *request, struct plan *plan, size_t *hidden_from,
                      struct error *error) {
    struct hidden_draw draw = { .random = random_from_seed(request->hidden_seed) };
    struct axes axes = request->axes;
    axes.variant = (char *)request->baseline;
    if (!plan_make(&axes, plan, error)) {
        return fail_as_said(error);
    }
    *hidden_from = plan->count;
    command_report_left_out(judge_command.name, plan);
    if (!check_names(request, plan, plan->read[0]->name, error) ||
        !plan_check_precisions(plan, &axes, error)) {
        return false;
    }
    for (uint64_t k = 0; k < request->hidden && !axes.box_files; k++) {
        if (!add_hidden(request, &draw, k, plan, error)) {
            return false;
        }
    }
    return true;
}

/* ---- judging ---- */

static void take_exit_code(struct judge_run *run) {
    const enum status status = run->verdict.status;
    const int code =
        status == STATUS_UNSUPPORTED ? status_exit_code(STATUS_SYSTEM) : status_exit_code(status);
    run->exit_code = code > run->exit_code ? code : run->exit_code;
}

static void report(struct judge_run *run, const struct kernel_judging *judging,
                   const struct device_info *info) {
    const struct judge_result result = { .judging = judging,
                                         .verdict = &run->verdict,
                                         .device = info,
                                         .file = run->request.file,
                                         .hidden_seed = run->request.hidden_seed,
                                         .hidden = run->plan.count - run->hidden_from };
    take_exit_code(run);
    if (run->all) {
        judge_report_json(&result, run->all);
    } else {
        judge_report_text(&result);
    }
}

static bool judge_device(void *context, const char *device, struct error *error) {
    struct judge_run *run = context;
    const struct judge_request *request = &run->request;
    struct device_info info;
    struct kernel_judging judging = { .plan = &run->plan,
                                      .hidden_from = run->hidden_from,
                                      .kernel = run->plan.read[0]->name,
                                      .baseline = request->baseline,
                                      .turns = (int)request->turns,
                                      .sampling = sampling_defaults() };
    judging.sampling.time_cap_s = request->time_cap_s;
    judging.sampling.cold_samples = 0;
    judging.worker = worker_create(plan_worker_cases(&run->plan), device, request->deadline_s);
    if (request->baseline) {
        judging.baseline_worker =
            worker_create(plan_worker_cases(&run->plan), device, request->deadline_s);
    }
    const bool judged = command_open_device(judging.worker, device, &info, error) &&
                        kernel_verdict_find(&judging, &run->verdict, error);
    if (judged && !run->verdict.interrupted) {
        report(run, &judging, &info);
    }
    kernel_verdict_free(&run->verdict);
    worker_free(judging.worker);
    worker_free(judging.baseline_worker);
    return judged;
}

static void print_json(struct json_object *all) {
    struct json_object *judged =
        json_object_array_length(all) == 1 ? json_object_array_get_idx(all, 0) : all;
    json_print(json_object_get(judged));
}

static bool begin(void *context, struct error *error) {
    struct judge_run *run = context;
    run->all = run->request.json ? json_object_new_array() : NULL;
    return make_plan(&run->request, &run->plan, &run->hidden_from, error);
}

static int conclude(void *context, bool interrupted) {
    const struct judge_run *run = context;
    if (run->all && !interrupted) {
        print_json(run->all);
    }
    return run->exit_code;
}

static void end(void *context) {
    struct judge_run *run = context;
    json_object_put(run->all);
    plan_free(&run->plan);
}

static void start(void *context) {
    ((struct judge_run *)context)->request = (struct judge_request){
        .hidden = DEFAULT_HIDDEN,
        .turns = DEFAULT_TURNS,
        .time_cap_s = default_time_cap_s,
        .deadline_s = default_deadline_s,
    };
}

static int run(void *context, struct error *error) {
    static const struct sweep judge = {
        .begin = begin, .ask_device = judge_device, .conclude = conclude, .end = end
    };
    return check_request(context, error) ? command_sweep(&judge_command, &judge, context, error)
                                         : COMMAND_FAILED;
}

static bool take_file(void *context, const char *word, struct error *error) {
    struct judge_request *request = &((struct judge_run *)context)->request;
    if (request->file) {
        return fail(error, STATUS_BAD_INPUT,
                    "'%.200s': one kernel file is judged, and that is %.200s", word, request->file);
    }
    request->file = word;
    return true;
}

static const struct command_option options[] = {
    { "--baseline", .placeholder = "VARIANT",
      .help = "what it is compared with: see `pairmark list`, or of a --variant-file",
      OPTION_STORED(struct judge_run, request.baseline) },
    { "--hidden", .placeholder = "K", .help = "hidden boxes per case (16)",
      OPTION_COUNT(struct judge_run, request.hidden, 0, MAX_HIDDEN) },
    { "--hidden-seed", .placeholder = "S",
      .help = "seed of the hidden boxes (drawn and printed, so that a verdict can be repeated)",
      OPTION_COUNT(struct judge_run, request.hidden_seed, 0, SEED_MASK),
      OPTION_NOTED(struct judge_run, request.seed_given) },
    { "--turns", .placeholder = "K", .help = "how often both are timed, 2 at least (5)",
      OPTION_COUNT(struct judge_run, request.turns, KERNEL_MIN_TURNS, KERNEL_MAX_TURNS) },
    { "--time-cap", .placeholder = "S", .help = "sample each time for at most S seconds (0.2)",
      OPTION_DURATION(struct judge_run, request.time_cap_s) },
    { "--deadline", .placeholder = "S",
      .help = "how long one case may take before it is a timeout (60)",
      OPTION_DURATION(struct judge_run, request.deadline_s) },
    { "--json", .help = "one JSON object; an array of them where there are several devices",
      OPTION_STORED(struct judge_run, request.json) },
    { .name = NULL },
};

const struct command judge_command = {
    .name = "judge",
    .summary = "one verdict on a kernel of others: right, repeatable, how fast",
    .run = run,
    COMMAND_REQUEST(struct judge_run),
    .begin = start,
    COMMAND_AXES(struct judge_run, request.axes),
    .options = options,
    .take_operand = take_file,
    .operands = OPTION_FILE,
    .takes_axes = true,
    .runs_kernels = true
};
