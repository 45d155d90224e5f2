/*
 * plot_gnuplot — where the gnuplot scripts are, and running gnuplot.
 */
#ifndef PAIRMARK_ANSWERS_PLOT_PLOT_GNUPLOT_H
#define PAIRMARK_ANSWERS_PLOT_PLOT_GNUPLOT_H

#include "core/error.h"

/* The folder that holds lines.gp and the rest: $PAIRMARK_SHARE/plot, else ../share/pairmark/plot
 * from the program, else the source folder it was built from. Absolute. STATUS_BAD_INPUT where
 * $PAIRMARK_SHARE is set and does not hold them, STATUS_SYSTEM where none does. */
bool gnuplot_scripts(char *folder, size_t size, struct error *error);

/* Runs `gnuplot SCRIPT` in a folder. STATUS_SYSTEM where it is missing (naming the package) or
 * fails (with what it said). */
bool gnuplot_run(const char *folder, const char *script, struct error *error);

#endif
