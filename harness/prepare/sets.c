/* The particles of a prepared case, as kernels see them. */
#include "core/threads.h"
#include "prepare/kernel_plan_parts.h"

#include <stdlib.h>
#include <string.h>

static bool is_pairs(const struct kernel_plan *plan) {
    return plan->groups && plan->groups->mode == GROUPS_PAIRS;
}

static bool is_two(const struct kernel_plan *plan) {
    return plan->groups && plan->groups->mode == GROUPS_TWO;
}

/* Which particles each set has. */
static void name_members(struct kernel_plan *plan) {
    const struct groups *groups = plan->groups;
    struct particle_set *a = &plan->sets[0];
    struct particle_set *b = &plan->sets[1];
    plan->set_count = is_two(plan) || is_pairs(plan) ? 2 : 1;
    if (!groups || groups->everything) {
        a->n = plan->box->n;
        return;
    }
    a->n = groups->n_a;
    a->index = groups->a;
    if (plan->set_count == 2) {
        b->n = groups->n_b;
        b->index = groups->b;
    }
}

/* The particle of the box at a place of the arrays that kernels see. */
static size_t particle_of(const struct particle_set *set, size_t place) {
    const size_t member = set_member(set, place);
    return set->index ? (size_t)set->index[member] : member;
}

/* Copies positions to the device's arrays; large boxes by several threads. */
struct staging {
    const struct kernel_plan *plan;
    const struct particle_set *set;
    const struct box *box;
    void *staged;
};

static void stage_some(void *context, size_t first, size_t end) {
    const struct staging *staging = context;
    const struct box *box = staging->box;
    for (size_t m = first; m < end; m++) {
        const size_t i = particle_of(staging->set, m);
        for (size_t d = 0; d < 4; d++) {
            const double value = d < 3 ? box->position[3 * i + d] : box->charge[i];
            real_set(staging->staged, staging->plan->real_is_double, 4 * m + d, value);
        }
    }
}

void set_stage_positions(const struct kernel_plan *plan, const struct particle_set *set,
                         const struct box *box, void *staged) {
    struct staging staging = { plan, set, box, staged };
    threads_share(set->n, stage_some, &staging);
}

bool set_write_positions(const struct kernel_plan *plan, struct particle_set *set,
                         const struct box *box, struct error *error) {
    const size_t bytes = set->n * 4 * kernel_plan_real_size(plan);
    void *staged = malloc(bytes ? bytes : 1);
    if (!staged) {
        return fail_out_of_memory(error, "the positions");
    }
    set_stage_positions(plan, set, box, staged);
    bool written = buffer_write(set->position, 0, staged, bytes, error);
    free(staged);
    return written;
}

static bool upload_positions(struct kernel_plan *plan, struct particle_set *set,
                             struct error *error) {
    const size_t bytes = set->n * 4 * kernel_plan_real_size(plan);
    return buffer_allocate(plan->device, bytes, &set->position, error) &&
           (!plan_has_steps(plan) || buffer_allocate(plan->device, bytes, &set->built, error)) &&
           set_write_positions(plan, set, plan->box, error);
}

/* Uploads the particles of a set: kernels of two groups ask whether two members are the same
 * particle. */
static bool upload_index(struct kernel_plan *plan, struct particle_set *set, struct error *error) {
    return buffer_upload(plan->device, "index", set->index, set->n * sizeof *set->index,
                         &set->index_on_device, error);
}

/* Makes a box of the members alone, in the cell of the whole box, for structures, which need
 * positions only. */
static bool gather_members(const struct kernel_plan *plan, struct particle_set *set,
                           struct error *error) {
    const struct box *box = plan->box;
    if (!box_allocate(set->n, &set->members, error)) {
        return false;
    }
    set->members.periodic = box->periodic;
    set->members.cell = box->cell;
    memcpy(set->members.kind, box->kind, sizeof box->kind);
    set->members.density = box->density;
    set->members.margin = box->margin;
    if ((box->velocity && !box_add_velocities(&set->members, error)) ||
        (box->mass && !box_add_masses(&set->members, error))) {
        return false;
    }
    for (size_t m = 0; m < set->n; m++) {
        const size_t i = particle_of(set, m);
        memcpy(&set->members.position[3 * m], &box->position[3 * i], 3 * sizeof(double));
        set->members.charge[m] = box->charge[i];
        if (box->velocity) {
            memcpy(&set->members.velocity[3 * m], &box->velocity[3 * i], 3 * sizeof(double));
        }
        if (box->mass) {
            set->members.mass[m] = box->mass[i];
        }
    }
    return true;
}

/* Two particles that each moved by half the skin can have come nearer to each other by all of it.
 */
static double half_skin(const struct kernel_plan *plan) {
    return 0.5 * 0.01 * tunings_value(&plan->spec->tunings, SCHEDULE_SKIN, 0) * plan->cutoff;
}

static bool create_structure(struct kernel_plan *plan, struct particle_set *set,
                             struct error *error) {
    const struct variant *variant = plan->spec->variant;
    const struct pair_buffers of_members = { 0 }; /* exclusions are of the particles of the box */
    const struct pair_buffers *pair = set->index ? &of_members : &plan->pair;
    if (set->index && plan_has_structure(plan) && !gather_members(plan, set, error)) {
        return false;
    }
    struct requested_names *requested = calloc(1, sizeof *requested);
    if (!requested) {
        return fail_out_of_memory(error, plan->structure->name);
    }
    requested_names_of_variant(variant, requested);
    const struct structure_input input = { .device = plan->device,
                                           .box = set->members.n ? &set->members : plan->box,
                                           .position = places_to_build_for(plan, set),
                                           .precision = plan->spec->precision,
                                           .cutoff = plan->cutoff,
                                           .requested = requested,
                                           .tunings = &plan->spec->tunings,
                                           .excluded_start = pair->excluded_start,
                                           .excluded = pair->excluded,
                                           .molecule = pair->molecule,
                                           .types = pair->types,
                                           .bare_types = pair->bare_types,
                                           .type = pair->type };
    bool created = structure_chain_create(plan->structure, &input, &set->structure, error) &&
                   (!variant_rebuilds_when_moved(variant) ||
                    moved_test_create(&input, set->n, half_skin(plan), &set->moved, error));
    free(requested);
    return created;
}

/* Bytes of a set's results on the device. */
static size_t result_bytes(const struct kernel_plan *plan, const struct particle_set *set) {
    const struct workload_places *places = plan->spec->variant->workload->places;
    return places ? places->count(plan->spec) * places->bytes(plan->spec)
                  : set->n * 4 * kernel_plan_accum_size(plan);
}

bool sets_create(struct kernel_plan *plan, struct error *error) {
    const bool has_particles = workload_has_particles(plan->spec->variant->workload);
    name_members(plan);
    for (int s = 0; s < plan->set_count; s++) {
        struct particle_set *set = &plan->sets[s];
        if ((has_particles && !upload_positions(plan, set, error)) ||
            !buffer_allocate(plan->device, result_bytes(plan, set), &set->result, error) ||
            (is_two(plan) && !upload_index(plan, set, error)) ||
            !create_structure(plan, set, error)) {
            return false;
        }
    }
    return true;
}

void sets_free(struct kernel_plan *plan) {
    for (int s = 0; s < MAX_SETS; s++) {
        struct particle_set *set = &plan->sets[s];
        structure_chain_free(set->structure);
        moved_test_free(set->moved);
        buffer_free(set->position);
        buffer_free(set->built);
        buffer_free(set->index_on_device);
        buffer_free(set->result);
        box_free(&set->members);
    }
}

/* Copies vectors of particles back from the device's arrays. */
struct adding {
    const struct kernel_plan *plan;
    const struct particle_set *set;
    const void *results;
    double *vectors;
};

static void add_some(void *context, size_t first, size_t end) {
    const struct adding *adding = context;
    const double sign = kernel_plan_sign(adding->plan);
    const bool wide = adding->plan->accum_is_double;
    for (size_t m = first; m < end; m++) {
        double *vector = &adding->vectors[3 * particle_of(adding->set, m)];
        for (size_t d = 0; d < 3; d++) {
            vector[d] += sign * real_at(adding->results, wide, 4 * m + d);
        }
    }
}

void set_add_results(const struct kernel_plan *plan, const struct particle_set *set,
                     const void *results, double *numbers) {
    const struct workload_places *places = plan->spec->variant->workload->places;
    struct adding adding = { plan, set, results, numbers };
    if (places) {
        for (size_t k = 0; k < places->count(plan->spec); k++) {
            numbers[k] = places->number(plan->spec, results, k);
        }
        return;
    }
    if (is_pairs(plan)) { /* a particle may be in several: one after the other */
        add_some(&adding, 0, set->n);
        return;
    }
    threads_share(set->n, add_some, &adding);
}
