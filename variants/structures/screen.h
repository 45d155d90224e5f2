/*
 * screen — how fine the places of particles are that variants/screen_words.cl compares, for
 * partners that lie in cells around each other.
 */
#ifndef PAIRMARK_STRUCTURES_SCREEN_H
#define PAIRMARK_STRUCTURES_SCREEN_H

#include "box/box.h"

struct screen {
    double scale[3]; /* units a length: 256 a turn, whole turns an edge of a periodic box */
    int limit;       /* more than the square, in units, of any pair within the cutoff */
};

void screen_make(const struct box *box, double cutoff, struct screen *screen);

#endif
