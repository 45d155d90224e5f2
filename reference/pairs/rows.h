/*
 * rows — the reference by all processors. Private to reference/.
 *
 * Each particle's row of partners is summed by itself, from its own side of every pair, in the
 * order of its partners' sites; what is summed over the box is summed per particle, then per fixed
 * range of particles, then over these in their order. So no bit depends on the number of threads,
 * and some particles can be asked for alone.
 */
#ifndef PAIRMARK_REFERENCE_PAIRS_ROWS_H
#define PAIRMARK_REFERENCE_PAIRS_ROWS_H

#include "reference/pairs/reference.h"

/* NULL `particle`: of every particle, with the sums over the box; else
 * of these `count` alone, see reference_compute_some(). Errors as reference_direct(). */
bool reference_rows(const struct reference_case *asked, const uint32_t *particle, size_t count,
                    struct reference *reference, struct error *error);

/* The same of all particles without the spread, as a step needs it: pairs so much `wider` than the
 * reference's own width from a cutoff are edge pairs, too. The cutoff is finite. */
bool reference_rows_of_step(const struct reference_case *asked, double wider,
                            struct reference *reference, struct error *error);

#endif
