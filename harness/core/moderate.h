/*
 * moderate — how far the visits of a case stray, estimated better than from its own few visits.
 *
 * Three visits give a variance with two degrees of freedom, which is next to nothing. But cases of
 * like variant and duration stray alike: the variances of a run are draws around that of their
 * class. G. K. Smyth (Stat. Appl. Genet. Mol. Biol. 3 (2004) 3) gives each case the weighted mean
 * of its own variance and of its class's, and the degrees of freedom of both. How much the class
 * counts, d0 degrees of freedom, follows from how much the logarithms of the variances scatter
 * beyond what their own freedom explains.
 *
 * Where this goes further than Smyth: what the samples within a visit predict of the variance
 * between visits is taken out first, as limma's trend is (C. W. Law, Y. Chen, W. Shi, G. K. Smyth,
 * Genome Biol. 15 (2014) R29): the logarithms of the variances are fitted by a line over those of
 * the samples' deviations, and classes are of what remains. The class is local (the cases nearest
 * in duration, those of other variants being further away); its variance is no less than a share of
 * its second largest, since a few that are tiny by chance, as where times have two values, drag a
 * mean of logarithms to nothing; and a case that strays far more than its class is left to itself.
 */
#ifndef PAIRMARK_CORE_MODERATE_H
#define PAIRMARK_CORE_MODERATE_H

#include "core/error.h"

#include <stddef.h>

/* Visits of one case in one run on one device. */
struct visit_spread {
    const char *variant;
    double log_seconds; /* natural logarithm of its time */
    double variance;    /* of the logarithms of its visits' times */
    double freedom;     /* of the variance: visits - 1; 0: there was one visit */
    double scatter;     /* of samples within a visit: their median absolute deviation over the
                         * median; NaN: not known */
};

struct moderated {
    double variance; /* of the logarithm of one visit's time; NaN: not known */
    double freedom;  /* 0: not known */
};

/* What a class is. */
enum { MODERATE_CLASS = 12 };

/* Of cases that stray alike where variant and duration are: those of one run and device.
 * `moderated` has room for `count`. */
void moderate(const struct visit_spread *spreads, size_t count, struct moderated *moderated);

/* The degrees of freedom d0 that a class counts, for logarithms of variances that scatter by
 * `excess` beyond their own freedom: trigamma(d0 / 2) = excess. Infinite where excess is not
 * positive. */
double moderate_prior_freedom(double excess);

/* The variance of the median of `count` normal numbers of variance 1. count >= 1. */
double moderate_variance_of_median(size_t count);

/* Derivatives of the logarithm of the gamma function, of x > 0: relative 1e-12. */
double digamma(double x);
double trigamma(double x);

#endif
