/*
 * quantity — numbers: the formats that kernels compute in, and words that people read.
 */
#ifndef PAIRMARK_CORE_QUANTITY_H
#define PAIRMARK_CORE_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>

/* ---- formats of numbers in kernels ----
 *
 * A precision, as users choose it, is the name of three formats: of positions as they lie in
 * memory, of the arithmetic of pairs, and of what is added up. Kernels know them as types: `real`
 * of positions and arithmetic, `accum` of what is accumulated. A further name is a row of the table
 * in quantity.c; a further format is a value of enum number_format with its size and unit. Sums in
 * fixed point are returned as doubles: accum is double there. */

enum number_format {
    FORMAT_FLOAT,
    FORMAT_DOUBLE,
    FORMAT_FIXED /* whole numbers of 64 bits, in units of 2^-32; of sums alone */
};

struct numeric {
    enum number_format position, arithmetic, accumulation;
};

enum precision {
    PRECISION_FLOAT,  /* arithmetic and sums in float */
    PRECISION_MIXED,  /* arithmetic in float, sums in double */
    PRECISION_DOUBLE, /* arithmetic and sums in double */
    PRECISION_FIXED,  /* arithmetic in float, sums in fixed point */
    PRECISION_COUNT
};

const char *precision_name(enum precision precision); /* float, mixed, double, fixed */
bool precision_from_name(const char *name, enum precision *precision);
struct numeric precision_numeric(enum precision precision);

size_t format_bytes(enum number_format format); /* of one number */
/* Unit roundoff: half the distance from 1 to the next number; of fixed point that of the doubles in
 * which sums are returned. */
double format_unit(enum number_format format);

/* Half the unit of fixed point: what rounding a number to it errs by at most. */
#define FIXED_POINT_ERROR 0x1p-33

/* Whether `real`, or `accum`, is a double. */
static inline bool numeric_real_is_double(struct numeric numeric) {
    return numeric.arithmetic == FORMAT_DOUBLE;
}
static inline bool numeric_accum_is_double(struct numeric numeric) {
    return numeric.accumulation != FORMAT_FLOAT;
}
/* Whether sums are whole numbers while they are added up. */
static inline bool numeric_sums_are_fixed(struct numeric numeric) {
    return numeric.accumulation == FORMAT_FIXED;
}

/* ---- numbers as people read them: a few digits and a unit, never an exponent ----
 *
 * Files that programs read (CSV, JSON) have full precision instead. Each writes "-" where the
 * number is not known: NaN, and infinite but for percentages. */

/* Words by value: `quantity_percent(share).text` is an argument of printf(), as good as a variable
 * until the statement ends. */
struct quantity {
    char text[32];
};

/* The value for messages: a NaN without the sign that some devices give it, which says nothing. */
double unsigned_nan(double value);

/* "24.9 ms", "9.57 us": up to three digits. Microseconds are `us`, which every terminal shows. */
struct quantity quantity_seconds(double seconds);

/* The same with so many digits always, for columns; even: three of them, "24.0 ms", "1.00 us". */
struct quantity quantity_seconds_to(double seconds, int digits);
struct quantity quantity_even_seconds(double seconds);

/* A share as a percentage: "0.12 %", "4.4 %", "38 %", "250 %"; "below 0.01 %", "over 999 %". */
struct quantity quantity_percent(double share);

/* A ratio with two decimals, from 100 on with none: "0.98", "12.40", "547"; "<0.01" below that. */
struct quantity quantity_ratio(double ratio);

/* A rate or another large number with three digits and a prefix: "80.4 M", "1.64 G", "12". The
 * unit of which it is the number comes after it. */
struct quantity quantity_large(double value);

/* The same double in 15 digits or, where these are too few, 17; for files and exact answers. */
struct quantity quantity_exact(double value);

/* The same double in the fewest significant digits: 0.1, 300; for identities. */
struct quantity quantity_shortest(double value);

#endif
