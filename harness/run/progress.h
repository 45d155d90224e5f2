/*
 * progress — where a campaign stands: one line that is rewritten on a terminal, elsewhere a plain
 * line every few seconds. What fails is always told, on a line of its own.
 */
#ifndef PAIRMARK_RUN_PROGRESS_H
#define PAIRMARK_RUN_PROGRESS_H

#include "base/error.h"

#include <stdio.h>

struct progress {
    FILE *stream;                /* NULL: silent */
    bool terminal;               /* the line is rewritten */
    int columns;                 /* of the terminal */
    size_t total;                /* repetitions of cases in all */
    size_t done;                 /* that have ended, skipped ones included */
    size_t to_measure, measured; /* likewise, without those that an earlier run had recorded */
    double started_s, shown_s;   /* monotonic clock */
    bool line_open;              /* a line stands that the next one rewrites */
};

/* `recorded`: how many of `total` an earlier run has done already. */
void progress_begin(struct progress *progress, FILE *stream, size_t total, size_t recorded);

/* A case begins: shows it, unless something was shown moments ago and nothing rewrites lines. */
void progress_case(struct progress *progress, const char *name);

/* So many more are to be measured. */
void progress_add(struct progress *progress, size_t visits);

/* It has ended; `recorded`: it was not measured but found done. */
void progress_done(struct progress *progress, bool recorded);

/* A line of its own, below which the progress goes on. */
void progress_tell(struct progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void progress_end(struct progress *progress);

/* "2 h 05 min", "3 min 20 s", "14 s". */
void progress_duration(double seconds, char *text, size_t size);

#endif
