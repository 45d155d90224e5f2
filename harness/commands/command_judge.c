/* pairmark judge — one verdict on a kernel that somebody else, or a machine, has written. */
#include "answers/compare/kernel_verdict.h"
#include "boxes/random.h"
#include "campaign/axes/axis_numbers.h"
#include "commands/commands.h"
#include "commands/judge_report.h"
#include "commands/sweep_command.h"
#include "core/host.h"
#include "core/strings.h"
#include "kernels/potentials/exclusions.h"

#include <json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double default_deadline_s = 60;
static const double default_time_cap_s = 0.2;
enum { DEFAULT_HIDDEN = 3, MAX_HIDDEN = 100, DEFAULT_TURNS = 5 };
/* Of hidden boxes: JSON and options hold them as whole numbers. */
static const uint64_t seed_mask = (UINT64_C(1) << 48) - 1;

static const char help[] =
    "usage: pairmark judge FILE [axes] [--baseline VARIANT] [--json] [options]\n"
    "\n"
    "One verdict on a kernel file that you did not write: is it right, does it repeat its bits, "
    "how\n"
    "fast is it beside a baseline and beside what the device can do, and why. It passes the gate\n"
    "over the boxes of the axes and over hidden ones of their kind, of other sizes and of seeds "
    "that\n"
    "are drawn anew each time. Then it is timed in turns with the baseline, each in a process of "
    "its\n"
    "own, and judged after every launch. docs/adversarial.md says what that finds and what not.\n"
    "\n"
    "Options:\n"
    "  --baseline VARIANT  what it is compared with: see `pairmark list`, or of a --variant-file\n"
    "  --hidden K          hidden boxes per case (3)\n"
    "  --hidden-seed S     what they are drawn from (drawn; printed, so that a verdict can be "
    "repeated)\n"
    "  --turns K           how often both are timed, 2 at least (5)\n"
    "  --time-cap S        sample each time for at most S seconds (0.2)\n"
    "  --deadline S        how long one case may take before it is a timeout (60)\n"
    "  --json              one JSON object; an array of them where there are several devices\n"
    "\n";

static const char help_after[] =
    "\n"
    "Exit status: 0 right, 1 wrong, stale, crashed or not to be compiled, 2 unusable arguments or\n"
    "input, 3 nothing was judged: unsupported here, or the device or the system failed.\n";

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

static bool take_count(const char *option, const char *value, uint64_t least, uint64_t most,
                       uint64_t *count, struct error *error) {
    return (parse_count(value, count) && *count >= least && *count <= most) ||
           fail(error, STATUS_BAD_INPUT, "%s '%.100s': expected a whole number from %llu to %llu",
                option, value, (unsigned long long)least, (unsigned long long)most);
}

static bool take_option(void *context, const char *option, const char *value, struct error *error) {
    struct judge_request *request = &((struct judge_run *)context)->request;
    if (strcmp(option, "--baseline") == 0) {
        request->baseline = value;
        return true;
    }
    if (strcmp(option, "--hidden") == 0) {
        return take_count(option, value, 0, MAX_HIDDEN, &request->hidden, error);
    }
    if (strcmp(option, "--hidden-seed") == 0) {
        request->seed_given = true;
        return take_count(option, value, 0, seed_mask, &request->hidden_seed, error);
    }
    if (strcmp(option, "--turns") == 0) {
        return take_count(option, value, KERNEL_MIN_TURNS, KERNEL_MAX_TURNS, &request->turns,
                          error);
    }
    return command_take_duration(
        option, value,
        strcmp(option, "--deadline") == 0 ? &request->deadline_s : &request->time_cap_s, error);
}

static bool take_word(void *context, const char *word, bool *taken, struct error *error) {
    struct judge_request *request = &((struct judge_run *)context)->request;
    *taken = true;
    if (strcmp(word, "--json") == 0) {
        request->json = true;
    } else if (word[0] == '-') {
        *taken = false;
    } else if (request->file) {
        return fail(error, STATUS_BAD_INPUT,
                    "'%.200s': one kernel file is judged, and that is %.200s", word, request->file);
    } else {
        request->file = word;
    }
    return true;
}

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
        request->hidden_seed = draw_seed() & seed_mask;
    }
    /* The first of the files is the kernel's: make_plan() and judge_device() know it by that. */
    return axes_put_first(&request->axes, AXIS_VARIANT_FILE, request->file, error);
}

/* ---- what is judged ---- */

/* "1k,16k" as other numbers, each less by up to a quarter. */
static bool vary_sizes(const char *list, struct random *random, struct strbuf *words,
                       struct error *error) {
    double *values = NULL;
    size_t count = 0;
    if (!axis_numbers("--n", list, &values, &count, error)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const double least = ceil(0.75 * values[i]);
        strbuf_append(words, "%s%.0f", i ? "," : "",
                      least + floor(random_unit(random) * (values[i] - least + 1)));
    }
    free(values);
    return true;
}

/* One more box per case: of another seed and another size, the rest alike. Groups say how many
 * particles there are, and which, so that with them the size stays. */
static bool add_hidden(const struct judge_request *request, struct random *random,
                       struct plan *plan, struct error *error) {
    struct axes axes = request->axes;
    struct strbuf sizes = { 0 };
    struct plan hidden;
    char seed[32];
    const bool sized = !axes.group_a && !axes.group_b && !axes.ratio && !axes.pairs &&
                       !axes.bonds && !axes.angles && !axes.torsions && !axes.rb_torsions &&
                       !exclusions_in_file(axes.exclude);
    char *files[] = { axes.variant_files[0], NULL };
    (void)snprintf(seed, sizeof seed, "%llu",
                   (unsigned long long)(random_next(random) & seed_mask));
    axes.seed = seed;
    axes.variant_files = files;
    bool made =
        !sized || vary_sizes(axes.n ? axes.n : axis_table[AXIS_N].otherwise, random, &sizes, error);
    axes.n = made && sized ? sizes.data : axes.n;
    made = made && plan_make(&axes, &hidden, error) && plan_join(plan, &hidden, error);
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

/* Files that were named beside the kernel's are of the baseline or of nobody. */
static bool make_plan(struct judge_request *request, struct plan *plan, size_t *hidden_from,
                      struct error *error) {
    struct random random = random_from_seed(request->hidden_seed);
    struct axes axes = request->axes;
    axes.variant = (char *)request->baseline;
    if (!plan_make(&axes, plan, error)) {
        return false;
    }
    *hidden_from = plan->count;
    if (!check_names(request, plan, plan->files[0].name, error)) {
        return false;
    }
    for (uint64_t k = 0; k < request->hidden && !axes.box_files; k++) {
        if (!add_hidden(request, &random, plan, error)) {
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

static bool report(struct judge_run *run, const struct kernel_judging *judging,
                   const struct device_info *info, struct error *error) {
    const struct judge_result result = { .judging = judging,
                                         .verdict = &run->verdict,
                                         .device = info,
                                         .file = run->request.file,
                                         .hidden_seed = run->request.hidden_seed,
                                         .hidden = run->plan.count - run->hidden_from };
    take_exit_code(run);
    if (run->all) {
        return judge_report_json(&result, run->all, error);
    }
    judge_report_text(&result);
    return true;
}

static bool judge_device(void *context, const char *device, struct error *error) {
    struct judge_run *run = context;
    const struct judge_request *request = &run->request;
    struct device_info info;
    struct kernel_judging judging = { .plan = &run->plan,
                                      .hidden_from = run->hidden_from,
                                      .kernel = run->plan.files[0].name,
                                      .baseline = request->baseline,
                                      .turns = (int)request->turns,
                                      .sampling = sampling_defaults() };
    judging.sampling.time_cap_s = request->time_cap_s;
    judging.sampling.cold_samples = 0;
    bool judged = worker_create(&run->plan, device, request->deadline_s, &judging.worker, error) &&
                  (!request->baseline || worker_create(&run->plan, device, request->deadline_s,
                                                       &judging.baseline_worker, error)) &&
                  command_open_device(judging.worker, device, &info, error) &&
                  kernel_verdict_find(&judging, &run->verdict, error);
    if (judged && !run->verdict.interrupted) {
        judged = report(run, &judging, &info, error);
    }
    kernel_verdict_free(&run->verdict);
    worker_free(judging.worker);
    worker_free(judging.baseline_worker);
    return judged;
}

static void print_json(struct json_object *all) {
    struct json_object *one =
        json_object_array_length(all) == 1 ? json_object_array_get_idx(all, 0) : all;
    (void)puts(json_object_to_json_string_ext(one, JSON_C_TO_STRING_PRETTY |
                                                       JSON_C_TO_STRING_NOSLASHESCAPE));
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

int command_judge(int argc, char **argv) {
    static const struct sweep_command judge = { .name = "judge",
                                                .help = help,
                                                .help_after = help_after,
                                                .take_option = take_option,
                                                .take_word = take_word,
                                                .check = check_request,
                                                .begin = begin,
                                                .ask_device = judge_device,
                                                .conclude = conclude,
                                                .end = end };
    struct judge_run run = { .request = { .hidden = DEFAULT_HIDDEN,
                                          .turns = DEFAULT_TURNS,
                                          .time_cap_s = default_time_cap_s,
                                          .deadline_s = default_deadline_s } };
    return sweep_command_run(&judge, argc, argv, &run.request.axes, &run);
}
