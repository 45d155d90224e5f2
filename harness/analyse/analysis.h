/*
 * analysis — recorded runs as tables of an SQLite database in memory, which queries ask.
 *
 * Tables: `runs` (one row per run: its place among those given, what it is called, its path, and
 * what environment.json tells), `devices` (of environment.json), `rows` and `visits` (rows.csv and
 * visits.csv: a column per column of theirs), `samples` (samples.csv). Every table has `run`, by
 * which they are joined; `rows`, `visits` and `samples` have `line`, where a record begins in its
 * file. A number that is not known is NULL, and so is an empty text. docs/querying.md tells all
 * columns.
 */
#ifndef PAIRMARK_ANALYSE_ANALYSIS_H
#define PAIRMARK_ANALYSE_ANALYSIS_H

#include "record/rows.h"

#include <sqlite3.h>
#include <stdio.h>

struct analysis {
    sqlite3 *database;
    sqlite3_int64 runs;        /* how many were added */
    const struct row **row_of; /* of each rowid of `rows`, where they are in memory */
    size_t row_count;
};

/* Empty tables, and the functions of sql_functions.h. STATUS_OUT_OF_MEMORY. */
bool analysis_open(struct analysis *analysis, struct error *error);
void analysis_close(struct analysis *analysis);

/* Adds the run of a path, a folder or its rows.csv, called `name`. Of the files beside the rows,
 * those that are there. `log` (may be NULL) hears of what is left out, a line each.
 * STATUS_BAD_INPUT when there are no rows to read; what is wrong with the other files is a warning.
 */
bool analysis_add_run(struct analysis *analysis, const char *path, const char *name, FILE *log,
                      struct error *error);

/* Adds rows that are in memory, as one run, without the files beside them. They must outlive the
 * analysis, to which no run is added otherwise. */
bool analysis_add_table(struct analysis *analysis, const struct row_table *rows,
                        struct error *error);

/* The statement of one SQL text of our own, to be released by sqlite3_finalize. STATUS_SYSTEM: a
 * mistake in it; STATUS_OUT_OF_MEMORY. */
bool analysis_prepare(struct analysis *analysis, const char *sql, sqlite3_stmt **statement,
                      struct error *error);

/* Runs SQL of our own that has no result. */
bool analysis_execute(struct analysis *analysis, const char *sql, struct error *error);

/* Goes on to the next row of a statement's answer: *found says whether there is one. */
bool analysis_next(struct analysis *analysis, sqlite3_stmt *statement, bool *found,
                   struct error *error);

/* A column of that row, counted from 0: a number (NaN: NULL), or the row of a rowid of `rows`
 * (NULL: NULL), where it was added by analysis_add_table. */
double analysis_number(sqlite3_stmt *statement, int column);
const struct row *analysis_row(const struct analysis *analysis, sqlite3_stmt *statement,
                               int column);

/* The error that the database had last. Returns false. */
bool analysis_fail(const struct analysis *analysis, struct error *error);

#endif
