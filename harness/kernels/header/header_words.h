/* The words of a variant's header comment: @pass, @tunable, @structure and so on, a line each. */
#ifndef PAIRMARK_KERNELS_HEADER_HEADER_WORDS_H
#define PAIRMARK_KERNELS_HEADER_HEADER_WORDS_H

#include "core/header.h"
#include "kernels/variant.h"

#include <stdbool.h>

/* Reads the whole header, line by line, into a variant whose path, language and kth are set. What a
 * name means is not looked at where that shows only in the end: header_checks.h.
 * Errors: STATUS_BAD_INPUT with the line, of a word that there is not or that is not used so. */
bool variant_take_words(struct header_reader *reader, struct variant *variant, struct error *error);

/* Fails: `word` (NULL: none) is no workload; the error lists them. */
bool header_refuse_workload(const struct header_reader *reader, const char *word,
                            struct error *error);

#endif
