/*
 * screen — how fine the places of particles are that variants/screen.cl compares, for
 * partners that lie in cells around each other.
 */
#ifndef PAIRMARK_STRUCTURES_SCREEN_H
#define PAIRMARK_STRUCTURES_SCREEN_H

#include "boxes/box.h"

/* Units a length in x, y, z, and at least the most of all directions: 256 a turn, whole turns an
 * edge of a periodic box. In a triclinic cell x, y, z are straightened ones (variants/box.cl). */
void screen_make_scale(const struct box *box, double cutoff, double scale[4]);

#endif
