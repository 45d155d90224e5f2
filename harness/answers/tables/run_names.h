/*
 * run_names — what runs are called where several stand beside each other.
 */
#ifndef PAIRMARK_ANSWERS_TABLES_RUN_NAMES_H
#define PAIRMARK_ANSWERS_TABLES_RUN_NAMES_H

#include <stddef.h>

enum { RUN_NAME_SIZE = 160 };

/* Names of the runs of `paths` (folders or rows.csv) that differ: those of their folders, else the
 * paths as given, else with a number. */
void name_runs(const char *const *paths, size_t count, char (*names)[RUN_NAME_SIZE]);

#endif
