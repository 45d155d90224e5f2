/*
 * statements — the database of an analysis (analysis.h), asked in SQL of our own.
 */
#ifndef PAIRMARK_ANSWERS_TABLES_STATEMENTS_H
#define PAIRMARK_ANSWERS_TABLES_STATEMENTS_H

#include "campaign/rows/row.h"
#include "core/strings.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

struct analysis {
    sqlite3 *database;
    sqlite3_int64 runs;        /* how many were added */
    const struct row **row_of; /* of each rowid of `rows`, where they are in memory */
    size_t row_count;
};

/* The statement of one SQL text of our own, to be released by sqlite3_finalize. STATUS_SYSTEM: a
 * mistake in it; STATUS_OUT_OF_MEMORY. */
bool analysis_prepare(struct analysis *analysis, const char *sql, sqlite3_stmt **statement,
                      struct error *error);

/* Runs SQL of our own that has no result. */
bool analysis_execute(struct analysis *analysis, const char *sql, struct error *error);

/* The number that a statement of one row and column answers (NaN: NULL). */
bool analysis_ask_number(struct analysis *analysis, const char *sql, double *number,
                         struct error *error);

/* Goes on to the next row of a statement's answer: *found says whether there is one. */
bool analysis_next(struct analysis *analysis, sqlite3_stmt *statement, bool *found,
                   struct error *error);

/* A column of that row, counted from 0: a number (NaN: NULL), or the row of a rowid of `rows`
 * (NULL: NULL), where it was added by analysis_add_table. */
double analysis_number(sqlite3_stmt *statement, int column);
const struct row *analysis_row(const struct analysis *analysis, sqlite3_stmt *statement,
                               int column);

/* Appends an expression over a row of `rows`: one text of its columns with any of these roles,
 * which is the same where all of them are. */
void analysis_append_key(unsigned roles, struct strbuf *sql);

/* The error that the database had last. Returns false. */
bool analysis_fail(const struct analysis *analysis, struct error *error);

#endif
