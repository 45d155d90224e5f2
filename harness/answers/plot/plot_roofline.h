/*
 * plot_roofline — operations per second against operations per byte, under the roofs that were
 * measured on the device: a panel a precision, a dot a case.
 *
 * Operations are those that counted_percent_of_peak has: a documented number for each distance
 * computed and each pair function applied. Bytes are the least that any variant has to move: of
 * each particle that takes part, position and charge read once, and the force written once. A
 * variant that reads its positions again and again stands further to the left in truth; the figure
 * says how far it could be from being bound by memory, not what its traffic is.
 */
#ifndef PAIRMARK_ANSWERS_PLOT_PLOT_ROOFLINE_H
#define PAIRMARK_ANSWERS_PLOT_PLOT_ROOFLINE_H

#include "answers/plot/plot_peaks.h"
#include "answers/plot/plot_sheet.h"

/* The least traffic of one particle, in bytes: four numbers of the arithmetic's type read, three of
 * the accumulation's written. NaN for a precision that is not ours. */
double plot_least_bytes(const char *precision);

/* Left out, with a sentence to the log, where the peaks of the device are not known. */
bool plot_roofline(struct plot_sheet *sheet, const struct plot_set *set,
                   const struct plot_peaks *peaks, const char *slug, struct error *error);

#endif
