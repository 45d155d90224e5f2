/*
 * particle_values — a parameter that each particle has a value of: a number per particle, from a
 * file.
 *
 * A file has a number per line, in the order of the box's particles; blank lines and comments
 * ('#') are skipped. Or it is extended XYZ, of which `column` names one of Properties, of one real
 * or whole number per particle.
 */
#ifndef PAIRMARK_KERNELS_EXPRESSIONS_PARTICLE_VALUES_H
#define PAIRMARK_KERNELS_EXPRESSIONS_PARTICLE_VALUES_H

#include "core/cache.h"
#include "core/error.h"

#include <stdbool.h>
#include <stddef.h>

struct particle_values {
    char *path;
    char hash[HASH_TEXT_SIZE]; /* of the numbers */
    size_t count;
    double *value;
    double least; /* of them */
};

/* `column`: NULL of a file of numbers alone. STATUS_BAD_INPUT "path:line: what is wrong; expected
 * what": no number, NaN, infinity, no such column (which there are is said), too few lines. Free
 * with particle_values_free(). */
bool particle_values_read(const char *path, const char *column, struct particle_values **values,
                          struct error *error);
void particle_values_free(struct particle_values *values); /* also NULL */

#endif
