/*
 * summary_notes — how far the times of a run can be trusted: its noise floor, kernels too short,
 * clocks throttled, processors taken by others.
 */
#ifndef PAIRMARK_ANSWERS_SUMMARY_SUMMARY_NOTES_H
#define PAIRMARK_ANSWERS_SUMMARY_SUMMARY_NOTES_H

#include "campaign/rows/rows.h"
#include "core/error.h"
#include "core/strings.h"

#include <stdbool.h>

/* Appends a line for each thing that is to be said; nothing where there is nothing. Load by others
 * is noted beyond machine_load_bound. STATUS_OUT_OF_MEMORY. */
bool summary_notes(const struct row_table *table, struct strbuf *text, struct error *error);

#endif
