#include "core/statistics.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- order statistics ---- */

static int compare_numbers(const void *left, const void *right) {
    const double a = *(const double *)left;
    const double b = *(const double *)right;
    return (a > b) - (a < b);
}

void sort_numbers(double *values, size_t count) {
    qsort(values, count, sizeof *values, compare_numbers);
}

static int compare_ints(const void *left, const void *right) {
    const int32_t a = *(const int32_t *)left;
    const int32_t b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

void sort_ints(int32_t *values, size_t count) {
    qsort(values, count, sizeof *values, compare_ints);
}

double quantile_of_sorted(const double *sorted, size_t count, double fraction) {
    if (count == 0) {
        return NAN;
    }
    const double place = fraction * (double)(count - 1);
    const size_t below = (size_t)place;
    if (below + 1 >= count) {
        return sorted[count - 1];
    }
    return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

double mad_of_sorted(const double *sorted, size_t count, double median, double *scratch) {
    for (size_t i = 0; i < count; i++) {
        scratch[i] = fabs(sorted[i] - median);
    }
    sort_numbers(scratch, count);
    return quantile_of_sorted(scratch, count, 0.5);
}

double relative_error_of_median(double median, double mad, size_t count) {
    if (count < 2 || !(median > 0)) {
        return INFINITY;
    }
    return 1.2533 * 1.4826 * mad / (sqrt((double)count) * median);
}

/* The chance that chi-square with `freedom` degrees is at most x: the series of the lower
 * incomplete gamma function, which converges fast where it is used, x not far above freedom. */
static double chi_square_below(double x, double freedom) {
    const double a = 0.5 * freedom;
    const double z = 0.5 * x;
    double term = 1;
    double sum = 1;
    for (int n = 1; term > 1e-15 * sum; n++) {
        term *= z / (a + n);
        sum += term;
    }
    return exp(a * log(z) - z - lgamma(a + 1)) * sum;
}

/* Found by halving: the 5 % quantile lies below the mean, which is `freedom`. */
static double chi_square_5_percent(double freedom) {
    double low = 0;
    double high = freedom;
    for (int i = 0; i < 100; i++) {
        const double middle = 0.5 * (low + high);
        *(chi_square_below(middle, freedom) < 0.05 ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

double ratio_spread_of(const double *log_ratios, size_t count) {
    static const double normal_995 = 2.5758293035489004;
    double squares = 0;
    double largest = 0;
    if (count == 0) {
        return NAN;
    }
    for (size_t i = 0; i < count; i++) {
        squares += log_ratios[i] * log_ratios[i];
        largest = fmax(largest, fabs(log_ratios[i]));
    }
    /* sqrt(squares / count) * sqrt(count / chi-square): the count goes away. */
    const double bound = normal_995 * sqrt(squares / chi_square_5_percent((double)count));
    return expm1(fmax(bound, largest));
}

/* ---- Student's t and Fisher's F ---- */

/* The continued fraction of the incomplete beta function, DLMF 8.17.22, by Lentz's method. */
static double beta_fraction(double a, double b, double x) {
    const double tiny = 1e-300;
    double c = 1;
    double d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double fraction = d;
    for (int m = 1; m < 500; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        for (int half = 0; half < 2; half++) {
            const double term = half == 0 ? even : odd;
            d = 1 + term * d;
            c = 1 + term / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            fraction *= c * d;
        }
        if (fabs(c * d - 1) < 1e-15) {
            break;
        }
    }
    return fraction;
}

/* The regularised incomplete beta function; the symmetry is used where the fraction is slow. */
static double beta_incomplete(double a, double b, double x) {
    const double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2)) {
        return front * beta_fraction(a, b, x) / a;
    }
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* P(T > t) for t > 0: half of I_x(freedom / 2, 1 / 2) at x = freedom / (freedom + t^2). */
static double upper_tail(double t, double freedom) {
    return 0.5 * beta_incomplete(0.5 * freedom, 0.5, freedom / (freedom + t * t));
}

double student_quantile(double tail, double freedom) {
    double low = 0;
    double high = 1;
    if (!(freedom > 0)) {
        return INFINITY;
    }
    if (!(tail < 0.5)) {
        return 0;
    }
    while (upper_tail(high, freedom) > tail) {
        low = high;
        high *= 2;
        if (!(high < 1e30)) {
            return INFINITY;
        }
    }
    for (int i = 0; i < 100 && high - low > 1e-12 * high; i++) {
        const double middle = 0.5 * (low + high);
        if (upper_tail(middle, freedom) > tail) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return 0.5 * (low + high);
}

double fisher_tail(double value, double numerator, double denominator) {
    if (!(value > 0)) {
        return 1;
    }
    return beta_incomplete(0.5 * denominator, 0.5 * numerator,
                           denominator / (denominator + numerator * value));
}

/* ---- visits, moderated ---- */

/* Two visits never agree to better than this for sure: clocks tick, and times of a few ticks come
 * out the same by chance. */
static const double min_deviation = 5e-4;

/* Another variant is as far away as a time that is so many times as long. */
static const double other_variant = 16;

/* The second largest of twelve equal variances with two degrees of freedom is expected at 2.1 times
 * their mean: this leaves room of 1.4. */
static const double share_of_second = 2.0 / 3.0;

/* A case begins to be left to itself where its variance would be exceeded with this probability. */
static const double straying = 0.05;

/* Relative scatter of samples below this is a clock's tick, and fewer cases show no trend. */
static const double min_scatter = 1e-4;
enum { TREND_CASES = 8 };

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

/* ---- what samples say ---- */

/* What the samples within its visits lead one to expect of a case's variance, against others'. */
struct trend {
    double slope;    /* of the logarithm of the variance over that of the scatter, 0 to 2 */
    double mean_log; /* of the scatter */
};

/* The cases of one run and device. Variances are compared as they are over their trend. */
struct cases {
    const struct visit_spread *spreads;
    size_t count;
    struct trend trend;
};

static bool is_known(const struct visit_spread *spread) {
    return spread->freedom > 0;
}

static double own_variance(const struct visit_spread *spread) {
    return fmax(spread->variance, min_deviation * min_deviation);
}

/* The logarithm of a variance, without the bias that its freedom gives it. */
static double unbiased_log(const struct visit_spread *spread) {
    const double half = 0.5 * spread->freedom;
    return log(own_variance(spread)) - digamma(half) + log(half);
}

/* Scatter below a tick of the clock predicts nothing. */
static double log_scatter(const struct visit_spread *spread) {
    return log(fmax(spread->scatter, min_scatter));
}

/* A line through the logarithms, by least squares. Samples that scatter more do not stray less, nor
 * by more than in proportion. */
static struct trend fit_trend(const struct visit_spread *spreads, size_t count) {
    struct trend trend = { 0 };
    double mean_variance = 0, products = 0, squares = 0;
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_known(&spreads[i]) && !isnan(spreads[i].scatter)) {
            known++;
            trend.mean_log += (log_scatter(&spreads[i]) - trend.mean_log) / (double)known;
            mean_variance += (unbiased_log(&spreads[i]) - mean_variance) / (double)known;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (is_known(&spreads[i]) && !isnan(spreads[i].scatter)) {
            const double off = log_scatter(&spreads[i]) - trend.mean_log;
            products += off * (unbiased_log(&spreads[i]) - mean_variance);
            squares += off * off;
        }
    }
    if (known >= TREND_CASES && squares > 0) {
        trend.slope = fmin(fmax(products / squares, 0), 2);
    }
    return trend;
}

static double log_of_trend(const struct cases *cases, size_t index) {
    const struct visit_spread *spread = &cases->spreads[index];
    return isnan(spread->scatter) || !(cases->trend.slope > 0)
               ? 0
               : cases->trend.slope * (log_scatter(spread) - cases->trend.mean_log);
}

/* A case's variance over its trend, and its logarithm. */
static double variance_of(const struct cases *cases, size_t index) {
    return own_variance(&cases->spreads[index]) * exp(-log_of_trend(cases, index));
}

static double log_of(const struct cases *cases, size_t index) {
    return unbiased_log(&cases->spreads[index]) - log_of_trend(cases, index);
}

/* ---- classes ---- */

struct class {
    size_t members[MODERATE_CLASS];
    double distances[MODERATE_CLASS];
    size_t count;
};

static double distance(const struct visit_spread *a, const struct visit_spread *b) {
    return fabs(a->log_seconds - b->log_seconds) +
           (strcmp(a->variant, b->variant) == 0 ? 0 : log(other_variant));
}

/* The nearest cases whose variance is known, itself among them. */
static void find_class(const struct cases *cases, size_t index, struct class *class) {
    class->count = 0;
    for (size_t i = 0; i < cases->count; i++) {
        if (!is_known(&cases->spreads[i])) {
            continue;
        }
        const double away = i == index ? -1 : distance(&cases->spreads[index], &cases->spreads[i]);
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

static double mean_log(const struct cases *cases, const struct class *class) {
    double sum = 0;
    for (size_t m = 0; m < class->count; m++) {
        sum += log_of(cases, class->members[m]);
    }
    return sum / (double)class->count;
}

/* What a class is to be taken for at least: the mean variance of a small one, else a share of its
 * second largest. One case that strays by itself does not count, two or more that do are a class.
 */
static double cautious_variance(const struct cases *cases, const struct class *class) {
    double sum = 0;
    double freedom = 0;
    double largest[2] = { 0, 0 };
    for (size_t m = 0; m < class->count; m++) {
        const double variance = variance_of(cases, class->members[m]);
        const double own_freedom = cases->spreads[class->members[m]].freedom;
        sum += own_freedom * variance;
        freedom += own_freedom;
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
static struct prior fit_prior(const struct cases *cases) {
    struct prior prior = { 0 };
    double excess = 0;
    size_t known = 0;
    for (size_t i = 0; i < cases->count; i++) {
        const double freedom = cases->spreads[i].freedom;
        struct class class;
        if (!is_known(&cases->spreads[i])) {
            continue;
        }
        find_class(cases, i, &class);
        prior.all += freedom;
        if (class.count < 2) {
            continue;
        }
        const double off = log_of(cases, i) - mean_log(cases, &class);
        excess += off * off / (1 - 1 / (double)class.count) - trigamma(0.5 * freedom);
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
    if (!is_known(spread) || !(prior_freedom > 0)) {
        return 1;
    }
    const double tail =
        fisher_tail(own_variance(spread) / variance, spread->freedom, prior_freedom);
    return fmin(1, tail / straying);
}

static struct moderated moderate_one(const struct visit_spread *spread, double variance,
                                     const struct prior *prior) {
    const double d0 = prior->freedom * share_of_prior(spread, variance, prior->freedom);
    const double freedom = d0 + spread->freedom;
    if (!(freedom > 0)) {
        return (struct moderated){ .variance = NAN };
    }
    return (struct moderated){
        .variance = (d0 * variance + spread->freedom * own_variance(spread)) / freedom,
        .freedom = fmin(freedom, prior->all)
    };
}

void moderate(const struct visit_spread *spreads, size_t count, struct moderated *moderated) {
    const struct cases cases = { .spreads = spreads,
                                 .count = count,
                                 .trend = fit_trend(spreads, count) };
    const struct prior prior = fit_prior(&cases);
    for (size_t i = 0; i < count; i++) {
        struct class class;
        find_class(&cases, i, &class);
        if (class.count == 0) {
            moderated[i] = (struct moderated){ .variance = NAN };
            continue;
        }
        const double s02 = exp(mean_log(&cases, &class) + prior.shift);
        const double over_trend = fmax(s02, cautious_variance(&cases, &class));
        const double variance = over_trend * exp(log_of_trend(&cases, i));
        moderated[i] =
            moderate_one(&spreads[i], fmax(variance, min_deviation * min_deviation), &prior);
    }
}
