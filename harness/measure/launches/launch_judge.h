/*
 * launch_judge — judges every launch that is timed, on the device, and leaves nothing behind that
 * the next one could make use of.
 *
 * A round is one or more launches over the same particles. It begins with the particles in another
 * order, the structure built anew and outputs that hold likely numbers in wrong places. After
 * each launch its results are compared with the reference, sums are saved for the host, and all
 * outputs, fourth numbers and partial sums included, are overwritten with garbage. Inputs and
 * structure are summed up before the round and after each launch, with a seed that no kernel knows:
 * what one keeps there shows, even if a later launch puts it right again.
 *
 * Random numbers have no particles: a round has another seed, and every launch of it is another
 * step. After each a sample of its results is saved, at places drawn for the round, and the host
 * compares it at the end (kept.c); all results are overwritten with garbage.
 *
 * So the first launch of a round cannot use anything that an earlier one left, and the others can
 * only where a kernel has memory that is not the harness's. Their times show it: see staleness.h.
 */
#ifndef PAIRMARK_MEASURE_LAUNCHES_LAUNCH_JUDGE_H
#define PAIRMARK_MEASURE_LAUNCHES_LAUNCH_JUDGE_H

#include "kernels/text/launch_tools.h"
#include "measure/judge/expected.h"
#include "prepare/kernel_plan.h"

enum { LAUNCH_JUDGE_MAX = 64 }; /* launches in a round */

struct launch_judge;

/* The case has just passed the gate with its particles in input order: where a particle may be in
 * several places (two groups, listed pairs), what is expected of each is what lies in the outputs
 * now, and an error of twice the gate's tolerance is let pass. All given outlive the judge. */
bool launch_judge_create(struct kernel_plan *plan, const struct expected *expected,
                         const struct case_spec *spec, const struct launch_tools *tools,
                         struct launch_judge **judge, struct error *error);
void launch_judge_free(struct launch_judge *judge); /* NULL is fine */

/* Enqueues what launch number `launch` of a round needs done outside of its time: time steps begin
 * with a state, a structure and forces (kernel_plan_ready()). What they left in memory that a
 * variant has to itself is overwritten with garbage, and the device kept busy for `seconds`, so
 * that the host runs ahead again. The first launch has had it by launch_judge_begin(), other
 * workloads need nothing.
 */
bool launch_judge_ready(struct launch_judge *judge, int launch, double seconds,
                        struct error *error);

/* Enqueues the beginning of a round. */
bool launch_judge_begin(struct launch_judge *judge, struct error *error);
/* Another round over the same particles, after a building that the caller has enqueued. */
bool launch_judge_begin_again(struct launch_judge *judge, struct error *error);
/* The same, with particles in an order in which neighbours in memory are strangers in space. */
bool launch_judge_begin_scattered(struct launch_judge *judge, struct error *error);
/* Enqueues the judging of the launch that was enqueued last, the launch-th of the round from 0.
 * Then what it wrote is overwritten with garbage, unless the next one is to find it. */
bool launch_judge_launch(struct launch_judge *judge, int launch, bool poison, struct error *error);
/* Ends a round of so many launches: waits and fills in the status and message of *verdict,
 * STATUS_OK or STATUS_WRONG. */
bool launch_judge_end(struct launch_judge *judge, int launches, struct verdict *verdict,
                      struct error *error);

/* A round of one launch over particles that have moved (MOVED_KEPT, MOVED_NEW or MOVED_FAR, the
 * same for both; of draws, of another seed). After begin() stands the launch; end() waits,
 * collects and compares it. No kernel has seen these positions before, so that nobody knows how
 * much room lists of them need: where *again, they needed more, which there is now, nothing was
 * compared, and the round is to be done again. */
bool launch_judge_begin_moved(struct launch_judge *judge, enum moved_use use, struct error *error);
bool launch_judge_end_moved(struct launch_judge *judge, enum moved_use use, struct verdict *verdict,
                            bool *again, struct error *error);
/* The same over a moved box of the caller's; of draws, which are of another seed, NULL. */
bool launch_judge_begin_over(struct launch_judge *judge, const struct moved_box *moved,
                             struct error *error);
bool launch_judge_end_over(struct launch_judge *judge, const struct moved_box *moved,
                           struct verdict *verdict, bool *again, struct error *error);
/* A round over the box, after one over moved particles: they are in the order of that round, and
 * the structure is built over the same places, so that it is as good. Ends as others do. */
bool launch_judge_begin_moved_back(struct launch_judge *judge, struct error *error);

#endif
