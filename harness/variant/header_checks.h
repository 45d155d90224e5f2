/* What only a whole header shows: that the names in it mean something, and go together. */
#ifndef PAIRMARK_VARIANT_HEADER_CHECKS_H
#define PAIRMARK_VARIANT_HEADER_CHECKS_H

#include "files/header.h"
#include "variant/variant.h"

#include <stdbool.h>

/* Checks a variant whose words have been read, joins it with the forces that it names, finds its
 * kernels with their parameters in the text, and the parameter by which they write the result.
 * Errors: STATUS_BAD_INPUT with the line. */
bool variant_check(const struct header_reader *reader, struct variant *variant,
                   struct error *error);

#endif
