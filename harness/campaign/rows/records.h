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

#endif
