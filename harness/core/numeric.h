/*
 * numeric — what kernels compute in: positions as they lie in memory, the arithmetic of pairs, and
 * what is added up.
 *
 * What users choose as a precision is the name of three such formats. Kernels know them as types:
 * `real` of positions and arithmetic, `accum` of what is accumulated. A further name is a row of
 * the table in numeric.c; a further format is a value of enum number_format with its size and unit.
 * Sums in fixed point are returned as doubles: accum is double there.
 */
#ifndef PAIRMARK_CORE_NUMERIC_H
#define PAIRMARK_CORE_NUMERIC_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
