/*
 * arithmetic — arithmetic that boxes and their makers share.
 */
#ifndef PAIRMARK_BOXES_ARITHMETIC_H
#define PAIRMARK_BOXES_ARITHMETIC_H

#include "core/threads.h"

#include <stddef.h>

/* The cube root of a positive number by Newton's iteration in plain arithmetic (cbrt differs
 * between C libraries). */
double cube_root(double value);

/* x moved by whole edges into [0, edge). */
double wrap_coordinate(double x, double edge);
void wrap_positions(double *position, size_t n, const double edge[3], struct threads *threads);

/* The component of a separation of two points of the cell along one axis, nearest image. Right for
 * points at most half an edge outside the cell. */
static inline double nearest_image(double d, double edge) {
    double half = 0.5 * edge;
    d = d > half ? d - edge : d;
    return d < -half ? d + edge : d;
}

#endif
