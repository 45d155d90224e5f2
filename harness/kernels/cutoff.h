/*
 * cutoff — the distance beyond which pairs do not count, as a case asks for it.
 *
 * What it comes to in a box is a length: cutoff_in(). There, INFINITY is a length like any other,
 * within which all pairs lie.
 */
#ifndef PAIRMARK_KERNELS_CUTOFF_H
#define PAIRMARK_KERNELS_CUTOFF_H

#include "core/strings.h"

#include <stdbool.h>

enum cutoff_kind {
    CUTOFF_LENGTH,
    CUTOFF_HALF, /* of the least height of a periodic cell; none in an open box */
    CUTOFF_NONE  /* every pair counts */
};

struct cutoff {
    enum cutoff_kind kind;
    double length; /* of CUTOFF_LENGTH, > 0; else 0 */
};

/* Of a length, which may be INFINITY. */
struct cutoff cutoff_of(double length);

bool cutoff_same(struct cutoff a, struct cutoff b);

/* Whether there are pairs that do not count, in an open box and in a periodic one. */
bool cutoff_ends(struct cutoff cutoff, bool open);

/* The length: of CUTOFF_HALF in a periodic box, `half`. */
double cutoff_in(struct cutoff cutoff, bool open, double half);

/* "2.5", of so many digits, "half" or "none". */
void cutoff_append(struct strbuf *text, struct cutoff cutoff, int digits);

#endif
