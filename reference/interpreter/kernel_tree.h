/*
 * kernel_tree — what a kernel text comes to once it is read: a tree of statements and expressions
 * over numbered variables. Private to reference/.
 *
 * Nodes stand in one array and name each other by their places in it. Whoever adds one that fails
 * gets place 0, and tokens->failed holds.
 */
#ifndef PAIRMARK_REFERENCE_INTERPRETER_KERNEL_TREE_H
#define PAIRMARK_REFERENCE_INTERPRETER_KERNEL_TREE_H

#include "reference/interpreter/dual.h"
#include "reference/interpreter/kernel_tokens.h"

enum { MAX_NODES = 20000, MAX_NAMES = 96, MAX_ARGUMENTS = 4 };

enum node_kind {
    NODE_NUMBER,
    NODE_VARIABLE,  /* `which` */
    NODE_COMPONENT, /* `which` of operand 0 */
    NODE_ELEMENT,   /* operand 0 of array `which` */
    NODE_CALL,
    NODE_PRODUCT, /* of vectors: `which` */
    NODE_VECTOR,  /* of its operands; of one, `which` times that */
    NODE_CAST,    /* to `type` */
    NODE_NEGATE,
    NODE_NOT,
    NODE_BINARY, /* `sign` */
    NODE_CHOICE,
    NODE_SET,     /* variable `which`, component `component` or all, by `sign`: '=', '+', ... */
    NODE_DECLARE, /* variable `which` of `type`, to operand 0 */
    NODE_BLOCK,   /* operand 0, then its `next`... */
    NODE_IF,
    NODE_LOOP, /* while 0: 1, then 2 */
    NODE_NOTHING
};

enum product { PRODUCT_DOT, PRODUCT_CROSS, PRODUCT_LENGTH, PRODUCT_NORMALIZE, PRODUCT_TRIM };

struct type {
    int components;
    bool whole, truth;
};

struct node {
    enum node_kind kind;
    int sign, which, component, next;
    int operand[MAX_ARGUMENTS]; /* -1: none */
    int operands;
    struct type type;
    struct dual number;
    dual_function *apply;
};

struct variable {
    const char *name;
    size_t length;
    struct type type;
    bool is_position;  /* of pairs only its component w is known, of terms all but that */
    bool is_parameter; /* of a term: NAME[index] */
    bool hidden;       /* its block has ended */
};

/* What was read. */
struct text_program {
    const struct pair_text *text;
    struct node *nodes; /* room for MAX_NODES */
    int node_count;
    int variable_count;
    int body; /* the place of its first statement's block */
};

struct parser {
    struct tokens *tokens;
    struct text_program *program;
    struct variable variables[MAX_NAMES];
};

int kernel_tree_add(struct parser *parser, struct node node);
int kernel_tree_add_two(struct parser *parser, int sign, int a, int b);
int kernel_tree_add_variable(struct parser *parser, const char *name, size_t length,
                             struct type type);

/* -1: nothing that can be seen from here has the name. */
int kernel_tree_find_variable(const struct parser *parser, const struct token *token);
/* Of the text's own arrays of numbers; likewise. */
int kernel_tree_find_array(const struct parser *parser, const struct token *token);
/* Says why nothing has the name, or what has one like it. */
int kernel_tree_fail_unknown(struct parser *parser, const struct token *token);

/* const real4, unsigned int, ...: true, and the parser stands after it; else it stays. */
bool kernel_tree_take_type(struct parser *parser, struct type *type);

#endif
