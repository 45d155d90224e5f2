/*
 * kept_results — of constraints, all results of one launch of a round, whichever is drawn, kept on
 * the device for the host.
 *
 * What is compared behind every launch is each particle, and its bound is that of the worst case:
 * lengths that are off by some tolerances may stay within it. The host compares what is kept as it
 * does at the gate, lengths and momenta included. It does so in the first round of a case and in
 * one of four behind that, drawn, since it takes longer than a launch.
 */
#ifndef PAIRMARK_LAUNCHES_KEPT_RESULTS_H
#define PAIRMARK_LAUNCHES_KEPT_RESULTS_H

#include "launches/judged_case.h"

struct kept_results {
    const struct judged_case *of;
    struct buffer *kept; /* NULL: of a workload whose particles tell all */
    bool first;          /* nothing has been compared */
    bool looks;          /* in this round */
    int launch;          /* that was kept */
};

/* `judged` outlives *kept. Errors: those of the device. *kept is freed by the caller, whatever is
 * returned. */
bool kept_results_create(const struct judged_case *judged, struct kept_results *kept,
                         struct error *error);
void kept_results_free(struct kept_results *kept); /* also of zeroed ones */

/* Begins a round. */
void kept_results_begin(struct kept_results *kept);
/* Enqueues that the results of launch number `launch`, which are not spoilt yet, are kept, if it is
 * drawn: each launch of a round is as likely as the others. Errors: those of the device. */
bool kept_results_launch(struct kept_results *kept, int launch, struct error *error);
/* The device is through with a round: STATUS_WRONG in *verdict, which is STATUS_OK, says what the
 * launch that was kept did wrong. Errors: those of the device; no memory. */
bool kept_results_end(struct kept_results *kept, struct verdict *verdict, struct error *error);

#endif
