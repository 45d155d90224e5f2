/*
 * visits — several timings of a case within a run, and the one row that they come to.
 *
 * Samples of one timing are alike in what they share: where the memory came to lie, which process
 * holds the device, at what moment of the run it was. So a run times every case several times, in
 * as many sweeps over all cases, each sweep in another order and in a worker process of its own;
 * each visit prepares, gates and samples the case anew. How far visits differ is what a comparison
 * of two runs goes by (core/statistics.h).
 *
 * visits.csv keeps each visit as it ends, as a row with the columns of rows.csv whose `visits` is 1
 * (the k-th row of a case, device and repetition is its k-th visit); the row of rows.csv is made of
 * them when the last one has ended. A run that is stopped loses nothing but the visit it was on.
 */
#ifndef PAIRMARK_CAMPAIGN_VISITS_H
#define PAIRMARK_CAMPAIGN_VISITS_H

#include "campaign/rows/rows.h"
#include "core/statistics.h"
#include "kernels/results.h"

/* Cases that are hard to know get up to eight times as many visits as the others, as long as those
 * beyond the first have taken less than twice as long as these. */
enum { DEFAULT_VISITS = 3, MORE_VISITS = 8, MAX_VISITS = 99 };
bool visits_have_spent(double first_s, double more_s);

/* How to sample in visit 0, 1, ... of `visits`, so that all together cost what `whole` does and
 * know the time as well: counts and times are divided by the number of visits, and the noise to
 * stop at is multiplied by its root. Only visit 0 passes the whole gate, launches with a flushed
 * cache and times stages. A visit that did not pass is the last one. */
struct sampling visits_share(const struct sampling *whole, size_t visits, size_t visit);

/* The visits of a repetition of a case so far, in their order. Begins zeroed. */
struct visits {
    struct row *rows;
    size_t count;
};

/* Takes the row over. */
void visits_add(struct visits *visits, struct row *row);
void visits_free(struct visits *visits);

/* Whether there are as many visits as there are to be, or the last one did not pass. A visit costs
 * some ten launches besides its samples, so where these are long there are fewer than `most`: two
 * where a launch takes more than a twentieth of time_cap_s, one where it takes more than a quarter.
 */
bool visits_are_done(const struct visits *visits, size_t most, double time_cap_s);

/* The row of all of them, of which there is at least one; the caller frees it. columns.def says how
 * each column is joined: medians of times, sums of counts, the largest error, rates of the median
 * time. `visits` is their number, `visit_s_sd` the standard deviation of their medians. If the last
 * visit did not pass, the row is the last visit's. */
void visits_join(const struct visits *visits, struct row *row);

/* What a joined row says of how its visits differ, as `moderate` takes it. False where the row did
 * not pass, is of a format or a run without visits, or does not say what they took. */
bool visits_spread(const struct row *row, struct visit_spread *spread);

/* How cases differ between their visits, all of one device together: what each is expected to
 * (moderate() in core/statistics.h). */
struct noise_pool {
    struct visit_spread *spreads;
    struct moderated *moderated; /* by noise_pool_moderate() */
    size_t *owner;               /* whose each is, as the caller numbers them */
    size_t count;
};
struct noise_pool noise_pool_make(size_t most);
void noise_pool_moderate(struct noise_pool *pool);
void noise_pool_free(struct noise_pool *pool);

/* The time of a joined row by its visits: their mean where there are more than three, else their
 * median. And the variance of that time, of visits of variance 1. count >= 1. */
double visits_seconds(const struct row *row);
double visits_variance(size_t count);

/* Whether `count` visits, four at least, suffice to find the case in another run just like this one
 * the same within `within` (as |ratio - 1|), 19 times in 20: by the test of
 * answers/compare/compare.h, with the noise that `visit` has of one visit. */
bool visits_suffice(const struct moderated *visit, size_t count, double within);

#endif
