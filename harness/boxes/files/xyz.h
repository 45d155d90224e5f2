/*
 * xyz — boxes read from XYZ, GROMACS and PDB files, and written to XYZ files.
 */
#ifndef PAIRMARK_BOXES_FILES_XYZ_H
#define PAIRMARK_BOXES_FILES_XYZ_H

#include "boxes/box.h"
#include "core/output_file.h"

/* Reads extended XYZ (Lattice, Properties, pbc; columns species, pos, and where present type,
 * charge, molecule, velo, mass) or the plain XYZ of `plumed driver` (line 2: three or nine numbers;
 * three zeros: open). Only the first frame. Refused with path, line and what was expected: bad
 * counts, short lines, non-numbers, NaN, left-handed and flat cells, partly periodic boxes. A cell
 * that is no lower triangle (cell.h) is rotated into one, and the positions with it: `rotated` says
 * so. A name that ends in .gro, .pdb or .ent says that the file is of GROMACS or PDB, as
 * readers.h has them; lengths are then in angstrom. One that ends in .data, .lmp or .lammps is a
 * data file of LAMMPS, likewise. */
bool box_read(const char *path, struct box *box, struct error *error);
/* The same, and the hash of the bytes that the file held: they are read once. */
bool box_read_hashed(const char *path, struct box *box, char content[HASH_TEXT_SIZE],
                     struct error *error);

/* Whether a file that is written under this name would be read as XYZ again. STATUS_BAD_INPUT,
 * naming the path, for one of another format. */
bool box_check_name(const char *path, struct error *error);
/* Whether it is the name of a LAMMPS data file, which box_write writes where there are no vectors.
 */
bool box_is_lammps_name(const char *path);

/* Extended XYZ with all 17 digits; `vectors` (3n, may be NULL) is written as columns named
 * `vectors_name`. By output_open of core/output_file.h: a file that is there is replaced only
 * where it is a box that pairmark made or, with vectors, such a file of pairmark's. */
bool box_write(const char *path, const struct box *box, const double *vectors,
               const char *vectors_name, struct error *error);

/* The same as a frame of a trajectory, into an open stream, whose errors are the caller's to look
 * for: without how the box was made, with `comment` (begins with a blank) at the end of the second
 * line and, unless NULL, columns image:I:3 (3n). */
void box_write_frame(FILE *file, const struct box *box, const int32_t *image, const char *comment);

/* What box_write takes for its own: without vectors, and with them. */
extern const struct output_kind box_output, box_vectors_output;

#endif
