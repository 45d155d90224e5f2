/*
 * row_choice — the rows of a run that the words of the command line choose: the axes by which cases
 * are planned, over what was recorded.
 *
 * Names are lists of globs: workload, variant, structure, precision, outputs, kind, reduction (tree
 * where a row has none), interaction (its name, or all of it), device (as `pairmark devices` names
 * it, its model or its backend). Numbers are lists and ranges: n, density, seed, cutoff (or
 * `none`). Groups: `ratio`, lists of A:B in particles, and `pairs`.
 */
#ifndef PAIRMARK_RECORD_ROW_CHOICE_H
#define PAIRMARK_RECORD_ROW_CHOICE_H

#include "plan/plan.h"
#include "record/rows.h"

/* Drops the rows that the axes do not choose; those that are NULL choose all. STATUS_BAD_INPUT for
 * numbers that are none, and for axes that rows do not record: files, particles by their number,
 * tunables. */
bool row_choice_apply(const struct axes *axes, struct row_table *table, struct error *error);

#endif
