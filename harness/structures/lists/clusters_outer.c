/* clusters_outer, lists of the clusters near to super-clusters of 64 particles: see
 * clusters_outer.cl for what the kernels do and what the lists hold. */
#include "structures/builder.h"
#include "structures/lists/place_order.h"
#include "structures/lists/skin.h"

#include <math.h>

enum outer_kernel { FILL_OUTER = TREE_KERNELS, OUTER_KERNELS };

static const char *const outer_kernel_names[OUTER_KERNELS] = { TREE_KERNEL_NAMES, "fill_outer" };

enum {
    SUPER = 64, /* particles */
    MAX_PLACES = (1 << 27) - SUPER,
    OUTER_PRESET = 12
};

#define OUTER_TUNABLE "OUTER"

struct clusters_outer {
    struct skin skin; /* first: skin_ask(), skin_limit() */
    struct device *device;
    struct place_order order;
    int partners; /* particles of a cluster that is listed */
    size_t supers, places;
    struct box_tree tree;
    size_t capacity, mask_capacity; /* places of a super-cluster's lists */
    struct program *program;
    struct kernel *kernels[OUTER_KERNELS];
    struct list_exclusions exclusions;
    struct buffer *length, *masked_length; /* an int per super-cluster */
    struct buffer *entries, *words, *masked_entries, *masked_words;
    struct buffer *excluded_bits; /* two words per particle of a masked entry */
};

/* ---- making ---- */

static void clusters_outer_release(void *state) {
    struct clusters_outer *list = state;
    box_tree_free(&list->tree);
    program_free(list->program);
    place_order_free(&list->order);
    skin_free(&list->skin);
}

/* Room for `per_place` ints in each place of each list. What it held is lost. */
static bool make_room(struct clusters_outer *list, size_t places, size_t per_place,
                      struct buffer **buffer, struct error *error) {
    if (places > INT32_MAX || places > SIZE_MAX / sizeof(int32_t) / per_place / list->supers) {
        return fail(error, STATUS_UNSUPPORTED,
                    "a super-cluster meets %zu clusters: its list holds %d at most", places,
                    INT32_MAX);
    }
    return buffer_replace(list->device, list->supers * places * per_place * sizeof(int32_t), buffer,
                          error);
}

static bool set_capacity(struct clusters_outer *list, size_t places, struct error *error) {
    list->capacity = places;
    return make_room(list, places, 1, &list->entries, error) &&
           make_room(list, places, 1, &list->words, error);
}

static bool set_mask_capacity(struct clusters_outer *list, size_t places, struct error *error) {
    list->mask_capacity = places;
    return make_room(list, places, 1, &list->masked_entries, error) &&
           make_room(list, places, 1, &list->masked_words, error) &&
           make_room(list, places, 2 * (size_t)list->partners, &list->excluded_bits, error);
}

/* The mean number of clusters near to a super-cluster, where each pair is listed once. A cluster
 * reaches into the radius when its middle lies up to three quarters of its edge beyond: half for a
 * cube, and more since clusters are no cubes. */
static double mean_entries(double density, double radius, int partners) {
    const double edge = cbrt(partners / density);
    return skin_mean_around(density, radius + 0.75 * edge, SUPER) / 2 / partners;
}

static bool make_all(const struct structure_input *input, struct clusters_outer *list,
                     struct error *error) {
    static const char *const texts[] = { "variants/box.cl",
                                         "variants/structures/cells.cl",
                                         "variants/structures/list_entries.cl",
                                         "variants/structures/group_lists.cl",
                                         "variants/structures/box_tree.cl",
                                         "variants/structures/clusters_outer.cl",
                                         NULL };
    const size_t ints = list->supers * sizeof(int32_t);
    const size_t own = (size_t)(SUPER / list->partners);
    const double mean =
        mean_entries(skin_density(input), skin_radius_by(input, OUTER_TUNABLE), list->partners);
    return skin_create_by(input, OUTER_TUNABLE, &list->skin, error) &&
           place_order_create(input, list->places, &list->order, error) &&
           builder_compile(
               input, texts,
               &(struct named_kernels){ outer_kernel_names, OUTER_KERNELS, list->kernels },
               &list->program, error) &&
           box_tree_create(input, list->partners, SUPER / list->partners, &list->tree, error) &&
           buffer_allocate(list->device, ints, &list->length, error) &&
           buffer_allocate(list->device, ints, &list->masked_length, error) &&
           set_capacity(list, skin_guess_capacity(input, mean), error) &&
           set_mask_capacity(list, 2 * own, error);
}

static bool clusters_outer_create(const struct structure_input *input, void *state,
                                  struct error *error) {
    const size_t n = input->box->n;
    if (n > MAX_PLACES) {
        return fail(error, STATUS_UNSUPPORTED, "super-clusters number %d particles, not %zu",
                    MAX_PLACES, n);
    }
    struct clusters_outer *list = state;
    list->device = input->device;
    list->partners = builder_tunable(input, "PARTNERS");
    list->supers = (n + SUPER - 1) / SUPER;
    list->places = list->supers * SUPER;
    list->exclusions = list_exclusions_of(input);
    return make_all(input, list, error);
}

/* ---- building ---- */

static bool clusters_outer_fill(void *state, struct buffer **overflow, struct error *error) {
    struct clusters_outer *list = state;
    struct skin *skin = &list->skin;
    struct buffer *place_index = list->order.place_index;
    *overflow = skin->flag;
    return builder_launch_flagged(
        list->kernels[FILL_OUTER], list->supers * BUILD_GROUP_SIZE,
        (struct arguments){ ARGUMENTS(
            argument_int((int32_t)skin->n), argument_int((int32_t)list->supers),
            skin_of_cells(skin, "search_radius2"), argument_buffer(place_index),
            argument_buffer(list->tree.cluster_box), argument_buffer(list->tree.node_box),
            skin->box, EXCLUSION_ARGUMENTS(&list->exclusions, place_index),
            argument_int((int32_t)list->capacity), argument_int((int32_t)list->mask_capacity),
            argument_buffer(list->length), argument_buffer(list->entries),
            argument_buffer(list->words), argument_buffer(list->masked_length),
            argument_buffer(list->masked_entries), argument_buffer(list->masked_words),
            argument_buffer(list->excluded_bits), argument_buffer(skin->flag)) },
        skin->flag, error);
}

/* Makes room for what the lists counted. */
static bool clusters_outer_grow(void *state, struct error *error) {
    struct clusters_outer *list = state;
    size_t places = 0;
    size_t masked = 0;
    return skin_needed_capacity(list->length, &places, error) &&
           skin_needed_capacity(list->masked_length, &masked, error) &&
           (places <= list->capacity || set_capacity(list, places, error)) &&
           (masked <= list->mask_capacity || set_mask_capacity(list, masked, error));
}

static bool clusters_outer_build(void *state, struct error *error) {
    struct clusters_outer *list = state;
    return place_order_build(&list->order, &list->skin, error) &&
           box_tree_build(&list->tree, list->kernels, list->order.place_position, error);
}

static void ask_below(const struct structure_input *input, struct structure_input *below,
                      struct requested_names *requested) {
    (void)requested;
    below->cutoff = skin_radius_by(input, OUTER_TUNABLE);
}

/* ---- parameters of kernels ---- */

static const struct kernel_parameter clusters_outer_parameters[] = {
    { "outer_length", "GLOBAL const int *", FROM_BUFFER(clusters_outer, length) },
    { "outer_entries", "GLOBAL const int *", FROM_BUFFER(clusters_outer, entries) },
    { "outer_words", "GLOBAL const uint *", FROM_BUFFER(clusters_outer, words) },
    { "masked_length", "GLOBAL const int *", FROM_BUFFER(clusters_outer, masked_length) },
    { "masked_entries", "GLOBAL const int *", FROM_BUFFER(clusters_outer, masked_entries) },
    { "masked_outer_words", "GLOBAL const uint *", FROM_BUFFER(clusters_outer, masked_words) },
    { "excluded_bits", "GLOBAL const uint *", FROM_BUFFER(clusters_outer, excluded_bits) },
    { "list_capacity", "int", FROM_INT(clusters_outer, capacity) },
    { "mask_capacity", "int", FROM_INT(clusters_outer, mask_capacity) },
    { 0 },
};

static const struct parameter_table clusters_outer_parts[] = {
    { clusters_outer_parameters, 0 },
    { place_order_parameters, offsetof(struct clusters_outer, order) },
    { NULL, 0 },
};

static const char *const clusters_outer_units[] = { "super_cluster", "place", NULL };
static const size_t clusters_outer_unit_counts[] = { offsetof(struct clusters_outer, supers),
                                                     offsetof(struct clusters_outer, places) };

static const struct structure_tunable clusters_outer_tunables[] = {
    { OUTER_TUNABLE, OUTER_PRESET,
      "what the outer list reaches beyond the inner one, in hundredths of that" },
    { "PARTNERS", 8, "particles of a cluster that is listed: 4 or 8" },
    LIST_CAPACITY_TUNABLE,
    ORDER_TUNABLE(ORDER_HILBERT),
    ROW_WIDTH_TUNABLE(120),
    { 0 }
};

static double clusters_outer_more_ints(const struct structure_estimate *estimate) {
    const double skin = 1 + 0.01 * tunings_value(estimate->tunings, "SKIN", SKIN_PRESET);
    const double outer = 1 + 0.01 * tunings_value(estimate->tunings, OUTER_TUNABLE, OUTER_PRESET);
    const int partners = tunings_value(estimate->tunings, "PARTNERS", 8);
    const double entries =
        mean_entries(estimate->density, estimate->cutoff * skin * outer, partners);
    return isfinite(entries) ? 2 * fmin(entries, estimate->n) / SUPER : 0;
}

const struct structure_class structure_clusters_outer = {
    .name = "clusters_outer",
    .summary = "a list of near clusters per super-cluster of 64 particles, by boxes",
    .needs = &structure_sorted_cells,
    .needs_cutoff = true,
    .words = "variants/structures/list_entries.cl",
    .parameter_tables = clusters_outer_parts,
    .units = clusters_outer_units,
    .unit_counts = clusters_outer_unit_counts,
    .tunables = clusters_outer_tunables,
    .positions_per_particle = 1,
    .ints_per_particle = 14,
    .more_ints_per_particle = clusters_outer_more_ints,
    .ask_below = ask_below,
    .size = sizeof(struct clusters_outer),
    .create = clusters_outer_create,
    .build = clusters_outer_build,
    .fill = clusters_outer_fill,
    .grow = clusters_outer_grow,
    .ask = skin_ask,
    .kept = skin_kept,
    .limit = skin_limit,
    .release = clusters_outer_release,
};
