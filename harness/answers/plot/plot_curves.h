/*
 * plot_curves — time, interacting pairs/s and energy a pair against N: a panel a precision, a line
 * a variant.
 */
#ifndef PAIRMARK_ANSWERS_PLOT_PLOT_CURVES_H
#define PAIRMARK_ANSWERS_PLOT_PLOT_CURVES_H

#include "answers/plot/plot_sheet.h"

/* The table of a set's points, which the figures of one set share: columns by the names in its
 * first line. False: memory ran out or it cannot be written. */
bool plot_write_set(const struct plot_sheet *sheet, const struct plot_set *set, const char *slug,
                    struct error *error);

/* Those of the three for which some variant has two Ns; without, there is no line to draw. */
bool plot_curves(struct plot_sheet *sheet, const struct plot_set *set, const char *slug,
                 struct error *error);

#endif
