/*
 * plan_boxes — the boxes and the cutoffs that the axes choose, and whether they go together.
 */
#ifndef PAIRMARK_CAMPAIGN_PLAN_PLAN_BOXES_H
#define PAIRMARK_CAMPAIGN_PLAN_PLAN_BOXES_H

#include "campaign/plan/plan.h"

struct box_choice {
    struct box_spec spec;
    bool open;         /* no periodic images, whether made or read */
    double min_height; /* of the cell: an orthorhombic one's shortest edge; INFINITY in an open
                            box */
    struct cell cell;  /* of a periodic box that is read */
};

struct cutoff_choice {
    struct cutoff cutoff;
    bool explicit; /* said by the user, so that it must not be changed */
    bool dmax;     /* where a switching function ends: part of what is computed */
};

/* Whether the cell of the box is no orthorhombic one. */
bool box_choice_is_triclinic(const struct box_choice *box);

/* Caller frees the arrays. */
bool boxes_choose(const struct axes *axes, struct box_choice **boxes, size_t *count,
                  struct error *error);
bool cutoffs_choose(const struct axes *axes, struct cutoff_choice **cutoffs, size_t *count,
                    struct error *error);

/* The cutoff that a case on this box has: half the least height where the default is more.
 * STATUS_BAD_INPUT naming that height and the most it may be where the user's own is more; and
 * where none is given for a box that is read, whose unit of length the default does not know. A
 * dmax may be infinite in any box but one of a triclinic cell. */
bool cutoff_in_box(const struct cutoff_choice *choice, const struct box_choice *box,
                   struct cutoff *cutoff, struct error *error);

#endif
