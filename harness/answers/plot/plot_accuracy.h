/*
 * plot_accuracy — time against error at one N: a point a variant and precision, with those marked
 * that no other beats in both (the Pareto front).
 */
#ifndef PAIRMARK_ANSWERS_PLOT_PLOT_ACCURACY_H
#define PAIRMARK_ANSWERS_PLOT_PLOT_ACCURACY_H

#include "answers/plot/plot_sheet.h"

/* Whether no other point of the same N is faster with an error at most 10 % larger, or as fast and
 * more accurate. */
bool plot_on_front(const struct plot_set *set, const struct plot_point *point);

/* At the N that most variants and precisions have in common; left out where no N has two points. */
bool plot_accuracy(struct plot_sheet *sheet, const struct plot_set *set, const char *slug,
                   struct error *error);

#endif
