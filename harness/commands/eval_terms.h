/*
 * eval_terms — the energies of the kinds of bonded terms, which kernels add up in one number.
 */
#ifndef PAIRMARK_COMMANDS_EVAL_TERMS_H
#define PAIRMARK_COMMANDS_EVAL_TERMS_H

#include "kernels/case.h"
#include "molecules/bonded.h"

/* As the reference has them for the box that the device gets. Errors: those of making or reading
 * the box, of bonded_resolve() and reference_bonded(). */
bool eval_terms(const struct case_spec *spec, struct bonded_energies *energies,
                struct error *error);

#endif
