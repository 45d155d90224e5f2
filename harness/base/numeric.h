/*
 * numeric — what kernels compute in: positions as they lie in memory, the arithmetic of pairs, and
 * what is added up.
 *
 * What users choose as a precision is the name of three such formats. Kernels know them as types:
 * `real` of positions and arithmetic, `accum` of what is accumulated. A further name is a row of
 * the table in numeric.c; a further format, such as whole numbers of 64 bits to accumulate in, is a
 * value of enum number_format with its size and unit.
 */
#ifndef PAIRMARK_BASE_NUMERIC_H
#define PAIRMARK_BASE_NUMERIC_H

#include <stdbool.h>
#include <stddef.h>

enum number_format { FORMAT_FLOAT, FORMAT_DOUBLE };

struct numeric {
    enum number_format position, arithmetic, accumulation;
};

enum precision {
    PRECISION_FLOAT, /* arithmetic and sums in float */
    PRECISION_MIXED, /* arithmetic in float, sums in double */
    PRECISION_DOUBLE /* arithmetic and sums in double */
};

const char *precision_name(enum precision precision); /* float, mixed, double */
bool precision_from_name(const char *name, enum precision *precision);
struct numeric precision_numeric(enum precision precision);

size_t format_bytes(enum number_format format); /* of one number */
/* Unit roundoff: half the distance from 1 to the next number. */
double format_unit(enum number_format format);

/* Whether `real`, or `accum`, is a double. */
static inline bool numeric_real_is_double(struct numeric numeric) {
    return numeric.arithmetic == FORMAT_DOUBLE;
}
static inline bool numeric_accum_is_double(struct numeric numeric) {
    return numeric.accumulation == FORMAT_DOUBLE;
}

#endif
