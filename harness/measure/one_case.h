/*
 * one_case — a case on its way from box to row. Private to this folder.
 */
#ifndef PAIRMARK_MEASURE_ONE_CASE_H
#define PAIRMARK_MEASURE_ONE_CASE_H

#include "measure/launches/launch_judge.h"
#include "measure/session.h"

struct one_case {
    struct session *session;
    struct device *device;
    const struct case_spec *spec;
    const struct expected *expected;  /* the box as the device has it, and the expected result */
    struct kernel_plan *plan;         /* kernels, buffers and the structure */
    const struct launch_tools *tools; /* of its precision */
    struct launch_judge *judge;       /* NULL until the first launches are right */
};

#endif
