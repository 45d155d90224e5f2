/*
 * scratch — device memory that a variant's kernels have to themselves: `@scratch NAME TYPE COUNT`.
 *
 * COUNT adds up products of launch units, tunables and numbers: "particle * COPIES + 64". A
 * quotient is rounded up. What such memory holds does not outlast an evaluation.
 */
#ifndef PAIRMARK_VARIANT_SCRATCH_H
#define PAIRMARK_VARIANT_SCRATCH_H

#include "variant/variant.h"

/* What stands behind @scratch; false when it does not parse, with what was expected in `expected`
 * (a text that lives as long as the program, or in `scratch`). Whether the names in COUNT are units
 * or tunables is not looked at. */
bool scratch_parse(const char *words, struct scratch_buffer *scratch, const char **expected);

/* "copies accum4 particle * COPIES", at most size - 1 characters. */
enum { SCRATCH_WORDS_SIZE = (SCRATCH_MAX_FACTORS + 2) * (VARIANT_NAME_SIZE + 4) };
void scratch_describe(const struct scratch_buffer *scratch, char *words, size_t size);

/* The types that there are, "int, real, ...", for messages. */
const char *scratch_types(void);

/* Bytes per element; real and accum are doubles or floats. */
size_t scratch_element_bytes(const struct scratch_buffer *scratch, bool real_is_double,
                             bool accum_is_double);

/* "GLOBAL accum4 * or GLOBAL accum *": how a kernel declares it. */
void scratch_parameter_type(const struct scratch_buffer *scratch, char *type, size_t size);

/* How many there are of a launch unit; false when there is no such unit. */
typedef bool (*scratch_units)(const void *context, const char *unit, size_t *count);

/* How many elements COUNT comes to. STATUS_UNSUPPORTED where a tunable in it is 0, or where it is
 * more than an int can number. Units that there are none of make no elements. */
bool scratch_count(const struct scratch_buffer *scratch, const struct tunings *tunings,
                   scratch_units units, const void *context, size_t *count, struct error *error);

#endif
