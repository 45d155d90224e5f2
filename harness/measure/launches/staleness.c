#include "measure/launches/staleness.h"

#include "core/statistics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct staleness_limits staleness_limits_of(double launch_s, bool is_cpu) {
    const double launch = isnan(launch_s) ? 0 : launch_s;
    return is_cpu ? (struct staleness_limits){ launch + 2e-4, 2 }
                  : (struct staleness_limits){ launch, 0.1 };
}

void staleness_add(struct staleness *staleness, const double *seconds, size_t launches,
                   double over_own_s) {
    double others[STALENESS_MOST_ROUNDS];
    const size_t r = staleness->rounds;
    if (launches < 1 || launches > STALENESS_MOST_ROUNDS || r >= STALENESS_MOST_ROUNDS) {
        return;
    }
    memcpy(others, seconds + 1, (launches - 1) * sizeof *others);
    sort_numbers(others, launches - 1);
    staleness->first_s[r] = seconds[0];
    staleness->others_s[r] = quantile_of_sorted(others, launches - 1, 0.5); /* NaN of none */
    staleness->min_s[r] = launches > 1 ? fmin(seconds[0], others[0]) : seconds[0];
    staleness->over_own_s[r] = over_own_s;
    staleness->rounds++;
}

/* A quantile of the numbers that are known, at most STALENESS_MOST_ROUNDS. */
static double quantile_of(const double *numbers, size_t most, double share) {
    double sorted[STALENESS_MOST_ROUNDS];
    size_t count = 0;
    for (size_t k = 0; k < most; k++) {
        if (!isnan(numbers[k])) {
            sorted[count++] = numbers[k];
        }
    }
    sort_numbers(sorted, count);
    return count ? quantile_of_sorted(sorted, count, share) : NAN;
}

static double median_of(const double *numbers, size_t most) {
    return quantile_of(numbers, most, 0.5);
}

/* The time that a third of the launches by themselves do not exceed. A kernel that works in every
 * second launch alone could have a quick median. */
static double quick_alone(const struct staleness *staleness) {
    return quantile_of(staleness->alone_s, staleness->alone, 1.0 / 3);
}

double staleness_first(const struct staleness *staleness) {
    return median_of(staleness->first_s, staleness->rounds);
}

double staleness_others(const struct staleness *staleness) {
    return median_of(staleness->others_s, staleness->rounds);
}

double staleness_moved(const struct staleness *staleness) {
    return median_of(staleness->moved_s, staleness->moved);
}

static double own_median(const struct staleness *staleness) {
    return median_of(staleness->over_own_s, staleness->rounds);
}

static double longest_explained(double others_s, const struct staleness_limits *limits) {
    return others_s * (1 + limits->share) + limits->launch_s;
}

/* The larger of `seconds` and the median of launches by themselves over known places. */
static double known_s(const struct staleness *staleness, double seconds) {
    return staleness->unmoved > 0
               ? fmax(seconds, median_of(staleness->unmoved_s, staleness->unmoved))
               : seconds;
}

bool staleness_in_rounds(const struct staleness *staleness, const struct staleness_limits *limits) {
    bool all = staleness->rounds >= STALENESS_LEAST_ROUNDS;
    for (size_t r = 0; all && r < staleness->rounds; r++) {
        all = staleness->first_s[r] > longest_explained(staleness->others_s[r], limits);
    }
    return all && staleness_first(staleness) >
                      longest_explained(known_s(staleness, staleness_others(staleness)), limits);
}

/* How many rounds were tried, and in how many the launch looked idle. */
static size_t count_idle(const struct staleness *staleness, const struct staleness_limits *limits,
                         size_t *tried) {
    size_t idle = 0;
    *tried = 0;
    for (size_t r = 0; r < staleness->rounds; r++) {
        const double own_s = staleness->over_own_s[r] + limits->launch_s;
        *tried += isnan(own_s) ? 0 : 1;
        idle += own_s < staleness->min_s[r] / (1 + 2 * limits->share);
    }
    return idle;
}

bool staleness_over_own(const struct staleness *staleness, const struct staleness_limits *limits) {
    size_t tried;
    const size_t idle = count_idle(staleness, limits, &tried);
    return tried >= STALENESS_LEAST_ROUNDS && 2 * idle > tried;
}

bool staleness_try_own(const struct staleness *staleness, const struct staleness_limits *limits) {
    size_t tried;
    const size_t idle = count_idle(staleness, limits, &tried);
    return tried < STALENESS_MOST_OWN && (idle > 0 || tried + 1 < STALENESS_LEAST_ROUNDS);
}

bool staleness_slow_if_moved(const struct staleness *staleness, double median_s,
                             const struct staleness_limits *limits) {
    bool all = staleness->moved > 0;
    for (size_t m = 0; all && m < staleness->moved; m++) {
        all = staleness->moved_s[m] > longest_explained(median_s, limits);
    }
    return all;
}

static double least_of(const double *numbers, size_t count) {
    double least = INFINITY;
    for (size_t k = 0; k < count; k++) {
        least = fmin(least, numbers[k]);
    }
    return least;
}

/* Whether launches over moved particles are slower in most pairs and in the quickest of either
 * kind. Pairs are over the same particles and few are hit by something else, so that most show the
 * kernel alone. */
static bool slower_in_pairs(const struct staleness *staleness,
                            const struct staleness_limits *limits) {
    const double *moved_s = staleness->moved_s;
    const double *unmoved_s = staleness->unmoved_s;
    const size_t pairs =
        staleness->moved < staleness->unmoved ? staleness->moved : staleness->unmoved;
    size_t slower = 0;
    for (size_t p = 0; p < pairs; p++) {
        slower += moved_s[p] > longest_explained(unmoved_s[p], limits);
    }
    return pairs == 0 ||
           (2 * slower > pairs &&
            least_of(moved_s, pairs) > longest_explained(least_of(unmoved_s, pairs), limits));
}

bool staleness_in_moved(const struct staleness *staleness, double median_s,
                        const struct staleness_limits *limits) {
    return staleness_slow_if_moved(staleness, median_s, limits) &&
           staleness_moved(staleness) > longest_explained(known_s(staleness, median_s), limits) &&
           slower_in_pairs(staleness, limits);
}

bool staleness_is_doubtful(const struct staleness *staleness, double median_s,
                           const struct staleness_limits *limits) {
    return staleness->unmoved > 0 && staleness_slow_if_moved(staleness, median_s, limits) &&
           !staleness_in_moved(staleness, median_s, limits) &&
           !staleness_in_rounds(staleness, limits);
}

void staleness_begin_again(struct staleness *staleness) {
    staleness->rounds = 0;
}

void staleness_add_alone(struct staleness *staleness, double seconds) {
    if (staleness->alone < STALENESS_MOST_ROUNDS) {
        staleness->alone_s[staleness->alone++] = seconds;
    }
}

/* More than twice as long, which other orders and lists explain. */
static double longest_by_far(double seconds, const struct staleness_limits *limits) {
    const struct staleness_limits wide = { limits->launch_s, 2 };
    return longest_explained(seconds, &wide);
}

bool staleness_in_alone(const struct staleness *staleness, const struct staleness_limits *limits) {
    const double longest = longest_by_far(quick_alone(staleness), limits);
    return staleness->alone > 0 && staleness_moved(staleness) > longest &&
           median_of(staleness->unmoved_s, staleness->unmoved) > longest;
}

double staleness_least_others(const struct staleness *staleness) {
    double least = NAN;
    for (size_t r = 0; r < staleness->rounds; r++) {
        least = fmin(least, staleness->others_s[r]);
    }
    return least;
}

bool staleness_too_quick(double seconds, double least_s, const struct staleness_limits *limits) {
    return least_s > longest_by_far(seconds, limits);
}

/* Describes launches over moved particles, and those over the particles moved back that they were
 * compared with, if there were any. */
static void describe_moved(const struct staleness *staleness, double median_s, char *words,
                           size_t size) {
    const double moved_s = staleness_moved(staleness);
    if (staleness->unmoved > 0) {
        (void)snprintf(words, size,
                       "single launches over particles that have moved take %.3g s, over the same "
                       "particles moved back %.3g s (medians; launches in rounds: %.3g s): results "
                       "are remembered from launch to launch",
                       moved_s, median_of(staleness->unmoved_s, staleness->unmoved), median_s);
    } else {
        (void)snprintf(words, size,
                       "single launches over particles that have moved take %.3g s, launches in "
                       "rounds %.3g s (medians): results are remembered from launch to launch",
                       moved_s, median_s);
    }
}

bool staleness_describe(const struct staleness *staleness, double median_s,
                        const struct staleness_limits *limits, char *words, size_t size) {
    if (staleness_in_rounds(staleness, limits)) {
        (void)snprintf(words, size,
                       "launches that meet the particles in a new order take %.3g s, those after "
                       "them %.3g s (medians): results are remembered from launch to launch",
                       staleness_first(staleness), staleness_others(staleness));
        return true;
    }
    if (staleness_in_moved(staleness, median_s, limits)) {
        describe_moved(staleness, median_s, words, size);
        return true;
    }
    if (staleness_in_alone(staleness, limits)) {
        (void)snprintf(
            words, size,
            "single launches over particles that have moved take %.3g s, those by "
            "themselves in rounds %.3g s (median, lower third): results are remembered from launch "
            "to launch, but for some of an order or behind a move",
            staleness_moved(staleness), quick_alone(staleness));
        return true;
    }
    if (staleness_over_own(staleness, limits)) {
        (void)snprintf(words, size,
                       "launches that find their own results take %.3g s, the quickest of their "
                       "rounds %.3g s (medians): the kernel looks at outputs to see whether it "
                       "needs to work",
                       own_median(staleness), median_of(staleness->min_s, staleness->rounds));
        return true;
    }
    return false;
}
