/* pair_list, a list of neighbours over sorted cells: see pair_list.cl for what the kernels do. */
#include "structure/builder.h"
#include "structure/chain.h"
#include "structure/structures.h"
#include "variant/bindings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum list_kernel { LIST_NEIGHBOURS, FIND_MOVED, LIST_KERNELS };

static const char *const list_kernel_names[LIST_KERNELS] = { "list_neighbours", "find_moved" };

enum {
    MAX_GUESSED = 512, /* a wrong guess must not take all memory: rows that are too short grow */
    ROW_STEP = 4       /* rows are multiples of so many places */
};

struct pair_list {
    struct device *device;
    const struct structure_chain *cells;
    struct buffer *position; /* the caller's */
    size_t n;
    struct argument box; /* as kernels have it */
    bool is_double;
    double skin;
    struct program *program;
    struct kernel *kernels[LIST_KERNELS];
    size_t capacity;                /* places of a row */
    struct buffer *neighbour_count; /* n ints */
    struct buffer *neighbours;      /* n x capacity ints */
    struct buffer *flag;            /* one int: a row overflowed, or a particle moved too far */
};

/* ---- how far the list reaches ---- */

/* In a periodic box no more than an edge: no farther do cells look for images. In a triclinic one
 * no more than half the least height: no farther is an image certain to be the nearest. */
static double list_radius(const struct structure_input *input) {
    const struct cell *cell = &input->box->cell;
    const double radius = input->cutoff * (1 + 0.01 * builder_tunable(input, "SKIN"));
    const double most = cell_least_height(cell) * (cell_is_triclinic(cell) ? 0.5 : 1);
    return input->box->periodic ? fmax(input->cutoff, fmin(radius, most)) : radius;
}

static void pair_list_ask_below(const struct structure_input *input, struct structure_input *below,
                                struct requested_names *requested) {
    (void)requested;
    below->cutoff = list_radius(input);
}

static double mean_neighbours(double density, double radius) {
    const double pi = 3.14159265358979323846;
    return density * 4.0 / 3.0 * pi * radius * radius * radius;
}

/* ---- making ---- */

static void pair_list_release(void *state) {
    struct pair_list *list = state;
    if (!list) {
        return;
    }
    buffer_free(list->neighbour_count);
    buffer_free(list->neighbours);
    buffer_free(list->flag);
    program_free(list->program);
    free(list);
}

/* Rows with room for at least `places`. What the list held is lost. */
static bool set_capacity(struct pair_list *list, size_t places, struct error *error) {
    const size_t capacity = (places + ROW_STEP - 1) / ROW_STEP * ROW_STEP;
    if (capacity > INT32_MAX || (list->n > 0 && capacity > SIZE_MAX / sizeof(int32_t) / list->n)) {
        return fail(error, STATUS_UNSUPPORTED,
                    "a particle has %zu neighbours: rows of a list hold %d at most", places,
                    INT32_MAX - ROW_STEP);
    }
    buffer_free(list->neighbours);
    list->neighbours = NULL;
    list->capacity = capacity;
    return buffer_allocate(list->device, list->n * capacity * sizeof(int32_t), &list->neighbours,
                           error);
}

/* Places of a row for particles spread evenly, and some more. */
static size_t guess_capacity(const struct structure_input *input) {
    const int asked = builder_tunable(input, "LIST_CAPACITY");
    struct cell_grid grid;
    double volume = 1;
    if (asked > 0) {
        return (size_t)asked;
    }
    cell_grid_make(input->box, list_radius(input), 1, 0, &grid);
    for (int d = 0; d < 3; d++) {
        volume *= grid.cells[d] * grid.width[d];
    }
    const double n = (double)input->box->n;
    const double guess = 16 + 1.2 * mean_neighbours(n / volume, list_radius(input));
    return (size_t)fmin(fmin(guess, n), MAX_GUESSED);
}

static bool make_all(const struct structure_input *input, struct pair_list *list,
                     struct error *error) {
    static const char *const texts[] = { "variants/box.cl", "variants/structures/cells.cl",
                                         "variants/structures/pair_list.cl", NULL };
    return builder_compile(input, texts, list_kernel_names, LIST_KERNELS, &list->program,
                           list->kernels, error) &&
           buffer_allocate(list->device, list->n * sizeof(int32_t), &list->neighbour_count,
                           error) &&
           buffer_allocate(list->device, sizeof(int32_t), &list->flag, error) &&
           set_capacity(list, guess_capacity(input), error);
}

static bool pair_list_create(const struct structure_input *input, void **state,
                             struct error *error) {
    struct pair_list *list = calloc(1, sizeof *list);
    if (!list) {
        return fail_out_of_memory(error, "pair_list");
    }
    list->device = input->device;
    list->cells = input->below;
    list->position = input->position;
    list->n = input->box->n;
    list->is_double = builder_is_double(input);
    list->skin = list_radius(input) - input->cutoff;
    list->box = bindings_box(&input->box->cell, input->box->periodic, list->is_double);
    if (!make_all(input, list, error)) {
        pair_list_release(list);
        return false;
    }
    *state = list;
    return true;
}

/* ---- building ---- */

/* An argument that the cells offer. */
static struct argument of_cells(const struct pair_list *list, const char *name) {
    struct argument argument = { 0 };
    (void)structure_chain_argument(list->cells, name, &argument);
    return argument;
}

/* Launches a kernel that may set the flag, and waits for it. */
static bool launch_and_ask(struct pair_list *list, enum list_kernel kernel,
                           const struct argument *arguments, size_t count, bool *raised,
                           struct error *error) {
    int32_t flag = 0;
    if (!buffer_fill(list->flag, 0, sizeof flag, error) ||
        !builder_launch(list->kernels[kernel], list->n, arguments, count, error) ||
        !buffer_read(list->flag, 0, &flag, sizeof flag, error)) {
        return false;
    }
    *raised = flag != 0;
    return true;
}

static bool fill_rows(struct pair_list *list, bool *overflowed, struct error *error) {
    const struct argument arguments[] = { argument_int((int32_t)list->n),
                                          of_cells(list, "cells"),
                                          of_cells(list, "reach"),
                                          of_cells(list, "cell_width"),
                                          of_cells(list, "inverse_cell_width"),
                                          of_cells(list, "cell_origin"),
                                          of_cells(list, "search_radius2"),
                                          of_cells(list, "cell_start"),
                                          of_cells(list, "sorted_position"),
                                          of_cells(list, "sorted_index"),
                                          list->box,
                                          argument_int((int32_t)list->capacity),
                                          argument_buffer(list->neighbour_count),
                                          argument_buffer(list->neighbours),
                                          argument_buffer(list->flag) };
    return launch_and_ask(list, LIST_NEIGHBOURS, arguments, sizeof arguments / sizeof arguments[0],
                          overflowed, error);
}

/* Counts go on past the capacity, so that the fullest row says what is needed; an eighth more,
 * since particles will move. */
static bool grow(struct pair_list *list, struct error *error) {
    const size_t bytes = buffer_bytes(list->neighbour_count);
    int32_t *counts = malloc(bytes);
    size_t most = 0;
    if (!counts) {
        return fail_out_of_memory(error, "the counts of pair_list");
    }
    const bool read = buffer_read(list->neighbour_count, 0, counts, bytes, error);
    for (size_t i = 0; read && i < list->n; i++) {
        most = (size_t)counts[i] > most ? (size_t)counts[i] : most;
    }
    free(counts);
    return read && set_capacity(list, most + most / 8, error);
}

static bool pair_list_build(void *state, struct error *error) {
    struct pair_list *list = state;
    bool overflowed = false;
    if (!fill_rows(list, &overflowed, error)) {
        return false;
    }
    return !overflowed || (grow(list, error) && fill_rows(list, &overflowed, error));
}

/* Two particles that each moved by half the skin can have come nearer to each other by all of it.
 */
static bool pair_list_is_valid(void *state, bool *valid, struct error *error) {
    struct pair_list *list = state;
    const double limit = 0.5 * list->skin;
    const struct argument arguments[] = { argument_int((int32_t)list->n),
                                          argument_buffer(list->position),
                                          of_cells(list, "sorted_position"),
                                          of_cells(list, "sorted_index"),
                                          list->box,
                                          argument_real(limit * limit, list->is_double),
                                          argument_buffer(list->flag) };
    bool moved = true;
    if (!launch_and_ask(list, FIND_MOVED, arguments, sizeof arguments / sizeof arguments[0], &moved,
                        error)) {
        return false;
    }
    *valid = !moved;
    return true;
}

/* ---- what it offers ---- */

DEFINE_BUFFER_VALUE(pair_list, neighbour_count)
DEFINE_BUFFER_VALUE(pair_list, neighbours)
DEFINE_INT_VALUE(pair_list, capacity)

static const struct offer pair_list_offers[] = {
    { "neighbour_count", "GLOBAL const int *", value_of_neighbour_count },
    { "neighbours", "GLOBAL const int *", value_of_neighbours },
    { "list_capacity", "int", value_of_capacity },
    { NULL, NULL, NULL },
};

static const struct offers pair_list_parts[] = { { pair_list_offers, 0 }, { NULL, 0 } };

enum { SKIN_PRESET = 12 };

static const struct structure_tunable pair_list_tunables[] = {
    { "SKIN", SKIN_PRESET, "what the list reaches beyond the cutoff, in hundredths of it" },
    { "LIST_CAPACITY", 0, "places of a row to begin with; 0: what the mean density suggests" },
    { 0 }
};

static double pair_list_more_ints(const struct structure_estimate *estimate) {
    const double skin = 0.01 * tunings_value(estimate->tunings, "SKIN", SKIN_PRESET);
    const double neighbours = mean_neighbours(estimate->density, estimate->cutoff * (1 + skin));
    return isfinite(neighbours) ? fmin(neighbours, estimate->n) : 0;
}

const struct structure_class structure_pair_list = {
    .name = "pair_list",
    .summary = "a row per particle: its neighbours within the cutoff and a skin",
    .needs = "sorted_cells",
    .needs_cutoff = true,
    .offers = pair_list_parts,
    .tunables = pair_list_tunables,
    .ints_per_particle = 1,
    .more_ints_per_particle = pair_list_more_ints,
    .ask_below = pair_list_ask_below,
    .create = pair_list_create,
    .build = pair_list_build,
    .is_valid = pair_list_is_valid,
    .release = pair_list_release,
};
