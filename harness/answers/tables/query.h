/*
 * query — one SQL statement of the user's over an analysis, and its answer as text.
 *
 * A statement only reads the tables: what would write, attach a file, change a setting or load code
 * is refused before it runs. It ends after a time, a number of rows and an amount of memory.
 */
#ifndef PAIRMARK_ANSWERS_TABLES_QUERY_H
#define PAIRMARK_ANSWERS_TABLES_QUERY_H

#include "answers/tables/analysis.h"
#include "core/error.h"
#include "core/strings.h"

#include <stdbool.h>

enum query_format {
    QUERY_TABLE, /* aligned; cells of one line each, cut after 60 characters; six digits of a number
                  */
    QUERY_CSV,   /* a line of names first; NULL is an empty field */
    QUERY_JSON   /* an array of objects; infinities are the words "inf" and "-inf" */
};

struct query {
    const char *sql;
    enum query_format format;
    size_t max_rows;
    double max_seconds;
};

/* Appends the whole answer to `text`, or nothing. Of a table the rows after `max_rows` are left
 * out, and *cut says so; of the other formats, which programs read, they are an error.
 * STATUS_BAD_INPUT, with SQLite's message and the place: what is no single statement that reads,
 * and one that outruns a limit. STATUS_OUT_OF_MEMORY. */
bool query_answer(struct analysis *analysis, const struct query *query, struct strbuf *text,
                  bool *cut, struct error *error);

#endif
