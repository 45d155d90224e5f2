/*
 * kernel_directives — the lines of a kernel text: which of them count by #if, #ifdef, #elif, #else
 * and #endif, and what #define and #undef make of its macros. Private to reference/.
 */
#ifndef PAIRMARK_REFERENCE_INTERPRETER_KERNEL_DIRECTIVES_H
#define PAIRMARK_REFERENCE_INTERPRETER_KERNEL_DIRECTIVES_H

#include "reference/interpreter/kernel_tokens.h"

/* Adds the tokens of all lines that count, from tokens->line on, and the end after them. Comments
 * in `body` become blanks; tokens point into it. */
void kernel_directives_read(struct tokens *tokens, char *body);

#endif
