/*
 * box_terms — the bonded terms of a box of chains as files that --bonds and its like take.
 */
#ifndef PAIRMARK_COMMANDS_BOX_TERMS_H
#define PAIRMARK_COMMANDS_BOX_TERMS_H

#include "boxes/box.h"

/* Before the box is made: whether BEGIN.bonds.csv, BEGIN.angles.csv, BEGIN.torsions.csv and
 * BEGIN.rb_torsions.csv can be written: by output_check() of core/output_file.h. A file that is
 * there is replaced only where it was written so. */
bool box_terms_check(const char *begin, struct error *error);

/* Writes them. The box is of kind chains. */
bool box_terms_write(const char *begin, const struct box *box, struct error *error);

#endif
