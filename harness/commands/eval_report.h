/*
 * eval_report — what `pairmark eval` prints: the case, its numbers, and how they compare with the
 * reference.
 */
#ifndef PAIRMARK_COMMANDS_EVAL_REPORT_H
#define PAIRMARK_COMMANDS_EVAL_REPORT_H

#include "kernels/case.h"
#include "measure/measure.h"
#include "reference/bonded/bonded.h"

struct eval_result {
    const struct case_spec *spec;
    const char *device;
    const struct evaluation *evaluation;
    const struct verdict *verdict; /* NULL: not compared */
    bool has_terms;                /* there are bonded terms, whose energies were computed: */
    struct bonded_energies terms;  /* those of the reference */
};

/* To stdout: a line per number, or one JSON object on one line, numbers with 17 digits. */
void eval_report(const struct eval_result *result, bool json);

/* The energies of the kinds of bonded terms, which kernels add up in one number: as the reference
 * has them for the box that the device gets. Errors: those of making or reading the box, of
 * bonded_resolve() and reference_bonded(). */
bool eval_terms(const struct case_spec *spec, struct bonded_energies *energies,
                struct error *error);

#endif
