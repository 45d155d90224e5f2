/*
 * algebra — an expression as sums, products and calls, each value once. Private to expression/.
 *
 * Nodes are made in a normal form: sums of sums and products of products are one, like terms and
 * like factors are merged, constants are worked out, what all terms of a sum have in common stands
 * before it. So what is computed alike is one node, and has one number.
 *
 *   NUMBER   value
 *   SUM      value + sum over terms of factor * node
 *   PRODUCT  value * product over terms of node ^ factor
 *   CALL     function(nodes)
 *
 * The distance is the root of SQUARE. A power of what is surely a product of parameters and powers
 * of r is kept as that: (s/r)^12 is (s^2 / r^2)^6, and s^12 is never computed.
 */
#ifndef PAIRMARK_KERNELS_EXPRESSIONS_ALGEBRA_H
#define PAIRMARK_KERNELS_EXPRESSIONS_ALGEBRA_H

#include "core/error.h"

#include <stddef.h>

enum algebra_kind {
    ALGEBRA_NUMBER,
    ALGEBRA_PARAMETER, /* `index`; from EXPRESSION_MAX_PARAMETERS on, what values of particles are
                          mixed to */
    ALGEBRA_SQUARE,    /* r^2 */
    ALGEBRA_VARIABLE,  /* of a term: derivatives are by it, not by r^2 */
    ALGEBRA_CHARGE,    /* `index`: 0 of the one particle, 1 of the other; 2 and 3 the first of what
                          has a value per particle, and so on */
    ALGEBRA_SUM,
    ALGEBRA_PRODUCT,
    ALGEBRA_CALL, /* `index`: enum expression_function */
    ALGEBRA_POWER /* of a base to a value that is no number: two terms */
};

struct algebra_term {
    int node;
    double factor; /* of a sum; the exponent in a product; 1 of a call */
};

struct algebra_node {
    enum algebra_kind kind;
    int index;
    double value;
    int count;
    struct algebra_term *terms; /* sorted by node, but of calls */
    int derivative;             /* by r^2; -1: not known yet */
};

struct algebra {
    struct algebra_node *nodes;
    int count, capacity;
    bool failed;    /* memory ran out, or there are too many nodes */
    bool no_memory; /* the first of these */
};

void algebra_free(struct algebra *algebra);

/* All return the number of a node, 0 (the number 0) once the algebra failed. */
int algebra_number(struct algebra *algebra, double value);
int algebra_leaf(struct algebra *algebra, enum algebra_kind kind, int index);
int algebra_call(struct algebra *algebra, int function, const int *operands, int count);
int algebra_add(struct algebra *algebra, int a, double factor_a, int b, double factor_b);
int algebra_multiply(struct algebra *algebra, int a, int b);
int algebra_power(struct algebra *algebra, int base, double exponent);
int algebra_raise(struct algebra *algebra, int base, int exponent); /* by a value */

/* d node / d(r^2) */
int algebra_derivative(struct algebra *algebra, int node);

/* Whether the node has the same value where the two particles change places: found by trying some
 * distances and charges. */
bool algebra_is_symmetric(struct algebra *algebra, int node);

#endif
