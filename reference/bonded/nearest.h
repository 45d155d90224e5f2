/*
 * nearest — vectors between listed particles to the nearest image. Private to reference/.
 */
#ifndef PAIRMARK_REFERENCE_BONDED_NEAREST_H
#define PAIRMARK_REFERENCE_BONDED_NEAREST_H

#include "boxes/box.h"

/* From particle a to the nearest image of b, in long double: in a triclinic cell the shortest of
 * the images around the one that rounding finds. */
void nearest_step(const struct box *box, size_t a, size_t b, long double d[3]);

/* The longest length that a difference of coordinates, or a step to an image, is computed from:
 * rounding errors are relative to it. */
double nearest_length(const struct box *box);

#endif
