/*
 * quantity — numbers as people read them: three digits and a unit.
 */
#ifndef PAIRMARK_BASE_QUANTITY_H
#define PAIRMARK_BASE_QUANTITY_H

#include <stddef.h>

/* "24.9 ms", "9.57 us"; "-" where the number is not known. */
void quantity_seconds(double seconds, char *text, size_t size);

/* The same with three digits always, for columns: "24.0 ms", "1.00 us"; at most 7 characters up to
 * 9999 s. */
void quantity_even_seconds(double seconds, char *text, size_t size);

/* "1.64e+09", or with a unit "12.4 %"; "-" where the number is not known. */
void quantity_number(double value, const char *unit, char *text, size_t size);

#endif
