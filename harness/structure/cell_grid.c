#include "structure/cell_grid.h"

#include "structure/builder.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Lower corner and extent of what is to be cut. */
static void bounds(const struct box *box, double origin[3], double extent[3]) {
    for (int d = 0; d < 3; d++) {
        double least = box->position[d];
        double most = least;
        for (size_t i = 1; i < box->n && !box->periodic; i++) {
            least = fmin(least, box->position[3 * i + (size_t)d]);
            most = fmax(most, box->position[3 * i + (size_t)d]);
        }
        origin[d] = box->periodic ? 0 : least;
        extent[d] = box->periodic ? box->edge[d] : most - least;
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
    double wanted[3];
    bounds(box, grid->origin, extent);
    const double length = box_length_scale(box);
    grid->search_radius = cutoff + 8 * eps * (length + cutoff);
    for (int d = 0; d < 3; d++) {
        wanted[d] = fmax(1, floor(extent[d] * cells_per_cutoff / grid->search_radius));
    }
    limit_total(wanted, box->n);
    grid->total = 1;
    for (int d = 0; d < 3; d++) {
        grid->cells[d] = (int)wanted[d];
        grid->total *= grid->cells[d];
        grid->width[d] = extent[d] > 0 ? extent[d] / wanted[d] : grid->search_radius;
        grid->reach[d] = (int)fmin(ceil(grid->search_radius / grid->width[d]), 1 << 20);
    }
}

bool cell_grid_argument(const struct cell_grid *grid, bool is_double, const char *name,
                        struct argument *argument) {
    const double inverse_width[3] = { 1 / grid->width[0], 1 / grid->width[1], 1 / grid->width[2] };
    if (strcmp(name, "cells") == 0) {
        *argument = argument_int4(grid->cells, grid->total);
    } else if (strcmp(name, "reach") == 0) {
        *argument = argument_int4(grid->reach, 0);
    } else if (strcmp(name, "cell_width") == 0) {
        *argument = argument_real3(grid->width, is_double);
    } else if (strcmp(name, "inverse_cell_width") == 0) {
        *argument = argument_real3(inverse_width, is_double);
    } else if (strcmp(name, "cell_origin") == 0) {
        *argument = argument_real3(grid->origin, is_double);
    } else if (strcmp(name, "search_radius2") == 0) {
        *argument = argument_real(grid->search_radius * grid->search_radius, is_double);
    } else {
        return false;
    }
    return true;
}

void cell_grid_place_arguments(const struct cell_grid *grid, bool is_double,
                               struct argument arguments[3]) {
    static const char *const names[3] = { "cell_origin", "inverse_cell_width", "cells" };
    for (int a = 0; a < 3; a++) {
        (void)cell_grid_argument(grid, is_double, names[a], &arguments[a]);
    }
}
