/*
 * pair — the pair functions that the reference knows, in double. Private to reference/.
 *
 * A pair function is one line of the table in pair.c. It sees the distance and both particles'
 * types and charges, so that charged and per-type interactions need no other way in.
 */
#ifndef PAIRMARK_REFERENCE_PAIR_H
#define PAIRMARK_REFERENCE_PAIR_H

#include "variant/interaction.h"
#include "variant/type_parameters.h"

#include <stdint.h>

struct pair {
    double r2, r; /* squared distance and distance */
    int32_t type[2];
    double charge[2];
};

struct pair_value {
    double energy; /* u(r) */
    double force;  /* f(r) = -du/dr: positive pushes the particles apart */
    double slope;  /* df/dr */
};

/* `parameter` holds the values in the order in which the function's line of the table names them.
 */
typedef void pair_evaluate(const double *parameter, const struct pair *pair,
                           struct pair_value *value);

/* A pair function with its parameters bound. */
struct pair_term {
    pair_evaluate *evaluate;
    enum term_kind kind;
    double cutoff; /* INFINITY: none of its own */
    double corner; /* where its force, or the slope of it, jumps; INFINITY: nowhere */
    double parameter[INTERACTION_MAX_PARAMETERS];
    int typed; /* where its cutoff and parameters begin in an entry of the types'; -1: as above */
};

/* A sum of them. */
struct pair_model {
    struct pair_term terms[INTERACTION_MAX_FUNCTIONS];
    int count;
    struct type_parameters types;
};

/* For the box's types; a NULL box has none. Errors: STATUS_UNSUPPORTED when no pair function has
 * the name of one of the interaction's, or the interaction lacks a parameter that the function
 * needs; STATUS_BAD_INPUT when the interaction names a type that the box lacks. */
bool pair_model_bind(const struct interaction *interaction, const struct box *box,
                     struct pair_model *model, struct error *error);
void pair_model_free(struct pair_model *model); /* also of a zeroed one */

/* The cutoff of a term for a pair (less than 0: the pair has no such term) and its parameters. */
double pair_term_for(const struct pair_model *model, int term, const struct pair *pair,
                     const double **parameter);

#endif
