#include "reference/interpreter/kernel_statements.h"

#include "reference/interpreter/kernel_expressions.h"

static int read_statement(struct parser *parser);

static int nothing(struct parser *parser) {
    return kernel_tree_add(parser, (struct node){ .kind = NODE_NOTHING });
}

/* NAME = x; NAME.y += x; NAME++: without the ';' */
static int read_assignment(struct parser *parser) {
    static const char *const signs[] = { "=", "+=", "-=", "*=", "/=" };
    const struct token name = *token_peek(parser->tokens);
    struct node node = { .kind = NODE_SET, .component = -1, .operands = 1 };
    if (name.kind != TOKEN_NAME) {
        return token_fail_expected(parser->tokens, "a statement");
    }
    node.which = kernel_tree_find_variable(parser, &name);
    if (node.which < 0) {
        return kernel_tree_fail_unknown(parser, &name);
    }
    parser->tokens->at++;
    if (token_take_sign(parser->tokens, ".")) {
        const int component = kernel_expression_read_component(parser, 0);
        node.component = parser->tokens->failed ? 0 : parser->program->nodes[component].which;
    }
    if (token_is_sign(token_peek(parser->tokens), "++") ||
        token_is_sign(token_peek(parser->tokens), "--")) {
        node.sign = token_is_sign(token_peek(parser->tokens), "++") ? '+' : '-';
        parser->tokens->at++;
        node.operand[0] = kernel_tree_add(parser, (struct node){ .kind = NODE_NUMBER,
                                                                 .type = { 1, true, false },
                                                                 .number = { .v = 1.0L } });
        return kernel_tree_add(parser, node);
    }
    for (size_t k = 0; k < sizeof signs / sizeof signs[0]; k++) {
        if (token_take_sign(parser->tokens, signs[k])) {
            node.sign = (unsigned char)signs[k][0];
            node.operand[0] = kernel_expression_read(parser);
            return kernel_tree_add(parser, node);
        }
    }
    return token_fail_expected(parser->tokens, "'=', '+=', '-=', '*=' or '/='");
}

/* real x = 1, y; without the ';' */
static int read_declarations(struct parser *parser, struct type type) {
    struct node block = { .kind = NODE_BLOCK, .operand = { -1 } };
    int last = -1;
    do {
        const struct token name = *token_peek(parser->tokens);
        if (name.kind != TOKEN_NAME) {
            return token_fail_expected(parser->tokens, "a name");
        }
        parser->tokens->at++;
        struct node node = { .kind = NODE_DECLARE, .type = type, .operand = { -1 } };
        if (token_take_sign(parser->tokens, "=")) {
            node.operand[0] = kernel_expression_read(parser);
            node.operands = 1;
        } else if (token_is_sign(token_peek(parser->tokens), "[")) {
            return token_fail_at(parser->tokens, name.line,
                                 "the reference knows no arrays of a text's own; "
                                 "expected @argument in the comment before it");
        }
        node.which = kernel_tree_add_variable(parser, name.at, name.length, type);
        const int added = kernel_tree_add(parser, node);
        if (last < 0) {
            block.operand[0] = added;
        } else {
            parser->program->nodes[last].next = added;
        }
        last = added;
    } while (token_take_sign(parser->tokens, ",") && !parser->tokens->failed);
    return kernel_tree_add(parser, block);
}

static int read_simple(struct parser *parser) {
    struct type type;
    if (parser->program->text->atoms > 0 &&
        token_is_name(token_peek(parser->tokens), "APPLY_PERIODIC_TO_DELTA")) {
        struct node ignored = { .kind = NODE_NOTHING };
        parser->tokens->at++;
        return kernel_expression_read_arguments(parser, &ignored) ? nothing(parser) : 0;
    }
    return kernel_tree_take_type(parser, &type) ? read_declarations(parser, type)
                                                : read_assignment(parser);
}

static int read_list(struct parser *parser, const char *end) {
    struct node block = { .kind = NODE_BLOCK, .operand = { -1 } };
    const int names = parser->program->variable_count;
    int last = -1;
    while (!parser->tokens->failed && !(end ? token_is_sign(token_peek(parser->tokens), end)
                                            : token_peek(parser->tokens)->kind == TOKEN_END)) {
        const int added = read_statement(parser);
        if (parser->tokens->failed) {
            return 0;
        }
        if (last < 0) {
            block.operand[0] = added;
        } else {
            parser->program->nodes[last].next = added;
        }
        last = added;
    }
    for (int v = names; end && v < parser->program->variable_count; v++) {
        parser->variables[v].hidden = true;
    }
    if (end) {
        (void)token_expect_sign(parser->tokens, end);
    }
    return kernel_tree_add(parser, block);
}

static int read_if(struct parser *parser) {
    struct node node = { .kind = NODE_IF, .operand = { 0, 0, -1 }, .operands = 2 };
    (void)token_expect_sign(parser->tokens, "(");
    node.operand[0] = kernel_expression_read(parser);
    (void)token_expect_sign(parser->tokens, ")");
    node.operand[1] = read_statement(parser);
    if (!parser->tokens->failed && token_is_name(token_peek(parser->tokens), "else")) {
        parser->tokens->at++;
        node.operand[2] = read_statement(parser);
        node.operands = 3;
    }
    return kernel_tree_add(parser, node);
}

/* for (a; b; c) d, while (b) d */
static int read_loop(struct parser *parser, bool is_for) {
    struct node node = { .kind = NODE_LOOP, .operands = 3 };
    const int names = parser->program->variable_count;
    int before = 0;
    (void)token_expect_sign(parser->tokens, "(");
    if (is_for) {
        before =
            token_is_sign(token_peek(parser->tokens), ";") ? nothing(parser) : read_simple(parser);
        (void)token_expect_sign(parser->tokens, ";");
    }
    node.operand[0] = kernel_expression_read(parser);
    node.operand[2] = nothing(parser);
    if (is_for && token_expect_sign(parser->tokens, ";") &&
        !token_is_sign(token_peek(parser->tokens), ")")) {
        node.operand[2] = read_simple(parser);
    }
    (void)token_expect_sign(parser->tokens, ")");
    node.operand[1] = read_statement(parser);
    for (int v = names; v < parser->program->variable_count; v++) {
        parser->variables[v].hidden = true;
    }
    const int loop = kernel_tree_add(parser, node);
    if (!is_for || parser->tokens->failed) {
        return loop;
    }
    parser->program->nodes[before].next = loop;
    return kernel_tree_add(
        parser, (struct node){ .kind = NODE_BLOCK, .operand = { before }, .operands = 1 });
}

static int read_statement(struct parser *parser) {
    int node = 0;
    if (parser->tokens->failed || ++parser->tokens->depth > MAX_DEPTH) {
        return token_fail_at(parser->tokens, token_peek(parser->tokens)->line,
                             "more than %d statements within each other", MAX_DEPTH);
    }
    if (token_take_sign(parser->tokens, "{")) {
        node = read_list(parser, "}");
    } else if (token_take_sign(parser->tokens, ";")) {
        node = nothing(parser);
    } else if (token_is_name(token_peek(parser->tokens), "if")) {
        parser->tokens->at++;
        node = read_if(parser);
    } else if (token_is_name(token_peek(parser->tokens), "for") ||
               token_is_name(token_peek(parser->tokens), "while")) {
        const bool is_for = token_is_name(token_peek(parser->tokens), "for");
        parser->tokens->at++;
        node = read_loop(parser, is_for);
    } else {
        const bool is_macro = token_is_name(token_peek(parser->tokens), "APPLY_PERIODIC_TO_DELTA");
        node = read_simple(parser);
        (void)(is_macro ? token_take_sign(parser->tokens, ";")
                        : token_expect_sign(parser->tokens, ";"));
    }
    parser->tokens->depth--;
    return node;
}

int kernel_statements_read(struct parser *parser) {
    return read_list(parser, NULL);
}
