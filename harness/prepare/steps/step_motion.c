/* The state of time steps to and from the host, and what is summed over it: of launches, and of
 * simulations, whose steps go on from where they are without the host. */
#include "prepare/steps_parts.h"

#include <math.h>
#include <stdlib.h>

/* ---- sums over a state, on the device ---- */

/* Work-groups that sum up, and how many sums each leaves: see step_sum_state. */
enum { SUM_GROUPS = 64, STATE_SUMS = 5 };

static const struct device_info *info_of(const struct kernel_plan *plan) {
    return device_describe(plan->device);
}

bool kernel_plan_goes_on(const struct kernel_plan *plan) {
    return info_of(plan)->fp64;
}

bool motion_tools_create(struct kernel_plan *plan, struct error *error) {
    struct plan_steps *steps = plan->steps;
    return !kernel_plan_goes_on(plan) ||
           (buffer_allocate(plan->device, SUM_GROUPS * STATE_SUMS * sizeof(double),
                            &steps->state_sums, error) &&
            buffer_allocate(plan->device, sizeof(int32_t), &steps->astray, error) &&
            program_kernel(plan->program, "step_keep_state", &steps->keep_state, error) &&
            program_kernel(plan->program, "step_sum_state", &steps->sum_state, error));
}

void motion_tools_free(struct kernel_plan *plan) {
    buffer_free(plan->steps->state_sums);
    buffer_free(plan->steps->astray);
}

/* Sums over velocities, each `lag` behind its position. A particle is astray if it is faster than
 * `fastest` or its position is no number. */
struct state_sums {
    double kinetic, momentum[3], square; /* of velocities */
    int64_t astray;                      /* see struct plan_motion_sums */
};

/* What the work-groups left, always in the same order. */
static bool read_state_sums(const struct kernel_plan *plan, struct state_sums *sums,
                            struct error *error) {
    double of_group[SUM_GROUPS * STATE_SUMS];
    double total[STATE_SUMS] = { 0 };
    int32_t astray;
    if (!buffer_read(plan->steps->state_sums, 0, of_group, sizeof of_group, error) ||
        !buffer_read(plan->steps->astray, 0, &astray, sizeof astray, error)) {
        return false;
    }
    for (int k = 0; k < SUM_GROUPS * STATE_SUMS; k++) {
        total[k % STATE_SUMS] += of_group[k];
    }
    *sums = (struct state_sums){ .kinetic = total[0],
                                 .momentum = { total[1], total[2], total[3] },
                                 .square = total[4],
                                 .astray = (int64_t)astray - 1 };
    return true;
}

/* The state of the start, or that of now. */
struct summed_state {
    struct buffer *position, *velocity;
    double lag, fastest;
};

static bool sum_state(const struct kernel_plan *plan, const struct summed_state *state,
                      struct state_sums *sums, struct error *error) {
    const struct plan_steps *steps = plan->steps;
    const bool is_double = plan->accum_is_double;
    const double most = 1e30; /* of a float */
    return buffer_fill(steps->astray, 0, sizeof(int32_t), error) &&
           kernel_launch(
               steps->sum_state, SUM_GROUPS, (size_t)plan->group_size,
               ARGUMENTS(argument_int((int32_t)plan->sets[0].n),
                         argument_real(state->lag, is_double),
                         argument_real(fmin(state->fastest, most), is_double),
                         argument_buffer(state->position), argument_buffer(state->velocity),
                         argument_buffer(steps->force), argument_buffer(steps->index),
                         argument_buffer(steps->state_sums), argument_buffer(steps->astray)),
               error) &&
           read_state_sums(plan, sums, error);
}

bool motion_find_speed(struct kernel_plan *plan, struct error *error) {
    struct plan_steps *steps = plan->steps;
    const double n = (double)plan->sets[0].n;
    struct state_sums sums;
    if (!isnan(steps->start_speed)) {
        return true;
    }
    const struct summed_state start = { steps->start_position, steps->start_velocity, 0, INFINITY };
    if (!sum_state(plan, &start, &sums, error)) {
        return false;
    }
    steps->start_speed = n > 0 ? sqrt(sums.square / n) : 0;
    return true;
}

/* ---- reading ---- */

static bool read_thermostat(const struct kernel_plan *plan, struct thermostat_state *thermostat,
                            struct error *error) {
    double numbers[THERMOSTAT_NUMBERS];
    if (!buffer_read(plan->steps->thermostat, 0, numbers, buffer_bytes(plan->steps->thermostat),
                     error)) {
        return false;
    }
    for (size_t k = 0; k < STEP_MAX_CHAIN; k++) {
        thermostat->position[k] = real_at(numbers, plan->accum_is_double, k);
        thermostat->velocity[k] = real_at(numbers, plan->accum_is_double, STEP_MAX_CHAIN + k);
    }
    thermostat->heat = real_at(numbers, plan->accum_is_double, (size_t)2 * STEP_MAX_CHAIN);
    return true;
}

/* What went through faces, by the sums as the device has them, 6 numbers per type. */
static void split_face_sums(const struct kernel_plan *plan, const int64_t *sums, uint64_t *count,
                            double *momentum) {
    const uint64_t most = UINT64_C(1) << (63 - FACE_BITS); /* of them fit a sum, whatever each is */
    for (size_t f = 0; f < STEP_FACES * (size_t)plan->box->types; f++) {
        const int64_t *of_type = sums + f / STEP_FACES * FACE_NUMBERS;
        count[f] = (uint64_t)of_type[f % STEP_FACES];
        momentum[f] = count[f] < most
                          ? (double)of_type[STEP_FACES + f % STEP_FACES] / plan->steps->face_scale
                          : NAN;
    }
}

static bool read_faces(const struct kernel_plan *plan, uint64_t *count, double *momentum,
                       struct error *error) {
    struct buffer *buffer = plan->steps->face_sums;
    int64_t *sums = buffer_copy(buffer, buffer_bytes(buffer), error);
    const bool read = sums != NULL;
    if (read) {
        split_face_sums(plan, sums, count, momentum);
    }
    free(sums);
    return read;
}

static bool read_index(const struct kernel_plan *plan, int32_t **index, struct error *error) {
    const struct particle_set *set = &plan->sets[0];
    const size_t bytes = set->n * sizeof **index;
    *index = calloc(set->n, sizeof **index);
    if (!*index) {
        return fail_out_of_memory(error, "the numbers of particles");
    }
    bool read = !plan->steps->exchange || buffer_read(plan->steps->index, 0, *index, bytes, error);
    for (size_t place = 0; read && place < set->n; place++) {
        if (!plan->steps->exchange) {
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

/* ---- simulations ---- */

/* The part of a number that a float does not hold. The float is kept in memory: GCC 12 at -O3
 * vectorised this wrongly, and the rest was 0. */
static double rest_of(double value) {
    volatile float rounded = (float)value;
    return value - (double)rounded;
}

/* Positions and what their type does not hold of them; under float and double, nothing is kept of
 * that. */
static bool write_places(struct kernel_plan *plan, const double *position, struct error *error) {
    const size_t n = plan->sets[0].n;
    const size_t bytes = buffer_bytes(plan->steps->start_position);
    const bool has_rest = plan->real_is_double != plan->accum_is_double;
    void *places = calloc(1, bytes);
    void *rests = calloc(1, bytes);
    for (size_t i = 0; places && rests && i < n; i++) {
        for (size_t k = 0; k < 3; k++) {
            const double whole = position[3 * i + k];
            real_set(places, plan->real_is_double, 4 * i + k, whole);
            real_set(rests, plan->real_is_double, 4 * i + k, has_rest ? rest_of(whole) : 0);
        }
        real_set(places, plan->real_is_double, 4 * i + 3, plan->box->charge[i]);
    }
    const bool written = places && rests
                             ? buffer_write(plan->steps->start_position, 0, places, bytes, error) &&
                                   buffer_write(plan->steps->start_rest, 0, rests, bytes, error)
                             : fail_out_of_memory(error, "the positions");
    free(places);
    free(rests);
    return written;
}

static void set_start(struct kernel_plan *plan, const struct thermostat_state *thermostat,
                      uint64_t step) {
    struct plan_steps *steps = plan->steps;
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
    if (!write_places(plan, motion->position, error) ||
        !steps_write_velocities(plan, &moving, error) || !steps_write_types(plan, false, error)) {
        return false;
    }
    set_start(plan, &motion->thermostat, motion->step);
    return true;
}

bool kernel_plan_advance(struct kernel_plan *plan, uint64_t steps, struct error *error) {
    return kernel_plan_ready(plan, error) &&
           (steps > 0 ? runs_enqueue(plan, steps, plan->sum_count > 0, NULL, error)
                      : runs_enqueue_forces(plan, plan->sum_count > 0, error));
}

bool kernel_plan_read_thermostat(const struct kernel_plan *plan,
                                 struct thermostat_state *thermostat, uint64_t *step,
                                 struct error *error) {
    *step = (uint64_t)plan->steps->step;
    return device_finish(plan->device, error) && read_thermostat(plan, thermostat, error);
}

bool kernel_plan_read_faces(struct kernel_plan *plan, uint64_t *count, double *momentum,
                            struct error *error) {
    return device_finish(plan->device, error) && read_faces(plan, count, momentum, error);
}

bool kernel_plan_counts_faces(const struct kernel_plan *plan) {
    return plan->steps->face_scale > 0;
}

/* A buffer of 4 numbers per particle, by place. */
struct quads {
    struct buffer *buffer;
    bool are_doubles;
    bool add; /* to what was read before */
};

/* The first 3 of each; `index` is by place. */
static bool read_vectors(const struct kernel_plan *plan, const struct quads *quads,
                         const int32_t *index, double *vectors, struct error *error) {
    const size_t n = plan->sets[0].n;
    void *read = buffer_copy(quads->buffer, buffer_bytes(quads->buffer), error);
    const bool good = read != NULL;
    for (size_t k = 0; good && k < 3 * n; k++) {
        const double value = real_at(read, quads->are_doubles, 4 * (k / 3) + k % 3);
        double *to = &vectors[3 * (size_t)index[k / 3] + k % 3];
        *to = quads->add ? *to + value : value;
    }
    free(read);
    return good;
}

static bool read_crossings(const struct kernel_plan *plan, const int32_t *index, int32_t *crossing,
                           struct error *error) {
    struct buffer *buffer = plan->steps->crossing;
    int32_t *read = buffer_copy(buffer, buffer_bytes(buffer), error);
    const bool good = read != NULL;
    for (size_t k = 0; good && k < 3 * plan->sets[0].n; k++) {
        crossing[3 * (size_t)index[k / 3] + k % 3] = read[4 * (k / 3) + k % 3];
    }
    free(read);
    return good;
}

bool kernel_plan_read_motion(struct kernel_plan *plan, struct plan_motion *motion,
                             struct error *error) {
    const struct plan_steps *steps = plan->steps;
    const bool has_rest = plan->real_is_double != plan->accum_is_double;
    int32_t *index = NULL;
    const struct quads position = { plan->sets[0].position, plan->real_is_double, false };
    const struct quads rest = { steps->position_rest, plan->real_is_double, true };
    const struct quads velocity = { steps->velocity, plan->accum_is_double, false };
    const struct quads force = { steps->force, plan->accum_is_double, false };
    motion->step = (uint64_t)steps->step;
    const bool good = device_finish(plan->device, error) && read_index(plan, &index, error) &&
                      read_vectors(plan, &position, index, motion->position, error) &&
                      (!has_rest || read_vectors(plan, &rest, index, motion->position, error)) &&
                      read_vectors(plan, &velocity, index, motion->velocity, error) &&
                      (!motion->force || read_vectors(plan, &force, index, motion->force, error)) &&
                      read_crossings(plan, index, motion->crossing, error) &&
                      read_thermostat(plan, &motion->thermostat, error);
    free(index);
    return good;
}

bool kernel_plan_keep_motion(struct kernel_plan *plan, bool counted, struct error *error) {
    struct plan_steps *steps = plan->steps;
    const struct particle_set *set = &plan->sets[0];
    struct thermostat_state thermostat;
    const size_t group = (size_t)plan->group_size;
    if (!kernel_launch(
            steps->keep_state, (set->n + group - 1) / group, group,
            ARGUMENTS(argument_int((int32_t)set->n), argument_int(counted),
                      argument_buffer(steps->index), argument_buffer(set->position),
                      argument_buffer(steps->position_rest), argument_buffer(steps->velocity),
                      argument_buffer(steps->crossing), argument_buffer(steps->start_position),
                      argument_buffer(steps->start_rest), argument_buffer(steps->start_velocity),
                      argument_buffer(steps->start_crossing)),
            error) ||
        !read_thermostat(plan, &thermostat, error)) {
        return false;
    }
    set_start(plan, &thermostat, (uint64_t)steps->step);
    return true;
}

bool kernel_plan_sum_motion(struct kernel_plan *plan, double lag, double fastest,
                            struct plan_motion_sums *sums, struct error *error) {
    struct evaluation evaluation = { 0 };
    struct state_sums of_state = { .kinetic = NAN, .astray = -1 };
    const struct summed_state now = { plan->sets[0].position, plan->steps->velocity, lag, fastest };
    if (!collect_scalars(plan, &evaluation, error) ||
        (kernel_plan_goes_on(plan) && !sum_state(plan, &now, &of_state, error))) {
        return false;
    }
    sums->potential = evaluation.energy;
    sums->kinetic = of_state.kinetic;
    sums->astray = of_state.astray;
    for (int k = 0; k < 9; k++) {
        sums->virial[k] = evaluation.virial[k];
    }
    for (int k = 0; k < 3; k++) {
        sums->momentum[k] = of_state.momentum[k];
    }
    return true;
}

/* ---- what came of a launch ---- */

/* The kinetic energy and the thermostat's, from TOTAL_NUMBERS accum. */
static void take_totals(const struct kernel_plan *plan, const void *totals,
                        struct evaluation *evaluation) {
    double numbers[MAX_SUMS] = { 0 };
    if (plan->spec->outputs != OUTPUTS_FORCES) {
        for (int t = 0; t < TOTAL_NUMBERS; t++) {
            numbers[t] = real_at(totals, plan->accum_is_double, (size_t)t);
        }
        evaluation->kinetic_energy = numbers[TOTAL_KINETIC_ENERGY];
        if (step_rules_have_bath(&plan->spec->step)) {
            evaluation->thermostat_energy = numbers[TOTAL_THERMOSTAT_ENERGY];
        }
    }
}

static bool collect_totals(const struct kernel_plan *plan, struct evaluation *evaluation,
                           struct error *error) {
    double totals[TOTAL_NUMBERS];
    if (!buffer_read(plan->steps->totals, 0, totals, buffer_bytes(plan->steps->totals), error)) {
        return false;
    }
    take_totals(plan, totals, evaluation);
    return true;
}

/* 3 numbers per particle, of time steps. */
static bool collect_velocities(const struct kernel_plan *plan, struct evaluation *evaluation,
                               struct error *error) {
    const struct particle_set *set = &plan->sets[0];
    struct buffer *buffer = plan->steps->velocity;
    int32_t *index = NULL;
    void *read = buffer_copy(buffer, buffer_bytes(buffer), error);
    evaluation->velocity = calloc(3 * plan->box->n, sizeof *evaluation->velocity);
    const bool good = read &&
                      (evaluation->velocity || fail_out_of_memory(error, "the velocities")) &&
                      read_index(plan, &index, error);
    for (size_t k = 0; good && k < 3 * set->n; k++) {
        const size_t at = 4 * (k / 3) + k % 3;
        evaluation->velocity[3 * (size_t)index[k / 3] + k % 3] =
            real_at(read, plan->accum_is_double, at);
    }
    free(index);
    free(read);
    return good;
}

/* Allocates the sums of faces, all zero; somebody counts. */
static bool make_faces(const struct kernel_plan *plan, struct evaluation *evaluation,
                       struct error *error) {
    const size_t faces = STEP_FACES * (size_t)plan->box->types;
    evaluation->types = plan->box->types;
    evaluation->face_unit = 1 / plan->steps->face_scale;
    evaluation->face_count = calloc(faces, sizeof *evaluation->face_count);
    evaluation->face_momentum = calloc(faces, sizeof *evaluation->face_momentum);
    return (evaluation->face_count && evaluation->face_momentum) ||
           fail_out_of_memory(error, "the sums at faces");
}

static bool collect_faces(const struct kernel_plan *plan, struct evaluation *evaluation,
                          struct error *error) {
    return plan->steps->face_scale == 0 ||
           (make_faces(plan, evaluation, error) &&
            read_faces(plan, evaluation->face_count, evaluation->face_momentum, error));
}

bool steps_collect(const struct kernel_plan *plan, struct evaluation *evaluation,
                   struct error *error) {
    return collect_totals(plan, evaluation, error) && collect_velocities(plan, evaluation, error) &&
           collect_faces(plan, evaluation, error);
}

bool steps_take_sums(const struct kernel_plan *plan, const struct raw_sums *raw,
                     struct evaluation *evaluation, struct error *error) {
    take_totals(plan, raw->totals, evaluation);
    if (!raw->faces) {
        return true;
    }
    if (!make_faces(plan, evaluation, error)) {
        return false;
    }
    split_face_sums(plan, raw->faces, evaluation->face_count, evaluation->face_momentum);
    return true;
}
