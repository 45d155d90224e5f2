/*
 * box — N particles in a cell: what every kernel variant and the reference are given.
 *
 * Lengths are in the caller's units (reduced Lennard-Jones units for the boxes made here).
 */
#ifndef PAIRMARK_BOXES_BOX_H
#define PAIRMARK_BOXES_BOX_H

#include "boxes/cell.h"
#include "core/cache.h"
#include "core/error.h"
#include "core/output_file.h"
#include "core/quantity.h"

#include <stdint.h>
#include <stdio.h>

/* The most particles: kernels number them, and the four numbers of each one's position or force, by
 * int (4 i + 3). Memory ends sooner on most machines. */
enum { BOX_KIND_SIZE = 48, SPECIES_SIZE = 16, BOX_MAX_PARTICLES = (1 << 29) - 1 };

struct box {
    size_t n;      /* particles, at least 1 */
    bool periodic; /* all three directions, or none (an open box) */
    bool rotated;  /* read from a cell that was no lower triangle: positions were rotated with it */
    union {        /* all zero in an open box; see cell.h */
        struct cell cell;
        struct {
            double edge[3]; /* the lengths of an orthorhombic cell */
            double tilt[3];
        };
    };
    double
        *position;  /* 3n: x, y, z of particle 0, then 1, ...; anywhere, not only inside the cell */
    double *charge; /* n, zero where the source gave none */
    double *velocity;  /* 3n; NULL where the source gave none */
    double *mass;      /* n, > 0; NULL where the source gave none: all are 1, see box_mass() */
    int32_t *type;     /* n, index into species */
    int32_t *molecule; /* n, which molecule; NULL where the source gave none */
    int32_t types;     /* number of species, at least 1 */
    char (*species)[SPECIES_SIZE]; /* names, one a type */
    char kind[BOX_KIND_SIZE];      /* lattice, uniform, ... (boxes/kinds/make.h), or one of them @
                                      angles;      "file"      when read */
    double density;                /* particles per volume of the cell; NaN in an open box */
    double temperature;            /* at which velocities were made; 0: they were not */
    uint64_t seed;                 /* 0 for a file */
};

/* Allocates the arrays for n particles of one species "A", all zero, in an open box. */
bool box_allocate(size_t n, struct box *box, struct error *error);
/* Gives the box velocities, all zero, or masses, all 1, where it has none. */
bool box_add_velocities(struct box *box, struct error *error);
bool box_add_masses(struct box *box, struct error *error);
/* The mass of particle i. */
static inline double box_mass(const struct box *box, size_t i) {
    return box->mass ? box->mass[i] : 1.0;
}
/* Velocities drawn by Maxwell's distribution for the box's masses, then of zero total momentum and
 * of exactly this temperature (k_B T, an energy; degrees of freedom are 3n - 3; a particle alone
 * rests). The same seed gives the same bytes on every machine. STATUS_BAD_INPUT for a temperature
 * below 0. */
bool box_set_temperature(struct box *box, double temperature, uint64_t seed, struct error *error);
/* 2 K / (3n - 3), of one particle 2 K / 3; NaN without velocities. */
double box_temperature(const struct box *box);
void box_momentum(const struct box *box, double momentum[3]); /* zeros without velocities */
/* Gives all particles of species charges: "O=-0.8476,H=0.4238". Others keep theirs.
 * STATUS_BAD_INPUT, naming --charges, for a species that the box does not have, one that is named
 * twice, and what is no number. */
bool box_set_charges(struct box *box, const char *words, struct error *error);
/* Takes the cell away: no images. */
void box_open(struct box *box);
void box_free(struct box *box); /* also of a zeroed box; zeroes it */

/* What the device gets, in double: positions wrapped into the cell where periodic, then positions,
 * the cell, charges and masses rounded to the format of the precision's positions, velocities to
 * that of what it accumulates. The reference is computed from this. */
bool box_as_device(const struct box *box, enum precision precision, struct box *rounded,
                   struct error *error);

/* Hash over n, cell, positions, charges, types and molecules, and velocities and masses where there
 * are some (masses: other than 1): the same physics, the same text. */
void box_hash(const struct box *box, char text[HASH_TEXT_SIZE]);

/* Where particles can be along x, y and z: along the edges of the cell, from zero; in an open box,
 * from the least coordinate to the most. */
void box_bounds(const struct box *box, double least[3], double most[3]);

/* The longest distance that can occur in the box's arithmetic: the longest edge, in a triclinic
 * cell twice the cell's longest extent along x, y or z (finding an image takes three steps, each of
 * which rounds a number as long as that), or in an open box the longest extent of the positions. */
double box_length_scale(const struct box *box);

/* The minimum image is unique only for cutoff <= half the least height of the cell (of an
 * orthorhombic one: its shortest edge). Errors: STATUS_BAD_INPUT
 * with the reason. An infinite cutoff is right in an open box only. */
bool box_accepts_cutoff(const struct box *box, double cutoff, struct error *error);

/* ---- identical molecules ----
 *
 * A molecule is all particles that share a number in `molecule`, in their order; where the box has
 * no such numbers, every particle is one by itself. Molecules are identical if they have as many
 * particles, and place by place the same type, charge and mass. Where nothing else distinguishes
 * them, they may be reordered as wholes: bonds, exclusions and parameters stay as they are. */

/* Groups of identical molecules, in the order of their first molecules; molecules in that of their
 * first particles. */
struct alike {
    size_t molecules, groups;
    int32_t *start;    /* molecules + 1: where the particles of each begin */
    int32_t *particle; /* n, by molecules */
    int32_t *group;    /* molecules: of which group each is */
    int32_t *first;    /* groups: the first molecule of each */
    int32_t *count;    /* groups: molecules */
};

/* STATUS_OUT_OF_MEMORY. Free in any case. */
bool alike_find(const struct box *box, struct alike *alike, struct error *error);
void alike_free(struct alike *alike); /* also of a zeroed one; zeroes it */

#endif
