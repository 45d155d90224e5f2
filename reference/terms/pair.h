/*
 * pair — the pair functions that the reference knows, in double. Private to reference/.
 *
 * A pair function is one line of the table in pair.c: its name, its parameters in their order, how
 * each is mixed, which energy it belongs to. It sees the distance and both particles' charges.
 */
#ifndef PAIRMARK_REFERENCE_TERMS_PAIR_H
#define PAIRMARK_REFERENCE_TERMS_PAIR_H

#include "kernels/potentials/interaction.h"
#include "reference/interpreter/pair_value.h"

/* `parameter` holds the values in the order in which the function's line of the table names them.
 */
typedef void pair_evaluate(const double *parameter, const struct pair *pair,
                           struct pair_value *value);

struct pair_function {
    const char *name;
    pair_evaluate *evaluate;
    enum term_kind kind;
    bool in_lanes; /* it is Lennard-Jones, which lanes.c computes for many pairs at a time */
    bool typed;    /* parameters may depend on the pair of types */
    struct {
        const char *name; /* NULL: no further one */
        enum pair_mixing mixing;
    } parameters[PAIR_MAX_PARAMETERS];
    /* Puts what `said` leaves open in its place, and what follows from the parameters after them.
     * NULL: nothing to do. */
    void (*prepare)(const struct interaction_parameter *said, double *parameter);
    double (*reach)(const double *parameter); /* where it ends by itself; NULL: nowhere */
    double (*jump)(const double *parameter);  /* see struct pair_term; NULL: none */
};

/* Lennard-Jones: one division for all three. */
static inline void pair_lennard_jones(double epsilon, double sigma, double r2, double *energy,
                                      double *over_r, double *slope) {
    const double inverse2 = 1.0 / r2;
    const double s2 = sigma * sigma * inverse2;
    const double s6 = s2 * s2 * s2;
    *energy = 4.0 * epsilon * s6 * (s6 - 1.0);
    *over_r = 24.0 * epsilon * s6 * (2.0 * s6 - 1.0) * inverse2;
    *slope = -24.0 * epsilon * s6 * (26.0 * s6 - 7.0) * inverse2;
}

/* NULL: there is none of the name. */
const struct pair_function *pair_function_named(const char *name);

#endif
