#include "structures/cell_grid.h"

#include "kernels/bindings.h"

#include <math.h>
#include <stdint.h>
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
    /* A box with one long edge: the short edges cannot shrink, so the long one does. */
    for (int d = 0; d < 3; d++) {
        total = wanted[0] * wanted[1] * wanted[2];
        if (total > most) {
            wanted[d] = fmax(1, floor(wanted[d] * most / total));
        }
    }
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
        grid->width[d] = extent[d] > 0 ? extent[d] / wanted[d] : grid->search_radius;
        grid->height[d] = height[d] > 0 ? height[d] / wanted[d] : grid->search_radius;
        grid->reach[d] = (int)fmin(ceil(grid->search_radius / grid->height[d]), 1 << 20);
    }
}

static const struct cell_grid *as_grid(const void *offerer) {
    return offerer;
}

static struct argument value_of_cells(const void *offerer) {
    return argument_int4(as_grid(offerer)->cells, as_grid(offerer)->total);
}

static struct argument value_of_reach(const void *offerer) {
    return argument_int4(as_grid(offerer)->reach, 0);
}

static struct argument value_of_width(const void *offerer) {
    return argument_real3(as_grid(offerer)->width, as_grid(offerer)->is_double);
}

static struct argument value_of_inverse_width(const void *offerer) {
    const double *width = as_grid(offerer)->width;
    const double inverse[3] = { 1 / width[0], 1 / width[1], 1 / width[2] };
    return argument_real3(inverse, as_grid(offerer)->is_double);
}

static struct argument value_of_origin(const void *offerer) {
    return argument_real3(as_grid(offerer)->origin, as_grid(offerer)->is_double);
}

static struct argument value_of_search_radius2(const void *offerer) {
    const double radius = as_grid(offerer)->search_radius;
    return argument_real(radius * radius, as_grid(offerer)->is_double);
}

const struct offer cell_grid_offers[] = {
    { "cells", "int4", OFFERED_BY(value_of_cells) },
    { "reach", "int4", OFFERED_BY(value_of_reach) },
    { "cell_width", "real4", OFFERED_BY(value_of_width) },
    { "inverse_cell_width", "real4", OFFERED_BY(value_of_inverse_width) },
    { "cell_origin", "real4", OFFERED_BY(value_of_origin) },
    { "search_radius2", "real", OFFERED_BY(value_of_search_radius2) },
    { 0 },
};

struct argument cell_grid_box_argument(const struct cell_grid *grid) {
    return bindings_box(&grid->box, grid->periodic, grid->is_double);
}

struct argument cell_grid_argument(const struct cell_grid *grid, const char *name) {
    static const struct offers offers[] = { { cell_grid_offers, 0 }, { NULL, 0 } };
    struct argument argument = { 0 };
    (void)offers_value(offers, grid, name, &argument);
    return argument;
}

/* ---- the screen ---- */

enum { UNITS_A_TURN = 256, MAX_TURNS = 512 };

/* Partners lie within the cutoff and a cell of each other, in either direction: a turn of this many
 * cutoffs makes none of them look near that is not. */
static const double turn_in_cutoffs = 3.2;

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

/* No less than the 2-norm of a matrix M, and less than one percent more. The norm's square is the
 * greatest eigenvalue of G = M' M; that of a power of G, which is symmetric, is the power, and is
 * at most the power's greatest row sum and at least that over the root of three. The power is 64,
 * in six squarings of what is first divided by its own greatest row sum. */
static double bound_of_norm(double matrix[3][3]) {
    double power[3][3];
    double squared[3][3];
    double norm_log = 0; /* of G^(2^k) as it was, over 2^k */
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
        /* MAX_TURNS: float holds a coordinate to some hundredths of a unit then; straightening
         * rounds numbers as long as the cell. */
        const double most =
            triclinic ? MAX_TURNS * box->edge[d] / box_length_scale(box) : MAX_TURNS;
        const double turns = fmax(floor(fmin(height[d] / (turn_in_cutoffs * cutoff), most)), 1);
        scale[d] = box->periodic ? UNITS_A_TURN * turns / box->edge[d]
                                 : UNITS_A_TURN / (turn_in_cutoffs * cutoff);
    }
    scale[3] = fmax(scale[0], fmax(scale[1], scale[2]));
    if (triclinic) {
        straightening(&box->cell, scale, matrix);
        scale[3] = bound_of_norm(matrix);
    }
}
