/* list_columns, lists of neighbours of columns of particles: see list_columns.cl for what the
 * kernels do and where an entry lies. */
#include "lists/place_order.h"
#include "lists/skin.h"
#include "structure/builder.h"
#include "structure/structures.h"

#include <stdlib.h>
#include <string.h>

static const char *const fill_columns_name = "fill_columns";

enum {
    GROUP_COLUMNS = 32, /* whose entries lie side by side */
    QUAD = 4,           /* entries of a column that lie together */
    MAX_PLACES = (1 << 27) - 1
};

struct list_columns {
    struct device *device;
    struct skin skin;
    struct place_order order;
    int particles; /* per column */
    size_t columns;
    size_t capacity; /* places of a column's list */
    struct program *program;
    struct kernel *fill_columns;
    struct buffer *column_length; /* an int per column */
    struct buffer *entries;
};

/* ---- making ---- */

static void list_columns_release(void *state) {
    struct list_columns *list = state;
    if (!list) {
        return;
    }
    buffer_free(list->column_length);
    buffer_free(list->entries);
    program_free(list->program);
    place_order_free(&list->order);
    skin_free(&list->skin);
    free(list);
}

/* Lists with room for at least `places`. What they held is lost. */
static bool set_capacity(struct list_columns *list, size_t places, struct error *error) {
    const size_t capacity = (places + QUAD - 1) / QUAD * QUAD;
    const size_t rows = (list->columns + GROUP_COLUMNS - 1) / GROUP_COLUMNS * GROUP_COLUMNS;
    if (capacity > INT32_MAX || capacity > SIZE_MAX / sizeof(int32_t) / rows) {
        return fail(error, STATUS_UNSUPPORTED,
                    "a column has %zu neighbours: lists of columns hold %d at most", places,
                    INT32_MAX - QUAD);
    }
    buffer_free(list->entries);
    list->entries = NULL;
    list->capacity = capacity;
    return buffer_allocate(list->device, rows * capacity * sizeof(int32_t), &list->entries, error);
}

/* The union of several particles' neighbours: two have about four thirds of one's. */
static double mean_entries(double neighbours, int particles) {
    return neighbours * (1 + (particles - 1) / 3.0);
}

static bool make_all(const struct structure_input *input, struct list_columns *list,
                     struct error *error) {
    static const char *const texts[] = { "variants/box.cl", "variants/structures/cells.cl",
                                         "variants/structures/list_entries.cl",
                                         "variants/structures/list_columns.cl", NULL };
    const double mean = skin_mean_neighbours(skin_density(input), skin_radius(input));
    return skin_create(input, &list->skin, error) &&
           place_order_create(input, list->skin.n + 1, &list->order, error) &&
           builder_compile(input, texts, &fill_columns_name, 1, &list->program, &list->fill_columns,
                           error) &&
           buffer_allocate(list->device, list->columns * sizeof(int32_t), &list->column_length,
                           error) &&
           set_capacity(list, skin_guess_capacity(input, mean_entries(mean, list->particles)),
                        error);
}

static bool list_columns_create(const struct structure_input *input, void **state,
                                struct error *error) {
    const size_t n = input->box->n;
    if (n > MAX_PLACES) {
        return fail(error, STATUS_UNSUPPORTED, "lists of columns number %d particles, not %zu",
                    MAX_PLACES, n);
    }
    struct list_columns *list = calloc(1, sizeof *list);
    if (!list) {
        return fail_out_of_memory(error, "list_columns");
    }
    list->device = input->device;
    list->particles = builder_tunable(input, "PARTICLES");
    list->columns = (n + (size_t)list->particles - 1) / (size_t)list->particles;
    if (!make_all(input, list, error)) {
        list_columns_release(list);
        return false;
    }
    *state = list;
    return true;
}

/* ---- building ---- */

static bool fill_columns(struct list_columns *list, bool *overflowed, struct error *error) {
    struct skin *skin = &list->skin;
    const struct argument arguments[] = { SKIN_CELL_ARGUMENTS(skin),
                                          argument_buffer(list->order.place_of_sorted),
                                          argument_buffer(list->order.place_position),
                                          skin->box,
                                          argument_int((int32_t)list->capacity),
                                          argument_buffer(list->column_length),
                                          argument_buffer(list->entries),
                                          argument_buffer(skin->flag) };
    return builder_launch_and_ask(list->fill_columns, list->columns, arguments,
                                  sizeof arguments / sizeof arguments[0], skin->flag, overflowed,
                                  error);
}

static bool grow(struct list_columns *list, struct error *error) {
    size_t places = 0;
    return skin_needed_capacity(list->column_length, &places, error) &&
           set_capacity(list, places, error);
}

static bool list_columns_build(void *state, struct error *error) {
    struct list_columns *list = state;
    bool overflowed = false;
    if (!place_order_build(&list->order, &list->skin, error) ||
        !fill_columns(list, &overflowed, error)) {
        return false;
    }
    return !overflowed || (grow(list, error) && fill_columns(list, &overflowed, error));
}

static bool list_columns_is_valid(void *state, bool *valid, struct error *error) {
    return skin_holds(&((struct list_columns *)state)->skin, valid, error);
}

static double list_columns_way(const void *state) {
    return skin_way(&((const struct list_columns *)state)->skin);
}

/* ---- what it offers ---- */

DEFINE_BUFFER_VALUE(list_columns, column_length)
DEFINE_BUFFER_VALUE(list_columns, entries)
DEFINE_INT_VALUE(list_columns, capacity)

static const struct offer list_columns_offers[] = {
    { "column_length", "GLOBAL const int *", value_of_column_length },
    { "columns", "GLOBAL const int4 *", value_of_entries },
    { "list_capacity", "int", value_of_capacity },
    { NULL, NULL, NULL },
};

static const struct offers list_columns_parts[] = {
    { list_columns_offers, 0 },
    { place_order_offers, offsetof(struct list_columns, order) },
    { NULL, 0 },
};

static const char *const list_columns_units[] = { "column", NULL };

static bool list_columns_unit(const void *state, const char *name, size_t *count) {
    *count = ((const struct list_columns *)state)->columns;
    return strcmp(name, "column") == 0;
}

static const struct structure_tunable list_columns_tunables[] = { SKIN_TUNABLE,
                                                                  LIST_CAPACITY_TUNABLE,
                                                                  { "PARTICLES", 1,
                                                                    "particles per column" },
                                                                  ORDER_TUNABLE(ORDER_ROWS),
                                                                  ROW_WIDTH_TUNABLE,
                                                                  { 0 } };

static double list_columns_more_ints(const struct structure_estimate *estimate) {
    const int particles = tunings_value(estimate->tunings, "PARTICLES", 1);
    return mean_entries(skin_estimated_neighbours(estimate), particles) / particles;
}

const struct structure_class structure_list_columns = {
    .name = "list_columns",
    .summary = "a list per column of particles, transposed in groups of 32 columns",
    .needs = "sorted_cells",
    .needs_cutoff = true,
    .words = "variants/structures/list_entries.cl",
    .offers = list_columns_parts,
    .units = list_columns_units,
    .tunables = list_columns_tunables,
    .positions_per_particle = 1,
    .ints_per_particle = 7,
    .more_ints_per_particle = list_columns_more_ints,
    .ask_below = skin_ask_below,
    .create = list_columns_create,
    .build = list_columns_build,
    .is_valid = list_columns_is_valid,
    .way = list_columns_way,
    .unit = list_columns_unit,
    .release = list_columns_release,
};
