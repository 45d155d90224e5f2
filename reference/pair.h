/*
 * pair — the pair functions that the reference knows, in double. Private to reference/.
 *
 * A pair function is one line of the table in pair.c. It sees the distance and both particles'
 * types and charges, so that charged and per-type interactions need no other way in.
 */
#ifndef PAIRMARK_REFERENCE_PAIR_H
#define PAIRMARK_REFERENCE_PAIR_H

#include "variant/interaction.h"

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
struct pair_model {
    pair_evaluate *evaluate;
    double parameter[INTERACTION_MAX_PARAMETERS];
};

/* Errors: STATUS_UNSUPPORTED when no pair function has the interaction's name, or the interaction
 * lacks a parameter that the function needs. */
bool pair_model_bind(const struct interaction *interaction, struct pair_model *model,
                     struct error *error);

#endif
