/*
 * run_tables — the tables of an analysis and what fills them: the parts of analysis.c.
 */
#ifndef PAIRMARK_ANSWERS_TABLES_RUN_TABLES_H
#define PAIRMARK_ANSWERS_TABLES_RUN_TABLES_H

#include "answers/tables/statements.h"
#include "campaign/rows/rows.h"

bool run_tables_create(struct analysis *analysis, struct error *error);

/* What follows is of the run that was added last. */
bool run_tables_add_run(struct analysis *analysis, const char *name, const char *path,
                        struct error *error);

/* `table` is "rows" or "visits". A field that should be a number and is none becomes NULL, and the
 * log hears of `file` and the line. */
bool run_tables_add_rows(struct analysis *analysis, const char *table, const char *file,
                         const struct row_table *rows, FILE *log, struct error *error);

/* visits.csv, samples.csv, stages.csv and environment.json beside the rows. */
bool run_tables_add_beside(struct analysis *analysis, const char *rows_file, FILE *log,
                           struct error *error);

#endif
