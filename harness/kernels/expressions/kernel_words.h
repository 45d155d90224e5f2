/*
 * kernel_words — the kernel text of an expression: a function like those of variants/interactions/,
 * which returns f/r and sets the energy.
 *
 *   DEVICE real expression_force_over_r(real r2, real4 particle_i, real4 particle_j, real p0, ...,
 *                                       real value_0i, real value_0j, ..., real *energy)
 *
 * takes all parameters in the order of their definitions, then what has a value per particle, of
 * both particles. It is made of sums and products
 * (algebra.h), differentiated by r^2, so that no root is taken where only even powers of r stand;
 * each value that is needed twice is computed once.
 */
#ifndef PAIRMARK_KERNELS_EXPRESSIONS_KERNEL_WORDS_H
#define PAIRMARK_KERNELS_EXPRESSIONS_KERNEL_WORDS_H

#include "kernels/expressions/expression.h"

#include <stdint.h>

#define KERNEL_WORDS_NO_PLACE SIZE_MAX

/* Fills in `kernel` and `operations`: the first text has numbers in the place of parameters without
 * values for single types, the second takes all from its arguments. STATUS_BAD_INPUT for a constant
 * that is no finite number, and where the energy changes when the particles change places;
 * STATUS_OUT_OF_MEMORY. *place: where in what was read that constant is, KERNEL_WORDS_NO_PLACE:
 * nowhere alone. */
bool kernel_words_make(struct expression *expression, size_t *place, struct error *error);

#endif
