/*
 * rows — rows.csv: one row per case and repetition, appended and flushed as each ends.
 *
 * The columns are those of schema/columns.h, in that order. A number that is not known is an empty
 * field. Reading is by column name: unknown columns are kept aside and counted, missing ones read
 * as unknown, a line cut short is dropped with a warning that names the line. What is read is
 * printable: '?' stands for control characters and what is no UTF-8. Rows of older formats say what
 * a row of today says (rows_older.h).
 */
#ifndef PAIRMARK_RECORD_ROWS_H
#define PAIRMARK_RECORD_ROWS_H

#include "base/error.h"
#include "record/records.h"
#include "schema/columns.h"

#include <stdint.h>
#include <stdio.h>

/* A row as text fields, one per column; NULL: empty. */
struct row {
    char **fields;
    bool failed; /* a field could not be kept: memory ran out */
    size_t line; /* of the file that it was read from, where it begins; 0: not read */
};

struct row_table {
    const char *label; /* what figures call the run, of whoever read it; NULL: its number */
    struct row *rows;
    size_t count;
    size_t warnings; /* lines dropped or columns unknown, each told to `log` */
};

/* The file of a path that is a run's folder or the file itself, into `file`. STATUS_BAD_INPUT: it
 * does not fit. That the file is there is not looked at. */
bool rows_locate(const char *path, char *file, size_t size, struct error *error);

/* Whether what is made of the rows of `path` can be written to `output`: STATUS_BAD_INPUT, naming
 * -o, where that is one of the files that the run recorded. */
bool rows_spare(const char *path, const char *output, struct error *error);

/* A row that crashed or timed out is left out where a later one tells what came of trying again
 * (the same case_id, device and repetition). `log` may be NULL. STATUS_BAD_INPUT: no such file, or
 * its first line names no column of ours, or one twice. */
bool rows_read(const char *path, FILE *log, struct row_table *table, struct error *error);
void rows_free(struct row_table *table);

/* The field of a column; "" where empty. The number of a column; NaN where it is empty or none. A
 * cutoff of none is inf. */
const char *row_text(const struct row *row, enum column column);
double row_number(const struct row *row, enum column column);

/* Whether the field is what rows say that do not name it (schema: .absent). */
bool row_is_default(const struct row *row, enum column column);

/* Whether it is the second timing of a case, which tells of noise and is no result. */
bool row_is_twin(const struct row *row);

/* A row being made, all fields empty. */
bool row_create(struct row *row, struct error *error);
void row_free(struct row *row);
bool row_copy(const struct row *row, struct row *copy, struct error *error); /* caller frees */
void row_set(struct row *row, enum column column, const char *value);
void row_set_number(struct row *row, enum column column, double value); /* NaN: empty */
void row_set_count(struct row *row, enum column column, int64_t value); /* negative: empty */

/* Appends the row to a file of column_names, flushed. */
bool row_append(struct record_file *file, const struct row *row, struct error *error);

#endif
