/* list_clusters, lists of neighbours of columns of particles that are near to each other, excluded
 * ones apart: see list_clusters.cl and list_columns.cl for what the kernels do and where an entry
 * lies. */
#include "lists/exclusions.h"
#include "lists/place_order.h"
#include "lists/skin.h"
#include "structure/builder.h"
#include "structure/structures.h"

#include <stdlib.h>
#include <string.h>

enum cluster_kernel { SORT_COLUMNS, FILL_CLUSTERS, CLUSTER_KERNELS };

static const char *const cluster_kernel_names[CLUSTER_KERNELS] = { "sort_columns",
                                                                   "fill_clusters" };

enum {
    GROUP_COLUMNS = 32, /* whose entries lie side by side */
    QUAD = 4,           /* entries of a column that lie together */
    MAX_PLACES = (1 << 27) - 1
};

struct list_clusters {
    struct device *device;
    struct skin skin;
    struct place_order order;
    int particles; /* per column */
    size_t columns;
    size_t capacity, apart_capacity; /* places of a column's lists */
    struct program *program;
    struct kernel *kernels[CLUSTER_KERNELS];
    enum exclusion_kind exclusions;
    struct buffer *excluded_start, *excluded, *molecule; /* the caller's */
    struct buffer *column_length, *apart_length;         /* an int per column */
    struct buffer *entries, *entries_apart;
};

/* ---- making ---- */

static void list_clusters_release(void *state) {
    struct list_clusters *list = state;
    if (!list) {
        return;
    }
    buffer_free(list->column_length);
    buffer_free(list->apart_length);
    buffer_free(list->entries);
    buffer_free(list->entries_apart);
    program_free(list->program);
    place_order_free(&list->order);
    skin_free(&list->skin);
    free(list);
}

/* Lists with room for at least `places`. What they held is lost. */
static bool make_room(struct list_clusters *list, size_t places, size_t *capacity_of,
                      struct buffer **entries, struct error *error) {
    const size_t capacity = (places + QUAD - 1) / QUAD * QUAD;
    const size_t rows = (list->columns + GROUP_COLUMNS - 1) / GROUP_COLUMNS * GROUP_COLUMNS;
    if (capacity > INT32_MAX || capacity > SIZE_MAX / sizeof(int32_t) / rows) {
        return fail(error, STATUS_UNSUPPORTED,
                    "a column has %zu neighbours: lists of columns hold %d at most", places,
                    INT32_MAX - QUAD);
    }
    buffer_free(*entries);
    *entries = NULL;
    *capacity_of = capacity;
    return buffer_allocate(list->device, rows * capacity * sizeof(int32_t), entries, error);
}

static bool set_capacity(struct list_clusters *list, size_t places, struct error *error) {
    return make_room(list, places, &list->capacity, &list->entries, error);
}

static bool set_apart_capacity(struct list_clusters *list, size_t places, struct error *error) {
    return make_room(list, places, &list->apart_capacity, &list->entries_apart, error);
}

/* The union of several particles' neighbours: two have about four thirds of one's. */
static double mean_entries(double neighbours, int particles) {
    return neighbours * (1 + (particles - 1) / 3.0);
}

static bool make_all(const struct structure_input *input, struct list_clusters *list,
                     struct error *error) {
    static const char *const texts[] = { "variants/box.cl",
                                         "variants/structures/cells.cl",
                                         "variants/structures/list_entries.cl",
                                         "variants/structures/list_columns.cl",
                                         "variants/structures/list_clusters.cl",
                                         NULL };
    const double mean = skin_mean_neighbours(skin_density(input), skin_radius(input));
    return skin_create(input, &list->skin, error) &&
           place_order_create(input, list->skin.n + 1, &list->order, error) &&
           builder_compile(input, texts, cluster_kernel_names, CLUSTER_KERNELS, &list->program,
                           list->kernels, error) &&
           buffer_allocate(list->device, list->columns * sizeof(int32_t), &list->column_length,
                           error) &&
           buffer_allocate(list->device, list->columns * sizeof(int32_t), &list->apart_length,
                           error) &&
           set_apart_capacity(list, QUAD, error) &&
           set_capacity(list, skin_guess_capacity(input, mean_entries(mean, list->particles)),
                        error);
}

static bool list_clusters_create(const struct structure_input *input, void **state,
                                 struct error *error) {
    const size_t n = input->box->n;
    if (n > MAX_PLACES) {
        return fail(error, STATUS_UNSUPPORTED, "lists of columns number %d particles, not %zu",
                    MAX_PLACES, n);
    }
    struct list_clusters *list = calloc(1, sizeof *list);
    if (!list) {
        return fail_out_of_memory(error, "list_clusters");
    }
    list->device = input->device;
    list->particles = builder_tunable(input, "PARTICLES");
    list->columns = (n + (size_t)list->particles - 1) / (size_t)list->particles;
    list->excluded_start = input->excluded_start;
    list->excluded = input->excluded;
    list->molecule = input->molecule;
    list->exclusions = exclusions_kind(input);
    if (!make_all(input, list, error)) {
        list_clusters_release(list);
        return false;
    }
    *state = list;
    return true;
}

/* ---- building ---- */

static bool sort_columns(struct list_clusters *list, struct error *error) {
    const struct skin *skin = &list->skin;
    const struct place_order *order = &list->order;
    const struct argument arguments[] = {
        argument_int((int32_t)skin->n),         argument_buffer(order->sorted_place),
        skin_of_cells(skin, "sorted_position"), skin_of_cells(skin, "sorted_index"),
        argument_buffer(order->place_index),    argument_buffer(order->place_position),
        argument_buffer(order->place_of_sorted)
    };
    return builder_launch(list->kernels[SORT_COLUMNS], list->columns, arguments,
                          sizeof arguments / sizeof arguments[0], error);
}

static bool fill_clusters(struct list_clusters *list, bool *overflowed, struct error *error) {
    struct skin *skin = &list->skin;
    const struct place_order *order = &list->order;
    const struct argument arguments[] = { SKIN_CELL_ARGUMENTS(skin),
                                          argument_buffer(order->place_of_sorted),
                                          argument_buffer(order->place_position),
                                          argument_buffer(order->place_index),
                                          skin->box,
                                          argument_int(list->exclusions),
                                          buffer_or(list->excluded_start, order->place_index),
                                          buffer_or(list->excluded, order->place_index),
                                          buffer_or(list->molecule, order->place_index),
                                          argument_int((int32_t)list->capacity),
                                          argument_int((int32_t)list->apart_capacity),
                                          argument_buffer(list->column_length),
                                          argument_buffer(list->entries),
                                          argument_buffer(list->apart_length),
                                          argument_buffer(list->entries_apart),
                                          argument_buffer(skin->flag) };
    return builder_launch_and_ask(list->kernels[FILL_CLUSTERS], list->columns, arguments,
                                  sizeof arguments / sizeof arguments[0], skin->flag, overflowed,
                                  error);
}

/* Makes room for what the lists counted. */
static bool grow(struct list_clusters *list, struct error *error) {
    size_t places = 0;
    size_t apart = 0;
    return skin_needed_capacity(list->column_length, &places, error) &&
           skin_needed_capacity(list->apart_length, &apart, error) &&
           (places <= list->capacity || set_capacity(list, places, error)) &&
           (apart <= list->apart_capacity || set_apart_capacity(list, apart, error));
}

static bool list_clusters_build(void *state, struct error *error) {
    struct list_clusters *list = state;
    bool overflowed = false;
    if (!place_order_build(&list->order, &list->skin, error) || !sort_columns(list, error) ||
        !fill_clusters(list, &overflowed, error)) {
        return false;
    }
    return !overflowed || (grow(list, error) && fill_clusters(list, &overflowed, error));
}

static bool list_clusters_is_valid(void *state, bool *valid, struct error *error) {
    return skin_holds(&((struct list_clusters *)state)->skin, valid, error);
}

static double list_clusters_way(const void *state) {
    return skin_way(&((const struct list_clusters *)state)->skin);
}

/* ---- what it offers ---- */

DEFINE_BUFFER_VALUE(list_clusters, column_length)
DEFINE_BUFFER_VALUE(list_clusters, entries)
DEFINE_BUFFER_VALUE(list_clusters, apart_length)
DEFINE_BUFFER_VALUE(list_clusters, entries_apart)
DEFINE_INT_VALUE(list_clusters, capacity)
DEFINE_INT_VALUE(list_clusters, apart_capacity)

static const struct offer list_clusters_offers[] = {
    { "column_length", "GLOBAL const int *", value_of_column_length },
    { "columns", "GLOBAL const int4 *", value_of_entries },
    { "apart_length", "GLOBAL const int *", value_of_apart_length },
    { "columns_apart", "GLOBAL const int4 *", value_of_entries_apart },
    { "list_capacity", "int", value_of_capacity },
    { "apart_capacity", "int", value_of_apart_capacity },
    { NULL, NULL, NULL },
};

static const struct offers list_clusters_parts[] = {
    { list_clusters_offers, 0 },
    { place_order_offers, offsetof(struct list_clusters, order) },
    { NULL, 0 },
};

static const char *const list_clusters_units[] = { "column", NULL };

static bool list_clusters_unit(const void *state, const char *name, size_t *count) {
    *count = ((const struct list_clusters *)state)->columns;
    return strcmp(name, "column") == 0;
}

static const struct structure_tunable list_clusters_tunables[] = { SKIN_TUNABLE,
                                                                   LIST_CAPACITY_TUNABLE,
                                                                   { "PARTICLES", 1,
                                                                     "particles per column" },
                                                                   ORDER_TUNABLE(ORDER_CLUSTERS),
                                                                   ROW_WIDTH_TUNABLE,
                                                                   { 0 } };

static double list_clusters_more_ints(const struct structure_estimate *estimate) {
    const int particles = tunings_value(estimate->tunings, "PARTICLES", 1);
    return mean_entries(skin_estimated_neighbours(estimate), particles) / particles;
}

const struct structure_class structure_list_clusters = {
    .name = "list_clusters",
    .summary = "list_columns of nearest neighbours, with lists of excluded partners apart",
    .needs = "sorted_cells",
    .needs_cutoff = true,
    .words = "variants/structures/list_entries.cl",
    .offers = list_clusters_parts,
    .units = list_clusters_units,
    .tunables = list_clusters_tunables,
    .positions_per_particle = 1,
    .ints_per_particle = 8,
    .more_ints_per_particle = list_clusters_more_ints,
    .ask_below = skin_ask_below,
    .create = list_clusters_create,
    .build = list_clusters_build,
    .is_valid = list_clusters_is_valid,
    .way = list_clusters_way,
    .unit = list_clusters_unit,
    .release = list_clusters_release,
};
