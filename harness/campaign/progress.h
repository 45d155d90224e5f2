/*
 * progress — shows how far a campaign is: on a terminal by one line that is rewritten and fits it,
 * elsewhere by a plain line every few seconds. Failures have lines of their own.
 */
#ifndef PAIRMARK_CAMPAIGN_PROGRESS_H
#define PAIRMARK_CAMPAIGN_PROGRESS_H

#include "core/error.h"
#include "core/quantity.h"
#include "core/strings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct progress {
    FILE *stream;     /* NULL: silent */
    bool terminal;    /* the line is rewritten */
    size_t sweeps;    /* over all cases; further ones visit some of them again */
    size_t sweep;     /* 1, 2, ... */
    size_t total;     /* visits of this sweep */
    size_t done;      /* of them */
    double started_s; /* monotonic clock */
    double sweep_s;   /* when this sweep began */
    double shown_s;   /* when something was shown last */
    bool line_open;   /* a line stands that the next one rewrites */
};

/* The first of so many sweeps, of `total` visits. */
void progress_begin(struct progress *progress, FILE *stream, size_t total, size_t sweeps);

/* A sweep begins, of `total` visits. */
void progress_sweep(struct progress *progress, size_t sweep, size_t total);

/* A case begins: shows it, unless something was shown moments ago and nothing rewrites lines. */
void progress_case(struct progress *progress, const char *name);

void progress_done(struct progress *progress); /* it has ended */

/* Takes the line away that the next one would rewrite. */
void progress_clear(struct progress *progress);

/* A line of its own, below which the progress goes on. */
void progress_print(struct progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* `recorded` of `total` cases have a row. */
void progress_end(struct progress *progress, size_t recorded, size_t total);

/* "2 h 05 min", "3 min 20 s", "14 s". */
struct quantity progress_duration(double seconds);

/* The failures of a campaign in groups: the first of each variant and status is
 * printed in full, the others are counted. */

struct failure_group; /* of one variant */

/* Zero-initialise; release with failures_free. */
struct failures {
    struct failure_group *groups; /* in the order of their first failures */
    size_t count;
};

/* Counts a failure of the variant (the name is copied). Whether to print it in full: it is the
 * first of its variant with this status. */
bool failures_note(struct failures *failures, const char *variant, enum status status);

/* A line per variant that had more failures than were printed in full, each with a line break: "and
 * 76 more cases of mine: wrong (74), timeout (2)". Nothing where there are none. */
void failures_append_rest(const struct failures *failures, struct strbuf *text);

void failures_free(struct failures *failures);

#endif
