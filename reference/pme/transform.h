/*
 * transform — the discrete Fourier transform of any number of points, in double. Private to
 * reference/.
 */
#ifndef PAIRMARK_REFERENCE_PME_TRANSFORM_H
#define PAIRMARK_REFERENCE_PME_TRANSFORM_H

#include "core/error.h"

#include <stdbool.h>
#include <stddef.h>

struct point {
    double re, im;
};

/* In place, of size[0] size[1] size[2] points, the last index running fastest: the sum of
 * x(j) exp(sign 2 pi i j k / size) along each, sign +1 or -1, without a factor.
 * STATUS_OUT_OF_MEMORY. */
bool transform_grid(struct point *points, const size_t size[3], int sign, struct error *error);

#endif
