/*
 * run_samples — samples.csv into the table of samples.
 */
#ifndef PAIRMARK_ANALYSE_RUN_SAMPLES_H
#define PAIRMARK_ANALYSE_RUN_SAMPLES_H

#include "analyse/statements.h"

#include <stdio.h>

/* Adds the samples of a file to the run that was added last. Lines that are no samples are left out
 * and told to the log. STATUS_BAD_INPUT for a file that cannot be read or lacks the columns
 * `case_id` and `seconds`; STATUS_OUT_OF_MEMORY. */
bool run_samples_add(struct analysis *analysis, const char *path, FILE *log, struct error *error);

#endif
