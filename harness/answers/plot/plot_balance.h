/*
 * plot_balance — time against the ratio of two groups' sizes, |A|:|B|, at a constant number of
 * pairs |A| |B|: a panel a precision, a line a variant.
 */
#ifndef PAIRMARK_ANSWERS_PLOT_PLOT_BALANCE_H
#define PAIRMARK_ANSWERS_PLOT_PLOT_BALANCE_H

#include "answers/plot/plot_sheet.h"

/* Whether the set is part of such a figure: other sets differ from it in the ratio alone. */
bool plot_balance_covers(const struct plot_data *data, const struct plot_set *set);

/* One for each setting and product, the products within 5 % of each other, for which some variant
 * has two ratios. */
bool plot_balances(struct plot_sheet *sheet, struct error *error);

#endif
