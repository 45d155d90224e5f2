/*
 * expression_names — what the names in an expression stand for, once all of it has been read.
 * Private to expression_parse.c.
 */
#ifndef PAIRMARK_KERNELS_EXPRESSIONS_EXPRESSION_NAMES_H
#define PAIRMARK_KERNELS_EXPRESSIONS_EXPRESSION_NAMES_H

#include "kernels/expressions/expression_reader.h"

/* Whether it is a variable or a function. */
bool expression_name_is_reserved(const struct expression *expression, const char *name);

/* -1: no definition has the name. */
int expression_find_definition(const struct expression *expression, const char *name);

/* Has every node that is a name say what it is of. False with the error set where nothing has a
 * name (it says which is the nearest), definitions go in a circle, or one serves nobody. */
bool expression_names_resolve(struct reader *reader);

#endif
