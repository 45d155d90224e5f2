#include "reference/interpreter/kernel_expressions.h"

#include "core/strings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAX_CHAIN = 500 /* operands of one level */ };

static int read_unary(struct parser *parser);

static int read_number(struct parser *parser) {
    const struct token *token = token_peek(parser->tokens);
    struct node node = { .kind = NODE_NUMBER, .type = { .components = 1 } };
    char *end;
    char word[64];
    (void)snprintf(word, sizeof word, "%.*s", token->length < sizeof word ? (int)token->length : 63,
                   token->at);
    const bool real = strpbrk(word, ".eE") != NULL;
    const double value = strtod(word, &end);
    if (end == word || !isfinite(value) || is_vanished(word, value)) {
        return token_fail_expected(parser->tokens, "a number that a double can hold");
    }
    const bool narrow = *end == 'f' || *end == 'F'; /* a constant of float, in every precision */
    node.type.whole = !real && !narrow;
    node.number = dual_constant(narrow ? (long double)strtof(word, NULL) : (long double)value);
    parser->tokens->at++;
    return kernel_tree_add(parser, node);
}

bool kernel_expression_read_arguments(struct parser *parser, struct node *node) {
    if (!token_expect_sign(parser->tokens, "(")) {
        return false;
    }
    do {
        if (node->operands == MAX_ARGUMENTS) {
            return token_fail_at(parser->tokens, token_peek(parser->tokens)->line,
                                 "more than %d arguments", MAX_ARGUMENTS);
        }
        node->operand[node->operands++] = kernel_expression_read(parser);
    } while (token_take_sign(parser->tokens, ","));
    return token_expect_sign(parser->tokens, ")");
}

static dual_function *function_named(const char *name, size_t length, int *arguments) {
    static const struct {
        const char *name;
        int arguments;
        dual_function *apply;
    } own[] = { { "recip", 1, dual_recip }, { "rsqrt", 1, dual_rsqrt }, { "fabs", 1, dual_abs },
                { "fmin", 2, dual_min },    { "fmax", 2, dual_max },    { "fma", 3, dual_fma },
                { "mad", 3, dual_fma } };
    for (size_t k = 0; k < sizeof own / sizeof own[0]; k++) {
        if (strlen(own[k].name) == length && strncasecmp(own[k].name, name, length) == 0) {
            *arguments = own[k].arguments;
            return own[k].apply;
        }
    }
    const struct dual_known *known = dual_find_c(name, length);
    *arguments = known ? known->arguments : 0;
    return known ? known->apply : NULL;
}

/* dot(a, b) and the like; -1: it is none of them. */
static int product_named(const struct token *name, int *arguments) {
    static const struct {
        const char *name;
        int arguments;
    } products[] = { [PRODUCT_DOT] = { "dot", 2 },
                     [PRODUCT_CROSS] = { "cross", 2 },
                     [PRODUCT_LENGTH] = { "length", 1 },
                     [PRODUCT_NORMALIZE] = { "normalize", 1 },
                     [PRODUCT_TRIM] = { "trimTo3", 1 } };
    for (int k = 0; k < (int)(sizeof products / sizeof products[0]); k++) {
        if (token_is_name(name, products[k].name)) {
            *arguments = products[k].arguments;
            return k;
        }
    }
    return -1;
}

static int read_own_arguments(struct parser *parser, const struct token *name, int arguments,
                              struct node *node) {
    if (!kernel_expression_read_arguments(parser, node)) {
        return 0;
    }
    return node->operands == arguments
               ? kernel_tree_add(parser, *node)
               : token_fail_at(parser->tokens, name->line, "%.*s has %d arguments, not %d",
                               (int)name->length, name->at, arguments, node->operands);
}

/* SQRT(x), sqrt(x), sqrtf(x); make_real2(x, y) */
static int read_call(struct parser *parser, const struct token *name) {
    struct node node = { .kind = NODE_CALL };
    int arguments = 0;
    static const char make[] = "make_";
    if (name->length > strlen(make) + 2 && strncmp(name->at, make, strlen(make)) == 0 &&
        name->at[name->length - 1] >= '2' && name->at[name->length - 1] <= '4') {
        node.kind = NODE_VECTOR;
        node.which = name->at[name->length - 1] - '0';
        if (!kernel_expression_read_arguments(parser, &node)) {
            return 0;
        }
        return node.operands == node.which || node.operands == 1
                   ? kernel_tree_add(parser, node)
                   : token_fail_at(parser->tokens, name->line, "%.*s takes %d arguments",
                                   (int)name->length, name->at, node.which);
    }
    const int product = product_named(name, &arguments);
    if (product >= 0) {
        node.kind = NODE_PRODUCT;
        node.which = product;
        return read_own_arguments(parser, name, arguments, &node);
    }
    node.apply = function_named(name->at, name->length, &arguments);
    if (!node.apply && name->at[name->length - 1] == 'f') {
        node.apply = function_named(name->at, name->length - 1, &arguments);
    }
    if (!node.apply) {
        return token_fail_at(parser->tokens, name->line, "the reference knows no function '%.*s'",
                             (int)name->length, name->at);
    }
    return read_own_arguments(parser, name, arguments, &node);
}

/* PARAMS[index], of a term. */
static int read_parameter(struct parser *parser, int variable) {
    if (!token_expect_sign(parser->tokens, "[")) {
        return 0;
    }
    if (!token_is_name(token_peek(parser->tokens), "index")) {
        return token_fail_expected(parser->tokens, "index");
    }
    parser->tokens->at++;
    return token_expect_sign(parser->tokens, "]")
               ? kernel_tree_add(parser, (struct node){ .kind = NODE_VARIABLE, .which = variable })
               : 0;
}

/* Which components of a position are known. */
static bool check_position(struct parser *parser, const struct token *name) {
    const bool asks_w = token_is_sign(token_peek(parser->tokens), ".") &&
                        token_is_name(token_peek(parser->tokens) + 1, "w");
    if (parser->program->text->atoms > 0) {
        return !asks_w ||
               token_fail_at(parser->tokens, name->line,
                             "%.*s.w is not given; expected a column of the terms' file for "
                             "charges",
                             (int)name->length, name->at);
    }
    return asks_w ||
           token_fail_at(parser->tokens, name->line,
                         "%.*s is taken for a position; expected %.*s.w, the charge: energies "
                         "here are of the distance",
                         (int)name->length, name->at, (int)name->length, name->at);
}

static int read_word(struct parser *parser) {
    const struct token name = *token_peek(parser->tokens);
    parser->tokens->at++;
    if (token_is_name(&name, "true") || token_is_name(&name, "false")) {
        return kernel_tree_add(parser,
                               (struct node){ .kind = NODE_NUMBER,
                                              .type = { 1, true, true },
                                              .number = { .v = token_is_name(&name, "true") } });
    }
    if (token_is_sign(token_peek(parser->tokens), "(")) {
        return read_call(parser, &name);
    }
    const int array = kernel_tree_find_array(parser, &name);
    if (array >= 0) {
        struct node node = { .kind = NODE_ELEMENT, .which = array, .operands = 1 };
        if (!token_expect_sign(parser->tokens, "[")) {
            return 0;
        }
        node.operand[0] = kernel_expression_read(parser);
        return token_expect_sign(parser->tokens, "]") ? kernel_tree_add(parser, node) : 0;
    }
    const int variable = kernel_tree_find_variable(parser, &name);
    if (variable < 0) {
        return kernel_tree_fail_unknown(parser, &name);
    }
    if (parser->variables[variable].is_parameter) {
        return read_parameter(parser, variable);
    }
    if (parser->variables[variable].is_position && !check_position(parser, &name)) {
        return 0;
    }
    return kernel_tree_add(parser, (struct node){ .kind = NODE_VARIABLE, .which = variable });
}

int kernel_expression_read_component(struct parser *parser, int vector) {
    static const char letters[] = "xyzw";
    const struct token *name = token_peek(parser->tokens);
    const char *letter =
        name->kind == TOKEN_NAME && name->length == 1 ? strchr(letters, name->at[0]) : NULL;
    if (!letter) {
        return token_fail_expected(parser->tokens, "x, y, z or w");
    }
    parser->tokens->at++;
    return kernel_tree_add(parser, (struct node){ .kind = NODE_COMPONENT,
                                                  .which = (int)(letter - letters),
                                                  .operand = { vector },
                                                  .operands = 1 });
}

static int read_primary(struct parser *parser) {
    const struct token *token = token_peek(parser->tokens);
    int node;
    if (token->kind == TOKEN_NUMBER) {
        node = read_number(parser);
    } else if (token->kind == TOKEN_NAME) {
        node = read_word(parser);
    } else if (token_take_sign(parser->tokens, "(")) {
        node = kernel_expression_read(parser);
        (void)token_expect_sign(parser->tokens, ")");
    } else {
        return token_fail_expected(parser->tokens, "a number, a name or '('");
    }
    while (token_take_sign(parser->tokens, ".")) {
        node = kernel_expression_read_component(parser, node);
    }
    return node;
}

/* (real) x, or (real2) (x, y) */
static int read_cast(struct parser *parser, struct type type) {
    struct node node = { .kind = NODE_CAST, .type = type };
    if (type.components > 1) {
        node.kind = NODE_VECTOR;
        node.which = type.components;
        if (token_is_sign(token_peek(parser->tokens), "(")) {
            return kernel_expression_read_arguments(parser, &node) ? kernel_tree_add(parser, node)
                                                                   : 0;
        }
    }
    node.operand[0] = read_unary(parser);
    node.operands = 1;
    return kernel_tree_add(parser, node);
}

static int read_unary_inner(struct parser *parser) {
    struct type type;
    if (token_take_sign(parser->tokens, "+")) {
        return read_unary(parser);
    }
    const bool minus = token_take_sign(parser->tokens, "-");
    if (minus || token_take_sign(parser->tokens, "!")) {
        const int vector = read_unary(parser);
        return kernel_tree_add(parser, (struct node){ .kind = minus ? NODE_NEGATE : NODE_NOT,
                                                      .operand = { vector },
                                                      .operands = 1 });
    }
    if (token_is_sign(token_peek(parser->tokens), "(")) {
        const int begin = parser->tokens->at++;
        if (kernel_tree_take_type(parser, &type) && token_take_sign(parser->tokens, ")")) {
            return read_cast(parser, type);
        }
        parser->tokens->at = begin;
    }
    return read_primary(parser);
}

static int read_unary(struct parser *parser) {
    if (parser->tokens->failed || ++parser->tokens->depth > MAX_DEPTH) {
        return token_fail_at(parser->tokens, token_peek(parser->tokens)->line,
                             "more than %d operations within each other", MAX_DEPTH);
    }
    const int node = read_unary_inner(parser);
    parser->tokens->depth--;
    return node;
}

static int read_binary(struct parser *parser, int least) {
    int node = read_unary(parser);
    int sign = 0;
    int operands = 1;
    for (int binding = token_binding(token_peek(parser->tokens), &sign);
         !parser->tokens->failed && binding > 0 && binding >= least;
         binding = token_binding(token_peek(parser->tokens), &sign)) {
        const int own = sign;
        parser->tokens->at++;
        if (++operands > MAX_CHAIN) {
            return token_fail_at(parser->tokens, token_peek(parser->tokens)->line,
                                 "more than %d operands in a row", MAX_CHAIN);
        }
        node = kernel_tree_add_two(parser, own, node, read_binary(parser, binding + 1));
    }
    return node;
}

int kernel_expression_read(struct parser *parser) {
    if (parser->tokens->failed || ++parser->tokens->depth > MAX_DEPTH) {
        return token_fail_at(parser->tokens, token_peek(parser->tokens)->line,
                             "more than %d operations within each other", MAX_DEPTH);
    }
    const int node = read_binary(parser, 1);
    if (!token_take_sign(parser->tokens, "?")) {
        parser->tokens->depth--;
        return node;
    }
    const int yes = kernel_expression_read(parser);
    (void)token_expect_sign(parser->tokens, ":");
    const int no = kernel_expression_read(parser);
    parser->tokens->depth--;
    return kernel_tree_add(
        parser, (struct node){ .kind = NODE_CHOICE, .operand = { node, yes, no }, .operands = 3 });
}
