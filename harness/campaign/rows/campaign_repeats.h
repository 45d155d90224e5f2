/*
 * campaign_repeats — a run measures its own noise: a few cases are timed twice, under two names,
 * and how far the two times differ is what a difference between two cases has to exceed.
 *
 * A repeat is another entry of the campaign with the same case: it takes a place of its own in the
 * shuffled order, is prepared, gated and sampled anew, and has a row whose column `twin` is 1,
 * whose case_name ends in REPEAT_SUFFIX and whose case_id is another. Repeats are no results:
 * whatever ranks, draws or compares times leaves them out (row_is_repeat).
 */
#ifndef PAIRMARK_CAMPAIGN_ROWS_CAMPAIGN_REPEATS_H
#define PAIRMARK_CAMPAIGN_ROWS_CAMPAIGN_REPEATS_H

#include "campaign/rows/rows.h"
#include "core/cache.h"

#define REPEAT_SUFFIX "/again"

enum { DEFAULT_REPEATS = 8 };

/* How many of `cases` get a repeat: one in four, at least one, at most `most`. */
size_t repeats_wanted(size_t cases, size_t most);

/* Which ones: the places of `wanted` of `cases` in an order of all cases that puts what is alike
 * together. One place in each of as many equal spans, and within the spans at places that differ
 * from span to span (steps of the golden ratio), so that variants and sizes both vary. Ascending,
 * each once; wanted <= cases. */
void repeats_choose(size_t cases, size_t wanted, size_t *places);

/* The case_id of a repeat. */
void repeat_id(const char *case_id, char text[HASH_TEXT_SIZE]);

/* What differences mean nothing. */
struct noise_floor {
    double ratio_spread; /* of two times of one case |ratio - 1| is at most this, with 95 %
                            confidence in 99 % of cases: ratio_spread_of(); NaN: not known */
    size_t pairs;        /* of rows that it was computed from */
};

/* From the rows of a folder: every repeat that passed, with the row of its case that has the same
 * device and repetition and passed, too. STATUS_OUT_OF_MEMORY. */
bool noise_floor_find(const struct row_table *table, struct noise_floor *floor,
                      struct error *error);

#endif
