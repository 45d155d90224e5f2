/* Random numbers in an array that a program has: kernels write to one on the device themselves. */
#include "library/work.h"

#include <stdint.h>

/* A generator with a state goes on from step to step. */
static bool check_draw(const struct library_work *work, uint64_t seed, uint64_t step,
                       const struct pm_arrays *arrays, const void *numbers, struct error *error) {
    const struct variant *variant = work->spec->variant;
    if (work_has_particles(work)) {
        return fail(error, STATUS_BAD_INPUT, "%s draws no numbers", variant->name);
    }
    if (arrays->place != PM_HOST && arrays->place != PM_DEVICE) {
        return fail(error, STATUS_BAD_INPUT, "place %d; expected PM_HOST or PM_DEVICE",
                    (int)arrays->place);
    }
    if (!work_check_alignment(work, arrays, "numbers", numbers, error)) {
        return false;
    }
    return step == 0 || !generator_has_streams(variant->generator) ||
           (work->built && seed == work->seed && step == work->next) ||
           fail(error, STATUS_BAD_INPUT,
                "step %llu: %s has a state; expected 0, which seeds it, or the step after the last",
                (unsigned long long)step, variant->name);
}

/* To the array of the plan. */
static bool draw(struct library_work *work, uint64_t seed, uint64_t step, struct error *error) {
    struct kernel_plan *plan = work->plan;
    const bool has_state = generator_has_streams(work->spec->variant->generator);
    kernel_plan_draw_from(plan, seed, step);
    const bool ready = work->built && (!has_state || step > 0);
    return (ready || kernel_plan_build(plan, error)) && kernel_plan_enqueue(plan, error);
}

static bool draw_on_device(struct library_work *work, uint64_t seed, uint64_t step, void *numbers,
                           struct error *error) {
    const size_t bytes = buffer_bytes(kernel_plan_set(work->plan, 0)->result);
    struct buffer *theirs = NULL;
    if (!work_wrap(work, "numbers", numbers, bytes, &theirs, error)) {
        return false;
    }
    const bool drawn =
        kernel_plan_redirect_results(work->plan, theirs, error) && draw(work, seed, step, error);
    return kernel_plan_redirect_results(work->plan, NULL, error) && drawn;
}

static bool draw_on_host(struct library_work *work, uint64_t seed, uint64_t step, void *numbers,
                         struct error *error) {
    const struct buffer *own = kernel_plan_set(work->plan, 0)->result;
    return draw(work, seed, step, error) &&
           buffer_read_enqueued(own, 0, numbers, buffer_bytes(own), error) &&
           device_finish(work->device, error);
}

bool library_work_draw(struct library_work *work, uint64_t seed, uint64_t step,
                       const struct pm_arrays *arrays, void *numbers, struct error *error) {
    const bool on_device = arrays->place == PM_DEVICE;
    if (!check_draw(work, seed, step, arrays, numbers, error)) {
        return false;
    }
    if (work->box.n == 0) {
        work->built = true;
        work->seed = seed;
        work->next = step + 1;
        return true;
    }
    if ((!work->plan && !work_make_plan(work, error)) ||
        (on_device && !device_adopt_queue(work->device, arrays->queue, error))) {
        return false;
    }
    const bool drawn =
        (on_device ? draw_on_device : draw_on_host)(work, seed, step, numbers, error);
    const bool done = work_leave(work, arrays, drawn, error);
    work->built = done;
    work->seed = seed;
    work->next = step + 1;
    return done;
}
