/*
 * report_parts — what the parts of a report share. Private to this folder.
 */
#ifndef PAIRMARK_ANSWERS_REPORT_REPORT_PARTS_H
#define PAIRMARK_ANSWERS_REPORT_REPORT_PARTS_H

#include "answers/plot/plot.h"
#include "core/strings.h"

#include <stddef.h>
#include <stdio.h>

/* The section #figures: what plot draws of the runs, in line. Where gnuplot is missing or nothing
 * can be drawn, the section and `log` (may be NULL) say why. The runs name no folder for figures.
 * Returns how many figures there are. */
size_t report_figures(const struct plot_runs *runs, struct strbuf *html, FILE *log);

#endif
