/* Builder of sorted_cells: see sorted_cells.cl for what the kernels do. */
#include "structures/builder.h"
#include "structures/cell_grid.h"

enum build_kernel { TAKE_TICKETS, PLACE_BY_TICKET, NUMBER_CELLS, PLACE_BY_ORDER, BUILD_KERNELS };

/* How many places after the last one kernels may read: eight per work-item of a group. */
enum { SPARE_PLACES = 8192 };

static const char *const build_kernel_names[BUILD_KERNELS] = { "take_tickets", "place_by_ticket",
                                                               "number_cells", "place_by_order" };

/* Up to so many particles are sorted by one group (a large one on a card), which saves launches; of
 * 10,000 it takes 28 us on an H200, several kernels 7. For more cells it has no local memory. */
enum { FEW = 2048, FEW_CELLS = 8192, FEW_GROUP = 1024 };

struct sorted_cells {
    struct device *device;
    struct buffer *position; /* the caller's */
    size_t n;
    bool is_double;
    bool by_sort;
    bool only_cut;
    int key_bits;
    struct cell_grid grid;
    size_t cell_total;
    struct program *program;
    struct kernel *kernels[BUILD_KERNELS];
    struct program *few_program;
    struct kernel *sort_few;    /* NULL: there are too many, or they are to be sorted stably */
    size_t group_size;          /* of that */
    struct buffer *cell_count;  /* total + 1 ints */
    struct buffer *cell_start;  /* total + 1 ints */
    struct buffer *cell;        /* n ints: cell of each particle */
    struct buffer *ticket;      /* n ints: place in its cell, or (by sort) the input index */
    struct buffer *sorted_cell; /* n ints, by sort only */
    struct buffer *sorted_index;
    struct buffer *sorted_position;
    /* For variants that screen pairs; else NULL. */
    double screen_scale[4];
    struct program *place_program;
    struct kernel *place_sorted;
    struct buffer *sorted_place; /* n + SPARE_PLACES ints */
};

static void sorted_cells_release(void *state) {
    struct sorted_cells *cells = state;
    buffer_free(cells->cell_count);
    buffer_free(cells->cell);
    buffer_free(cells->ticket);
    buffer_free(cells->sorted_cell);
    program_free(cells->place_program);
    program_free(cells->few_program);
    program_free(cells->program);
}

static bool allocate_buffers(struct sorted_cells *cells, struct error *error) {
    struct device *device = cells->device;
    const size_t of_particles = cells->n * sizeof(int32_t);
    const size_t of_cells = ((size_t)cells->grid.total + 1) * sizeof(int32_t);
    const size_t of_positions = cells->n * 4 * (cells->is_double ? sizeof(double) : sizeof(float));
    return buffer_allocate(device, of_cells, &cells->cell_count, error) &&
           buffer_allocate(device, of_cells, &cells->cell_start, error) &&
           buffer_allocate(device, of_particles, &cells->cell, error) &&
           buffer_allocate(device, of_particles, &cells->ticket, error) &&
           buffer_allocate(device, cells->by_sort ? of_particles : 0, &cells->sorted_cell, error) &&
           buffer_allocate(device, of_particles, &cells->sorted_index, error) &&
           buffer_allocate(device, of_positions, &cells->sorted_position, error);
}

/* What puts particles in their places, if the variant asks where they are. */
static bool prepare_places(const struct structure_input *input, struct sorted_cells *cells,
                           struct error *error) {
    static const char *const kernel_name = "place_sorted";
    static const char *const texts[] = { "variants/box.cl", "variants/screen.cl",
                                         "variants/structures/sorted_places.cl", NULL };
    if (!requested_names_have(input->requested, "sorted_place")) {
        return true;
    }
    const size_t bytes = (cells->n + SPARE_PLACES) * sizeof(int32_t);
    screen_make_scale(input->box, input->cutoff, cells->screen_scale);
    return builder_compile(input, texts,
                           &(struct named_kernels){ &kernel_name, 1, &cells->place_sorted },
                           &cells->place_program, error) &&
           buffer_allocate(cells->device, bytes, &cells->sorted_place, error) &&
           buffer_fill(cells->sorted_place, 0, bytes, error);
}

/* What sorts particles: in one kernel, or in several. */
static bool prepare_sort(const struct structure_input *input, struct sorted_cells *cells,
                         struct error *error) {
    static const char *const texts[] = { "variants/box.cl", "variants/structures/cells.cl",
                                         "variants/structures/sorted_cells.cl", NULL };
    static const char *const few_texts[] = { "variants/box.cl", "variants/structures/cells.cl",
                                             "variants/structures/few_cells.cl", NULL };
    static const char *const few_name = "sort_few";
    const struct device_info *info = device_describe(input->device);
    const bool fits = cells->grid.total <= FEW_CELLS &&
                      info->local_bytes >= (FEW_CELLS + FEW_GROUP) * sizeof(int32_t);
    if (cells->by_sort || cells->n > FEW || !fits) {
        return builder_compile(
            input, texts,
            &(struct named_kernels){ build_kernel_names, BUILD_KERNELS, cells->kernels },
            &cells->program, error);
    }
    cells->group_size =
        info->is_cpu || info->max_group_size < FEW_GROUP ? BUILD_GROUP_SIZE : FEW_GROUP;
    return builder_compile_for(input, (int)cells->group_size, few_texts,
                               &(struct named_kernels){ &few_name, 1, &cells->sort_few },
                               &cells->few_program, error);
}

static bool sorted_cells_create(const struct structure_input *input, void *state,
                                struct error *error) {
    struct sorted_cells *cells = state;
    cells->device = input->device;
    cells->position = input->position;
    cells->n = input->box->n;
    cells->is_double = builder_is_double(input);
    cells->only_cut = input->only_cut;
    cells->by_sort = builder_tunable(input, "STABLE_SORT") != 0;
    cell_grid_of(input, &cells->grid);
    cells->cell_total = (size_t)cells->grid.total;
    cells->key_bits = builder_bits_for(cells->grid.total);
    return cell_grid_tells_apart(input, &cells->grid, error) &&
           (cells->only_cut ||
            (prepare_sort(input, cells, error) && allocate_buffers(cells, error) &&
             prepare_places(input, cells, error)));
}

static bool build_by_counting(struct sorted_cells *cells, struct error *error) {
    return buffer_fill(cells->cell_count, 0, buffer_bytes(cells->cell_count), error) &&
           builder_launch(
               cells->kernels[TAKE_TICKETS], cells->n,
               ARGUMENTS(argument_int((int32_t)cells->n), argument_buffer(cells->position),
                         CELL_GRID_ARGUMENTS(&cells->grid), argument_buffer(cells->cell_count),
                         argument_buffer(cells->cell), argument_buffer(cells->ticket)),
               error) &&
           device_exclusive_scan(cells->device, cells->cell_count, cells->cell_start,
                                 (size_t)cells->grid.total + 1, error) &&
           builder_launch(cells->kernels[PLACE_BY_TICKET], cells->n,
                          ARGUMENTS(argument_int((int32_t)cells->n),
                                    argument_buffer(cells->position), argument_buffer(cells->cell),
                                    argument_buffer(cells->ticket),
                                    argument_buffer(cells->cell_start),
                                    argument_buffer(cells->sorted_position),
                                    argument_buffer(cells->sorted_index)),
                          error);
}

static bool build_by_sorting(struct sorted_cells *cells, struct error *error) {
    return builder_launch(cells->kernels[NUMBER_CELLS], cells->n,
                          ARGUMENTS(argument_int((int32_t)cells->n),
                                    argument_buffer(cells->position),
                                    CELL_GRID_ARGUMENTS(&cells->grid), argument_buffer(cells->cell),
                                    argument_buffer(cells->ticket)),
                          error) &&
           device_sort_pairs(cells->device, (struct key_values){ cells->cell, cells->ticket },
                             (struct key_values){ cells->sorted_cell, cells->sorted_index },
                             cells->n, cells->key_bits, error) &&
           builder_launch(
               cells->kernels[PLACE_BY_ORDER], cells->n,
               ARGUMENTS(argument_int((int32_t)cells->n), argument_int(cells->grid.total),
                         argument_buffer(cells->position), argument_buffer(cells->sorted_cell),
                         argument_buffer(cells->sorted_index), argument_buffer(cells->cell_start),
                         argument_buffer(cells->sorted_position)),
               error);
}

static bool build_by_one_group(struct sorted_cells *cells, struct error *error) {
    const struct arguments arguments = { ARGUMENTS(
        argument_int((int32_t)cells->n), argument_buffer(cells->position),
        CELL_GRID_ARGUMENTS(&cells->grid), argument_buffer(cells->cell),
        argument_buffer(cells->ticket), argument_buffer(cells->cell_start),
        argument_buffer(cells->sorted_position), argument_buffer(cells->sorted_index)) };
    return kernel_launch(cells->sort_few, 1, cells->group_size, arguments.items, arguments.count,
                         error);
}

static bool build_places(struct sorted_cells *cells, struct error *error) {
    return builder_launch(cells->place_sorted, cells->n,
                          ARGUMENTS(argument_int((int32_t)cells->n),
                                    argument_buffer(cells->sorted_position),
                                    cell_grid_box_argument(&cells->grid),
                                    argument_real4(cells->screen_scale, cells->is_double),
                                    argument_buffer(cells->sorted_place)),
                          error);
}

static bool sorted_cells_build(void *state, struct error *error) {
    struct sorted_cells *cells = state;
    return cells->only_cut || ((cells->sort_few  ? build_by_one_group(cells, error)
                                : cells->by_sort ? build_by_sorting(cells, error)
                                                 : build_by_counting(cells, error)) &&
                               (!cells->place_sorted || build_places(cells, error)));
}

static struct argument value_of_screen_scale(const void *owner) {
    const struct sorted_cells *cells = owner;
    return argument_real4(cells->screen_scale, cells->is_double);
}

static const struct kernel_parameter sorted_cells_parameters[] = {
    { "cell_start", "GLOBAL const int *", FROM_BUFFER(sorted_cells, cell_start) },
    { "sorted_index", "GLOBAL const int *", FROM_BUFFER(sorted_cells, sorted_index) },
    { "sorted_position", "GLOBAL const real4 *", FROM_BUFFER(sorted_cells, sorted_position) },
    { "sorted_place", "GLOBAL const int *", FROM_BUFFER(sorted_cells, sorted_place) },
    { "screen_scale", "real4", FROM_FUNCTION(value_of_screen_scale) },
    { 0 },
};

static const struct parameter_table sorted_cells_parts[] = {
    { sorted_cells_parameters, 0 },
    { cell_grid_parameters, offsetof(struct sorted_cells, grid) },
    { NULL, 0 },
};

static const char *const sorted_cells_units[] = { "cell", NULL };
static const size_t sorted_cells_unit_counts[] = { offsetof(struct sorted_cells, cell_total) };

static const struct structure_tunable sorted_cells_tunables[] = {
    CELLS_PER_CUTOFF_TUNABLE,
    FINER_TUNABLES,
    { "STABLE_SORT", 0,
      "1: a sort by cell, which keeps the input order within a cell; 0: counting" },
    { 0 }
};

const struct structure_class structure_sorted_cells = {
    .name = "sorted_cells",
    .summary = "particles in the order of their cells, a run of memory per cell",
    .tunables = sorted_cells_tunables,
    .words = "variants/structures/cells.cl",
    .needs_cutoff = true,
    .parameter_tables = sorted_cells_parts,
    .units = sorted_cells_units,
    .unit_counts = sorted_cells_unit_counts,
    .positions_per_particle = 1,
    .ints_per_particle = 6,
    .size = sizeof(struct sorted_cells),
    .create = sorted_cells_create,
    .build = sorted_cells_build,
    .release = sorted_cells_release,
};
