/*
 * count — how many: a sum of products of launch units, tunables and whole numbers, as a header
 * writes it.
 *
 * "particle * COPIES + 64": * and / bind tighter than +, and a quotient is rounded up.
 */
#ifndef PAIRMARK_KERNELS_COUNT_H
#define PAIRMARK_KERNELS_COUNT_H

#include "kernels/variant.h"

/* What a message says was expected. */
extern const char count_expected[];

/* Takes a count from the front of `*words` and leaves behind it what is no part of it. False where
 * there is none, where a number is out of 1 to 2^24, or where it has too many factors. What the
 * names mean is not looked at. */
bool count_parse(const char **words, struct count *count);

/* Appends "particle * COPIES + 64". */
void count_describe(const struct count *count, struct strbuf *words);

/* How many there are of a launch unit; false when there is no such unit. */
typedef bool (*count_units_of)(const void *context, const char *unit, size_t *count);

/* What it comes to, at most 2^31 - 1. A name that is no unit is a tunable's. STATUS_UNSUPPORTED,
 * beginning with `what` ("@scratch copies"), where a tunable in it is 0, where something is divided
 * by no units, or where it is more than an int can number. */
bool count_value(const struct count *count, const char *what, const struct tunings *tunings,
                 count_units_of units, const void *context, size_t *value, struct error *error);

#endif
