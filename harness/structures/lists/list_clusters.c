/* list_clusters, lists of the columns near to columns of particles, excluded ones apart: see
 * list_clusters.cl for what the kernels do and where an entry lies. */
#include "structures/builder.h"
#include "structures/lists/molecule_columns.h"
#include "structures/lists/place_order.h"
#include "structures/lists/skin.h"

#include <math.h>

enum cluster_kernel {
    GATHER_MOLECULES = TREE_KERNELS, /* these three of columns that are molecules */
    NUMBER_MOLECULES,
    PLACE_MOLECULES,
    SORT_COLUMNS,
    FILL_CLUSTERS,
    CLUSTER_KERNELS
};

static const char *const cluster_kernel_names[CLUSTER_KERNELS] = {
    TREE_KERNEL_NAMES, "gather_molecules", "number_molecules",
    "place_molecules", "sort_columns",     "fill_clusters"
};

enum {
    GROUP_COLUMNS = 32, /* of a node: whose entries lie side by side */
    LISTED = 16         /* whose lists a group fills */
};

struct list_clusters {
    struct skin skin; /* first: skin_limit() */
    struct place_order order;
    bool by_molecule;                  /* columns are molecules */
    struct molecule_columns molecules; /* then */
    struct box_tree tree;
    struct column_lists lists, apart; /* of columns: apart, of those with an exclusion among them */
    double most_outside;              /* of the cell, in edges: see brought_next_to() */
    struct program *program;
    struct kernel *kernels[CLUSTER_KERNELS];
    struct list_exclusions exclusions;
    int32_t bare_types;           /* that have no term of types, a bit each */
    struct buffer *type;          /* the caller's; NULL: there are none */
    struct buffer *type_of_place; /* an int per place, also of nobody */
    struct buffer *flags;         /* two ints: a row overflowed; columns differ by types */
};

/* ---- making ---- */

static void list_clusters_release(void *state) {
    struct list_clusters *list = state;
    column_lists_free(&list->lists);
    column_lists_free(&list->apart);
    buffer_free(list->type_of_place);
    buffer_free(list->flags);
    box_tree_free(&list->tree);
    molecule_columns_free(&list->molecules);
    program_free(list->program);
    place_order_free(&list->order);
    skin_free(&list->skin);
}

/* A column is near to as many columns as there are particles near to one of its own, over
 * PARTICLES; those near for another particle's sake are few where columns are molecules. */
static double mean_columns(double neighbours, int particles) {
    return column_lists_mean(neighbours, particles) / particles;
}

/* Two particles at most so far outside, and within the list's radius of each other, are one image
 * apart at most. */
static double find_most_outside(const struct structure_input *input) {
    const double height = cell_least_height(&input->box->cell);
    return input->box->periodic ? 0.49 * fmax(0, 1 - skin_radius(input) / height) : 0;
}

/* What is behind the last column is of nobody, whose type is any. */
static bool allocate_types(struct device *device, size_t places, size_t more,
                           struct list_clusters *list, struct error *error) {
    const size_t bytes = (places + more) * sizeof(int32_t);
    return buffer_allocate(device, bytes, &list->type_of_place, error) &&
           buffer_fill(list->type_of_place, 0, bytes, error) &&
           buffer_allocate(device, 2 * sizeof(int32_t), &list->flags, error) &&
           buffer_fill(list->flags, 0, 2 * sizeof(int32_t), error);
}

static bool make_all(const struct structure_input *input, struct list_clusters *list,
                     struct error *error) {
    static const char *const texts[] = { "variants/box.cl",
                                         "variants/structures/cells.cl",
                                         "variants/structures/curve.cl",
                                         "variants/structures/list_entries.cl",
                                         "variants/structures/group_lists.cl",
                                         "variants/structures/box_tree.cl",
                                         "variants/structures/list_clusters.cl",
                                         NULL };
    const double neighbours = skin_mean_neighbours(skin_density(input), skin_radius(input));
    const int particles = builder_tunable(input, "PARTICLES");
    const double mean = mean_columns(neighbours, particles);
    size_t columns;
    /* the last column's places, all of which kernels read, and one of nobody */
    return column_lists_count(input, &columns, error) && skin_create(input, &list->skin, error) &&
           place_order_create(input, list->skin.n + (size_t)particles, &list->order, error) &&
           (!list->by_molecule ||
            molecule_columns_create(input, &list->order, &list->molecules, error)) &&
           builder_compile(
               input, texts,
               &(struct named_kernels){ cluster_kernel_names, CLUSTER_KERNELS, list->kernels },
               &list->program, error) &&
           box_tree_create(input, particles, GROUP_COLUMNS, &list->tree, error) &&
           allocate_types(input->device, columns * (size_t)particles, (size_t)particles, list,
                          error) &&
           column_lists_create(input->device, columns, 1, &list->apart, error) &&
           column_lists_create(input->device, columns, skin_guess_capacity(input, mean),
                               &list->lists, error);
}

static bool list_clusters_create(const struct structure_input *input, void *state,
                                 struct error *error) {
    struct list_clusters *list = state;
    list->exclusions = list_exclusions_of(input);
    list->bare_types = input->bare_types;
    list->type = input->type;
    list->by_molecule = molecule_columns_suit(input);
    list->most_outside = find_most_outside(input);
    return make_all(input, list, error);
}

/* ---- building ---- */

static bool sort_columns(struct list_clusters *list, struct error *error) {
    const struct skin *skin = &list->skin;
    const struct place_order *order = &list->order;
    const bool by_molecule = list->by_molecule;
    return builder_launch(
        list->kernels[SORT_COLUMNS], list->tree.clusters,
        ARGUMENTS(argument_int((int32_t)skin->n), argument_int((int32_t)list->tree.clusters),
                  argument_int(by_molecule), argument_buffer(order->sorted_place),
                  argument_buffer(by_molecule ? list->molecules.particles : order->sorted_place),
                  by_molecule ? argument_buffer(skin->position)
                              : skin_of_cells(skin, "sorted_position"),
                  by_molecule ? argument_buffer(order->sorted_place)
                              : skin_of_cells(skin, "sorted_index"),
                  argument_real(list->most_outside, skin->is_double), skin->box,
                  argument_buffer(order->place_index), argument_buffer(order->place_position),
                  argument_buffer(list->tree.cluster_box)),
        error);
}

static bool list_clusters_fill(void *state, struct buffer **overflow, struct error *error) {
    struct list_clusters *list = state;
    struct skin *skin = &list->skin;
    struct buffer *place_index = list->order.place_index;
    *overflow = list->flags;
    return buffer_fill(list->flags, 0, buffer_bytes(list->flags), error) &&
           builder_launch(
               list->kernels[FILL_CLUSTERS], list->tree.clusters / LISTED * BUILD_GROUP_SIZE,
               ARGUMENTS(argument_int((int32_t)skin->n), argument_int((int32_t)list->tree.nodes[0]),
                         skin_of_cells(skin, "search_radius2"), argument_buffer(place_index),
                         argument_buffer(list->order.place_position),
                         argument_buffer(list->tree.cluster_box),
                         argument_buffer(list->tree.node_box), skin->box,
                         EXCLUSION_ARGUMENTS(&list->exclusions, place_index),
                         argument_int((int32_t)list->lists.capacity),
                         argument_int((int32_t)list->apart.capacity),
                         argument_buffer(list->lists.length), argument_buffer(list->lists.entries),
                         argument_buffer(list->apart.length), argument_buffer(list->apart.entries),
                         argument_int(list->type != NULL), buffer_or(list->type, place_index),
                         argument_buffer(list->type_of_place), argument_buffer(list->flags)),
               error);
}

static bool list_clusters_grow(void *state, struct error *error) {
    struct list_clusters *list = state;
    return column_lists_grow(&list->lists, error) && column_lists_grow(&list->apart, error);
}

static bool list_clusters_build(void *state, struct error *error) {
    struct list_clusters *list = state;
    return (list->by_molecule
                ? molecule_columns_build(&list->molecules, &list->kernels[GATHER_MOLECULES],
                                         &list->skin, &list->order, error)
                : place_order_build(&list->order, &list->skin, error)) &&
           sort_columns(list, error) && box_tree_build(&list->tree, list->kernels, NULL, error);
}

static void list_clusters_ask_below(const struct structure_input *input,
                                    struct structure_input *below,
                                    struct requested_names *requested) {
    skin_ask_below(input, below, requested);
    below->only_cut = molecule_columns_suit(input);
}

/* ---- its life ---- */

static struct places_of_build list_clusters_kept(const void *state) {
    const struct list_clusters *list = state;
    return (struct places_of_build){ list->order.place_position, list->order.place_index,
                                     skin_limit(state) };
}

static bool list_clusters_ask(void *state, struct buffer **expired, struct error *error) {
    const struct list_clusters *list = state;
    return skin_ask_of(&list->skin, list_clusters_kept(list), expired, error);
}

/* ---- parameters of kernels ---- */

static const struct kernel_parameter apart_parameters[] = {
    { "apart_length", "GLOBAL const int *", FROM_BUFFER(column_lists, length) },
    { "columns_apart", "GLOBAL const int4 *", FROM_BUFFER(column_lists, entries) },
    { "apart_capacity", "int", FROM_INT(column_lists, capacity) },
    { 0 },
};

static const struct kernel_parameter types_parameters[] = {
    { "bare_types", "int", FROM_INT(list_clusters, bare_types) },
    { "type_of_place", "GLOBAL const int *", FROM_BUFFER(list_clusters, type_of_place) },
    { "cluster_flags", "GLOBAL const int *", FROM_BUFFER(list_clusters, flags) },
    { 0 },
};

static const struct parameter_table list_clusters_parts[] = {
    { types_parameters, 0 },
    { column_lists_parameters, offsetof(struct list_clusters, lists) },
    { apart_parameters, offsetof(struct list_clusters, apart) },
    { place_order_parameters, offsetof(struct list_clusters, order) },
    { NULL, 0 },
};

static const char *const list_clusters_units[] = { "column", NULL };
static const size_t list_clusters_unit_counts[] = { offsetof(struct list_clusters, lists.columns) };

static const struct structure_tunable list_clusters_tunables[] = { SKIN_TUNABLE,
                                                                   LIST_CAPACITY_TUNABLE,
                                                                   { "PARTICLES", 1,
                                                                     "particles per column" },
                                                                   ORDER_TUNABLE(ORDER_CLUSTERS),
                                                                   ROW_WIDTH_TUNABLE(120),
                                                                   { 0 } };

static double list_clusters_more_ints(const struct structure_estimate *estimate) {
    const int particles = tunings_value(estimate->tunings, "PARTICLES", 1);
    return mean_columns(skin_estimated_neighbours(estimate), particles) / particles;
}

const struct structure_class structure_list_clusters = {
    .name = "list_clusters",
    .summary = "a list of near columns per column of nearest neighbours, excluded ones apart",
    .needs = &structure_sorted_cells,
    .needs_cutoff = true,
    .ask_below = list_clusters_ask_below,
    .ask = list_clusters_ask,
    .kept = list_clusters_kept,
    .limit = skin_limit,
    .words = "variants/structures/list_entries.cl",
    .parameter_tables = list_clusters_parts,
    .units = list_clusters_units,
    .unit_counts = list_clusters_unit_counts,
    .tunables = list_clusters_tunables,
    .positions_per_particle = 1,
    .ints_per_particle = 8,
    .more_ints_per_particle = list_clusters_more_ints,
    .size = sizeof(struct list_clusters),
    .create = list_clusters_create,
    .build = list_clusters_build,
    .fill = list_clusters_fill,
    .grow = list_clusters_grow,
    .release = list_clusters_release,
};
