/*
 * alike — molecules that are identical: of as many particles, and place by place of the same type,
 * charge and mass. Where nothing else distinguishes them, they may be reordered as wholes, and
 * bonds, exclusions and parameters stay as they are.
 *
 * A molecule is all particles that share a number in the box's `molecule`, in the order in which
 * they stand; where the box says none, every particle is one by itself.
 */
#ifndef PAIRMARK_BOXES_ALIKE_H
#define PAIRMARK_BOXES_ALIKE_H

#include "boxes/box.h"

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
