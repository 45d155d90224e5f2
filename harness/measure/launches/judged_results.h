/*
 * judged_results — results of particles, and of time steps their velocities, compared with the
 * reference on the device behind each launch.
 *
 * What is wanted lies on the device covered by a key that no kernel knows. Of each launch the
 * device keeps how many results are off, and the first of them.
 */
#ifndef PAIRMARK_MEASURE_LAUNCHES_JUDGED_RESULTS_H
#define PAIRMARK_MEASURE_LAUNCHES_JUDGED_RESULTS_H

#include "measure/launches/judged_case.h"

enum { MAX_JUDGED = MAX_SETS + 1 }; /* results of sets; behind them, of time steps, velocities */

struct judged_results {
    const struct judged_case *of;
    int count;                         /* of those below that are judged */
    void *staged[MAX_JUDGED];          /* n accum4 as below, by member, on the host */
    struct buffer *wanted[MAX_JUDGED]; /* n accum4: x, y, z, and how far each may be off; covered */
    uint64_t cover;                    /* its key */
    struct buffer *found[MAX_JUDGED];  /* 2 ints per launch: see judge_results of launch_tools.cl */
    struct buffer *wrong[MAX_JUDGED];  /* accum4 per launch */
    struct buffer *velocity;           /* of time steps, in the order of results: n accum4 */
};

/* Takes what is expected of each; `judged` outlives *results. Errors: those of the device; no
 * memory. *results is freed by the caller, whatever is returned. */
bool judged_results_create(const struct judged_case *judged, struct judged_results *results,
                           struct error *error);
void judged_results_free(struct judged_results *results); /* also of zeroed ones */

/* Begins a round: nothing is found yet. */
bool judged_results_clear(struct judged_results *results, struct error *error);
/* Enqueues the comparison of what launch number `launch` has left, and garbage in its place unless
 * the next one is to find it. Errors: those of the device. */
bool judged_results_launch(struct judged_results *results, int launch, bool poison,
                           struct error *error);
/* The device is through with a round of so many launches: STATUS_WRONG in *verdict, which is
 * STATUS_OK, describes the first result that is off. Errors: those of the device. */
bool judged_results_end(const struct judged_results *results, int launches, struct verdict *verdict,
                        struct error *error);

#endif
