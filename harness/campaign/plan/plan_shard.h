/*
 * plan_shard — one of several equal shares of a plan, for campaigns over several machines.
 *
 * Cases are dealt out in the order of their identities, which is an order by chance and the same
 * everywhere: shares differ by one case at most, and each has some of all variants and sizes.
 */
#ifndef PAIRMARK_CAMPAIGN_PLAN_PLAN_SHARD_H
#define PAIRMARK_CAMPAIGN_PLAN_PLAN_SHARD_H

#include "campaign/plan/plan.h"

struct plan_shard {
    size_t index, of; /* share 1, 2, ... of so many; of = 0: the plan is whole */
};

/* "2/8". STATUS_BAD_INPUT, naming the option. */
bool plan_shard_parse(const char *option, const char *value, struct plan_shard *shard,
                      struct error *error);

/* Leaves in the plan the cases of the share, in their order. `id` becomes a hash of all cases that
 * there were, the same for every share. STATUS_BAD_INPUT: none is left. STATUS_OUT_OF_MEMORY. */
bool plan_shard_take(const struct plan_shard *shard, struct plan *plan, char id[HASH_TEXT_SIZE],
                     struct error *error);

#endif
