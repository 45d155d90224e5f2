#include "structures/lists/column_lists.h"

#include "structures/lists/skin.h"

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
    buffer_free(lists->entries);
    lists->entries = NULL;
    lists->capacity = capacity;
    return buffer_allocate(lists->device, rows * capacity * sizeof(int32_t), &lists->entries,
                           error);
}

bool column_lists_create(struct device *device, size_t columns, size_t places,
                         struct column_lists *lists, struct error *error) {
    lists->device = device;
    lists->columns = columns;
    return buffer_allocate(device, columns * sizeof(int32_t), &lists->length, error) &&
           set_capacity(lists, places, error);
}

void column_lists_free(struct column_lists *lists) {
    buffer_free(lists->length);
    buffer_free(lists->entries);
}

bool column_lists_grow(struct column_lists *lists, struct error *error) {
    size_t places = 0;
    return skin_needed_capacity(lists->length, &places, error) &&
           (places <= lists->capacity || set_capacity(lists, places, error));
}

DEFINE_BUFFER_VALUE(column_lists, length)
DEFINE_BUFFER_VALUE(column_lists, entries)
DEFINE_INT_VALUE(column_lists, capacity)

const struct offer column_lists_offers[] = {
    { "column_length", "GLOBAL const int *", value_of_length },
    { "columns", "GLOBAL const int4 *", value_of_entries },
    { "list_capacity", "int", value_of_capacity },
    { NULL, NULL, NULL },
};
