/*
 * campaign_recorded — what a folder's rows tell of an earlier run: which repetitions of which cases
 * are done.
 */
#ifndef PAIRMARK_CAMPAIGN_CAMPAIGN_RECORDED_H
#define PAIRMARK_CAMPAIGN_CAMPAIGN_RECORDED_H

#include "campaign/rows.h"

struct recorded {
    struct row_table table;
    const struct row **sorted; /* by case, device and repetition */
};

/* STATUS_BAD_INPUT when there are no rows to be read, or one has no verdict, or passed and has no
 * time. */
bool recorded_read(const char *path, FILE *log, struct recorded *recorded, struct error *error);
void recorded_free(struct recorded *recorded); /* also of a zeroed one */

/* NULL where there is none. */
const struct row *recorded_find(const struct recorded *recorded, const char *case_id,
                                const char *device, size_t repetition);

#endif
