/*
 * repeats — for what a result has the same bits: another run, another order of particles,
 * work-groups of another size.
 *
 * Reported in words, "run, order, not shape": what is not named was not tried. Orders are tried
 * where particles have any and two runs agree; sizes of work-groups in fixed point alone, for each
 * takes a compilation.
 */
#ifndef PAIRMARK_MEASURE_REPEATS_H
#define PAIRMARK_MEASURE_REPEATS_H

#include "measure/judge/expected.h"
#include "measure/prepare/kernel_plan.h"

/* Results, energies and virials, bit by bit; NaN is like NaN. */
bool repeats_same_bits(const struct evaluation *one, const struct evaluation *other);

/* Writes the hash of the bits of a result into the verdict. */
void repeats_note_hash(const struct evaluation *evaluation, struct verdict *verdict);

/* Evaluates a case that was right, and notes in the verdict what came of it; `first` is what an
 * evaluation gave. The plan is then in another order. False where the device failed. */
bool repeats_find(struct kernel_plan *plan, const struct case_spec *spec,
                  const struct expected *expected, const struct launch_tools *tools,
                  struct device *device, const struct evaluation *first, struct verdict *verdict,
                  struct error *error);

#endif
