/*
 * lammps — boxes in data files of LAMMPS (private to harness/boxes/files).
 */
#ifndef PAIRMARK_BOXES_FILES_LAMMPS_H
#define PAIRMARK_BOXES_FILES_LAMMPS_H

#include "boxes/files/xyz_text.h"

/* atom_style atomic, charge, full, molecular, bond and angle, by "Atoms # STYLE" or, of atomic and
 * full, by the number of columns. Particles are in the order of the atoms' numbers. Species are the
 * labels of types, else the words behind # in Masses, else the types' numbers. Molecules are those
 * of the column, else what Bonds joins; molecule 0 is an atom by itself. The cell is periodic,
 * which data files do not say. Numbers are taken as they are, in the file's units; image flags and
 * all other sections are skipped. Errors name path and line. */
bool lammps_read(struct reader *reader, struct box *box);

/* atom_style full; the first line is lammps_mark. STATUS_BAD_INPUT for an open box and for masses
 * that differ within a species. */
bool lammps_write(FILE *file, const struct box *box, struct error *error);
extern const char lammps_mark[];

#endif
