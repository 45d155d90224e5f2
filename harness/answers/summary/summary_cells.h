/*
 * summary_cells — the points of a setting ranked: per variant and N, its fastest point and how many
 * variants are ahead of it.
 */
#ifndef PAIRMARK_ANSWERS_SUMMARY_SUMMARY_CELLS_H
#define PAIRMARK_ANSWERS_SUMMARY_SUMMARY_CELLS_H

#include "answers/summary/summary_points.h"

/* Of one variant at one N. */
struct summary_cell {
    const struct summary_point *fastest; /* that passed; NULL: none did */
    const struct summary_point *failed;  /* that did not, rather none that is unsupported; NULL: all
                                            passed */
    size_t rank;                         /* of the fastest among those of all variants, from 1 */
};

/* Zero-initialise; release with summary_cells_free. */
struct summary_cells {
    const struct summary_point *first; /* of the part */
    const char **variants;             /* by name */
    bool *is_built;                    /* of each variant: some point of it builds a structure */
    size_t variant_count;
    double *n; /* ascending; a NaN, where N is not known, comes first */
    size_t n_count;
    struct summary_cell *cells; /* variant by variant, n_count each */
};

enum summary_time { SUMMARY_FORCE, SUMMARY_END_TO_END };

/* Ranks the points of a table that has the columns `place` (a rowid of `points`) and `part`, where
 * the part is this one. Of points that are as fast the first counts as faster.
 * STATUS_OUT_OF_MEMORY.
 */
bool summary_cells_make(struct summary_points *points, const char *table, size_t part,
                        enum summary_time time, struct summary_cells *cells, struct error *error);
void summary_cells_free(struct summary_cells *cells);

/* The cell of a variant; NULL: it has no point in this part. */
const struct summary_cell *summary_cell_of(const struct summary_cells *cells, const char *variant,
                                           size_t n);
/* The fastest point of all variants at the n-th N with this rank; NULL: there is none. */
const struct summary_point *summary_cells_ranked(const struct summary_cells *cells, size_t n,
                                                 size_t rank);
/* The place of an N; n_count: not there. */
size_t summary_cells_find(const struct summary_cells *cells, double n);

#endif
