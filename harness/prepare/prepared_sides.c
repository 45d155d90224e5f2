/* The particles of a prepared case, as kernels see them. */
#include "prepare/prepared_parts.h"

#include <stdlib.h>
#include <string.h>

static bool is_pairs(const struct prepared *prepared) {
    return prepared->groups && prepared->groups->mode == GROUPS_PAIRS;
}

static bool is_two(const struct prepared *prepared) {
    return prepared->groups && prepared->groups->mode == GROUPS_TWO;
}

/* Which particles each side has. */
static void name_members(struct prepared *prepared) {
    const struct groups *groups = prepared->groups;
    struct prepared_side *a = &prepared->sides[0];
    struct prepared_side *b = &prepared->sides[1];
    prepared->side_count = is_two(prepared) || is_pairs(prepared) ? 2 : 1;
    if (!groups || groups->everything) {
        a->n = prepared->box->n;
        return;
    }
    a->n = groups->n_a;
    a->index = groups->a;
    if (prepared->side_count == 2) {
        b->n = groups->n_b;
        b->index = groups->b;
    }
}

/* The particle of the box at a place of the arrays that kernels see. */
static size_t particle_of(const struct prepared_side *side, size_t place) {
    const size_t member = side_member(side, place);
    return side->index ? (size_t)side->index[member] : member;
}

void side_stage_positions(const struct prepared *prepared, const struct prepared_side *side,
                          const struct box *box, void *staged) {
    for (size_t m = 0; m < side->n; m++) {
        const size_t i = particle_of(side, m);
        for (size_t d = 0; d < 4; d++) {
            const double value = d < 3 ? box->position[3 * i + d] : box->charge[i];
            if (prepared->real_is_double) {
                ((double *)staged)[4 * m + d] = value;
            } else {
                ((float *)staged)[4 * m + d] = (float)value;
            }
        }
    }
}

bool side_write_positions(const struct prepared *prepared, struct prepared_side *side,
                          const struct box *box, struct error *error) {
    const size_t bytes = side->n * 4 * prepared_real_size(prepared);
    void *staged = malloc(bytes ? bytes : 1);
    if (!staged) {
        return fail_out_of_memory(error, "the positions");
    }
    side_stage_positions(prepared, side, box, staged);
    bool written = buffer_write(side->position, 0, staged, bytes, error);
    free(staged);
    return written;
}

static bool upload_positions(struct prepared *prepared, struct prepared_side *side,
                             struct error *error) {
    const size_t bytes = side->n * 4 * prepared_real_size(prepared);
    return buffer_allocate(prepared->device, bytes, &side->position, error) &&
           side_write_positions(prepared, side, prepared->box, error);
}

/* Kernels of two groups ask whether a particle of one is a particle of the other. */
static bool upload_index(struct prepared *prepared, struct prepared_side *side,
                         struct error *error) {
    const size_t bytes = side->n * sizeof *side->index;
    return buffer_allocate(prepared->device, bytes, &side->index_on_device, error) &&
           buffer_write(side->index_on_device, 0, side->index, bytes, error);
}

/* The members alone, in the cell of the box: all that a structure looks at are their places. */
static bool gather_members(const struct prepared *prepared, struct prepared_side *side,
                           struct error *error) {
    const struct box *box = prepared->box;
    if (!box_allocate(side->n, &side->members, error)) {
        return false;
    }
    side->members.periodic = box->periodic;
    memcpy(side->members.edge, box->edge, sizeof box->edge);
    memcpy(side->members.kind, box->kind, sizeof box->kind);
    side->members.density = box->density;
    for (size_t m = 0; m < side->n; m++) {
        const size_t i = particle_of(side, m);
        memcpy(&side->members.position[3 * m], &box->position[3 * i], 3 * sizeof(double));
        side->members.charge[m] = box->charge[i];
    }
    return true;
}

static bool create_structure(struct prepared *prepared, struct prepared_side *side,
                             struct error *error) {
    if (side->index && prepared_has_structure(prepared) && !gather_members(prepared, side, error)) {
        return false;
    }
    struct requested_names *requested = calloc(1, sizeof *requested);
    if (!requested) {
        return fail_out_of_memory(error, prepared->structure->name);
    }
    requested_names_of_variant(prepared->spec->variant, requested);
    const struct structure_input input = { .device = prepared->device,
                                           .box = side->members.n ? &side->members : prepared->box,
                                           .position = side->position,
                                           .precision = prepared->spec->precision,
                                           .cutoff = prepared->cutoff,
                                           .requested = requested,
                                           .tunings = &prepared->spec->tunings };
    bool created = structure_chain_create(prepared->structure, &input, &side->structure, error);
    free(requested);
    return created;
}

bool sides_create(struct prepared *prepared, struct error *error) {
    name_members(prepared);
    for (int s = 0; s < prepared->side_count; s++) {
        struct prepared_side *side = &prepared->sides[s];
        if (!upload_positions(prepared, side, error) ||
            !buffer_allocate(prepared->device, side->n * 4 * prepared_accum_size(prepared),
                             &side->result, error) ||
            (is_two(prepared) && !upload_index(prepared, side, error)) ||
            !create_structure(prepared, side, error)) {
            return false;
        }
    }
    return true;
}

void sides_free(struct prepared *prepared) {
    for (int s = 0; s < MAX_SIDES; s++) {
        struct prepared_side *side = &prepared->sides[s];
        structure_chain_free(side->structure);
        buffer_free(side->position);
        buffer_free(side->index_on_device);
        buffer_free(side->result);
        box_free(&side->members);
    }
}

void side_add_results(const struct prepared *prepared, const struct prepared_side *side,
                      const void *results, double *vectors) {
    const double sign = prepared_sign(prepared);
    for (size_t m = 0; m < side->n; m++) {
        double *vector = &vectors[3 * particle_of(side, m)];
        for (size_t d = 0; d < 3; d++) {
            vector[d] +=
                sign * (prepared->accum_is_double ? ((const double *)results)[4 * m + d]
                                                  : (double)((const float *)results)[4 * m + d]);
        }
    }
}
