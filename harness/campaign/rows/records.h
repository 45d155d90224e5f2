/*
 * records — CSV files (libcsv): read record by record, appended to by whole records.
 *
 * A record may span lines, since a quoted field may hold newlines. What is appended is written by
 * one call and taken back when it does not fit, so that a full disk or a killed process leaves at
 * most one record cut short, at the end of the file, which reading drops.
 */
#ifndef PAIRMARK_CAMPAIGN_ROWS_RECORDS_H
#define PAIRMARK_CAMPAIGN_ROWS_RECORDS_H

#include "core/error.h"
#include "core/strings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Called with each whole record; `line` is where it begins (the first is 1). The fields are the
 * callee's until it returns. False stops the reading with *error. */
typedef bool records_visit(void *context, size_t line, char **fields, size_t count,
                           struct error *error);

/* What reading found besides the records. */
struct records_extent {
    size_t whole_bytes; /* up to the end of the last whole record */
    size_t cut_line;    /* where a record begins that the file's end cuts short; 0: none */
};

/* STATUS_BAD_INPUT when the file cannot be read, or has a zero byte before its last line break. */
bool records_read(const char *path, records_visit *visit, void *context,
                  struct records_extent *extent, struct error *error);

struct record_file; /* a file that is appended to */

/* A new file that begins with the names of the columns (NULL-terminated). STATUS_BAD_INPUT when
 * there is such a file already or it cannot be made. */
bool record_file_create(const char *path, const char *const *columns, struct record_file **file,
                        struct error *error);

/* Goes on with a file after its last whole record; one cut short is taken away. An empty file gets
 * its columns. STATUS_BAD_INPUT when the file cannot be opened or has other columns than these. */
bool record_file_resume(const char *path, const char *const *columns, struct record_file **file,
                        struct error *error);

/* Adds one record to `text`, quoting what needs it; NULL fields are empty. */
void record_format(struct strbuf *text, const char *const *fields, size_t count);

/* Appends whole records. STATUS_SYSTEM when they cannot be written; the file is then as before. */
bool record_file_append(struct record_file *file, const struct strbuf *records,
                        struct error *error);

/* NULL is fine. */
void record_file_close(struct record_file *file);

/* ---- samples.csv and stages.csv: one number per record ---- */

/* A file with one number per record, and words that say what it is of. */

enum { LONG_TABLE_MAX_WORDS = 8 };

struct long_table {
    const char *const *words;     /* columns of words, NULL-terminated; case_id is the first */
    const char *number;           /* the column of the number */
    bool may_be_zero;             /* the number is at least 0; else above 0 */
    const char *record, *records; /* what one is, and several are, in messages: "sample" */
};

/* One record. Words are printable; "" where the field is empty, NULL where the file has no such
 * column. They are the callee's until it returns. */
struct long_record {
    size_t line; /* where it begins in the file */
    const char *words[LONG_TABLE_MAX_WORDS];
    double number;
};

/* False stops the reading with *error. */
typedef bool long_table_visit(void *context, const struct long_record *record, struct error *error);

/* Visits the records of a file in their order. Malformed lines are skipped and logged to `log`,
 * which may be NULL. STATUS_BAD_INPUT for a file that cannot be read or lacks the first column of
 * words or that of the number. */
bool long_table_read(const char *path, const struct long_table *table, long_table_visit *visit,
                     void *context, FILE *log, struct error *error);

extern const struct long_table samples_table, stages_table;

#endif
