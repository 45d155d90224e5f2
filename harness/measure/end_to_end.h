/*
 * end_to_end — how long an evaluation takes from positions in host memory to results in host
 * memory: copies, structure, kernels and sums, by the host's clock.
 */
#ifndef PAIRMARK_MEASURE_END_TO_END_H
#define PAIRMARK_MEASURE_END_TO_END_H

#include "measure/prepared.h"

/* The median over evaluations one at a time, at least 20 unless they take longer than half a second
 * together. *last is what another one yields, from poisoned outputs: to be judged, and freed with
 * evaluation_free(). */
bool end_to_end_measure(struct device *device, struct prepared *prepared, double *median_s,
                        struct evaluation *last, struct error *error);

#endif
