/*
 * progress — how far a campaign is: one line that is rewritten on a terminal and fits it, elsewhere
 * a plain line every few seconds. Failures are always reported, each on a line of its own.
 */
#ifndef PAIRMARK_CAMPAIGN_PROGRESS_H
#define PAIRMARK_CAMPAIGN_PROGRESS_H

#include "core/error.h"

#include <stdio.h>

struct progress {
    FILE *stream;              /* NULL: silent */
    bool terminal;             /* the line is rewritten */
    int columns;               /* of the terminal */
    size_t total;              /* repetitions of cases in a round */
    size_t rounds;             /* over all of them */
    size_t again;              /* repetitions after these rounds */
    size_t done;               /* in all rounds, skipped ones included */
    double started_s, shown_s; /* monotonic clock */
    bool line_open;            /* a line stands that the next one rewrites */
    /* Seconds until the end; negative: not known. NULL: what is left takes as long as what is done.
     */
    double (*left)(void *context, double elapsed_s);
    void *context;
};

void progress_begin(struct progress *progress, FILE *stream, size_t total, size_t rounds);

/* A case begins: shows it, unless something was shown moments ago and nothing rewrites lines. */
void progress_case(struct progress *progress, const char *name);

/* So many are measured again, after all rounds. */
void progress_add(struct progress *progress, size_t visits);

void progress_done(struct progress *progress); /* it has ended */

/* A line of its own, below which the progress goes on. */
void progress_print(struct progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* `recorded` of `total` cases have a row. */
void progress_end(struct progress *progress, size_t recorded, size_t total);

/* "2 h 05 min", "3 min 20 s", "14 s". */
void progress_duration(double seconds, char *text, size_t size);

#endif
