/*
 * quantity — numbers as people read them: a few digits and a unit, never an exponent. Files that
 * programs read (CSV, JSON) have full precision instead.
 *
 * Each writes "-" where the number is not known: NaN, and infinite but for percentages.
 */
#ifndef PAIRMARK_CORE_QUANTITY_H
#define PAIRMARK_CORE_QUANTITY_H

#include <stddef.h>

/* Room for any of them. */
enum { QUANTITY_SIZE = 32 };

/* "24.9 ms", "9.57 us": up to three digits. Microseconds are `us`, which every terminal shows. */
void quantity_seconds(double seconds, char *text, size_t size);

/* The same with so many digits always, for columns; even: three of them, "24.0 ms", "1.00 us". */
void quantity_seconds_to(double seconds, int digits, char *text, size_t size);
void quantity_even_seconds(double seconds, char *text, size_t size);

/* A share as a percentage: "0.12 %", "4.4 %", "38 %", "250 %"; "below 0.01 %", "over 999 %". */
void quantity_percent(double share, char *text, size_t size);

/* A ratio with two decimals, from 100 on with none: "0.98", "12.40", "547"; "<0.01" below that. */
void quantity_ratio(double ratio, char *text, size_t size);

/* A rate or another large number with three digits and a prefix: "80.4 M", "1.64 G", "12". The
 * unit of which it is the number comes behind it. */
void quantity_large(double value, char *text, size_t size);

/* The shortest decimal number that is the same double; for files and exact answers. */
void quantity_exact(double value, char *text, size_t size);

#endif
