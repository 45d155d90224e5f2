/*
 * summary_variants — every variant's time at every N of a setting, and its ratio to a baseline.
 */
#ifndef PAIRMARK_ANSWERS_SUMMARY_SUMMARY_VARIANTS_H
#define PAIRMARK_ANSWERS_SUMMARY_SUMMARY_VARIANTS_H

#include "answers/summary/summary_points.h"
#include "core/strings.h"

/* A line a variant, a column an N, as many N beside each other as 100 characters hold: the time of
 * its fastest tunables and sums that passed, and that time over the baseline's ("1.50x": takes
 * half as long again). `baseline` is a variant's name; NULL: the fastest at each N. Where nothing
 * passed stands the status of what failed, "not run" where there is no row, "-" for the ratio where
 * the baseline has no time. '*' is shorter than 3 launch overheads, '!': others of its tunables
 * failed. Under a variant that walks a structure, the time of building it; of what is timed with
 * transfers, the times with them follow in the same form. Nothing for one variant alone.
 * Points [first, end) are those of one setting. STATUS_OUT_OF_MEMORY. */
bool summary_variants(struct summary_points *points, size_t first, size_t end, const char *baseline,
                      struct strbuf *text, struct error *error);

#endif
