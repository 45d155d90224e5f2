/*
 * sampled_reference — what to compare with in a box too large for every particle to be computed
 * serially.
 *
 * The serial reference computes a random sample of the particles. Two kernels in double of
 * different structure and algorithm compute all of them, energy and virial; a third gives the
 * conditioning of each force, from which the gate derives its tolerances (conditioning.cl). What
 * they say is taken for a reference only when
 *
 *   - both kernels, over a small box of the same kind, agree with the serial reference in full,
 *   - over this box, each agrees with the serial reference on the sample, and with the other on all
 *     particles, energy and virial, and counts the same pairs,
 *   - on the sample, the conditioning is what the serial reference says it is, and so are each
 *     particle's energy and virial, which the host adds up to those that the kernels have.
 *
 * Agreement means the gate's tolerance in double. The sampled particles' forces are then the serial
 * ones; the others are one kernel's, which err by up to that tolerance themselves: struct reference
 * has it as `unit`, and the gate adds it to the tolerance of the case. In float that adds 2^-29 of
 * it; in double it doubles it.
 *
 * The sample is stratified: one particle out of each of k equal ranges of indices, so that no range
 * of 2 n / k particles is without one.
 */
#ifndef PAIRMARK_WORKLOADS_PAIRS_SAMPLED_REFERENCE_H
#define PAIRMARK_WORKLOADS_PAIRS_SAMPLED_REFERENCE_H

#include "reference/pairs/reference.h"
#include "workloads/judges.h"

/* The two that compute everything. */
struct sampled_judges {
    const struct variant *kernels[2];
};

/* The built-in ones: sorted_cells gathers for each particle from particles in the order of cells,
 * linked_cells_by_cell walks chains and adds to both particles of a pair atomically. */
bool sampled_judges_usual(const struct kernel_runner *runner, struct sampled_judges *judges,
                          struct error *error);

/* The reference of the question's case, without groups, with arrays for all particles and no edge
 * pairs (their jumps are in the slopes); caller frees. The cutoff is finite. *judged says what
 * was done. Errors: STATUS_UNSUPPORTED without double precision on the device; STATUS_SYSTEM where
 * kernels or sample disagree, saying which and by how much; those of reference_compute_some() and
 * of compiling and running the kernels. */
bool sampled_reference_make(const struct kernel_runner *runner,
                            const struct judge_question *question,
                            const struct sampled_judges *judges, struct reference *reference,
                            struct judged *judged, struct error *error);

#endif
