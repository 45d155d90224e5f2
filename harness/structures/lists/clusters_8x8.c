/* clusters_8x8, the entries of clusters_outer's lists that are within a shorter reach: see
 * clusters_8x8.cl for what the kernels do. The outer list is the structure below, and lives longer.
 * Where there are several PARTS, time steps prune one of them at a time. */
#include "kernels/bindings.h"
#include "structures/builder.h"
#include "structures/cell_grid.h"
#include "structures/lists/skin.h"

#include <math.h>
#include <string.h>

enum prune_kernel { GATHER_NOW, PRUNE_CLUSTERS, GATHER_AND_LOOK, PRUNE_KERNELS };

static const char *const prune_kernel_names[PRUNE_KERNELS] = { "gather_now", "prune_clusters",
                                                               "gather_and_look" };

enum { KEY_BITS = 20 /* as clusters_8x8.cl counts */ };

#define PARTS_TUNABLE "PARTS"

struct clusters_8x8 {
    struct device *device;
    const struct structure_chain *outer;
    struct buffer *position; /* the caller's */
    struct argument box;
    bool is_double;
    size_t n, supers, places;
    int parts, next_part; /* runs of super-clusters that are pruned one at a time; 1: all at once */
    bool in_parts;        /* one was, since all were */
    double reach, rounding;   /* with what rounding does to positions */
    struct moved_test *moved; /* since the list was pruned */
    int32_t capacity, masked; /* places of a super-cluster, which are those of the outer list */
    struct program *program;
    struct kernel *kernels[PRUNE_KERNELS];
    struct buffer *never; /* an int, 0: see expired */
    struct buffer *now;   /* a position per place */
    struct buffer *super_length, *key, *sorted_key, *value, *super_order; /* ints */
    struct buffer *super_entries, *super_words, *masked_words;
};

/* ---- making ---- */

static void clusters_8x8_release(void *state) {
    struct clusters_8x8 *list = state;
    struct buffer *const buffers[] = { list->never, list->now, list->key, list->value,
                                       list->sorted_key };
    for (size_t b = 0; b < sizeof buffers / sizeof buffers[0]; b++) {
        buffer_free(buffers[b]);
    }
    moved_test_free(list->moved);
    program_free(list->program);
}

static struct argument of_outer(const struct clusters_8x8 *list, const char *name) {
    struct argument argument = { 0 };
    (void)structure_chain_argument(list->outer, name, &argument);
    return argument;
}

static int32_t int_of_outer(const struct clusters_8x8 *list, const char *name) {
    const struct argument argument = of_outer(list, name);
    int32_t value;
    memcpy(&value, argument_bytes(&argument), sizeof value);
    return value;
}

static bool make_again(struct clusters_8x8 *list, size_t places, struct buffer **buffer,
                       struct error *error) {
    return buffer_replace(list->device, list->supers * places * sizeof(int32_t), buffer, error);
}

/* Makes as much room as the outer list has: pruning never needs more. What it held is lost. */
static bool follow_outer(struct clusters_8x8 *list, struct error *error) {
    const int32_t capacity = int_of_outer(list, "list_capacity");
    const int32_t masked = int_of_outer(list, "mask_capacity");
    const bool same = capacity == list->capacity && masked == list->masked;
    list->capacity = capacity;
    list->masked = masked;
    return same || (make_again(list, (size_t)capacity, &list->super_entries, error) &&
                    make_again(list, (size_t)capacity, &list->super_words, error) &&
                    make_again(list, (size_t)masked, &list->masked_words, error));
}

/* The list's reach, widened by what rounding does to positions. */
static double widened_reach(const struct structure_input *input) {
    struct structure_input pruned = *input;
    struct cell_grid grid;
    pruned.cutoff = skin_radius(input);
    cell_grid_of(&pruned, &grid);
    return grid.search_radius;
}

static bool make_all(const struct structure_input *input, struct clusters_8x8 *list,
                     struct error *error) {
    static const char *const texts[] = { "variants/box.cl",
                                         "variants/structures/cells.cl",
                                         "variants/structures/list_entries.cl",
                                         "variants/structures/group_lists.cl",
                                         "variants/structures/clusters_8x8.cl",
                                         NULL };
    const size_t position = 4 * (list->is_double ? sizeof(double) : sizeof(float));
    const double limit = 0.5 * (skin_radius(input) - input->cutoff);
    return builder_compile(input, texts,
                           &(struct named_kernels){
                               prune_kernel_names,
                               list->parts > 1 ? PRUNE_KERNELS : GATHER_AND_LOOK, list->kernels },
                           &list->program, error) &&
           buffer_allocate(list->device, sizeof(int32_t), &list->never, error) &&
           buffer_fill(list->never, 0, sizeof(int32_t), error) &&
           moved_test_create(input, list->n, limit, &list->moved, error) &&
           buffer_allocate(list->device, list->places * position, &list->now, error) &&
           make_again(list, 1, &list->super_length, error) &&
           make_again(list, 1, &list->key, error) &&
           make_again(list, 1, &list->sorted_key, error) &&
           make_again(list, 1, &list->value, error) &&
           make_again(list, 1, &list->super_order, error) && follow_outer(list, error);
}

static bool clusters_8x8_create(const struct structure_input *input, void *state,
                                struct error *error) {
    const int parts = builder_tunable(input, PARTS_TUNABLE);
    if (parts < 1) {
        return fail(error, STATUS_UNSUPPORTED, "a list has one part at least, not %d", parts);
    }
    struct clusters_8x8 *list = state;
    list->device = input->device;
    list->outer = input->below;
    list->position = input->position;
    list->n = input->box->n;
    list->parts = parts;
    list->is_double = builder_is_double(input);
    list->box = bindings_box(&input->box->cell, input->box->periodic, list->is_double);
    list->reach = widened_reach(input);
    list->rounding = list->reach - skin_radius(input);
    (void)structure_chain_unit(input->below, "super_cluster", &list->supers);
    (void)structure_chain_unit(input->below, "place", &list->places);
    return make_all(input, list, error);
}

/* ---- building ---- */

static bool gather_now(struct clusters_8x8 *list, struct error *error) {
    return builder_launch(
        list->kernels[GATHER_NOW], list->places,
        ARGUMENTS(argument_int((int32_t)list->n), argument_int((int32_t)list->places),
                  argument_buffer(list->position), of_outer(list, "place_index"),
                  of_outer(list, "place_position"), list->box, argument_buffer(list->now)),
        error);
}

/* Prunes the lists of super-clusters `first` to `end` - 1. */
static bool prune_clusters(struct clusters_8x8 *list, size_t first, size_t end,
                           struct buffer *expired, struct error *error) {
    const size_t of_parts = list->parts > 1 ? 0 : 2; /* the last ones, else not there */
    return first == end ||
           builder_launch(
               list->kernels[PRUNE_CLUSTERS], (end - first) * BUILD_GROUP_SIZE,
               ARGUMENTS(argument_int((int32_t)list->n),
                         argument_real(list->reach * list->reach, list->is_double),
                         argument_buffer(list->now), list->box, of_outer(list, "outer_length"),
                         of_outer(list, "outer_entries"), of_outer(list, "outer_words"),
                         argument_int(list->capacity), of_outer(list, "masked_length"),
                         of_outer(list, "masked_entries"), of_outer(list, "masked_outer_words"),
                         argument_int(list->masked), argument_buffer(list->super_length),
                         argument_buffer(list->super_entries), argument_buffer(list->super_words),
                         argument_buffer(list->masked_words), argument_buffer(list->key),
                         argument_buffer(list->value), argument_int((int32_t)first),
                         argument_buffer(expired)) -
                   of_parts,
               error);
}

static bool clusters_8x8_build(void *state, struct error *error) {
    struct clusters_8x8 *list = state;
    list->next_part = 0;
    list->in_parts = false;
    return follow_outer(list, error) && gather_now(list, error) &&
           prune_clusters(list, 0, list->supers, list->never, error) &&
           device_sort_pairs(list->device, (struct key_values){ list->key, list->value },
                             (struct key_values){ list->sorted_key, list->super_order },
                             list->supers, KEY_BITS, error) &&
           moved_test_note(list->moved, error);
}

static bool clusters_8x8_ask(void *state, struct buffer **expired, struct error *error) {
    static const unsigned char raised = 1;
    const struct clusters_8x8 *list = state;
    return moved_test_ask(list->moved, expired, error) &&
           (!list->in_parts || /* parts pruned since are newer than the noted positions */
            buffer_fill(*expired, raised, sizeof(int32_t), error));
}

static struct places_of_build clusters_8x8_kept(const void *state) {
    const struct clusters_8x8 *list = state;
    const struct places_of_build none = { .position = NULL };
    return list->in_parts ? none : moved_test_kept(list->moved);
}

/* Gives each of several parts an equal share of the limit, less the rounding error of a sum of
 * distances. */
static double clusters_8x8_limit(const void *state) {
    const struct clusters_8x8 *list = state;
    const double limit = moved_test_limit(list->moved);
    return list->parts == 1 ? limit : fmax(0, limit / list->parts - list->rounding);
}

/* ---- part by part ---- */

static int clusters_8x8_count_parts(const void *state) {
    return ((const struct clusters_8x8 *)state)->parts;
}

/* Gathers the present positions, and looks whether the outer list is still valid for them. */
static bool gather_and_look(struct clusters_8x8 *list, struct buffer *expired, int mark,
                            struct error *error) {
    const double limit = structure_chain_limit(list->outer);
    return builder_launch(list->kernels[GATHER_AND_LOOK], list->n,
                          ARGUMENTS(argument_int((int32_t)list->n), argument_buffer(list->position),
                                    of_outer(list, "place_index"), of_outer(list, "place_position"),
                                    list->box, argument_real(limit * limit, list->is_double),
                                    argument_int(mark), argument_buffer(expired),
                                    argument_buffer(list->now)),
                          error);
}

static bool clusters_8x8_renew_part(void *state, struct buffer *expired, int mark,
                                    struct error *error) {
    struct clusters_8x8 *list = state;
    const size_t parts = (size_t)list->parts;
    const size_t part = (size_t)list->next_part;
    list->next_part = (list->next_part + 1) % list->parts;
    list->in_parts = true;
    return gather_and_look(list, expired, mark, error) &&
           prune_clusters(list, list->supers * part / parts, list->supers * (part + 1) / parts,
                          expired, error);
}

/* ---- parameters of kernels ---- */

static const struct kernel_parameter clusters_8x8_parameters[] = {
    { "super_order", "GLOBAL const int *", FROM_BUFFER(clusters_8x8, super_order) },
    { "super_length", "GLOBAL const int *", FROM_BUFFER(clusters_8x8, super_length) },
    { "super_entries", "GLOBAL const int *", FROM_BUFFER(clusters_8x8, super_entries) },
    { "super_words", "GLOBAL const uint *", FROM_BUFFER(clusters_8x8, super_words) },
    { "masked_words", "GLOBAL const uint *", FROM_BUFFER(clusters_8x8, masked_words) },
    { 0 },
};

static const struct parameter_table clusters_8x8_parts[] = {
    { clusters_8x8_parameters, 0 },
    { NULL, 0 },
};

static const struct structure_tunable clusters_8x8_tunables[] = {
    SKIN_TUNABLE,
    { "PARTNERS", 8, "particles of a cluster that is listed: 4 or 8" },
    { PARTS_TUNABLE, 1, "of the list, one of which time steps prune at a time" },
    { 0 }
};

const struct structure_class structure_clusters_8x8 = {
    .name = "clusters_8x8",
    .summary = "what of clusters_outer is near by distances, the longest lists first",
    .needs = &structure_clusters_outer,
    .needs_cutoff = true,
    .words = "variants/structures/list_entries.cl",
    .parameter_tables = clusters_8x8_parts,
    .tunables = clusters_8x8_tunables,
    .positions_per_particle = 2,
    .ints_per_particle = 2,
    .ask_below = skin_ask_below,
    .size = sizeof(struct clusters_8x8),
    .create = clusters_8x8_create,
    .build = clusters_8x8_build,
    .ask = clusters_8x8_ask,
    .kept = clusters_8x8_kept,
    .limit = clusters_8x8_limit,
    .parts = clusters_8x8_count_parts,
    .renew_part = clusters_8x8_renew_part,
    .release = clusters_8x8_release,
};
