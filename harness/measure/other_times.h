/*
 * other_times — what is measured besides the time of an evaluation: the energy that it takes, each
 * stage of a case, and evaluations with transfers. Private to this folder.
 */
#ifndef PAIRMARK_MEASURE_OTHER_TIMES_H
#define PAIRMARK_MEASURE_OTHER_TIMES_H

#include "measure/one_case.h"
#include "measure/sampler.h"

/* Fills in the energy of a launch and the power, where the device has a counter. Launches alone go
 * on until two steps of the counter, which moves about ten times a second, lie half a second apart
 * or more: the joules between them over the launches between them. Nobody judges these launches;
 * measurement->verdict is STATUS_STALE where they are faster than those that were judged. */
bool energy_measure(const struct sampler_source *source, struct measurement *measurement,
                    struct error *error);

/* Fills in measurement->stages, the times of structures, passes and sums, from a few launches, each
 * judged as any that is timed; measurement->verdict is STATUS_WRONG where one of them is. There is
 * a stamp between every two stages. A stamp costs the device something, and stages that would
 * overlap do not: they add up to somewhat more than an evaluation. */
bool stages_measure(const struct sampler_source *source, struct measurement *measurement,
                    struct error *error);

/* How long an evaluation takes from positions in host memory to results in host memory, by the
 * host's clock: copies, structure, kernels and sums. The median over evaluations one at a time, at
 * least 20 unless they take longer than half a second together. Each meets the particles in another
 * order, finds outputs on both sides poisoned, and is judged; the first that is wrong ends it, and
 * *verdict says why. */
bool end_to_end_measure(const struct one_case *one, double *median_s, struct verdict *verdict,
                        struct error *error);

#endif
