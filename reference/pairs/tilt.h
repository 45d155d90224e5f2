/*
 * tilt — whether a cell leans, which the reference looks up by itself. Private to reference/.
 */
#ifndef PAIRMARK_REFERENCE_PAIRS_TILT_H
#define PAIRMARK_REFERENCE_PAIRS_TILT_H

#include <stdbool.h>

/* x of the second vector, x and y of the third: none of an orthorhombic cell. */
static inline bool tilt_leans(const double tilt[3]) {
    return tilt[0] != 0.0 || tilt[1] != 0.0 || tilt[2] != 0.0;
}

#endif
