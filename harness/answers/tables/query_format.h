/*
 * query_format — rows of a statement as a table, CSV or JSON.
 */
#ifndef PAIRMARK_ANSWERS_TABLES_QUERY_FORMAT_H
#define PAIRMARK_ANSWERS_TABLES_QUERY_FORMAT_H

#include "answers/tables/query.h"
#include "core/strings.h"

/* Initialise format and text, the rest zero; release with query_writer_free. */
struct query_writer {
    enum query_format format;
    struct strbuf *text;
    /* of a table, whose columns are as wide as their widest cell */
    char **cells; /* row by row, the names first */
    size_t count, capacity;
    size_t columns;
    bool *is_text; /* of each column: some cell is no number */
    size_t rows;
};

/* STATUS_BAD_INPUT: of JSON, where two columns have one name. */
bool query_write_names(struct query_writer *writer, sqlite3_stmt *statement, struct error *error);

/* The row at which the statement stands. False: memory ran out. */
bool query_write_row(struct query_writer *writer, sqlite3_stmt *statement);

/* Whatever is still to be written. False: memory ran out. */
bool query_write_end(struct query_writer *writer);

void query_writer_free(struct query_writer *writer);

#endif
