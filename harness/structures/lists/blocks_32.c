/* blocks_32, for each block of 32 particles a list of those near to it: see blocks_32.cl for what
 * the kernel does and what the lists hold. */
#include "structures/builder.h"
#include "structures/lists/place_order.h"
#include "structures/lists/skin.h"

#include <math.h>

static const char *const fill_blocks_name = "fill_blocks";

enum {
    BLOCK = 32, /* particles, and entries that are met at a time */
    MAX_PLACES = (1 << 27) - 1 - BLOCK,
    FEWEST_MASKED = 2 * BLOCK /* the block itself, and a few that are excluded */
};

struct blocks_32 {
    struct skin skin; /* first: skin_ask(), skin_limit() */
    struct device *device;
    struct place_order order;
    size_t blocks, places;
    int sides;
    size_t capacity, mask_capacity; /* places of a block's lists */
    struct program *program;
    struct kernel *fill_blocks;
    struct list_exclusions exclusions;
    struct buffer *block_length, *masked_length; /* an int per block */
    struct buffer *block_entries, *masked_entries, *masks;
};

/* ---- making ---- */

static void blocks_32_release(void *state) {
    struct blocks_32 *list = state;
    program_free(list->program);
    place_order_free(&list->order);
    skin_free(&list->skin);
}

static size_t whole_tiles(size_t entries) {
    return (entries + BLOCK - 1) / BLOCK * BLOCK;
}

/* Room for a list per block, each of at least `places`. What it held is lost. */
static bool make_room(struct blocks_32 *list, size_t places, struct buffer **entries,
                      struct error *error) {
    if (places > INT32_MAX - BLOCK || places > SIZE_MAX / sizeof(int32_t) / list->blocks) {
        return fail(error, STATUS_UNSUPPORTED,
                    "a block meets %zu particles: lists of blocks hold %d at most", places,
                    INT32_MAX - BLOCK);
    }
    return buffer_replace(list->device, list->blocks * places * sizeof(int32_t), entries, error);
}

static bool set_capacity(struct blocks_32 *list, size_t places, struct error *error) {
    list->capacity = whole_tiles(places);
    return make_room(list, list->capacity, &list->block_entries, error);
}

static bool set_mask_capacity(struct blocks_32 *list, size_t places, struct error *error) {
    list->mask_capacity = whole_tiles(places);
    return make_room(list, list->mask_capacity, &list->masked_entries, error) &&
           make_room(list, list->mask_capacity, &list->masks, error);
}

/* The mean number of entries; half of it where a list has each pair once. */
static double mean_entries(double density, double radius, int sides) {
    const double mean = skin_mean_around(density, radius, BLOCK);
    return sides == 1 ? mean / 2 : mean;
}

static bool make_all(const struct structure_input *input, struct blocks_32 *list,
                     struct error *error) {
    static const char *const texts[] = { "variants/box.cl",
                                         "variants/structures/cells.cl",
                                         "variants/structures/list_entries.cl",
                                         "variants/structures/group_lists.cl",
                                         "variants/structures/blocks_32.cl",
                                         NULL };
    const size_t ints = list->blocks * sizeof(int32_t);
    const double mean = mean_entries(skin_density(input), skin_radius(input), list->sides);
    return skin_create(input, &list->skin, error) &&
           place_order_create(input, list->places, &list->order, error) &&
           builder_compile(input, texts,
                           &(struct named_kernels){ &fill_blocks_name, 1, &list->fill_blocks },
                           &list->program, error) &&
           buffer_allocate(list->device, ints, &list->block_length, error) &&
           buffer_allocate(list->device, ints, &list->masked_length, error) &&
           set_capacity(list, skin_guess_capacity(input, mean), error) &&
           set_mask_capacity(list, FEWEST_MASKED, error);
}

static bool blocks_32_create(const struct structure_input *input, void *state,
                             struct error *error) {
    const size_t n = input->box->n;
    if (n > MAX_PLACES) {
        return fail(error, STATUS_UNSUPPORTED, "blocks number %d particles, not %zu", MAX_PLACES,
                    n);
    }
    struct blocks_32 *list = state;
    list->device = input->device;
    list->blocks = (n + BLOCK - 1) / BLOCK;
    list->places = list->blocks * BLOCK;
    list->sides = builder_tunable(input, "SIDES");
    list->exclusions = list_exclusions_of(input);
    return make_all(input, list, error);
}

/* ---- building ---- */

static bool blocks_32_fill(void *state, struct buffer **overflow, struct error *error) {
    struct blocks_32 *list = state;
    struct skin *skin = &list->skin;
    *overflow = skin->flag;
    return builder_launch_flagged(
        list->fill_blocks, list->blocks * BUILD_GROUP_SIZE,
        (struct arguments){ ARGUMENTS(
            SKIN_CELL_ARGUMENTS(skin), argument_buffer(list->order.place_of_sorted),
            argument_buffer(list->order.place_position), argument_buffer(list->order.place_index),
            argument_int((int32_t)list->places), skin->box,
            EXCLUSION_ARGUMENTS(&list->exclusions, list->order.place_index),
            argument_int((int32_t)list->capacity), argument_int((int32_t)list->mask_capacity),
            argument_buffer(list->block_length), argument_buffer(list->block_entries),
            argument_buffer(list->masked_length), argument_buffer(list->masked_entries),
            argument_buffer(list->masks), argument_buffer(skin->flag)) },
        skin->flag, error);
}

/* Makes room for what the lists counted. */
static bool blocks_32_grow(void *state, struct error *error) {
    struct blocks_32 *list = state;
    size_t places = 0;
    size_t masked = 0;
    return skin_needed_capacity(list->block_length, &places, error) &&
           skin_needed_capacity(list->masked_length, &masked, error) &&
           (places <= list->capacity || set_capacity(list, places, error)) &&
           (masked <= list->mask_capacity || set_mask_capacity(list, masked, error));
}

static bool blocks_32_build(void *state, struct error *error) {
    struct blocks_32 *list = state;
    return place_order_build(&list->order, &list->skin, error);
}

/* ---- parameters of kernels ---- */

static const struct kernel_parameter blocks_32_parameters[] = {
    { "block_length", "GLOBAL const int *", FROM_BUFFER(blocks_32, block_length) },
    { "block_entries", "GLOBAL const int *", FROM_BUFFER(blocks_32, block_entries) },
    { "masked_length", "GLOBAL const int *", FROM_BUFFER(blocks_32, masked_length) },
    { "masked_entries", "GLOBAL const int *", FROM_BUFFER(blocks_32, masked_entries) },
    { "masks", "GLOBAL const uint *", FROM_BUFFER(blocks_32, masks) },
    { "list_capacity", "int", FROM_INT(blocks_32, capacity) },
    { "mask_capacity", "int", FROM_INT(blocks_32, mask_capacity) },
    { 0 },
};

static const struct parameter_table blocks_32_parts[] = {
    { blocks_32_parameters, 0 },
    { place_order_parameters, offsetof(struct blocks_32, order) },
    { NULL, 0 },
};

static const char *const blocks_32_units[] = { "block", "place", NULL };
static const size_t blocks_32_unit_counts[] = { offsetof(struct blocks_32, blocks),
                                                offsetof(struct blocks_32, places) };

static const struct structure_tunable blocks_32_tunables[] = {
    SKIN_TUNABLE,
    LIST_CAPACITY_TUNABLE,
    { "SIDES", 2, "1: a pair of particles is met by one of its two blocks; 2: by both" },
    ORDER_TUNABLE(ORDER_HILBERT),
    ROW_WIDTH_TUNABLE(120),
    { 0 }
};

static double blocks_32_more_ints(const struct structure_estimate *estimate) {
    const double skin = 0.01 * tunings_value(estimate->tunings, "SKIN", SKIN_PRESET);
    const double entries = mean_entries(estimate->density, estimate->cutoff * (1 + skin),
                                        tunings_value(estimate->tunings, "SIDES", 2));
    return isfinite(entries) ? fmin(entries, estimate->n) / BLOCK : 0;
}

const struct structure_class structure_blocks_32 = {
    .name = "blocks_32",
    .summary = "a list per block of 32 particles, with a mask per entry that is excluded",
    .needs = &structure_sorted_cells,
    SKIN_MEMBERS,
    .words = "variants/structures/list_entries.cl",
    .parameter_tables = blocks_32_parts,
    .units = blocks_32_units,
    .unit_counts = blocks_32_unit_counts,
    .tunables = blocks_32_tunables,
    .positions_per_particle = 1,
    .ints_per_particle = 11,
    .more_ints_per_particle = blocks_32_more_ints,
    .size = sizeof(struct blocks_32),
    .create = blocks_32_create,
    .build = blocks_32_build,
    .fill = blocks_32_fill,
    .grow = blocks_32_grow,
    .release = blocks_32_release,
};
