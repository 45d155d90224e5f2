/* Kernels as a program holds them. */
#include "core/host.h"
#include "devices/device.h"
#include "kernels/header/read_variant.h"
#include "kernels/structure.h"
#include "library/library.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pm_kernel {
    struct pm_context *context;
    struct library_case made;
    struct library_work *work;
    char words[VARIANT_NAME_SIZE + TUNINGS_WORDS_SIZE];
};

/* ---- structs of the caller ---- */

/* Copies one that begins with its size to one as the library has it, of `known` bytes: of a program
 * with an older header it lacks members, of which `least` bytes are there, with a newer one it has
 * more. */
static bool take_struct(const char *name, const void *given, size_t least, void *taken,
                        size_t known, struct error *error) {
    enum { MOST = 4096 };
    const unsigned char *bytes = given;
    size_t size = 0;
    memcpy(&size, given, sizeof size);
    if (size < least || size > MOST) {
        return fail(error, STATUS_BAD_INPUT, "size %zu of %s; expected sizeof(%s), %zu", size, name,
                    name, known);
    }
    for (size_t k = known; k < size; k++) {
        if (bytes[k]) {
            return fail(error, STATUS_UNSUPPORTED,
                        "%s has a member that this library, %s, does not know: size %zu, not %zu",
                        name, pm_version(), size, known);
        }
    }
    memset(taken, 0, known);
    memcpy(taken, given, size < known ? size : known);
    return true;
}

static bool take_choice(const struct pm_choice *given, struct pm_choice *taken,
                        struct error *error) {
    return take_struct("pm_choice", given, offsetof(struct pm_choice, precision), taken,
                       sizeof *taken, error);
}

static bool take_arrays(const struct pm_arrays *given, struct pm_arrays *taken,
                        struct error *error) {
    return take_struct("pm_arrays", given, offsetof(struct pm_arrays, forces), taken, sizeof *taken,
                       error);
}

static bool take_list(const struct pm_list *given, struct pm_list *taken, struct error *error) {
    return take_struct("pm_list", given, offsetof(struct pm_list, count), taken, sizeof *taken,
                       error);
}

/* ---- making ---- */

static void free_parts(void *parts) {
    struct pm_kernel *kernel = parts;
    library_work_free(kernel->work);
    library_case_free(&kernel->made);
}

/* Lists by cells take less time from so many particles on: measured (PoCL on two cores; an H200).
 */
static const char *suited_lists(const struct pm_context *context, const struct pm_system *system) {
    const size_t enough = device_describe(context->device)->is_cpu ? 80 : 2000;
    const struct box *box = &system->box;
    return box->n < enough || box_least_repeat(box) <= system->cutoff ? "neighbours_tile"
                                                                      : "neighbours_cells";
}

static bool make_kernel(struct pm_context *context, const struct pm_system *system,
                        const struct pm_choice *choice, struct pm_kernel **kernel,
                        struct error *error) {
    struct pm_kernel *made = calloc(1, sizeof *made);
    if (!made) {
        return fail_out_of_memory(error, "a kernel");
    }
    struct pm_choice chosen = *choice;
    if (!chosen.answer && chosen.variant && strcmp(chosen.variant, "neighbours") == 0) {
        chosen.variant = suited_lists(context, system);
    }
    if (!library_case_make(system, &chosen, &made->made, error) ||
        !library_work_create(context->device, &made->made, system, &made->work, error)) {
        library_case_free(&made->made);
        free(made);
        return false;
    }
    const size_t length =
        (size_t)snprintf(made->words, sizeof made->words, "%s ", made->made.spec.variant->name);
    tunings_describe(&made->made.spec.tunings, made->words + length, sizeof made->words - length);
    made->context = context;
    context_take(context);
    *kernel = made;
    return true;
}

enum pm_status pm_kernel_create(pm_context *context, const pm_system *system,
                                const pm_choice *choice, pm_kernel **kernel, pm_error *error) {
    struct error reason;
    struct pm_choice taken;
    if (!context || !system || !choice || !kernel) {
        return library_fail_null("pm_kernel_create", error);
    }
    const enum pm_status begun = context_begin(context, error);
    if (begun != PM_OK) {
        return begun;
    }
    const bool done = take_choice(choice, &taken, &reason) &&
                      make_kernel(context, system, &taken, kernel, &reason);
    return context_end(context, done, &reason, error);
}

/* Of one that was made within the same call. */
static void drop_kernel(struct pm_kernel *kernel) {
    if (kernel) {
        free_parts(kernel);
        kernel->context->users--;
        free(kernel);
    }
}

/* When it is tried: lists, which serve several steps, before cells, before all pairs, which take
 * too long of many particles; not below 0: never. */
enum { TURNS = 3 };
static int turn_of(const struct variant *variant, const struct pm_system *system,
                   const struct pm_context *context) {
    const struct workload *workload =
        system->groups.a ? workload_find("coordination") : workload_default();
    const size_t most = device_describe(context->device)->is_cpu ? 4096 : 65536;
    const struct structure_class *structure = structure_find(variant->structure);
    if (variant->workload != workload || variant->groups != system->groups.mode) {
        return -1;
    }
    return structure->is_valid ? 0 : structure->create ? 1 : system->box.n <= most ? 2 : -1;
}

static bool try_variant(struct pm_context *context, const struct pm_system *system,
                        const struct pm_choice *choice, const struct pm_arrays *arrays,
                        double steps, struct pm_kernel **kernel, double *seconds,
                        struct error *error) {
    *kernel = NULL;
    const bool timed = make_kernel(context, system, choice, kernel, error) &&
                       library_work_time((*kernel)->work, arrays, steps, seconds, error);
    if (!timed) {
        drop_kernel(*kernel);
        *kernel = NULL;
    }
    return timed;
}

static bool find_best(struct pm_context *context, const struct pm_system *system,
                      const struct pm_choice *choice, const struct pm_arrays *arrays, double steps,
                      double budget_s, struct pm_kernel **kernel, struct error *error) {
    double ends = clock_s() + budget_s;
    struct library_expected expected = { 0 };
    struct pm_choice tried = *choice;
    struct pm_kernel *best = NULL;
    double best_s = INFINITY;
    size_t count = 0;
    const struct variant *variants = variants_embedded(&count, error);
    tried.answer = tried.tunables = NULL;
    for (size_t v = 0;
         variants && v < TURNS * count && !expected.failed && !(best && clock_s() > ends); v++) {
        const struct variant *variant = &variants[v % count];
        struct pm_kernel *one = NULL;
        double seconds = 0;
        tried.variant = variant->name;
        if (turn_of(variant, system, context) == (int)(v / count) &&
            try_variant(context, system, &tried, arrays, steps, &one, &seconds, error)) {
            const double timed = clock_s();
            const bool better =
                seconds < best_s && library_work_judge(one->work, arrays, &expected, error);
            ends += clock_s() - timed;
            drop_kernel(better ? best : one);
            best = better ? one : best;
            best_s = better ? seconds : best_s;
        }
    }
    library_expected_free(&expected);
    *kernel = best ? best : *kernel;
    return best != NULL;
}

enum pm_status pm_kernel_best(pm_context *context, const pm_system *system, const pm_choice *choice,
                              const pm_arrays *arrays, double steps, double milliseconds,
                              pm_kernel **kernel, pm_error *error) {
    struct error reason;
    struct pm_choice of;
    struct pm_arrays at;
    if (!context || !system || !choice || !arrays || !kernel) {
        return library_fail_null("pm_kernel_best", error);
    }
    const enum pm_status begun = context_begin(context, error);
    if (begun != PM_OK) {
        return begun;
    }
    bool done = take_choice(choice, &of, &reason) && take_arrays(arrays, &at, &reason);
    if (done && !(steps >= 1 && milliseconds >= 0)) {
        done = fail(&reason, STATUS_BAD_INPUT,
                    "%g steps, %g milliseconds; expected 1 or more, and 0 or more", steps,
                    milliseconds);
    }
    done =
        done && find_best(context, system, &of, &at, steps, 1e-3 * milliseconds, kernel, &reason);
    return context_end(context, done, &reason, error);
}

const char *pm_kernel_words(const pm_kernel *kernel) {
    return kernel ? kernel->words : "";
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
    struct pm_arrays taken;
    const enum pm_status begun = context_begin(kernel->context, error);
    return begun != PM_OK ? begun
                          : context_end(kernel->context,
                                        take_arrays(arrays, &taken, &reason) &&
                                            library_work_evaluate(kernel->work, &taken, &reason),
                                        &reason, error);
}

enum pm_status pm_neighbours(pm_kernel *kernel, const pm_arrays *arrays, const pm_list *list,
                             size_t *needed, pm_error *error) {
    struct error reason;
    size_t entries = 0;
    if (!kernel || !arrays || !list) {
        return library_fail_null("pm_neighbours", error);
    }
    struct pm_arrays at;
    struct pm_list to;
    enum pm_status status = context_begin(kernel->context, error);
    if (status != PM_OK) {
        return status;
    }
    bool done = take_arrays(arrays, &at, &reason) && take_list(list, &to, &reason);
    if (done) {
        const bool asks = needed || (at.place == PM_HOST && kernel->made.spec.list != LIST_COO);
        done = library_work_list(kernel->work, &at, &to, asks ? &entries : NULL, &reason);
    }
    status = context_end(kernel->context, done, &reason, error);
    if (status == PM_OK && needed) {
        *needed = entries;
    }
    return status == PM_OK && entries > to.room ? library_no_room(to.room, entries, error) : status;
}

enum pm_status pm_random(pm_kernel *kernel, unsigned long long seed, unsigned long long step,
                         enum pm_place place, void *numbers, void *queue, pm_error *error) {
    struct error reason;
    const pm_arrays arrays = { .place = place, .queue = queue };
    if (!kernel || !numbers) {
        return library_fail_null("pm_random", error);
    }
    const enum pm_status begun = context_begin(kernel->context, error);
    return begun != PM_OK
               ? begun
               : context_end(kernel->context,
                             library_work_draw(kernel->work, seed, step, &arrays, numbers, &reason),
                             &reason, error);
}

enum pm_status pm_set_cell(pm_kernel *kernel, const double *cell, pm_error *error) {
    struct error reason;
    if (!kernel || !cell) {
        return library_fail_null("pm_set_cell", error);
    }
    const enum pm_status begun = context_begin(kernel->context, error);
    return begun != PM_OK
               ? begun
               : context_end(kernel->context, library_work_set_cell(kernel->work, cell, &reason),
                             &reason, error);
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
