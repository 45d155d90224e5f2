/*
 * cell_grid — how a box is cut into cells, on the host.
 */
#ifndef PAIRMARK_STRUCTURES_CELL_GRID_H
#define PAIRMARK_STRUCTURES_CELL_GRID_H

#include "box/box.h"
#include "variant/offers.h"

struct cell_grid {
    int cells[3]; /* along x, y, z; at least 1 each */
    int total;
    int reach[3];    /* how many cells away a partner within the cutoff can lie */
    double width[3]; /* of a cell */
    double
        origin[3]; /* lower corner: zero in a periodic box, the least coordinates in an open one */
    double search_radius; /* the cutoff and a little more, for what rounding does to positions */
    bool is_double;       /* the reals of kernels are doubles; false as it is made */
};

/* Cells no narrower than cutoff / cells_per_cutoff, and not many more than there are particles: in
 * a thin box the cells are wider. `eps` is the rounding unit of the device's arithmetic. */
void cell_grid_make(const struct box *box, double cutoff, int cells_per_cutoff, double eps,
                    struct cell_grid *grid);

/* What every structure of cells offers to kernels, of a struct cell_grid. */
extern const struct offer cell_grid_offers[];
/* The three that place a particle in its cell: cell_origin, inverse_cell_width, cells. */
void cell_grid_place_arguments(const struct cell_grid *grid, struct argument arguments[3]);

#endif
