#include "structures/cell_grid.h"

#include "kernels/bindings.h"
#include "structures/builder.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Lower corner, extent and height of what is to be cut. */
static void bounds(const struct box *box, double origin[3], double extent[3], double height[3]) {
    double most[3];
    box_bounds(box, origin, most);
    for (int d = 0; d < 3; d++) {
        extent[d] = most[d] - origin[d];
        height[d] = extent[d];
    }
    if (box->periodic) {
        cell_heights(&box->cell, height);
    }
}

/* Fewer cells where there would be many more than particles: empty ones cost a look each. */
static void limit_total(double wanted[3], size_t n) {
    /* Kernels number cells by int, and a builder has one place more. */
    const double most = fmin(4.0 * (double)n + 64, INT32_MAX - 64);
    double total = wanted[0] * wanted[1] * wanted[2];
    if (total <= most) {
        return;
    }
    const double scale = cbrt(most / total);
    for (int d = 0; d < 3; d++) {
        wanted[d] = fmax(1, floor(wanted[d] * scale));
    }
    /* In a box with one long edge the short edges have one cell already: the long one gives way. */
    for (int d = 0; d < 3; d++) {
        total = wanted[0] * wanted[1] * wanted[2];
        if (total > most) {
            wanted[d] = fmax(1, floor(wanted[d] * most / total));
        }
    }
}

/* The search radius in cells along an axis. In an open box no more than there are cells: some
 * kernels visit every cell in reach. */
static int reach_in_cells(const struct cell_grid *grid, int d) {
    const double most = grid->periodic ? 1 << 20 : grid->cells[d];
    return (int)fmin(ceil(grid->search_radius / grid->height[d]), most);
}

/* The width of one of `cells` cells. Where all particles lie in a plane, the extent is almost 0:
 * the cell is made wider, or a cutoff would span more cells than an int can count. */
static double width_of(const struct cell_grid *grid, double extent, double cells) {
    const double least = grid->periodic ? 0 : ldexp(grid->search_radius, -20);
    return extent > 0 ? fmax(extent / cells, least) : grid->search_radius;
}

void cell_grid_make(const struct box *box, double cutoff, int cells_per_cutoff, double eps,
                    struct cell_grid *grid) {
    double extent[3];
    double height[3];
    double wanted[3];
    bounds(box, grid->origin, extent, height);
    const double length = box_length_scale(box);
    grid->search_radius = cutoff + 8 * eps * (length + cutoff);
    for (int d = 0; d < 3; d++) {
        wanted[d] = fmax(1, floor(height[d] * cells_per_cutoff / grid->search_radius));
    }
    limit_total(wanted, box->n);
    grid->total = 1;
    grid->is_double = false;
    grid->periodic = box->periodic;
    grid->box = box->cell;
    for (int d = 0; d < 3; d++) {
        grid->cells[d] = (int)wanted[d];
        grid->total *= grid->cells[d];
        grid->width[d] = width_of(grid, extent[d], wanted[d]);
        grid->height[d] = width_of(grid, height[d], wanted[d]);
        grid->reach[d] = reach_in_cells(grid, d);
    }
}

/* Multiplies the cells along an axis, up to two cells per particle in all. */
static void refine(int axis, int times, size_t n, struct cell_grid *grid) {
    const int finer = (int)fmin(times, fmin(2.0 * (double)n, INT32_MAX - 64) / grid->total);
    if (finer > 1) {
        grid->cells[axis] *= finer;
        grid->total *= finer;
        grid->width[axis] /= finer;
        grid->height[axis] /= finer;
        grid->reach[axis] = reach_in_cells(grid, axis);
    }
}

void cell_grid_of(const struct structure_input *input, struct cell_grid *grid) {
    cell_grid_make(input->box, input->cutoff, builder_tunable(input, "CELLS_PER_CUTOFF"),
                   builder_is_double(input) ? DBL_EPSILON : FLT_EPSILON, grid);
    refine(0, builder_tunable(input, "FINER_X"), input->box->n, grid);
    refine(1, builder_tunable(input, "FINER_Y"), input->box->n, grid);
    grid->is_double = builder_is_double(input);
}

bool cell_grid_tells_apart(const struct structure_input *input, const struct cell_grid *grid,
                           struct error *error) {
    return !grid->periodic || grid->search_radius <= 2 * input->cutoff ||
           fail(error, STATUS_UNSUPPORTED,
                "positions in a cell %g long are rounded to %.2g by %s: too coarse for cells of a "
                "cutoff (%g); use precision double%s",
                box_length_scale(input->box),
                box_length_scale(input->box) * (grid->is_double ? DBL_EPSILON : FLT_EPSILON),
                grid->is_double ? "double" : "float", input->cutoff,
                grid->is_double ? " with a shorter cell" : "");
}

static const struct cell_grid *as_grid(const void *owner) {
    return owner;
}

static struct argument value_of_cells(const void *owner) {
    return argument_int4(as_grid(owner)->cells, as_grid(owner)->total);
}

static struct argument value_of_reach(const void *owner) {
    return argument_int4(as_grid(owner)->reach, 0);
}

static struct argument value_of_width(const void *owner) {
    return argument_real3(as_grid(owner)->width, as_grid(owner)->is_double);
}

static struct argument value_of_inverse_width(const void *owner) {
    const double *width = as_grid(owner)->width;
    const double inverse[3] = { 1 / width[0], 1 / width[1], 1 / width[2] };
    return argument_real3(inverse, as_grid(owner)->is_double);
}

static struct argument value_of_origin(const void *owner) {
    return argument_real3(as_grid(owner)->origin, as_grid(owner)->is_double);
}

static struct argument value_of_search_radius2(const void *owner) {
    const double radius = as_grid(owner)->search_radius;
    return argument_real(radius * radius, as_grid(owner)->is_double);
}

const struct kernel_parameter cell_grid_parameters[] = {
    { "cells", "int4", FROM_FUNCTION(value_of_cells) },
    { "reach", "int4", FROM_FUNCTION(value_of_reach) },
    { "cell_width", "real4", FROM_FUNCTION(value_of_width) },
    { "inverse_cell_width", "real4", FROM_FUNCTION(value_of_inverse_width) },
    { "cell_origin", "real4", FROM_FUNCTION(value_of_origin) },
    { "search_radius2", "real", FROM_FUNCTION(value_of_search_radius2) },
    { 0 },
};

struct argument cell_grid_box_argument(const struct cell_grid *grid) {
    return bindings_box(&grid->box, grid->periodic, grid->is_double);
}

struct argument cell_grid_argument(const struct cell_grid *grid, const char *name) {
    static const struct parameter_table tables[] = { { cell_grid_parameters, 0 }, { NULL, 0 } };
    struct argument argument = { 0 };
    (void)parameter_tables_value(tables, grid, name, &argument);
    return argument;
}

/* ---- the screen ---- */

enum { UNITS_A_PERIOD = 256, MAX_PERIODS = 512 };

/* Screens compare coordinates modulo a period, in units of the cutoff. Candidates are less than the
 * cutoff and a cell apart, so this period cannot make a far pair look near. */
static const double period_in_cutoffs = 3.2;

/* ---- the greatest stretch ---- */

/* D S of variants/screen.cl, of which `scale` is the diagonal of D. */
static void straightening(const struct cell *cell, const double scale[3], double matrix[3][3]) {
    const double p = cell->tilt[0] / cell->edge[1];
    const double q = cell->tilt[1] / cell->edge[2];
    const double s = cell->tilt[2] / cell->edge[2];
    const double rows[3][3] = { { 1, -p, p * s - q }, { 0, 1, -s }, { 0, 0, 1 } };
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            matrix[i][j] = scale[i] * rows[i][j];
        }
    }
}

/* product = transpose of left times right */
static void multiply(double left[3][3], double right[3][3], double product[3][3]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            product[i][j] = 0;
            for (int k = 0; k < 3; k++) {
                product[i][j] += left[k][i] * right[k][j];
            }
        }
    }
}

static double greatest_row_sum(double matrix[3][3]) {
    double most = 0;
    for (int i = 0; i < 3; i++) {
        most = fmax(most, fabs(matrix[i][0]) + fabs(matrix[i][1]) + fabs(matrix[i][2]));
    }
    return most;
}

/* An upper bound of the 2-norm of a matrix M, by less than one percent. |M|^2 is the greatest
 * eigenvalue of G = M' M, that of G^64 is |M|^128, and |M|^128 <= s <= sqrt(3) |M|^128 with s the
 * greatest row sum of G^64. G is squared six times, each time divided by its row sum, whose
 * logarithms add up. */
static double bound_of_norm(double matrix[3][3]) {
    double power[3][3];
    double squared[3][3];
    double norm_log = 0; /* log(s) / 2^k of G^(2^k), before any division */
    multiply(matrix, matrix, power);
    for (int k = 0; k <= 6; k++) {
        const double sum = greatest_row_sum(power);
        norm_log += log(sum) / (1 << k);
        for (int e = 0; e < 9; e++) {
            power[e / 3][e % 3] /= sum;
        }
        multiply(power, power, squared);
        memcpy(power, squared, sizeof power);
    }
    return exp(0.5 * norm_log) * (1 + 1e-9);
}

/* ---- the scale ---- */

void screen_make_scale(const struct box *box, double cutoff, double scale[4]) {
    const bool triclinic = cell_is_triclinic(&box->cell);
    double height[3];
    double matrix[3][3];
    cell_heights(&box->cell, height);
    for (int d = 0; d < 3; d++) {
        /* MAX_PERIODS: float holds a coordinate to some hundredths of a unit then; straightening
         * rounds numbers as long as the cell. */
        const double most =
            triclinic ? MAX_PERIODS * box->edge[d] / box_length_scale(box) : MAX_PERIODS;
        const double periods = fmax(floor(fmin(height[d] / (period_in_cutoffs * cutoff), most)), 1);
        scale[d] = box->periodic ? UNITS_A_PERIOD * periods / box->edge[d]
                                 : UNITS_A_PERIOD / (period_in_cutoffs * cutoff);
    }
    scale[3] = fmax(scale[0], fmax(scale[1], scale[2]));
    if (triclinic) {
        straightening(&box->cell, scale, matrix);
        scale[3] = bound_of_norm(matrix);
    }
}

/* ---- neighbouring cells ---- */

void cell_pairs_free(struct cell_pairs *pairs) {
    free(pairs->offsets);
    free(pairs->all);
    free(pairs->disjoint);
    free(pairs->remaining);
    *pairs = (struct cell_pairs){ 0 };
}

/* ---- later neighbours ---- */

/* How many cells away a neighbour can lie along an edge: no farther than an open box has cells. */
static int reach_along(const struct cell_grid *grid, bool periodic, int d) {
    const int most = periodic ? grid->cells[d] : grid->cells[d] - 1;
    return grid->reach[d] < most ? grid->reach[d] : most;
}

/* The least squared distance between points of two cells that are `offset` apart. In a triclinic
 * box a lower bound: the largest distance, over the three directions, of the faces between them. */
static double gap2(const struct cell_grid *grid, const int offset[3]) {
    double sum = 0;
    double most = 0;
    for (int d = 0; d < 3; d++) {
        const double gap = fmax(0, abs(offset[d]) - 1) * grid->height[d];
        sum += gap * gap;
        most = fmax(most, gap * gap);
    }
    return cell_is_triclinic(&grid->box) ? most : sum;
}

static bool is_later(const int offset[3]) {
    if (offset[2] != 0) {
        return offset[2] > 0;
    }
    return offset[1] != 0 ? offset[1] > 0 : offset[0] > 0;
}

bool cell_pairs_make_offsets(const struct cell_grid *grid, bool periodic, struct cell_pairs *pairs,
                             struct error *error) {
    size_t room = 1;
    int reach[3];
    int offset[3];
    for (int d = 0; d < 3; d++) {
        reach[d] = reach_along(grid, periodic, d);
        room *= 2 * (size_t)reach[d] + 1;
    }
    pairs->offsets = calloc(room, sizeof *pairs->offsets);
    if (!pairs->offsets) {
        return fail_out_of_memory(error, "the neighbours of a cell");
    }
    /* x runs first: the pairs 0-1, 2-3, ... are found before others. */
    for (offset[2] = 0; offset[2] <= reach[2]; offset[2]++) {
        for (offset[1] = -reach[1]; offset[1] <= reach[1]; offset[1]++) {
            for (offset[0] = -reach[0]; offset[0] <= reach[0]; offset[0]++) {
                if (is_later(offset) &&
                    gap2(grid, offset) <= grid->search_radius * grid->search_radius) {
                    pairs->offsets[pairs->offset_count++] =
                        (struct cell_offset){ offset[0], offset[1], offset[2], 0 };
                }
            }
        }
    }
    return true;
}

/* ---- pairs ---- */

/* Moves cell coordinate *c, at most one box outside, into the box. Returns the image that it was
 * in. */
static int wrap_cell(int *c, int cells) {
    const int image = *c < 0 ? -1 : *c < cells ? 0 : 1;
    *c -= image * cells;
    return image;
}

/* The pair of the cell at `home` and its neighbour; false when that lies outside an open box. */
static bool pair_of(const struct cell_grid *grid, bool periodic, const int home[3],
                    const struct cell_offset *offset, struct cell_pair *pair) {
    int other[3] = { home[0] + offset->x, home[1] + offset->y, home[2] + offset->z };
    int image[3];
    for (int d = 0; d < 3; d++) {
        image[d] = wrap_cell(&other[d], grid->cells[d]);
        if (image[d] != 0 && !periodic) {
            return false;
        }
    }
    *pair = (struct cell_pair){
        .first = (home[2] * grid->cells[1] + home[1]) * grid->cells[0] + home[0],
        .second = (other[2] * grid->cells[1] + other[1]) * grid->cells[0] + other[0],
        .image = (image[0] + 1) + 3 * (image[1] + 1) + 9 * (image[2] + 1)
    };
    return true;
}

bool cell_pairs_make_all(const struct cell_grid *grid, bool periodic, struct cell_pairs *pairs,
                         struct error *error) {
    const size_t most = (size_t)grid->total * pairs->offset_count;
    int home[3];
    if (most > INT32_MAX) {
        return fail(error, STATUS_UNSUPPORTED,
                    "%zu pairs of neighbouring cells are more than a list of them may have (%d); "
                    "use wider cells",
                    most, INT32_MAX);
    }
    pairs->all = malloc((most > 0 ? most : 1) * sizeof *pairs->all);
    if (!pairs->all) {
        return fail_out_of_memory(error, "the pairs of neighbouring cells");
    }
    for (home[2] = 0; home[2] < grid->cells[2]; home[2]++) {
        for (home[1] = 0; home[1] < grid->cells[1]; home[1]++) {
            for (home[0] = 0; home[0] < grid->cells[0]; home[0]++) {
                for (size_t o = 0; o < pairs->offset_count; o++) {
                    pairs->all_count += pair_of(grid, periodic, home, &pairs->offsets[o],
                                                &pairs->all[pairs->all_count]);
                }
            }
        }
    }
    return true;
}

/* Adds the pair to the disjoint ones if neither of its cells is in one yet. */
static bool take_disjoint(const struct cell_pair *pair, bool *taken) {
    if (pair->first == pair->second || taken[pair->first] || taken[pair->second]) {
        return false;
    }
    taken[pair->first] = true;
    taken[pair->second] = true;
    return true;
}

static void split(const struct cell_grid *grid, struct cell_pairs *pairs, bool *taken) {
    for (size_t p = 0; p < pairs->all_count; p++) {
        const struct cell_pair *pair = &pairs->all[p];
        if (take_disjoint(pair, taken)) {
            pairs->disjoint[pairs->disjoint_count++] = *pair;
        } else {
            pairs->remaining[pairs->remaining_count++] = *pair;
        }
    }
    for (int c = 0; c < grid->total; c++) {
        if (!taken[c]) {
            pairs->disjoint[pairs->disjoint_count++] =
                (struct cell_pair){ .first = c, .second = -1, .image = 13 };
        }
    }
}

bool cell_pairs_split(const struct cell_grid *grid, struct cell_pairs *pairs, struct error *error) {
    const size_t total = (size_t)grid->total;
    bool *taken = calloc(total, sizeof *taken);
    pairs->disjoint = malloc(total * sizeof *pairs->disjoint);
    pairs->remaining = malloc((pairs->all_count + 1) * sizeof *pairs->remaining);
    const bool allocated = taken && pairs->disjoint && pairs->remaining;
    if (allocated) {
        split(grid, pairs, taken);
    }
    free(taken);
    return allocated || fail_out_of_memory(error, "the disjoint pairs of cells");
}

/* ---- on the device ---- */

/* Whether one of the two is asked for: a launch unit, a parameter. */
static bool is_wanted(const struct structure_input *input, const char *unit,
                      const char *parameter) {
    return requested_names_have(input->requested, unit) ||
           requested_names_have(input->requested, parameter);
}

static bool upload_all(const struct structure_input *input, const struct cell_pairs *pairs,
                       struct cell_lists *lists, struct error *error) {
    const size_t of_pair = sizeof(struct cell_pair);
    lists->later_count = pairs->offset_count;
    lists->pair_count = pairs->all_count;
    lists->disjoint_count = pairs->disjoint_count;
    lists->remaining_count = pairs->remaining_count;
    return buffer_upload(input->device, "later_cells", pairs->offsets,
                         pairs->offset_count * sizeof(struct cell_offset), &lists->later_cells,
                         error) &&
           buffer_upload(input->device, "cell_pairs", pairs->all, pairs->all_count * of_pair,
                         &lists->cell_pairs, error) &&
           buffer_upload(input->device, "disjoint_pairs", pairs->disjoint,
                         pairs->disjoint_count * of_pair, &lists->disjoint_pairs, error) &&
           buffer_upload(input->device, "remaining_pairs", pairs->remaining,
                         pairs->remaining_count * of_pair, &lists->remaining_pairs, error);
}

/* The tables of variants/structures/cells.cl. Kernels number bins by int. */
static bool upload_parts(const struct structure_input *input, struct cell_lists *lists,
                         struct error *error) {
    const struct cell_grid *grid = &lists->grid;
    const size_t bins = (size_t)builder_tunable(input, "CELL_LOOKUP");
    const size_t total =
        bins * ((size_t)grid->cells[0] + (size_t)grid->cells[1] + (size_t)grid->cells[2]);
    size_t next = 0;
    if ((bins & (bins - 1)) != 0 || total > INT32_MAX) {
        return fail(error, STATUS_UNSUPPORTED,
                    "CELL_LOOKUP=%zu: expected 0 or a power of two, and at most 2^31 - 1 bins for "
                    "%d + %d + %d cells",
                    bins, grid->cells[0], grid->cells[1], grid->cells[2]);
    }
    int32_t *parts = calloc(total + 1, sizeof *parts);
    if (!parts) {
        return fail_out_of_memory(error, "the tables of cells");
    }
    for (int d = 0, stride = 1; d < 3; stride *= grid->cells[d++]) {
        for (size_t bin = 0; bin < bins * (size_t)grid->cells[d]; bin++) {
            parts[next++] = (int32_t)(bin / bins) * stride;
        }
    }
    const bool uploaded =
        buffer_upload(input->device, "cell_parts", parts, (total ? total : 1) * sizeof *parts,
                      &lists->cell_parts, error);
    free(parts);
    return uploaded;
}

bool cell_lists_create(const struct structure_input *input, struct cell_lists *lists,
                       struct error *error) {
    const bool periodic = input->box->periodic;
    const bool wants_split = is_wanted(input, "disjoint_pair", "disjoint_pairs") ||
                             is_wanted(input, "remaining_pair", "remaining_pairs");
    const bool wants_all = is_wanted(input, "cell_pair", "cell_pairs");
    struct cell_pairs pairs = { 0 };
    const struct cell_grid *grid = &lists->grid;
    cell_grid_of(input, &lists->grid);
    lists->cells = (size_t)grid->total;
    bool made =
        cell_grid_tells_apart(input, grid, error) &&
        cell_pairs_make_offsets(grid, periodic, &pairs, error) &&
        (!(wants_all || wants_split) || cell_pairs_make_all(grid, periodic, &pairs, error)) &&
        (!wants_split || cell_pairs_split(grid, &pairs, error));
    if (!wants_all) {
        pairs.all_count = 0;
    }
    made = made && upload_all(input, &pairs, lists, error) && upload_parts(input, lists, error);
    cell_pairs_free(&pairs);
    return made;
}

const struct kernel_parameter cell_lists_parameters[] = {
    { "cell_parts", "GLOBAL const int *", FROM_BUFFER(cell_lists, cell_parts) },
    { "later_cells", "GLOBAL const int4 *", FROM_BUFFER(cell_lists, later_cells) },
    { "later_cell_count", "int", FROM_INT(cell_lists, later_count) },
    { "cell_pairs", "GLOBAL const int4 *", FROM_BUFFER(cell_lists, cell_pairs) },
    { "cell_pair_count", "int", FROM_INT(cell_lists, pair_count) },
    { "disjoint_pairs", "GLOBAL const int4 *", FROM_BUFFER(cell_lists, disjoint_pairs) },
    { "disjoint_pair_count", "int", FROM_INT(cell_lists, disjoint_count) },
    { "remaining_pairs", "GLOBAL const int4 *", FROM_BUFFER(cell_lists, remaining_pairs) },
    { "remaining_pair_count", "int", FROM_INT(cell_lists, remaining_count) },
    { 0 },
};
