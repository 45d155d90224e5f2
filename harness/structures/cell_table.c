/* Builder of cell_table: see cell_table.cl for what the kernel does. */
#include "structures/builder.h"
#include "structures/cell_grid.h"

#include <stdlib.h>

struct cell_table {
    struct device *device;
    struct buffer *position; /* the caller's */
    size_t n;
    struct cell_lists lists;
    struct program *program;
    struct kernel *fill_table;
    int32_t capacity;              /* particles that a row has room for */
    struct buffer *cell_count;     /* an int a cell */
    struct buffer *cell_particles; /* total x capacity ints */
    struct buffer *overflow;       /* one int */
};

static void cell_table_release(void *state) {
    struct cell_table *table = state;
    buffer_free(table->overflow);
    program_free(table->program);
}

/* Allocates rows with room for at least `particles` each; what the table held is lost.
 * STATUS_UNSUPPORTED where an int cannot index all places. */
static bool set_capacity(struct cell_table *table, size_t particles, struct error *error) {
    static const size_t step = 4;
    const size_t capacity = (particles + step - 1) / step * step;
    const size_t places = capacity * (size_t)table->lists.grid.total;
    if (places > INT32_MAX) {
        return fail(error, STATUS_UNSUPPORTED,
                    "a cell holds %zu particles: a table of %d cells with that many places each is "
                    "too large",
                    particles, table->lists.grid.total);
    }
    if (!buffer_replace(table->device, places * sizeof(int32_t), &table->cell_particles, error)) {
        return false;
    }
    table->capacity = (int32_t)capacity;
    return true;
}

static bool make_all(const struct structure_input *input, struct cell_table *table,
                     struct error *error) {
    static const char *const texts[] = { "variants/box.cl", "variants/structures/cells.cl",
                                         "variants/structures/cell_table.cl", NULL };
    static const char *const kernel_names[] = { "fill_table" };
    if (!builder_compile(input, texts,
                         &(struct named_kernels){ kernel_names, 1, &table->fill_table },
                         &table->program, error) ||
        !cell_lists_create(input, &table->lists, error)) {
        return false;
    }
    const size_t cells = (size_t)table->lists.grid.total;
    /* A first guess, right for particles spread evenly. */
    const size_t guess = table->n / cells + table->n / cells / 2 + 4;
    return buffer_allocate(input->device, cells * sizeof(int32_t), &table->cell_count, error) &&
           buffer_allocate(input->device, sizeof(int32_t), &table->overflow, error) &&
           set_capacity(table, guess, error);
}

static bool cell_table_create(const struct structure_input *input, void *state,
                              struct error *error) {
    struct cell_table *table = state;
    table->device = input->device;
    table->position = input->position;
    table->n = input->box->n;
    return make_all(input, table, error);
}

static bool cell_table_fill(void *state, struct buffer **overflow, struct error *error) {
    struct cell_table *table = state;
    *overflow = table->overflow;
    return buffer_fill(table->cell_count, 0, buffer_bytes(table->cell_count), error) &&
           builder_launch_flagged(
               table->fill_table, table->n,
               (struct arguments){ ARGUMENTS(
                   argument_int((int32_t)table->n), argument_buffer(table->position),
                   CELL_GRID_ARGUMENTS(&table->lists.grid),
                   argument_buffer(table->lists.cell_parts), argument_int(table->capacity),
                   argument_buffer(table->cell_count), argument_buffer(table->cell_particles),
                   argument_buffer(table->overflow)) },
               table->overflow, error);
}

/* Gives each row the room that the fullest cell needs, by the counts, which include particles for
 * which there was none. */
static bool cell_table_grow(void *state, struct error *error) {
    struct cell_table *table = state;
    int32_t *counts = buffer_copy(table->cell_count, buffer_bytes(table->cell_count), error);
    const bool read = counts != NULL;
    int32_t most = 0;
    for (int c = 0; read && c < table->lists.grid.total; c++) {
        most = counts[c] > most ? counts[c] : most;
    }
    free(counts);
    return read && set_capacity(table, (size_t)most, error);
}

static const struct kernel_parameter cell_table_parameters[] = {
    { "cell_count", "GLOBAL const int *", FROM_BUFFER(cell_table, cell_count) },
    { "cell_capacity", "int", FROM_INT(cell_table, capacity) },
    { "cell_particles", "GLOBAL const int *", FROM_BUFFER(cell_table, cell_particles) },
    { 0 },
};

static const struct parameter_table cell_table_parts[] = {
    { cell_table_parameters, 0 },
    { cell_lists_parameters, offsetof(struct cell_table, lists) },
    { cell_grid_parameters, offsetof(struct cell_table, lists.grid) },
    { NULL, 0 },
};

static const char *const cell_table_units[] = { CELL_UNITS, NULL };
static const size_t cell_table_unit_counts[] = { CELL_UNIT_COUNTS(cell_table, lists) };

static const struct structure_tunable cell_table_tunables[] = { CELLS_PER_CUTOFF_TUNABLE,
                                                                CELL_LOOKUP_TUNABLE,
                                                                { 0 } };

const struct structure_class structure_cell_table = {
    .name = "cell_table",
    .summary = "a row of particle indices per cell, and how many there are",
    .tunables = cell_table_tunables,
    .words = "variants/structures/cells.cl",
    .needs_cutoff = true,
    .parameter_tables = cell_table_parts,
    .units = cell_table_units,
    .unit_counts = cell_table_unit_counts,
    .ints_per_particle = 4,
    .size = sizeof(struct cell_table),
    .create = cell_table_create,
    .fill = cell_table_fill,
    .grow = cell_table_grow,
    .release = cell_table_release,
};
