/*
 * noise — how much two timings of the same thing differ: what `compare` takes no difference under
 * for real.
 *
 * A case that was visited several times shows its own noise (core/moderate.h). Where runs did not
 * visit their cases, samples of one timing cannot: where its memory lay, or when it ran, shifts
 * them all. Then timings of the same case within a run show it: repeats (rows with `twin` set) and
 * repetitions.
 */
#ifndef PAIRMARK_ANSWERS_COMPARE_NOISE_H
#define PAIRMARK_ANSWERS_COMPARE_NOISE_H

#include "answers/compare/cases.h"

/* Taken where a run does not record its noise: as |ratio - 1|. docs/comparing.md explains it. */
extern const double noise_unknown_floor;

/* Differences between repeats, or between repetitions or runs of a variant, are believed from so
 * many degrees of freedom on: fewer say next to nothing of the largest among many. */
enum { NOISE_LEAST_FREEDOM = 4 };

struct variant_noise {
    const char *variant;
    double sum_of_squares; /* of logarithms of times about those of the same case */
    double freedom;
};

struct noise {
    double floor;          /* of environment.json, the largest of its runs; NaN: not known */
    double repeat_squares; /* sum of squares of the logarithms of the repeats' ratios */
    size_t repeats;        /* A/A pairs in the rows */
    size_t pairs;          /* A/A pairs, as the environment says or the rows */
    size_t timed;          /* cases */
    size_t visited;        /* timed cases whose visits show how they stray: they need no floor */
    double visit_sd;       /* the median of their standard deviations, relative; NaN: none */
    double machine_load;   /* the largest of its cases'; NaN: not known */
    struct variant_noise *variants;
    size_t count;
};

/* From the cases of one side and the repeats among its rows, gathered alike; `runs` are those that
 * the rows are from. The variants' names belong to the rows. STATUS_OUT_OF_MEMORY. */
bool noise_measure(const struct compared_cases *cases, const struct compared_cases *repeats,
                   const struct run *const *runs, size_t run_count, struct noise *noise,
                   struct error *error);
void noise_free(struct noise *noise);

/* Whether the noise of the side is known. */
bool noise_is_known(const struct noise *noise);

/* The floor of the side, as |ratio - 1|: what the environment says, and where there are repeats
 * enough, at least what another ratio of repeats stays under with probability 1 - risk (Student's
 * t, their logarithms being about 0). Where neither is known, noise_unknown_floor. */
double noise_floor(const struct noise *noise, double risk);

/* The floor of a joined pair, as |ratio - 1|. A side whose visits show how the case strays has none
 * except for the load: its interval contains it. Else the larger of both sides', and where the
 * variants were timed again and again, what the ratio of two such timings stays under with
 * probability 1 - risk. Where others took a share of the processors that a case was timed on, at
 * least what that share alone can make of its time: what had all of them takes 1 / (1 - share)
 * times as long on the rest. */
double noise_floor_of_pair(const struct noise *a, const struct compared_case *case_a,
                           const struct noise *b, const struct compared_case *case_b, double risk);

#endif
