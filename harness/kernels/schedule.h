/*
 * schedule — when each pass of a variant runs, and what that means for its memory.
 *
 * An evaluation is a step; of a workload of time steps (workload.h), it is as many as the case
 * says. A pass runs every step, unless its line in the header ends with a period or a condition:
 *
 *   every rebuild   after the building of the structure, which says itself how long it lives
 *   every N steps   of time steps: the N-th, the 2N-th and so on
 *   when asked      of time steps: in those whose energies are asked for, the last of an evaluation
 *   between steps   of time steps: instead of the passes after the forces and of those before the
 *                   forces of the next step, where that follows at once
 *   all steps       of time steps: once for all of them, one such pass after the other, in the
 *                   place of all passes of all steps; those of the forces compute what a launch
 *                   begins with, and sums where energies are asked for
 *   when moved      where a particle has moved by half of SKIN since it ran last; the structure is
 *                   then built for it, and only then
 *
 * The scratch that such a pass is given is kept from one rebuild to the next; steps only read it.
 * Of random numbers steps change it, too: a rebuild is another seed, and a generator's state goes
 * on from one step to the next.
 */
#ifndef PAIRMARK_KERNELS_SCHEDULE_H
#define PAIRMARK_KERNELS_SCHEDULE_H

#include "kernels/variant.h"

/* The tunable by which a variant says how far a particle may move twice: hundredths of the cutoff.
 */
#define SCHEDULE_SKIN "SKIN"

/* Where the words of a schedule begin in a line of @pass; its end where there are none. */
const char *schedule_begin(const char *words);

/* Takes "every step", "every rebuild", "every N steps" or "when moved"; "" is every step. False
 * when it is none of them. */
bool schedule_parse(const char *words, struct schedule *schedule);

/* "every rebuild", "when moved"; "" of a pass that runs every step. */
const char *schedule_words(const struct schedule *schedule);

/* Whether what the header says of its passes can be: what is kept must outlive a step, be written
 * by passes of one schedule and read by the others, and be no result. STATUS_BAD_INPUT as
 * "path:line: ..." with the line of the pass. Passes, their parameters and scratch are known. */
bool schedule_check(const struct variant *variant, struct error *error);

/* Whether passes take all steps of a launch. */
bool variant_takes_all_steps(const struct variant *variant);
/* Whether the pass runs in evaluations, in each step or in some. */
bool pass_is_step(const struct pass *pass);
/* Whether some pass does not, and whether such passes run when particles have moved. */
bool variant_rebuilds(const struct variant *variant);
bool variant_rebuilds_when_moved(const struct variant *variant);
/* Whether a scratch buffer is kept from one rebuild to the next. */
bool variant_keeps_scratch(const struct variant *variant, int scratch);
/* Whether steps write to it: of draws, the state of a generator, which is kept and changes. */
bool variant_changes_scratch(const struct variant *variant, int scratch);

#endif
