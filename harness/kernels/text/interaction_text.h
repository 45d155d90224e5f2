/*
 * interaction_text — the pair function of a case and what it is compiled by, as kernel text: a
 * piece of the text that kernel_text.h puts together.
 */
#ifndef PAIRMARK_KERNELS_TEXT_INTERACTION_TEXT_H
#define PAIRMARK_KERNELS_TEXT_INTERACTION_TEXT_H

#include "core/strings.h"
#include "kernels/case.h"

/* Macros, for in front of the words of pairs: types, exclusions, values of particles; parameters
 * and cutoffs of functions that have no types; where functions are switched off. */
void interaction_text_define(const struct case_spec *spec, struct strbuf *text);
/* The functions and what calls them, for behind the words of pairs. */
void interaction_text_append(const struct case_spec *spec, struct strbuf *text);

#endif
