/* What a prepared case has the device do: poison outputs, build, evaluate. */
#include "prepare/kernel_plan_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- sums in fixed point: whole numbers (variants/accumulation.cl), converted to reals ---- */

enum { FORCE_PLANES = 4 };

static bool check(const struct kernel_plan *plan, struct error *error) {
    const struct device_info *info = device_describe(plan->device);
    const struct variant *variant = plan->spec->variant;
    if (plan->spec->precision != PRECISION_FIXED) {
        return true;
    }
    return info->atomics64 || (!variant->accumulates && !plan->sum_method->in_place) ||
           fail(error, STATUS_UNSUPPORTED,
                "precision fixed: %s has no 64-bit atomics (cl_khr_int64_base_atomics)",
                info->name);
}

bool fixed_point_create(struct kernel_plan *plan, struct error *error) {
    bool made = check(plan, error);
    if (plan->spec->precision != PRECISION_FIXED) {
        return made;
    }
    made = made &&
           program_kernel(plan->program, "write_fixed_forces", &plan->convert_forces, error) &&
           program_kernel(plan->program, "write_fixed_sums", &plan->convert_sums, error);
    for (int s = 0; made && s < plan->set_count; s++) {
        struct particle_set *set = &plan->sets[s];
        made = buffer_allocate(plan->device, FORCE_PLANES * set_force_plane(set) * sizeof(int64_t),
                               &set->fixed_force, error);
    }
    return made;
}

void fixed_point_free(struct kernel_plan *plan) {
    for (int s = 0; s < MAX_SETS; s++) {
        buffer_free(plan->sets[s].fixed_force);
    }
    for (int p = 0; p < VARIANT_MAX_PASSES; p++) {
        buffer_free(plan->passes[p].fixed_sums);
    }
}

/* Zeroes the forces, whatever the variant says. */
static bool fixed_point_zero(struct kernel_plan *plan, struct error *error) {
    bool zeroed = true;
    for (int s = 0; zeroed && s < plan->set_count; s++) {
        struct buffer *force = plan->sets[s].fixed_force;
        zeroed = !force || buffer_fill(force, 0, buffer_bytes(force), error);
    }
    return zeroed;
}

static bool launch_over(const struct kernel_plan *plan, struct kernel *kernel, size_t items,
                        const struct argument *arguments, size_t count, struct error *error) {
    const size_t group = (size_t)plan->group_size;
    return kernel_launch(kernel, (items + group - 1) / group, group, arguments, count, error);
}

/* Enqueues that forces, and the sums of a pass, are converted to results and sums. */
static bool fixed_point_write_forces(struct kernel_plan *plan, const struct stage_watch *watch,
                                     struct error *error) {
    bool enqueued = true;
    for (int s = 0; enqueued && s < plan->set_count; s++) {
        const struct particle_set *set = &plan->sets[s];
        const struct argument arguments[] = { argument_int((int32_t)set->n),
                                              argument_int((int32_t)set_force_plane(set)),
                                              argument_buffer(set->fixed_force),
                                              argument_buffer(set->result) };
        enqueued = !set->fixed_force || set->n == 0 ||
                   (stage_begins(watch, "tell", "results", error) &&
                    launch_over(plan, plan->convert_forces, set->n, arguments,
                                sizeof arguments / sizeof arguments[0], error));
    }
    return enqueued;
}

static bool fixed_point_write_sums(const struct kernel_plan *plan, const struct planned_pass *pass,
                                   struct error *error) {
    return !plan->sums_are_fixed || !pass->has_sums || plan->skips_sums ||
           launch_over(plan, plan->convert_sums, kernel_plan_all_sums(plan),
                       ARGUMENTS(argument_int((int32_t)kernel_plan_all_sums(plan)),
                                 argument_int((int32_t)plan->sum_boxes),
                                 argument_buffer(pass->fixed_sums), argument_buffer(pass->sums)),
                       error);
}

/* ---- an evaluation ---- */

/* A byte that fills a float with about 0.75 and a double with about 5e-4. */
enum { DISTURBED_BYTE = 0x3F };

static bool fill_results(struct kernel_plan *plan, unsigned char value, struct error *error) {
    const struct workload_outputs *outputs = plan_outputs(plan);
    bool filled = !outputs || outputs->fill(plan->own, value, error);
    for (int s = 0; filled && s < plan->set_count; s++) {
        struct buffer *result = plan->sets[s].result;
        filled = buffer_fill(result, value, buffer_bytes(result), error);
    }
    return filled && (!plan->driver || plan->driver->fill_outputs(plan, value, error));
}

static bool fill_sums(struct kernel_plan *plan, unsigned char value, struct error *error) {
    bool filled = true;
    for (int p = 0; filled && p < plan->spec->variant->pass_count; p++) {
        struct planned_pass *pass = &plan->passes[p];
        filled = buffer_fill(pass->partial_sums, value, buffer_bytes(pass->partial_sums), error) &&
                 buffer_fill(pass->sums, value, buffer_bytes(pass->sums), error);
    }
    return filled;
}

bool fill_outputs_with_byte(struct kernel_plan *plan, unsigned char value, struct error *error) {
    return fill_results(plan, value, error) && fill_sums(plan, value, error) &&
           kernel_plan_poison_scratch(plan, error);
}

/* A set's results, but for the fourth number of each. */
static bool disturb_set(const struct kernel_plan *plan, const struct particle_set *set,
                        struct error *error) {
    const size_t size = buffer_bytes(set->result);
    const size_t number = kernel_plan_accum_size(plan);
    unsigned char *bytes = buffer_copy(set->result, size, error);
    const bool is_vectors = !plan->spec->variant->workload->places;
    if (!bytes) {
        return false;
    }
    if (!is_vectors) {
        memset(bytes, DISTURBED_BYTE, size);
    }
    for (size_t at = 0; is_vectors && at < size; at += 4 * number) {
        memset(bytes + at, DISTURBED_BYTE, 3 * number);
    }
    const bool disturbed = buffer_write(set->result, 0, bytes, size, error);
    free(bytes);
    return disturbed;
}

bool fill_outputs_with_garbage(struct kernel_plan *plan, struct error *error) {
    const struct workload_outputs *outputs = plan_outputs(plan);
    bool disturbed = device_finish(plan->device, error) &&
                     (!outputs || outputs->fill(plan->own, DISTURBED_BYTE, error));
    for (int s = 0; disturbed && s < plan->set_count; s++) {
        disturbed = disturb_set(plan, &plan->sets[s], error);
    }
    return disturbed && fill_sums(plan, DISTURBED_BYTE, error) &&
           kernel_plan_poison_scratch(plan, error);
}

/* Makes the next step current: for random numbers every launch is one. */
static bool take_step(struct kernel_plan *plan, struct error *error) {
    bool bound = true;
    if (plan_has_particles(plan)) {
        return true;
    }
    plan->step = plan->first_step + plan->launches++;
    for (int p = 0; bound && p < plan->spec->variant->pass_count; p++) {
        bound = !pass_is_step(&plan->spec->variant->passes[p]) || bind_pass(plan, p, error);
    }
    return bound;
}

/* ---- outputs that results are computed from ---- */

static struct launched launched_by(const struct kernel_plan *plan) {
    const struct particle_set *set = &plan->sets[0];
    return (struct launched){ .position = set->position,
                              .pair = &plan->pair,
                              .box = plan->box,
                              .order = &set->order,
                              .cutoff = plan->cutoff,
                              .result = set->result };
}

bool kernel_plan_compute_results(struct kernel_plan *plan, struct error *error) {
    const struct workload_outputs *outputs = plan_outputs(plan);
    const struct launched launched = launched_by(plan);
    return !outputs || outputs->compute(plan->own, &launched, error);
}

bool bind_all(struct kernel_plan *plan, struct error *error) {
    bool bound = true;
    plan->graph_is_stale = true;
    for (int p = 0; bound && p < plan->spec->variant->pass_count; p++) {
        bound = bind_pass(plan, p, error);
    }
    return bound;
}

bool kernel_plan_make_room(struct kernel_plan *plan, bool *fits, struct error *error) {
    const struct workload_outputs *outputs = plan_outputs(plan);
    const struct launched launched = launched_by(plan);
    *fits = true;
    return !outputs || (outputs->make_room(plan->own, &launched, fits, error) &&
                        (*fits || bind_all(plan, error)));
}

/* Builds for the same particles as before, so that kernel arguments stay. */
static bool build_in_launch(struct kernel_plan *plan, const struct stage_watch *watch,
                            struct error *error) {
    bool built = true;
    for (int s = 0; built && s < plan->set_count; s++) {
        built = structure_chain_build(plan->sets[s].structure, watch, error);
    }
    return built;
}

/* Enqueues everything up to the first pass of several groups, and half the groups of that. */
static bool enqueue_half(struct kernel_plan *plan, struct error *error) {
    bool enqueued = (!plan_builds_in_launch(plan) || build_in_launch(plan, NULL, error)) &&
                    take_step(plan, error) && zero_outputs(plan, NULL, error);
    bool halved = false;
    for (int p = 0; enqueued && !halved && p < plan->spec->variant->pass_count; p++) {
        struct planned_pass *pass = &plan->passes[p];
        const size_t groups = pass->groups;
        halved = groups > 1;
        pass->groups = halved ? groups / 2 : groups;
        enqueued = enqueue_pass(plan, p, NULL, error);
        pass->groups = groups;
    }
    return enqueued;
}

/* Finds a row that ran over into the next one. That one's own entries would hide it, so only half
 * the groups ran: entries in a row without a count are strays. */
static bool find_stray(struct kernel_plan *plan, size_t *place, struct error *error) {
    static const unsigned char before = 0xFF;
    return fill_outputs_with_byte(plan, before, error) && enqueue_half(plan, error) &&
           plan_outputs(plan)->find_stray(plan->own, place, error);
}

/* Refuses a kernel with stray entries, unless it has them with room enough, too: then it writes
 * counts later than entries. */
static bool judge_stray(struct kernel_plan *plan, size_t place, struct error *error) {
    size_t with_room = 0;
    if (place >= plan->sets[0].n) {
        return true;
    }
    return find_stray(plan, &with_room, error) &&
           (with_room < plan->sets[0].n ||
            fail(error, STATUS_WRONG,
                 "where room is short, entries of another row are in that of particle %zu",
                 set_member(&plan->sets[0], place) + 1));
}

/* Launches until outputs have the room that kernels ask for. That is done once per case, before
 * anything is timed: each such launch shows a kernel where the particles are. */
static bool find_room(struct kernel_plan *plan, struct error *error) {
    enum { MOST_LAUNCHES = 8 };
    static const unsigned char before = 0xFF;
    size_t stray = 0;
    bool good = find_stray(plan, &stray, error);
    bool fits = false;
    for (int launches = 0; good && !fits && launches < MOST_LAUNCHES; launches++) {
        good = fill_outputs_with_byte(plan, before, error) &&
               kernel_plan_enqueue_watched(plan, NULL, error) &&
               kernel_plan_make_room(plan, &fits, error);
    }
    return good && judge_stray(plan, stray, error);
}

/* Builds, and finds room for outputs. */
static bool build_with_room(struct kernel_plan *plan, const struct stage_watch *watch,
                            struct error *error) {
    const struct workload_outputs *outputs = plan_outputs(plan);
    bool known = true;
    return structure_build(plan, watch, error) &&
           (!outputs || (outputs->keep_room(plan->own, &known, error) && bind_all(plan, error))) &&
           (known || find_room(plan, error));
}

bool kernel_plan_build_watched(struct kernel_plan *plan, const struct stage_watch *watch,
                               struct error *error) {
    return plan->driver ? plan->driver->begin(plan, watch, error)
                        : build_with_room(plan, watch, error);
}

bool kernel_plan_build(struct kernel_plan *plan, struct error *error) {
    return kernel_plan_build_watched(plan, NULL, error);
}

bool kernel_plan_renew(struct kernel_plan *plan, bool *rebuilt, struct error *error) {
    *rebuilt = true;
    return plan->driver         ? plan->driver->begin(plan, NULL, error)
           : plan_outputs(plan) ? build_with_room(plan, NULL, error)
                                : structure_renew(plan, rebuilt, error);
}

bool kernel_plan_enqueue_watched(struct kernel_plan *plan, const struct stage_watch *watch,
                                 struct error *error) {
    if (plan->driver) {
        return plan->driver->enqueue(plan, watch, error);
    }
    bool enqueued = (!plan_builds_in_launch(plan) || build_in_launch(plan, watch, error)) &&
                    take_step(plan, error) && zero_outputs(plan, watch, error);
    for (int p = 0; enqueued && p < plan->spec->variant->pass_count; p++) {
        enqueued =
            !pass_is_step(&plan->spec->variant->passes[p]) || enqueue_pass(plan, p, watch, error);
    }
    return enqueued && fixed_point_write_forces(plan, watch, error);
}

bool kernel_plan_ready(struct kernel_plan *plan, struct error *error) {
    return !plan->driver || plan->driver->ready(plan, error);
}

static bool enqueue_each(void *context, struct error *error) {
    return kernel_plan_enqueue_watched(context, NULL, error);
}

bool kernel_plan_record(struct kernel_plan *plan, struct error *error) {
    if (plan->spec->launch != LAUNCH_GRAPH || !plan->was_enqueued ||
        (plan->graph && !plan->graph_is_stale)) {
        return true;
    }
    graph_free(plan->graph);
    plan->graph = NULL;
    plan->graph_is_stale = false;
    return device_record(plan->device, enqueue_each, plan, &plan->graph, error) &&
           (graph_is_one_launch(plan->graph) ||
            fail(error, STATUS_UNSUPPORTED, "launch graph: the kernels of %s make no graph",
                 plan->spec->variant->name));
}

bool kernel_plan_enqueue(struct kernel_plan *plan, struct error *error) {
    if (plan->graph && !plan->graph_is_stale) {
        return graph_enqueue(plan->graph, error);
    }
    plan->was_enqueued = true;
    return kernel_plan_enqueue_watched(plan, NULL, error);
}

/* ---- a pass ---- */

static enum sum_type sum_type_of(const struct kernel_plan *plan) {
    if (plan->build == BUILD_COUNTING || plan->sums_are_fixed) {
        return SUM_INT64;
    }
    return plan->accum_is_double ? SUM_DOUBLE : SUM_FLOAT;
}

/* Zeroes the forces that kernels add to. */
static bool zero_forces(struct kernel_plan *plan, struct error *error) {
    bool filled = true;
    if (plan->spec->precision == PRECISION_FIXED) {
        return fixed_point_zero(plan, error);
    }
    for (int s = 0; filled && s < plan->set_count; s++) {
        struct buffer *force = plan->driver ? plan->driver->force(plan) : plan->sets[s].result;
        filled = buffer_fill(force, 0, buffer_bytes(force), error);
    }
    return filled;
}

/* Zeroes the sums that kernels add to atomically. */
static bool clear_sums(struct kernel_plan *plan, struct error *error) {
    bool cleared = true;
    for (int p = 0; cleared && p < plan->spec->variant->pass_count; p++) {
        struct planned_pass *pass = &plan->passes[p];
        struct buffer *sums = pass->fixed_sums ? pass->fixed_sums : pass->sums;
        cleared = buffer_fill(sums, 0, buffer_bytes(sums), error);
    }
    return cleared;
}

/* Reduces the partial sums, one per group, to one number per sum. */
static bool add_groups(struct kernel_plan *plan, const struct planned_pass *pass,
                       struct error *error) {
    const struct summands summands = { sum_type_of(plan), pass->partial_sums,
                                       pass->groups / plan->sum_boxes,
                                       kernel_plan_sums_added(plan) };
    return plan->sum_method->add(plan->device, &summands,
                                 pass->fixed_sums ? pass->fixed_sums : pass->sums, error);
}

/* Zeroes the buffers that kernels add to atomically. */
bool zero_outputs(struct kernel_plan *plan, const struct stage_watch *watch, struct error *error) {
    const bool sums = plan->sum_method->in_place && plan->sum_count > 0 && !plan->skips_sums;
    const bool results =
        plan->spec->variant->accumulates || plan->spec->precision == PRECISION_FIXED;
    return (!results ||
            (stage_begins(watch, "zero", "results", error) && zero_forces(plan, error))) &&
           (!sums || (stage_begins(watch, "zero", "sums", error) && clear_sums(plan, error)));
}

static bool needs_adding(const struct kernel_plan *plan, const struct planned_pass *pass) {
    return pass->has_sums && !plan->sum_method->in_place && !plan->skips_sums;
}

bool launch_pass(struct kernel_plan *plan, int index, struct error *error) {
    struct planned_pass *pass = &plan->passes[index];
    switch (plan->spec->variant->passes[index].transform) {
    case TRANSFORM_FORWARD:
        return transform_forward(plan->transform, pass->arguments[0].buffer,
                                 pass->arguments[1].buffer, error);
    case TRANSFORM_BACKWARD:
        return transform_backward(plan->transform, pass->arguments[0].buffer,
                                  pass->arguments[1].buffer, error);
    case TRANSFORM_NONE:
        break;
    }
    return pass->is_grid ? kernel_launch_grid(pass->kernel, &pass->shape, pass->arguments,
                                              pass->argument_count, error)
                         : kernel_launch(pass->kernel, pass->groups, (size_t)plan->group_size,
                                         pass->arguments, pass->argument_count, error);
}

bool enqueue_pass(struct kernel_plan *plan, int index, const struct stage_watch *watch,
                  struct error *error) {
    const struct planned_pass *pass = &plan->passes[index];
    const char *name = plan->spec->variant->passes[index].kernel;
    if (pass->groups == 0) {
        return true;
    }
    return stage_begins(watch, "pass", name, error) && launch_pass(plan, index, error) &&
           (!needs_adding(plan, pass) ||
            (stage_begins(watch, "reduce", name, error) && add_groups(plan, pass, error))) &&
           fixed_point_write_sums(plan, pass, error);
}

/* ---- what is built: the structure, and the scratch that passes of other schedules fill ---- */

/* Binds all arguments again: a structure that grew has other buffers. */
static bool bind_anew(struct kernel_plan *plan, struct error *error) {
    plan->launches = 0;
    plan->step = plan->first_step;
    return bind_all(plan, error);
}

static bool note_positions(struct kernel_plan *plan, const struct stage_watch *watch,
                           struct error *error) {
    bool noted = !plan->sets[0].moved || stage_begins(watch, "note", "positions", error);
    for (int s = 0; noted && s < plan->set_count; s++) {
        struct moved_test *moved = plan->sets[s].moved;
        noted = !moved || moved_test_note(moved, error);
    }
    return noted;
}

bool structure_fill_kept(struct kernel_plan *plan, const struct stage_watch *watch,
                         struct error *error) {
    bool filled = bind_anew(plan, error);
    for (int p = 0; filled && p < plan->spec->variant->pass_count; p++) {
        const struct pass *pass = &plan->spec->variant->passes[p];
        filled = pass_is_step(pass) ||
                 (stage_begins(watch, "build", pass->kernel, error) && launch_pass(plan, p, error));
    }
    return filled && note_positions(plan, watch, error);
}

bool structure_build(struct kernel_plan *plan, const struct stage_watch *watch,
                     struct error *error) {
    bool built = true;
    for (int s = 0; built && s < plan->set_count; s++) {
        built = structure_chain_build(plan->sets[s].structure, watch, error);
    }
    return built && structure_fill_kept(plan, watch, error);
}

bool structure_rebuild(struct kernel_plan *plan, bool *whole, struct error *error) {
    bool built = true;
    *whole = false;
    for (int s = 0; built && s < plan->set_count; s++) {
        bool below_rebuilt;
        built = structure_chain_rebuild(plan->sets[s].structure, &below_rebuilt, error);
        *whole = *whole || below_rebuilt;
    }
    return built && structure_fill_kept(plan, NULL, error);
}

/* Boxes of several sizes have cells of their own: kernels that take them are given these. */
static bool ask_moved(const struct kernel_plan *plan, const struct particle_set *set,
                      struct buffer **expired, struct error *error) {
    struct case_arguments arguments = { .batch = { .box_begin = NULL } };
    if (plan->own && plan->box->periodic && plan->box->cells) {
        workload_buffers_fill(plan->spec->variant->workload, plan->own, &arguments);
    }
    const struct batch_arguments *batch = &arguments.batch;
    return batch->box_begin && batch->box_cells
               ? moved_test_ask_boxes(set->moved,
                                      &(struct moved_boxes){ (size_t)batch->box_count,
                                                             batch->box_begin, batch->box_cells },
                                      expired, error)
               : moved_test_ask(set->moved, expired, error);
}

/* Enqueues the question whether the structure is valid, set by set; *expired of a set is NULL where
 * it serves no places but its own. */
static bool structure_ask(struct kernel_plan *plan, struct buffer *expired[MAX_SETS],
                          struct error *error) {
    const bool by_moves = variant_rebuilds_when_moved(plan->spec->variant);
    bool asked = true;
    for (int s = 0; asked && s < plan->set_count; s++) {
        const struct particle_set *set = &plan->sets[s];
        asked = by_moves ? ask_moved(plan, set, &expired[s], error)
                         : structure_chain_ask(set->structure, &expired[s], error);
    }
    return asked;
}

/* Builds what has expired, without asking whether it has. */
static bool structure_replace(struct kernel_plan *plan, struct error *error) {
    bool whole;
    return variant_rebuilds_when_moved(plan->spec->variant)
               ? structure_build(plan, NULL, error)
               : structure_rebuild(plan, &whole, error);
}

bool structure_renew(struct kernel_plan *plan, bool *rebuilt, struct error *error) {
    struct buffer *expired[MAX_SETS];
    *rebuilt = false;
    if (!structure_ask(plan, expired, error)) {
        return false;
    }
    for (int s = 0; s < plan->set_count; s++) {
        bool of_set = true;
        if (expired[s] && !structure_answer(expired[s], &of_set, error)) {
            return false;
        }
        *rebuilt = *rebuilt || of_set;
    }
    return !*rebuilt || structure_replace(plan, error);
}

/* ---- parts of a launch ---- */

/* Callers that make a launch themselves use these: the judge of launches, and the library, whose
 * results go to arrays of a program. */

bool kernel_plan_fill_own_outputs(struct kernel_plan *plan, unsigned char value,
                                  struct error *error) {
    const struct workload_outputs *outputs = plan_outputs(plan);
    return !outputs || outputs->fill(plan->own, value, error);
}

/* Such a kernel is given the count alone, so that it can do no more than zero it. */
bool kernel_plan_begins_count(const struct kernel_plan *plan) {
    const struct pass *first = &plan->spec->variant->passes[0];
    return plan->passes[0].groups > 0 && strcmp(first->unit, "coo") == 0 &&
           first->argument_count == 1 && strcmp(first->arguments[0], "pair_count") == 0;
}

bool kernel_plan_build_and_launch(struct kernel_plan *plan, struct error *error) {
    bool launched = structure_build(plan, NULL, error);
    for (int p = kernel_plan_begins_count(plan); launched && p < plan->spec->variant->pass_count;
         p++) {
        launched = enqueue_pass(plan, p, NULL, error);
    }
    return launched;
}

void kernel_plan_skip_sums(struct kernel_plan *plan, bool skip) {
    plan->skips_sums = skip;
}

/* A launch of time steps begins with a structure of its own. */
bool kernel_plan_has_skin(const struct kernel_plan *plan) {
    return !plan_has_steps(plan) && !plan_builds_in_launch(plan) &&
           (variant_rebuilds_when_moved(plan->spec->variant) ||
            structure_chain_has_skin(plan->sets[0].structure));
}

struct places_of_build kernel_plan_kept(const struct kernel_plan *plan, int set) {
    const struct particle_set *particles = &plan->sets[set];
    if (plan->driver || plan_outputs(plan) || !kernel_plan_has_skin(plan)) {
        return (struct places_of_build){ .position = NULL };
    }
    return variant_rebuilds_when_moved(plan->spec->variant)
               ? moved_test_kept(particles->moved)
               : structure_chain_kept(particles->structure);
}

bool kernel_plan_replace(struct kernel_plan *plan, struct error *error) {
    return structure_replace(plan, error);
}

/* Draws bind their passes at each launch. */
bool kernel_plan_redirect_results(struct kernel_plan *plan, struct buffer *theirs,
                                  struct error *error) {
    struct particle_set *set = &plan->sets[0];
    if (plan->own_result) {
        buffer_free(set->result);
        set->result = plan->own_result;
        plan->own_result = NULL;
    }
    if (theirs) {
        plan->own_result = set->result;
        set->result = theirs;
    }
    return !plan_has_particles(plan) || bind_all(plan, error);
}

void kernel_plan_draw_from(struct kernel_plan *plan, uint64_t seed, uint64_t first_step) {
    plan->seed = seed;
    if (!generator_has_streams(plan->spec->variant->generator)) {
        plan->first_step = first_step;
        plan->launches = 0;
    }
}
