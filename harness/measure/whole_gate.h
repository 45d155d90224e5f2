/*
 * whole_gate — a case through all of the gate: launches over outputs that are not right, over what
 * the last one left, over particles in other orders and places.
 */
#ifndef PAIRMARK_MEASURE_WHOLE_GATE_H
#define PAIRMARK_MEASURE_WHOLE_GATE_H

#include "measure/judge/expected.h"
#include "measure/launches/launch_judge.h"

/* How much of the gate comes before what else judges the results. */
enum gate_extent {
    GATE_ALONE,        /* nothing else does */
    GATE_BEFORE_TIMES, /* launches that are timed, each of which is judged: over particles in orders
                          and places, and outputs, that no launch has seen */
    GATE_SETTLED       /* one launch: an earlier visit passed all of the gate, or smaller boxes did
                          and a launch takes seconds */
};

/* What is judged, and what with. */
struct gate_scene {
    struct device *device;
    const struct launch_tools *tools; /* of its precision */
    struct kernel_plan *plan;
    const struct expected *expected;
    const struct case_spec *spec;
};

/* The gate to that extent. *judge, NULL before, is made on the way where results are right, for the
 * case to be timed with; the caller frees it whatever comes of it. What is wrong is in *verdict;
 * errors: those of the device, no memory. */
bool whole_gate_pass(const struct gate_scene *scene, enum gate_extent extent,
                     struct launch_judge **judge, struct verdict *verdict, struct error *error);

/* One round as it is timed: particles in another order, inputs watched, outputs overwritten
 * between launches. Errors: those of the device. */
bool whole_gate_round(struct launch_judge *judge, struct kernel_plan *plan, int launches,
                      struct verdict *verdict, struct error *error);

/* What was written outside of the buffers is a fault of its own, and may be why the results are
 * wrong. To be called while the buffers of the case are there. */
void whole_gate_look_at_guards(struct device *device, struct verdict *verdict);

/* Compares with what is expected of the case; what *verdict says of repetitions stays. */
void expected_compare(const struct expected *expected, const struct case_spec *spec,
                      const struct evaluation *evaluation, struct verdict *verdict);

/* An error ends the gate with its status. */
void verdict_stop(struct verdict *verdict, const struct error *error);
/* Says when it was that a result turned out wrong. */
void verdict_say_when(struct verdict *verdict, const char *when);
/* One verdict's status and message in the place of another's, if it is not ok; the errors of the
 * gate stay. */
void verdict_take_over(struct verdict *verdict, const struct verdict *later, const char *when);

#endif
