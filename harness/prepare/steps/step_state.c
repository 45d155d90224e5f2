/* Time steps: their state and what else kernels of steps are given. step_runs.c takes the steps,
 * step_driver.c begins and ends a launch of them. */
#include "boxes/random.h"
#include "core/host.h"
#include "prepare/steps_parts.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the state on the host ---- */

/* The members' velocities and one over their masses as the device takes them: n accum4. */
bool steps_write_velocities(struct kernel_plan *plan, const struct box *box, struct error *error) {
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
        real_set(staged, plan->accum_is_double, k, value);
    }
    const bool written = buffer_write(plan->steps->start_velocity, 0, staged, bytes, error);
    plan->steps->start_speed = n > 0 ? sqrt(squares / (double)n) : 0;
    free(staged);
    return written;
}

/* A few of either sign, and for one in two any number that leaves room for more. */
static int32_t draw_crossings(struct random *random) {
    const int32_t room = 1 << 30;
    const int32_t few = (int32_t)(random_next(random) % 7) - 3;
    const int32_t any = (int32_t)(random_next(random) % (2 * (uint64_t)room)) - room;
    const uint64_t drawn = random_next(random);
    return drawn % 2 == 0 ? few : any / (1 << drawn / 2 % 30);
}

/* Crossings of before, none unless `drawn`, and the types. */
bool steps_write_types(struct kernel_plan *plan, bool drawn, struct error *error) {
    const size_t n = plan->sets[0].n;
    struct random random = random_from_seed(draw_seed());
    int32_t *staged = calloc(4 * n + 1, sizeof *staged); /* of no particles, too */
    if (!staged) {
        return fail_out_of_memory(error, "the types");
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; drawn && k < 3; k++) {
            staged[4 * i + k] = draw_crossings(&random);
        }
        staged[4 * i + 3] = plan->box->type[i];
    }
    const bool written =
        buffer_write(plan->steps->start_crossing, 0, staged, 4 * n * sizeof *staged, error);
    free(staged);
    return written;
}

bool steps_write_positions(struct kernel_plan *plan, const struct box *box, struct error *error) {
    const size_t bytes = buffer_bytes(plan->steps->start_position);
    void *staged = malloc(bytes);
    if (!staged) {
        return fail_out_of_memory(error, "the positions");
    }
    set_stage_positions(plan, &plan->sets[0], box, staged);
    const bool written = buffer_write(plan->steps->start_position, 0, staged, bytes, error);
    free(staged);
    return written;
}

/* ---- the numbers of a step ---- */

/* Kernels that say STEP_PARAMETERS have them by the tunable PARAMETERS of variants/step.cl: as
 * arguments, as a struct by value, or in constant memory. */
#define PARAMETERS_TUNABLE "PARAMETERS"
enum parameters_place { PARAMETERS_ARGUMENTS, PARAMETERS_STRUCT, PARAMETERS_CONSTANT };

/* The largest box_args and, behind it, what a struct of that alignment has room for. */
enum { PARAMETERS_BYTES = sizeof(struct box_args_double) + 32 };

/* As step_parameters of variants/step.cl. */
struct packed_parameters {
    _Alignas(16) unsigned char bytes[PARAMETERS_BYTES];
    size_t size;
};

static enum parameters_place place_of(const struct kernel_plan *plan) {
    return (enum parameters_place)tunings_value(&plan->spec->tunings, PARAMETERS_TUNABLE,
                                                PARAMETERS_ARGUMENTS);
}

static void pack(struct packed_parameters *packed, const struct argument *argument) {
    memcpy(packed->bytes + packed->size, argument_bytes(argument), argument->size);
    packed->size += argument->size;
}

/* What PARAMETERS=0 has. */
static void list_arguments(const struct kernel_plan *plan,
                           struct argument arguments[STEP_PARAMETERS_MAX]) {
    const struct box *box = plan->box;
    arguments[0] = argument_int((int32_t)plan->sets[0].n);
    arguments[1] = argument_real(plan->spec->step.dt, plan->accum_is_double);
    arguments[2] = bindings_box(&box->cell, box->periodic, plan->real_is_double);
    arguments[3] = argument_real(plan->steps->face_scale, plan->accum_is_double);
}

/* The box comes first, then accums, then the int: nothing is left out between them. A struct is as
 * long as whole ones of its widest member, a real4. */
static void pack_all(const struct kernel_plan *plan, struct packed_parameters *packed) {
    const size_t widest = 4 * kernel_plan_real_size(plan);
    struct argument arguments[STEP_PARAMETERS_MAX];
    list_arguments(plan, arguments);
    *packed = (struct packed_parameters){ .size = 0 };
    pack(packed, &arguments[2]);
    pack(packed, &arguments[1]);
    pack(packed, &arguments[3]);
    pack(packed, &arguments[0]);
    packed->size = (packed->size + widest - 1) / widest * widest;
}

bool step_parameters_create(struct kernel_plan *plan, struct error *error) {
    static const char array[] = "parameters_of_step";
    struct packed_parameters packed;
    if (place_of(plan) != PARAMETERS_CONSTANT) {
        return true;
    }
    pack_all(plan, &packed);
    if (device_describe(plan->device)->kind != DEVICE_CUDA) {
        return buffer_upload(plan->device, "numbers of a step", packed.bytes, packed.size,
                             &plan->steps->parameters, error);
    }
    return program_write_constant(plan->program, array, packed.bytes, packed.size, error) &&
           (!plan->steps->quiet ||
            program_write_constant(plan->steps->quiet, array, packed.bytes, packed.size, error));
}

size_t step_parameters_arguments(const struct kernel_plan *plan, struct argument *arguments) {
    static_assert((int)PARAMETERS_BYTES <= (int)ARGUMENT_OWN_BYTES, "an argument has its own copy");
    struct packed_parameters packed;
    switch (place_of(plan)) {
    case PARAMETERS_STRUCT:
        pack_all(plan, &packed);
        arguments[0] = argument_value(packed.bytes, packed.size);
        return 1;
    case PARAMETERS_CONSTANT:
        arguments[0] = argument_buffer(plan->steps->parameters);
        return plan->steps->parameters ? 1 : 0;
    default:
        list_arguments(plan, arguments);
        return STEP_PARAMETERS_MAX;
    }
}

/* ---- making ---- */

/* As variants/step.cl has it. */
static bool write_field(struct kernel_plan *plan, struct error *error) {
    const struct step_field *field = &plan->spec->step.field;
    double numbers[FIELD_NUMBERS] = { 0 };
    for (int d = 0; d < 3; d++) {
        const struct step_wall *wall = &field->wall[d];
        numbers[d] = field->per_charge[d];
        numbers[3 + d] = field->per_mass[d];
        numbers[6 + 3 * d] = wall->present ? wall->strength : 0;
        numbers[7 + 3 * d] = wall->low;
        numbers[8 + 3 * d] = wall->high;
    }
    return buffer_upload_reals(plan->device, "field",
                               &(struct reals){ numbers, FIELD_NUMBERS, plan->accum_is_double },
                               &plan->steps->field, error);
}

/* Writes which box each member is in, and the cells of the boxes. */
static bool write_boxes(struct kernel_plan *plan, struct error *error) {
    const struct box *box = plan->box;
    struct plan_steps *steps = plan->steps;
    const size_t boxes = box->cells ? box->batch : 1;
    const size_t n = box->cells ? box->n : 1;
    const size_t each = bindings_box(&box->cell, box->periodic, plan->real_is_double).size;
    char *cells = calloc(boxes, each);
    int32_t *box_of = calloc(n + 1, sizeof *box_of);
    for (size_t b = 0; cells && box_of && box->cells && b < boxes; b++) {
        const struct argument args = bindings_box_of_kind(
            &box->cells[b], cell_is_triclinic(&box->cell), box->periodic, plan->real_is_double);
        memcpy(cells + b * each, argument_bytes(&args), each);
    }
    if (box_of && box->cells) {
        box_number_particles(box, box_of);
    }
    const bool written = cells && box_of
                             ? buffer_upload(plan->device, "cells of boxes", cells, boxes * each,
                                             &steps->cells, error) &&
                                   buffer_upload(plan->device, "boxes of particles", box_of,
                                                 (n + 1) * sizeof *box_of, &steps->box_of, error)
                             : fail_out_of_memory(error, "the cells of a batch");
    free(cells);
    free(box_of);
    return written;
}

/* Whether the kernels are given what counts crossings, and asked to. */
bool steps_count_crossings(const struct kernel_plan *plan) {
    return variant_takes(plan->spec->variant, "crossing") &&
           tunings_value(&plan->spec->tunings, "COUNT_CROSSINGS", 1) != 0;
}

/* The same of faces. */
static bool counts_faces(const struct kernel_plan *plan) {
    return variant_takes(plan->spec->variant, "face_sums") && plan->box->periodic &&
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
    plan->steps->face_scale = ldexp(1, FACE_BITS - exponent);
    return true;
}

/* The molecules that settle keeps rigid, and their sides. */
bool steps_find_molecules(struct kernel_plan *plan, struct error *error) {
    struct plan_steps *steps = plan->steps;
    const struct step_rules *rules = &plan->spec->step;
    const double sides[2] = { rules->oh, rules->hh };
    const size_t begins = (box_count(plan->box) + 1) * sizeof(int32_t);
    if (rules->integrator == INTEGRATOR_SETTLE &&
        !rigid_molecules_find(plan->box, rules, &steps->molecules, error)) {
        return false;
    }
    return buffer_allocate(plan->device, 4 * (steps->molecules.count + 1) * sizeof(int32_t),
                           &steps->water_atoms, error) &&
           buffer_upload_reals(plan->device, "water_sides",
                               &(struct reals){ sides, 2, plan->accum_is_double },
                               &steps->water_sides, error) &&
           buffer_allocate(plan->device, begins, &steps->molecule_begin, error) &&
           buffer_fill(steps->molecule_begin, 0, begins, error);
}

static size_t face_numbers(const struct kernel_plan *plan) {
    return plan->steps->face_scale > 0 ? FACE_NUMBERS * (size_t)plan->box->types : 1;
}

bool steps_allocate(struct kernel_plan *plan, struct error *error) {
    struct plan_steps *steps = plan->steps;
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
           buffer_allocate(plan->device, TOTAL_NUMBERS * kernel_plan_accum_size(plan),
                           &steps->totals, error) &&
           buffer_allocate(plan->device, THERMOSTAT_NUMBERS * kernel_plan_accum_size(plan),
                           &steps->thermostat, error) &&
           find_face_scale(plan, error) &&
           buffer_allocate(plan->device, face_numbers(plan) * sizeof(int64_t), &steps->face_sums,
                           error) &&
           steps_write_types(plan, true, error) && write_field(plan, error) &&
           write_boxes(plan, error) && buffer_fill(steps->start_rest, 0, reals, error) &&
           buffer_fill(steps->force, 0, accums, error) &&
           steps_write_positions(plan, plan->box, error) &&
           steps_write_velocities(plan, plan->box, error);
}

/* ---- what kernels are given ---- */

void steps_fill_arguments(const struct kernel_plan *plan, struct case_arguments *arguments) {
    const struct plan_steps *steps = plan->steps;
    struct set_arguments *set = &arguments->sets[0];
    arguments->step = (uint64_t)steps->step + plan->spec->step.first;
    arguments->totals = steps->totals;
    arguments->thermostat = steps->thermostat;
    arguments->field = steps->field;
    arguments->face_sums = steps->face_sums;
    arguments->face_scale = steps->face_scale;
    arguments->molecule_count = (int32_t)steps->molecules.count;
    arguments->molecule_begin = steps->molecule_begin;
    arguments->water_atoms = steps->water_atoms;
    arguments->water_sides = steps->water_sides;
    arguments->freedom =
        step_rules_freedom(&plan->spec->step, plan->box->n, steps->molecules.rigid);
    set->index = steps->index;
    set->position_rest = steps->position_rest;
    set->velocity = steps->velocity;
    set->crossing = steps->crossing;
    set->force = steps->force;
}

/* ---- a launch ---- */

bool steps_launch(const struct kernel_plan *plan, struct kernel *kernel,
                  const struct argument *arguments, size_t count, struct error *error) {
    const size_t group = (size_t)plan->group_size;
    return kernel_launch(kernel, (plan->sets[0].n + group - 1) / group, group, arguments, count,
                         error);
}

/* Identical molecules change places, on the device. */
bool steps_exchange(struct kernel_plan *plan, struct error *error) {
    const struct plan_steps *steps = plan->steps;
    const struct exchange_state state = { .position = plan->sets[0].position,
                                          .position_rest = steps->position_rest,
                                          .velocity = steps->velocity,
                                          .force = steps->force,
                                          .crossing = steps->crossing,
                                          .index = steps->index };
    return !steps->exchange ||
           exchange_enqueue(steps->exchange, &plan->sets[0].order, &state, error);
}
