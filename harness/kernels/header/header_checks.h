/* What only a whole header shows: that the names in it mean something, and go together. */
#ifndef PAIRMARK_KERNELS_HEADER_HEADER_CHECKS_H
#define PAIRMARK_KERNELS_HEADER_HEADER_CHECKS_H

#include "core/header.h"
#include "kernels/variant.h"

#include <stdbool.h>

/* Whether the header names a workload and what that needs. Errors: STATUS_BAD_INPUT with the line.
 */
bool variant_check_workload(const struct header_reader *reader, const struct variant *variant,
                            struct error *error);

/* Checks a variant whose words have been read, and which is joined with its forces (join_forces.h);
 * finds its kernels with their parameters in the text, and the parameter by which they write the
 * result. Errors: STATUS_BAD_INPUT with the line. */
bool variant_check(const struct header_reader *reader, struct variant *variant,
                   struct error *error);

#endif
