/*
 * kept_results — of constraints and of steps of rigid waters, all results of one launch of a
 * round, whichever is drawn, kept on the device for the host.
 *
 * What is compared behind every launch is each particle, and its bound is that of the worst case:
 * lengths that are off by some tolerances may stay within it. Along steps bounds of particles grow,
 * those of sides and of how fast they change do not: velocities along sides that are wrong by 10^4
 * times what rounding leaves there may stay within them. The host compares what is kept as it does
 * at the gate, lengths and momenta, or sides, included. It does so in the first round of a case and
 * in one of four behind that, drawn, since it takes longer than a launch.
 */
#ifndef PAIRMARK_MEASURE_LAUNCHES_KEPT_RESULTS_H
#define PAIRMARK_MEASURE_LAUNCHES_KEPT_RESULTS_H

#include "measure/launches/judged_case.h"

struct kept_results {
    const struct judged_case *of;
    struct buffer *kept;       /* NULL: of a case that is judged particle by particle */
    struct buffer *velocities; /* of time steps, by place in the state; else NULL */
    bool first;                /* no round like those that are timed has been looked at */
    bool scattered;
    bool looks; /* in this round */
    int launch; /* that was kept */
};

/* `judged` outlives *kept. Errors: those of the device. *kept is freed by the caller, whatever is
 * returned. */
bool kept_results_create(const struct judged_case *judged, struct kept_results *kept,
                         struct error *error);
void kept_results_free(struct kept_results *kept); /* also of zeroed ones */

/* Begins a round; `scattered`: in an order that no launch has that is timed. */
void kept_results_begin(struct kept_results *kept, bool scattered);
/* Enqueues that the results of launch number `launch`, which are not overwritten yet, are saved, if
 * it is drawn: all launches of a round are equally likely. Errors: those of the device. */
bool kept_results_launch(struct kept_results *kept, int launch, struct error *error);
/* The device is through with a round: STATUS_WRONG in *verdict, which is STATUS_OK, says what the
 * launch that was kept did wrong. Errors: those of the device; no memory. */
bool kept_results_end(struct kept_results *kept, struct verdict *verdict, struct error *error);

#endif
