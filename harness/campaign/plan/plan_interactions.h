/*
 * plan_interactions — the interactions that the axes choose, and what they point to.
 */
#ifndef PAIRMARK_CAMPAIGN_PLAN_PLAN_INTERACTIONS_H
#define PAIRMARK_CAMPAIGN_PLAN_PLAN_INTERACTIONS_H

#include "campaign/axes/axes.h"
#include "kernels/case.h"

struct interaction_choices {
    struct interaction *items; /* they point to what follows */
    size_t count;
    struct type_table **tables; /* one per interaction, where there is a table */
    size_t table_count;
    struct expression *expression;
    struct pair_text *text;
    struct exclusions *exclusions;
    struct bonded_terms *bonded; /* NULL: no files of terms are named */
};

/* See plan_make. To be released whether or not that worked. */
bool interactions_choose(const struct axes *axes, const struct workload *workload,
                         struct interaction_choices *choices, struct error *error);
void interactions_release(struct interaction_choices *choices); /* also of zeroed ones */

void plan_free_terms(struct bonded_terms *terms); /* also NULL */

#endif
