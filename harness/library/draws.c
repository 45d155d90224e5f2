/* Draws random numbers into an array of the program: kernels write to one on the device
 * directly. */
#include "library/work.h"

#include <stdint.h>

/* A generator with a state continues from one step to the next. */
static bool check_draw(const struct library_work *work, const struct pm_draw *draw,
                       const struct pm_arrays *arrays, struct error *error) {
    const struct variant *variant = work->spec->variant;
    if (work_has_particles(work)) {
        return fail(error, STATUS_BAD_INPUT, "%s draws no numbers", variant->name);
    }
    if (arrays->place != PM_HOST && arrays->place != PM_DEVICE) {
        return fail(error, STATUS_BAD_INPUT, "place %d; expected PM_HOST or PM_DEVICE",
                    (int)arrays->place);
    }
    if (!draw->numbers) {
        return fail(error, STATUS_BAD_INPUT, "numbers: a null pointer");
    }
    if (!work_check_alignment(work, arrays, "numbers", draw->numbers, error)) {
        return false;
    }
    return draw->step == 0 || !generator_has_streams(variant->generator) ||
           (work->built && draw->seed == work->seed && draw->step == work->next) ||
           fail(error, STATUS_BAD_INPUT,
                "step %llu: %s has a state; expected 0, which seeds it, or the step after the last",
                draw->step, variant->name);
}

/* Draws numbers into the array of the plan. */
static bool draw_from(struct library_work *work, const struct pm_draw *draw, struct error *error) {
    struct kernel_plan *plan = work->plan;
    const bool has_state = generator_has_streams(work->spec->variant->generator);
    kernel_plan_draw_from(plan, draw->seed, draw->step);
    const bool ready = work->built && (!has_state || draw->step > 0);
    return (ready || kernel_plan_build(plan, error)) && kernel_plan_enqueue(plan, error);
}

static bool draw_on_device(struct library_work *work, const struct pm_draw *draw,
                           struct error *error) {
    const size_t bytes = buffer_bytes(kernel_plan_set(work->plan, 0)->result);
    struct buffer *theirs = NULL;
    if (!work_wrap(work, "numbers", draw->numbers, bytes, &theirs, error)) {
        return false;
    }
    const bool drawn =
        kernel_plan_redirect_results(work->plan, theirs, error) && draw_from(work, draw, error);
    return kernel_plan_redirect_results(work->plan, NULL, error) && drawn;
}

static bool draw_on_host(struct library_work *work, const struct pm_draw *draw,
                         struct error *error) {
    const struct buffer *own = kernel_plan_set(work->plan, 0)->result;
    return draw_from(work, draw, error) &&
           buffer_read_enqueued(own, 0, draw->numbers, buffer_bytes(own), error) &&
           device_finish(work->device, error);
}

bool library_work_draw(struct library_work *work, const struct pm_draw *draw, struct error *error) {
    const struct pm_arrays arrays = { .place = draw->place, .queue = draw->queue };
    const bool on_device = draw->place == PM_DEVICE;
    if (!check_draw(work, draw, &arrays, error)) {
        return false;
    }
    if (work->box.n == 0) {
        work->built = true;
        work->seed = draw->seed;
        work->next = draw->step + 1;
        return true;
    }
    if ((!work->plan && !work_make_plan(work, error)) ||
        (on_device && !device_adopt_queue(work->device, draw->queue, error))) {
        return false;
    }
    const bool drawn = (on_device ? draw_on_device : draw_on_host)(work, draw, error);
    const bool done = work_leave(work, &arrays, drawn, error);
    work->built = done;
    work->seed = draw->seed;
    work->next = draw->step + 1;
    return done;
}
