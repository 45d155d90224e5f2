/* Walking time steps: several are enqueued at a time, with no wait between them.
 *
 * A list, and what passes keep "when moved", expires when a particle is farther than half the skin
 * from the position it was built for. Each step of a run tests that on the device, in the kernel
 * that moves the particles or in one after it. If the list has expired, the test writes the number
 * of the step, and all later kernels exit early (kernel_text.h): positions have moved, forces have
 * not been computed. The host reads the number once per run, rebuilds the list, and goes on with
 * that step. The results are those of a test in each step, bit by bit.
 *
 * A step is open once its particles have moved: what is left of it is its forces and what is behind
 * them. A run has as many steps as the last list lasted and ends with the next one open, so that no
 * forces are begun that the host may have to begin again. If a number of steps recurs and all of
 * them are alike, the run is recorded as a graph. */
#include "prepare/steps_parts.h"

#include <string.h>

/* OPENING: the mark of a step that is opened for a run to begin with. */
enum { FIRST_RUN = 8, OPENING = RUNS_LONGEST + 1 };

/* ---- the passes of a step ---- */

static bool clear_filled(struct kernel_plan *plan, const struct stage_watch *watch,
                         struct error *error) {
    return !lists_are_filled(plan) || (stage_begins(watch, "clear", plan->structure->name, error) &&
                                       structure_chain_clear(plan->sets[0].structure, error));
}

/* Without energies. */
static bool launch_quiet(struct kernel_plan *plan, int index, const struct stage_watch *watch,
                         struct error *error) {
    struct planned_pass *pass = &plan->passes[index];
    struct kernel *kernel = pass->kernel;
    pass->kernel = plan->steps->quiet_kernels[index];
    const bool launched =
        stage_begins(watch, "pass", plan->spec->variant->passes[index].kernel, error) &&
        launch_pass(plan, index, error);
    pass->kernel = kernel;
    return launched;
}

/* asked: for energies. */
static bool enqueue_one(struct kernel_plan *plan, int index, bool asked,
                        const struct stage_watch *watch, struct error *error) {
    return asked ? enqueue_pass(plan, index, watch, error)
                 : launch_quiet(plan, index, watch, error);
}

static bool enqueue_forces(struct kernel_plan *plan, bool asked, const struct stage_watch *watch,
                           struct error *error) {
    const struct variant *variant = plan->spec->variant;
    const int end = variant->forces.first + variant->forces.count;
    bool enqueued = zero_outputs(plan, watch, error) && reciprocal_begin(plan, asked, watch, error);
    for (int p = variant->forces.first; enqueued && p < end; p++) {
        enqueued = !pass_is_step(&variant->passes[p]) || enqueue_one(plan, p, asked, watch, error);
    }
    return enqueued && reciprocal_end(plan, asked, watch, error);
}

/* Whether a pass of the integrator runs in a step, counted from 1. */
static bool runs_in(const struct pass *pass, int64_t step, bool asked) {
    return pass->schedule.when == PASS_WHEN_ASKED      ? asked
           : pass->schedule.when == PASS_BETWEEN_STEPS ? false
           : pass->schedule.when == PASS_ALL_STEPS     ? false
                                                       : step % pass->schedule.steps == 0;
}

static bool takes_step(const struct pass *pass, int argument) {
    return strcmp(pass->arguments[argument], "step") == 0;
}

/* Passes that take the number of the state get the current one. */
static void set_step(struct kernel_plan *plan, int index) {
    const struct pass *pass = &plan->spec->variant->passes[index];
    const int64_t number = plan->steps->step + (int64_t)plan->spec->step.first;
    for (int a = 0; a < pass->argument_count; a++) {
        if (takes_step(pass, a)) {
            plan->passes[index].arguments[a] = argument_value(&number, sizeof number);
        }
    }
}

/* A pass that comes before the forces of step `mark` of a run may halt it; 0: none may. */
static void set_mark(struct kernel_plan *plan, int index, int mark) {
    struct planned_pass *pass = &plan->passes[index];
    pass->arguments[pass->argument_count - 1] = argument_int(mark);
}

/* Launches the passes of the integrator, before the forces or behind them, that run in the step. */
static bool enqueue_own(struct kernel_plan *plan, bool behind, int mark, bool asked,
                        const struct stage_watch *watch, struct error *error) {
    const struct variant *variant = plan->spec->variant;
    const int first = behind ? variant->forces.first + variant->forces.count : 0;
    const int end = behind ? variant->pass_count : variant->forces.first;
    bool enqueued = true;
    for (int p = first; enqueued && p < end; p++) {
        if (runs_in(&variant->passes[p], plan->steps->step + 1, asked)) {
            set_step(plan, p);
            set_mark(plan, p, mark);
            enqueued = enqueue_one(plan, p, asked, watch, error);
        }
    }
    return enqueued;
}

static bool enqueue_before(struct kernel_plan *plan, int mark, bool asked,
                           const struct stage_watch *watch, struct error *error) {
    return clear_filled(plan, watch, error) && enqueue_own(plan, false, mark, asked, watch, error);
}

static bool has_between(const struct kernel_plan *plan) {
    const struct variant *variant = plan->spec->variant;
    int p = 0;
    while (p < variant->pass_count && variant->passes[p].schedule.when != PASS_BETWEEN_STEPS) {
        p++;
    }
    return p < variant->pass_count;
}

/* The forces, and instead of what is behind them and before those of the next step, which is
 * `mark`, what is between steps. */
static bool enqueue_onwards(struct kernel_plan *plan, int mark, struct error *error) {
    const struct variant *variant = plan->spec->variant;
    bool enqueued = enqueue_forces(plan, false, NULL, error) && clear_filled(plan, NULL, error);
    for (int p = 0; enqueued && p < variant->pass_count; p++) {
        if (variant->passes[p].schedule.when == PASS_BETWEEN_STEPS) {
            set_step(plan, p);
            set_mark(plan, p, mark);
            enqueued = launch_quiet(plan, p, NULL, error);
        }
    }
    return enqueued;
}

/* The forces and what is behind them. */
static bool enqueue_behind(struct kernel_plan *plan, bool asked, const struct stage_watch *watch,
                           struct error *error) {
    return enqueue_forces(plan, asked, watch, error) &&
           enqueue_own(plan, true, 0, asked, watch, error);
}

bool runs_enqueue_forces(struct kernel_plan *plan, bool asked, struct error *error) {
    plan->steps->runs.served++;
    return enqueue_forces(plan, asked, NULL, error);
}

/* ---- steps ---- */

/* One step, which waits where the device has to be asked. */
static bool walk_step(struct kernel_plan *plan, bool asked, const struct stage_watch *watch,
                      struct error *error) {
    if (!enqueue_before(plan, 0, asked, watch, error) || !lists_renew(plan, watch, error) ||
        !enqueue_behind(plan, asked, watch, error)) {
        return false;
    }
    plan->steps->runs.served++;
    plan->steps->step++;
    return true;
}

/* Whether what steps walk serves the one that is open, whose forces are the `number`th with it. */
static bool enqueue_look(struct kernel_plan *plan, uint64_t number, int mark, struct error *error) {
    return (!lists_are_tested(plan) ? lists_renew(plan, NULL, error)
            : early_exit_looks_how_far(plan->spec->variant->text)
                ? true
                : lists_enqueue_test(plan, mark, error)) &&
           lists_renew_part(plan, number, mark, error);
}

static bool open_step(struct kernel_plan *plan, bool asked, struct error *error) {
    struct plan_runs *runs = &plan->steps->runs;
    const int mark = lists_are_tested(plan) ? OPENING : 0;
    runs->is_open = true;
    return enqueue_before(plan, mark, asked, NULL, error) &&
           enqueue_look(plan, runs->served + 1, mark, error);
}

/* Finishes the step that is open and opens the next, number `k` of a run, from 1. */
static bool enqueue_next(struct kernel_plan *plan, int k, struct error *error) {
    const bool joins = has_between(plan);
    const int mark = lists_are_tested(plan) ? k : 0;
    const bool finished =
        joins ? enqueue_onwards(plan, mark, error) : enqueue_behind(plan, false, NULL, error);
    plan->steps->step++;
    return finished && (joins || enqueue_before(plan, mark, false, NULL, error)) &&
           enqueue_look(plan, plan->steps->runs.served + (uint64_t)k + 1, mark, error);
}

/* Enqueues `count` steps of a run, from its second on. Leaves the number of the step as it was. */
static bool enqueue_run(struct kernel_plan *plan, size_t count, struct error *error) {
    const int64_t begin = plan->steps->step;
    bool enqueued = true;
    for (size_t k = 0; enqueued && k < count; k++) {
        enqueued = enqueue_next(plan, (int)k + 2, error);
    }
    plan->steps->step = begin;
    return enqueued;
}

/* ---- recordings ---- */

/* Whether all steps are alike, and none of them builds. */
static bool can_be_recorded(const struct kernel_plan *plan) {
    const struct variant *variant = plan->spec->variant;
    bool alike = !lists_have_parts(plan) && (lists_are_tested(plan) || !plan_has_structure(plan));
    for (int p = 0; alike && p < variant->pass_count; p++) {
        const struct pass *pass = &variant->passes[p];
        alike = pass->schedule.when == PASS_WHEN_ASKED || !pass_is_step(pass) ||
                pass->schedule.steps <= 1;
        for (int a = 0; alike && a < pass->argument_count; a++) {
            alike = !takes_step(pass, a);
        }
    }
    return alike;
}

static bool enqueue_recorded(void *context, struct error *error) {
    struct recorded_run *run = context;
    return enqueue_run(run->plan, run->count, error);
}

static bool record(struct kernel_plan *plan, size_t count, struct error *error) {
    struct plan_runs *runs = &plan->steps->runs;
    struct recorded_run *run = &runs->recorded[count];
    if (run->graph && strcmp(run->arguments, runs->arguments) == 0) {
        return true;
    }
    graph_free(run->graph);
    run->graph = NULL;
    run->plan = plan;
    run->count = count;
    memcpy(run->arguments, runs->arguments, sizeof run->arguments);
    return device_record(plan->device, enqueue_recorded, run, &run->graph, error);
}

/* A length that comes for the first time may not come again. */
static bool launch_run(struct kernel_plan *plan, size_t count, struct error *error) {
    struct recorded_run *run = &plan->steps->runs.recorded[count];
    if (count == 0 || !can_be_recorded(plan) || !run->was_asked_for) {
        run->was_asked_for = true;
        return enqueue_run(plan, count, error);
    }
    return record(plan, count, error) && graph_enqueue(run->graph, error);
}

/* ---- runs ---- */

/* How many steps are finished while another is opened, and whether that is finished, too; asked:
 * for its energies. */
struct run {
    size_t count;
    bool closes, asked;
};

/* The first step of a run, whose reciprocal part was begun while the host looked, is no part of its
 * recording. */
static bool enqueue_steps(struct kernel_plan *plan, const struct run *run, struct error *error) {
    const int64_t begin = plan->steps->step;
    bool enqueued = plan->steps->runs.is_open || open_step(plan, run->asked, error);
    if (enqueued && run->count > 0) {
        enqueued = enqueue_next(plan, 1, error) && launch_run(plan, run->count - 1, error);
    }
    plan->steps->step = begin + (int64_t)run->count;
    enqueued = enqueued && (run->closes ? enqueue_behind(plan, run->asked, NULL, error)
                                        : reciprocal_begin(plan, false, NULL, error));
    plan->steps->step = begin;
    return enqueued;
}

/* Counts the parts that were renewed in these steps. */
static void count_parts(struct kernel_plan *plan, uint64_t steps) {
    struct plan_runs *runs = &plan->steps->runs;
    if (lists_have_parts(plan)) {
        runs->parts_renewed += (runs->served + steps) / runs->period - runs->served / runs->period;
    }
}

/* Takes a run of steps, as far as its lists serve; lists that expired are built anew, and the step
 * that found them so stays open. */
static bool walk_run(struct kernel_plan *plan, const struct run *run, size_t *walked,
                     struct error *error) {
    struct plan_runs *runs = &plan->steps->runs;
    int32_t mark = 0;
    if (!enqueue_steps(plan, run, error) ||
        (lists_are_tested(plan) && !buffer_read(runs->expired, 0, &mark, sizeof mark, error))) {
        return false;
    }
    /* less than 0: what parts are renewed from served no longer */
    const bool too_far = mark > 0;
    const uint64_t expired = too_far ? (uint64_t)mark : (uint64_t) - (int64_t)mark;
    if ((expired > run->count && expired != OPENING) || (mark < 0 && !lists_have_parts(plan))) {
        return fail(error, STATUS_WRONG, "a step halted as number %d of %zu", mark, run->count);
    }
    *walked = expired == 0 ? run->count + run->closes : expired == OPENING ? 0 : (size_t)expired;
    runs->is_open = expired > 0 || !run->closes;
    count_parts(plan, *walked);
    plan->steps->step += (int64_t)*walked;
    runs->served += *walked;
    if (expired == 0) {
        return true;
    }
    lists_adapt_period(plan, runs->served + 1, too_far);
    return lists_rebuild(plan, error);
}

/* The steps that are left if the structure serves as many as the one before; once it has, an eighth
 * of these. */
static size_t wanted_length(const struct kernel_plan *plan) {
    const struct plan_runs *runs = &plan->steps->runs;
    if (!lists_are_tested(plan)) {
        return plan_foresees(plan) ? 0 : RUNS_LONGEST; /* steps are counted for the horizon */
    }
    const uint64_t lasts = runs->lasted ? runs->lasted : FIRST_RUN;
    const uint64_t left = runs->served < lasts ? lasts - runs->served : lasts / 8;
    return left < 1 ? 1 : left < RUNS_LONGEST ? (size_t)left : RUNS_LONGEST;
}

/* How many steps there are until molecules are exchanged; 0: they are not. */
static uint64_t steps_to_exchange(const struct kernel_plan *plan) {
    const uint64_t every = plan->spec->exchange.every;
    return every > 0 ? every - (uint64_t)plan->steps->step % every : 0;
}

/* Exchanges particles if that is due and steps follow; lists are built anew. */
static bool exchange_between(struct kernel_plan *plan, uint64_t left, struct error *error) {
    const uint64_t every = plan->spec->exchange.every;
    if (left == 0 || every == 0 || (uint64_t)plan->steps->step % every != 0) {
        return true;
    }
    plan->steps->runs.renewals += lists_outlive_steps(plan);
    return steps_exchange(plan, error) && lists_build(plan, true, NULL, error);
}

/* A pass that takes them all. */
static bool enqueue_of_all(struct kernel_plan *plan, int index, uint64_t count, bool asked,
                           const struct stage_watch *watch, struct error *error) {
    const struct pass *pass = &plan->spec->variant->passes[index];
    set_step(plan, index);
    set_mark(plan, index, 0);
    for (int a = 0; a < pass->argument_count; a++) {
        if (strcmp(pass->arguments[a], "steps") == 0) {
            plan->passes[index].arguments[a] = argument_int((int32_t)count);
        }
    }
    return enqueue_one(plan, index, asked, watch, error);
}

/* Enqueues the passes that make all steps in one launch; sums come from the forces' kernels, at the
 * positions where the steps led. */
static bool enqueue_all_steps(struct kernel_plan *plan, uint64_t count, bool asked,
                              const struct stage_watch *watch, struct error *error) {
    const struct variant *variant = plan->spec->variant;
    bool enqueued = true;
    for (int p = 0; enqueued && p < variant->pass_count; p++) {
        enqueued = variant->passes[p].schedule.when != PASS_ALL_STEPS ||
                   enqueue_of_all(plan, p, count, asked, watch, error);
    }
    plan->steps->step += (int64_t)count;
    return enqueued && (!asked || enqueue_forces(plan, true, watch, error));
}

/* The step of which energies are asked is a run of its own. */
static struct run next_run(const struct kernel_plan *plan, uint64_t left, bool asked) {
    const struct plan_runs *runs = &plan->steps->runs;
    const uint64_t exchange = steps_to_exchange(plan);
    const size_t wanted = wanted_length(plan);
    const uint64_t longest = wanted == 0 ? 1 : runs->longest;
    uint64_t until = asked && left > 1 ? left - 1 : left;
    until = exchange > 0 && exchange < until ? exchange : until;
    until = longest > 0 && longest < until ? longest : until;
    const bool closes = wanted + 1 >= until;
    return (struct run){ .count = closes ? (size_t)until - 1 : wanted,
                         .closes = closes,
                         .asked = asked && left == 1 };
}

bool runs_enqueue(struct kernel_plan *plan, uint64_t count, bool asked,
                  const struct stage_watch *watch, struct error *error) {
    const struct plan_runs *runs = &plan->steps->runs;
    uint64_t left = count;
    plan->steps->is_ready = false;
    if (variant_takes_all_steps(plan->spec->variant) && count > 0) {
        return enqueue_all_steps(plan, count, asked, watch, error);
    }
    if (watch && left > 0) {
        if (!walk_step(plan, asked && left == 1, watch, error) ||
            !exchange_between(plan, left - 1, error)) {
            return false;
        }
        left--;
        if (left > 0 && !stage_begins(watch, "further", "steps", error)) {
            return false;
        }
    }
    while (left > 0) {
        const struct run run = next_run(plan, left, asked);
        size_t walked = 0;
        if (!walk_run(plan, &run, &walked, error) ||
            (!runs->is_open && !exchange_between(plan, left - walked, error))) {
            return false;
        }
        left -= walked;
    }
    return true;
}

uint64_t kernel_plan_renewals(const struct kernel_plan *plan) {
    return plan->steps->runs.renewals;
}

uint64_t kernel_plan_prunings(const struct kernel_plan *plan) {
    return plan->steps->runs.prunings;
}

uint64_t kernel_plan_parts_renewed(const struct kernel_plan *plan) {
    return plan->steps->runs.parts_renewed;
}

void kernel_plan_limit_runs(struct kernel_plan *plan, uint64_t longest) {
    plan->steps->runs.longest = longest;
}

/* ---- making ---- */

bool runs_create(struct kernel_plan *plan, struct error *error) {
    struct plan_runs *runs = &plan->steps->runs;
    return buffer_allocate(plan->device, sizeof(int32_t), &runs->expired, error) &&
           buffer_fill(runs->expired, 0, sizeof(int32_t), error) &&
           program_kernel(plan->program, "step_predict", &runs->predict, error) &&
           program_kernel(plan->program, "step_find_moved", &runs->find_moved, error) &&
           program_kernel(plan->program, "step_note_places", &runs->note_places, error);
}

void runs_free(struct kernel_plan *plan) {
    struct plan_runs *runs = &plan->steps->runs;
    for (size_t k = 0; k <= RUNS_LONGEST; k++) {
        graph_free(runs->recorded[k].graph);
    }
    graph_free(runs->building);
    buffer_free(runs->expired);
}
