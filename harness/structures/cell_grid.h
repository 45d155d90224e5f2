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
#include "kernels/kernel_parameters.h"
#include "kernels/structure.h"

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

/* CELLS_PER_CUTOFF of them a cutoff, FINER_X times as many along x, FINER_Y along y, for positions
 * in the case's precision. */
#define FINER_TUNABLES                                                                             \
    { "FINER_X", 1,                                                                                \
      "cells along x, so many times as narrow: runs of them hug the sphere closer" },              \
    {                                                                                              \
        "FINER_Y", 1, "the same along y: more rows, each with fewer beyond the cutoff"             \
    }
void cell_grid_of(const struct structure_input *input, struct cell_grid *grid);

/* STATUS_UNSUPPORTED where a periodic cell is so long that rounding reaches farther than the
 * cutoff: rows of cells around one would then meet cells twice. */
bool cell_grid_tells_apart(const struct structure_input *input, const struct cell_grid *grid,
                           struct error *error);

/* The parameters of kernels over any structure of cells; values from a struct cell_grid. */
extern const struct kernel_parameter cell_grid_parameters[];
struct argument cell_grid_argument(const struct cell_grid *grid, const char *name);
struct argument cell_grid_box_argument(const struct cell_grid *grid);
/* The four that place a particle in its cell. */
#define CELL_GRID_ARGUMENTS(grid)                                                                  \
    cell_grid_argument(grid, "cell_origin"), cell_grid_argument(grid, "inverse_cell_width"),       \
        cell_grid_argument(grid, "cells"), cell_grid_box_argument(grid)

/* ---- the screen ---- */

/* The resolution of the places that variants/screen.cl compares, for partners in cells around each
 * other: units per length in x, y, z, and at least the most of all directions: 256 a period,
 * whole periods an edge of a periodic box. In a triclinic cell x, y, z are straightened ones
 * (variants/box.cl). */
void screen_make_scale(const struct box *box, double cutoff, double scale[4]);

/* ---- neighbouring cells ---- */

/* Which cells of a grid neighbour which, listed once on the host, where they lie on
 * the device for the variants to walk.
 *
 * Two cells neighbour each other when particles of theirs can be within the search radius. A pair
 * is a cell and an image of a cell: in a periodic box of few cells an edge, two cells (or a cell
 * and itself) can be neighbours through several images, and each of these is a pair of its own.
 * Every unordered pair is listed once, except the inside of a cell, which is no pair. */

/* One pair: particles of `first` as they lie, those of `second` moved by the shift of `image`. */
struct cell_pair {
    int32_t first, second; /* second = -1: the inside of `first` alone */
    int32_t image; /* (x + 1) + 3 (y + 1) + 9 (z + 1) with x, y, z = -1, 0, 1 edges of the box */
    int32_t unused;
};

/* The offset of a later neighbour of a cell, in cells. An offset is "later" when its last component
 * that is not zero is positive: of two neighbouring cells, exactly one has the other as a later
 * neighbour. */
struct cell_offset {
    int32_t x, y, z, unused;
};

struct cell_pairs {
    struct cell_offset *offsets;
    size_t offset_count;
    /* Every cell once: in a pair with a neighbour, or alone (second = -1) where no neighbour was
     * left. */
    struct cell_pair *disjoint;
    size_t disjoint_count;
    /* All other pairs. */
    struct cell_pair *remaining;
    size_t remaining_count;
    /* All pairs, in the order of their first cells. */
    struct cell_pair *all;
    size_t all_count;
};

/* Lists the later neighbours; false with the reason when memory does not suffice. Free with
 * cell_pairs_free, also after a failure; start from a zeroed struct. */
bool cell_pairs_make_offsets(const struct cell_grid *grid, bool periodic, struct cell_pairs *pairs,
                             struct error *error);
/* Lists all pairs, or the disjoint and the remaining ones, by the offsets. STATUS_UNSUPPORTED for
 * more than 2^31 - 1 pairs. */
bool cell_pairs_make_all(const struct cell_grid *grid, bool periodic, struct cell_pairs *pairs,
                         struct error *error);
bool cell_pairs_split(const struct cell_grid *grid, struct cell_pairs *pairs, struct error *error);
void cell_pairs_free(struct cell_pairs *pairs);

/* ---- on the device ---- */

/*
 * The grid and these lists on the device, by the names that kernels ask for, with the tables by
 * which CELL_LOOKUP finds the cell of a particle.
 *
 * Only what the variant names among its parameters and units is made: at three cells a cutoff the
 * pairs are many more than the particles.
 */

#define CELL_LOOKUP_TUNABLE                                                                        \
    {                                                                                              \
        "CELL_LOOKUP", 0,                                                                          \
            "0: the cell of a particle is worked out; else looked up, by so many bins per cell "   \
            "along "                                                                               \
            "each vector of the box, a power of two"                                               \
    }

struct cell_lists {
    /* For each bin along x, then y, then z: what it adds to the number of a cell. Without
     * CELL_LOOKUP one int that no kernel reads. */
    struct buffer *cell_parts;
    struct buffer *later_cells; /* struct cell_offset each */
    struct buffer *cell_pairs;  /* struct cell_pair each, as the other two */
    struct buffer *disjoint_pairs;
    struct buffer *remaining_pairs;
    size_t later_count, cells, pair_count, disjoint_count, remaining_count;
    struct cell_grid grid;
};

/* *lists is zeroed before. Its buffers are among the structure's parameters and are freed with
 * those. */
bool cell_lists_create(const struct structure_input *input, struct cell_lists *lists,
                       struct error *error);

/* The parameters of kernels over the lists, values from a struct cell_lists; its grid has
 * cell_grid_parameters. */
extern const struct kernel_parameter cell_lists_parameters[];

/* Launch units, and where they are counted in a struct that has the lists as a member. */
#define CELL_UNITS "cell", "cell_pair", "disjoint_pair", "remaining_pair"
#define CELL_UNIT_COUNTS(STRUCT, MEMBER)                                                           \
    offsetof(struct STRUCT, MEMBER.cells), offsetof(struct STRUCT, MEMBER.pair_count),             \
        offsetof(struct STRUCT, MEMBER.disjoint_count),                                            \
        offsetof(struct STRUCT, MEMBER.remaining_count)

#endif
