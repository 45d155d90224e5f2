/* list_columns, lists of neighbours of columns of particles: see list_columns.cl for what the
 * kernels do and where an entry lies. */
#include "structure/builder.h"
#include "structure/skin.h"
#include "structure/structures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum list_kernel { NUMBER_PLACES, FILL_PLACES, FILL_COLUMNS, LIST_KERNELS };

static const char *const list_kernel_names[LIST_KERNELS] = { "number_places", "fill_places",
                                                             "fill_columns" };

enum order { ORDER_CELLS, ORDER_ROWS, ORDER_MORTON, ORDER_HILBERT };

enum {
    GROUP_COLUMNS = 32, /* whose entries lie side by side */
    QUAD = 4,           /* entries of a column that lie together */
    MAX_PLACES = (1 << 27) - 1,
    MAX_CURVE_BITS = 10,
    MAX_KEY = 1 << 30
};

/* The curve through the box. */
struct place_order {
    enum order kind;
    int bins[3], bits; /* bits per edge, of Morton's and Hilbert's curve */
    double origin[3], inverse_bin[3];
    int key_bits;
};

struct list_columns {
    struct device *device;
    struct skin skin;
    struct place_order order;
    int particles; /* per column */
    size_t columns;
    size_t capacity; /* places of a column's list */
    struct program *program;
    struct kernel *kernels[LIST_KERNELS];
    struct buffer *key, *sorted_key, *value; /* n ints each */
    struct buffer *sorted_place;             /* n ints: of each place, which sorted particle */
    struct buffer *column_place;             /* n ints: of each sorted particle, which place */
    struct buffer *place_index;              /* n + 1 ints: of each place, the input index */
    struct buffer *place_position;           /* n positions */
    struct buffer *column_length;            /* an int per column */
    struct buffer *entries;
};

/* ---- the order ---- */

static int bits_for(double count) {
    int bits = 1;
    while (bits < 31 && count > ldexp(1, bits)) {
        bits++;
    }
    return bits;
}

static int at_least_one(double count, double most) {
    return (int)fmin(fmax(1, floor(count)), most);
}

/* Rows that are `width` wide and, along x, in bins as small as keys allow. */
static void make_rows(const double extent[3], double width, struct place_order *order) {
    enum { MAX_ROWS = 1 << 12, MAX_BINS = 1 << 14 };
    order->bins[1] = at_least_one(extent[1] / width, MAX_ROWS);
    order->bins[2] = at_least_one(extent[2] / width, MAX_ROWS);
    const double rows = (double)order->bins[1] * order->bins[2];
    order->bins[0] = at_least_one(MAX_KEY / rows, MAX_BINS);
    order->key_bits = bits_for(rows * order->bins[0]);
}

/* Bins of one size in all directions, about as many as half of a particle each. */
static void make_curve(double extent[3], double spacing, struct place_order *order) {
    const double longest = fmax(extent[0], fmax(extent[1], extent[2]));
    const int bits = bits_for(longest / spacing) + 1;
    order->bits = bits < MAX_CURVE_BITS ? bits : MAX_CURVE_BITS;
    order->key_bits = 3 * order->bits;
    for (int d = 0; d < 3; d++) {
        order->bins[d] = 1 << order->bits;
        extent[d] = longest;
    }
}

static void make_order(const struct structure_input *input, struct place_order *order) {
    const double spacing = cbrt(1 / skin_density(input));
    struct cell_grid grid;
    double extent[3];
    cell_grid_make(input->box, skin_radius(input), 1, 0, &grid);
    order->kind = (enum order)builder_tunable(input, "ORDER");
    for (int d = 0; d < 3; d++) {
        extent[d] = grid.cells[d] * grid.width[d];
        order->origin[d] = grid.origin[d];
    }
    if (order->kind == ORDER_ROWS) {
        make_rows(extent, 0.01 * builder_tunable(input, "ROW_WIDTH") * spacing, order);
    } else {
        make_curve(extent, spacing, order);
    }
    for (int d = 0; d < 3; d++) {
        order->inverse_bin[d] = order->bins[d] / extent[d];
    }
}

/* ---- making ---- */

static void list_columns_release(void *state) {
    struct list_columns *list = state;
    if (!list) {
        return;
    }
    buffer_free(list->key);
    buffer_free(list->sorted_key);
    buffer_free(list->value);
    buffer_free(list->sorted_place);
    buffer_free(list->column_place);
    buffer_free(list->place_index);
    buffer_free(list->place_position);
    buffer_free(list->column_length);
    buffer_free(list->entries);
    program_free(list->program);
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

static bool allocate_buffers(struct list_columns *list, struct error *error) {
    struct device *device = list->device;
    const size_t ints = list->skin.n * sizeof(int32_t);
    const size_t positions =
        list->skin.n * 4 * (list->skin.is_double ? sizeof(double) : sizeof(float));
    const size_t keys = list->order.kind == ORDER_CELLS ? 0 : ints;
    return buffer_allocate(device, ints, &list->key, error) &&
           buffer_allocate(device, keys, &list->sorted_key, error) &&
           buffer_allocate(device, keys, &list->value, error) &&
           buffer_allocate(device, ints, &list->sorted_place, error) &&
           buffer_allocate(device, ints, &list->column_place, error) &&
           buffer_allocate(device, ints + sizeof(int32_t), &list->place_index, error) &&
           buffer_fill(list->place_index, 0, ints + sizeof(int32_t), error) &&
           buffer_allocate(device, positions, &list->place_position, error) &&
           buffer_allocate(device, list->columns * sizeof(int32_t), &list->column_length, error);
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
           builder_compile(input, texts, list_kernel_names, LIST_KERNELS, &list->program,
                           list->kernels, error) &&
           allocate_buffers(list, error) &&
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
    make_order(input, &list->order);
    if (!make_all(input, list, error)) {
        list_columns_release(list);
        return false;
    }
    *state = list;
    return true;
}

/* ---- building ---- */

static bool number_places(struct list_columns *list, struct error *error) {
    const struct place_order *order = &list->order;
    struct skin *skin = &list->skin;
    const bool sorts = order->kind != ORDER_CELLS;
    const struct argument arguments[] = {
        argument_int((int32_t)skin->n),
        skin_of_cells(skin, "sorted_position"),
        argument_real3(order->origin, skin->is_double),
        argument_real3(order->inverse_bin, skin->is_double),
        argument_int4(order->bins, order->bits),
        skin->box,
        argument_buffer(list->key),
        argument_buffer(sorts ? list->value : list->sorted_place),
    };
    return builder_launch(list->kernels[NUMBER_PLACES], skin->n, arguments,
                          sizeof arguments / sizeof arguments[0], error) &&
           (!sorts || device_sort_pairs(list->device, list->key, list->value, list->sorted_key,
                                        list->sorted_place, skin->n, order->key_bits, error));
}

static bool fill_places(struct list_columns *list, struct error *error) {
    struct skin *skin = &list->skin;
    const struct argument arguments[] = {
        argument_int((int32_t)skin->n),         argument_buffer(list->sorted_place),
        skin_of_cells(skin, "sorted_position"), skin_of_cells(skin, "sorted_index"),
        argument_buffer(list->place_index),     argument_buffer(list->place_position),
        argument_buffer(list->column_place)
    };
    return builder_launch(list->kernels[FILL_PLACES], skin->n, arguments,
                          sizeof arguments / sizeof arguments[0], error);
}

static bool fill_columns(struct list_columns *list, bool *overflowed, struct error *error) {
    struct skin *skin = &list->skin;
    const struct argument arguments[] = { SKIN_CELL_ARGUMENTS(skin),
                                          argument_buffer(list->column_place),
                                          argument_buffer(list->place_position),
                                          skin->box,
                                          argument_int((int32_t)list->capacity),
                                          argument_buffer(list->column_length),
                                          argument_buffer(list->entries),
                                          argument_buffer(skin->flag) };
    return builder_launch_and_ask(list->kernels[FILL_COLUMNS], list->columns, arguments,
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
    if (!number_places(list, error) || !fill_places(list, error) ||
        !fill_columns(list, &overflowed, error)) {
        return false;
    }
    return !overflowed || (grow(list, error) && fill_columns(list, &overflowed, error));
}

static bool list_columns_is_valid(void *state, bool *valid, struct error *error) {
    return skin_holds(&((struct list_columns *)state)->skin, valid, error);
}

/* ---- what it offers ---- */

DEFINE_BUFFER_VALUE(list_columns, place_index)
DEFINE_BUFFER_VALUE(list_columns, place_position)
DEFINE_BUFFER_VALUE(list_columns, column_length)
DEFINE_BUFFER_VALUE(list_columns, entries)
DEFINE_INT_VALUE(list_columns, capacity)

static const struct offer list_columns_offers[] = {
    { "place_index", "GLOBAL const int *", value_of_place_index },
    { "place_position", "GLOBAL const real4 *", value_of_place_position },
    { "column_length", "GLOBAL const int *", value_of_column_length },
    { "columns", "GLOBAL const int4 *", value_of_entries },
    { "list_capacity", "int", value_of_capacity },
    { NULL, NULL, NULL },
};

static const struct offers list_columns_parts[] = { { list_columns_offers, 0 }, { NULL, 0 } };

static const char *const list_columns_units[] = { "column", NULL };

static bool list_columns_unit(const void *state, const char *name, size_t *count) {
    *count = ((const struct list_columns *)state)->columns;
    return strcmp(name, "column") == 0;
}

static const struct structure_tunable list_columns_tunables[] = {
    SKIN_TUNABLE,
    LIST_CAPACITY_TUNABLE,
    { "PARTICLES", 1, "particles per column" },
    { "ORDER", ORDER_ROWS, "of particles: 0 cells, 1 rows, 2 Morton's curve, 3 Hilbert's" },
    { "ROW_WIDTH", 120, "of ORDER=1, in hundredths of the mean spacing" },
    { 0 }
};

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
    .unit = list_columns_unit,
    .release = list_columns_release,
};
