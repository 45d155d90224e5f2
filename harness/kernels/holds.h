/*
 * holds — how large a tunable must be for what a box brings, as a header says it:
 * "@holds WORDS 8 + density * cutoff * cutoff * cutoff / LANES".
 *
 * Numbers, quantities of the case (holds_is_quantity), tunables, + - * / and parentheses, min(a,
 * b), max(a, b) and ceil(a); all in double. It is read anew whenever it is worked out: headers are
 * short.
 */
#ifndef PAIRMARK_KERNELS_HOLDS_H
#define PAIRMARK_KERNELS_HOLDS_H

#include "kernels/variant.h"

/* The value of a name; false where nothing has it. */
typedef bool (*holds_find)(const void *context, const char *name, double *value);

/* n, density or cutoff: particles, particles per volume, length. */
bool holds_is_quantity(const char *name);

/* What it comes to, which may be infinite or NaN. STATUS_BAD_INPUT, saying what was expected, where
 * it is no such expression or names what there is not. */
bool holds_value(const char *words, holds_find find, const void *context, double *value,
                 struct error *error);

/* Of the values that the author of the tunable offers the smallest that is not below `need`, else
 * the largest; its preset where `need` is NaN or not above 0. */
int holds_choose(const struct tunable *tunable, double need);

#endif
