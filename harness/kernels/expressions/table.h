/*
 * table — a function of one variable that is given by its values: a natural cubic spline through
 * them, 0 outside. Private to expression/, but for its text.
 *
 * A file has a line per value: the variable and the value, apart by spaces or a comma; '#' begins a
 * comment. Variables ascend in equal steps, so that the interval is found by one product.
 *
 * Source of the spline: C. de Boor, A Practical Guide to Splines (1978), chapter IV.
 */
#ifndef PAIRMARK_KERNELS_EXPRESSIONS_TABLE_H
#define PAIRMARK_KERNELS_EXPRESSIONS_TABLE_H

#include "core/cache.h"
#include "core/error.h"
#include "core/strings.h"

#include <stdbool.h>

enum { TABLE_MIN_VALUES = 3, TABLE_MAX_VALUES = 1000 };

struct expression_table {
    char *text; /* the file's */
    char hash[HASH_TEXT_SIZE];
    int count;
    double first, step; /* of the variable */
    double value[TABLE_MAX_VALUES];
    double curvature[TABLE_MAX_VALUES]; /* step^2 times the second derivative */
};

/* STATUS_BAD_INPUT "path:line: what is wrong; expected what"; free with expression_table_free(). */
bool expression_table_read(const char *path, struct expression_table **table, struct error *error);
void expression_table_free(struct expression_table *table); /* also NULL */

/* The kernel text of table number `number`: expression_tableN(x) and expression_tableN_slope(x). */
void expression_table_append(const struct expression_table *table, int number, struct strbuf *text);

#endif
