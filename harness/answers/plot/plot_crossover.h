/*
 * plot_crossover — the crossover map: which correct variant is the fastest at each N and density,
 * as colours, with its lead over the next. Of a single box it is a band over N for each precision.
 */
#ifndef PAIRMARK_ANSWERS_PLOT_PLOT_CROSSOVER_H
#define PAIRMARK_ANSWERS_PLOT_PLOT_CROSSOVER_H

#include "answers/plot/plot_sheet.h"

/* Who wins among points of one N. */
struct plot_winner {
    const struct plot_point *point; /* NULL: nobody ran */
    double seconds;
    double lead;   /* the next variant's time over the winner's; NaN where it ran alone */
    bool is_close; /* the lead is within the noise floor, or the 5th to 95th percentiles overlap */
};

/* The fastest of a precision at n, building its structure counted when asked. */
struct plot_winner plot_winner_of(const struct plot_set *set, const char *precision, double n,
                                  bool with_build);

/* One map for each device, interaction, outputs and groups with two variants and two Ns; where some
 * variant builds a structure a second one, with the structure built at each evaluation. */
bool plot_crossovers(struct plot_sheet *sheet, struct error *error);

#endif
