/*
 * axis_words — names on the command line: matching them against what there is, and saying what
 * there is when nothing matches.
 */
#ifndef PAIRMARK_CAMPAIGN_AXES_AXIS_WORDS_H
#define PAIRMARK_CAMPAIGN_AXES_AXIS_WORDS_H

#include "campaign/axes/axes.h"

#include <stddef.h>

/* STATUS_BAD_INPUT: "OPTION: there is no WHAT 'word' (did you mean 'choice'?); there are: ...". */
bool words_fail_unknown(const char *option, const char *what, const char *word,
                        const char *const *choices, struct error *error);

/* The values that an axis which knows them by name was said to have; where nothing was said, those
 * of the list `usual`, or of its own default where that is NULL. As select_names(). */
bool words_select_axis(const struct axes *axes, enum axis axis, const char *usual, size_t **indices,
                       size_t *count, struct error *error);

/* The choices that a comma list of names and globs selects, each once, in the order of the list and
 * then of the choices. indices[i] is a position in choices; caller frees. Errors: STATUS_BAD_INPUT
 * for an item that matches nothing. */
bool select_names(const char *option, const char *what, const char *list,
                  const char *const *choices, size_t **indices, size_t *count, struct error *error);

#endif
