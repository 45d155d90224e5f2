/*
 * eval_report — what `pairmark eval` prints: the case, its numbers, and how they compare with the
 * reference.
 */
#ifndef PAIRMARK_COMMANDS_CONSOLE_EVAL_REPORT_H
#define PAIRMARK_COMMANDS_CONSOLE_EVAL_REPORT_H

#include "measure/measure.h"
#include "molecules/bonded.h"

struct eval_result {
    const struct case_spec *spec;
    const char *device;
    const struct evaluation *evaluation;
    const struct verdict *verdict; /* NULL: not compared */
    bool has_terms;                /* there are bonded terms, whose energies were computed: */
    struct bonded_energies terms;  /* those of the reference */
};

/* A line per number, to stdout. */
void eval_report_text(const struct eval_result *result);

/* One JSON object on one line, to stdout, numbers with 17 digits. */
void eval_report_json(const struct eval_result *result);

#endif
