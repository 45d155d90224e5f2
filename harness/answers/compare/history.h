/*
 * history — how the time of each case changed from commit to commit, and whether that is more than
 * noise.
 *
 * A point is a case at a commit, all runs of the commit together (compare.h, BY_COMMIT). It is
 * judged against the case's point before it, by the rules of `compare`: the intervals of all points
 * hold together. A step is a point that is slower or faster.
 */
#ifndef PAIRMARK_ANSWERS_COMPARE_HISTORY_H
#define PAIRMARK_ANSWERS_COMPARE_HISTORY_H

#include "answers/compare/compare.h"

struct history_view {
    double threshold; /* as |ratio - 1| */
    bool only_steps;  /* cases without a step are left out */
    bool csv;
    FILE *log; /* gets a line for what is skipped; may be NULL */
};

/* Appends a table per case that two commits have, and a line of counts; or CSV. STATUS_BAD_INPUT:
 * all rows are of one commit. */
bool history_write(const struct run *runs, size_t count, const struct history_view *view,
                   struct strbuf *text, struct error *error);

#endif
