/*
 * campaign_signals — Ctrl-C and its kin end a campaign between two rows, not within one.
 */
#ifndef PAIRMARK_CAMPAIGN_CAMPAIGN_SIGNALS_H
#define PAIRMARK_CAMPAIGN_CAMPAIGN_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

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
