/*
 * rows_older — what rows of older formats left unsaid. This is the one place that knows: once a row
 * is read, it says what a row of today says.
 */
#ifndef PAIRMARK_CAMPAIGN_ROWS_ROWS_OLDER_H
#define PAIRMARK_CAMPAIGN_ROWS_ROWS_OLDER_H

#include "campaign/rows/row.h"

/* Fills in the fields of a row that was read: what a column's entry in the schema says of rows
 * without it; half the shortest edge where a case ended before its periodic box was made and its
 * cutoff was left empty; the energy of a pair where only that of an evaluation is known. */
void row_complete_older(struct row *row);

#endif
