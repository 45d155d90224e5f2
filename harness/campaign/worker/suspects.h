/*
 * suspects — who may have damaged a worker process: what it ran since it began, which variants
 * share a process with no other any more, and what was found against whom.
 *
 * On a CPU a kernel runs in the worker's own memory. One that writes where it may not can take down
 * a later case of another variant, which is not to be blamed.
 */
#ifndef PAIRMARK_CAMPAIGN_WORKER_SUSPECTS_H
#define PAIRMARK_CAMPAIGN_WORKER_SUSPECTS_H

#include "campaign/plan/plan.h"

struct accusation {
    const struct variant *variant; /* NULL: nobody could be found */
    char message[640];             /* one line */
};

/* Empty when zeroed. Where memory runs out something is forgotten, and blame stays with the case
 * that crashed. */
struct suspects {
    size_t *served; /* cases of the plan, by index, that the process ran since it began */
    size_t served_count;
    const struct variant **distrusted;
    size_t distrusted_count;
    struct accusation *accusations;
    size_t accusation_count;
};

void suspects_free(struct suspects *suspects);

void suspects_begin_process(struct suspects *suspects);
void suspects_serve(struct suspects *suspects, size_t case_index);
/* Whether the process ran a case of another variant. */
bool suspects_ran_others(const struct suspects *suspects, const struct plan *plan,
                         const struct variant *variant);
/* Whether a case of the variant may be run in the process, as far as trust goes. */
bool suspects_may_share(const struct suspects *suspects, const struct plan *plan,
                        const struct variant *variant);

/* From now on the variant shares a process with no other. */
void suspects_distrust(struct suspects *suspects, const struct variant *variant);

void suspects_accuse(struct suspects *suspects, const struct variant *variant, const char *format,
                     ...) __attribute__((format(printf, 3, 4)));
/* The words against the variant; NULL where there are none. */
const char *suspects_accused(const struct suspects *suspects, const struct variant *variant);

#endif
