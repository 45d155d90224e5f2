/*
 * cell_grid — how a box is cut into cells, on the host.
 *
 * Cells are cut along the vectors of the box and are as it is, but smaller: those of a triclinic
 * box lean. Two particles within a distance differ in the fraction along a vector by no more than
 * the distance over the box's height along it, so that heights say how many cells there may be and
 * how far a search reaches.
 */
#ifndef PAIRMARK_STRUCTURES_CELL_GRID_H
#define PAIRMARK_STRUCTURES_CELL_GRID_H

#include "boxes/box.h"
#include "kernels/offers.h"

struct cell_grid {
    int cells[3]; /* along x, y, z, or the vectors of a triclinic box; at least 1 each */
    int total;
    int reach[3]; /* how many cells away a partner within the cutoff can lie */
    double
        width[3]; /* of a cell, as kernels count: its part of the edge (straighten() of box.cl) */
    double height[3]; /* of a cell: the distance of its faces; the width in an orthorhombic box */
    double
        origin[3]; /* lower corner: zero in a periodic box, the least coordinates in an open one */
    double search_radius; /* the cutoff and a little more, for what rounding does to positions */
    bool is_double;       /* the reals of kernels are doubles; false as it is made */
    bool periodic;
    struct cell box; /* of all the cells together; zeros in an open box */
};

/* Cells no lower than cutoff / cells_per_cutoff, and not many more than there are particles: in
 * a thin box the cells are higher. `eps` is the rounding unit of the device's arithmetic. */
void cell_grid_make(const struct box *box, double cutoff, int cells_per_cutoff, double eps,
                    struct cell_grid *grid);

/* What every structure of cells offers to kernels, of a struct cell_grid. */
extern const struct offer cell_grid_offers[];
struct argument cell_grid_argument(const struct cell_grid *grid, const char *name);
struct argument cell_grid_box_argument(const struct cell_grid *grid);
/* The four that place a particle in its cell. */
#define CELL_GRID_ARGUMENTS(grid)                                                                  \
    cell_grid_argument(grid, "cell_origin"), cell_grid_argument(grid, "inverse_cell_width"),       \
        cell_grid_argument(grid, "cells"), cell_grid_box_argument(grid)

/* ---- the screen ---- */

/* The resolution of the places that variants/screen.cl compares, for partners in cells around each
 * other: units per length in x, y, z, and at least the most of all directions: 256 a turn, whole
 * turns an edge of a periodic box. In a triclinic cell x, y, z are straightened ones
 * (variants/box.cl). */
void screen_make_scale(const struct box *box, double cutoff, double scale[4]);

#endif
