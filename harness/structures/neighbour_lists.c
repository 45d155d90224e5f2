#include "structures/neighbour_lists.h"

#include "structures/builder.h"

#include <stdlib.h>
#include <string.h>

/* Whether one of the two is asked for: a launch unit, a parameter. */
static bool is_wanted(const struct structure_input *input, const char *unit,
                      const char *parameter) {
    return requested_names_have(input->requested, unit) ||
           requested_names_have(input->requested, parameter);
}

static bool upload(struct device *device, const void *data, size_t bytes, struct buffer **buffer,
                   struct error *error) {
    return buffer_allocate(device, bytes, buffer, error) &&
           buffer_write(*buffer, 0, data, bytes, error);
}

static bool upload_all(const struct structure_input *input, const struct cell_pairs *pairs,
                       struct neighbour_lists *lists, struct error *error) {
    const size_t of_pair = sizeof(struct cell_pair);
    lists->later_count = pairs->offset_count;
    lists->pair_count = pairs->all_count;
    lists->disjoint_count = pairs->disjoint_count;
    lists->remaining_count = pairs->remaining_count;
    return upload(input->device, pairs->offsets, pairs->offset_count * sizeof(struct cell_offset),
                  &lists->later_cells, error) &&
           upload(input->device, pairs->all, pairs->all_count * of_pair, &lists->cell_pairs,
                  error) &&
           upload(input->device, pairs->disjoint, pairs->disjoint_count * of_pair,
                  &lists->disjoint_pairs, error) &&
           upload(input->device, pairs->remaining, pairs->remaining_count * of_pair,
                  &lists->remaining_pairs, error);
}

/* The tables of variants/structures/cells.cl. Kernels number bins by int. */
static bool upload_parts(const struct structure_input *input, struct neighbour_lists *lists,
                         struct error *error) {
    const struct cell_grid *grid = &lists->grid;
    const size_t bins = (size_t)builder_tunable(input, "CELL_LOOKUP");
    const size_t total =
        bins * ((size_t)grid->cells[0] + (size_t)grid->cells[1] + (size_t)grid->cells[2]);
    size_t next = 0;
    if ((bins & (bins - 1)) != 0 || total > INT32_MAX) {
        return fail(error, STATUS_UNSUPPORTED,
                    "CELL_LOOKUP=%zu: expected 0 or a power of two, and at most 2^31 - 1 bins for "
                    "%d + %d + %d cells",
                    bins, grid->cells[0], grid->cells[1], grid->cells[2]);
    }
    int32_t *parts = calloc(total + 1, sizeof *parts);
    if (!parts) {
        return fail_out_of_memory(error, "the tables of cells");
    }
    for (int d = 0, stride = 1; d < 3; stride *= grid->cells[d++]) {
        for (size_t bin = 0; bin < bins * (size_t)grid->cells[d]; bin++) {
            parts[next++] = (int32_t)(bin / bins) * stride;
        }
    }
    const bool uploaded = upload(input->device, parts, (total ? total : 1) * sizeof *parts,
                                 &lists->cell_parts, error);
    free(parts);
    return uploaded;
}

bool neighbour_lists_create(const struct structure_input *input, struct neighbour_lists *lists,
                            struct error *error) {
    const bool periodic = input->box->periodic;
    const bool wants_split = is_wanted(input, "disjoint_pair", "disjoint_pairs") ||
                             is_wanted(input, "remaining_pair", "remaining_pairs");
    const bool wants_all = is_wanted(input, "cell_pair", "cell_pairs");
    struct cell_pairs pairs = { 0 };
    const struct cell_grid *grid = &lists->grid;
    builder_make_grid(input, &lists->grid);
    bool made =
        cell_pairs_make_offsets(grid, periodic, &pairs, error) &&
        (!(wants_all || wants_split) || cell_pairs_make_all(grid, periodic, &pairs, error)) &&
        (!wants_split || cell_pairs_split(grid, &pairs, error));
    if (!wants_all) {
        pairs.all_count = 0;
    }
    made = made && upload_all(input, &pairs, lists, error) && upload_parts(input, lists, error);
    cell_pairs_free(&pairs);
    return made;
}

void neighbour_lists_free(struct neighbour_lists *lists) {
    buffer_free(lists->cell_parts);
    buffer_free(lists->later_cells);
    buffer_free(lists->cell_pairs);
    buffer_free(lists->disjoint_pairs);
    buffer_free(lists->remaining_pairs);
    *lists = (struct neighbour_lists){ 0 };
}

DEFINE_BUFFER_VALUE(neighbour_lists, cell_parts)
DEFINE_BUFFER_VALUE(neighbour_lists, later_cells)
DEFINE_INT_VALUE(neighbour_lists, later_count)
DEFINE_BUFFER_VALUE(neighbour_lists, cell_pairs)
DEFINE_INT_VALUE(neighbour_lists, pair_count)
DEFINE_BUFFER_VALUE(neighbour_lists, disjoint_pairs)
DEFINE_INT_VALUE(neighbour_lists, disjoint_count)
DEFINE_BUFFER_VALUE(neighbour_lists, remaining_pairs)
DEFINE_INT_VALUE(neighbour_lists, remaining_count)

const struct offer neighbour_lists_offers[] = {
    { "cell_parts", "GLOBAL const int *", value_of_cell_parts },
    { "later_cells", "GLOBAL const int4 *", value_of_later_cells },
    { "later_cell_count", "int", value_of_later_count },
    { "cell_pairs", "GLOBAL const int4 *", value_of_cell_pairs },
    { "cell_pair_count", "int", value_of_pair_count },
    { "disjoint_pairs", "GLOBAL const int4 *", value_of_disjoint_pairs },
    { "disjoint_pair_count", "int", value_of_disjoint_count },
    { "remaining_pairs", "GLOBAL const int4 *", value_of_remaining_pairs },
    { "remaining_pair_count", "int", value_of_remaining_count },
    { NULL, NULL, NULL },
};

bool neighbour_lists_unit(const struct neighbour_lists *lists, const char *name, size_t *count) {
    const struct {
        const char *unit;
        size_t count;
    } units[] = {
        { "cell", (size_t)lists->grid.total },
        { "cell_pair", lists->pair_count },
        { "disjoint_pair", lists->disjoint_count },
        { "remaining_pair", lists->remaining_count },
    };
    for (size_t u = 0; u < sizeof units / sizeof units[0]; u++) {
        if (strcmp(name, units[u].unit) == 0) {
            *count = units[u].count;
            return true;
        }
    }
    return false;
}
