/*
 * plan_tunes — the values of tunables that --tune asks for.
 */
#ifndef PAIRMARK_CAMPAIGN_PLAN_PLAN_TUNES_H
#define PAIRMARK_CAMPAIGN_PLAN_PLAN_TUNES_H

#include "campaign/plan/plan.h"
#include "campaign/plan/plan_variants.h"

struct tune_choice {
    char name[VARIANT_NAME_SIZE];
    double *values; /* whole numbers that an int holds */
    size_t count;
};

struct tune_choices {
    struct tune_choice *items;
    size_t count;
};

/* axes->tunes for these variants; `typed`: some interaction has types. From a zeroed struct;
 * release it also after a failure. STATUS_BAD_INPUT names --tune and the tunable. */
bool tunes_choose(const struct axes *axes, const struct variant_choice *variants, bool typed,
                  struct tune_choices *tunes, struct error *error);
void tunes_release(struct tune_choices *tunes);

/* How many choices of tunables a case has: those it lacks do not count. */
size_t tunes_count(const struct tune_choices *tunes, const struct case_spec *spec);

/* Gives the case the choice of that index, the last tunable changing fastest, and presets else. */
void tunes_set(const struct tune_choices *tunes, size_t index, struct case_spec *spec);

#endif
