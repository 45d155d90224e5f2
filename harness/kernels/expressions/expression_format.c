/* How an expression is spelled. */
#include "kernels/expressions/expression.h"

#include "core/quantity.h"
#include "kernels/expressions/expression_parts.h"

#include <math.h>
#include <string.h>

/* How tightly an operation binds; what an operand needs less tightly stands in parentheses. */
enum { BIND_SUM = 1, BIND_PRODUCT, BIND_UNARY, BIND_POWER, BIND_ATOM };

/* The shortest spelling that reads back as the same number. */
static void append_number(struct strbuf *text, double value) {
    const double most_digits = 1e15;
    if (value == rint(value) && fabs(value) < most_digits) { /* 70, not 7e+01 */
        strbuf_append(text, "%.0f", value == 0.0 ? 0.0 : value);
        return;
    }
    strbuf_append(text, "%s", quantity_shortest(value).text);
}

static int binding_of(enum expression_op op) {
    switch (op) {
    case OP_ADD:
    case OP_SUBTRACT:
        return BIND_SUM;
    case OP_MULTIPLY:
    case OP_DIVIDE:
        return BIND_PRODUCT;
    case OP_NEGATE:
        return BIND_UNARY;
    case OP_POWER:
        return BIND_POWER;
    default:
        return BIND_ATOM;
    }
}

static void append_node(struct strbuf *text, const struct expression *expression, int place,
                        int least);

static void append_binary(struct strbuf *text, const struct expression *expression,
                          const struct expression_node *node) {
    static const char *const signs[] = { [OP_ADD] = " + ",
                                         [OP_SUBTRACT] = " - ",
                                         [OP_MULTIPLY] = "*",
                                         [OP_DIVIDE] = "/",
                                         [OP_POWER] = "^" };
    const int own = binding_of(node->op);
    const bool power = node->op == OP_POWER;
    append_node(text, expression, node->operand[0], power ? BIND_ATOM : own);
    strbuf_append(text, "%s", signs[node->op]);
    append_node(text, expression, node->operand[1], power ? BIND_UNARY : own + 1);
}

static void append_call(struct strbuf *text, const struct expression *expression,
                        const struct expression_node *node) {
    const enum expression_function function = (enum expression_function)node->which;
    strbuf_append(text, "%s(", expression_function_names[function]);
    for (int k = 0; k < expression_function_operands(function); k++) {
        strbuf_append(text, "%s", k > 0 ? ", " : "");
        append_node(text, expression, node->operand[k], BIND_SUM);
    }
    strbuf_append(text, ")");
}

static void append_node(struct strbuf *text, const struct expression *expression, int place,
                        int least) {
    const struct expression_node *node = &expression->nodes[place];
    const bool enclosed = binding_of(node->op) < least;
    strbuf_append(text, "%s", enclosed ? "(" : "");
    switch (node->op) {
    case OP_NUMBER:
        append_number(text, node->number);
        break;
    case OP_R:
    case OP_Q1:
    case OP_Q2:
        strbuf_append(text, "%s",
                      expression->variable ? expression->variable
                      : node->op == OP_R   ? "r"
                      : node->op == OP_Q1  ? "q1"
                                           : "q2");
        break;
    case OP_DEFINED:
        strbuf_append(text, "%s", expression->definitions[node->which].name);
        break;
    case OP_VALUE:
        strbuf_append(text, "%s%s", expression->definitions[node->which].name,
                      node->number == 0.0   ? ""
                      : node->number == 1.0 ? "1"
                                            : "2");
        break;
    case OP_NEGATE:
        strbuf_append(text, "-");
        append_node(text, expression, node->operand[0], BIND_UNARY);
        break;
    case OP_TABLE:
        strbuf_append(text, "%s(", expression->definitions[node->which].name);
        append_node(text, expression, node->operand[0], BIND_SUM);
        strbuf_append(text, ")");
        break;
    case OP_CALL:
        append_call(text, expression, node);
        break;
    default:
        append_binary(text, expression, node);
    }
    strbuf_append(text, "%s", enclosed ? ")" : "");
}

void expression_format(const struct expression *expression, struct strbuf *text) {
    static const char *const mixing[] = { "", " arithmetic", " geometric" };
    for (int d = 0; d < expression->definition_count; d++) {
        const struct expression_definition *definition = &expression->definitions[d];
        strbuf_append(text, "%s%s = ", d > 0 ? "; " : "", definition->name);
        if (definition->node >= 0) {
            append_node(text, expression, definition->node, BIND_SUM);
        } else if (definition->table >= 0) {
            strbuf_append(text, "table %.16s", expression->tables[definition->table]->hash);
        } else if (definition->values >= 0) {
            strbuf_append(text, "particles %.16s%s", expression->values[definition->values]->hash,
                          mixing[definition->mixing]);
        } else {
            append_number(text, definition->value);
            strbuf_append(text, "%s", mixing[definition->mixing]);
        }
    }
    for (int v = 0; v < expression->type_value_count; v++) {
        const struct expression_type_value *typed = &expression->type_values[v];
        const int definition = expression->parameters[typed->parameter];
        strbuf_append(text, "; %s.%s = ", expression->definitions[definition].name, typed->type);
        append_number(text, typed->value);
    }
}

/* ---- functions ---- */

const char *const expression_function_names[FUNCTION_COUNT] = {
    [FUNCTION_SQRT] = "sqrt",     [FUNCTION_EXP] = "exp",     [FUNCTION_LOG] = "log",
    [FUNCTION_SIN] = "sin",       [FUNCTION_COS] = "cos",     [FUNCTION_TAN] = "tan",
    [FUNCTION_ASIN] = "asin",     [FUNCTION_ACOS] = "acos",   [FUNCTION_ATAN] = "atan",
    [FUNCTION_SEC] = "sec",       [FUNCTION_CSC] = "csc",     [FUNCTION_COT] = "cot",
    [FUNCTION_SQUARE] = "square", [FUNCTION_CUBE] = "cube",   [FUNCTION_RECIP] = "recip",
    [FUNCTION_SIGN] = "sign",     [FUNCTION_ATAN2] = "atan2", [FUNCTION_SINH] = "sinh",
    [FUNCTION_COSH] = "cosh",     [FUNCTION_TANH] = "tanh",   [FUNCTION_ERF] = "erf",
    [FUNCTION_ERFC] = "erfc",     [FUNCTION_ABS] = "abs",     [FUNCTION_FLOOR] = "floor",
    [FUNCTION_CEIL] = "ceil",     [FUNCTION_STEP] = "step",   [FUNCTION_DELTA] = "delta",
    [FUNCTION_MIN] = "min",       [FUNCTION_MAX] = "max",     [FUNCTION_POW] = "pow",
    [FUNCTION_SELECT] = "select"
};

int expression_function_operands(enum expression_function function) {
    return function == FUNCTION_SELECT ? 3 : function >= FUNCTION_ATAN2 ? 2 : 1;
}

int expression_function_find(const char *name) {
    for (int f = 0; f < FUNCTION_COUNT; f++) {
        if (strcmp(name, expression_function_names[f]) == 0) {
            return f;
        }
    }
    return -1;
}
