/*
 * make — boxes of particles that are made: the kinds that there are, and the box of a kind.
 */
#ifndef PAIRMARK_BOXES_KINDS_MAKE_H
#define PAIRMARK_BOXES_KINDS_MAKE_H

#include "boxes/box.h"

/* A box of one of the kinds in box_kinds[], deterministic: the same kind, n, density and seed give
 * the same bytes on every machine (only + - * / sqrt are used, in a fixed order; no libm, no fused
 * multiply-add).
 *
 *   lattice   fcc sites, jittered
 *   uniform   random with a least distance
 *   fluid     Lennard-Jones melt without overlap (least distance >= 0.85 sigma where density <= 1)
 *   gas       random at density 0.01 unless another is asked for
 *   droplets  dense clusters in an empty cell: the load-imbalance case
 *   salt      charges +1 (species Na) and -1 (species Cl) on a jittered simple-cubic lattice
 *   cubic     simple-cubic sites, each coordinate up to a tenth of the spacing off
 *   brick     a jittered lattice in a cell of edges 0.8 : 1 : 1.25, its first layers on the faces,
 *             types A, B, C of charges -1, 0.25, 0.75, molecules of one of each, in no order
 *   melt      fcc sites, and velocities of temperature 1.44: what LAMMPS, miniMD and MD-Bench run
 *   plate     a jittered lattice in a cell of edges 4.4 : 2.1 : 1, one in nine particles as near as
 *             0.3 to 0.6 to another, in no order
 *   chains    molecules of up to 50 particles in a row on a jittered simple-cubic lattice, which
 * have bonded terms (kernels/potentials/bonded.h)
 *   proteins  molecules of up to 600 particles: residues of two particles of a backbone and two of
 * a side group, on the same lattice, likewise hydrogens clusters of a carbon and one, two, three
 * hydrogens in turn, at 1.09, on a simple-cubic lattice oligomers molecules of 11 particles (C, C,
 * N in turn) in a zigzag of steps of 1 and angles of about 110 degrees polymers  the same of 1501
 * particles
 *
 * KIND@ALPHA:BETA:GAMMA, as in "fluid@80:70:60", is the box of the kind with its cell, and the
 * particles with it, sheared to these angles (degrees) and stretched so that the volume stays: what
 * is said of distances above holds before that.
 *
 * density <= 0 means the kind's own default (box_default_density). The cell is cubic with edge
 * (n/density)^(1/3) (a brick's and a plate's are of that volume), periodic. Errors:
 * STATUS_BAD_INPUT for an unknown kind, n outside 1..BOX_MAX_PARTICLES, or a density at which the
 * kind cannot be made (says the most it can take). */
bool box_make(const char *kind, size_t n, double density, uint64_t seed, struct box *box,
              struct error *error);
extern const char *const box_kinds[]; /* NULL-terminated */
/* Says that there is no such kind (NULL: that none was named), and which there are. */
bool box_fail_kind(const char *kind, struct error *error);
/* Angles may follow the kind. */
double box_default_density(const char *kind); /* NaN for an unknown kind */
/* The least height of the cell that would be made; density <= 0: the default; NaN for an unknown
 * kind. */
double box_least_height(const char *kind, size_t n, double density);

#endif
