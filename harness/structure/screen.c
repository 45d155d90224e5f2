#include "structure/screen.h"

#include <math.h>

enum { UNITS_A_TURN = 256, MAX_TURNS = 512 };

/* Partners lie within the cutoff and a cell of each other, in either direction: a turn of this many
 * cutoffs makes none of them look near that is not. */
static const double turn_in_cutoffs = 3.2;

void screen_make_scale(const struct box *box, double cutoff, double scale[4]) {
    for (int d = 0; d < 3; d++) {
        /* MAX_TURNS: float holds a coordinate to some hundredths of a unit then. */
        const double turns =
            fmin(fmax(floor(box->edge[d] / (turn_in_cutoffs * cutoff)), 1), MAX_TURNS);
        scale[d] = box->periodic ? UNITS_A_TURN * turns / box->edge[d]
                                 : UNITS_A_TURN / (turn_in_cutoffs * cutoff);
    }
    scale[3] = fmax(scale[0], fmax(scale[1], scale[2]));
}
