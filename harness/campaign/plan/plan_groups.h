/*
 * plan_groups — the groups of particles that the axes choose.
 */
#ifndef PAIRMARK_CAMPAIGN_PLAN_PLAN_GROUPS_H
#define PAIRMARK_CAMPAIGN_PLAN_PLAN_GROUPS_H

#include "campaign/plan/plan_boxes.h"

/* One choice of groups, and the boxes that it is made in. */
struct group_choice {
    struct group_spec spec;
    struct box_choice *boxes;
    size_t box_count; /* at least 1 */
};

struct group_choices {
    struct particle_list *a, *b; /* the specs point to them */
    struct group_choice *items;
    size_t count; /* at least 1 */
};

/* See plan_make. The groups of every choice are known to fit its boxes. */
bool groups_choose(const struct axes *axes, struct group_choices *choices, struct error *error);
void groups_release(struct group_choices *choices);

#endif
