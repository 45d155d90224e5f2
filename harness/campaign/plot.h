/*
 * plot — figures of recorded rows: .dat tables and the gnuplot scripts under scripts/plot that draw
 * them.
 *
 * One set of figures for each device, box kind, density, cutoff and outputs: time against N,
 * interacting pairs/s against N, error against time. Only rows with status ok are drawn;
 * repetitions of a case become their median; where tunables vary, a line is the fastest at each N.
 */
#ifndef PAIRMARK_CAMPAIGN_PLOT_H
#define PAIRMARK_CAMPAIGN_PLOT_H

#include "base/error.h"

#include <stdio.h>

enum plot_format { PLOT_SVG = 1, PLOT_PNG = 2 };

/* Draws DIRECTORY/rows.csv into DIRECTORY/figures, SVG and PNG. What was drawn and what was left
 * out is told to `log`, a line each. Errors: STATUS_BAD_INPUT for rows that cannot be read or hold
 * nothing to draw, STATUS_SYSTEM where gnuplot is missing (naming its package) or fails. */
bool plot_directory(const char *directory, FILE *log, struct error *error);

/* The same for the rows of several runs at once. A path is a run's folder or a rows.csv. The
 * figures go into `output`, or where that is NULL into figures/ beside the first path's rows.
 * `formats` is a union of enum plot_format. */
bool plot_paths(const char *const *paths, size_t count, const char *output, unsigned formats,
                FILE *log, struct error *error);

#endif
