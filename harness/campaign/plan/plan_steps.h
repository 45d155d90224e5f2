/*
 * plan_steps — time steps on the command line: --steps, --dt, --thermostat, --field, --exchange.
 */
#ifndef PAIRMARK_CAMPAIGN_PLAN_PLAN_STEPS_H
#define PAIRMARK_CAMPAIGN_PLAN_PLAN_STEPS_H

#include "campaign/plan/plan_variants.h"
#include "kernels/case.h"

struct step_choices {
    double *counts, *dts;
    struct exchange_rule *exchanges;
    size_t count_count, dt_count, exchange_count;
    size_t total;                   /* of combinations; 1 of a workload without steps */
    const char *thermostat, *field; /* the axes' words; NULL: the variant's own, none */
};

/* The variants' workload decides whether there are any: STATUS_BAD_INPUT where an option of steps
 * is given to another, or is malformed. */
bool steps_choose(const struct axes *axes, const struct variant_choice *variants,
                  struct step_choices *steps, struct error *error);
void steps_release(struct step_choices *steps);

/* Gives the case, whose variant and precision are known, the index-th combination. */
bool steps_set(const struct step_choices *steps, size_t index, struct case_spec *spec,
               struct error *error);

#endif
