#include "compare/moderate.h"

#include "compare/student.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Two visits never agree to better than this for sure: clocks tick, and times of a few ticks come
 * out the same by chance. */
static const double least_deviation = 5e-4;

/* Another variant is as far away as a time that is so many times as long. */
static const double other_variant = 16;

/* Of twelve variances that are the same but for two degrees of freedom, the second largest is
 * expected at 2.1 times that: this leaves room of 1.4. */
static const double share_of_second = 2.0 / 3.0;

/* A case begins to be left to itself where its variance would be exceeded with this probability. */
static const double straying = 0.05;

/* ---- special functions ---- */

/* Both by their recurrence up to where the asymptotic series (DLMF 5.11.2 and its derivative) are
 * exact to double precision. */
enum { ASYMPTOTIC_FROM = 12 };

double digamma(double x) {
    double sum = 0;
    for (; x < ASYMPTOTIC_FROM; x++) {
        sum -= 1 / x;
    }
    const double r = 1 / (x * x);
    return sum + log(x) - 0.5 / x -
           r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r * (1.0 / 240 - r / 132))));
}

double trigamma(double x) {
    double sum = 0;
    for (; x < ASYMPTOTIC_FROM; x++) {
        sum += 1 / (x * x);
    }
    const double r = 1 / (x * x);
    return sum + 1 / x + 0.5 * r +
           r / x * (1.0 / 6 - r * (1.0 / 30 - r * (1.0 / 42 - r * (1.0 / 30 - r * 5.0 / 66))));
}

double moderate_prior_freedom(double excess) {
    double low = 1e-6; /* trigamma falls from 1 / x^2 at 0 to 1 / x far out */
    double high = 1e6;
    if (!(excess > trigamma(high))) {
        return INFINITY;
    }
    for (int i = 0; i < 100; i++) {
        const double middle = sqrt(low * high);
        if (trigamma(middle) > excess) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return 2 * high;
}

double moderate_variance_of_median(size_t count) {
    /* By integration over the densities of the middle ones; see Teichroew, Ann. Math. Stat. 27
     * (1956) 410. */
    static const double known[] = { 1,        0.5,      0.448671, 0.298203, 0.286834,
                                    0.214749, 0.210447, 0.168192, 0.166101 };
    const double pi = 3.14159265358979324;
    return count <= sizeof known / sizeof known[0] ? known[count - 1]
                                                   : pi / (2 * (double)count + pi - 2.4);
}

/* ---- classes ---- */

struct class {
    size_t members[MODERATE_CLASS];
    double distances[MODERATE_CLASS];
    size_t count;
};

static double variance_of(const struct visit_spread *spread) {
    return fmax(spread->variance, least_deviation * least_deviation);
}

static double distance(const struct visit_spread *a, const struct visit_spread *b) {
    return fabs(a->log_seconds - b->log_seconds) +
           (strcmp(a->variant, b->variant) == 0 ? 0 : log(other_variant));
}

/* The nearest cases whose variance is known, itself among them. */
static void find_class(const struct visit_spread *spreads, size_t count, size_t of,
                       struct class *class) {
    class->count = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(spreads[i].freedom > 0)) {
            continue;
        }
        const double away = i == of ? -1 : distance(&spreads[of], &spreads[i]);
        size_t place = class->count;
        if (place == MODERATE_CLASS && away >= class->distances[place - 1]) {
            continue;
        }
        place -= place == MODERATE_CLASS;
        class->count += class->count < MODERATE_CLASS;
        for (; place > 0 && away < class->distances[place - 1]; place--) {
            class->members[place] = class->members[place - 1];
            class->distances[place] = class->distances[place - 1];
        }
        class->members[place] = i;
        class->distances[place] = away;
    }
}

/* The logarithm of a variance, without the bias that its freedom gives it. */
static double unbiased_log(const struct visit_spread *spread) {
    const double half = 0.5 * spread->freedom;
    return log(variance_of(spread)) - digamma(half) + log(half);
}

static double mean_log(const struct visit_spread *spreads, const struct class *class) {
    double sum = 0;
    for (size_t m = 0; m < class->count; m++) {
        sum += unbiased_log(&spreads[class->members[m]]);
    }
    return sum / (double)class->count;
}

/* What a class is to be taken for at least: the mean variance of a small one, else a share of its
 * second largest. One case that strays by itself does not count, two or more that do are a class.
 */
static double cautious_variance(const struct visit_spread *spreads, const struct class *class) {
    double sum = 0;
    double freedom = 0;
    double largest[2] = { 0, 0 };
    for (size_t m = 0; m < class->count; m++) {
        const struct visit_spread *member = &spreads[class->members[m]];
        const double variance = variance_of(member);
        sum += member->freedom * variance;
        freedom += member->freedom;
        largest[1] = fmax(largest[1], fmin(variance, largest[0]));
        largest[0] = fmax(largest[0], variance);
    }
    return class->count < MODERATE_CLASS / 2 ? sum / freedom : share_of_second * largest[1];
}

/* ---- all cases together ---- */

struct prior {
    double freedom; /* d0, at most what all cases have together */
    double all;     /* what they have together */
    double shift;   /* from the mean logarithm of a class to that of its s0^2 */
};

/* A class explains part of the scatter of its own members: with K in it, 1 / K. */
static struct prior fit_prior(const struct visit_spread *spreads, size_t count) {
    struct prior prior = { 0 };
    double excess = 0;
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        struct class class;
        if (!(spreads[i].freedom > 0)) {
            continue;
        }
        find_class(spreads, count, i, &class);
        prior.all += spreads[i].freedom;
        if (class.count < 2) {
            continue;
        }
        const double off = unbiased_log(&spreads[i]) - mean_log(spreads, &class);
        excess += off * off / (1 - 1 / (double)class.count) - trigamma(0.5 * spreads[i].freedom);
        known++;
    }
    if (known > 0) {
        const double d0 = moderate_prior_freedom(excess / (double)known);
        prior.freedom = fmin(d0, prior.all);
        prior.shift = isinf(d0) ? 0 : digamma(0.5 * d0) - log(0.5 * d0);
    }
    return prior;
}

/* How much of the prior's freedom the case takes: none where it strays far more than its class. */
static double share_of_prior(const struct visit_spread *spread, double variance,
                             double prior_freedom) {
    if (!(spread->freedom > 0) || !(prior_freedom > 0)) {
        return 1;
    }
    const double tail = fisher_tail(variance_of(spread) / variance, spread->freedom, prior_freedom);
    return fmin(1, tail / straying);
}

static struct moderated moderate_one(const struct visit_spread *spread, double variance,
                                     const struct prior *prior) {
    const double d0 = prior->freedom * share_of_prior(spread, variance, prior->freedom);
    const double freedom = d0 + spread->freedom;
    if (!(freedom > 0)) {
        return (struct moderated){ .variance = NAN };
    }
    return (struct moderated){ .variance = (d0 * variance + spread->freedom * variance_of(spread)) /
                                           freedom,
                               .freedom = fmin(freedom, prior->all) };
}

void moderate(const struct visit_spread *spreads, size_t count, struct moderated *moderated) {
    const struct prior prior = fit_prior(spreads, count);
    for (size_t i = 0; i < count; i++) {
        struct class class;
        find_class(spreads, count, i, &class);
        if (class.count == 0) {
            moderated[i] = (struct moderated){ .variance = NAN };
            continue;
        }
        const double s02 = exp(mean_log(spreads, &class) + prior.shift);
        const double variance = fmax(s02, cautious_variance(spreads, &class));
        moderated[i] = moderate_one(&spreads[i], variance, &prior);
    }
}
