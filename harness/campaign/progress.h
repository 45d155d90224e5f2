/*
 * progress — how far a campaign is: one line that is rewritten on a terminal and fits it, elsewhere
 * a plain line every few seconds. Failures are always reported, each on a line of its own.
 */
#ifndef PAIRMARK_CAMPAIGN_PROGRESS_H
#define PAIRMARK_CAMPAIGN_PROGRESS_H

#include "core/error.h"
#include "core/strings.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* How long visits of cases will take, from those that were measured so far.
 *
 * What a visit costs depends on the number of particles, on whether it is the case's first (the
 * whole gate, the reference), and on whether its kernel has to be compiled. Means of each kind are
 * kept by number of particles; a kind that was not measured yet follows from what was. */

enum visit_kind {
    VISIT_COMPILING, /* the first of its kernel */
    VISIT_FIRST,     /* of its case */
    VISIT_LATER,
    VISIT_RESTARTING, /* a later one, of a process that has just begun: once per device and sweep */
    VISIT_KINDS
};

enum { ESTIMATE_SIZES = 32 }; /* further ones count as the last */

struct estimate {
    struct estimate_size {
        size_t n;
        double seconds[VISIT_KINDS]; /* sums */
        size_t count[VISIT_KINDS];
        size_t cases, visits; /* of so many cases it is known how many visits they get */
    } sizes[ESTIMATE_SIZES];
    size_t size_count;
    double seconds; /* sum of all */
};

void estimate_add(struct estimate *estimate, size_t n, enum visit_kind kind, double seconds);

/* A case of n particles gets so many visits. */
void estimate_add_case(struct estimate *estimate, size_t n, size_t visits);

/* Seconds of a visit; 0 before anything was added. A VISIT_COMPILING is a VISIT_FIRST and
 * estimate_compiling(). */
double estimate_visit(const struct estimate *estimate, size_t n, enum visit_kind kind);
double estimate_compiling(const struct estimate *estimate);

/* What a VISIT_RESTARTING takes longer than a VISIT_LATER, on average; 0 before there was one. */
double estimate_restarting(const struct estimate *estimate);

/* Seconds of so many visits of so many cases on a processor or a GPU, before anything is measured.
 */
double estimate_before(bool is_cpu, size_t cases, size_t visits);

/* How many visits a case gets; `most` where that is not known. */
double estimate_visits(const struct estimate *estimate, size_t n, size_t most);

struct progress {
    FILE *stream;              /* NULL: silent */
    bool terminal;             /* the line is rewritten */
    size_t total;              /* repetitions of cases in a sweep */
    size_t sweeps;             /* over all of them */
    size_t again;              /* repetitions after these sweeps */
    size_t done;               /* in all sweeps, skipped ones included */
    double started_s, shown_s; /* monotonic clock */
    bool line_open;            /* a line stands that the next one rewrites */
    /* Seconds until the end; negative: not known. NULL: what is left takes as long as what is done.
     */
    double (*left)(void *context, double elapsed_s);
    void *context;
};

void progress_begin(struct progress *progress, FILE *stream, size_t total, size_t sweeps);

/* A case begins: shows it, unless something was shown moments ago and nothing rewrites lines. */
void progress_case(struct progress *progress, const char *name);

/* So many are measured again, after all sweeps. */
void progress_add(struct progress *progress, size_t visits);

void progress_done(struct progress *progress); /* it has ended */

/* Takes the line away that the next one would rewrite. */
void progress_clear(struct progress *progress);

/* A line of its own, below which the progress goes on. */
void progress_print(struct progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* `recorded` of `total` cases have a row. */
void progress_end(struct progress *progress, size_t recorded, size_t total);

/* "2 h 05 min", "3 min 20 s", "14 s". */
void progress_duration(double seconds, char *text, size_t size);

/* The failures of a campaign in groups: the first of each variant and status is
 * printed in full, the others are counted. */

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

/* Ctrl-C and its kin end a campaign between two rows, not within one. */

struct campaign_signals {
    struct sigaction before[4]; /* what to go back to */
};

/* From here on SIGINT, SIGTERM and SIGHUP are noted (a second one ends the process at once), and
 * a file that may not grow is an error of the write. */
void campaign_signals_catch(struct campaign_signals *signals);

/* The signal that was noted since; 0: none. */
int campaign_signals_noted(void);

void campaign_signals_restore(const struct campaign_signals *signals);

#endif
