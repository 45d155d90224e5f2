/*
 * kernel_expressions — reads the expressions of a kernel text, by the precedences of C. Private to
 * reference/.
 *
 * Each returns the place of a node (kernel_tree.h), 0 where it failed.
 */
#ifndef PAIRMARK_REFERENCE_INTERPRETER_KERNEL_EXPRESSIONS_H
#define PAIRMARK_REFERENCE_INTERPRETER_KERNEL_EXPRESSIONS_H

#include "reference/interpreter/kernel_tree.h"

int kernel_expression_read(struct parser *parser);

/* The letter after a dot: which component of node `vector` is asked for. */
int kernel_expression_read_component(struct parser *parser, int vector);

/* ( a, b, ... ): the operands of the node. */
bool kernel_expression_read_arguments(struct parser *parser, struct node *node);

#endif
