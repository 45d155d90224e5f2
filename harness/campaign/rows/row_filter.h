/*
 * row_filter — the rows of a run that the words of the command line choose: the axes by which cases
 * are planned, over what was recorded.
 *
 * How rows are chosen by an axis stands in its entry (campaign/axes/axes.def): names by lists of
 * globs, an interaction by its name or all of it, a device as `pairmark devices` names it, by its
 * model or its backend; numbers by lists and ranges, a cutoff also by `none`; groups by `ratio`,
 * lists of A:B in particles, and `pairs`.
 */
#ifndef PAIRMARK_CAMPAIGN_ROWS_ROW_FILTER_H
#define PAIRMARK_CAMPAIGN_ROWS_ROW_FILTER_H

#include "campaign/plan/plan.h"
#include "campaign/rows/rows.h"

/* Drops the rows that the axes do not choose; those that are NULL choose all. STATUS_BAD_INPUT for
 * numbers that are none, and for axes that rows do not record: files, particles by their number,
 * tunables, judging. */
bool row_filter_apply(const struct axes *axes, struct row_table *table, struct error *error);

#endif
