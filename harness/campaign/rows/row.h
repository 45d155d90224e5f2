/*
 * row — one row of rows.csv, as text fields by column.
 */
#ifndef PAIRMARK_CAMPAIGN_ROWS_ROW_H
#define PAIRMARK_CAMPAIGN_ROWS_ROW_H

#include "campaign/axes/columns.h"
#include "campaign/rows/records.h"
#include "core/error.h"
#include "core/strings.h"

#include <stdint.h>

/* A row as text fields, one per column; NULL: empty. */
struct row {
    char **fields;
    bool failed; /* a field could not be kept: memory ran out */
    size_t line; /* of the file that it was read from, where it begins; 0: not read */
};

/* The field of a column; "" where empty. The number of a column; NaN where it is empty or none. A
 * cutoff of none is inf. */
const char *row_text(const struct row *row, enum column column);
double row_number(const struct row *row, enum column column);

/* Whether the field is what rows say that do not name it (schema: .absent). */
bool row_is_default(const struct row *row, enum column column);

/* Appends the columns of ROLE_KNOB that are not at their defaults, separated by blanks. */
void row_append_knobs(const struct row *row, struct strbuf *words);

/* The same, but only words, as "A=1" of "A=1 B=2", that some of the rows of the same variant lack:
 * what distinguishes it from them. */
void row_append_varied(const struct row *row, const struct row *const *rows, size_t count,
                       struct strbuf *words);

/* Whether it is the second timing of a case, which measures noise and is no result. */
bool row_is_repeat(const struct row *row);

/* Whether that is what the case came to: a crash or a timeout may be a chance or somebody's kill,
 * and is tried again. */
bool row_is_final(const struct row *row);

/* What a row is the result of. Words are the row's own. */
struct row_key {
    const char *case_id, *device, *repetition;
};
struct row_key row_key_of(const struct row *row);
int row_key_compare(const struct row_key *one, const struct row_key *other);

/* The order by which rows of one result (the same key) are equal. */
int row_compare_results(const struct row *one, const struct row *other);
/* For qsort() of pointers to rows: by result, and within one as the file has them. */
int row_compare_places(const void *one, const void *other);

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
