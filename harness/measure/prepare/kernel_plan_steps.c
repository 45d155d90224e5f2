/* Time steps: their state, and what a launch begins with. kernel_plan_runs.c walks them. */
#include "measure/prepare/kernel_plan_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the state on the host ---- */

/* The members' velocities and one over their masses as the device takes them: n accum4. */
static bool write_velocities(struct kernel_plan *plan, const struct box *box, struct error *error) {
    const size_t n = plan->sets[0].n;
    const size_t bytes = 4 * n * kernel_plan_accum_size(plan);
    void *staged = calloc(1, bytes + 1); /* of no particles, too */
    double squares = 0;
    if (!staged) {
        return fail_out_of_memory(error, "the velocities");
    }
    for (size_t k = 0; k < 4 * n; k++) {
        const size_t i = k / 4;
        const double value = k % 4 < 3 ? (box->velocity ? box->velocity[3 * i + k % 4] : 0)
                                       : 1 / (box->mass ? box->mass[i] : 1);
        squares += k % 4 < 3 ? value * value : 0;
        if (plan->accum_is_double) {
            ((double *)staged)[k] = value;
        } else {
            ((float *)staged)[k] = (float)value;
        }
    }
    const bool written = buffer_write(plan->steps.start_velocity, 0, staged, bytes, error);
    plan->steps.start_speed = n > 0 ? sqrt(squares / (double)n) : 0;
    free(staged);
    return written;
}

/* No crossings, and the types. */
static bool write_types(struct kernel_plan *plan, struct error *error) {
    const size_t n = plan->sets[0].n;
    int32_t *staged = calloc(4 * n + 1, sizeof *staged); /* of no particles, too */
    if (!staged) {
        return fail_out_of_memory(error, "the types");
    }
    for (size_t i = 0; i < n; i++) {
        staged[4 * i + 3] = plan->box->type[i];
    }
    const bool written =
        buffer_write(plan->steps.start_crossing, 0, staged, 4 * n * sizeof *staged, error);
    free(staged);
    return written;
}

static bool write_positions(struct kernel_plan *plan, const struct box *box, struct error *error) {
    const size_t bytes = buffer_bytes(plan->steps.start_position);
    void *staged = malloc(bytes);
    if (!staged) {
        return fail_out_of_memory(error, "the positions");
    }
    set_stage_positions(plan, &plan->sets[0], box, staged);
    const bool written = buffer_write(plan->steps.start_position, 0, staged, bytes, error);
    free(staged);
    return written;
}

static bool move_to(struct kernel_plan *plan, const struct box *box, struct error *error) {
    const struct member_order order = plan->sets[0].order;
    plan->steps.is_ready = false;
    plan->sets[0].order = (struct member_order){ 0 }; /* the start is by member */
    const bool written = write_positions(plan, box, error);
    plan->sets[0].order = order;
    return written;
}

bool steps_move(struct kernel_plan *plan, const struct box *moved, struct error *error) {
    plan->steps.is_moved = true;
    return move_to(plan, moved, error);
}

bool steps_move_back(struct kernel_plan *plan, struct error *error) {
    plan->steps.is_moved = false;
    return move_to(plan, plan->box, error);
}

/* ---- making ---- */

/* As variants/step.cl has it. */
static bool write_field(struct kernel_plan *plan, struct error *error) {
    const struct step_field *field = &plan->spec->step.field;
    double wide[OFFERED_FIELD] = { 0 };
    float narrow[OFFERED_FIELD];
    for (int d = 0; d < 3; d++) {
        const struct step_wall *wall = &field->wall[d];
        wide[d] = field->per_charge[d];
        wide[3 + d] = field->per_mass[d];
        wide[6 + 3 * d] = wall->present ? wall->strength : 0;
        wide[7 + 3 * d] = wall->low;
        wide[8 + 3 * d] = wall->high;
    }
    for (int k = 0; k < OFFERED_FIELD; k++) {
        narrow[k] = (float)wide[k];
    }
    const size_t bytes = OFFERED_FIELD * kernel_plan_accum_size(plan);
    return buffer_allocate(plan->device, bytes, &plan->steps.field, error) &&
           buffer_write(plan->steps.field, 0,
                        plan->accum_is_double ? (const void *)wide : (const void *)narrow, bytes,
                        error);
}

static bool takes_argument(const struct variant *variant, const char *name) {
    for (int p = 0; p < variant->pass_count; p++) {
        for (int a = 0; a < variant->passes[p].argument_count; a++) {
            if (strcmp(variant->passes[p].arguments[a], name) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* Whether the kernels are given what counts crossings, and asked to. */
static bool counts_crossings(const struct kernel_plan *plan) {
    return takes_argument(plan->spec->variant, "crossing") &&
           tunings_value(&plan->spec->tunings, "COUNT_CROSSINGS", 1) != 0;
}

/* The same of faces. */
static bool counts_faces(const struct kernel_plan *plan) {
    return takes_argument(plan->spec->variant, "face_sums") && plan->box->periodic &&
           tunings_value(&plan->spec->tunings, "COUNT_CROSSINGS", 1) == COUNT_FACES;
}

/* A power of two of units per momentum, where faces are counted. No particle may move by more than
 * a height of the cell in a step. */
static bool find_face_scale(struct kernel_plan *plan, struct error *error) {
    const struct box *box = plan->box;
    const struct device_info *info = device_describe(plan->device);
    double height[3];
    double heaviest = 0;
    int exponent;
    if (!counts_faces(plan)) {
        return true;
    }
    if (!info->atomics64) {
        return fail(error, STATUS_UNSUPPORTED,
                    "COUNT_CROSSINGS=2: %s has no 64-bit atomics (cl_khr_int64_base_atomics)",
                    info->name);
    }
    for (size_t i = 0; i < box->n; i++) {
        heaviest = fmax(heaviest, box_mass(box, i));
    }
    cell_heights(&box->cell, height);
    (void)frexp(2 * heaviest * fmax(height[0], fmax(height[1], height[2])) / plan->spec->step.dt,
                &exponent);
    plan->steps.face_scale = ldexp(1, FACE_BITS - exponent);
    return true;
}

/* The molecules that settle keeps rigid, and their sides. */
static bool find_molecules(struct kernel_plan *plan, struct error *error) {
    struct plan_steps *steps = &plan->steps;
    const struct step_rules *rules = &plan->spec->step;
    const double wide[2] = { rules->oh, rules->hh };
    const float narrow[2] = { (float)rules->oh, (float)rules->hh };
    const size_t bytes = 2 * kernel_plan_accum_size(plan);
    if (rules->integrator == INTEGRATOR_SETTLE &&
        !rigid_molecules_find(plan->box, rules, &steps->molecules, error)) {
        return false;
    }
    return buffer_allocate(plan->device, 4 * (steps->molecules.count + 1) * sizeof(int32_t),
                           &steps->water_atoms, error) &&
           buffer_allocate(plan->device, bytes, &steps->water_sides, error) &&
           buffer_write(steps->water_sides, 0,
                        plan->accum_is_double ? (const void *)wide : (const void *)narrow, bytes,
                        error);
}

/* Where their particles are in the order of now. */
static bool place_molecules(struct kernel_plan *plan, struct error *error) {
    const struct plan_steps *steps = &plan->steps;
    const struct particle_set *set = &plan->sets[0];
    const size_t numbers = 4 * steps->molecules.count;
    if (numbers == 0) {
        return true;
    }
    int32_t *place = malloc(numbers * sizeof *place);
    if (!place) {
        return fail_out_of_memory(error, "the molecules of a box");
    }
    for (size_t k = 0; k < numbers; k++) {
        const int32_t atom = steps->molecules.atom[k];
        place[k] = k % 4 == 3 || atom < 0
                       ? atom
                       : (int32_t)place_of_member(&set->order, set->n, (size_t)atom);
    }
    const bool written = buffer_write(steps->water_atoms, 0, place, numbers * sizeof *place, error);
    free(place);
    return written;
}

static size_t face_numbers(const struct kernel_plan *plan) {
    return plan->steps.face_scale > 0 ? FACE_NUMBERS * (size_t)plan->box->types : 1;
}

static bool allocate(struct kernel_plan *plan, struct error *error) {
    struct plan_steps *steps = &plan->steps;
    const size_t n = plan->sets[0].n;
    const size_t reals = 4 * n * kernel_plan_real_size(plan);
    const size_t accums = 4 * n * kernel_plan_accum_size(plan);
    return buffer_allocate(plan->device, reals, &steps->start_position, error) &&
           buffer_allocate(plan->device, reals, &steps->start_rest, error) &&
           buffer_allocate(plan->device, accums, &steps->start_velocity, error) &&
           buffer_allocate(plan->device, 4 * n * sizeof(int32_t), &steps->start_crossing, error) &&
           buffer_allocate(plan->device, reals, &steps->position_rest, error) &&
           buffer_allocate(plan->device, accums, &steps->velocity, error) &&
           buffer_allocate(plan->device, 4 * n * sizeof(int32_t), &steps->crossing, error) &&
           buffer_allocate(plan->device, accums, &steps->force, error) &&
           buffer_allocate(plan->device, n * sizeof(int32_t), &steps->index, error) &&
           buffer_allocate(plan->device, OFFERED_TOTALS * kernel_plan_accum_size(plan),
                           &steps->totals, error) &&
           buffer_allocate(plan->device, OFFERED_THERMOSTAT * kernel_plan_accum_size(plan),
                           &steps->thermostat, error) &&
           find_face_scale(plan, error) &&
           buffer_allocate(plan->device, face_numbers(plan) * sizeof(int64_t), &steps->face_sums,
                           error) &&
           write_types(plan, error) && write_field(plan, error) &&
           buffer_fill(steps->start_rest, 0, reals, error) &&
           buffer_fill(steps->force, 0, accums, error) && write_positions(plan, plan->box, error) &&
           write_velocities(plan, plan->box, error);
}

bool steps_compile_quiet(struct kernel_plan *plan, struct error *error) {
    struct case_spec quiet = *plan->spec;
    quiet.outputs = OUTPUTS_FORCES;
    return !plan_has_steps(plan) || plan->spec->outputs == OUTPUTS_FORCES ||
           compile_case(plan, &quiet, &plan->steps.quiet, error);
}

bool steps_create(struct kernel_plan *plan, struct error *error) {
    struct plan_steps *steps = &plan->steps;
    if (!plan_has_steps(plan)) {
        return true;
    }
    return allocate(plan, error) && find_molecules(plan, error) && runs_create(plan, error) &&
           step_parameters_create(plan, error) &&
           (!plan->spec->exchange.by_hilbert ||
            exchange_create(plan->device, plan->box, &plan->spec->interaction,
                            plan->spec->precision, &steps->exchange, error)) &&
           program_kernel(plan->program, "step_place_state", &steps->place_state, error) &&
           program_kernel(plan->program, "step_write_displacement", &steps->tell_displacement,
                          error) &&
           motion_tools_create(plan, error);
}

bool steps_prepare_pass(struct kernel_plan *plan, int index, struct error *error) {
    struct plan_steps *steps = &plan->steps;
    steps->quiet_kernels[index] = plan->passes[index].kernel;
    return !steps->quiet || program_kernel(steps->quiet, plan->spec->variant->passes[index].kernel,
                                           &steps->quiet_kernels[index], error);
}

void steps_free(struct kernel_plan *plan) {
    struct plan_steps *steps = &plan->steps;
    runs_free(plan);
    motion_tools_free(plan);
    exchange_free(steps->exchange);
    rigid_molecules_free(&steps->molecules);
    buffer_free(steps->water_atoms);
    buffer_free(steps->water_sides);
    buffer_free(steps->start_position);
    buffer_free(steps->start_rest);
    buffer_free(steps->start_velocity);
    buffer_free(steps->start_crossing);
    buffer_free(steps->parameters);
    buffer_free(steps->face_sums);
    buffer_free(steps->position_rest);
    buffer_free(steps->velocity);
    buffer_free(steps->crossing);
    buffer_free(steps->force);
    buffer_free(steps->index);
    buffer_free(steps->totals);
    buffer_free(steps->thermostat);
    buffer_free(steps->field);
    program_free(steps->quiet);
}

/* ---- a launch ---- */

static bool launch_tool(const struct kernel_plan *plan, struct kernel *kernel,
                        const struct argument *arguments, size_t count, struct error *error) {
    const size_t group = (size_t)plan->group_size;
    return kernel_launch(kernel, (plan->sets[0].n + group - 1) / group, group, arguments, count,
                         error);
}

static bool place_state(struct kernel_plan *plan, struct error *error) {
    const struct plan_steps *steps = &plan->steps;
    const struct particle_set *set = &plan->sets[0];
    const struct argument arguments[] = { argument_int((int32_t)set->n),
                                          argument_int((int32_t)set->order.shift),
                                          argument_int((int32_t)order_stride(&set->order)),
                                          argument_buffer(steps->start_position),
                                          argument_buffer(steps->start_rest),
                                          argument_buffer(steps->start_velocity),
                                          argument_buffer(steps->start_crossing),
                                          argument_buffer(set->position),
                                          argument_buffer(steps->position_rest),
                                          argument_buffer(steps->velocity),
                                          argument_buffer(steps->crossing),
                                          argument_buffer(steps->index) };
    return launch_tool(plan, steps->place_state, arguments, sizeof arguments / sizeof arguments[0],
                       error);
}

static bool tell_displacement(struct kernel_plan *plan, struct error *error) {
    const struct plan_steps *steps = &plan->steps;
    const struct particle_set *set = &plan->sets[0];
    const struct argument arguments[] = { argument_int((int32_t)set->n),
                                          argument_int((int32_t)set->order.shift),
                                          argument_int((int32_t)order_stride(&set->order)),
                                          argument_int((int32_t)order_back(&set->order)),
                                          argument_int(counts_crossings(plan)),
                                          argument_int(steps->exchange != NULL),
                                          bindings_box(&plan->box->cell, plan->box->periodic,
                                                       plan->real_is_double),
                                          argument_buffer(steps->start_position),
                                          argument_buffer(steps->start_rest),
                                          argument_buffer(set->position),
                                          argument_buffer(steps->position_rest),
                                          argument_buffer(steps->crossing),
                                          argument_buffer(steps->index),
                                          argument_buffer(set->result) };
    return launch_tool(plan, steps->tell_displacement, arguments,
                       sizeof arguments / sizeof arguments[0], error);
}

/* What a thermostat has at the start. */
static bool write_thermostat(struct kernel_plan *plan, struct error *error) {
    const struct plan_steps *steps = &plan->steps;
    float narrow[OFFERED_THERMOSTAT];
    bool any = false;
    for (int k = 0; k < OFFERED_THERMOSTAT; k++) {
        narrow[k] = (float)steps->start_thermostat[k];
        any = any || steps->start_thermostat[k] != 0;
    }
    return any ? buffer_write(steps->thermostat, 0,
                              plan->accum_is_double ? (const void *)steps->start_thermostat
                                                    : (const void *)narrow,
                              buffer_bytes(steps->thermostat), error)
               : buffer_fill(steps->thermostat, 0, buffer_bytes(steps->thermostat), error);
}

/* The forces of the start are computed outside of the time of a launch, from positions alone: what
 * an earlier launch has left in their place, or in @scratch, could help them. */
static bool forget_forces(struct kernel_plan *plan, struct error *error) {
    enum { NAN_BYTE = 0xFF };
    struct buffer *force = plan->steps.force;
    return buffer_fill(force, NAN_BYTE, buffer_bytes(force), error);
}

bool steps_begin(struct kernel_plan *plan, const struct stage_watch *watch, struct error *error) {
    plan->steps.is_ready = true;
    plan->steps.step = (int64_t)plan->steps.start_step;
    struct buffer *face_sums = plan->steps.face_sums;
    return place_molecules(plan, error) && place_state(plan, error) &&
           buffer_fill(face_sums, 0, buffer_bytes(face_sums), error) &&
           steps_exchange(plan, error) && write_thermostat(plan, error) &&
           motion_find_speed(plan, error) && forget_forces(plan, error) &&
           scratch_poison_again(plan, error) && runs_begin(plan, watch, error) &&
           runs_enqueue_forces(plan, false, error) && scratch_poison_again(plan, error);
}

bool steps_ready(struct kernel_plan *plan, struct error *error) {
    return plan->steps.is_ready ||
           (kernel_plan_forget(plan, error) && steps_begin(plan, NULL, error));
}

bool steps_enqueue(struct kernel_plan *plan, const struct stage_watch *watch, struct error *error) {
    return steps_ready(plan, error) &&
           runs_enqueue(plan, plan->spec->step.steps, plan->sum_count > 0, watch, error) &&
           stage_begins(watch, "tell", "displacement", error) && tell_displacement(plan, error);
}

/* ---- simulations ---- */

/* What a float does not hold of a number. Rounded in memory: GCC 12 at -O3 took what it rounded in
 * pairs for what had not been, and left no rest. */
static double rest_of(double value) {
    volatile float rounded = (float)value;
    return value - (double)rounded;
}

static void set_real(const struct kernel_plan *plan, void *numbers, size_t at, double value) {
    if (plan->real_is_double) {
        ((double *)numbers)[at] = value;
    } else {
        ((float *)numbers)[at] = (float)value;
    }
}

static double real_at(const struct kernel_plan *plan, const void *numbers, size_t at) {
    return plan->real_is_double ? ((const double *)numbers)[at]
                                : (double)((const float *)numbers)[at];
}

static double accum_at(const struct kernel_plan *plan, const void *numbers, size_t at) {
    return plan->accum_is_double ? ((const double *)numbers)[at]
                                 : (double)((const float *)numbers)[at];
}

/* Positions and what their type does not hold of them; under float and double, nothing is kept of
 * that. */
static bool write_places(struct kernel_plan *plan, const double *position, struct error *error) {
    const size_t n = plan->sets[0].n;
    const size_t bytes = buffer_bytes(plan->steps.start_position);
    const bool has_rest = plan->real_is_double != plan->accum_is_double;
    void *places = calloc(1, bytes);
    void *rests = calloc(1, bytes);
    for (size_t i = 0; places && rests && i < n; i++) {
        for (size_t k = 0; k < 3; k++) {
            const double whole = position[3 * i + k];
            set_real(plan, places, 4 * i + k, whole);
            set_real(plan, rests, 4 * i + k, has_rest ? rest_of(whole) : 0);
        }
        set_real(plan, places, 4 * i + 3, plan->box->charge[i]);
    }
    const bool written = places && rests
                             ? buffer_write(plan->steps.start_position, 0, places, bytes, error) &&
                                   buffer_write(plan->steps.start_rest, 0, rests, bytes, error)
                             : fail_out_of_memory(error, "the positions");
    free(places);
    free(rests);
    return written;
}

void steps_set_start(struct kernel_plan *plan, const struct thermostat_state *thermostat,
                     uint64_t step) {
    struct plan_steps *steps = &plan->steps;
    steps->is_ready = false;
    steps->start_step = step;
    steps->start_speed = kernel_plan_goes_on(plan) ? NAN : steps->start_speed;
    for (int k = 0; k < STEP_MAX_CHAIN; k++) {
        steps->start_thermostat[k] = thermostat->position[k];
        steps->start_thermostat[STEP_MAX_CHAIN + k] = thermostat->velocity[k];
    }
    steps->start_thermostat[2 * STEP_MAX_CHAIN] = thermostat->heat;
}

bool kernel_plan_write_motion(struct kernel_plan *plan, const struct plan_motion *motion,
                              struct error *error) {
    struct box moving = *plan->box; /* but for its velocities */
    moving.velocity = motion->velocity;
    if (!write_places(plan, motion->position, error) || !write_velocities(plan, &moving, error) ||
        !write_types(plan, error)) {
        return false;
    }
    steps_set_start(plan, &motion->thermostat, motion->step);
    return true;
}

bool kernel_plan_advance(struct kernel_plan *plan, uint64_t steps, struct error *error) {
    return steps_ready(plan, error) &&
           (steps > 0 ? runs_enqueue(plan, steps, plan->sum_count > 0, NULL, error)
                      : runs_enqueue_forces(plan, plan->sum_count > 0, error));
}

bool kernel_plan_read_thermostat(const struct kernel_plan *plan,
                                 struct thermostat_state *thermostat, uint64_t *step,
                                 struct error *error) {
    *step = (uint64_t)plan->steps.step;
    return device_finish(plan->device, error) && steps_read_thermostat(plan, thermostat, error);
}

bool kernel_plan_read_faces(struct kernel_plan *plan, uint64_t *count, double *momentum,
                            struct error *error) {
    return device_finish(plan->device, error) && steps_read_faces(plan, count, momentum, error);
}

bool kernel_plan_counts_faces(const struct kernel_plan *plan) {
    return plan->steps.face_scale > 0;
}

bool steps_read_thermostat(const struct kernel_plan *plan, struct thermostat_state *thermostat,
                           struct error *error) {
    double numbers[OFFERED_THERMOSTAT];
    if (!buffer_read(plan->steps.thermostat, 0, numbers, buffer_bytes(plan->steps.thermostat),
                     error)) {
        return false;
    }
    for (size_t k = 0; k < STEP_MAX_CHAIN; k++) {
        thermostat->position[k] = accum_at(plan, numbers, k);
        thermostat->velocity[k] = accum_at(plan, numbers, STEP_MAX_CHAIN + k);
    }
    thermostat->heat = accum_at(plan, numbers, (size_t)2 * STEP_MAX_CHAIN);
    return true;
}

void steps_tell_faces(const struct kernel_plan *plan, const int64_t *sums, uint64_t *count,
                      double *momentum) {
    const uint64_t most = UINT64_C(1) << (63 - FACE_BITS); /* of them fit a sum, whatever each is */
    for (size_t f = 0; f < STEP_FACES * (size_t)plan->box->types; f++) {
        const int64_t *of_type = sums + f / STEP_FACES * FACE_NUMBERS;
        count[f] = (uint64_t)of_type[f % STEP_FACES];
        momentum[f] = count[f] < most
                          ? (double)of_type[STEP_FACES + f % STEP_FACES] / plan->steps.face_scale
                          : NAN;
    }
}

bool steps_read_faces(const struct kernel_plan *plan, uint64_t *count, double *momentum,
                      struct error *error) {
    const size_t bytes = buffer_bytes(plan->steps.face_sums);
    int64_t *sums = malloc(bytes);
    const bool read = sums ? buffer_read(plan->steps.face_sums, 0, sums, bytes, error)
                           : fail_out_of_memory(error, "the sums at faces");
    if (read) {
        steps_tell_faces(plan, sums, count, momentum);
    }
    free(sums);
    return read;
}

bool steps_read_index(const struct kernel_plan *plan, int32_t **index, struct error *error) {
    const struct particle_set *set = &plan->sets[0];
    const size_t bytes = set->n * sizeof **index;
    *index = calloc(set->n, sizeof **index);
    if (!*index) {
        return fail_out_of_memory(error, "the numbers of particles");
    }
    bool read = !plan->steps.exchange || buffer_read(plan->steps.index, 0, *index, bytes, error);
    for (size_t place = 0; read && place < set->n; place++) {
        if (!plan->steps.exchange) {
            (*index)[place] = (int32_t)set_member(set, place);
        }
        read = ((*index)[place] >= 0 && (size_t)(*index)[place] < set->n) ||
               fail(error, STATUS_WRONG, "a kernel has written to the numbers of particles");
    }
    if (!read) {
        free(*index);
        *index = NULL;
    }
    return read;
}

/* 3 numbers per particle of a buffer of 4, accum or real; `index` is by place. */
static bool read_vectors(const struct kernel_plan *plan, const struct buffer *buffer, bool is_accum,
                         bool adds, const int32_t *index, double *vectors, struct error *error) {
    const size_t n = plan->sets[0].n;
    void *read = malloc(buffer_bytes(buffer));
    if (!read) {
        return fail_out_of_memory(error, "the state");
    }
    const bool good = buffer_read(buffer, 0, read, buffer_bytes(buffer), error);
    for (size_t k = 0; good && k < 3 * n; k++) {
        const size_t at = 4 * (k / 3) + k % 3;
        const double value = is_accum ? accum_at(plan, read, at) : real_at(plan, read, at);
        double *to = &vectors[3 * (size_t)index[k / 3] + k % 3];
        *to = adds ? *to + value : value;
    }
    free(read);
    return good;
}

static bool read_crossings(const struct kernel_plan *plan, const int32_t *index, int32_t *crossing,
                           struct error *error) {
    const struct buffer *buffer = plan->steps.crossing;
    int32_t *read = malloc(buffer_bytes(buffer));
    if (!read) {
        return fail_out_of_memory(error, "the state");
    }
    const bool good = buffer_read(buffer, 0, read, buffer_bytes(buffer), error);
    for (size_t k = 0; good && k < 3 * plan->sets[0].n; k++) {
        crossing[3 * (size_t)index[k / 3] + k % 3] = read[4 * (k / 3) + k % 3];
    }
    free(read);
    return good;
}

bool kernel_plan_read_motion(struct kernel_plan *plan, struct plan_motion *motion,
                             struct error *error) {
    const struct plan_steps *steps = &plan->steps;
    const bool has_rest = plan->real_is_double != plan->accum_is_double;
    int32_t *index = NULL;
    motion->step = (uint64_t)steps->step;
    const bool good =
        device_finish(plan->device, error) && steps_read_index(plan, &index, error) &&
        read_vectors(plan, plan->sets[0].position, false, false, index, motion->position, error) &&
        (!has_rest ||
         read_vectors(plan, steps->position_rest, false, true, index, motion->position, error)) &&
        read_vectors(plan, steps->velocity, true, false, index, motion->velocity, error) &&
        (!motion->force ||
         read_vectors(plan, steps->force, true, false, index, motion->force, error)) &&
        read_crossings(plan, index, motion->crossing, error) &&
        steps_read_thermostat(plan, &motion->thermostat, error);
    free(index);
    return good;
}

bool kernel_plan_keep_motion(struct kernel_plan *plan, bool told, struct error *error) {
    struct plan_steps *steps = &plan->steps;
    const struct particle_set *set = &plan->sets[0];
    const struct argument arguments[] = {
        argument_int((int32_t)set->n),         argument_int(told),
        argument_buffer(steps->index),         argument_buffer(set->position),
        argument_buffer(steps->position_rest), argument_buffer(steps->velocity),
        argument_buffer(steps->crossing),      argument_buffer(steps->start_position),
        argument_buffer(steps->start_rest),    argument_buffer(steps->start_velocity),
        argument_buffer(steps->start_crossing)
    };
    struct thermostat_state thermostat;
    const size_t group = (size_t)plan->group_size;
    if (!kernel_launch(steps->keep_state, (set->n + group - 1) / group, group, arguments,
                       sizeof arguments / sizeof arguments[0], error) ||
        !steps_read_thermostat(plan, &thermostat, error)) {
        return false;
    }
    steps_set_start(plan, &thermostat, (uint64_t)steps->step);
    return true;
}
