/*
 * failures — the failures of a campaign in groups: the first of each variant and status is
 * printed in full, the others are counted.
 */
#ifndef PAIRMARK_CAMPAIGN_FAILURES_H
#define PAIRMARK_CAMPAIGN_FAILURES_H

#include "core/error.h"
#include "core/strings.h"

#include <stdbool.h>

struct failure_group; /* of one variant */

/* Zero-initialise; release with failures_free. */
struct failures {
    struct failure_group *groups; /* in the order of their first failures */
    size_t count;
};

/* Counts a failure of the variant (the name is copied). Whether to print it in full: it is the
 * first of its variant with this status, or memory for counting ran out. */
bool failures_note(struct failures *failures, const char *variant, enum status status);

/* A line per variant that had more failures than were printed in full, each with a line break: "and
 * 76 more cases of mine: wrong (74), timeout (2)". Nothing where there are none. */
void failures_append_rest(const struct failures *failures, struct strbuf *text);

void failures_free(struct failures *failures);

#endif
