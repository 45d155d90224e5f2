/*
 * count — the two kinds of formulas that a kernel's header may have.
 *
 * A COUNT says how many: a sum of products of launch units, tunables and whole numbers, as
 * "particle * COPIES + 64"; * and / bind tighter than +, and a quotient is rounded up. @holds says
 * how large a tunable must be for the box: any arithmetic, in double.
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

/* ---- @holds ---- */

/*
 * "@holds WORDS 8 + density * cutoff * cutoff * cutoff / LANES": numbers, quantities of the case
 * (holds_is_quantity), tunables, + - * / and parentheses, min(a, b), max(a, b) and ceil(a). The
 * text is parsed anew at each evaluation: headers are short.
 */

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
