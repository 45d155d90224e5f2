/*
 * library — the variants that are part of the program.
 */
#ifndef PAIRMARK_KERNELS_HEADER_LIBRARY_H
#define PAIRMARK_KERNELS_HEADER_LIBRARY_H

#include "kernels/variant.h"

/* The embedded variants, sorted by name, parsed at the first call (not safe to call first from two
 * threads). NULL with *error set if an embedded file does not parse. Lives as long as the program.
 */
const struct variant *variants_embedded(size_t *count, struct error *error);

/* Whether a path is that of an embedded variant: variants/WORKLOAD/NAME.cl. */
bool variant_is_built_in(const char *path);

#endif
