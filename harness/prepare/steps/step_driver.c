/* What a launch of time steps does in the place of an evaluation: it begins with a state, a
 * structure and forces, takes its steps, and ends with how far each particle has come. */
#include "prepare/steps_parts.h"
#include "workloads/workload_buffers.h"

#include <stdlib.h>
#include <string.h>

/* ---- making ---- */

/* What a pass that takes all steps holds of a box, it says by the tunable HELD: particles, or as
 * many molecules of OF_MOLECULE places each. */
static bool check_held(const struct kernel_plan *plan, struct error *error) {
    static const char held[] = "HELD";
    const struct case_spec *spec = plan->spec;
    const struct rigid_molecules *molecules = &plan->steps->molecules;
    const int places = tunings_value(&spec->tunings, "OF_MOLECULE", 1);
    const int holds = tunings_value(&spec->tunings, held, INT32_MAX);
    size_t largest = 0;
    size_t m = 0;
    for (size_t b = 0; b < box_count(plan->box); b++) {
        const size_t end = box_begin(plan->box, b + 1);
        const size_t n = end - box_begin(plan->box, b);
        const size_t first = m;
        while (m < molecules->count && (size_t)molecules->atom[4 * m] < end) {
            m++;
        }
        const size_t of_molecules = (m - first) * (size_t)places;
        largest = n > largest ? n : largest;
        largest = of_molecules > largest ? of_molecules : largest;
    }
    return !variant_takes_all_steps(spec->variant) || largest <= (size_t)holds ||
           fail(error, STATUS_UNSUPPORTED, "%s: a box takes %zu places, and %s=%d holds fewer",
                spec->variant->name, largest, held, holds);
}

static bool compile_quiet(struct kernel_plan *plan, struct error *error) {
    struct case_spec quiet = *plan->spec;
    quiet.outputs = OUTPUTS_FORCES;
    return plan->spec->outputs == OUTPUTS_FORCES ||
           compile_case(plan, &quiet, &plan->steps->quiet, error);
}

static bool create(struct kernel_plan *plan, struct error *error) {
    struct plan_steps *steps = plan->steps;
    return steps_find_molecules(plan, error) && check_held(plan, error) &&
           steps_allocate(plan, error) && runs_create(plan, error) &&
           step_parameters_create(plan, error) &&
           (!plan->spec->exchange.by_hilbert ||
            exchange_create(plan->device, plan->box, &plan->spec->interaction,
                            plan->spec->precision, &steps->exchange, error)) &&
           program_kernel(plan->program, "step_place_state", &steps->place_state, error) &&
           program_kernel(plan->program, "step_write_displacement", &steps->convert_displacement,
                          error) &&
           motion_tools_create(plan, error) && reciprocal_create(plan, error);
}

static bool prepare_pass(struct kernel_plan *plan, int index, struct error *error) {
    struct plan_steps *steps = plan->steps;
    steps->quiet_kernels[index] = plan->passes[index].kernel;
    if (steps->quiet && !plan_kernel(plan, steps->quiet, &plan->spec->variant->passes[index],
                                     &steps->quiet_kernels[index], error)) {
        return false;
    }
    reciprocal_share(plan, steps->quiet_kernels[index]);
    return true;
}

static void free_steps(struct kernel_plan *plan) {
    struct plan_steps *steps = plan->steps;
    runs_free(plan);
    motion_tools_free(plan);
    reciprocal_free(plan);
    exchange_free(steps->exchange);
    rigid_molecules_free(&steps->molecules);
    buffer_free(steps->molecule_begin);
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
    buffer_free(steps->cells);
    buffer_free(steps->box_of);
    buffer_free(steps->totals);
    buffer_free(steps->thermostat);
    buffer_free(steps->field);
    program_free(steps->quiet);
    free(steps);
}

/* ---- where a launch starts ---- */

static bool move_to(struct kernel_plan *plan, const struct box *box, struct error *error) {
    const struct member_order order = plan->sets[0].order;
    plan->steps->is_ready = false;
    plan->sets[0].order = (struct member_order){ 0 }; /* the start is by member */
    const bool written = steps_write_positions(plan, box, error);
    plan->sets[0].order = order;
    return written;
}

static bool move(struct kernel_plan *plan, const struct box *moved, struct error *error) {
    plan->steps->is_moved = true;
    return move_to(plan, moved, error);
}

static bool go_back(struct kernel_plan *plan, struct error *error) {
    struct plan_steps *steps = plan->steps;
    const bool is_moved = steps->is_moved;
    steps->is_ready = false;
    steps->is_moved = false;
    return !is_moved || move_to(plan, plan->box, error);
}

/* The first molecule of each box, as they are numbered, and the end. */
static void find_molecules_of_boxes(const struct kernel_plan *plan, int32_t *begin) {
    const struct rigid_molecules *molecules = &plan->steps->molecules;
    for (size_t m = 0; m < molecules->count; m++) {
        begin[box_of_particle(plan->box, (size_t)molecules->atom[4 * m]) + 1]++;
    }
    for (size_t b = 0; b < box_count(plan->box); b++) {
        begin[b + 1] += begin[b];
    }
}

/* Writes the places of one molecule's particles in the present order. */
static void place_molecule(const struct particle_set *set, const int32_t atom[4],
                           int32_t place[4]) {
    for (int k = 0; k < 4; k++) {
        place[k] = k == 3 || atom[k] < 0
                       ? atom[k]
                       : (int32_t)place_of_member(&set->order, set->n, (size_t)atom[k]);
    }
}

/* Lists the molecules box by box, the boxes in their current order. `begin`: first of the boxes as
 * they are numbered, then of those places. */
static void list_molecules(const struct kernel_plan *plan, const struct batch_places *places,
                           int32_t *begin, int32_t *atoms) {
    const struct rigid_molecules *molecules = &plan->steps->molecules;
    const size_t boxes = box_count(plan->box);
    int32_t *of_box = begin + boxes + 1;
    int32_t count = 0;
    find_molecules_of_boxes(plan, of_box);
    for (size_t at = 0; at < boxes; at++) {
        const size_t b = places->box[at];
        for (int32_t m = of_box[b]; m < of_box[b + 1]; m++) {
            place_molecule(&plan->sets[0], &molecules->atom[4 * (size_t)m],
                           &atoms[4 * (size_t)count++]);
        }
        begin[at + 1] = count;
    }
}

static bool place_molecules(struct kernel_plan *plan, struct error *error) {
    const struct plan_steps *steps = plan->steps;
    const size_t numbers = 4 * steps->molecules.count;
    const size_t begins = box_count(plan->box) + 1;
    struct batch_places places;
    if (numbers == 0) {
        return true;
    }
    if (!batch_places_find(plan->box, &plan->sets[0].order, &places, error)) {
        return false;
    }
    int32_t *atoms = malloc(numbers * sizeof *atoms);
    int32_t *begin = calloc(2 * begins, sizeof *begin);
    if (atoms && begin) {
        list_molecules(plan, &places, begin, atoms);
    }
    const bool written =
        atoms && begin
            ? buffer_write(steps->water_atoms, 0, atoms, numbers * sizeof *atoms, error) &&
                  buffer_write(steps->molecule_begin, 0, begin, begins * sizeof *begin, error)
            : fail_out_of_memory(error, "the molecules of a box");
    batch_places_free(&places);
    free(atoms);
    free(begin);
    return written;
}

static bool place_state(struct kernel_plan *plan, struct error *error) {
    const struct plan_steps *steps = plan->steps;
    const struct particle_set *set = &plan->sets[0];
    return steps_launch(
        plan, steps->place_state,
        ARGUMENTS(argument_int((int32_t)set->n),
                  argument_int((int32_t)order_share(&set->order, set->n)),
                  argument_int((int32_t)set->order.shift),
                  argument_int((int32_t)order_stride(&set->order)),
                  argument_buffer(steps->start_position), argument_buffer(steps->start_rest),
                  argument_buffer(steps->start_velocity), argument_buffer(steps->start_crossing),
                  argument_buffer(set->position), argument_buffer(steps->position_rest),
                  argument_buffer(steps->velocity), argument_buffer(steps->crossing),
                  argument_buffer(steps->index)),
        error);
}

static bool convert_displacement(struct kernel_plan *plan, struct error *error) {
    const struct plan_steps *steps = plan->steps;
    const struct particle_set *set = &plan->sets[0];
    return steps_launch(
        plan, steps->convert_displacement,
        ARGUMENTS(argument_int((int32_t)set->n),
                  argument_int((int32_t)order_share(&set->order, set->n)),
                  argument_int((int32_t)set->order.shift),
                  argument_int((int32_t)order_stride(&set->order)),
                  argument_int((int32_t)order_back(&set->order)),
                  argument_int(steps_count_crossings(plan)), argument_int(steps->exchange != NULL),
                  bindings_box(&plan->box->cell, plan->box->periodic, plan->real_is_double),
                  argument_int(plan->box->cells != NULL), argument_buffer(steps->cells),
                  argument_buffer(steps->box_of), argument_buffer(steps->start_position),
                  argument_buffer(steps->start_rest), argument_buffer(set->position),
                  argument_buffer(steps->position_rest), argument_buffer(steps->start_crossing),
                  argument_buffer(steps->crossing), argument_buffer(steps->index),
                  argument_buffer(set->result)),
        error);
}

/* ---- a launch ---- */

/* Writes the thermostat's state of the start. */
static bool write_thermostat(struct kernel_plan *plan, struct error *error) {
    const struct plan_steps *steps = plan->steps;
    bool any = false;
    for (int k = 0; k < THERMOSTAT_NUMBERS; k++) {
        any = any || steps->start_thermostat[k] != 0;
    }
    return any ? buffer_write_reals(steps->thermostat, steps->start_thermostat, THERMOSTAT_NUMBERS,
                                    plan->accum_is_double, error)
               : buffer_fill(steps->thermostat, 0, buffer_bytes(steps->thermostat), error);
}

/* The forces of the start are computed outside of the time of a launch, from positions alone: what
 * an earlier launch has left in their place, or in @scratch, could help them. */
static bool invalidate_forces(struct kernel_plan *plan, struct error *error) {
    enum { NAN_BYTE = 0xFF };
    struct buffer *force = plan->steps->force;
    return buffer_fill(force, NAN_BYTE, buffer_bytes(force), error) &&
           reciprocal_invalidate(plan, error);
}

static bool begin(struct kernel_plan *plan, const struct stage_watch *watch, struct error *error) {
    plan->steps->is_ready = true;
    plan->steps->step = (int64_t)plan->steps->start_step;
    struct buffer *face_sums = plan->steps->face_sums;
    return place_molecules(plan, error) && reciprocal_place(plan, error) &&
           place_state(plan, error) && buffer_fill(face_sums, 0, buffer_bytes(face_sums), error) &&
           steps_exchange(plan, error) && write_thermostat(plan, error) &&
           motion_find_speed(plan, error) && invalidate_forces(plan, error) &&
           scratch_poison_again(plan, error) && runs_begin(plan, watch, error) &&
           runs_enqueue_forces(plan, false, error) && scratch_poison_again(plan, error);
}

static bool ready(struct kernel_plan *plan, struct error *error) {
    return plan->steps->is_ready ||
           (kernel_plan_invalidate(plan, error) && begin(plan, NULL, error));
}

static bool enqueue(struct kernel_plan *plan, const struct stage_watch *watch,
                    struct error *error) {
    return ready(plan, error) &&
           runs_enqueue(plan, plan->spec->step.steps, plan->sum_count > 0, watch, error) &&
           stage_begins(watch, "tell", "displacement", error) && convert_displacement(plan, error);
}

static bool fill_totals(struct kernel_plan *plan, unsigned char value, struct error *error) {
    struct buffer *totals = plan->steps->totals;
    return buffer_fill(totals, value, buffer_bytes(totals), error);
}

static struct buffer *force_of(const struct kernel_plan *plan) {
    return plan->steps->force;
}

static struct program *quiet_program(const struct kernel_plan *plan) {
    return plan->steps->quiet;
}

static bool count_molecules(const struct kernel_plan *plan, const char *unit, size_t *count) {
    const bool is_known = strcmp(unit, "molecule") == 0;
    *count = is_known ? plan->steps->molecules.count : 0;
    return is_known;
}

const struct launch_driver steps_driver = { .compile = compile_quiet,
                                            .second_program = quiet_program,
                                            .create = create,
                                            .free = free_steps,
                                            .prepare_pass = prepare_pass,
                                            .unit = count_molecules,
                                            .fill_arguments = steps_fill_arguments,
                                            .parameters = step_parameters_arguments,
                                            .arguments = runs_arguments,
                                            .begin = begin,
                                            .ready = ready,
                                            .enqueue = enqueue,
                                            .force = force_of,
                                            .fill_outputs = fill_totals,
                                            .move = move,
                                            .go_back = go_back,
                                            .collect = steps_collect,
                                            .take_sums = steps_take_sums };
