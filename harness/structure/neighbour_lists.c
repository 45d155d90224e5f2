#include "structure/neighbour_lists.h"

#include "structure/builder.h"

#include <string.h>

/* Whether one of the two is asked for: a launch unit, a parameter. */
static bool is_wanted(const struct variant *variant, const char *unit, const char *parameter) {
    return builder_is_asked_for(variant, unit) || builder_is_asked_for(variant, parameter);
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

bool neighbour_lists_create(const struct structure_input *input, struct neighbour_lists *lists,
                            struct error *error) {
    const bool periodic = input->box->periodic;
    const bool wants_split = is_wanted(input->variant, "disjoint_pair", "disjoint_pairs") ||
                             is_wanted(input->variant, "remaining_pair", "remaining_pairs");
    const bool wants_all = is_wanted(input->variant, "cell_pair", "cell_pairs");
    struct cell_pairs pairs = { 0 };
    const struct cell_grid *grid = &lists->grid;
    lists->is_double = builder_is_double(input);
    builder_make_grid(input, &lists->grid);
    bool made =
        cell_pairs_make_offsets(grid, periodic, &pairs, error) &&
        (!(wants_all || wants_split) || cell_pairs_make_all(grid, periodic, &pairs, error)) &&
        (!wants_split || cell_pairs_split(grid, &pairs, error));
    if (!wants_all) {
        pairs.all_count = 0;
    }
    made = made && upload_all(input, &pairs, lists, error);
    cell_pairs_free(&pairs);
    return made;
}

void neighbour_lists_free(struct neighbour_lists *lists) {
    buffer_free(lists->later_cells);
    buffer_free(lists->cell_pairs);
    buffer_free(lists->disjoint_pairs);
    buffer_free(lists->remaining_pairs);
    *lists = (struct neighbour_lists){ 0 };
}

/* What there is: a list, its length, and the unit of launches that goes with it. */
struct listing {
    const char *list, *length, *unit;
    const struct buffer *buffer;
    size_t count;
};

enum { LISTINGS = 4 };

static void listings_of(const struct neighbour_lists *lists, struct listing listings[LISTINGS]) {
    listings[0] = (struct listing){ "later_cells", "later_cell_count", NULL, lists->later_cells,
                                    lists->later_count };
    listings[1] = (struct listing){ "cell_pairs", "cell_pair_count", "cell_pair", lists->cell_pairs,
                                    lists->pair_count };
    listings[2] = (struct listing){ "disjoint_pairs", "disjoint_pair_count", "disjoint_pair",
                                    lists->disjoint_pairs, lists->disjoint_count };
    listings[3] = (struct listing){ "remaining_pairs", "remaining_pair_count", "remaining_pair",
                                    lists->remaining_pairs, lists->remaining_count };
}

bool neighbour_lists_argument(const struct neighbour_lists *lists, const char *name,
                              struct argument *argument) {
    struct listing listings[LISTINGS];
    listings_of(lists, listings);
    for (int l = 0; l < LISTINGS; l++) {
        if (strcmp(name, listings[l].list) == 0) {
            *argument = argument_buffer(listings[l].buffer);
            return true;
        }
        if (strcmp(name, listings[l].length) == 0) {
            *argument = argument_int((int32_t)listings[l].count);
            return true;
        }
    }
    return cell_grid_argument(&lists->grid, lists->is_double, name, argument);
}

bool neighbour_lists_unit(const struct neighbour_lists *lists, const char *name, size_t *count) {
    struct listing listings[LISTINGS];
    listings_of(lists, listings);
    if (strcmp(name, "cell") == 0) {
        *count = (size_t)lists->grid.total;
        return true;
    }
    for (int l = 0; l < LISTINGS; l++) {
        if (listings[l].unit && strcmp(name, listings[l].unit) == 0) {
            *count = listings[l].count;
            return true;
        }
    }
    return false;
}
