/*
 * column_lists — a list of entries per column of particles, transposed in groups of 32 columns,
 * with as many places per list: what list_columns has one of and list_clusters two.
 */
#ifndef PAIRMARK_STRUCTURES_LISTS_LIST_COLUMNS_H
#define PAIRMARK_STRUCTURES_LISTS_LIST_COLUMNS_H

#include "kernels/offers.h"
#include "structures/builder.h"

struct column_lists {
    struct device *device;
    size_t columns;
    size_t capacity;        /* places of a column's list */
    struct buffer *length;  /* an int per column: what its list counted, also beyond its places */
    struct buffer *entries; /* an int per place */
};

/* How many columns a structure has, by its tunable PARTICLES. STATUS_UNSUPPORTED for more particles
 * than entries can number. */
bool column_lists_count(const struct structure_input *input, size_t *columns, struct error *error);

/* The mean length of a list where each particle has so many neighbours: the union of several
 * particles' neighbours, of two about four thirds of one's. */
double column_lists_mean(double neighbours, int particles);

/* Lists with at least so many places each. *lists is zero at first. */
bool column_lists_create(struct device *device, size_t columns, size_t places,
                         struct column_lists *lists, struct error *error);
void column_lists_free(struct column_lists *lists); /* also of zero, or of one half made */

/* column_length, columns, list_capacity: of a struct column_lists. */
extern const struct offer column_lists_offers[];

/* Makes room for what the lists counted; what they held is lost then. */
bool column_lists_grow(struct column_lists *lists, struct error *error);

#endif
