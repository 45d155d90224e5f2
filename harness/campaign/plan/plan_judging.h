/*
 * plan_judging — the options that say how large boxes are judged: --judge-all-below,
 * --judge-sample,
 * --judge-seed.
 */
#ifndef PAIRMARK_CAMPAIGN_PLAN_PLAN_JUDGING_H
#define PAIRMARK_CAMPAIGN_PLAN_PLAN_JUDGING_H

#include "campaign/plan/plan.h"

/* Defaults: JUDGE_BY_COST, 1000, and a seed of the moment, so that every run judges other
 * particles. STATUS_BAD_INPUT naming the option. */
bool judging_choose(const struct axes *axes, struct judging *judging, struct error *error);

#endif
