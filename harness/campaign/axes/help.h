/*
 * help — options as --help lists them: the option and what its value is, and from a fixed column on
 * what it means, over as many lines as that takes.
 */
#ifndef PAIRMARK_CAMPAIGN_AXES_HELP_H
#define PAIRMARK_CAMPAIGN_AXES_HELP_H

#include "core/strings.h"

/* Appends words that are separated by blanks, in lines; the first begins in column `at`, the others
 * in column `indent`, and each ends with '\n'. */
void help_append_lines(struct strbuf *text, const char *words, size_t at, size_t indent);

/* Appends one option. `placeholder` is what its value is called; NULL: it takes none. */
void help_append_option(struct strbuf *text, const char *option, const char *placeholder,
                        const char *help);

#endif
