/*
 * term_text — the energy and the forces of a bonded term as OpenMM's OpenCL and CUDA platforms take
 * them (BondedUtilities): a piece of kernel text that is put where a term is computed.
 *
 * It finds index, atom1, atom2, ... (int), pos1, pos2, ... (real4), its parameters PARAMS[index],
 * arrays, and the macros of pair_text.h; adds the energy to `energy` and declares the force on each
 * particle as force1, force2, ... (real3 or real4). Places are relative to that of the first
 * particle, and those of nearest images: pos1 is the origin. Fourth components are 0.
 * APPLY_PERIODIC is 0, and APPLY_PERIODIC_TO_DELTA(delta) does nothing. The comment that begins the
 * text declares
 *
 *   @parameter NAME TYPE COLUMN ...  of real, real2 or real4 (or float, float2, float4), from as
 * many columns of the terms' file or fewer; the others are 0
 *   @argument NAME "FILE"            an array of real: a number per line
 *   @define NAME [WORDS]             a macro
 *
 * docs/bonded.md says more.
 */
#ifndef PAIRMARK_KERNELS_POTENTIALS_TERM_TEXT_H
#define PAIRMARK_KERNELS_POTENTIALS_TERM_TEXT_H

#include "kernels/potentials/pair_text.h"

/* `function` names the kernel function:
 *
 *   DEVICE real FUNCTION(int index, int terms, GLOBAL const real *numbers, real4 pos2, ...,
 *                        real4 *on_1, ...)
 *
 * which returns the energy of term `index` of `terms`; see term_text_place() for `numbers`.
 * STATUS_BAD_INPUT "path:line: what is wrong; expected what". Free with pair_text_free(). */
bool term_text_read(const char *path, const struct pair_text_columns *columns, const char *function,
                    struct pair_text **text, struct error *error);

/* How many reals kernels get per term. */
int term_text_width(const struct pair_text *text);

/* Particles whose number a float holds: to this one. */
#define TERM_TEXT_MAX_ATOM_IN_FLOAT (1 << 24)

/* Puts those of term `index` of `terms` in their places among the numbers of all: parameter by
 * parameter, the widest first; then its particles, where the text uses them. `values` are
 * the term's, by the columns of the file; `atom` its particles, from 0. */
void term_text_place(const struct pair_text *text, const double *values, const int32_t *atom,
                     size_t index, size_t terms, double *numbers);

#endif
