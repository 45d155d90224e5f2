/*
 * expression — a pair function that the user wrote down: "energy = 4*eps*((s/r)^12 - (s/r)^6);
 * eps = 1; s = 1". What is read here becomes kernel text (kernel_words.c); the reference has a
 * reader of its own.
 *
 * A text is statements apart by ';'. The first says the energy; each of the others a value that
 * serves those before it, a parameter (a number, and how it is mixed), a parameter's value for one
 * type, a value per particle, or a table (expression_parts.h).
 * docs/interactions.md has the grammar.
 *
 * Variables: r, the distance; q1 and q2, the charges. A file may leave out "energy =", and has
 * comments from '#' to the end of a line. Functions and the order of definitions are those of
 * OpenMM's custom forces (OpenMM User Guide, "Writing Custom Expressions").
 */
#ifndef PAIRMARK_KERNELS_EXPRESSIONS_EXPRESSION_H
#define PAIRMARK_KERNELS_EXPRESSIONS_EXPRESSION_H

#include "core/cache.h"
#include "core/error.h"
#include "core/strings.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    EXPRESSION_NAME_SIZE = 32,
    EXPRESSION_TYPE_SIZE = 16, /* as names of species */
    EXPRESSION_MAX_DEFINITIONS = 64,
    EXPRESSION_MAX_PARAMETERS = 16,
    EXPRESSION_MAX_TYPE_VALUES = 24,
    EXPRESSION_MAX_TABLES = 4,
    EXPRESSION_MAX_VALUES = 8, /* parameters that each particle has a value of */
    EXPRESSION_MAX_NODES = 4096,
    EXPRESSION_MAX_OPERANDS = 3
};

enum expression_op {
    OP_NUMBER,
    OP_R,
    OP_Q1,
    OP_Q2,
    OP_DEFINED, /* `which` of the definitions */
    OP_TABLE,   /* `which` of the definitions, which is a table, of its one operand */
    OP_VALUE, /* `which` of the definitions, which is of particles: `number` 0 the mixed one, 1 and
                 2 that of either particle */
    OP_NEGATE,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_POWER,
    OP_CALL /* `which` of the functions */
};

enum expression_function {
    FUNCTION_SQRT,
    FUNCTION_EXP,
    FUNCTION_LOG,
    FUNCTION_SIN,
    FUNCTION_COS,
    FUNCTION_TAN,
    FUNCTION_ASIN,
    FUNCTION_ACOS,
    FUNCTION_ATAN,
    FUNCTION_SEC, /* these three and the four below are made of others (kernel_words.c) */
    FUNCTION_CSC,
    FUNCTION_COT,
    FUNCTION_SINH,
    FUNCTION_COSH,
    FUNCTION_TANH,
    FUNCTION_ERF,
    FUNCTION_ERFC,
    FUNCTION_ABS,
    FUNCTION_FLOOR,
    FUNCTION_CEIL,
    FUNCTION_SQUARE,
    FUNCTION_CUBE,
    FUNCTION_RECIP,
    FUNCTION_SIGN,  /* -1, 0 or 1 */
    FUNCTION_STEP,  /* 0 of less than 0, else 1 */
    FUNCTION_DELTA, /* 1 of 0, else 0 */
    FUNCTION_ATAN2, /* this one and those below have two operands, the last three */
    FUNCTION_MIN,
    FUNCTION_MAX,
    FUNCTION_POW,
    FUNCTION_SELECT, /* the third where the first is 0, else the second */
    FUNCTION_COUNT
};

struct expression_table;
struct particle_values;

struct expression_node {
    enum expression_op op;
    double number;
    int which;
    int operand[EXPRESSION_MAX_OPERANDS]; /* places among the nodes */
    size_t place;                         /* in what was read */
};

enum expression_mixing { EXPRESSION_UNMIXED, EXPRESSION_ARITHMETIC, EXPRESSION_GEOMETRIC };

struct expression_definition {
    char name[EXPRESSION_NAME_SIZE];
    size_t place;
    int node;      /* -1: a parameter, a table or values of particles */
    int parameter; /* its place among the parameters; -1: none */
    int table;     /* its place among the tables; -1: none */
    int values;    /* its place among the values of particles; -1: none */
    double value;
    enum expression_mixing mixing;
};

struct expression_type_value {
    int parameter;
    char type[EXPRESSION_TYPE_SIZE];
    double value;
};

struct expression {
    const char
        *variable; /* of a term: what it is a function of; NULL: of a pair, of r and charges */
    struct expression_definition
        definitions[EXPRESSION_MAX_DEFINITIONS]; /* the first is the energy */
    int definition_count;
    int parameters[EXPRESSION_MAX_PARAMETERS]; /* among the definitions, in their order */
    int parameter_count;
    struct expression_table *tables[EXPRESSION_MAX_TABLES];
    const char *table_texts[EXPRESSION_MAX_TABLES]; /* of their files, for the reference */
    int table_count;
    struct particle_values *values[EXPRESSION_MAX_VALUES];
    int value_count;
    struct expression_type_value type_values[EXPRESSION_MAX_TYPE_VALUES];
    int type_value_count;
    struct expression_node nodes[EXPRESSION_MAX_NODES];
    int node_count;
    char *text;  /* normalised: spaces and parentheses where they are needed, shortest numbers. Read
                    again it gives the same text: the expression's identity. In the place of a
                   table's file or one of values of particles stand 16 digits of the hash of what it
                   holds */
    char *words; /* as they were read */
    char hash[HASH_TEXT_SIZE]; /* of the normalised text */
    char path[64];             /* what its kernel text is called: no file */
    char *kernel[2];           /* kernel_words_make(): by literals; all parameters as arguments */
    int operations;            /* of the first, forces alone */
};

extern const char *const expression_function_names[FUNCTION_COUNT];
int expression_function_operands(enum expression_function function);
int expression_function_find(const char *name); /* -1: there is none */

/* Whether the words are an expression, not the name of a function: they begin with "energy =", or
 * have an operator or a parenthesis before the first ';', as text of OpenMM has. */
bool expression_is_meant(const char *words);

/* Whether they begin with "energy =". */
bool expression_is_labelled(const char *words);

/* Reads a text; `path` names the file that it is of, NULL: of an option. Errors: STATUS_BAD_INPUT
 * with the column (of a file "path:line:column"), what was expected, and of a name that there is
 * none of the nearest that there is; for a definition that nothing uses, or that stands before what
 * uses it; for an energy that changes when the two particles do; for values of types without a
 * mixing rule; for constants that are no numbers (1/0); for tables and values of particles that
 * cannot be read. Their files lie beside `path`, or where the program runs. Free with
 * expression_free(). */
bool expression_parse(const char *text, const char *path, struct expression **expression,
                      struct error *error);
/* The same of a term of listed particles, which is a function of one variable ("r", "theta",
 * "phi") and has no charges; `variable` must outlive it. Its kernel text is
 *
 *   DEVICE real slope_of_VARIABLE(real q, real p0, ..., real *energy)
 *
 * the derivative of the energy by the variable. */
bool expression_parse_term(const char *text, const char *variable, struct expression **expression,
                           struct error *error);
void expression_free(struct expression *expression); /* also NULL */

/* The normalised text. */
void expression_format(const struct expression *expression, struct strbuf *text);

/* ---- values per particle ---- */

/* A parameter that each particle has a value of: a number per particle, from a file.
 *
 * A file has a number per line, in the order of the box's particles; blank lines and comments
 * ('#') are skipped. Or it is extended XYZ, of which `column` names one of Properties, of one real
 * or whole number per particle. */

struct particle_values {
    char *path;
    char hash[HASH_TEXT_SIZE]; /* of the numbers */
    size_t count;
    double *value;
    double least; /* of them */
};

/* `column`: NULL of a file of numbers alone. STATUS_BAD_INPUT "path:line: what is wrong; expected
 * what": no number, NaN, infinity, no such column (which there are is said), too few lines. Free
 * with particle_values_free(). */
bool particle_values_read(const char *path, const char *column, struct particle_values **values,
                          struct error *error);
void particle_values_free(struct particle_values *values); /* also NULL */

#endif
