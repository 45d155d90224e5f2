/*
 * rows_check — whether recorded runs can be believed: whole, of a released commit, unedited,
 * judged, with the state of the device.
 *
 * A reason is an error or a warning. A warning says what cannot be known, as of runs that are older
 * than checksums.txt, or what the reader should know, as a throttled device.
 */
#ifndef PAIRMARK_ANSWERS_CHECK_ROWS_CHECK_H
#define PAIRMARK_ANSWERS_CHECK_ROWS_CHECK_H

#include "core/error.h"

#include <stddef.h>
#include <stdio.h>

struct rows_check {
    FILE *results; /* a line per reason, and one per run that passes */
    size_t runs, failed, errors, warnings;
};

/* Checks the run of a folder, or all runs of the folders below it: those that hold rows.csv or
 * environment.json. STATUS_BAD_INPUT: no such folder, or it holds no run. */
bool rows_check(struct rows_check *check, const char *folder, struct error *error);

#endif
