/* Estimates the median of a time and its variance from samples by a block bootstrap, and decides
 * whether two times differ. */
#include "answers/compare/compare.h"

#include "boxes/random.h"
#include "core/statistics.h"
#include "measure/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Blocks are longer than the batches that the sampler enqueues before it waits. */
static const double batch_s = 0.02;
enum { MAX_IN_A_BATCH = 32, MIN_BLOCKS = 5 };

size_t bootstrap_block(double median_s, size_t count) {
    double block = median_s > 0 ? floor(batch_s / median_s) : 1;
    block = fmin(block, MAX_IN_A_BATCH);
    block = fmax(block, ceil(cbrt((double)count)));
    block = fmin(block, floor((double)count / MIN_BLOCKS));
    return block > 1 ? (size_t)block : 1;
}

/* Samples, sorted. A draw counts how often it took each place, so that its median needs no sorting.
 */
struct ranked {
    double *sorted;
    uint32_t *rank;   /* of the i-th sample as taken */
    uint32_t *counts; /* how often each place was drawn */
    size_t count;
};

struct placed {
    double seconds;
    size_t index;
};

static int compare_placed(const void *a, const void *b) {
    const struct placed *left = a;
    const struct placed *right = b;
    if (left->seconds != right->seconds) {
        return left->seconds < right->seconds ? -1 : 1;
    }
    return (left->index > right->index) - (left->index < right->index);
}

static void ranked_free(struct ranked *ranked) {
    free(ranked->sorted);
    free(ranked->rank);
    free(ranked->counts);
    *ranked = (struct ranked){ 0 };
}

static void ranked_make(const double *seconds, size_t count, struct ranked *ranked) {
    struct placed *placed = memory_zeroed(count, sizeof *placed);
    *ranked = (struct ranked){ .sorted = memory_zeroed(count, sizeof *ranked->sorted),
                               .rank = memory_zeroed(count, sizeof *ranked->rank),
                               .counts = memory_zeroed(count, sizeof *ranked->counts),
                               .count = count };
    for (size_t i = 0; i < count; i++) {
        placed[i] = (struct placed){ seconds[i], i };
    }
    qsort(placed, count, sizeof *placed, compare_placed);
    for (size_t i = 0; i < count; i++) {
        ranked->sorted[i] = placed[i].seconds;
        ranked->rank[placed[i].index] = (uint32_t)i;
    }
    free(placed);
}

/* The drawn value that has `below` others below it. A further call, with a larger `below`, goes on
 * from *place and *passed. */
static double drawn_at(const struct ranked *ranked, size_t below, size_t *place, size_t *passed) {
    while (*passed + ranked->counts[*place] <= below) {
        *passed += ranked->counts[(*place)++];
    }
    return ranked->sorted[*place];
}

/* The median of one draw: `count` samples, taken in blocks of neighbours that wrap around the end.
 */
static double draw_median(struct ranked *ranked, size_t block, struct random *random) {
    const size_t count = ranked->count;
    memset(ranked->counts, 0, count * sizeof *ranked->counts);
    for (size_t drawn = 0; drawn < count; drawn += block) {
        const size_t length = count - drawn < block ? count - drawn : block;
        size_t at = (size_t)(random_unit(random) * (double)count);
        for (size_t i = 0; i < length; i++) {
            ranked->counts[ranked->rank[at]]++;
            at = at + 1 < count ? at + 1 : 0;
        }
    }
    size_t place = 0;
    size_t passed = 0;
    const double low = drawn_at(ranked, (count - 1) / 2, &place, &passed);
    return 0.5 * (low + drawn_at(ranked, count / 2, &place, &passed));
}

struct log_median log_median_of_samples(const double *seconds, size_t count) {
    struct ranked ranked;
    ranked_make(seconds, count, &ranked);
    const double middle = quantile_of_sorted(ranked.sorted, count, 0.5);
    struct log_median median = { .value = log(middle), .variance = INFINITY };
    if (count >= FEWEST_SAMPLES) {
        const size_t block = bootstrap_block(middle, count);
        const double blocks = (double)count / (double)block;
        struct random random = random_from_seed(BOOTSTRAP_SEED);
        double sum = 0;
        double sum_of_squares = 0;
        for (int draw = 0; draw < BOOTSTRAP_DRAWS; draw++) {
            const double shift = log(draw_median(&ranked, block, &random) / middle);
            sum += shift;
            sum_of_squares += shift * shift;
        }
        const double mean = sum / BOOTSTRAP_DRAWS;
        const double spread = fmax(sum_of_squares / BOOTSTRAP_DRAWS - mean * mean, 0);
        /* The variance over B blocks is too small by the factor (B - 1) / B. */
        median.variance = spread * blocks / (blocks - 1);
        median.freedom = blocks - 1;
    }
    ranked_free(&ranked);
    return median;
}

struct log_median log_median_of_row(double median_s, double mad_s, size_t count) {
    struct log_median median = { .value = log(median_s), .variance = INFINITY };
    if (count >= FEWEST_SAMPLES && mad_s >= 0) {
        const size_t blocks = count / bootstrap_block(median_s, count);
        const double relative = relative_error_of_median(median_s, mad_s, blocks);
        median.variance = relative * relative;
        median.freedom = (double)blocks - 1;
    }
    return median;
}

/* Satterthwaite's degrees of freedom of a sum of variances, (sum v)^2 / sum (v^2 / freedom), term
 * by term. */
struct combined {
    double variance, over_freedom;
};

static void combine(struct combined *sum, double variance, double freedom) {
    sum->variance += variance;
    if (variance > 0) {
        sum->over_freedom += freedom > 0 ? variance * variance / freedom : INFINITY;
    }
}

static double combined_freedom(const struct combined *sum) {
    if (!isfinite(sum->variance) || isinf(sum->over_freedom)) {
        return 0;
    }
    return sum->over_freedom > 0 ? sum->variance * sum->variance / sum->over_freedom : 1e6;
}

struct log_median log_median_pool(const struct log_median *repetitions, size_t count) {
    const double r = (double)count;
    struct combined sum = { 0 };
    double mean = 0;
    double squares = 0;
    if (count == 1) {
        return repetitions[0];
    }
    for (size_t i = 0; i < count; i++) {
        mean += repetitions[i].value / r;
        combine(&sum, repetitions[i].variance / (r * r), repetitions[i].freedom);
    }
    for (size_t i = 0; i < count; i++) {
        squares += (repetitions[i].value - mean) * (repetitions[i].value - mean);
    }
    const double between = squares / (r - 1) / r;
    if (!isfinite(sum.variance)) { /* too few samples: the repetitions are all there is */
        return (struct log_median){ mean, between, r - 1 };
    }
    if (between > sum.variance) {
        combine(&sum, between - sum.variance, r - 1);
    }
    return (struct log_median){ mean, sum.variance, combined_freedom(&sum) };
}

struct log_median log_median_between(const struct log_median *a, const struct log_median *b) {
    struct combined sum = { 0 };
    combine(&sum, a->variance, a->freedom);
    combine(&sum, b->variance, b->freedom);
    return (struct log_median){ b->value - a->value, sum.variance, combined_freedom(&sum) };
}

double log_median_half_width(const struct log_median *median, double risk) {
    return median->freedom > 0
               ? student_quantile(0.5 * risk, median->freedom) * sqrt(median->variance)
               : INFINITY;
}

/* ---- the verdict ---- */

const double verdict_most_floor = 0.10;
const double verdict_own_risk = 0.10;

const char *change_name(enum change change) {
    static const char *const names[CHANGES] = {
        [CHANGE_NEWLY_WRONG] = "newly wrong",
        [CHANGE_NEWLY_OK] = "newly ok",
        [CHANGE_SLOWER] = "slower",
        [CHANGE_FASTER] = "faster",
        [CHANGE_UNCLEAR] = "unclear",
        [CHANGE_SAME] = "same",
        [CHANGE_UNTIMED] = "untimed",
        [CHANGE_UNSUPPORTED] = "unsupported",
        [CHANGE_BOTH_FAIL] = "failed in both",
        [CHANGE_ONLY_BASELINE] = "only in baseline",
        [CHANGE_ONLY_OTHER] = "only in other",
    };
    return names[change];
}

struct difference difference_of(const struct log_median *between, double risk, double floor,
                                double threshold) {
    const double shift = between->value;
    const double half_width = log_median_half_width(between, risk);
    const double own_half_width = log_median_half_width(between, verdict_own_risk);
    return (struct difference){ .ratio = exp(shift),
                                .low = exp(shift - half_width),
                                .high = exp(shift + half_width),
                                .own_low = exp(shift - own_half_width),
                                .own_high = exp(shift + own_half_width),
                                .floor = floor,
                                .within = fmax(floor, threshold) };
}

/* Which side is faster, by times; with a clock ratio, by clock cycles. */
static enum change direction_of(const struct difference *difference, double clock_ratio) {
    const double most = 1 + difference->within;
    const double ratio = clock_ratio * difference->ratio;
    if (clock_ratio * difference->low > 1 && ratio > most) {
        return CHANGE_SLOWER;
    }
    return clock_ratio * difference->high < 1 && ratio < 1 / most ? CHANGE_FASTER : CHANGE_UNCLEAR;
}

bool difference_is_of_clocks(const struct difference *difference) {
    const enum change of_times = direction_of(difference, 1);
    return of_times != CHANGE_UNCLEAR && difference->clock_ratio > 0 &&
           direction_of(difference, difference->clock_ratio) != of_times;
}

enum change difference_verdict(const struct difference *difference) {
    const double most = 1 + difference->within;
    const enum change of_times = direction_of(difference, 1);
    if (of_times != CHANGE_UNCLEAR) {
        return difference_is_of_clocks(difference) ? CHANGE_UNCLEAR : of_times;
    }
    const bool within = difference->own_low >= 1 / most && difference->own_high <= most;
    return within && difference->floor <= verdict_most_floor ? CHANGE_SAME : CHANGE_UNCLEAR;
}
