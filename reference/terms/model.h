/*
 * model — what acts between the particles of a box, as the reference understands the interaction
 * that the user named. Private to reference/.
 *
 * Made of what was parsed: the functions' names and parameters, the values for single types, the
 * records of a table, the pairs of a list of exclusions. What follows from these (mixing, defaults,
 * which pair is left out) is worked out here from the definitions; nothing that harness/kernels
 * resolves for kernels is looked at.
 */
#ifndef PAIRMARK_REFERENCE_TERMS_MODEL_H
#define PAIRMARK_REFERENCE_TERMS_MODEL_H

#include "boxes/box.h"
#include "reference/interpreter/text_program.h"
#include "reference/terms/pair.h"

/* A pair function with its parameters bound. */
struct pair_term {
    pair_evaluate *evaluate;
    struct formula
        *formula; /* of an expression, which has it in the place of the above; else NULL */
    struct text_program *text; /* of kernel text, likewise */
    bool in_lanes;             /* see struct pair_function */
    enum term_kind kind;
    double cutoff; /* INFINITY: none of its own */
    double jump;   /* where its force, or the slope of it, jumps; INFINITY: nowhere */
    bool may_jump; /* it does so where each pair's value says; `jump` is INFINITY */
    double parameter[PAIR_MAX_PARAMETERS];
    int parameters;
    double *of_types; /* an entry per ordered pair of types: cutoff (less than 0: the pair has no
                         such term), then the parameters; NULL: all pairs have the above */
};

/* A sum of them. */
struct pair_model {
    struct pair_term terms[INTERACTION_MAX_FUNCTIONS];
    int count;
    bool energies_apart;  /* terms of both kinds */
    bool charged;         /* a term wants charges */
    bool of_particles;    /* or what each particle has a value of, or which particles they are */
    bool passes_excluded; /* pairs that are left out have terms, which are told so */
    int32_t types;
    const int32_t *molecule;  /* per particle: pairs within one are left out; NULL: they are not */
    uint32_t *excluded_start; /* of particle i: excluded[excluded_start[i]] up to the next's; */
    uint32_t *excluded;       /* ascending. NULL: no pairs are listed */
};

/* For a box; a NULL box has one type and nothing excluded. Errors: STATUS_UNSUPPORTED when no pair
 * function has the name of one of the interaction's, or the interaction lacks a parameter that the
 * function needs; STATUS_BAD_INPUT when the interaction names a type, a particle or molecules that
 * the box lacks, or a term reaches beyond the cutoff; STATUS_OUT_OF_MEMORY. */
bool pair_model_bind(const struct interaction *interaction, const struct box *box, double cutoff,
                     struct pair_model *model, struct error *error);
void pair_model_free(struct pair_model *model); /* also of a zeroed one */

/* What a term comes to for a pair. */
void pair_term_evaluate(const struct pair_term *term, const double *parameter,
                        const struct pair *pair, struct pair_value *value);

/* The cutoff of a term for a pair (less than 0: the pair has no such term) and its parameters. */
double pair_term_for(const struct pair_model *model, int term, const struct pair *pair,
                     const double **parameter);

/* Whether the interaction leaves the pair out: then it has no terms. */
bool pair_model_excludes(const struct pair_model *model, uint32_t a, uint32_t b);
/* Whether a pair that has terms is to be told that it is left out. */
bool pair_model_passes_excluded(const struct pair_model *model, uint32_t a, uint32_t b);

#endif
