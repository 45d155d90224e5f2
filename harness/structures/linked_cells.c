/* Builder of linked_cells: see linked_cells.cl for what the kernel does. */
#include "structures/builder.h"
#include "structures/cell_grid.h"

struct linked_cells {
    struct buffer *position; /* the caller's */
    size_t n;
    struct cell_lists lists;
    struct program *program;
    struct kernel *link_particles;
    struct buffer *cell_head;     /* an int a cell */
    struct buffer *particle_next; /* an int a particle */
};

static void linked_cells_release(void *state) {
    program_free(((struct linked_cells *)state)->program);
}

static bool make_all(const struct structure_input *input, struct linked_cells *cells,
                     struct error *error) {
    static const char *const texts[] = { "variants/box.cl", "variants/structures/cells.cl",
                                         "variants/structures/linked_cells.cl", NULL };
    static const char *const kernel_names[] = { "link_particles" };
    return builder_compile(input, texts,
                           &(struct named_kernels){ kernel_names, 1, &cells->link_particles },
                           &cells->program, error) &&
           cell_lists_create(input, &cells->lists, error) &&
           buffer_allocate(input->device, (size_t)cells->lists.grid.total * sizeof(int32_t),
                           &cells->cell_head, error) &&
           buffer_allocate(input->device, cells->n * sizeof(int32_t), &cells->particle_next, error);
}

static bool linked_cells_create(const struct structure_input *input, void *state,
                                struct error *error) {
    struct linked_cells *cells = state;
    cells->position = input->position;
    cells->n = input->box->n;
    return make_all(input, cells, error);
}

/* Empties all chains: -1, an end, as the first particle of each cell. */
static bool linked_cells_clear(void *state, struct error *error) {
    static const unsigned char minus_one = 0xff; /* four of these bytes are the int -1 */
    struct linked_cells *cells = state;
    return buffer_fill(cells->cell_head, minus_one, buffer_bytes(cells->cell_head), error);
}

static bool linked_cells_build(void *state, struct error *error) {
    struct linked_cells *cells = state;
    return linked_cells_clear(state, error) &&
           builder_launch(
               cells->link_particles, cells->n,
               ARGUMENTS(argument_int((int32_t)cells->n), argument_buffer(cells->position),
                         CELL_GRID_ARGUMENTS(&cells->lists.grid),
                         argument_buffer(cells->lists.cell_parts),
                         argument_buffer(cells->cell_head), argument_buffer(cells->particle_next)),
               error);
}

static const struct kernel_parameter linked_cells_parameters[] = {
    { "cell_head", "GLOBAL const int *", FROM_BUFFER(linked_cells, cell_head) },
    { "particle_next", "GLOBAL const int *", FROM_BUFFER(linked_cells, particle_next) },
    { 0 },
};

static const struct kernel_parameter linked_cells_filled[] = {
    { "cell_head", "GLOBAL int *", FROM_BUFFER(linked_cells, cell_head) },
    { "particle_next", "GLOBAL int *", FROM_BUFFER(linked_cells, particle_next) },
    { 0 },
};

static const struct parameter_table linked_cells_parts[] = {
    { linked_cells_parameters, 0 },
    { cell_lists_parameters, offsetof(struct linked_cells, lists) },
    { cell_grid_parameters, offsetof(struct linked_cells, lists.grid) },
    { NULL, 0 },
};

static const char *const linked_cells_units[] = { CELL_UNITS, NULL };
static const size_t linked_cells_unit_counts[] = { CELL_UNIT_COUNTS(linked_cells, lists) };

static const struct structure_tunable linked_cells_tunables[] = { CELLS_PER_CUTOFF_TUNABLE,
                                                                  CELL_LOOKUP_TUNABLE,
                                                                  { 0 } };

const struct structure_class structure_linked_cells = {
    .name = "linked_cells",
    .summary =
        "particles chained to their cells: the first of each cell, the next of each particle",
    .tunables = linked_cells_tunables,
    .words = "variants/structures/cells.cl",
    .needs_cutoff = true,
    .parameter_tables = linked_cells_parts,
    .units = linked_cells_units,
    .unit_counts = linked_cells_unit_counts,
    .ints_per_particle = 2,
    .size = sizeof(struct linked_cells),
    .create = linked_cells_create,
    .build = linked_cells_build,
    .filled = linked_cells_filled,
    .clear = linked_cells_clear,
    .release = linked_cells_release,
};
