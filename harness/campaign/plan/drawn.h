/*
 * drawn — the cases that `check` draws: a covering array (campaign/plan/covering.h) for each
 * variant, over the factors that its workload declares (struct workload_factor).
 *
 * What the user says of an axis stays as it is in all rows. The planner says which values can stand
 * together: a row stands for a variant if plan_make() gives a case of it.
 */
#ifndef PAIRMARK_CAMPAIGN_PLAN_DRAWN_H
#define PAIRMARK_CAMPAIGN_PLAN_DRAWN_H

#include "campaign/axes/axes.h"
#include "campaign/plan/covering.h"
#include "campaign/plan/plan.h"

struct drawing {
    int strength;
    uint64_t seed;  /* of the array, and of the boxes unless a factor says theirs */
    double seconds; /* for each variant on two cores */
};

struct drawn_variant {
    const struct variant *variant;
    struct covering *covering;
    size_t failed; /* cases of it, as whoever runs them counts */
};

/* A case, by its index in the plan, and where it comes from. */
struct drawn_case {
    size_t variant, row; /* of that variant's array */
};

/* All of a workload. */
struct drawn {
    const struct workload *workload;
    struct plan plan;         /* cases of a variant follow each other in the order of its rows */
    struct drawn_case *cases; /* as many as the plan has */
    struct drawn_variant *variants;
    size_t variant_count;
    struct drawn_space *space; /* private */
};

/* False, without an error, in drawn->plan.count: no row stands. Release it whether or not that
 * worked. */
bool drawn_make(const struct axes *said, const struct workload *workload,
                const struct drawing *drawing, struct drawn *drawn, struct error *error);
void drawn_free(struct drawn *drawn);

/* Whether the workload has factors, of which the user left one open at least. */
bool drawn_can(const struct axes *said, const struct workload *workload);

/* Whether the user left all factors of the workload open. */
bool drawn_is_whole(const struct drawn *drawn);

/* Appends the missing tuples of the variant, "kind=gas x precision=fixed", a line each. */
void drawn_append_missing(const struct drawn *drawn, size_t variant, int size,
                          enum covering_state state, struct strbuf *lines);

#endif
