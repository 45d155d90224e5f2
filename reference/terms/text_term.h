/*
 * text_term — a bonded term that is a piece of kernel text: its energy, the forces that follow from
 * it, and what errors do to both. Private to reference/.
 *
 * The energy is a function of the places relative to the first particle. Forces are minus its
 * derivatives by each coordinate, found one by one by the interpreter of the text (text_program.h);
 * never the text's own. The scale of a particle is |force| and a quarter of the worst that rounding
 * does to the derivatives of the words as they stand, as far as that is no more than errors of the
 * places twice as large as they are would come to. Slopes are twice the norm of the second
 * derivatives by all coordinates: those by one coordinate each, and the others by how far v H v is
 * from the trace of H along directions v of ones and minus ones, whose mean square is twice the sum
 * of their squares (M. F. Hutchinson, Commun. Stat. Simul. Comput. 18 (1989) 1059).
 */
#ifndef PAIRMARK_REFERENCE_TERMS_TEXT_TERM_H
#define PAIRMARK_REFERENCE_TERMS_TEXT_TERM_H

#include "reference/terms/bonded_term.h"

struct text_program;
struct kernel_term;

/* See bonded_term_evaluate_written(): `atoms` particles, `result` zeroed. Where the text has no
 * derivative the result is no number. */
void text_term_evaluate(const struct text_program *program, int atoms,
                        const struct kernel_term *term, long double step[3][3],
                        struct bonded_result *result);

/* Whether the energy stays when all particles are moved alike, as far as this term shows. */
bool text_term_stays(const struct text_program *program, int atoms, const struct kernel_term *term,
                     long double step[3][3]);

#endif
