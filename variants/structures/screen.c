#include "variants/structures/screen.h"

#include <math.h>

enum { UNITS_A_TURN = 256, MOST_TURNS = 512 };

/* Partners lie within the cutoff and a cell of each other, in either direction: a turn of this many
 * cutoffs makes none of them look near that is not. */
static const double turn_in_cutoffs = 3.2;

void screen_make(const struct box *box, double cutoff, struct screen *screen) {
    /* Unit by unit, what screen_words.cl says of cutting off and of rounding. */
    const double added = 3.6;
    double finest = 0;
    for (int d = 0; d < 3; d++) {
        /* MOST_TURNS: float holds a coordinate to some hundredths of a unit then. */
        const double turns =
            fmin(fmax(floor(box->edge[d] / (turn_in_cutoffs * cutoff)), 1), MOST_TURNS);
        screen->scale[d] = box->periodic ? UNITS_A_TURN * turns / box->edge[d]
                                         : UNITS_A_TURN / (turn_in_cutoffs * cutoff);
        finest = fmax(finest, screen->scale[d]);
    }
    /* Beyond a turn every pair passes: no square is larger. */
    const double most = fmin(cutoff * finest, UNITS_A_TURN) + added;
    screen->limit = (int)(most * most) + 2;
}
