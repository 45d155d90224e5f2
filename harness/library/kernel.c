/* The functions of pairmark.h for kernels: they create one, find the best, and call it. */
#include "core/host.h"
#include "devices/device.h"
#include "kernels/header/read_variant.h"
#include "kernels/structure.h"
#include "library/library.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A case, and the buffers and kernels that evaluate it for a system. */
struct kernel_parts {
    struct library_case *made;
    struct library_work *work;
};

struct pm_kernel {
    struct pm_context *context;
    struct pm_choice choice; /* without an answer; its words are ours */
    struct kernel_parts parts;
    char words[VARIANT_NAME_SIZE + TUNINGS_WORDS_SIZE];
};

/* ---- structs of the caller ---- */

static bool take_choice(const struct pm_choice *given, struct pm_choice *taken,
                        struct error *error) {
    return library_take_struct("pm_choice", given, offsetof(struct pm_choice, precision), taken,
                               sizeof *taken, error);
}

static bool take_arrays(const struct pm_arrays *given, struct pm_arrays *taken,
                        struct error *error) {
    return library_take_struct("pm_arrays", given, offsetof(struct pm_arrays, forces), taken,
                               sizeof *taken, error);
}

static bool take_list(const struct pm_list *given, struct pm_list *taken, struct error *error) {
    return library_take_struct("pm_list", given, offsetof(struct pm_list, count), taken,
                               sizeof *taken, error);
}

/* ---- making ---- */

static void free_parts(struct kernel_parts *parts) {
    library_work_free(parts->work);
    if (parts->made) {
        library_case_free(parts->made);
        free(parts->made);
    }
    *parts = (struct kernel_parts){ NULL, NULL };
}

static void free_choice(struct pm_choice *choice) {
    free((char *)choice->variant);
    free((char *)choice->tunables);
    free((char *)choice->thermostat);
    free((char *)choice->field);
}

static void free_kernel(void *whole) {
    struct pm_kernel *kernel = whole;
    free_parts(&kernel->parts);
    free_choice(&kernel->choice);
}

/* Copies a choice and its words; variant and tunables of an answer take the place of those
 * given. */
static bool keep_choice(const struct pm_choice *choice, struct pm_choice *kept,
                        struct error *error) {
    char variant[VARIANT_NAME_SIZE];
    char tunables[TUNINGS_WORDS_SIZE];
    const bool has_answer = choice->answer != NULL;
    if (!has_answer && !choice->variant) {
        return fail(error, STATUS_BAD_INPUT, "variant: a null pointer, and no answer in its place");
    }
    if (has_answer && !library_answer_read(choice->answer, variant, tunables, error)) {
        return false;
    }
    *kept = *choice;
    kept->answer = NULL;
    kept->variant = has_answer ? variant : choice->variant;
    kept->tunables = has_answer ? tunables : choice->tunables;
    const char **const words[] = { &kept->variant, &kept->tunables, &kept->thermostat,
                                   &kept->field };
    bool good = true;
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
        const bool is_said = *words[w] != NULL;
        *words[w] = is_said && good ? strdup(*words[w]) : NULL;
        good = good && (*words[w] || !is_said);
    }
    if (!good) {
        free_choice(kept);
        return fail_out_of_memory(error, "a choice");
    }
    return true;
}

/* Chooses tunables so that few particles still have enough warps each to keep a card busy. */
static const char *warps_for(size_t n) {
    enum { WARPS_OF_CARD = 8192 };
    static const char *const tunables[] = { NULL, "LANES=64", "LANES=128", "LANES=256" };
    size_t doubled = 0;
    while (doubled < 3 && n << (doubled + 1) <= WARPS_OF_CARD) {
        doubled++;
    }
    return tunables[doubled];
}

/* Chooses between lists by all pairs and by cells, which are faster from so many particles on; on a
 * processor cells are a cutoff wide (measured with PoCL on two cores and on an H200). */
static void suit_lists(const struct pm_context *context, const struct pm_system *system,
                       struct pm_choice *choice) {
    const bool is_cpu = device_describe(context->device)->is_cpu;
    const size_t enough = is_cpu ? 80 : 2000;
    const struct box *box = &system->box;
    if (box->begin || box->n < enough || box_least_repeat(box) <= system->cutoff) {
        choice->variant = "neighbours_tile";
        if (!is_cpu && !choice->tunables && choice->list == PM_COO) {
            choice->tunables = warps_for(box->n);
        }
        return;
    }
    choice->variant = "neighbours_cells";
    if (is_cpu && !choice->tunables) {
        choice->tunables = "CELLS_PER_CUTOFF=1";
    }
}

/* Adds the long-range part to the case of time steps, before its work is made. */
static bool add_to_steps(const struct pm_context *context, const struct pm_system *system,
                         struct library_case *made, struct error *error) {
    return !system->long_range || !made->spec.variant->forces.variant ||
           library_steps_add_long_range(context, system, &made->spec, error);
}

/* Adds the long-range part, but only to forces of pairs. */
static bool add_long_range(const struct pm_system *system, const struct kernel_parts *parts,
                           struct error *error) {
    const bool pairs = parts->made->spec.variant->workload == workload_default();
    return !system->long_range || system->pairs_alone || !pairs ||
           library_work_add_long_range(parts->work, system, error);
}

static bool make_parts(const struct pm_context *context, const struct pm_system *system,
                       const struct pm_choice *choice, struct kernel_parts *parts,
                       struct error *error) {
    struct pm_choice chosen = *choice;
    *parts = (struct kernel_parts){ calloc(1, sizeof *parts->made), NULL };
    if (!parts->made) {
        return fail_out_of_memory(error, "a kernel");
    }
    if (strcmp(chosen.variant, "neighbours") == 0) {
        suit_lists(context, system, &chosen);
        parts->made->lists_boxes = system->box.batch > 1;
    }
    if (!library_case_make(system, &chosen, parts->made, error) ||
        !add_to_steps(context, system, parts->made, error) ||
        !library_work_create(context, parts->made, system, &parts->work, error) ||
        !add_long_range(system, parts, error)) {
        free_parts(parts);
        return false;
    }
    return true;
}

static void describe(struct pm_kernel *kernel) {
    const struct case_spec *spec = &kernel->parts.made->spec;
    if (kernel->parts.made->lists_boxes) {
        (void)snprintf(kernel->words, sizeof kernel->words, "box_lists");
        return;
    }
    const size_t length =
        (size_t)snprintf(kernel->words, sizeof kernel->words, "%s ", spec->variant->name);
    tunings_describe(&spec->tunings, kernel->words + length, sizeof kernel->words - length);
}

static bool make_kernel(struct pm_context *context, const struct pm_system *system,
                        const struct pm_choice *choice, struct pm_kernel **kernel,
                        struct error *error) {
    struct pm_kernel *made = calloc(1, sizeof *made);
    if (!made) {
        return fail_out_of_memory(error, "a kernel");
    }
    if (!keep_choice(choice, &made->choice, error)) {
        free(made);
        return false;
    }
    if (!make_parts(context, system, &made->choice, &made->parts, error)) {
        free_choice(&made->choice);
        free(made);
        return false;
    }
    describe(made);
    made->context = context;
    context_take(context);
    *kernel = made;
    return true;
}

enum pm_status pm_variants(pm_take_variant *take, void *data, pm_error *error) {
    struct error reason;
    size_t count = 0;
    const struct variant *variants = variants_embedded(&count, &reason);
    if (!take) {
        return library_fail_null("pm_variants: take", error);
    }
    if (!variants) {
        return library_error(&reason, error);
    }
    for (size_t v = 0; v < count; v++) {
        if (library_has_workload(variants[v].workload)) {
            take(data, variants[v].name, variants[v].workload->name, variants[v].summary);
        }
    }
    return PM_OK;
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

/* Releases a kernel that was made within the same call. */
static void drop_kernel(struct pm_kernel *kernel) {
    if (kernel) {
        free_kernel(kernel);
        kernel->context->users--;
        free(kernel);
    }
}

/* In which round a variant is tried: lists, which serve several steps, before cells, before all
 * pairs, which take too long with many particles. Negative: never. */
enum { ROUNDS = 3 };
static int round_of(const struct variant *variant, const struct pm_system *system,
                    const struct pm_context *context) {
    const struct workload *workload = system->groups.a ? workload_find("coordination")
                                      : system->owner  ? system->owner
                                                       : workload_default();
    const size_t most = device_describe(context->device)->is_cpu ? 4096 : 65536;
    const struct structure_class *structure = structure_find(variant->structure);
    if (variant->workload != workload || variant->groups != system->groups.mode) {
        return -1;
    }
    return structure->ask ? 0 : structure->create ? 1 : system->box.n <= most ? 2 : -1;
}

/* What kernels are tried on. */
struct trial {
    struct pm_context *context;
    const struct pm_system *system;
    const struct pm_arrays *arrays;
    double steps;
};

static bool try_variant(const struct trial *trial, const struct pm_choice *choice,
                        struct pm_kernel **kernel, double *seconds, struct error *error) {
    *kernel = NULL;
    const bool timed =
        make_kernel(trial->context, trial->system, choice, kernel, error) &&
        library_work_time((*kernel)->parts.work, trial->arrays, trial->steps, seconds, error);
    if (!timed) {
        drop_kernel(*kernel);
        *kernel = NULL;
    }
    return timed;
}

static bool find_best(const struct trial *trial, const struct pm_choice *choice, double budget_s,
                      struct pm_kernel **kernel, struct error *error) {
    double ends = clock_s() + budget_s;
    struct library_expected expected = { 0 };
    struct pm_choice tried = *choice;
    struct pm_kernel *best = NULL;
    double best_s = INFINITY;
    size_t count = 0;
    const struct variant *variants = variants_embedded(&count, error);
    tried.answer = tried.tunables = NULL;
    for (size_t v = 0;
         variants && v < ROUNDS * count && !expected.failed && !(best && clock_s() > ends); v++) {
        const struct variant *variant = &variants[v % count];
        struct pm_kernel *candidate = NULL;
        double seconds = 0;
        tried.variant = variant->name;
        if (round_of(variant, trial->system, trial->context) == (int)(v / count) &&
            try_variant(trial, &tried, &candidate, &seconds, error)) {
            const double timed = clock_s();
            const bool better =
                seconds < best_s &&
                library_work_judge(candidate->parts.work, trial->arrays, &expected, error);
            context_say(trial->context, "%s: %.3g us%s", variant->name, 1e6 * seconds,
                        better             ? ", the best so far"
                        : seconds < best_s ? ", not right"
                                           : "");
            ends += clock_s() - timed;
            drop_kernel(better ? best : candidate);
            best = better ? candidate : best;
            best_s = better ? seconds : best_s;
        }
    }
    library_expected_free(&expected);
    *kernel = best ? best : *kernel;
    return best != NULL;
}

/* Takes a trial with the arrays that it points to. */
static bool take_trial(const struct pm_trial *given, struct pm_arrays *arrays,
                       struct pm_trial *taken, struct error *error) {
    if (!library_take_struct("pm_trial", given, offsetof(struct pm_trial, milliseconds), taken,
                             sizeof *taken, error)) {
        return false;
    }
    if (!taken->arrays) {
        return fail(error, STATUS_BAD_INPUT, "pm_trial: arrays: a null pointer");
    }
    if (!(taken->steps >= 1)) {
        return fail(error, STATUS_BAD_INPUT, "%g steps; expected 1 or more", taken->steps);
    }
    if (!(taken->milliseconds >= 0)) {
        return fail(error, STATUS_BAD_INPUT, "%g milliseconds; expected 0 or more",
                    taken->milliseconds);
    }
    return take_arrays(taken->arrays, arrays, error);
}

enum pm_status pm_kernel_best(pm_context *context, const pm_system *system, const pm_choice *choice,
                              const pm_trial *trial, pm_kernel **kernel, pm_error *error) {
    struct error reason;
    struct pm_choice taken;
    struct pm_trial within;
    struct pm_arrays at;
    if (!context || !system || !choice || !trial || !kernel) {
        return library_fail_null("pm_kernel_best", error);
    }
    const enum pm_status begun = context_begin(context, error);
    if (begun != PM_OK) {
        return begun;
    }
    bool done = take_choice(choice, &taken, &reason) && take_trial(trial, &at, &within, &reason);
    struct pm_system pairs = *system; /* its arrays, too */
    pairs.pairs_alone = true;
    done = done && find_best(&(struct trial){ context, &pairs, &at, within.steps }, &taken,
                             1e-3 * within.milliseconds, kernel, &reason);
    if (done && !add_long_range(system, &(*kernel)->parts, &reason)) {
        drop_kernel(*kernel);
        *kernel = NULL;
        done = false;
    }
    return context_end(context, done, &reason, error);
}

const char *pm_kernel_words(const pm_kernel *kernel) {
    return kernel ? kernel->words : "";
}

void pm_kernel_free(pm_kernel *kernel) {
    if (kernel) {
        context_leave(kernel->context, free_kernel, kernel);
        free(kernel);
    }
}

/* Begins a call for a kernel, which no other thread may use until context_end(). */
static enum pm_status begin(struct pm_kernel *kernel, pm_error *error) {
    return kernel ? context_begin(kernel->context, error) : library_fail_null("kernel", error);
}

/* The same for a call that takes more pointers: `what` names them, has_them is false where one of
 * them is null. */
static enum pm_status begin_with(struct pm_kernel *kernel, bool has_them, const char *what,
                                 pm_error *error) {
    return kernel && !has_them ? library_fail_null(what, error) : begin(kernel, error);
}

enum pm_status pm_compile(pm_kernel *kernel, pm_error *error) {
    struct error reason;
    const enum pm_status begun = begin(kernel, error);
    return begun != PM_OK
               ? begun
               : context_end(kernel->context, library_work_compile(kernel->parts.work, &reason),
                             &reason, error);
}

enum pm_status pm_evaluate(pm_kernel *kernel, const pm_arrays *arrays, pm_error *error) {
    struct error reason;
    struct pm_arrays taken;
    const enum pm_status begun = begin_with(kernel, arrays, "pm_evaluate: arrays", error);
    return begun != PM_OK
               ? begun
               : context_end(kernel->context,
                             take_arrays(arrays, &taken, &reason) &&
                                 library_work_evaluate(kernel->parts.work, &taken, &reason),
                             &reason, error);
}

enum pm_status pm_neighbours(pm_kernel *kernel, const pm_arrays *arrays, const pm_list *list,
                             size_t *needed, pm_error *error) {
    struct error reason;
    size_t entries = 0;
    struct pm_arrays at;
    struct pm_list to = { .room = 0 };
    enum pm_status status =
        begin_with(kernel, arrays && list, "pm_neighbours: arrays or list", error);
    if (status != PM_OK) {
        return status;
    }
    bool done = take_arrays(arrays, &at, &reason) && take_list(list, &to, &reason);
    if (done) {
        const bool asks =
            needed || (at.place == PM_HOST && kernel->parts.made->spec.list != LIST_COO);
        done = library_work_list(kernel->parts.work, &at, &to, asks ? &entries : NULL, &reason);
    }
    status = context_end(kernel->context, done, &reason, error);
    if (status == PM_OK && needed) {
        *needed = entries;
    }
    return status == PM_OK && entries > to.room ? library_no_room(to.room, entries, error) : status;
}

enum pm_status pm_random(pm_kernel *kernel, const pm_draw *draw, pm_error *error) {
    struct error reason;
    struct pm_draw taken;
    const enum pm_status begun = begin_with(kernel, draw, "pm_random: draw", error);
    return begun != PM_OK
               ? begun
               : context_end(kernel->context,
                             library_take_struct("pm_draw", draw, offsetof(struct pm_draw, place),
                                                 &taken, sizeof taken, &reason) &&
                                 library_work_draw(kernel->parts.work, &taken, &reason),
                             &reason, error);
}

/* Replaces the parts of the kernel by those for the system, if these can be made. */
static bool change_system(struct pm_kernel *kernel, const struct pm_system *system,
                          struct error *error) {
    struct kernel_parts parts;
    if (!make_parts(kernel->context, system, &kernel->choice, &parts, error)) {
        return false;
    }
    free_parts(&kernel->parts);
    kernel->parts = parts;
    describe(kernel);
    return true;
}

enum pm_status pm_set_system(pm_kernel *kernel, const pm_system *system, pm_error *error) {
    struct error reason;
    const enum pm_status begun = begin_with(kernel, system, "pm_set_system: system", error);
    return begun != PM_OK ? begun
                          : context_end(kernel->context, change_system(kernel, system, &reason),
                                        &reason, error);
}

enum pm_status pm_steps(pm_kernel *kernel, unsigned long long steps, pm_motion *motion,
                        pm_error *error) {
    struct error reason;
    struct pm_motion taken;
    const enum pm_status begun = begin_with(kernel, motion, "pm_steps: motion", error);
    if (begun != PM_OK) {
        return begun;
    }
    const bool done = library_take_struct("pm_motion", motion, offsetof(struct pm_motion, forces),
                                          &taken, sizeof taken, &reason) &&
                      library_work_steps(kernel->parts.work, steps, &taken, &reason);
    if (done) {
        motion->step = taken.step;
    }
    return context_end(kernel->context, done, &reason, error);
}

enum pm_status pm_set_cell(pm_kernel *kernel, const double *cell, pm_error *error) {
    struct error reason;
    const enum pm_status begun = begin_with(kernel, cell, "pm_set_cell: cell", error);
    return begun != PM_OK ? begun
                          : context_end(kernel->context,
                                        library_work_set_cell(kernel->parts.work, cell, &reason),
                                        &reason, error);
}

enum pm_status pm_moved(pm_kernel *kernel, double distance, pm_error *error) {
    struct error reason;
    const enum pm_status begun = begin(kernel, error);
    if (begun != PM_OK) {
        return begun;
    }
    const bool good = distance >= 0 ||
                      fail(&reason, STATUS_BAD_INPUT, "distance %g; expected 0 or more", distance);
    if (good) {
        library_work_moved(kernel->parts.work, distance);
    }
    return context_end(kernel->context, good, &reason, error);
}

enum pm_status pm_reach(pm_kernel *kernel, double *distance, pm_error *error) {
    const struct error none = { .status = STATUS_OK };
    const enum pm_status begun = begin_with(kernel, distance, "pm_reach: distance", error);
    if (begun != PM_OK) {
        return begun;
    }
    *distance = library_work_reach(kernel->parts.work);
    return context_end(kernel->context, true, &none, error);
}
