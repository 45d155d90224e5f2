/*
 * makers — the makers of boxes, and what they share (private to harness/boxes/kinds).
 *
 * Every maker is handed a box with n, density and the cubic periodic edge set and the arrays zeroed
 * with one species "A", and fills in positions (and charges, types, molecules and other edges). All
 * arithmetic is + - * / sqrt in a fixed order, so that a seed gives the same bytes everywhere.
 * Threads share out what can be in any order, so that there may be any number of them.
 */
#ifndef PAIRMARK_BOXES_KINDS_MAKERS_H
#define PAIRMARK_BOXES_KINDS_MAKERS_H

#include "boxes/box.h"
#include "boxes/cell.h"
#include "boxes/random.h"
#include "core/threads.h"

#include <math.h>

typedef bool box_maker(struct box *box, struct random *random, struct threads *threads,
                       struct error *error);

box_maker make_lattice, make_melt, make_cubic, make_brick, make_plate, make_salt, make_mixture,
    make_alloy;
box_maker make_uniform, make_fluid, make_droplets, make_diamond, make_degenerate, make_borders;
box_maker make_water, make_warm_water, make_chains, make_proteins, make_hydrogens, make_oligomers,
    make_polymers;
box_maker make_triangles, make_stars, make_complexes;

/* The least distance that a fluid keeps, in units of sigma. */
#define FLUID_LEAST_DISTANCE 0.85
/* The least distance between the random points of uniform and gas. */
#define UNIFORM_LEAST_DISTANCE 0.8
/* The density inside a droplet: the usual Lennard-Jones melt. */
#define MELT_DENSITY 0.8442
/* The temperature of that melt at the start, on the lattice; half is left when it has melted. */
#define MELT_TEMPERATURE 1.44
/* Of silicon, per cubic angstrom: eight atoms in a cube of 5.431. */
#define SILICON_DENSITY (8 / (5.431 * 5.431 * 5.431))
/* Of copper, likewise: four atoms in a cube of 3.61. */
#define COPPER_DENSITY (4 / (3.61 * 3.61 * 3.61))

/* Whether its boxes have the origin in the middle along axes without images. */
bool box_kind_is_centred(const char *kind);

/* An empty cubic periodic box of one species, ready for a maker. density > 0. */
bool make_begin(size_t n, double density, struct box *box, struct error *error);

/* Room for molecules and for so many types, of which there is none yet. */
bool box_room_for_types(struct box *box, int types, struct error *error);
/* The type of the species of this letter; types are numbered as they occur, as when a file is read.
 */
int32_t box_type_of(struct box *box, char species);

/* A whole number of 64ths, no longer: of such, differences have no rounding errors in float. */
static inline double make_coarse(double length) {
    return trunc(64 * length) / 64;
}

/* A direction at right angles to another. */
void draw_perpendicular(struct random *random, const double first[3], double second[3]);

/* The numbers 0..n-1 in an order that is drawn. */
void draw_order(int32_t *order, size_t n, struct random *random);

/* Turns the edges of a cubic box into those of a brick, a plate of the same volume. */
void brick_stretch(double edge[3]);
void plate_stretch(double edge[3]);

/* Sites of a face-centred cubic lattice that fills the box: at least n of them, as few as a nearly
 * cubic number of repeats in each direction allows. */
struct fcc_sites {
    size_t repeats[3];
    size_t count;      /* 4 times the product of repeats */
    double spacing[3]; /* edges of the conventional cell */
};
struct fcc_sites fcc_sites_for(size_t n, double edge);
/* Where particle `index` of n goes: vacancies are spread evenly over the sites. */
void fcc_site_of(const struct fcc_sites *sites, size_t index, size_t n, double position[3]);

/* Pushes particles of a cubic periodic box apart, by capped steepest descent on a harmonic
 * repulsion of range `diameter`, until no pair is nearer than `least` < diameter. Positions end in
 * [0, edge). Errors: STATUS_OUT_OF_MEMORY; STATUS_BAD_INPUT when the particles do not come apart.
 */
bool separate(struct box *box, double diameter, double least, struct threads *threads,
              struct error *error);

#endif
