/* list_clusters, lists of the columns near to columns of particles, excluded ones apart: see
 * list_clusters.cl for what the kernels do and where an entry lies. */
#include "kernels/structure.h"
#include "structures/builder.h"
#include "structures/lists/place_order.h"
#include "structures/lists/skin.h"

#include <math.h>
#include <stdlib.h>

/* ---- columns that are molecules ---- */

struct molecule_columns {
    int32_t least;            /* name of a molecule */
    struct buffer *rank;      /* of a name, from the least on: the number of its molecule */
    struct buffer *count;     /* an int per molecule: zero between buildings */
    struct buffer *particles; /* n ints, by molecules */
    int bits;     /* of bins per edge, along which molecules are put: one or a few each */
    bool by_sort; /* which is the same from run to run, else by tickets of bins */
    struct buffer *bin_count, *bin_begin; /* then: ints per bin; counts zero between buildings */
};

enum { MOST_NAMES = 64 /* per particle: a table of them must not take all memory */ };

/* ---- columns that are molecules: whether they are ---- */

static double distance2(const struct box *box, int32_t i, int32_t j) {
    double way[3];
    box_vector(box, &box->position[3 * (size_t)i], &box->position[3 * (size_t)j], way);
    return vector_dot(way, way);
}

/* Whether all molecules have so many particles, none farther from its first one than `most`. */
static bool are_alike(const struct box *box, const struct alike *alike, int32_t particles,
                      double most) {
    bool is_so = true;
    for (size_t m = 0; is_so && m < alike->molecules; m++) {
        const int32_t begin = alike->start[m];
        is_so = alike->start[m + 1] - begin == particles;
        for (int32_t k = begin + 1; is_so && k < alike->start[m + 1]; k++) {
            is_so = distance2(box, alike->particle[begin], alike->particle[k]) <= most * most;
        }
    }
    return is_so;
}

/* The least name of a molecule, and how many there are from it to the greatest. */
struct names {
    int32_t least;
    int64_t count;
};

static struct names names_of(const struct box *box) {
    int32_t least = box->molecule[0];
    int32_t most = box->molecule[0];
    for (size_t i = 1; i < box->n; i++) {
        least = box->molecule[i] < least ? box->molecule[i] : least;
        most = box->molecule[i] > most ? box->molecule[i] : most;
    }
    return (struct names){ least, (int64_t)most - least + 1 };
}

static bool asks_for_cells(const struct structure_input *input) {
    static const char *const names[] = { "cell_start", "sorted_index", "sorted_position",
                                         "sorted_place", NULL };
    bool asks = false;
    for (const char *const *name = names; *name; name++) {
        asks |= requested_names_have(input->requested, *name);
    }
    return asks;
}

/* Whether columns can be the molecules of the box: these have equally many particles, which lie
 * close together; the exclusions name them; and no kernel asks for cells. */
static bool molecule_columns_suit(const struct structure_input *input) {
    const struct box *box = input->box;
    struct alike alike = { 0 };
    struct error unused;
    if (!input->molecule || box->n == 0 || builder_tunable(input, "ORDER") != ORDER_CLUSTERS ||
        box_count(box) > 1 || asks_for_cells(input) ||
        names_of(box).count > MOST_NAMES * (int64_t)box->n) {
        return false;
    }
    const double most = cbrt(builder_tunable(input, "PARTICLES") / skin_density(input));
    const bool suit = alike_find(box, &alike, &unused) &&
                      are_alike(box, &alike, builder_tunable(input, "PARTICLES"), most);
    alike_free(&alike);
    return suit;
}

/* ---- columns that are molecules: making ---- */

/* Molecules may have any numbers: a table ranks those from the least to the greatest. */
static bool upload_ranks(const struct structure_input *input, const struct alike *alike,
                         struct molecule_columns *columns, struct error *error) {
    const int32_t *molecule = input->box->molecule;
    const struct names names = names_of(input->box);
    const size_t bytes = (size_t)names.count * sizeof(int32_t);
    int32_t *rank = calloc(1, bytes);
    columns->least = names.least;
    if (!rank) {
        return fail_out_of_memory(error, "the names of molecules");
    }
    for (size_t m = 0; m < alike->molecules; m++) {
        const int32_t name = molecule[alike->particle[alike->start[m]]];
        rank[(int64_t)name - columns->least] = (int32_t)m;
    }
    const bool uploaded =
        buffer_upload(input->device, "molecules by name", rank, bytes, &columns->rank, error);
    free(rank);
    return uploaded;
}

/* Bins along the curve: at least one per molecule, as far as the curve has as many. */
static bool create_bins(const struct structure_input *input, const struct place_order *order,
                        size_t molecules, struct molecule_columns *columns, struct error *error) {
    const int bits = builder_bits_for(cbrt((double)molecules));
    columns->bits = bits < order->bits ? bits : order->bits;
    columns->by_sort = builder_tunable(input, "STABLE_SORT") != 0;
    const size_t bytes = columns->by_sort ? 0 : sizeof(int32_t) << 3 * columns->bits;
    return buffer_allocate(input->device, bytes, &columns->bin_begin, error) &&
           buffer_allocate(input->device, bytes, &columns->bin_count, error) &&
           (bytes == 0 || buffer_fill(columns->bin_count, 0, bytes, error));
}

/* From a zeroed struct; free it with molecule_columns_free, also after a failure. */
static bool molecule_columns_create(const struct structure_input *input,
                                    const struct place_order *order,
                                    struct molecule_columns *columns, struct error *error) {
    struct alike alike = { 0 };
    const size_t ints = input->box->n * sizeof(int32_t);
    const bool created =
        alike_find(input->box, &alike, error) && upload_ranks(input, &alike, columns, error) &&
        buffer_allocate(input->device, alike.molecules * sizeof(int32_t), &columns->count, error) &&
        buffer_fill(columns->count, 0, alike.molecules * sizeof(int32_t), error) &&
        buffer_allocate(input->device, ints, &columns->particles, error) &&
        create_bins(input, order, alike.molecules, columns, error);
    alike_free(&alike);
    return created;
}

static void molecule_columns_free(struct molecule_columns *columns) {
    buffer_free(columns->rank);
    buffer_free(columns->count);
    buffer_free(columns->particles);
    buffer_free(columns->bin_count);
    buffer_free(columns->bin_begin);
}

/* ---- columns that are molecules: building ---- */

/* Gathers each one's particles and says in which bin it lies. */
static bool number_molecules(const struct molecule_columns *columns,
                             struct kernel *const kernels[2], size_t molecules,
                             const struct skin *skin, const struct place_order *order,
                             struct error *error) {
    const struct argument n = argument_int((int32_t)skin->n);
    int bins[3];
    double inverse_bin[3];
    for (int d = 0; d < 3; d++) {
        bins[d] = 1 << columns->bits;
        inverse_bin[d] = order->inverse_bin[d] * bins[d] / order->bins[d];
    }
    return builder_launch(kernels[0], skin->n,
                          ARGUMENTS(n, argument_buffer(order->molecule),
                                    argument_int(columns->least), argument_buffer(columns->rank),
                                    argument_buffer(columns->count),
                                    argument_buffer(columns->particles)),
                          error) &&
           builder_launch(
               kernels[1], molecules,
               ARGUMENTS(n, argument_buffer(skin->position),
                         argument_real3(order->origin, skin->is_double),
                         argument_real3(inverse_bin, skin->is_double),
                         argument_int4(bins, columns->bits), skin->box,
                         argument_buffer(columns->count), argument_buffer(columns->particles),
                         argument_int(!columns->by_sort), argument_buffer(columns->bin_count),
                         argument_buffer(order->key), argument_buffer(order->value)),
               error);
}

/* Enqueues that each molecule's particles are gathered, and that order->sorted_place has the
 * molecules along Hilbert's curve; by the kernels gather_, number_ and place_molecules. */
static bool molecule_columns_build(const struct molecule_columns *columns,
                                   struct kernel *const kernels[3], const struct skin *skin,
                                   const struct place_order *order, struct error *error) {
    const size_t molecules = buffer_bytes(columns->count) / sizeof(int32_t);
    if (!number_molecules(columns, kernels, molecules, skin, order, error)) {
        return false;
    }
    if (columns->by_sort) {
        return device_sort_pairs(order->device, (struct key_values){ order->key, order->value },
                                 (struct key_values){ order->sorted_key, order->sorted_place },
                                 molecules, 3 * columns->bits, error);
    }
    return device_exclusive_scan(order->device, columns->bin_count, columns->bin_begin,
                                 (size_t)1 << 3 * columns->bits, error) &&
           builder_launch(
               kernels[2], molecules,
               ARGUMENTS(argument_int((int32_t)molecules), argument_buffer(order->key),
                         argument_buffer(order->value), argument_buffer(columns->bin_begin),
                         argument_buffer(columns->bin_count), argument_buffer(order->sorted_place)),
               error);
}

/* ---- the list ---- */

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
    box_tree_free(&list->tree);
    molecule_columns_free(&list->molecules);
    program_free(list->program);
    place_order_free(&list->order);
    skin_free(&list->skin);
}

/* The mean number of columns near to a column: the particles near to one of its particles, over
 * PARTICLES. Its other particles add few, where columns are molecules. */
static double mean_columns(double neighbours, int particles) {
    return column_lists_mean(neighbours, particles) / particles;
}

/* How far outside of the cell particles may be, so that two of them within the list's radius are at
 * most one image apart. */
static double find_most_outside(const struct structure_input *input) {
    const double height = cell_least_height(&input->box->cell);
    return input->box->periodic ? 0.49 * fmax(0, 1 - skin_radius(input) / height) : 0;
}

/* The places behind the last column hold no particle; their type is 0. */
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

/* Whether columns are molecules: then list_clusters_ask_below() asked for no sorted particles. */
static bool cells_are_only_cut(const struct structure_input *input) {
    struct argument sorted = { .buffer = NULL };
    (void)structure_chain_argument(input->below, "sorted_position", &sorted);
    return !sorted.buffer;
}

static bool list_clusters_create(const struct structure_input *input, void *state,
                                 struct error *error) {
    struct list_clusters *list = state;
    list->exclusions = list_exclusions_of(input);
    list->bare_types = input->bare_types;
    list->type = input->type;
    list->by_molecule = cells_are_only_cut(input);
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

/* ---- how long it is valid ---- */

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
