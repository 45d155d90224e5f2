/*
 * plot_sources — which run, host and device rows come from, so that two of one model are drawn
 * apart and not pooled into one line.
 */
#ifndef PAIRMARK_PLOT_PLOT_SOURCES_H
#define PAIRMARK_PLOT_PLOT_SOURCES_H

#include "analyse/run_names.h"
#include "record/rows.h"

/* The words point into the rows. */
struct plot_source {
    size_t table; /* the run, as the index of its table */
    const char *host, *device, *model, *backend;
    bool apart;                /* another source of the same model has a line of the same name */
    char label[RUN_NAME_SIZE]; /* what tells it from those; "" where it is not apart */
};

/* Zero-initialise; release with plot_sources_free. */
struct plot_sources {
    struct plot_source *items;
    size_t count;
};
void plot_sources_free(struct plot_sources *sources);

/* The source of a row, added where it is new. STATUS_OUT_OF_MEMORY. */
bool plot_sources_take(struct plot_sources *sources, size_t table, const struct row *row,
                       size_t *index, struct error *error);

/* Rows of both belong to one line: all sources of that model and backend are drawn apart. */
void plot_sources_part(struct plot_sources *sources, size_t index);

/* Labels those that are apart by no more than tells them apart: the run (row_table.label, else its
 * number), the host within a run, the device within a host. */
void plot_sources_label(struct plot_sources *sources, const struct row_table *tables);

#endif
