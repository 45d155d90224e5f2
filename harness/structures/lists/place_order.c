#include "structures/lists/place_order.h"

#include "structures/cell_grid.h"

#include <math.h>

static const char *const cluster_kernel_names[] = { "number_places", "fill_places", "find_nearest",
                                                    "sort_molecules" };
static const char *const row_kernel_names[] = { "number_places", "fill_places", "choose_rows" };

enum { MAX_CURVE_BITS = 10, MAX_KEY = 1 << 30 };

/* ---- the curve ---- */

static int at_least_one(double count, double most) {
    return (int)fmin(fmax(1, floor(count)), most);
}

/* Rows that are `width` wide and, along x, in bins as small as keys allow. */
static void make_rows(const double extent[3], double width, struct place_order *order) {
    enum { MAX_ROWS = 1 << 12, MAX_BINS = 1 << 14 };
    order->bins[1] = at_least_one(extent[1] / width, MAX_ROWS);
    order->bins[2] = at_least_one(extent[2] / width, MAX_ROWS);
    const double rows = (double)order->bins[1] * order->bins[2];
    order->bins[0] = at_least_one(MAX_KEY / rows, MAX_BINS);
    order->key_bits = builder_bits_for(rows * order->bins[0]);
}

/* Cubic bins, whose edge is at most half the spacing of particles. */
static void make_curve(double extent[3], double spacing, struct place_order *order) {
    const double longest = fmax(extent[0], fmax(extent[1], extent[2]));
    const int bits = builder_bits_for(longest / spacing) + 1;
    order->bits = bits < MAX_CURVE_BITS ? bits : MAX_CURVE_BITS;
    order->key_bits = 3 * order->bits;
    for (int d = 0; d < 3; d++) {
        order->bins[d] = 1 << order->bits;
        extent[d] = longest;
    }
}

static void make_order(const struct structure_input *input, struct place_order *order) {
    const double spacing = cbrt(1 / skin_density(input));
    struct cell_grid grid;
    double extent[3];
    cell_grid_make(input->box, skin_radius(input), 1, 0, &grid);
    order->kind = (enum order)builder_tunable(input, "ORDER");
    order->farthest = fmin((input->molecule ? 1.25 : 1) * spacing, input->cutoff);
    for (int d = 0; d < 3; d++) {
        extent[d] = grid.cells[d] * grid.width[d];
        order->origin[d] = grid.origin[d];
        order->inverse_extent[d] = 1 / extent[d];
    }
    if (order->kind == ORDER_ROWS) {
        make_rows(extent, 0.01 * builder_tunable(input, "ROW_WIDTH") * spacing, order);
    } else {
        make_curve(extent, spacing, order);
    }
    for (int d = 0; d < 3; d++) {
        order->inverse_bin[d] = order->bins[d] / extent[d];
    }
}

/* ---- making ---- */

void place_order_free(struct place_order *order) {
    buffer_free(order->key);
    buffer_free(order->sorted_key);
    buffer_free(order->value);
    buffer_free(order->sorted_place);
    buffer_free(order->place_of_sorted);
    program_free(order->program);
}

static bool allocate_buffers(const struct structure_input *input, size_t places,
                             struct place_order *order, struct error *error) {
    struct device *device = input->device;
    const size_t ints = input->box->n * sizeof(int32_t);
    const size_t position = 4 * (builder_is_double(input) ? sizeof(double) : sizeof(float));
    const size_t keys = order->kind == ORDER_CELLS ? 0 : ints;
    return buffer_allocate(device, ints, &order->key, error) &&
           buffer_allocate(device, keys, &order->sorted_key, error) &&
           buffer_allocate(device, keys, &order->value, error) &&
           buffer_allocate(device, ints, &order->sorted_place, error) &&
           buffer_allocate(device, ints, &order->place_of_sorted, error) &&
           buffer_allocate(device, places * sizeof(int32_t), &order->place_index, error) &&
           buffer_fill(order->place_index, 0, places * sizeof(int32_t), error) &&
           buffer_allocate(device, places * position, &order->place_position, error);
}

bool place_order_create(const struct structure_input *input, size_t places,
                        struct place_order *order, struct error *error) {
    static const char *const texts[] = { "variants/box.cl", "variants/structures/cells.cl",
                                         "variants/structures/curve.cl",
                                         "variants/structures/place_order.cl", NULL };
    order->device = input->device;
    order->molecule = input->molecule;
    order->exclusions = list_exclusions_of(input).kind;
    make_order(input, order);
    const struct named_kernels of_clusters = { cluster_kernel_names,
                                               order->kind == ORDER_CLUSTERS ? SORT_MOLECULES + 1
                                                                             : ORDER_KERNELS_OF_ALL,
                                               order->kernels };
    const struct named_kernels of_rows = { row_kernel_names, CHOOSE_ROWS + 1, order->kernels };
    return builder_compile(input, texts, order->kind == ORDER_CUBOIDS ? &of_rows : &of_clusters,
                           &order->program, error) &&
           allocate_buffers(input, places, order, error);
}

/* ---- building ---- */

/* Writes the molecule of each sorted particle into the buffer of the keys, which is free until keys
 * are computed. */
static bool sort_molecules(struct place_order *order, const struct skin *skin,
                           struct error *error) {
    return builder_launch(order->kernels[SORT_MOLECULES], skin->n,
                          ARGUMENTS(argument_int((int32_t)skin->n),
                                    skin_of_cells(skin, "sorted_index"),
                                    argument_buffer(order->molecule), argument_buffer(order->key)),
                          error);
}

/* How many work-items search around a particle: on a card, where particles are few, as many as keep
 * it busy; on a processor two, so that tests cover more than one. Without exclusions there is no
 * search. */
static int lanes_for(const struct place_order *order, size_t n) {
    enum { MOST = 16, MOST_OF_CPU = 2, ENOUGH = 1 << 19 };
    const int most = device_describe(order->device)->is_cpu ? MOST_OF_CPU : MOST;
    int lanes = 1;
    while (order->exclusions != BY_NOTHING && lanes < most && 2 * (size_t)lanes * n <= ENOUGH) {
        lanes *= 2;
    }
    return lanes;
}

/* Writes the nearest particle of each sorted one into the buffer of the places, which is free until
 * places are computed. */
static bool find_nearest(struct place_order *order, const struct skin *skin, struct error *error) {
    const int lanes = lanes_for(order, skin->n);
    return (!order->molecule || sort_molecules(order, skin, error)) &&
           builder_launch(
               order->kernels[FIND_NEAREST], skin->n * (size_t)lanes,
               ARGUMENTS(argument_int((int32_t)skin->n), argument_int(lanes),
                         skin_of_cells(skin, "cells"), skin_of_cells(skin, "reach"),
                         skin_of_cells(skin, "cell_width"),
                         skin_of_cells(skin, "inverse_cell_width"),
                         skin_of_cells(skin, "cell_origin"),
                         argument_real(order->farthest * order->farthest, skin->is_double),
                         skin_of_cells(skin, "cell_start"), skin_of_cells(skin, "sorted_position"),
                         argument_int((int32_t)order->exclusions), argument_buffer(order->key),
                         skin->box, argument_buffer(order->place_of_sorted)),
               error);
}

/* Finds how many rows there are, and writes it into place_of_sorted, which is not in use yet. */
static bool choose_rows(struct place_order *order, const struct skin *skin, struct error *error) {
    return builder_launch(
        order->kernels[CHOOSE_ROWS], BUILD_GROUP_SIZE,
        ARGUMENTS(argument_int((int32_t)skin->n), skin_of_cells(skin, "cells"),
                  skin_of_cells(skin, "reach"), skin_of_cells(skin, "cell_width"),
                  skin_of_cells(skin, "inverse_cell_width"), skin_of_cells(skin, "cell_origin"),
                  skin_of_cells(skin, "cell_start"), skin_of_cells(skin, "sorted_position"),
                  skin->box, argument_buffer(order->place_of_sorted)),
        error);
}

static bool number_places(struct place_order *order, const struct skin *skin, struct error *error) {
    const bool sorts = order->kind != ORDER_CELLS;
    return (order->kind != ORDER_CLUSTERS || find_nearest(order, skin, error)) &&
           (order->kind != ORDER_CUBOIDS || choose_rows(order, skin, error)) &&
           builder_launch(
               order->kernels[NUMBER_PLACES], skin->n,
               ARGUMENTS(argument_int((int32_t)skin->n), skin_of_cells(skin, "sorted_position"),
                         argument_real3(order->origin, skin->is_double),
                         argument_real3(order->inverse_bin, skin->is_double),
                         argument_int4(order->bins, order->bits),
                         argument_real3(order->inverse_extent, skin->is_double), skin->box,
                         argument_buffer(order->place_of_sorted), argument_buffer(order->key),
                         argument_buffer(sorts ? order->value : order->sorted_place)),
               error) &&
           (!sorts ||
            device_sort_pairs(order->device, (struct key_values){ order->key, order->value },
                              (struct key_values){ order->sorted_key, order->sorted_place },
                              skin->n, order->key_bits, error));
}

static bool fill_places(struct place_order *order, const struct skin *skin, struct error *error) {
    return builder_launch(
        order->kernels[FILL_PLACES], skin->n,
        ARGUMENTS(argument_int((int32_t)skin->n), argument_buffer(order->sorted_place),
                  skin_of_cells(skin, "sorted_position"), skin_of_cells(skin, "sorted_index"),
                  argument_buffer(order->place_index), argument_buffer(order->place_position),
                  argument_buffer(order->place_of_sorted)),
        error);
}

bool place_order_build(struct place_order *order, const struct skin *skin, struct error *error) {
    return number_places(order, skin, error) && fill_places(order, skin, error);
}

/* ---- parameters of kernels ---- */

const struct kernel_parameter place_order_parameters[] = {
    { "place_index", "GLOBAL const int *", FROM_BUFFER(place_order, place_index) },
    { "place_position", "GLOBAL const real4 *", FROM_BUFFER(place_order, place_position) },
    { 0 },
};

/* ---- boxes ---- */

enum { FAN = 128 }; /* nodes in one of the next level */

bool box_tree_create(const struct structure_input *input, int particles, int per_node,
                     struct box_tree *tree, struct error *error) {
    const size_t corners = 8 * (builder_is_double(input) ? sizeof(double) : sizeof(float));
    const size_t in_node = (size_t)particles * (size_t)per_node;
    tree->n = input->box->n;
    tree->particles = particles;
    tree->per_node = per_node;
    tree->nodes[0] = (tree->n + in_node - 1) / in_node;
    tree->clusters = tree->nodes[0] * (size_t)per_node;
    for (int level = 1; level < TREE_LEVELS; level++) {
        tree->nodes[level] = level < TREE_LEVELS - 1 ? (tree->nodes[level - 1] + FAN - 1) / FAN : 1;
        tree->first_node[level] = tree->first_node[level - 1] + tree->nodes[level - 1];
    }
    const size_t nodes = tree->first_node[TREE_LEVELS - 1] + 1;
    return buffer_allocate(input->device, tree->clusters * corners, &tree->cluster_box, error) &&
           buffer_allocate(input->device, nodes * corners, &tree->node_box, error);
}

void box_tree_free(struct box_tree *tree) {
    buffer_free(tree->cluster_box);
    buffer_free(tree->node_box);
}

static bool bound_level(const struct box_tree *tree, struct kernel *kernel, int level,
                        struct error *error) {
    const int below = level > 0 ? level - 1 : 0;
    const size_t children = level > 0 ? tree->nodes[below] : tree->clusters;
    return builder_launch(
        kernel, tree->nodes[level] * BUILD_GROUP_SIZE,
        ARGUMENTS(argument_int(level > 0 ? FAN : tree->per_node), argument_int((int32_t)children),
                  argument_int((int32_t)(level > 0 ? tree->first_node[below] : 0)),
                  argument_int((int32_t)tree->first_node[level]),
                  argument_int(tree->nodes[level] == 1 ? TREE_LEVELS - level : 1),
                  argument_buffer(level > 0 ? tree->node_box : tree->cluster_box),
                  argument_buffer(tree->node_box)),
        error);
}

bool box_tree_build(const struct box_tree *tree, struct kernel *const *kernels,
                    struct buffer *place_position, struct error *error) {
    int level = 0;
    bool bound = !place_position ||
                 builder_launch(
                     kernels[BOUND_CLUSTERS], tree->clusters,
                     ARGUMENTS(argument_int((int32_t)tree->n),
                               argument_int((int32_t)tree->clusters), argument_int(tree->particles),
                               argument_buffer(place_position), argument_buffer(tree->cluster_box)),
                     error);
    do {
        bound = bound && bound_level(tree, kernels[BOUND_NODES], level, error);
    } while (bound && tree->nodes[level++] > 1);
    return bound;
}
