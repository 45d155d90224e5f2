/*
 * checksums — checksums.txt of a run's folder: a hash of each file that was recorded, in the
 * format of xxhsum (`xxh128sum -c checksums.txt`).
 *
 * It finds what was changed or lost after the run. Who changes a file and its line is not found.
 * Summary, figures and report are made from the other files, and have no line.
 */
#ifndef PAIRMARK_CAMPAIGN_ROWS_CHECKSUMS_H
#define PAIRMARK_CAMPAIGN_ROWS_CHECKSUMS_H

#include "core/error.h"
#include "core/strings.h"

#include <stdbool.h>

#define CHECKSUMS_FILE "checksums.txt"

/* Of the files that are there. STATUS_SYSTEM, STATUS_OUT_OF_MEMORY. */
bool checksums_write(const char *folder, struct error *error);
/* A run that goes on has none until it ends. */
void checksums_remove(const char *folder);

/* Says what differs, once per reason; `file` is that of the folder. What is large and was left out
 * as a whole (samples, Google Benchmark's file, kernels) is no error. */
typedef void checksums_say(void *context, const char *file, bool is_error, const char *reason);
/* Says nothing of a folder without the file. STATUS_BAD_INPUT: it cannot be read. */
bool checksums_check(const char *folder, checksums_say *say, void *context, struct error *error);
/* The files of which it says an error: "rows.csv, visits.csv". The run that goes on with them, or
 * is merged from them, keeps their names in environment.json: its own checksums are of what it
 * found. */
bool checksums_changed(const char *folder, struct strbuf *changed, struct error *error);
#define CHANGED_FILES "changed_files" /* of environment.json */

/* Appends why the run of a path, a folder or its rows.csv, is not as it was recorded: "RUN/rows.csv
 * was changed after the run (checksums.txt:1); ..."; also of runs that it went on with or was
 * merged from. Nothing of a run without checksums that names none in environment.json: one that
 * goes on, was stopped, or is older than checksums. Whatever answers from rows says this with the
 * answer. */
bool checksums_doubt(const char *path, struct strbuf *doubts, struct error *error);

#endif
