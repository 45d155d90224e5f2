/* pair_list, a list of neighbours over sorted cells: see pair_list.cl for what the kernels do. */
#include "structures/builder.h"
#include "structures/lists/skin.h"

enum { ROW_STEP = 4 /* rows are multiples of so many places */ };

struct pair_list {
    struct skin skin; /* first: skin_ask(), skin_limit() */
    struct device *device;
    struct program *program;
    struct kernel *list_neighbours;
    bool half;                      /* a pair stands in one of its two rows */
    int lanes;                      /* work-items per row, while it is built */
    size_t capacity;                /* places of a row */
    struct buffer *neighbour_count; /* n ints */
    struct buffer *neighbours;      /* n x capacity ints */
};

/* ---- making ---- */

static void pair_list_release(void *state) {
    struct pair_list *list = state;
    program_free(list->program);
    skin_free(&list->skin);
}

/* Rows with room for at least `places`. What the list held is lost. */
static bool set_capacity(struct pair_list *list, size_t places, struct error *error) {
    const size_t n = list->skin.n;
    const size_t capacity = (places + ROW_STEP - 1) / ROW_STEP * ROW_STEP;
    if (capacity > INT32_MAX || (n > 0 && capacity > SIZE_MAX / sizeof(int32_t) / n)) {
        return fail(error, STATUS_UNSUPPORTED,
                    "a particle has %zu neighbours: rows of a list hold %d at most", places,
                    INT32_MAX - ROW_STEP);
    }
    list->capacity = capacity;
    return buffer_replace(list->device, n * capacity * sizeof(int32_t), &list->neighbours, error);
}

static bool make_all(const struct structure_input *input, struct pair_list *list,
                     struct error *error) {
    static const char *const name = "list_neighbours";
    static const char *const texts[] = { "variants/box.cl", "variants/structures/cells.cl",
                                         "variants/structures/pair_list.cl", NULL };
    const double mean = skin_mean_neighbours(skin_density(input), skin_radius(input));
    return skin_create(input, &list->skin, error) &&
           builder_compile(input, texts,
                           &(struct named_kernels){ &name, 1, &list->list_neighbours },
                           &list->program, error) &&
           buffer_allocate(list->device, list->skin.n * sizeof(int32_t), &list->neighbour_count,
                           error) &&
           set_capacity(list, skin_guess_capacity(input, list->half ? mean / 2 : mean), error);
}

/* Work-items per row. With few particles one each would leave most of a device idle. Several per
 * row look at the partners twice: they count them first. */
static int lanes_for(const struct structure_input *input) {
    enum { FEW = 65536, LANES_OF_FEW = 16 };
    const int asked = builder_tunable(input, "BUILD_LANES");
    const bool few = input->box->n <= FEW && !device_describe(input->device)->is_cpu;
    return asked > 0 ? asked : few ? LANES_OF_FEW : 1;
}

static bool pair_list_create(const struct structure_input *input, void *state,
                             struct error *error) {
    struct pair_list *list = state;
    list->device = input->device;
    list->half = builder_tunable(input, "HALF") != 0;
    list->lanes = lanes_for(input);
    if (BUILD_GROUP_SIZE % list->lanes != 0) {
        return fail(error, STATUS_UNSUPPORTED, "BUILD_LANES=%d: powers of two will do, up to %d",
                    list->lanes, BUILD_GROUP_SIZE);
    }
    return make_all(input, list, error);
}

/* ---- building ---- */

static bool pair_list_fill(void *state, struct buffer **overflow, struct error *error) {
    struct pair_list *list = state;
    struct skin *skin = &list->skin;
    *overflow = skin->flag;
    return builder_launch_flagged(
        list->list_neighbours, skin->n * (size_t)list->lanes,
        (struct arguments){
            ARGUMENTS(SKIN_CELL_ARGUMENTS(skin), skin_of_cells(skin, "sorted_index"), skin->box,
                      argument_int(list->lanes), argument_int(list->half),
                      argument_int((int32_t)list->capacity), argument_buffer(list->neighbour_count),
                      argument_buffer(list->neighbours), argument_buffer(skin->flag)) },
        skin->flag, error);
}

static bool pair_list_grow(void *state, struct error *error) {
    struct pair_list *list = state;
    size_t places = 0;
    return skin_needed_capacity(list->neighbour_count, &places, error) &&
           set_capacity(list, places, error);
}

/* ---- parameters of kernels ---- */

static const struct kernel_parameter pair_list_parameters[] = {
    { "neighbour_count", "GLOBAL const int *", FROM_BUFFER(pair_list, neighbour_count) },
    { "neighbours", "GLOBAL const int *", FROM_BUFFER(pair_list, neighbours) },
    { "list_capacity", "int", FROM_INT(pair_list, capacity) },
    { 0 },
};

static const struct parameter_table pair_list_parts[] = { { pair_list_parameters, 0 },
                                                          { NULL, 0 } };

static const struct structure_tunable pair_list_tunables[] = {
    SKIN_TUNABLE,
    LIST_CAPACITY_TUNABLE,
    { "BUILD_LANES", 0,
      "work-items per row that is built; 0: 16 of few particles on a GPU, else 1" },
    { "HALF", 0, "1: a pair stands in one of its two rows; 0: in both" },
    { 0 }
};

const struct structure_class structure_pair_list = {
    .name = "pair_list",
    .summary = "a row per particle: its neighbours within the cutoff and a skin",
    .needs = &structure_sorted_cells,
    SKIN_MEMBERS,
    .parameter_tables = pair_list_parts,
    .tunables = pair_list_tunables,
    .ints_per_particle = 1,
    .more_ints_per_particle = skin_estimated_neighbours,
    .size = sizeof(struct pair_list),
    .create = pair_list_create,
    .fill = pair_list_fill,
    .grow = pair_list_grow,
    .release = pair_list_release,
};
