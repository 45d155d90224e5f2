/*
 * analysis — recorded runs as tables of an SQLite database in memory, which queries ask.
 *
 * Tables: `runs` (one row per run: its place among those given, what it is called, its path, and
 * what environment.json has), `devices` (of environment.json), `rows` and `visits` (rows.csv and
 * visits.csv: a column per column of theirs), `samples` and `stages` (samples.csv, stages.csv).
 * Every table has `run`, by which they are joined; those of the four files have `line`, where a
 * record begins. A number that is not known is NULL, and so is an empty text. docs/querying.md
 * has all columns.
 */
#ifndef PAIRMARK_ANSWERS_TABLES_ANALYSIS_H
#define PAIRMARK_ANSWERS_TABLES_ANALYSIS_H

#include "answers/tables/statements.h"
#include "campaign/rows/rows.h"

#include <stdio.h>

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

#endif
