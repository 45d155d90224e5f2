/*
 * pair_text — a pair function as OpenMM's OpenCL and CUDA platforms take one: a piece of kernel
 * text that is put where a pair is computed.
 *
 * It finds atom1, atom2, r, r2, invR, isExcluded, posq1, posq2, its own parameters NAME1 and NAME2,
 * arrays, and the macros NUM_ATOMS, PADDED_NUM_ATOMS, USE_CUTOFF, USE_PERIODIC, CUTOFF,
 * CUTOFF_SQUARED, USE_DOUBLE_PRECISION; and adds the energy to tempEnergy and -(dE/dr)/r to dEdR.
 * That is what OpenMM's kernels take dEdR for (the nonbonded kernel of its OpenCL platform: the
 * force on atom1 is -dEdR times the vector from atom1 to atom2); its developer guide calls it the
 * derivative.
 *
 * The comment that begins the text declares what it needs:
 *
 *   @parameter NAME TYPE "FILE" [column WORD] ...  a value per particle, of TYPE real or float, or
 *                                                  real2 to real4 (float2 to float4) from as many
 *                                                  files or columns
 * (kernels/expressions/expression.h)
 *   @argument NAME "FILE"                          an array of real: a number per line
 *   @define NAME [WORDS]                           a macro
 *   @dEdR derivative                               the text adds dE/dr, as the guide says
 *
 * Files lie beside the text. docs/interactions.md says more.
 */
#ifndef PAIRMARK_KERNELS_POTENTIALS_PAIR_TEXT_H
#define PAIRMARK_KERNELS_POTENTIALS_PAIR_TEXT_H

#include "core/cache.h"
#include "core/strings.h"
#include "kernels/potentials/interaction.h"

enum {
    PAIR_TEXT_NAME_SIZE = 32,
    PAIR_TEXT_MAX_VALUES = 8, /* numbers per particle, in all parameters */
    PAIR_TEXT_MAX_ARRAYS = 4,
    PAIR_TEXT_MAX_MACROS = 32
};

struct pair_text_parameter {
    char name[PAIR_TEXT_NAME_SIZE];
    int components; /* 1 to 4 */
    int given;      /* of terms: of so many columns, the others are 0 */
    int first;      /* among the values, or the columns */
};

struct pair_text_array {
    char name[PAIR_TEXT_NAME_SIZE];
    struct particle_values *numbers;
};

struct pair_text_macro {
    char name[PAIR_TEXT_NAME_SIZE];
    char *words;
};

/* The columns of a file of bonded terms, which texts of such terms have their parameters of. */
struct pair_text_columns {
    const char *const *name;
    int count;
    int atoms; /* of a term */
};

struct pair_text {
    char *path;
    int atoms;  /* of the bonded term that it computes; 0: it is of pairs */
    char *body; /* after the comment */
    int line;   /* of the file, where the body begins; from 1 */
    struct pair_text_parameter parameters[PAIR_TEXT_MAX_VALUES];
    int parameter_count;
    struct particle_values *values[PAIR_TEXT_MAX_VALUES]; /* of pairs */
    int column[PAIR_TEXT_MAX_VALUES];                     /* of terms, of their file */
    int value_count;
    struct pair_text_array arrays[PAIR_TEXT_MAX_ARRAYS];
    int array_count;
    struct pair_text_macro macros[PAIR_TEXT_MAX_MACROS];
    int macro_count;
    bool is_derivative;        /* dEdR is dE/dr */
    bool uses_atoms;           /* atom1, atom2, ... stand in it */
    char hash[HASH_TEXT_SIZE]; /* of text, values and arrays */
    char *identity;            /* what rows call it */
    char *kernel;              /* the pair function: kernel text */
    char kernel_path[64];      /* what that is called: no file */
};

/* Whether a file is meant to be one: its name ends in .omm. */
bool pair_text_is_meant(const char *path);

/* STATUS_BAD_INPUT "path:line: what is wrong; expected what". Free with pair_text_free(). */
bool pair_text_read(const char *path, struct pair_text **text, struct error *error);
void pair_text_free(struct pair_text *text); /* also NULL */

/* Whether a name stands in the text as a word, comments included. */
bool pair_text_has_word(const struct pair_text *text, const char *name);

/* The interaction that a text is: one function, `text`. The text must outlive it. */
void interaction_of_text(const struct pair_text *text, struct interaction *interaction);

/* ---- bonded terms ---- */

/*
 * The energy and the forces of a bonded term as OpenMM's OpenCL and CUDA platforms take them
 * (BondedUtilities): a piece of kernel text that is put where a term is computed.
 *
 * It finds index, atom1, atom2, ... (int), pos1, pos2, ... (real4), its parameters PARAMS[index],
 * arrays, and the macros above; adds the energy to `energy` and declares the force on each
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
