/*
 * xyz_comment — what the second line of an XYZ file says (private to harness/boxes/files).
 */
#ifndef PAIRMARK_BOXES_FILES_XYZ_COMMENT_H
#define PAIRMARK_BOXES_FILES_XYZ_COMMENT_H

#include "boxes/files/xyz_text.h"

/* Where the quantities stand in a particle's line; -1: not there. */
struct columns {
    int count;  /* words a line */
    bool exact; /* more words than that are an error */
    int species, name, type, position, charge, molecule, velocity, momentum, mass;
};

/* Line 2: the cell and the columns. Sets periodic, cell and rotated of the box. */
bool xyz_read_comment(struct reader *reader, struct span line, struct box *box,
                      struct columns *columns);

#endif
