/*
 * staleness — whether a kernel is faster where it could remember.
 *
 * Launches come in rounds over the same particles. The first of a round meets them in an order and
 * a structure that it has never seen; the others meet what the first met. Some launches by
 * themselves meet particles in places where they have never been. And after a round stands a
 * launch that finds its own results in the outputs. A kernel that computes takes as long for the
 * ones as for the others, but for what a launch costs.
 */
#ifndef PAIRMARK_MEASURE_LAUNCHES_STALENESS_H
#define PAIRMARK_MEASURE_LAUNCHES_STALENESS_H

#include <stdbool.h>
#include <stddef.h>

enum {
    STALENESS_LEAST_ROUNDS = 3,
    STALENESS_MOST_ROUNDS = 256,
    STALENESS_MOST_OWN = 9,
    STALENESS_LEAST_ALONE = 15,
    STALENESS_MOST_MOVED = 12
};

/* What of a time may be no memory's doing. */
struct staleness_limits {
    double launch_s; /* what a launch costs */
    double share;    /* of the time, that caches and whatever else is at work may explain */
};
/* launch_s: NaN where it is not known. Of 180 cases on an H200 no launch over moved particles took
 * more than 1.05 times the median of the others, and none over its own results less than 0.92 of
 * them. Processors have other work and threads that must be woken: a launch by itself may get one
 * of two cores. */
struct staleness_limits staleness_limits_of(double launch_s, bool is_cpu);

struct staleness {
    double first_s[STALENESS_MOST_ROUNDS];    /* of each round */
    double others_s[STALENESS_MOST_ROUNDS];   /* median of the others of that round */
    double min_s[STALENESS_MOST_ROUNDS];      /* the quickest of that round */
    double over_own_s[STALENESS_MOST_ROUNDS]; /* NaN: not tried */
    size_t rounds;
    double moved_s[STALENESS_MOST_MOVED];
    size_t moved;
    double unmoved_s[STALENESS_MOST_MOVED]; /* by themselves as those are, over known places: each
                                               of the particles of moved_s of the same index */
    size_t unmoved;
    double alone_s[STALENESS_MOST_ROUNDS]; /* by themselves, in the midst of drawn rounds */
    size_t alone;
};

/* Takes in one round: the times of its launches in order, and of the one over its own results (NaN:
 * not tried). Rounds past the most are left out. */
void staleness_add(struct staleness *staleness, const double *seconds, size_t launches,
                   double over_own_s);

/* The medians of the first launches, of the others, over moved particles; NaN where there
 * are none. */
double staleness_first(const struct staleness *staleness);
double staleness_others(const struct staleness *staleness);
double staleness_moved(const struct staleness *staleness);

/* Whether the launches are stale; and in which way, with the times that were compared. `median_s`:
 * of all launches of rounds. */
bool staleness_describe(const struct staleness *staleness, double median_s,
                        const struct staleness_limits *limits, char *words, size_t size);

/*
 * What follows asks whether all of the launches that could not remember took longer than others, by
 * more than the limits explain. All of them, since whatever else a device is busy with makes some
 * launches longer and none shorter: a single one that is as quick as the rest shows that the kernel
 * can do the work in that time.
 */

/* Of the first launches of rounds, of which there must be STALENESS_LEAST_ROUNDS, against the
 * others of the same round, and of their median against the launches over known places, as below;
 * rounds of one launch, whose every launch is a first one, show nothing. */
bool staleness_in_rounds(const struct staleness *staleness, const struct staleness_limits *limits);
/* The other way round: whether most launches over their own results took less than the quickest of
 * their round, by more than twice what the limits explain. Such a kernel looks at outputs to see
 * whether it needs to work; what is timed is that it does, but it is not to be trusted. */
bool staleness_over_own(const struct staleness *staleness, const struct staleness_limits *limits);
/* Whether to try another launch over its own results: until one more cannot make most of
 * STALENESS_LEAST_ROUNDS quick, and where one of them was so quick, STALENESS_MOST_OWN. */
bool staleness_try_own(const struct staleness *staleness, const struct staleness_limits *limits);
/* Whether launches over moved particles are slow against the median of all others, `median_s`.
 * While they are, more of them should be tried, up to STALENESS_MOST_MOVED, each in turn with one
 * over known places that is launched in the same way. */
bool staleness_slow_if_moved(const struct staleness *staleness, double median_s,
                             const struct staleness_limits *limits);
/* The same, and by more than the limits explain they exceed the launches over known places in their
 * medians, in their quickest, and in most pairs of one and the other: whatever keeps launches by
 * themselves waiting makes both longer, and what hits some of them changes few pairs. */
bool staleness_in_moved(const struct staleness *staleness, double median_s,
                        const struct staleness_limits *limits);

/*
 * Launches over known places can be slow on purpose: a kernel may work in some launches of an
 * order, and in those that follow moved particles, and remember in others. So where they alone
 * explain what is slow there is doubt. Rounds are then timed anew, without moved particles between
 * them, and these times count. Before one launch of some rounds, drawn, the device is left idle, as
 * before a launch by itself: no kernel can tell it from a sample.
 */
bool staleness_is_doubtful(const struct staleness *staleness, double median_s,
                           const struct staleness_limits *limits);
/* Forgets the rounds, of which there will be new ones. */
void staleness_begin_again(struct staleness *staleness);
/* Takes in a launch by itself of such a round. */
void staleness_add_alone(struct staleness *staleness, double seconds);
/* Whether launches over moved particles and over known places took by far longer than those by
 * themselves in rounds: more than twice, which other orders and lists explain. */
bool staleness_in_alone(const struct staleness *staleness, const struct staleness_limits *limits);

/* The least of the medians of the others: a machine that was busy for all of the rounds is rare.
 * NaN where there are none. */
double staleness_least_others(const struct staleness *staleness);
/* Whether launches that stand for themselves, after a flushed cache or between copies, took
 * `seconds` in the median, which is by far too little beside the least of the others. */
bool staleness_too_quick(double seconds, double least_s, const struct staleness_limits *limits);

#endif
