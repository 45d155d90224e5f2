/* Lists of neighbours of many boxes, each with a cell of its own, in one pass over all particles.
 */
#include "kernels/bindings.h"
#include "library/work.h"
#include "workloads/workload_buffers.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* As in box_lists.cl. */
enum { ROWS = 9, REACH = 18, BOX_NUMBERS = 21 };
enum { WITH_FIRST = 1, WITH_IMAGE = 2, WITH_VECTOR = 4, WITH_DISTANCE = 8 };

struct box_lists {
    struct lists_arguments arrays;
    struct program *program;
    struct kernel *take[NUMBERS], *count, *check, *fill;
    struct buffer *frames, *begin, *box_of; /* of each box; of each and the end; of each particle */
    struct buffer *placed, *crossing;       /* of each particle: see box_lists.cl */
    struct buffer *sums, *too_many;
};

/* ---- cells ---- */

/* Replaces vectors without images by others that are perpendicular to the rest. */
static void complete(double v[9], const bool has[3]) {
    static const double axes[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    for (size_t k = 0; k < 3; k++) {
        const size_t next = (k + 1) % 3;
        const size_t last = (k + 2) % 3;
        if (has[next] && has[last] && !has[k]) {
            vector_cross(v + 3 * next, v + 3 * last, v + 3 * k);
        } else if (has[k] && !has[next] && !has[last]) {
            size_t axis = 0; /* that the vector has least of */
            for (size_t d = 1; d < 3; d++) {
                axis = fabs(v[3 * k + d]) < fabs(v[3 * k + axis]) ? d : axis;
            }
            vector_cross(v + 3 * k, axes + 3 * axis, v + 3 * next);
            vector_cross(v + 3 * k, v + 3 * next, v + 3 * last);
        }
    }
}

static bool find_frame(const double *vectors, double cutoff, double frame[BOX_NUMBERS],
                       struct error *error) {
    double v[9];
    bool has[3];
    double images = 1;
    memset(frame, 0, BOX_NUMBERS * sizeof *frame);
    memcpy(v, vectors, sizeof v);
    for (size_t k = 0; k < 3; k++) {
        has[k] = vectors[3 * k] != 0 || vectors[3 * k + 1] != 0 || vectors[3 * k + 2] != 0;
    }
    complete(v, has);
    for (size_t k = 0; k < 3; k++) {
        double row[3];
        vector_cross(v + 3 * ((k + 1) % 3), v + 3 * ((k + 2) % 3), row);
        const double volume = vector_dot(v + 3 * k, row);
        for (size_t d = 0; d < 3 && has[k]; d++) {
            frame[3 * k + d] = vectors[3 * k + d];
            frame[ROWS + 3 * k + d] = row[d] / volume;
        }
        const double *to = frame + ROWS + 3 * k;
        const double reach = cutoff * sqrt(vector_dot(to, to));
        /* The cutoff, rounded up a little: distances decide what is within it. */
        frame[REACH + k] = has[k] ? reach * (1 + 1e-5) + 1e-4 : 0;
        images *= 2 * reach + 1;
    }
    return images <= INT32_MAX || fail(error, STATUS_UNSUPPORTED,
                                       "the cutoff reaches %g images, and a list has at most %d "
                                       "entries",
                                       images, INT32_MAX);
}

/* ---- making ---- */

static bool find_frames(const struct library_work *work, const struct pm_system *system,
                        char *frames, size_t each, struct error *error) {
    static const double open[9] = { 0 };
    const double cutoff = cutoff_in(work->spec->cutoff, true, INFINITY);
    for (size_t b = 0; b < system->box.batch; b++) {
        double frame[BOX_NUMBERS];
        if (!find_frame(system->box_vectors ? system->box_vectors + 9 * b : open, cutoff, frame,
                        error)) {
            return fail_within(error, "box %zu", b);
        }
        for (size_t k = 0; k < BOX_NUMBERS; k++) {
            real_set(frames + b * each, device_describe(work->device)->fp64, k, frame[k]);
        }
    }
    return true;
}

static bool describe_boxes(struct library_work *work, const struct pm_system *system,
                           struct error *error) {
    struct box_lists *lists = work->box_lists;
    const size_t boxes = system->box.batch;
    const size_t n = system->box.n;
    const size_t each =
        BOX_NUMBERS * (device_describe(work->device)->fp64 ? sizeof(double) : sizeof(float));
    char *frames = malloc(boxes * each);
    int32_t *box_of = malloc((n + 1) * sizeof *box_of);
    work->first_of_box = malloc((boxes + 1) * sizeof *work->first_of_box);
    bool good = false;
    if (!frames || !box_of || !work->first_of_box) {
        (void)fail_out_of_memory(error, "boxes");
    } else if (find_frames(work, system, frames, each, error)) {
        box_number_particles(&system->box, box_of);
        for (size_t b = 0; b <= boxes; b++) {
            work->first_of_box[b] = (int32_t)box_begin(&system->box, b);
        }
        good = buffer_upload(work->device, "cells of boxes", frames, boxes * each, &lists->frames,
                             error) &&
               buffer_upload(work->device, "first particles of boxes", work->first_of_box,
                             (boxes + 1) * sizeof *work->first_of_box, &lists->begin, error) &&
               buffer_upload(work->device, "boxes of particles", box_of, n * sizeof *box_of,
                             &lists->box_of, error);
    }
    free(frames);
    free(box_of);
    return good;
}

bool work_make_box_lists(struct library_work *work, const struct pm_system *system,
                         struct error *error) {
    work->box_lists = calloc(1, sizeof *work->box_lists);
    return work->box_lists ? describe_boxes(work, system, error)
                           : fail_out_of_memory(error, "lists of boxes");
}

void work_drop_box_lists(struct library_work *work) {
    struct box_lists *lists = work->box_lists;
    if (lists) {
        struct lists_arguments *a = &lists->arrays;
        struct buffer *const all[] = { a->count,        a->neighbours, a->row_begin,
                                       a->pair_first,   a->pair_count, a->shifts,
                                       a->vectors,      a->distances,  lists->frames,
                                       lists->begin,    lists->box_of, lists->placed,
                                       lists->crossing, lists->sums,   lists->too_many };
        for (size_t b = 0; b < sizeof all / sizeof all[0]; b++) {
            buffer_free(all[b]);
        }
        program_free(lists->program);
        free(work->first_of_box);
        free(lists);
    }
    work->box_lists = NULL;
    work->first_of_box = NULL;
}

static bool compile(struct library_work *work, struct error *error) {
    static const char *const paths[] = { "harness/library/box_lists.cl", NULL };
    struct box_lists *lists = work->box_lists;
    const struct program_source source = { .name = "box_lists",
                                           .precision_words = precision_name(work->spec->precision),
                                           .group_size = GROUP };
    return program_build_embedded(work->device, &source, paths, &lists->program, error) &&
           program_kernel(lists->program, "take_boxed_float", &lists->take[PM_FLOAT], error) &&
           (!device_describe(work->device)->fp64 ||
            program_kernel(lists->program, "take_boxed_double", &lists->take[PM_DOUBLE], error)) &&
           program_kernel(lists->program, "count_boxed", &lists->count, error) &&
           program_kernel(lists->program, "check_boxed", &lists->check, error) &&
           program_kernel(lists->program, "fill_boxed", &lists->fill, error);
}

bool box_lists_reserve(struct library_work *work, int32_t room, struct error *error) {
    struct lists_arguments *arrays = &work->box_lists->arrays;
    const struct list_entries entries = list_entries_of(work->spec->list_entries);
    const size_t real = work->spec->precision == PRECISION_DOUBLE ? sizeof(double) : sizeof(float);
    const size_t count = (size_t)room;
    arrays->capacity = room;
    return buffer_reserve(work->device, count * sizeof(int32_t), &arrays->pair_first, error) &&
           buffer_reserve(work->device, count * sizeof(int32_t), &arrays->neighbours, error) &&
           (entries.shifts == SHIFTS_NONE ||
            buffer_reserve(work->device, 3 * count * sizeof(int32_t), &arrays->shifts, error)) &&
           (!entries.vectors ||
            buffer_reserve(work->device, 3 * count * real, &arrays->vectors, error)) &&
           (!entries.distances ||
            buffer_reserve(work->device, count * real, &arrays->distances, error));
}

bool box_lists_compile(struct library_work *work, struct error *error) {
    struct box_lists *lists = work->box_lists;
    const size_t n = work->box.n;
    const size_t real = work->spec->precision == PRECISION_DOUBLE ? sizeof(double) : sizeof(float);
    return lists->too_many ||
           (compile(work, error) && work_make_notes(work, error) &&
            buffer_reserve(work->device, 4 * n * real, &lists->placed, error) &&
            buffer_reserve(work->device, 3 * n * sizeof(int32_t), &lists->crossing, error) &&
            buffer_reserve(work->device, (n + 1) * sizeof(int32_t), &lists->sums, error) &&
            buffer_reserve(work->device, n * sizeof(int32_t), &lists->arrays.count, error) &&
            buffer_reserve(work->device, (n + 1) * sizeof(int32_t), &lists->arrays.row_begin,
                           error) &&
            buffer_reserve(work->device, sizeof(int32_t), &lists->arrays.pair_count, error) &&
            box_lists_reserve(work, 1, error) &&
            buffer_reserve(work->device, sizeof(int32_t), &lists->too_many, error));
}

struct lists_arguments *box_lists_arrays(struct library_work *work) {
    return &work->box_lists->arrays;
}

/* ---- a list ---- */

bool box_lists_take(struct library_work *work, const struct pm_arrays *arrays,
                    const struct brought *brought, struct error *error) {
    struct box_lists *lists = work->box_lists;
    if (!box_lists_compile(work, error)) {
        return false;
    }
    work->call = work->call == INT32_MAX ? 1 : work->call + 1;
    const struct argument arguments[] = {
        argument_int((int32_t)work->n),     argument_int(width_of(arrays)),
        argument_buffer(lists->box_of),     argument_buffer(lists->frames),
        argument_buffer(brought->position), argument_buffer(lists->placed),
        argument_buffer(lists->crossing),   argument_buffer(work->notes),
        work_host_notes_argument(work),     argument_int(work->call)
    };
    return LAUNCH(lists->take[arrays->number], work->n, arguments, error);
}

static int wanted_of(const struct library_work *work) {
    const struct list_entries entries = list_entries_of(work->spec->list_entries);
    return (work->spec->list == LIST_COO ? WITH_FIRST : 0) |
           (entries.shifts != SHIFTS_NONE ? WITH_IMAGE : 0) | (entries.vectors ? WITH_VECTOR : 0) |
           (entries.distances ? WITH_DISTANCE : 0);
}

static bool fill(struct library_work *work, struct argument list, struct argument cutoff2,
                 struct error *error) {
    struct box_lists *lists = work->box_lists;
    const struct lists_arguments *to = &lists->arrays;
    struct buffer *none = work->notes;
    const struct argument arguments[] = { list,
                                          cutoff2,
                                          argument_buffer(lists->box_of),
                                          argument_buffer(lists->begin),
                                          argument_buffer(lists->frames),
                                          argument_buffer(lists->placed),
                                          argument_buffer(lists->sums),
                                          argument_buffer(lists->too_many),
                                          argument_buffer(work->notes),
                                          argument_int(work->call),
                                          argument_int(work->notes_on_host != NULL),
                                          work_host_notes_argument(work),
                                          argument_buffer(to->pair_count),
                                          argument_buffer(to->count),
                                          argument_buffer(to->row_begin),
                                          argument_buffer(lists->crossing),
                                          argument_buffer(to->pair_first),
                                          argument_buffer(to->neighbours),
                                          argument_buffer(to->shifts ? to->shifts : none),
                                          argument_buffer(to->vectors ? to->vectors : none),
                                          argument_buffer(to->distances ? to->distances : none) };
    return LAUNCH(lists->fill, work->box.n + 1, arguments, error);
}

bool box_lists_launch(struct library_work *work, struct error *error) {
    struct box_lists *lists = work->box_lists;
    const size_t n = work->box.n;
    const double cutoff = cutoff_in(work->spec->cutoff, true, INFINITY);
    const int32_t words[4] = { (int32_t)n, work->spec->list_pairs == LIST_HALF,
                               lists->arrays.capacity, wanted_of(work) };
    const struct argument list = argument_value(words, sizeof words);
    const struct argument cutoff2 =
        argument_real(cutoff * cutoff, work->spec->precision == PRECISION_DOUBLE);
    const struct argument count[] = { list,
                                      cutoff2,
                                      argument_buffer(lists->box_of),
                                      argument_buffer(lists->begin),
                                      argument_buffer(lists->frames),
                                      argument_buffer(lists->placed),
                                      argument_buffer(lists->sums) };
    const struct argument check[] = { argument_int((int32_t)n), argument_buffer(lists->sums),
                                      argument_buffer(lists->too_many) };
    return LAUNCH(lists->count, n + 1, count, error) &&
           device_exclusive_scan(work->device, lists->sums, lists->sums, n + 1, error) &&
           buffer_fill(lists->too_many, 0, sizeof(int32_t), error) &&
           LAUNCH(lists->check, n, check, error) && fill(work, list, cutoff2, error);
}

bool box_lists_needed(const struct library_work *work, int32_t *needed, struct error *error) {
    return buffer_read(work->box_lists->arrays.pair_count, 0, needed, sizeof *needed, error);
}
