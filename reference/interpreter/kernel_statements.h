/*
 * kernel_statements — reads the statements of a kernel text: declarations, assignments, if, for,
 * while, and blocks of them. Private to reference/.
 */
#ifndef PAIRMARK_REFERENCE_INTERPRETER_KERNEL_STATEMENTS_H
#define PAIRMARK_REFERENCE_INTERPRETER_KERNEL_STATEMENTS_H

#include "reference/interpreter/kernel_tree.h"

/* All up to the end of the text: the place of their block, 0 where something failed. */
int kernel_statements_read(struct parser *parser);

#endif
