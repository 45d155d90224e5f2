/*
 * end_to_end — how long an evaluation takes from positions in host memory to results in host
 * memory: copies, structure, kernels and sums, by the host's clock.
 */
#ifndef PAIRMARK_MEASURE_END_TO_END_H
#define PAIRMARK_MEASURE_END_TO_END_H

#include "kernels/text/launch_tools.h"
#include "measure/prepare/kernel_plan.h"

/* Compares what an evaluation yielded; STATUS_OK or STATUS_WRONG in *verdict. */
typedef void end_to_end_judge(void *context, const struct evaluation *evaluation,
                              struct verdict *verdict);

/* The median over evaluations one at a time, at least 20 unless they take longer than half a second
 * together. Each meets the particles in another order, finds outputs on both sides poisoned, and is
 * judged; the first that is wrong ends it, and *verdict says why. */
bool end_to_end_measure(struct device *device, struct kernel_plan *plan,
                        const struct launch_tools *tools, end_to_end_judge *judge, void *context,
                        double *median_s, struct verdict *verdict, struct error *error);

#endif
