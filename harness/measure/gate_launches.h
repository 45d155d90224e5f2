/*
 * gate_launches — the launches of the gate, one kind a function. Private to this folder.
 *
 * Each finds the case prepared, and does nothing where *verdict is not STATUS_OK. A result that is
 * wrong goes into *verdict, with when it was; false and *error mean that the device failed or that
 * memory ran out.
 */
#ifndef PAIRMARK_MEASURE_GATE_LAUNCHES_H
#define PAIRMARK_MEASURE_GATE_LAUNCHES_H

#include "measure/one_case.h"

/* ---- the host compares ---- */

/* One or two runs, both compared with the reference, and with each other bit by bit: what is right
 * once may race the second time. *first, zeroed before, is what the first gave; the caller frees
 * it. */
bool gate_first(const struct one_case *one, bool twice, struct evaluation *first,
                struct verdict *verdict, struct error *error);

/* A run over outputs that are neither unwritten nor right, though what the kernel keeps for itself
 * stays: finds those that compute only where they see that they must. */
bool gate_over_others(const struct one_case *one, struct verdict *verdict, struct error *error);

/* For what a result has the same bits: another run, another order of particles, work-groups of
 * another size. Reported in words, "run, order, not shape"; what is not named was not tried. The
 * particles are then in another order. */
bool gate_repeats(const struct one_case *one, const struct evaluation *first,
                  struct verdict *verdict, struct error *error);
/* Writes the hash of the bits of a result into the verdict. */
void gate_note_hash(const struct evaluation *evaluation, struct verdict *verdict);

/* ---- the judge of launches compares; one->judge is there where the verdict is STATUS_OK ---- */

/* Over what the last launch left, as often as costs little: finds what is wrong now and then, or
 * from some launch on, and what takes particles that are near in space for near in memory. */
bool gate_again(const struct one_case *one, struct verdict *verdict, struct error *error);

/* Over particles in other orders, then a little off their places; of random numbers, another seed.
 */
bool gate_orders(const struct one_case *one, struct verdict *verdict, struct error *error);

/* Over particles as far from their places as what outlives moves must bear. */
bool gate_far(const struct one_case *one, struct verdict *verdict, struct error *error);

/* One launch, behind others that nobody judged. */
bool gate_afterwards(const struct one_case *one, struct verdict *verdict, struct error *error);

/* ---- parts ---- */

/* Builds the structure, then evaluates once from poisoned outputs; the caller frees the evaluation.
 */
bool gate_evaluate(struct kernel_plan *plan, struct evaluation *evaluation, struct error *error);

/* A write outside of the buffers is a fault of its own, and may be why results are wrong. To be
 * called while the buffers of the case are there. */
void gate_guards(struct device *device, struct verdict *verdict);

/* Compares with what is expected of the case; what *verdict says of repetitions stays. */
void expected_compare(const struct expected *expected, const struct case_spec *spec,
                      const struct evaluation *evaluation, struct verdict *verdict);

/* An error ends the gate with its status. */
void verdict_stop(struct verdict *verdict, const struct error *error);
/* Says when it was that a result turned out wrong. */
void verdict_say_when(struct verdict *verdict, const char *when);
/* Puts one verdict's status and message in the place of another's, if it is not ok; the errors of
 * the gate stay. */
void verdict_take_over(struct verdict *verdict, const struct verdict *later, const char *when);

#endif
