/*
 * run_long_tables — samples.csv and stages.csv into the tables of their names.
 */
#ifndef PAIRMARK_ANSWERS_TABLES_RUN_LONG_TABLES_H
#define PAIRMARK_ANSWERS_TABLES_RUN_LONG_TABLES_H

#include "answers/tables/statements.h"

#include <stdio.h>

/* Adds the records of a file to the run that was added last. Malformed lines are skipped and
 * logged. STATUS_BAD_INPUT for a file that cannot be read or lacks the column `case_id` or
 * that of the number; STATUS_OUT_OF_MEMORY. */
bool run_samples_add(struct analysis *analysis, const char *path, FILE *log, struct error *error);
bool run_stages_add(struct analysis *analysis, const char *path, FILE *log, struct error *error);

#endif
