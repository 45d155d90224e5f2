/* list_columns, lists of neighbours of columns of particles: see list_columns.cl for what the
 * kernels do and where an entry lies. */
#include "structures/builder.h"
#include "structures/lists/place_order.h"
#include "structures/lists/skin.h"

/* ---- lists of columns ---- */

enum {
    GROUP_COLUMNS = 32, /* whose entries lie side by side */
    QUAD = 4,           /* entries of a column that lie together */
    MAX_PLACES = (1 << 27) - 1
};

bool column_lists_count(const struct structure_input *input, size_t *columns, struct error *error) {
    const size_t n = input->box->n;
    const size_t particles = (size_t)builder_tunable(input, "PARTICLES");
    *columns = (n + particles - 1) / particles;
    return n <= MAX_PLACES || fail(error, STATUS_UNSUPPORTED,
                                   "lists of columns number %d particles, not %zu", MAX_PLACES, n);
}

double column_lists_mean(double neighbours, int particles) {
    return neighbours * (1 + (particles - 1) / 3.0);
}

static bool set_capacity(struct column_lists *lists, size_t places, struct error *error) {
    const size_t capacity = (places + QUAD - 1) / QUAD * QUAD;
    const size_t rows = (lists->columns + GROUP_COLUMNS - 1) / GROUP_COLUMNS * GROUP_COLUMNS;
    if (capacity > INT32_MAX || capacity > SIZE_MAX / sizeof(int32_t) / rows) {
        return fail(error, STATUS_UNSUPPORTED,
                    "a column has %zu neighbours: lists of columns hold %d at most", places,
                    INT32_MAX - QUAD);
    }
    lists->capacity = capacity;
    return buffer_replace(lists->device, rows * capacity * sizeof(int32_t), &lists->entries, error);
}

bool column_lists_create(struct device *device, size_t columns, size_t places,
                         struct column_lists *lists, struct error *error) {
    lists->device = device;
    lists->columns = columns;
    return buffer_allocate(device, columns * sizeof(int32_t), &lists->length, error) &&
           set_capacity(lists, places, error);
}

bool column_lists_grow(struct column_lists *lists, struct error *error) {
    size_t places = 0;
    return skin_needed_capacity(lists->length, &places, error) &&
           (places <= lists->capacity || set_capacity(lists, places, error));
}

const struct kernel_parameter column_lists_parameters[] = {
    { "column_length", "GLOBAL const int *", FROM_BUFFER(column_lists, length) },
    { "columns", "GLOBAL const int4 *", FROM_BUFFER(column_lists, entries) },
    { "list_capacity", "int", FROM_INT(column_lists, capacity) },
    { 0 },
};

/* ---- the structure ---- */

static const char *const fill_columns_name = "fill_columns";

struct list_columns {
    struct skin skin; /* first: skin_ask(), skin_limit() */
    struct place_order order;
    struct column_lists lists;
    struct program *program;
    struct kernel *fill_columns;
};

/* ---- making ---- */

static void list_columns_release(void *state) {
    struct list_columns *list = state;
    program_free(list->program);
    place_order_free(&list->order);
    skin_free(&list->skin);
}

static bool list_columns_create(const struct structure_input *input, void *state,
                                struct error *error) {
    static const char *const texts[] = { "variants/box.cl", "variants/structures/cells.cl",
                                         "variants/structures/list_entries.cl",
                                         "variants/structures/list_columns.cl", NULL };
    const double neighbours = skin_mean_neighbours(skin_density(input), skin_radius(input));
    const int particles = builder_tunable(input, "PARTICLES");
    const double mean = column_lists_mean(neighbours, particles);
    struct list_columns *list = state;
    size_t columns;
    /* the last column's places, all of which kernels read, and one of nobody */
    return column_lists_count(input, &columns, error) && skin_create(input, &list->skin, error) &&
           place_order_create(input, list->skin.n + (size_t)particles, &list->order, error) &&
           builder_compile(input, texts,
                           &(struct named_kernels){ &fill_columns_name, 1, &list->fill_columns },
                           &list->program, error) &&
           column_lists_create(input->device, columns, skin_guess_capacity(input, mean),
                               &list->lists, error);
}

/* ---- building ---- */

static bool list_columns_fill(void *state, struct buffer **overflow, struct error *error) {
    struct list_columns *list = state;
    struct skin *skin = &list->skin;
    *overflow = skin->flag;
    return builder_launch_flagged(
        list->fill_columns, list->lists.columns,
        (struct arguments){ ARGUMENTS(
            SKIN_CELL_ARGUMENTS(skin), argument_buffer(list->order.place_of_sorted),
            argument_buffer(list->order.place_position), skin->box,
            argument_int((int32_t)list->lists.capacity), argument_buffer(list->lists.length),
            argument_buffer(list->lists.entries), argument_buffer(skin->flag)) },
        skin->flag, error);
}

static bool list_columns_grow(void *state, struct error *error) {
    struct list_columns *list = state;
    return column_lists_grow(&list->lists, error);
}

static bool list_columns_build(void *state, struct error *error) {
    struct list_columns *list = state;
    return place_order_build(&list->order, &list->skin, error);
}

/* ---- parameters of kernels ---- */

static const struct parameter_table list_columns_parts[] = {
    { column_lists_parameters, offsetof(struct list_columns, lists) },
    { place_order_parameters, offsetof(struct list_columns, order) },
    { NULL, 0 },
};

static const char *const list_columns_units[] = { "column", NULL };
static const size_t list_columns_unit_counts[] = { offsetof(struct list_columns, lists.columns) };

static const struct structure_tunable list_columns_tunables[] = { SKIN_TUNABLE,
                                                                  LIST_CAPACITY_TUNABLE,
                                                                  { "PARTICLES", 1,
                                                                    "particles per column" },
                                                                  ORDER_TUNABLE(ORDER_ROWS),
                                                                  ROW_WIDTH_TUNABLE(120),
                                                                  { 0 } };

static double list_columns_more_ints(const struct structure_estimate *estimate) {
    const int particles = tunings_value(estimate->tunings, "PARTICLES", 1);
    return column_lists_mean(skin_estimated_neighbours(estimate), particles) / particles;
}

const struct structure_class structure_list_columns = {
    .name = "list_columns",
    .summary = "a list per column of particles, transposed in groups of 32 columns",
    .needs = &structure_sorted_cells,
    SKIN_MEMBERS,
    .words = "variants/structures/list_entries.cl",
    .parameter_tables = list_columns_parts,
    .units = list_columns_units,
    .unit_counts = list_columns_unit_counts,
    .tunables = list_columns_tunables,
    .positions_per_particle = 1,
    .ints_per_particle = 7,
    .more_ints_per_particle = list_columns_more_ints,
    .size = sizeof(struct list_columns),
    .create = list_columns_create,
    .build = list_columns_build,
    .fill = list_columns_fill,
    .grow = list_columns_grow,
    .release = list_columns_release,
};
