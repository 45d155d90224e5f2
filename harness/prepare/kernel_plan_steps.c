/* Time steps: their state, and what a launch begins with. kernel_plan_runs.c walks them. */
#include "prepare/kernel_plan_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- the state on the host ---- */

/* The members' velocities and one over their masses as the device takes them: n accum4. */
static bool write_velocities(struct kernel_plan *plan, const struct box *box, struct error *error) {
    const size_t n = plan->sets[0].n;
    const size_t bytes = 4 * n * kernel_plan_accum_size(plan);
    void *staged = malloc(bytes);
    if (!staged) {
        return fail_out_of_memory(error, "the velocities");
    }
    for (size_t k = 0; k < 4 * n; k++) {
        const size_t i = k / 4;
        const double value = k % 4 < 3 ? (box->velocity ? box->velocity[3 * i + k % 4] : 0)
                                       : 1 / (box->mass ? box->mass[i] : 1);
        if (plan->accum_is_double) {
            ((double *)staged)[k] = value;
        } else {
            ((float *)staged)[k] = (float)value;
        }
    }
    const bool written = buffer_write(plan->steps.start_velocity, 0, staged, bytes, error);
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
    plan->sets[0].order = (struct member_order){ 0, false }; /* the start is by member */
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

double steps_freedom(const struct kernel_plan *plan) {
    const struct step_rules *rules = &plan->spec->step;
    const double n = (double)plan->box->n;
    const bool momentum_stays = rules->integrator != INTEGRATOR_LANGEVIN &&
                                !step_field_is_there(&rules->field) && plan->box->n > 1;
    return momentum_stays ? 3 * n - 3 : 3 * n;
}

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

static bool allocate(struct kernel_plan *plan, struct error *error) {
    struct plan_steps *steps = &plan->steps;
    const size_t n = plan->sets[0].n;
    const size_t reals = 4 * n * kernel_plan_real_size(plan);
    const size_t accums = 4 * n * kernel_plan_accum_size(plan);
    return buffer_allocate(plan->device, reals, &steps->start_position, error) &&
           buffer_allocate(plan->device, reals, &steps->start_rest, error) &&
           buffer_allocate(plan->device, accums, &steps->start_velocity, error) &&
           buffer_allocate(plan->device, reals, &steps->position_rest, error) &&
           buffer_allocate(plan->device, accums, &steps->velocity, error) &&
           buffer_allocate(plan->device, 4 * n * sizeof(int32_t), &steps->crossing, error) &&
           buffer_allocate(plan->device, accums, &steps->force, error) &&
           buffer_allocate(plan->device, n * sizeof(int32_t), &steps->index, error) &&
           buffer_allocate(plan->device, OFFERED_TOTALS * kernel_plan_accum_size(plan),
                           &steps->totals, error) &&
           buffer_allocate(plan->device, OFFERED_BATH * kernel_plan_accum_size(plan), &steps->bath,
                           error) &&
           write_field(plan, error) && buffer_fill(steps->start_rest, 0, reals, error) &&
           buffer_fill(steps->force, 0, accums, error) && write_positions(plan, plan->box, error) &&
           write_velocities(plan, plan->box, error);
}

/* Where energies are asked for, the steps that nobody asks are compiled without. */
static bool compile_quiet(struct kernel_plan *plan, struct error *error) {
    struct case_spec quiet = *plan->spec;
    quiet.outputs = OUTPUTS_FORCES;
    return plan->spec->outputs == OUTPUTS_FORCES ||
           compile_case(plan, &quiet, &plan->steps.quiet, error);
}

bool steps_create(struct kernel_plan *plan, struct error *error) {
    struct plan_steps *steps = &plan->steps;
    if (!plan_has_steps(plan)) {
        return true;
    }
    return allocate(plan, error) && runs_create(plan, error) && compile_quiet(plan, error) &&
           program_kernel(plan->program, "step_place_state", &steps->place_state, error) &&
           program_kernel(plan->program, "step_tell_displacement", &steps->tell_displacement,
                          error);
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
    buffer_free(steps->start_position);
    buffer_free(steps->start_rest);
    buffer_free(steps->start_velocity);
    buffer_free(steps->position_rest);
    buffer_free(steps->velocity);
    buffer_free(steps->crossing);
    buffer_free(steps->force);
    buffer_free(steps->index);
    buffer_free(steps->totals);
    buffer_free(steps->bath);
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
    const struct argument arguments[] = {
        argument_int((int32_t)set->n),      argument_int((int32_t)set->order.shift),
        argument_int(set->order.reversed),  argument_buffer(steps->start_position),
        argument_buffer(steps->start_rest), argument_buffer(steps->start_velocity),
        argument_buffer(set->position),     argument_buffer(steps->position_rest),
        argument_buffer(steps->velocity),   argument_buffer(steps->crossing),
        argument_buffer(steps->index)
    };
    return launch_tool(plan, steps->place_state, arguments, sizeof arguments / sizeof arguments[0],
                       error);
}

/* Whether the kernels are given what counts crossings, and asked to. */
static bool counts_crossings(const struct kernel_plan *plan) {
    const struct variant *variant = plan->spec->variant;
    for (int p = 0; p < variant->pass_count; p++) {
        for (int a = 0; a < variant->passes[p].argument_count; a++) {
            if (strcmp(variant->passes[p].arguments[a], "crossing") == 0) {
                return tunings_value(&plan->spec->tunings, "COUNT_CROSSINGS", 1) != 0;
            }
        }
    }
    return false;
}

static bool tell_displacement(struct kernel_plan *plan, struct error *error) {
    const struct plan_steps *steps = &plan->steps;
    const struct particle_set *set = &plan->sets[0];
    const struct argument arguments[] = { argument_int((int32_t)set->n),
                                          argument_int((int32_t)set->order.shift),
                                          argument_int(set->order.reversed),
                                          argument_int(counts_crossings(plan)),
                                          bindings_box(&plan->box->cell, plan->box->periodic,
                                                       plan->real_is_double),
                                          argument_buffer(steps->start_position),
                                          argument_buffer(steps->start_rest),
                                          argument_buffer(set->position),
                                          argument_buffer(steps->position_rest),
                                          argument_buffer(steps->crossing),
                                          argument_buffer(set->result) };
    return launch_tool(plan, steps->tell_displacement, arguments,
                       sizeof arguments / sizeof arguments[0], error);
}

/* What a thermostat has at the start. */
static bool write_bath(struct kernel_plan *plan, struct error *error) {
    const struct plan_steps *steps = &plan->steps;
    float narrow[OFFERED_BATH];
    bool any = false;
    for (int k = 0; k < OFFERED_BATH; k++) {
        narrow[k] = (float)steps->start_bath[k];
        any = any || steps->start_bath[k] != 0;
    }
    return any ? buffer_write(steps->bath, 0,
                              plan->accum_is_double ? (const void *)steps->start_bath
                                                    : (const void *)narrow,
                              buffer_bytes(steps->bath), error)
               : buffer_fill(steps->bath, 0, buffer_bytes(steps->bath), error);
}

bool steps_begin(struct kernel_plan *plan, const struct stage_watch *watch, struct error *error) {
    plan->steps.is_ready = true;
    plan->steps.step = (int64_t)plan->steps.start_step;
    return place_state(plan, error) && write_bath(plan, error) && runs_build(plan, watch, error) &&
           runs_enqueue_forces(plan, false, error);
}

bool steps_enqueue(struct kernel_plan *plan, const struct stage_watch *watch, struct error *error) {
    return kernel_plan_ready(plan, error) &&
           runs_enqueue(plan, plan->spec->step.steps, plan->sum_count > 0, watch, error) &&
           stage_begins(watch, "tell", "displacement", error) && tell_displacement(plan, error);
}

/* ---- simulations ---- */

/* What a number is in the type of positions. */
static double rounded(const struct kernel_plan *plan, double value) {
    return plan->real_is_double ? value : (double)(float)value;
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
            set_real(plan, rests, 4 * i + k, has_rest ? whole - rounded(plan, whole) : 0);
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

bool kernel_plan_write_motion(struct kernel_plan *plan, const struct plan_motion *motion,
                              struct error *error) {
    struct plan_steps *steps = &plan->steps;
    struct box moving = *plan->box; /* but for its velocities */
    moving.velocity = motion->velocity;
    steps->is_ready = false;
    steps->start_step = motion->step;
    for (int k = 0; k < STEP_MAX_CHAIN; k++) {
        steps->start_bath[k] = motion->bath.position[k];
        steps->start_bath[STEP_MAX_CHAIN + k] = motion->bath.velocity[k];
    }
    steps->start_bath[2 * STEP_MAX_CHAIN] = motion->bath.heat;
    return write_places(plan, motion->position, error) && write_velocities(plan, &moving, error);
}

bool kernel_plan_advance(struct kernel_plan *plan, uint64_t steps, struct error *error) {
    return kernel_plan_ready(plan, error) &&
           (steps > 0 ? runs_enqueue(plan, steps, plan->sum_count > 0, NULL, error)
                      : runs_enqueue_forces(plan, plan->sum_count > 0, error));
}

static bool read_bath(const struct kernel_plan *plan, struct step_bath *bath, struct error *error) {
    double numbers[OFFERED_BATH];
    if (!buffer_read(plan->steps.bath, 0, numbers, buffer_bytes(plan->steps.bath), error)) {
        return false;
    }
    for (size_t k = 0; k < STEP_MAX_CHAIN; k++) {
        bath->position[k] = accum_at(plan, numbers, k);
        bath->velocity[k] = accum_at(plan, numbers, STEP_MAX_CHAIN + k);
    }
    bath->heat = accum_at(plan, numbers, (size_t)2 * STEP_MAX_CHAIN);
    return true;
}

/* 3 numbers per particle of a buffer of 4, accum or real. */
static bool read_vectors(const struct kernel_plan *plan, const struct buffer *buffer, bool is_accum,
                         bool adds, double *vectors, struct error *error) {
    const size_t n = plan->sets[0].n;
    void *read = malloc(buffer_bytes(buffer));
    if (!read) {
        return fail_out_of_memory(error, "the state");
    }
    const bool good = buffer_read(buffer, 0, read, buffer_bytes(buffer), error);
    for (size_t k = 0; good && k < 3 * n; k++) {
        const size_t at = 4 * (k / 3) + k % 3;
        const double value = is_accum ? accum_at(plan, read, at) : real_at(plan, read, at);
        vectors[k] = adds ? vectors[k] + value : value;
    }
    free(read);
    return good;
}

static bool read_crossings(const struct kernel_plan *plan, int32_t *crossing, struct error *error) {
    const struct buffer *buffer = plan->steps.crossing;
    int32_t *read = malloc(buffer_bytes(buffer));
    if (!read) {
        return fail_out_of_memory(error, "the state");
    }
    const bool good = buffer_read(buffer, 0, read, buffer_bytes(buffer), error);
    for (size_t k = 0; good && k < 3 * plan->sets[0].n; k++) {
        crossing[k] = read[4 * (k / 3) + k % 3];
    }
    free(read);
    return good;
}

bool kernel_plan_read_motion(struct kernel_plan *plan, struct plan_motion *motion,
                             struct error *error) {
    const struct plan_steps *steps = &plan->steps;
    const bool has_rest = plan->real_is_double != plan->accum_is_double;
    motion->step = (uint64_t)steps->step;
    return device_finish(plan->device, error) &&
           read_vectors(plan, plan->sets[0].position, false, false, motion->position, error) &&
           (!has_rest ||
            read_vectors(plan, steps->position_rest, false, true, motion->position, error)) &&
           read_vectors(plan, steps->velocity, true, false, motion->velocity, error) &&
           read_vectors(plan, steps->force, true, false, motion->force, error) &&
           read_crossings(plan, motion->crossing, error) && read_bath(plan, &motion->bath, error);
}
