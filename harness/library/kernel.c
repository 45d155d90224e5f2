/* Kernels as a program holds them. */
#include "core/error.h"
#include "library/library.h"

#include <math.h>
#include <stdlib.h>

struct pm_kernel {
    struct pm_context *context;
    struct library_case made;
    struct library_work *work;
};

static void free_parts(void *parts) {
    struct pm_kernel *kernel = parts;
    library_work_free(kernel->work);
    library_case_free(&kernel->made);
}

static bool make_kernel(struct pm_context *context, const struct pm_system *system,
                        const struct pm_choice *choice, struct pm_kernel **kernel,
                        struct error *error) {
    struct pm_kernel *made = calloc(1, sizeof *made);
    if (!made) {
        return fail_out_of_memory(error, "a kernel");
    }
    if (!library_case_make(system, choice, &made->made, error) ||
        !library_work_create(context->device, &made->made.spec, &system->box, &made->work, error)) {
        library_case_free(&made->made);
        free(made);
        return false;
    }
    made->context = context;
    context_take(context);
    *kernel = made;
    return true;
}

enum pm_status pm_kernel_create(pm_context *context, const pm_system *system,
                                const pm_choice *choice, pm_kernel **kernel, pm_error *error) {
    struct error reason;
    if (!context || !system || !choice || !choice->variant || !kernel) {
        return library_fail_null("pm_kernel_create", error);
    }
    const enum pm_status begun = context_begin(context, error);
    if (begun != PM_OK) {
        return begun;
    }
    const bool done = make_kernel(context, system, choice, kernel, &reason);
    return context_end(context, done, &reason, error);
}

void pm_kernel_free(pm_kernel *kernel) {
    if (kernel) {
        context_leave(kernel->context, free_parts, kernel);
        free(kernel);
    }
}

enum pm_status pm_compile(pm_kernel *kernel, pm_error *error) {
    struct error reason;
    if (!kernel) {
        return library_fail_null("pm_compile: kernel", error);
    }
    const enum pm_status begun = context_begin(kernel->context, error);
    return begun != PM_OK
               ? begun
               : context_end(kernel->context, library_work_compile(kernel->work, &reason), &reason,
                             error);
}

enum pm_status pm_evaluate(pm_kernel *kernel, const pm_arrays *arrays, pm_error *error) {
    struct error reason;
    if (!kernel || !arrays) {
        return library_fail_null(kernel ? "pm_evaluate: arrays" : "pm_evaluate: kernel", error);
    }
    const enum pm_status begun = context_begin(kernel->context, error);
    return begun != PM_OK
               ? begun
               : context_end(kernel->context, library_work_evaluate(kernel->work, arrays, &reason),
                             &reason, error);
}

enum pm_status pm_neighbours(pm_kernel *kernel, const pm_arrays *arrays, const pm_list *list,
                             size_t *needed, pm_error *error) {
    struct error reason;
    size_t entries = 0;
    if (!kernel || !arrays || !list) {
        return library_fail_null("pm_neighbours", error);
    }
    const bool asks = needed || (arrays->place == PM_HOST && kernel->made.spec.list != LIST_COO);
    enum pm_status status = context_begin(kernel->context, error);
    if (status == PM_OK) {
        const bool done =
            library_work_list(kernel->work, arrays, list, asks ? &entries : NULL, &reason);
        status = context_end(kernel->context, done, &reason, error);
    }
    if (status == PM_OK && needed) {
        *needed = entries;
    }
    return status == PM_OK && entries > list->room ? library_no_room(list->room, entries, error)
                                                   : status;
}

enum pm_status pm_moved(pm_kernel *kernel, double distance, pm_error *error) {
    struct error reason;
    if (!kernel) {
        return library_fail_null("pm_moved: kernel", error);
    }
    const enum pm_status begun = context_begin(kernel->context, error);
    if (begun != PM_OK) {
        return begun;
    }
    const bool good = distance >= 0 ||
                      fail(&reason, STATUS_BAD_INPUT, "distance %g; expected 0 or more", distance);
    if (good) {
        library_work_moved(kernel->work, distance);
    }
    return context_end(kernel->context, good, &reason, error);
}

enum pm_status pm_reach(pm_kernel *kernel, double *distance, pm_error *error) {
    const struct error none = { .status = STATUS_OK };
    if (!kernel || !distance) {
        return library_fail_null("pm_reach", error);
    }
    const enum pm_status begun = context_begin(kernel->context, error);
    if (begun != PM_OK) {
        return begun;
    }
    *distance = library_work_reach(kernel->work);
    return context_end(kernel->context, true, &none, error);
}
