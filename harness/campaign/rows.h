/*
 * rows — rows.csv: one row a case and repetition, appended and flushed as each ends.
 *
 * The columns are the contract of design section 9, in the order of row_columns[]. A number that is
 * not known is an empty field. Reading is by column name: unknown columns are kept aside and
 * counted, missing ones read as unknown, a line cut short is dropped with a warning that names the
 * line.
 */
#ifndef PAIRMARK_CAMPAIGN_ROWS_H
#define PAIRMARK_CAMPAIGN_ROWS_H

#include "base/error.h"

#include <stdio.h>

extern const char *const row_columns[]; /* NULL-terminated */

/* A row as text fields, one for each of row_columns; NULL: empty. */
struct row {
    char **fields;
};

struct row_table {
    struct row *rows;
    size_t count;
    size_t warnings; /* lines dropped or columns unknown, each told to `log` */
};

bool rows_read(const char *path, FILE *log, struct row_table *table, struct error *error);
void rows_free(struct row_table *table);

/* The field of a column; "" where empty or unknown to the format. The number of a column; NaN where
 * empty. */
const char *row_text(const struct row *row, const char *column);
double row_number(const struct row *row, const char *column);

#endif
