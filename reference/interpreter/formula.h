/*
 * formula — a pair function that the user wrote down, as the reference understands it. Private to
 * reference/.
 *
 * It has a reader of its own for the user's words (what they mean: docs/interactions.md), and
 * evaluates what was read as it stands, operation by operation, in long double, with first and
 * second derivatives by the distance carried along (dual numbers). Nothing is simplified, and
 * nothing of what makes kernel text is looked at.
 *
 * Along with each value goes how far rounding may move it, to first order, in units of roundoff:
 * what every operation does on its own, passed on by all that follow. Where terms cancel, this is
 * more than the result shows, and becomes part of what tolerances are made of: see
 * formula_evaluate().
 */
#ifndef PAIRMARK_REFERENCE_INTERPRETER_FORMULA_H
#define PAIRMARK_REFERENCE_INTERPRETER_FORMULA_H

#include "kernels/potentials/interaction.h"
#include "reference/interpreter/dual.h"
#include "reference/interpreter/pair_value.h"

struct formula;

/* Reads the words. STATUS_UNSUPPORTED for what it does not understand, or other parameters than
 * the interaction's `function` has; STATUS_OUT_OF_MEMORY. */
bool formula_read(const char *words, const struct interaction *interaction,
                  const struct interaction_function *function, struct formula **formula,
                  struct error *error);
/* The same of the energy of a term, which is a function of one variable. */
bool formula_read_term(const char *words, const char *variable, struct formula **formula,
                       struct error *error);
void formula_free(struct formula *formula); /* also NULL */

/* Kernels compute in double: what they may err by near a border is double's. */
void formula_in_double(struct formula *formula);

/* How a parameter is mixed. */
enum pair_mixing formula_mixing(const struct formula *formula, int parameter);

/* Whether u or f may jump at some distance: steps, kinks, ends of tables. */
bool formula_may_jump(const struct formula *formula);

/* Whether charges are among what it is of. */
bool formula_is_charged(const struct formula *formula);

/* Whether what each particle has a value of is: then pairs must say which particles they are of. */
bool formula_is_valued(const struct formula *formula);

/* See struct pair_value. Of a distance of 0, the values of one next to it: what ends there is
 * finite. */
void formula_evaluate(const struct formula *formula, const double *parameter,
                      const struct pair *pair, struct pair_value *value);

/* Of a term: the energy where the variable is q. All no numbers where memory ran out. */
struct dual formula_evaluate_term(const struct formula *formula, const double *parameter,
                                  long double q);

#endif
