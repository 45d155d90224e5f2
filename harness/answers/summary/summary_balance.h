/*
 * summary_balance — what an uneven ratio of two groups costs a variant: its time over its own at
 * 1:1, at the same number of pairs.
 */
#ifndef PAIRMARK_ANSWERS_SUMMARY_SUMMARY_BALANCE_H
#define PAIRMARK_ANSWERS_SUMMARY_SUMMARY_BALANCE_H

#include "answers/summary/summary_points.h"
#include "core/error.h"
#include "core/strings.h"

#include <stdbool.h>

/* A table for each setting in which two groups of 1:1 and others were measured whose products are
 * within 5 % of each other: a line a variant, with its fastest tunables and sums at each
 * ratio, the largest of each line starred. Nothing where there is none. Times are those of the
 * kernels, without building a structure. STATUS_OUT_OF_MEMORY. */
bool summary_balance(struct summary_points *points, struct strbuf *text, struct error *error);

#endif
