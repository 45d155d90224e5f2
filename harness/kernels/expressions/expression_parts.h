/*
 * expression_parts — what the files of this folder share: taking the words of an expression,
 * finding what names mean, tables, and the kernel text that comes of it all.
 */
#ifndef PAIRMARK_KERNELS_EXPRESSIONS_EXPRESSION_PARTS_H
#define PAIRMARK_KERNELS_EXPRESSIONS_EXPRESSION_PARTS_H

#include "core/cache.h"
#include "core/error.h"
#include "core/strings.h"
#include "kernels/expressions/expression.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- words, one after the other ---- */

/*
 * What takes a word leaves the reader at the next one. What fails returns false with the error set:
 * STATUS_BAD_INPUT, begun by the place, "PATH:LINE:COLUMN: " or "column N: ".
 */
struct reader {
    const char *text, *at;
    const char *path; /* NULL: an option */
    struct expression *expression;
    int depth;
    struct error *error;
};

/* `place`: bytes from the text's begin. */
__attribute__((format(printf, 3, 4))) bool reader_fail_at(const struct reader *reader, size_t place,
                                                          const char *format, ...);
/* "expected WHAT, not 'FOUND'" */
bool reader_fail_expected(const struct reader *reader, const char *what);

/* Where the reader stands. */
size_t reader_place(const struct reader *reader);

/* How long the number is that begins at `at`; 0: none does. Digits with a point and an exponent. */
size_t reader_number_length(const char *at);

/* Also comments, in a file. */
void reader_skip_space(struct reader *reader);
bool reader_take_sign(struct reader *reader, char sign);
bool reader_take_name(struct reader *reader, char name[EXPRESSION_NAME_SIZE]);
bool reader_take_number(struct reader *reader, double *value);

/* ---- names ---- */

/* Whether it is a variable or a function. */
bool expression_name_is_reserved(const struct expression *expression, const char *name);

/* -1: no definition has the name. */
int expression_find_definition(const struct expression *expression, const char *name);

/* Gives every node that is a name the definition, variable or function that it names. False with
 * the error set for an unknown name (the message suggests the nearest), for definitions in a
 * circle, and for one that nothing uses. */
bool expression_names_resolve(struct reader *reader);

/* ---- tables ---- */

/*
 * A function of one variable, given by its values: a natural cubic spline through them, 0 outside.
 *
 * A file has a line per value: the variable and the value, apart by spaces or a comma; '#' begins a
 * comment. Variables ascend in equal steps, so that the interval is found by one product.
 *
 * Source of the spline: C. de Boor, A Practical Guide to Splines (1978), chapter IV.
 */

enum { TABLE_MIN_VALUES = 3, TABLE_MAX_VALUES = 1000 };

struct expression_table {
    char *text; /* the file's */
    char hash[HASH_TEXT_SIZE];
    int count;
    double first, step; /* of the variable */
    double value[TABLE_MAX_VALUES];
    double curvature[TABLE_MAX_VALUES]; /* step^2 times the second derivative */
};

/* STATUS_BAD_INPUT "path:line: what is wrong; expected what"; free with expression_table_free(). */
bool expression_table_read(const char *path, struct expression_table **table, struct error *error);
void expression_table_free(struct expression_table *table); /* also NULL */

/* The kernel text of table number `number`: expression_tableN(x) and expression_tableN_slope(x). */
void expression_table_append(const struct expression_table *table, int number, struct strbuf *text);

/* ---- kernel text ---- */

/*
 * The kernel text of an expression: a function like those of variants/interactions/, which returns
 * f/r and sets the energy.
 *
 *   DEVICE real expression_force_over_r(real r2, real4 particle_i, real4 particle_j, real p0, ...,
 *                                       real value_0i, real value_0j, ..., real *energy)
 *
 * takes all parameters in the order of their definitions, then what has a value per particle, of
 * both particles. It is made of sums and products (below), differentiated by r^2, so that no
 * root is taken where only even powers of r stand; each value that is needed twice is computed
 * once.
 */

#define KERNEL_WORDS_NO_PLACE SIZE_MAX

/* Fills in `kernel` and `operations`: the first text has numbers in the place of parameters without
 * values for single types, the second takes all from its arguments. STATUS_BAD_INPUT for a constant
 * that is no finite number, and where the energy changes when the particles change places;
 * STATUS_OUT_OF_MEMORY. *place: where in what was read that constant is, KERNEL_WORDS_NO_PLACE:
 * nowhere alone. */
bool kernel_words_make(struct expression *expression, size_t *place, struct error *error);

/* ---- algebra ---- */

/* An expression as sums, products and calls, each value once. Private to expression/.
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
 * of r is kept as that: (s/r)^12 is (s^2 / r^2)^6, and s^12 is never computed. */

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
