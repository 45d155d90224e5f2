/*
 * stages — how long each stage of a case takes: structures, passes, sums.
 *
 * Taken from launches of their own, behind those that the case's time comes from, with a stamp
 * between every two stages. A stamp costs the device something, and stages that would overlap do
 * not: they add up to somewhat more than an evaluation.
 */
#ifndef PAIRMARK_MEASURE_STAGES_H
#define PAIRMARK_MEASURE_STAGES_H

#include "measure/sampler.h"

/* Fills in measurement->stages, from a few launches, each judged as any that is timed;
 * measurement->verdict is STATUS_WRONG where one of them is. */
bool stages_measure(const struct sampler_source *source, struct measurement *measurement,
                    struct error *error);

#endif
