/* list_blocks, lists of 16 bits into what is near to a block of particles: see list_blocks.cl for
 * what the kernel does and where a slot lies. */
#include "structures/builder.h"
#include "structures/lists/place_order.h"
#include "structures/lists/skin.h"

#include <math.h>

enum {
    BLOCK = BUILD_GROUP_SIZE, /* particles */
    EIGHT = 8,                /* slots of a particle that lie together */
    MAX_PLACES = (1 << 27) - 1,
    STAGED_PRESET = 1024,
    STAGED_UNIT = 256,
    MAX_STAGED = 1536, /* what 48 KiB of local memory hold while the lists are built */
    MAX_STAGED_DOUBLE = 1024,
    PART_END = 32, /* after the slots of a part: their number */
    MAX_ENTRY_TYPES = 16,
    BUILD_GROUPS_PRESET = 5,
    MAX_BUILD_GROUPS = 16
};

static const char *const kernel_name = "fill_blocks";

/* As list_blocks.cl numbers them. */
static const int exclusion_word[] = { [BY_NOTHING] = 0, [BY_MOLECULE] = 1, [BY_LISTS] = 2 };

struct list_blocks {
    struct skin skin; /* first: skin_ask(), skin_limit() */
    struct device *device;
    struct place_order order;
    size_t blocks, places;
    size_t staged;        /* slots of a part */
    size_t part_capacity; /* parts of a block */
    size_t slot_capacity; /* slots of a particle's list */
    struct program *program;
    struct kernel *fill_blocks;
    int types; /* that entries hold; 0: none */
    struct list_exclusions exclusions;
    struct buffer *type;          /* the caller's */
    struct buffer *block_parts;   /* an int per block */
    struct buffer *block_entries; /* blocks x part_capacity x staged ints */
    struct buffer *part_begin;    /* part_capacity x places ints, both */
    struct buffer *part_stop;
    struct buffer *slot_count; /* an int per place */
    struct buffer *slot_lists; /* places x slot_capacity slots of 16 bits */
};

/* ---- making ---- */

static void list_blocks_release(void *state) {
    struct list_blocks *list = state;
    buffer_free(list->slot_count);
    program_free(list->program);
    place_order_free(&list->order);
    skin_free(&list->skin);
}

static bool replace_buffer(struct list_blocks *list, size_t count, size_t size,
                           struct buffer **buffer, struct error *error) {
    return buffer_replace(list->device, count * size, buffer, error);
}

/* Room for so many parts of a block and slots of a particle. What they held is lost. */
static bool set_capacities(struct list_blocks *list, size_t parts, size_t slots,
                           struct error *error) {
    const size_t capacity = (slots + EIGHT - 1) / EIGHT * EIGHT;
    const size_t part_size = list->staged + PART_END;
    const size_t most = INT32_MAX / (part_size > list->places ? part_size : list->places);
    if (parts > most || capacity > INT32_MAX || capacity > SIZE_MAX / list->places / 2) {
        return fail(error, STATUS_UNSUPPORTED,
                    "lists of blocks find no room for %zu parts and lists of %zu", parts, slots);
    }
    list->part_capacity = parts;
    list->slot_capacity = capacity;
    return replace_buffer(list, list->blocks * parts * part_size, sizeof(int32_t),
                          &list->block_entries, error) &&
           replace_buffer(list, list->places * parts, sizeof(int32_t), &list->part_begin, error) &&
           replace_buffer(list, list->places * parts, sizeof(int32_t), &list->part_stop, error) &&
           replace_buffer(list, list->places * capacity, sizeof(int16_t), &list->slot_lists, error);
}

/* Types that entries hold; 0: none. */
static int types_of_entries(const struct structure_input *input) {
    return input->types <= MAX_ENTRY_TYPES ? input->types : 0;
}

static bool make_all(const struct structure_input *input, struct list_blocks *list,
                     struct error *error) {
    static const char *const texts[] = { "variants/structures/list_blocks_plain.cl",
                                         "variants/box.cl",
                                         "variants/structures/cells.cl",
                                         "variants/structures/list_entries.cl",
                                         "variants/structures/list_blocks.cl",
                                         NULL };
    const bool plain = builder_tunable(input, "BUILD_GROUPS") > BUILD_GROUPS_PRESET &&
                       types_of_entries(input) == 0 && list_exclusions_of(input).kind == BY_NOTHING;
    const double density = skin_density(input);
    const double radius = skin_radius(input);
    const double slots =
        fmin(skin_mean_around(density, radius, BLOCK), 16.0 * (double)list->staged);
    const size_t parts = (size_t)ceil(1.1 * slots / (double)list->staged);
    return skin_create(input, &list->skin, error) &&
           place_order_create(input, list->places, &list->order, error) &&
           builder_compile(input, plain ? texts : texts + 1,
                           &(struct named_kernels){ &kernel_name, 1, &list->fill_blocks },
                           &list->program, error) &&
           buffer_allocate(list->device, list->blocks * sizeof(int32_t), &list->block_parts,
                           error) &&
           buffer_allocate(list->device, list->places * sizeof(int32_t), &list->slot_count,
                           error) &&
           set_capacities(list, parts > 0 ? parts : 1,
                          skin_guess_capacity(input, skin_mean_neighbours(density, radius)), error);
}

static bool list_blocks_create(const struct structure_input *input, void *state,
                               struct error *error) {
    if (input->box->n > MAX_PLACES) {
        return fail(error, STATUS_UNSUPPORTED, "lists of blocks number %d particles, not %zu",
                    MAX_PLACES, input->box->n);
    }
    struct list_blocks *list = state;
    const int staged = builder_tunable(input, "STAGED");
    const int most = builder_is_double(input) ? MAX_STAGED_DOUBLE : MAX_STAGED;
    if (staged < STAGED_UNIT || staged % STAGED_UNIT != 0 || staged > most) {
        return fail(error, STATUS_UNSUPPORTED, "STAGED=%d: whole multiples of %d will do, up to %d",
                    staged, STAGED_UNIT, most);
    }
    const int groups = builder_tunable(input, "BUILD_GROUPS");
    if (groups < 1 || groups > MAX_BUILD_GROUPS) {
        return fail(error, STATUS_UNSUPPORTED, "BUILD_GROUPS=%d: 1 to %d will do", groups,
                    MAX_BUILD_GROUPS);
    }
    list->device = input->device;
    list->staged = (size_t)staged;
    list->blocks = (input->box->n + BLOCK - 1) / BLOCK;
    list->places = list->blocks * BLOCK;
    list->types = types_of_entries(input);
    list->exclusions = list_exclusions_of(input);
    list->type = input->type;
    return make_all(input, list, error);
}

/* ---- building ---- */

static bool list_blocks_fill(void *state, struct buffer **overflow, struct error *error) {
    struct list_blocks *list = state;
    struct skin *skin = &list->skin;
    *overflow = skin->flag;
    return builder_launch_flagged(
        list->fill_blocks, list->places,
        (struct arguments){ ARGUMENTS(
            SKIN_CELL_ARGUMENTS(skin), argument_buffer(list->order.place_of_sorted),
            argument_buffer(list->order.place_position), skin->box,
            argument_int((int32_t)list->part_capacity), argument_int((int32_t)list->slot_capacity),
            argument_int((int32_t)list->places), argument_buffer(list->order.place_index),
            argument_buffer(list->order.sorted_place), skin_of_cells(skin, "sorted_index"),
            argument_int(list->types), buffer_or(list->type, skin->flag),
            argument_int(exclusion_word[list->exclusions.kind]),
            buffer_or(list->exclusions.molecule, skin->flag),
            buffer_or(list->exclusions.start, skin->flag),
            buffer_or(list->exclusions.partner, skin->flag), argument_buffer(list->block_parts),
            argument_buffer(list->block_entries), argument_buffer(list->part_begin),
            argument_buffer(list->part_stop), argument_buffer(list->slot_count),
            argument_buffer(list->slot_lists), argument_buffer(skin->flag)) },
        skin->flag, error);
}

/* More room where it was needed; the counts went on past it. */
static bool list_blocks_grow(void *state, struct error *error) {
    struct list_blocks *list = state;
    size_t parts = 0;
    size_t slots = 0;
    if (!skin_needed_capacity(list->block_parts, &parts, error) ||
        !skin_needed_capacity(list->slot_count, &slots, error)) {
        return false;
    }
    return set_capacities(list, parts > list->part_capacity ? parts : list->part_capacity,
                          slots > list->slot_capacity ? slots : list->slot_capacity, error);
}

static bool list_blocks_build(void *state, struct error *error) {
    struct list_blocks *list = state;
    return place_order_build(&list->order, &list->skin, error);
}

/* ---- parameters of kernels ---- */

static struct argument value_of_place_sorted(const void *owner) {
    return argument_buffer(((const struct list_blocks *)owner)->order.sorted_place);
}

static const struct kernel_parameter list_blocks_parameters[] = {
    { "place_sorted", "GLOBAL const int *", FROM_FUNCTION(value_of_place_sorted) },
    { "block_parts", "GLOBAL const int *", FROM_BUFFER(list_blocks, block_parts) },
    { "block_entries", "GLOBAL const int *", FROM_BUFFER(list_blocks, block_entries) },
    { "part_begin", "GLOBAL const int *", FROM_BUFFER(list_blocks, part_begin) },
    { "part_stop", "GLOBAL const int *", FROM_BUFFER(list_blocks, part_stop) },
    { "slot_lists", "GLOBAL const int4 *", FROM_BUFFER(list_blocks, slot_lists) },
    { "part_capacity", "int", FROM_INT(list_blocks, part_capacity) },
    { "slot_capacity", "int", FROM_INT(list_blocks, slot_capacity) },
    { 0 },
};

static const struct parameter_table list_blocks_parts[] = {
    { list_blocks_parameters, 0 },
    { place_order_parameters, offsetof(struct list_blocks, order) },
    { NULL, 0 },
};

static const struct structure_tunable list_blocks_tunables[] = {
    SKIN_TUNABLE,
    LIST_CAPACITY_TUNABLE,
    ORDER_TUNABLE(ORDER_CUBOIDS),
    ROW_WIDTH_TUNABLE(504), /* cubes of 128 */
    { "STAGED", STAGED_PRESET, "slots of a part: whole multiples of 256" },
    { "SUB_BLOCK", 16,
      "particles to a box that slots are found by, without tensor cores: fewer make fewer slots" },
    { "BUILD_GROUPS", BUILD_GROUPS_PRESET,
      "groups per multiprocessor that the builder is compiled for; from 6 on without types and "
      "exclusions where there are none" },
    { "SPREAD", 1, "1: slots in turns by their lowest bits, for local memory" },
    { "STABLE_SORT", 0, "1: with that of its cells, the same input gives the same lists" },
    { "BALANCED", 1,
      "1: with tensor cores, particles of a block in order of the lengths of their lists" },
    { 0 }
};

static double list_blocks_more_ints(const struct structure_estimate *estimate) {
    return skin_estimated_neighbours(estimate) / 2;
}

const struct structure_class structure_list_blocks = {
    .name = "list_blocks",
    .summary = "who is near to a block of 128 particles; lists of 16 bits into that",
    .needs = &structure_sorted_cells,
    SKIN_MEMBERS,
    .words = "variants/structures/list_entries.cl",
    .parameter_tables = list_blocks_parts,
    .tunables = list_blocks_tunables,
    .positions_per_particle = 1,
    .ints_per_particle = 16,
    .more_ints_per_particle = list_blocks_more_ints,
    .size = sizeof(struct list_blocks),
    .create = list_blocks_create,
    .build = list_blocks_build,
    .fill = list_blocks_fill,
    .grow = list_blocks_grow,
    .release = list_blocks_release,
};
