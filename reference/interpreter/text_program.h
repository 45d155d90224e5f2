/*
 * text_program — a pair function that is a piece of kernel text (kernels/potentials/pair_text.h),
 * as the reference understands it. Private to reference/.
 *
 * It reads the words of C that such texts are made of (#if and macros; numbers, vectors of two to
 * four; if, for, while; calls) and evaluates them statement by statement in long double, with first
 * and second derivatives by the distance carried along (dual.h). Only what the text adds to
 * tempEnergy is looked at: the force is the derivative of that, never the text's own dEdR. No
 * compiler of a device is asked.
 *
 * Texts of bonded terms (kernels/potentials/pair_text.h) are read by the same words; what they add
 * to `energy` is evaluated with derivatives along any displacement of their particles.
 */
#ifndef PAIRMARK_REFERENCE_INTERPRETER_TEXT_PROGRAM_H
#define PAIRMARK_REFERENCE_INTERPRETER_TEXT_PROGRAM_H

#include "kernels/potentials/pair_text.h"
#include "reference/interpreter/dual.h"
#include "reference/interpreter/pair_value.h"

struct text_program;

/* What the macros of a text stand for. */
struct kernel_scene {
    size_t n;
    bool is_periodic;
    double cutoff; /* INFINITY: none */
};

/* Reads the text, which must outlive what is read. STATUS_BAD_INPUT "path:line: what is wrong" for
 * what it does not understand, and of a name that nothing has, the nearest that there is. */
bool text_program_read(const struct pair_text *text, const struct kernel_scene *scene,
                       struct text_program **program, struct error *error);
void text_program_free(struct text_program *program); /* also NULL */

/* See formula_evaluate(); the pair says which particles it is of, and whether it is excluded. */
void text_program_evaluate(const struct text_program *program, const struct pair *pair,
                           struct pair_value *value);

/* The same of a text of a bonded term: STATUS_BAD_INPUT also where it declares no force of a
 * particle. Of the scene only is_periodic is looked at. */
bool text_program_read_term(const struct pair_text *text, bool is_periodic,
                            struct text_program **program, struct error *error);

/* What a text of a term has of it. */
struct kernel_term {
    const double *column; /* its numbers, by the columns of its file */
    const int32_t *atom;  /* its particles, from 0 */
};

/* The energy of a term, with its derivatives along a direction: `place` and `direction` of each of
 * its particles, places relative to the first one's. No number where the text does not end. */
struct dual text_program_evaluate_term(const struct text_program *program,
                                       const struct kernel_term *term, long double place[][3],
                                       long double direction[][3]);

#endif
