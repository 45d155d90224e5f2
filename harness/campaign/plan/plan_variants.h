/*
 * plan_variants — which variants the axes choose, built in or read from files.
 */
#ifndef PAIRMARK_CAMPAIGN_PLAN_PLAN_VARIANTS_H
#define PAIRMARK_CAMPAIGN_PLAN_PLAN_VARIANTS_H

#include "campaign/plan/plan.h"

struct variant_choice {
    struct variant *files; /* read from --variant-file */
    size_t file_count;
    const struct variant **chosen;   /* built-in ones by name, then those of files */
    size_t count;                    /* at least 1 */
    const struct workload *workload; /* of the first of them */
};

/* By the workload, structure, variant and variant_files of the axes; see plan_make. The variants
 * chosen are of one workload. */
bool variants_choose(const struct axes *axes, struct variant_choice *choice, struct error *error);
/* The same, of as many workloads as axes->workload names. */
bool variants_list(const struct axes *axes, struct variant_choice *choice, struct error *error);
void variants_release(struct variant_choice *choice);

#endif
