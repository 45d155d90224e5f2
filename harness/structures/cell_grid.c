#include "structures/cell_grid.h"

#include "kernels/bindings.h"

#include <math.h>
#include <stdint.h>

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
    { "cells", "int4", value_of_cells },
    { "reach", "int4", value_of_reach },
    { "cell_width", "real4", value_of_width },
    { "inverse_cell_width", "real4", value_of_inverse_width },
    { "cell_origin", "real4", value_of_origin },
    { "search_radius2", "real", value_of_search_radius2 },
    { NULL, NULL, NULL },
};

struct argument cell_grid_box_argument(const struct cell_grid *grid) {
    return bindings_box(&grid->box, grid->periodic, grid->is_double);
}

void cell_grid_place_arguments(const struct cell_grid *grid, struct argument arguments[4]) {
    arguments[0] = value_of_origin(grid);
    arguments[1] = value_of_inverse_width(grid);
    arguments[2] = value_of_cells(grid);
    arguments[3] = cell_grid_box_argument(grid);
}
