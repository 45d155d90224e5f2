/*
 * fixed_columns — boxes in files of fixed columns, GROMACS' .gro and PDB (private to
 * harness/boxes/files).
 *
 * Columns are counted from 1. Errors name path, line and columns.
 */
#ifndef PAIRMARK_BOXES_FILES_FIXED_COLUMNS_H
#define PAIRMARK_BOXES_FILES_FIXED_COLUMNS_H

#include "boxes/files/xyz_text.h"

/* What stands in columns first to last, without the blanks around it; empty where the line is
 * shorter. */
struct span field_of(struct span line, size_t first, size_t last);

/* A decimal number that must stand there and end in column `last`, times 10^shift. */
bool field_number(const struct reader *reader, struct span line, size_t first, size_t last,
                  const char *what, int shift, double *value);

/* The box while its particles are read one by one: it is allocated, with molecules. */
struct particle_reader {
    struct box *box;
    size_t next;         /* particle */
    int32_t last_type;   /* looked at first */
    struct span residue; /* of the particle before; a particle with another begins a molecule */
    int32_t molecule;    /* its number: 1, 2, ... */
};

/* Allocates n particles, none of which has a type yet. */
bool particles_begin(const struct reader *reader, size_t n, struct box *box,
                     struct particle_reader *particles);
/* Gives the next particle its species, which is no longer than SPECIES_SIZE - 1, and its molecule,
 * and says which one it is. */
bool particles_add(const struct reader *reader, struct particle_reader *particles,
                   struct span species, struct span residue, size_t *particle);

/* GROMACS: residues are molecules, species the names of atoms without the digits around them;
 * lengths in nm become angstrom, nm/ps angstrom/ps. Of a trajectory, the first frame. */
bool gro_read(struct reader *reader, struct box *box);

/* PDB: CRYST1, ATOM and HETATM of the first model. Residues are molecules, species elements: of
 * columns 77 and 78 or, where these are empty, of the atom's name. Where a residue's number is
 * asterisks, the box says no molecules. Without CRYST1, or with the edges 1 1 1 that stand for
 * none, the box is open. Refused: alternate locations. */
bool pdb_read(struct reader *reader, struct box *box);

#endif
