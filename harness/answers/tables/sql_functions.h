/*
 * sql_functions — what queries can call besides SQLite's own functions.
 */
#ifndef PAIRMARK_ANSWERS_TABLES_SQL_FUNCTIONS_H
#define PAIRMARK_ANSWERS_TABLES_SQL_FUNCTIONS_H

#include <sqlite3.h>

/* median(x): the middle value, of an even number the mean of the two. percentile(x, p): the value
 * below which p percent lie (0 to 100), interpolated between neighbours. Both are aggregates over
 * numbers: NULL and words are left out, and of none the answer is NULL. Returns SQLite's code. */
int sql_functions_add(sqlite3 *database);

#endif
