/* Makes the plan of a kernel at the first positions, and converts the arrays of a program to those
 * of the plan. */
#include "library/work.h"
#include "core/host.h"
#include "workloads/neighbours/neighbour_lists.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* As in arrays.cl. */
enum { FRAME_CELL = 6, FRAME_LEAST = 6, FRAME_MOST = 9, FRAME_MOVED = 12 };

/* ---- making ---- */

/* Makes the work of a box with all copies of n particles. Takes the box over. */
static bool create(const struct pm_context *context, struct library_case *library_case,
                   struct box *box, size_t n, struct library_work **work, struct error *error) {
    struct device *device = context->device;
    const double cutoff = cutoff_in(library_case->spec.cutoff, !box->periodic, INFINITY);
    const struct groups *groups = library_case->groups.a ? &library_case->groups : NULL;
    struct library_work *made = calloc(1, sizeof *made);
    const struct plan_input input = {
        device, &library_case->spec, BUILD_PLAIN, box, groups, cutoff
    };
    if (!made || !kernel_plan_check(&input, error)) {
        const bool has_memory = made != NULL;
        box_free(box);
        free(made);
        return has_memory ? false : fail_out_of_memory(error, "a kernel");
    }
    made->context = context;
    made->device = device;
    made->spec = &library_case->spec;
    made->groups = groups;
    made->announced = NAN;
    made->library_case = library_case;
    made->n = n;
    made->box = *box;
    *work = made;
    return true;
}

static bool create_box_lists(const struct pm_context *context, struct library_case *library_case,
                             const struct pm_system *system, struct library_work **work,
                             struct error *error) {
    struct library_work *made = calloc(1, sizeof *made);
    if (!made) {
        return fail_out_of_memory(error, "a kernel");
    }
    made->context = context;
    made->device = context->device;
    made->spec = &library_case->spec;
    made->announced = NAN;
    made->library_case = library_case;
    made->n = made->box.n = system->box.n;
    if (!work_make_box_lists(made, system, error)) {
        library_work_free(made);
        return false;
    }
    *work = made;
    return true;
}

bool library_work_create(const struct pm_context *context, struct library_case *library_case,
                         const struct pm_system *system, struct library_work **work,
                         struct error *error) {
    if (library_case->lists_boxes) {
        return create_box_lists(context, library_case, system, work, error);
    }
    const struct box *given = &system->box;
    struct box box = { .n = given->n, .periodic = given->periodic, .cell = given->cell };
    /* In double nothing is rounded: the box is copied. */
    if (workload_has_particles(library_case->spec.variant->workload) && given->n > 0 &&
        !(box_as_device(given, PRECISION_DOUBLE, &box, error) &&
          library_box_copy(library_case->copies, &box, error))) {
        box_free(&box);
        return false;
    }
    if (!create(context, library_case, &box, given->n, work, error)) {
        return false;
    }
    (*work)->rotation = system->rotation;
    memcpy((*work)->vectors, system->vectors, sizeof system->vectors);
    return true;
}

bool work_create_beside(const struct library_work *work, struct library_case *library_case,
                        struct library_work **made, struct error *error) {
    struct box box = { 0 };
    if (!box_as_device(&work->box, PRECISION_DOUBLE, &box, error) ||
        !create(work->context, library_case, &box, work->n, made, error)) {
        return false;
    }
    (*made)->rotation = work->rotation;
    return true;
}

static void drop_plan(struct library_work *work) {
    kernel_plan_free(work->plan);
    box_free(&work->placed);
    work->plan = NULL;
    work->direct = NULL;
    work->built = false;
}

void work_drop_energies(struct library_work *work) {
    if (work->energies) {
        work->free_energies(work->energies);
        work->energies = NULL;
    }
}

void work_drop_long_range(struct library_work *work) {
    struct library_long_range *range = work->long_range;
    if (range) {
        library_work_free(range->work);
        library_case_free(&range->library_case);
        buffer_free(range->start);
        buffer_free(range->partner);
        buffer_free(range->partial);
        free(range);
    }
    work->long_range = NULL;
}

void library_work_free(struct library_work *work) {
    if (work) {
        drop_plan(work);
        work_drop_energies(work);
        work_drop_long_range(work);
        work_drop_box_lists(work);
        buffer_free(work->totals);
        buffer_free(work->frames);
        buffer_free(work->box_of);
        work_free_notes(work);
        buffer_free(work->position);
        buffer_free(work->force);
        buffer_free(work->energy);
        buffer_free(work->virial);
        buffer_free(work->crossing);
        buffer_free(work->runs);
        work_free_groups(work);
        program_free(work->program);
        box_free(&work->box);
        free(work);
    }
}

static bool has_doubles(const struct library_work *work) {
    return device_describe(work->device)->fp64;
}

static bool find_kernel(struct library_work *work, const char *name, int number,
                        struct kernel **kernel, struct error *error) {
    char whole[64];
    (void)snprintf(whole, sizeof whole, "%s_%s", name, number == PM_FLOAT ? "float" : "double");
    return program_kernel(work->program, whole, kernel, error);
}

static bool compile_text(struct library_work *work, struct error *error) {
    static const char *const paths[] = { "harness/kernels/text/excluded_slope.cl",
                                         "harness/library/arrays.cl", NULL };
    const struct program_source source = { .name = "arrays",
                                           .precision_words = precision_name(work->spec->precision),
                                           .group_size = GROUP };
    return program_build_embedded(work->device, &source, paths, &work->program, error);
}

static bool compile_kernels(struct library_work *work, struct error *error) {
    if (work->add_sums) {
        return true;
    }
    bool made = work->program || compile_text(work, error);
    for (int k = 0; made && k < NUMBERS; k++) {
        made = (k == PM_DOUBLE && !has_doubles(work)) ||
               (find_kernel(work, "take_positions", k, &work->take_positions[k], error) &&
                find_kernel(work, "spoil", k, &work->spoil[k], error) &&
                find_kernel(work, "give_vectors", k, &work->give_vectors[k], error) &&
                find_kernel(work, "give_members", k, &work->give_members[k], error) &&
                find_kernel(work, "give_sums", k, &work->give_sums[k], error) &&
                find_kernel(work, "give_energies", k, &work->give_energies[k], error));
    }
    const size_t number = has_doubles(work) ? sizeof(double) : sizeof(float);
    return made &&
           (work->totals || buffer_allocate(work->device, boxes_of(work) * MAX_SUMS * number,
                                            &work->totals, error)) &&
           work_make_notes(work, error) && work_place_groups(work, error) &&
           program_kernel(work->program, "finish_list", &work->finish_list, error) &&
           program_kernel(work->program, "count_runs", &work->count_runs, error) &&
           program_kernel(work->program, "place_runs", &work->place_runs, error) &&
           program_kernel(work->program, "correct_excluded", &work->correct_excluded, error) &&
           program_kernel(work->program, "add_corrections", &work->add_corrections, error) &&
           program_kernel(work->program, "add_sums", &work->add_sums, error);
}

/* ---- the plan ---- */

/* Bounds along a non-periodic axis. Kernels treat it as periodic, so it is padded: images must stay
 * beyond the cutoff or, where there is none, beyond every particle. */
static void find_bounds(const struct box *placed, size_t axis, double cutoff, double frame[]) {
    const double edge = placed->edge[axis];
    const double free = isfinite(cutoff) ? 0.51 * cutoff : 0.26 * edge;
    frame[FRAME_LEAST + axis] = placed->open_along[axis] ? free : -FLT_MAX;
    frame[FRAME_MOST + axis] = placed->open_along[axis] ? edge - free : FLT_MAX;
}

/* Fills in a frame: the cell of the program, which a plan in float has rounded, and the bounds of
 * an open box, of each group its own. */
static void find_frames(struct library_work *work, double cutoff, const double moved[3]) {
    const struct cell *cell = &work->box.cell;
    const double vectors[FRAME_CELL] = { cell->edge[0], cell->tilt[0], cell->edge[1],
                                         cell->tilt[1], cell->tilt[2], cell->edge[2] };
    for (int s = 0; s < kernel_plan_set_count(work->plan); s++) {
        const struct box *members = &kernel_plan_set(work->plan, s)->members;
        double *frame = work->frame[s];
        memcpy(frame, vectors, sizeof vectors);
        memcpy(&frame[FRAME_MOVED], moved, 3 * sizeof *moved);
        for (size_t axis = 0; axis < 3 && work->box.periodic; axis++) {
            find_bounds(&work->placed, axis, cutoff, frame);
        }
        if (!work->box.periodic) {
            box_bounds(members->n ? members : &work->placed, &frame[FRAME_LEAST],
                       &frame[FRAME_MOST]);
        }
    }
}

/* Makes the box as case_box_as_device() does. Where particles have left an open box once, it grows
 * by a cutoff and a tenth of its extent on each side, so that they do not soon leave it again. */
static bool place_box(struct library_work *work, double cutoff, double moved[3],
                      struct error *error) {
    const double margin = (work->outgrown ? 3 : 1.5) * cutoff;
    work->box.margin = 0;
    if (work->outgrown) {
        work->box.margin = (isfinite(cutoff) ? cutoff : 0) + 0.1 * box_length_scale(&work->box);
    }
    return box_as_device_in_room(&work->box, margin, work->spec->precision, &work->placed, moved,
                                 error);
}

/* Uploads which box of a periodic batch each particle is in, and the cells that take it back. */
static bool place_frames(struct library_work *work, struct error *error) {
    const struct box *box = &work->box;
    const size_t number = has_doubles(work) ? sizeof(double) : sizeof(float);
    const size_t each = FRAME_NUMBERS * number;
    if (!box->periodic || !box->cells || work->frames) {
        return true;
    }
    char *frames = malloc(box->batch * each);
    int32_t *box_of = malloc(box->n * sizeof *box_of);
    for (size_t b = 0; frames && box_of && b < box->batch; b++) {
        const struct cell *cell = &box->cells[b];
        const double frame[FRAME_NUMBERS] = { cell->edge[0], cell->tilt[0], cell->edge[1],
                                              cell->tilt[1], cell->tilt[2], cell->edge[2] };
        for (size_t k = 0; k < FRAME_NUMBERS; k++) {
            real_set(frames + b * each, has_doubles(work), k, frame[k]);
        }
    }
    if (box_of) {
        box_number_particles(box, box_of);
    }
    const bool placed = frames && box_of
                            ? buffer_upload(work->device, "cells of boxes", frames,
                                            box->batch * each, &work->frames, error) &&
                                  buffer_upload(work->device, "boxes of particles", box_of,
                                                box->n * sizeof *box_of, &work->box_of, error)
                            : fail_out_of_memory(error, "the cells of boxes");
    free(frames);
    free(box_of);
    return placed;
}

static bool make_plan(struct library_work *work, struct error *error) {
    const double cutoff = cutoff_in(work->spec->cutoff, !work->box.periodic, INFINITY);
    double moved[3];
    struct kernel_plan *plan = NULL;
    drop_plan(work);
    if (!work_has_particles(work)) {
        return kernel_plan_create(&(struct plan_input){ work->device, work->spec, BUILD_PLAIN,
                                                        &work->box, NULL, INFINITY },
                                  &work->plan, error);
    }
    if (!compile_kernels(work, error) || !place_frames(work, error) ||
        !place_box(work, cutoff, moved, error) ||
        !kernel_plan_create(&(struct plan_input){ work->device, work->spec, BUILD_PLAIN,
                                                  &work->placed, work->groups, cutoff },
                            &plan, error)) {
        return false;
    }
    work->plan = plan;
    find_frames(work, cutoff, moved);
    return true;
}

bool work_make_plan(struct library_work *work, struct error *error) {
    const uint64_t before = device_programs_compiled(work->device);
    const double began = clock_s();
    const bool made = make_plan(work, error);
    if (made) {
        context_say(work->context, "%s: ready for %zu in %.3f s, %llu programs compiled",
                    work->spec->variant->name, work->n, clock_s() - began,
                    (unsigned long long)(device_programs_compiled(work->device) - before));
    }
    return made;
}

/* Places the particles of an open box on a grid half a cutoff wide, so that the box has an extent
 * and one text is compiled for all positions. */
bool library_work_compile(struct library_work *work, struct error *error) {
    struct box *box = &work->box;
    const double cutoff = cutoff_in(work->spec->cutoff, !box->periodic, 2);
    const size_t side = (size_t)ceil(cbrt((double)box->n));
    if (work->plan || work->box.n == 0) {
        return true;
    }
    if (work->box_lists) {
        return box_lists_compile(work, error);
    }
    if (work->long_range && !library_work_compile(work->long_range->work, error)) {
        return false;
    }
    for (size_t i = 0; i < box->n && !box->periodic && work_has_particles(work); i++) {
        const size_t place[3] = { i % side, i / side % side, i / side / side };
        for (size_t d = 0; d < 3; d++) {
            box->position[3 * i + d] = 0.5 * cutoff * (double)place[d];
        }
    }
    const bool made = work_make_plan(work, error);
    drop_plan(work);
    return made;
}

/* ---- arrays ---- */

bool work_check_alignment(const struct library_work *work, const struct pm_arrays *arrays,
                          const char *name, const void *memory, struct error *error) {
    enum { ALIGNMENT = 16 };
    const bool by_address =
        arrays->place == PM_DEVICE && device_describe(work->device)->kind == DEVICE_CUDA;
    return !by_address || (uintptr_t)memory % ALIGNMENT == 0 ||
           fail(error, STATUS_BAD_INPUT, "%s: not at a multiple of %d bytes", name, ALIGNMENT);
}

const char *work_energies_path(const struct library_work *work) {
    const struct workload *workload = work->spec->variant->workload;
    const bool ends = isfinite(cutoff_in(work->spec->cutoff, !work->box.periodic, INFINITY));
    return work->long_range || boxes_of(work) > 1 ? NULL
           : workload == workload_default()
               ? ends ? "harness/library/energies_cells.cl" : "harness/library/energies_pairs.cl"
           : workload->buffers == &eam_buffers     ? "harness/library/energies_eam.cl"
           : workload->buffers == &element_buffers ? "harness/library/energies_three_body.cl"
                                                   : NULL;
}

bool work_check_arrays(const struct library_work *work, const struct pm_arrays *arrays,
                       struct error *error) {
    const enum outputs outputs = work->spec->outputs;
    if (arrays->place != PM_HOST && arrays->place != PM_DEVICE) {
        return fail(error, STATUS_BAD_INPUT, "place %d; expected PM_HOST or PM_DEVICE",
                    (int)arrays->place);
    }
    if (arrays->number != PM_FLOAT && arrays->number != PM_DOUBLE) {
        return fail(error, STATUS_BAD_INPUT, "number %d; expected PM_FLOAT or PM_DOUBLE",
                    (int)arrays->number);
    }
    if (width_of(arrays) != 3 && width_of(arrays) != 4) {
        return fail(error, STATUS_BAD_INPUT, "width %d; expected 3 or 4", arrays->width);
    }
    if (!arrays->positions && work->box.n > 0) {
        return fail(error, STATUS_BAD_INPUT, "positions: a null pointer");
    }
    if ((arrays->energy && outputs == OUTPUTS_FORCES) ||
        (arrays->virial && outputs != OUTPUTS_VIRIAL)) {
        return fail(error, STATUS_BAD_INPUT, "%s: the kernel's outputs are %s",
                    arrays->virial ? "virial" : "energy", outputs_name(outputs));
    }
    if (arrays->energies && !work_energies_path(work)) {
        return fail(error, STATUS_BAD_INPUT, "energies: %s is of workload %s, which has none%s",
                    work->spec->variant->name, work->spec->variant->workload->name,
                    work->long_range ? " beside long_range" : "");
    }
    return arrays->number == PM_FLOAT || has_doubles(work) ||
           fail(error, STATUS_UNSUPPORTED, "%s has no double precision: pass floats",
                device_describe(work->device)->name);
}

/* Allocates a buffer for an array in host memory, if the array is wanted. */
static bool stage(struct library_work *work, const void *memory, size_t bytes,
                  struct buffer **staged, struct buffer **buffer, struct error *error) {
    if (!memory) {
        return true;
    }
    const bool reserved = buffer_reserve(work->device, bytes, staged, error);
    *buffer = *staged;
    return reserved;
}

static bool stage_all(struct library_work *work, const struct pm_arrays *arrays,
                      struct brought *brought, struct error *error) {
    const size_t bytes = vector_bytes(work, arrays);
    return stage(work, arrays->positions, bytes, &work->position, &brought->position, error) &&
           stage(work, arrays->forces, bytes, &work->force, &brought->force, error) &&
           stage(work, arrays->energy, boxes_of(work) * sizeof(double), &work->energy,
                 &brought->energy, error) &&
           stage(work, arrays->virial, boxes_of(work) * VIRIAL_NUMBERS * sizeof(double),
                 &work->virial, &brought->virial, error) &&
           buffer_write_enqueued(work->position, 0, arrays->positions, bytes, error);
}

bool work_wrap(struct library_work *work, const char *what, const void *memory, size_t bytes,
               struct buffer **buffer, struct error *error) {
    return !memory || buffer_wrap(work->device, (void *)memory, bytes, buffer, error) ||
           fail_within(error, "%s", what);
}

void work_release(struct brought *brought) {
    if (brought->owned) {
        buffer_free(brought->position);
        buffer_free(brought->force);
        buffer_free(brought->energy);
        buffer_free(brought->virial);
        buffer_free(brought->cell);
    }
}

bool work_bring(struct library_work *work, const struct pm_arrays *arrays, struct brought *brought,
                struct error *error) {
    const size_t bytes = vector_bytes(work, arrays);
    const size_t number = boxes_of(work) * number_bytes(arrays);
    if (arrays->place == PM_HOST) {
        return stage_all(work, arrays, brought, error);
    }
    brought->owned = true;
    return (work_wrap(work, "positions", arrays->positions, bytes, &brought->position, error) &&
            work_wrap(work, "forces", arrays->forces, bytes, &brought->force, error) &&
            work_wrap(work, "energy", arrays->energy, number, &brought->energy, error) &&
            work_wrap(work, "virial", arrays->virial, VIRIAL_NUMBERS * number, &brought->virial,
                      error) &&
            device_adopt_queue(work->device, arrays->queue, error));
}

/* ---- no particles ---- */

static bool fill_with_zeros(struct library_work *work, enum pm_place place, void *memory,
                            size_t bytes, struct error *error) {
    struct buffer *buffer = NULL;
    if (memory && place == PM_HOST) {
        memset(memory, 0, bytes);
    }
    if (!memory || place == PM_HOST) {
        return true;
    }
    const bool filled = buffer_wrap(work->device, memory, bytes, &buffer, error) &&
                        buffer_fill(buffer, 0, bytes, error);
    buffer_free(buffer);
    return filled;
}

bool work_give_nothing(struct library_work *work, const struct pm_arrays *arrays,
                       const struct zeros *zeros, size_t count, struct error *error) {
    bool done = arrays->place == PM_HOST || device_adopt_queue(work->device, arrays->queue, error);
    if (!done) {
        return false;
    }
    for (size_t z = 0; done && z < count; z++) {
        done = fill_with_zeros(work, arrays->place, zeros[z].memory, zeros[z].bytes, error);
    }
    return work_leave(work, arrays, done, error);
}

/* ---- to the plan and back ---- */

struct argument work_frame_argument(const struct library_work *work, int set) {
    const double *frame = work->frame[set];
    float narrow[FRAME_NUMBERS];
    for (int k = 0; k < FRAME_NUMBERS; k++) {
        narrow[k] = (float)frame[k];
    }
    return has_doubles(work) ? argument_value(frame, sizeof work->frame[0])
                             : argument_value(narrow, sizeof narrow);
}

/* rotation_args of arrays.cl. */
static struct argument nine_argument(const struct library_work *work, const double rows[9],
                                     bool counts) {
    enum { COUNTS = 9, ROTATION_NUMBERS = 10 };
    double wide[ROTATION_NUMBERS] = { [COUNTS] = counts ? 1 : 0 };
    float narrow[ROTATION_NUMBERS];
    memcpy(wide, rows, COUNTS * sizeof *wide);
    for (int k = 0; k < ROTATION_NUMBERS; k++) {
        narrow[k] = (float)wide[k];
    }
    return has_doubles(work) ? argument_value(wide, sizeof wide)
                             : argument_value(narrow, sizeof narrow);
}

struct argument work_rotation_argument(const struct library_work *work) {
    return nine_argument(work, work->rotation.rows, work->rotation.rotates);
}

/* A bit for each vector of the cell. */
static int images_of(const struct box *box) {
    return (box_has_images(box, 0) ? 1 : 0) + (box_has_images(box, 1) ? 2 : 0) +
           (box_has_images(box, 2) ? 4 : 0);
}

static bool is_all_periodic(const struct box *box) {
    return box->periodic && !box_is_partly_periodic(box);
}

bool work_keeps_crossings(const struct library_work *work) {
    return work->box.periodic && work_is_of_lists(work) &&
           list_entries_of(work->spec->list_entries).shifts != SHIFTS_NONE;
}

/* Finds the positions at the last build, from which displacements count; none where the caller has
 * said how far particles moved. */
static bool asks_of(const struct library_work *work, int set, struct places_of_build *kept) {
    *kept = (struct places_of_build){ .position = NULL };
    if (work->built && isnan(work->announced)) {
        *kept = kernel_plan_kept(work->plan, set);
    }
    return kept->position != NULL;
}

/* moved_args of arrays.cl. */
struct moved_wide {
    int32_t asks, by_index;
    double limit2;
};
struct moved_narrow {
    int32_t asks, by_index;
    float limit2;
};

static struct argument moved_argument(const struct library_work *work,
                                      const struct places_of_build *kept) {
    const double limit2 = kept->limit * kept->limit;
    const struct moved_wide wide = { kept->position != NULL, kept->index != NULL, limit2 };
    const struct moved_narrow narrow = { wide.asks, wide.by_index, (float)limit2 };
    return has_doubles(work) ? argument_value(&wide, sizeof wide)
                             : argument_value(&narrow, sizeof narrow);
}

static bool take_set(struct library_work *work, int s, const struct pm_arrays *arrays,
                     const struct brought *brought, struct error *error) {
    const bool keeps = work_keeps_crossings(work);
    const int *side = work->library_case->copies;
    const int32_t copies[4] = { (int32_t)work->n, side[0], side[1], side[2] };
    const struct particle_set *set = kernel_plan_set(work->plan, s);
    struct places_of_build kept;
    const bool begins = work_is_of_lists(work) && kernel_plan_begins_count(work->plan);
    const struct lists_arguments *lists =
        begins ? neighbour_lists_arrays(kernel_plan_own(work->plan)) : NULL;
    work->asked = asks_of(work, s, &kept) && (s == 0 || work->asked);
    const struct argument arguments[] = {
        argument_int((int32_t)set->n),
        argument_int(width_of(arrays)),
        argument_int(images_of(&work->box)),
        work_frame_argument(work, s),
        argument_int(work->frames != NULL),
        argument_buffer(work->frames ? work->frames : work->notes),
        argument_buffer(work->box_of ? work->box_of : work->notes),
        work_rotation_argument(work),
        argument_value(copies, sizeof copies),
        argument_buffer(brought->position),
        argument_buffer(set->position),
        argument_buffer(work->notes),
        work_host_notes_argument(work),
        argument_int(work->call),
        argument_int(keeps),
        argument_buffer(keeps ? work->crossing : work->notes),
        argument_int(work->groups != NULL),
        argument_buffer(work->groups ? work->index[s] : work->notes),
        moved_argument(work, &kept),
        argument_buffer(kept.position ? kept.position : work->notes),
        argument_buffer(kept.index ? kept.index : work->notes),
        argument_int(begins),
        argument_buffer(begins ? lists->pair_count : work->notes),
        nine_argument(work, work->vectors, brought->cell != NULL),
        argument_buffer(brought->cell ? brought->cell : brought->position)
    };
    return LAUNCH(work->take_positions[arrays->number], set->n, arguments, error);
}

static bool is_bounded(const struct library_work *work) {
    return !is_all_periodic(&work->box) &&
           (work->box.periodic || kernel_plan_has_structure(work->plan));
}

static bool take_positions(struct library_work *work, const struct pm_arrays *arrays,
                           const struct brought *brought, struct error *error) {
    bool taken =
        !work_keeps_crossings(work) ||
        buffer_reserve(work->device, 3 * work->box.n * sizeof(int32_t), &work->crossing, error);
    work->call = work->call == INT32_MAX ? 1 : work->call + 1;
    work->asked = false;
    for (int s = 0; taken && s < kernel_plan_set_count(work->plan); s++) {
        taken = take_set(work, s, arrays, brought, error);
    }
    return taken && (!(work->asked || is_bounded(work)) || work_note_end(work, error));
}

/* ---- the first time: positions for the plan ---- */

static void place_copies(struct library_work *work) {
    const int *copies = work->library_case->copies;
    const struct cell *cell = &work->box.cell;
    const size_t side[2] = { (size_t)copies[0], (size_t)copies[1] };
    double *to = work->box.position + 3 * work->n;
    for (size_t copy = 1; copy < library_product(copies); copy++) {
        const double a = (double)(copy % side[0]) / copies[0];
        const double b = (double)(copy / side[0] % side[1]) / copies[1];
        const size_t layer = copy / (side[0] * side[1]);
        const double c = (double)layer / copies[2];
        for (size_t i = 0; i < work->n; i++, to += 3) {
            const double *from = work->box.position + 3 * i;
            to[0] = from[0] + a * cell->edge[0] + b * cell->tilt[0] + c * cell->tilt[1];
            to[1] = from[1] + b * cell->edge[1] + c * cell->tilt[2];
            to[2] = from[2] + c * cell->edge[2];
        }
    }
}

static bool read_positions(struct library_work *work, const struct pm_arrays *arrays,
                           const struct brought *brought, struct error *error) {
    const size_t width = (size_t)width_of(arrays);
    const bool in_double = numeric_real_is_double(precision_numeric(work->spec->precision));
    const double most =
        is_all_periodic(&work->box) ? INFINITY : sqrt(in_double ? DBL_MAX : FLT_MAX);
    const void *from = arrays->positions;
    void *staged = NULL;
    bool good = true;
    if (arrays->place == PM_DEVICE) {
        staged = malloc(vector_bytes(work, arrays));
        from = staged;
        good = staged ? buffer_read(brought->position, 0, staged, vector_bytes(work, arrays), error)
                      : fail_out_of_memory(error, "the positions");
    }
    for (size_t i = 0; good && i < work->n; i++) {
        double *place = work->box.position + 3 * i;
        for (size_t d = 0; good && d < 3; d++) {
            const size_t at = width * i + d;
            place[d] = arrays->number == PM_FLOAT ? (double)((const float *)from)[at]
                                                  : ((const double *)from)[at];
            good = fabs(place[d]) < most || work_fail_of_place(i, error);
        }
        library_rotate(&work->rotation, place);
    }
    if (good) {
        place_copies(work);
    }
    free(staged);
    return good;
}

static bool plan_for(struct library_work *work, const struct pm_arrays *arrays,
                     const struct brought *brought, struct error *error) {
    /* Positions of an earlier call serve in another cell, too: the device wraps them. */
    if (!work->has_positions || !is_all_periodic(&work->box)) {
        work->has_positions = read_positions(work, arrays, brought, error);
    }
    return work->has_positions && work_make_plan(work, error) &&
           take_positions(work, arrays, brought, error);
}

/* Plans anew where particles have left the bounds along vectors without images: structures cover
 * only what particles spanned, and kernels see images beyond that. */
static bool keep_bounds(struct library_work *work, const struct pm_arrays *arrays,
                        const struct brought *brought, struct error *error) {
    if (!is_bounded(work)) {
        return true;
    }
    if (!work_wait_for_notes(work, error) || !work_check_noted_places(work, error)) {
        return false;
    }
    const bool outside = work_is_noted(work, NOTE_OUTSIDE);
    work->outgrown = work->outgrown || outside;
    return !outside || plan_for(work, arrays, brought, error);
}

bool work_place(struct library_work *work, const struct pm_arrays *arrays,
                const struct brought *brought, struct error *error) {
    return (work->plan ? take_positions(work, arrays, brought, error)
                       : plan_for(work, arrays, brought, error)) &&
           keep_bounds(work, arrays, brought, error);
}

/* Discards what was made for the cell: the next evaluation makes it for the new one. */
bool library_work_set_cell(struct library_work *work, const double *cell, struct error *error) {
    struct box changed = work->box; /* its arrays, too: those of the first of all copies */
    struct box fresh = { 0 };
    struct rotation rotation;
    struct library_copied copied;
    changed.n = work->n;
    if (!work->box.periodic || work->box.cells) {
        return fail(error, STATUS_BAD_INPUT, "the system was made without a cell");
    }
    if (!library_cell_take(cell, &changed, &rotation, error) ||
        !library_case_copy(work->library_case, &changed, work->n, &copied, error)) {
        return false;
    }
    struct box whole = changed;
    library_cell_copy(copied.copies, &whole.cell);
    if (!library_steps_fit(work->spec, &changed, copied.copies, error) ||
        !library_case_fits(work->spec, &whole, error) ||
        (copied.more && work->n > 0 &&
         !(box_as_device(&changed, PRECISION_DOUBLE, &fresh, error) &&
           library_box_copy(copied.copies, &fresh, error)))) {
        box_free(&fresh);
        groups_free(&copied.groups);
        return false;
    }
    drop_plan(work);
    work_drop_energies(work);
    library_case_take_copies(work->library_case, work->n, &copied);
    work->rotation = rotation;
    memcpy(work->vectors, cell, sizeof work->vectors);
    if (fresh.n > 0) {
        work_free_groups(work);
        work->has_positions = false;
        box_free(&work->box);
        work->box = fresh;
    }
    work->box.cell = whole.cell; /* its vectors without images straightened */
    work->box.density = changed.density;
    return !work->long_range || library_work_set_cell(work->long_range->work, cell, error);
}

/* ---- the end ---- */

bool work_leave(struct library_work *work, const struct pm_arrays *arrays, bool done,
                struct error *error) {
    struct error ignored = { .status = STATUS_OK };
    struct error *of_end = done ? error : &ignored;
    if (arrays->place == PM_DEVICE) {
        done = device_return_queue(work->device, of_end) && done;
    } else if (!done) {
        (void)device_finish(work->device, of_end);
    }
    if (!done) {
        drop_plan(work);
    }
    return done;
}
