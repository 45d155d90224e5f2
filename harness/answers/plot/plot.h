/*
 * plot — figures of recorded rows: .dat tables and the gnuplot scripts under scripts/plot that
 * draw them.
 *
 * What the rows allow is drawn. For each device, box kind, density, cutoff and outputs: time,
 * interacting pairs/s and energy a pair against N, error against time, and the roofline. For each
 * device and outputs: the crossover map, which variant is the fastest at each N and box. For each
 * box, outputs and precision that several devices have: the variants on all of them. For groups of
 * several ratios: time against the ratio. Only rows with status ok are drawn, and no second timings
 * (`twin`); repetitions of a case become their median; where tunables vary, a line is the fastest
 * at each N. Runs (hosts, devices) of one model that have a line in common are drawn apart, each by
 * its name, and against each other as several devices are.
 */
#ifndef PAIRMARK_ANSWERS_PLOT_PLOT_H
#define PAIRMARK_ANSWERS_PLOT_PLOT_H

#include "campaign/plan/plan.h"

#include <stddef.h>
#include <stdio.h>

enum plot_format { PLOT_SVG = 1, PLOT_PNG = 2 };

enum { PLOT_CAPTION_SIZE = 400 };

/* A figure that was drawn: NAME.svg and NAME.png in the folder. */
struct plot_item {
    char kind[16]; /* crossover, crossover_built, time, pairs, devices, error, roofline, energy,
                      balance: NAME begins with it */
    char name[256];
    char
        caption[PLOT_CAPTION_SIZE]; /* the lines above it: what it shows, of which device and box */
};

/* Zero-initialise; release with plot_list_free. */
struct plot_list {
    struct plot_item *items; /* in the order in which they were drawn */
    size_t count;
};
void plot_list_free(struct plot_list *list);

/* Draws DIRECTORY/rows.csv into DIRECTORY/figures, SVG and PNG. How much was drawn and what was
 * skipped, and why, is logged, a line each. Errors: STATUS_BAD_INPUT for rows that cannot
 * be read or hold nothing to draw, STATUS_SYSTEM where gnuplot is missing (naming its package) or
 * fails. */
bool plot_directory(const char *directory, FILE *log, struct error *error);

/* The same for the rows of several runs at once. A path is a run's folder or a rows.csv; the peaks
 * of the roofline come from environment.json beside the rows. The figures go into `output`, or
 * where that is NULL into figures/ beside the first path's rows. `axes`, unless NULL, choose among
 * the rows (rows.h). `labels` are what figures call the runs where they are drawn apart;
 * NULL: the names of their folders. `formats` is a union of enum plot_format. `list`, unless NULL,
 * gets what was drawn, also where it ends in an error. */
bool plot_paths(const char *const *paths, const char *const *labels, size_t count,
                const struct axes *axes, const char *output, unsigned formats, FILE *log,
                struct plot_list *list, struct error *error);

#endif
