
#include "core/strings.h"
#include "kernels/expressions/expression_parts.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_DEPTH = 400,     /* of operations within each other, definitions put in their place */
    MAX_MULTIPLIED = 64, /* higher powers are left to the device's function */
    OPERAND_SIZE = 48,
    TABLE_OPERATIONS = 10, /* of a look-up: the place in the interval, a cubic */
    ADDING_A_FORCE = 6     /* operations: three multiply-adds */
};

/* ---- from what was read ---- */

struct builder {
    const struct expression *expression;
    struct algebra *algebra;
    int defined[EXPRESSION_MAX_DEFINITIONS]; /* -1: not yet */
    bool by_arguments; /* all parameters, not only those with values for single types */
    bool too_deep;
    int looked_at; /* of the algebra's nodes: all before are finite */
    int no_number; /* place among the expression's nodes of the first that is none; -1: all are */
};

static bool has_type_values(const struct expression *expression, int parameter) {
    for (int v = 0; v < expression->type_value_count; v++) {
        if (expression->type_values[v].parameter == parameter) {
            return true;
        }
    }
    return false;
}

static int build(struct builder *builder, int place, int depth);

static bool is_finite(const struct algebra_node *node) {
    bool finite = isfinite(node->value);
    for (int t = 0; t < node->count; t++) {
        finite = finite && isfinite(node->terms[t].factor);
    }
    return finite;
}

/* Whether all nodes of the algebra that are new are finite. */
static bool stays_finite(struct builder *builder) {
    bool finite = true;
    for (; builder->looked_at < builder->algebra->count; builder->looked_at++) {
        finite = finite && is_finite(&builder->algebra->nodes[builder->looked_at]);
    }
    return finite;
}

static int build_definition(struct builder *builder, int which, int depth) {
    const struct expression_definition *definition = &builder->expression->definitions[which];
    if (builder->defined[which] >= 0) {
        return builder->defined[which];
    }
    int node;
    if (definition->node >= 0) {
        node = build(builder, definition->node, depth);
    } else if (definition->values >= 0) {
        node = algebra_leaf(builder->algebra, ALGEBRA_PARAMETER,
                            EXPRESSION_MAX_PARAMETERS + definition->values);
    } else if (builder->by_arguments ||
               has_type_values(builder->expression, definition->parameter)) {
        node = algebra_leaf(builder->algebra, ALGEBRA_PARAMETER, definition->parameter);
    } else {
        node = algebra_number(builder->algebra, definition->value);
    }
    builder->defined[which] = node;
    return node;
}

/* 1/cos, 1/sin, cos/sin */
static int build_quotient(struct algebra *algebra, enum expression_function function, int x) {
    const int below = function == FUNCTION_SEC ? FUNCTION_COS : FUNCTION_SIN;
    const int quotient = algebra_power(algebra, algebra_call(algebra, below, &x, 1), -1.0);
    return function == FUNCTION_COT
               ? algebra_multiply(algebra, algebra_call(algebra, FUNCTION_COS, &x, 1), quotient)
               : quotient;
}

/* step(x) - step(-x) */
static int build_sign(struct algebra *algebra, int x) {
    const int turned = algebra_multiply(algebra, algebra_number(algebra, -1.0), x);
    return algebra_add(algebra, algebra_call(algebra, FUNCTION_STEP, &x, 1), 1.0,
                       algebra_call(algebra, FUNCTION_STEP, &turned, 1), -1.0);
}

static int build_call(struct builder *builder, const struct expression_node *node, int depth) {
    const enum expression_function function = (enum expression_function)node->which;
    const int count = expression_function_operands(function);
    int operands[EXPRESSION_MAX_OPERANDS] = { 0 };
    for (int k = 0; k < count; k++) {
        operands[k] = build(builder, node->operand[k], depth + 1);
    }
    switch (function) {
    case FUNCTION_SQRT:
        return algebra_power(builder->algebra, operands[0], 0.5);
    case FUNCTION_SQUARE:
        return algebra_power(builder->algebra, operands[0], 2.0);
    case FUNCTION_CUBE:
        return algebra_power(builder->algebra, operands[0], 3.0);
    case FUNCTION_RECIP:
        return algebra_power(builder->algebra, operands[0], -1.0);
    case FUNCTION_SEC:
    case FUNCTION_CSC:
    case FUNCTION_COT:
        return build_quotient(builder->algebra, function, operands[0]);
    case FUNCTION_SIGN:
        return build_sign(builder->algebra, operands[0]);
    case FUNCTION_POW:
        return algebra_raise(builder->algebra, operands[0], operands[1]);
    default:
        return algebra_call(builder->algebra, function, operands, count);
    }
}

static int build_binary(struct builder *builder, const struct expression_node *node, int depth) {
    struct algebra *algebra = builder->algebra;
    const int left = build(builder, node->operand[0], depth + 1);
    const int right = build(builder, node->operand[1], depth + 1);
    switch (node->op) {
    case OP_ADD:
        return algebra_add(algebra, left, 1.0, right, 1.0);
    case OP_SUBTRACT:
        return algebra_add(algebra, left, 1.0, right, -1.0);
    case OP_MULTIPLY:
        return algebra_multiply(algebra, left, right);
    case OP_DIVIDE:
        return algebra_multiply(algebra, left, algebra_power(algebra, right, -1.0));
    default:
        return algebra_raise(algebra, left, right);
    }
}

static int build_node(struct builder *builder, int place, int depth) {
    const struct expression_node *node = &builder->expression->nodes[place];
    struct algebra *algebra = builder->algebra;
    if (depth > MAX_DEPTH || algebra->failed) {
        builder->too_deep = builder->too_deep || depth > MAX_DEPTH;
        return 0;
    }
    switch (node->op) {
    case OP_NUMBER:
        return algebra_number(algebra, node->number);
    case OP_R:
        if (builder->expression->variable) {
            return algebra_leaf(algebra, ALGEBRA_VARIABLE, 0);
        }
        return algebra_power(algebra, algebra_leaf(algebra, ALGEBRA_SQUARE, 0), 0.5);
    case OP_Q1:
    case OP_Q2:
        return algebra_leaf(algebra, ALGEBRA_CHARGE, node->op == OP_Q2);
    case OP_VALUE:
        if (node->number > 0.0) {
            const int values = builder->expression->definitions[node->which].values;
            return algebra_leaf(algebra, ALGEBRA_CHARGE, 2 * (values + 1) + (node->number > 1.0));
        }
        return build_definition(builder, node->which, depth + 1);
    case OP_DEFINED:
        return build_definition(builder, node->which, depth + 1);
    case OP_NEGATE:
        return algebra_multiply(algebra, algebra_number(algebra, -1.0),
                                build(builder, node->operand[0], depth + 1));
    case OP_TABLE: {
        const int operand = build(builder, node->operand[0], depth + 1);
        const int table = builder->expression->definitions[node->which].table;
        return algebra_call(algebra, FUNCTION_COUNT + 2 * table, &operand, 1);
    }
    case OP_CALL:
        return build_call(builder, node, depth);
    default:
        return build_binary(builder, node, depth);
    }
}

static int build(struct builder *builder, int place, int depth) {
    const int node = build_node(builder, place, depth);
    if (!stays_finite(builder) && builder->no_number < 0) {
        builder->no_number = place;
    }
    return node;
}

/* ---- writing ---- */

struct power {
    int base, exponent;
    char name[OPERAND_SIZE];
};

struct writer {
    struct algebra *algebra;
    struct strbuf text;
    int *uses;                  /* per node */
    char (*name)[OPERAND_SIZE]; /* "": not written yet */
    struct power *powers;
    int power_count, power_capacity;
    int temporaries;
    int operations;
    bool root;   /* r is needed, not only r^2 */
    bool rooted; /* and written */
    bool failed;
};

static void write_operand(struct writer *writer, int node, char operand[OPERAND_SIZE]);
static void write_power(struct writer *writer, int base, double exponent,
                        char operand[OPERAND_SIZE]);

static void begin_line(struct writer *writer, char name[OPERAND_SIZE]) {
    (void)snprintf(name, OPERAND_SIZE, "t%d", writer->temporaries++);
    strbuf_append(&writer->text, "    const real %s = ", name);
}

/* A name for a power of a node; NULL: memory ran out. *fresh: it is to be written. */
static struct power *find_power(struct writer *writer, int base, int exponent, bool *fresh) {
    for (int p = 0; p < writer->power_count; p++) {
        if (writer->powers[p].base == base && writer->powers[p].exponent == exponent) {
            *fresh = false;
            return &writer->powers[p];
        }
    }
    if (writer->power_count == writer->power_capacity) {
        const int capacity = writer->power_capacity ? 2 * writer->power_capacity : 32;
        struct power *grown = realloc(writer->powers, (size_t)capacity * sizeof *grown);
        if (!grown) {
            writer->failed = true;
            return NULL;
        }
        writer->powers = grown;
        writer->power_capacity = capacity;
    }
    struct power *added = &writer->powers[writer->power_count++];
    *added = (struct power){ .base = base, .exponent = exponent };
    *fresh = true;
    return added;
}

static void write_root(struct writer *writer) {
    if (!writer->rooted) {
        strbuf_append(&writer->text, "    const real inverse_r = RSQRT(r2);\n"
                                     "    const real r = r2 * inverse_r;\n");
        writer->operations += 2;
        writer->rooted = true;
    }
}

/* The -1st power. */
static void write_reciprocal(struct writer *writer, int base, char name[OPERAND_SIZE]) {
    const enum algebra_kind kind = writer->algebra->nodes[base].kind;
    const bool given =
        kind == ALGEBRA_PARAMETER && writer->algebra->nodes[base].index < EXPRESSION_MAX_PARAMETERS;
    char operand[OPERAND_SIZE];
    if (kind == ALGEBRA_SQUARE && writer->root) {
        write_root(writer);
        begin_line(writer, name);
        strbuf_append(&writer->text, "inverse_r * inverse_r;\n");
    } else {
        write_operand(writer, base, operand);
        begin_line(writer, name);
        strbuf_append(&writer->text, "%s(%s);\n", given ? "RECIP_PARAMETER" : "RECIP", operand);
    }
    writer->operations++;
}

/* base^exponent, a whole number and not 0, by products. */
static void write_whole_power(struct writer *writer, int base, int exponent,
                              char operand[OPERAND_SIZE]) {
    bool fresh = false;
    if (exponent == 1) {
        write_operand(writer, base, operand);
        return;
    }
    const struct power *known = find_power(writer, base, exponent, &fresh);
    operand[0] = '\0';
    if (!known) {
        return;
    }
    if (!fresh) {
        memcpy(operand, known->name, OPERAND_SIZE);
        return;
    }
    const int place = writer->power_count - 1;
    if (exponent == -1) {
        write_reciprocal(writer, base, operand);
    } else {
        const int sign = exponent < 0 ? -1 : 1;
        const int half = exponent % 2 == 0 ? exponent / 2 : exponent - sign;
        char a[OPERAND_SIZE], b[OPERAND_SIZE];
        write_whole_power(writer, base, half, a);
        write_whole_power(writer, base, exponent - half, b);
        begin_line(writer, operand);
        strbuf_append(&writer->text, "%s * %s;\n", a, b);
        writer->operations++;
    }
    memcpy(writer->powers[place].name, operand, OPERAND_SIZE);
}

/* Whether terms of a sum, or of a factor that is one, can cancel. */
static bool can_cancel(const struct algebra *algebra, int node) {
    const struct algebra_node *at = &algebra->nodes[node];
    bool positive = at->value > 0.0;
    bool negative = at->value < 0.0;
    for (int t = 0; t < at->count; t++) {
        const struct algebra_term term = at->terms[t];
        if (at->kind == ALGEBRA_PRODUCT && term.factor == 1.0 &&
            algebra->nodes[term.node].kind == ALGEBRA_SUM && can_cancel(algebra, term.node)) {
            return true;
        }
        positive = positive || term.factor > 0.0;
        negative = negative || term.factor < 0.0;
    }
    return at->kind == ALGEBRA_SUM && positive && negative;
}

/* The sum of the sizes of what cancels, times that of the other factors. */
static void append_size(struct writer *writer, int node, struct strbuf *size) {
    const bool is_sum = writer->algebra->nodes[node].kind == ALGEBRA_SUM;
    strbuf_append(size, "(REAL(%.17e)", fabs(writer->algebra->nodes[node].value));
    for (int t = 0; t < writer->algebra->nodes[node].count; t++) {
        const struct algebra_term term = writer->algebra->nodes[node].terms[t];
        char part[OPERAND_SIZE] = "";
        writer->operations += 2;
        if (is_sum) {
            write_operand(writer, term.node, part);
            strbuf_append(size, " + FABS(REAL(%.17e) * %s)", term.factor, part);
        } else if (term.factor == 1.0 && can_cancel(writer->algebra, term.node)) {
            strbuf_append(size, " * ");
            append_size(writer, term.node, size);
        } else {
            write_power(writer, term.node, term.factor, part);
            strbuf_append(size, " * FABS(%s)", part);
        }
    }
    strbuf_append(size, ")");
}

/* The argument of a root or a logarithm, which must not fall below 0 by rounding. In select(step(s
 * - r), (1 - r/s)^2.5, 0) both differences round: 1 - r/s may come to -1e-8 where s - r is 0. So a
 * sum, or a product with a sum, counts as 0 where it is below 0 by no more than its terms may err.
 * Where the function is infinite at 0 (`pole`: logarithms, negative powers), it counts as that
 * error instead. Sums within calls, as in min(s - r, 1), are taken as they are. */
static void write_from_zero(struct writer *writer, int node, bool pole,
                            char operand[OPERAND_SIZE]) {
    struct strbuf size = { 0 };
    char exact[OPERAND_SIZE], error[OPERAND_SIZE];
    bool fresh = true;
    write_operand(writer, node, exact);
    memcpy(operand, exact, OPERAND_SIZE);
    if (!can_cancel(writer->algebra, node)) {
        return;
    }
    /* Even keys beyond those of whole powers. */
    const struct power *known = find_power(writer, node, 2 * MAX_MULTIPLIED + 2 + 2 * pole, &fresh);
    const int place = writer->power_count - 1;
    if (!known || !fresh) {
        memcpy(operand, known ? known->name : exact, OPERAND_SIZE);
        return;
    }
    append_size(writer, node, &size);
    begin_line(writer, error);
    strbuf_append(&writer->text, "(REAL_IS_DOUBLE ? REAL(1.8e-15) : REAL(9.6e-7)) * %s;\n",
                  strbuf_text(&size));
    begin_line(writer, operand);
    strbuf_append(&writer->text, "%s %s REAL(0.0) && -%s <= %s ? %s : %s;\n", exact,
                  pole ? "<=" : "<", exact, error, pole ? error : "REAL(0.0)", exact);
    writer->failed = writer->failed || size.failed;
    strbuf_free(&size);
    memcpy(writer->powers[place].name, operand, OPERAND_SIZE);
}

/* The argument of acos and asin: beyond -1 or 1 by no more than rounding, it counts as -1 or 1. */
static void write_within_one(struct writer *writer, int node, char operand[OPERAND_SIZE]) {
    char exact[OPERAND_SIZE];
    write_operand(writer, node, exact);
    begin_line(writer, operand);
    strbuf_append(&writer->text,
                  "FABS(%s) > REAL(1.0) && FABS(%s) <= REAL(1.0) + (REAL_IS_DOUBLE ? REAL(1.8e-15) "
                  ": REAL(9.6e-7)) ? (%s < REAL(0.0) ? REAL(-1.0) : REAL(1.0)) : %s;\n",
                  exact, exact, exact, exact);
    writer->operations += 2;
}

/* base^(exponent/2), an odd number of halves: the root, or its reciprocal, times a whole power. */
static void write_root_power(struct writer *writer, int base, int halves,
                             char operand[OPERAND_SIZE]) {
    const bool square = writer->algebra->nodes[base].kind == ALGEBRA_SQUARE;
    const int sign = halves < 0 ? -1 : 1;
    bool fresh = true;
    char inner[OPERAND_SIZE];
    if (square) {
        write_root(writer);
        (void)snprintf(operand, OPERAND_SIZE, "%s", sign < 0 ? "inverse_r" : "r");
    } else {
        /* Odd keys beyond those of whole powers. */
        const struct power *known =
            find_power(writer, base, sign * (2 * MAX_MULTIPLIED + 1), &fresh);
        if (!known) {
            return;
        }
        const int place = writer->power_count - 1;
        memcpy(operand, known->name, OPERAND_SIZE);
        if (fresh) {
            write_from_zero(writer, base, sign < 0, inner);
            begin_line(writer, operand);
            strbuf_append(&writer->text, "%s(%s);\n", sign < 0 ? "RSQRT" : "SQRT", inner);
            writer->operations++;
            memcpy(writer->powers[place].name, operand, OPERAND_SIZE);
        }
    }
    const int whole = (halves - sign) / 2;
    if (whole != 0) {
        char root[OPERAND_SIZE];
        memcpy(root, operand, OPERAND_SIZE);
        write_whole_power(writer, base, whole, inner);
        begin_line(writer, operand);
        strbuf_append(&writer->text, "%s * %s;\n", root, inner);
        writer->operations++;
    }
}

static void write_power(struct writer *writer, int base, double exponent,
                        char operand[OPERAND_SIZE]) {
    if (fabs(exponent) <= MAX_MULTIPLIED && exponent == rint(exponent)) {
        write_whole_power(writer, base, (int)exponent, operand);
    } else if (fabs(exponent) <= MAX_MULTIPLIED && 2.0 * exponent == rint(2.0 * exponent)) {
        write_root_power(writer, base, (int)(2.0 * exponent), operand);
    } else {
        char inner[OPERAND_SIZE];
        write_from_zero(writer, base, exponent < 0.0, inner);
        begin_line(writer, operand);
        strbuf_append(&writer->text, "POW(%s, REAL(%.17e));\n", inner, exponent);
        writer->operations++;
    }
}

/* " + REAL(c) * x", with the sign between where something stands before. */
static void append_summand(struct strbuf *line, double factor, const char *operand, bool first,
                           int *operations) {
    strbuf_append(line, "%s", first ? (factor < 0.0 ? "-" : "") : factor < 0.0 ? " - " : " + ");
    *operations += !first;
    if (fabs(factor) != 1.0) {
        strbuf_append(line, "REAL(%.17e) * ", fabs(factor));
        ++*operations;
    }
    strbuf_append(line, "%s", operand);
}

/* The sum, all of it times `scale`; what is added comes first. */
static void write_sum(struct writer *writer, int node, double scale, char name[OPERAND_SIZE]) {
    struct strbuf line = { 0 };
    const double value = scale * writer->algebra->nodes[node].value;
    bool first = true;
    for (int positive = 1; positive >= 0; positive--) {
        for (int t = 0; t < writer->algebra->nodes[node].count; t++) {
            const struct algebra_term term = writer->algebra->nodes[node].terms[t];
            if ((scale * term.factor > 0.0) == (positive == 1)) {
                char operand[OPERAND_SIZE];
                write_operand(writer, term.node, operand);
                append_summand(&line, scale * term.factor, operand, first, &writer->operations);
                first = false;
            }
        }
        if (value != 0.0 && (value > 0.0) == (positive == 1)) {
            strbuf_append(&line, "%sREAL(%.17e)",
                          first         ? (value < 0.0 ? "-" : "")
                          : value < 0.0 ? " - "
                                        : " + ",
                          fabs(value));
            writer->operations += !first;
            first = false;
        }
    }
    begin_line(writer, name);
    strbuf_append(&writer->text, "%s;\n", line.data ? line.data : "REAL(0.0)");
    writer->failed = writer->failed || line.failed;
    strbuf_free(&line);
}

/* A number before a sum that is needed nowhere else goes into it. */
static int sum_to_scale(const struct writer *writer, const struct algebra_node *product) {
    for (int t = 0; fabs(product->value) != 1.0 && t < product->count; t++) {
        const struct algebra_term term = product->terms[t];
        if (writer->algebra->nodes[term.node].kind == ALGEBRA_SUM && term.factor == 1.0 &&
            writer->uses[term.node] == 1) {
            return term.node;
        }
    }
    return -1;
}

static void write_product(struct writer *writer, int node, char name[OPERAND_SIZE]) {
    struct strbuf line = { 0 };
    const double value = writer->algebra->nodes[node].value;
    const int taken = sum_to_scale(writer, &writer->algebra->nodes[node]);
    bool first = true;
    if (taken >= 0 || fabs(value) == 1.0) {
        strbuf_append(&line, "%s", taken < 0 && value < 0.0 ? "-" : "");
    } else {
        strbuf_append(&line, "REAL(%.17e)", value);
        first = false;
    }
    for (int t = 0; t < writer->algebra->nodes[node].count; t++) {
        const struct algebra_term term = writer->algebra->nodes[node].terms[t];
        char operand[OPERAND_SIZE] = "";
        if (term.node == taken) {
            write_sum(writer, term.node, value, operand);
        } else {
            write_power(writer, term.node, term.factor, operand);
        }
        strbuf_append(&line, "%s%s", first ? "" : " * ", operand);
        writer->operations += !first;
        first = false;
    }
    begin_line(writer, name);
    strbuf_append(&writer->text, "%s;\n", strbuf_text(&line));
    writer->failed = writer->failed || line.failed;
    strbuf_free(&line);
}

static void write_call(struct writer *writer, int node, char name[OPERAND_SIZE]) {
    static const char *const words[FUNCTION_COUNT] = {
        [FUNCTION_EXP] = "EXP",     [FUNCTION_LOG] = "LOG",   [FUNCTION_SIN] = "SIN",
        [FUNCTION_COS] = "COS",     [FUNCTION_TAN] = "TAN",   [FUNCTION_ASIN] = "ASIN",
        [FUNCTION_ACOS] = "ACOS",   [FUNCTION_ATAN] = "ATAN", [FUNCTION_ATAN2] = "ATAN2",
        [FUNCTION_SINH] = "SINH",   [FUNCTION_COSH] = "COSH", [FUNCTION_TANH] = "TANH",
        [FUNCTION_ERF] = "ERF",     [FUNCTION_ERFC] = "ERFC", [FUNCTION_ABS] = "FABS",
        [FUNCTION_FLOOR] = "FLOOR", [FUNCTION_CEIL] = "CEIL", [FUNCTION_MIN] = "MIN_REAL",
        [FUNCTION_MAX] = "MAX_REAL"
    };
    const struct algebra_node *call = &writer->algebra->nodes[node];
    const int function = call->kind == ALGEBRA_POWER ? FUNCTION_POW : call->index;
    const int count = call->count;
    char operand[EXPRESSION_MAX_OPERANDS][OPERAND_SIZE] = { "", "", "" };
    for (int k = 0; k < count; k++) {
        if (k == 0 && (function == FUNCTION_LOG || function == FUNCTION_POW)) {
            write_from_zero(writer, call->terms[k].node, function == FUNCTION_LOG, operand[k]);
        } else if (function == FUNCTION_ACOS || function == FUNCTION_ASIN) {
            write_within_one(writer, call->terms[k].node, operand[k]);
        } else {
            write_operand(writer, call->terms[k].node, operand[k]);
        }
    }
    begin_line(writer, name);
    writer->operations++;
    switch (function) {
    case FUNCTION_POW:
        strbuf_append(&writer->text, "POW(%s, %s);\n", operand[0], operand[1]);
        break;
    case FUNCTION_STEP:
    case FUNCTION_DELTA:
        strbuf_append(&writer->text, "%s %s REAL(0.0) ? REAL(1.0) : REAL(0.0);\n", operand[0],
                      function == FUNCTION_STEP ? ">=" : "==");
        break;
    case FUNCTION_SELECT:
        strbuf_append(&writer->text, "%s != REAL(0.0) ? %s : %s;\n", operand[0], operand[1],
                      operand[2]);
        break;
    case FUNCTION_ATAN2:
    case FUNCTION_MIN:
    case FUNCTION_MAX:
        strbuf_append(&writer->text, "%s(%s, %s);\n", words[function], operand[0], operand[1]);
        break;
    default:
        if (function >= FUNCTION_COUNT) {
            const int table = function - FUNCTION_COUNT;
            strbuf_append(&writer->text, "expression_table%d%s(%s);\n", table / 2,
                          table % 2 ? "_slope" : "", operand[0]);
            writer->operations += TABLE_OPERATIONS;
            return;
        }
        strbuf_append(&writer->text, "%s(%s);\n", words[function], operand[0]);
    }
}

/* The words for a node, after the lines that compute it. */
static void write_operand(struct writer *writer, int node, char operand[OPERAND_SIZE]) {
    const struct algebra_node *at = &writer->algebra->nodes[node];
    switch (at->kind) {
    case ALGEBRA_NUMBER:
        (void)snprintf(operand, OPERAND_SIZE, "REAL(%.17e)", at->value);
        return;
    case ALGEBRA_PARAMETER:
        (void)snprintf(operand, OPERAND_SIZE, "%s%d",
                       at->index < EXPRESSION_MAX_PARAMETERS ? "p" : "mixed_",
                       at->index % EXPRESSION_MAX_PARAMETERS);
        return;
    case ALGEBRA_SQUARE:
        (void)snprintf(operand, OPERAND_SIZE, "r2");
        return;
    case ALGEBRA_VARIABLE:
        (void)snprintf(operand, OPERAND_SIZE, "q");
        return;
    case ALGEBRA_CHARGE:
        if (at->index < 2) {
            (void)snprintf(operand, OPERAND_SIZE, "particle_%c.w", "ij"[at->index]);
        } else {
            (void)snprintf(operand, OPERAND_SIZE, "value_%d%c", at->index / 2 - 1,
                           "ij"[at->index % 2]);
        }
        return;
    default:
        break;
    }
    if (!writer->name[node][0]) {
        char name[OPERAND_SIZE] = "";
        if (at->kind == ALGEBRA_SUM) {
            write_sum(writer, node, 1.0, name);
        } else if (at->kind == ALGEBRA_PRODUCT) {
            if (at->value == 1.0 && at->count == 1) {
                write_power(writer, at->terms[0].node, at->terms[0].factor, name);
            } else {
                write_product(writer, node, name);
            }
        } else {
            write_call(writer, node, name);
        }
        memcpy(writer->name[node], name, OPERAND_SIZE);
    }
    memcpy(operand, writer->name[node], OPERAND_SIZE);
}

/* Counts who needs a node, and finds whether r itself is among what is needed. */
static void count_uses(struct writer *writer, int node) {
    const struct algebra_node *at = &writer->algebra->nodes[node];
    if (writer->uses[node]++ > 0) {
        return;
    }
    for (int t = 0; t < at->count; t++) {
        const double exponent = at->kind == ALGEBRA_PRODUCT ? at->terms[t].factor : 1.0;
        writer->root =
            writer->root || (exponent != rint(exponent) && 2.0 * exponent == rint(2.0 * exponent) &&
                             writer->algebra->nodes[at->terms[t].node].kind == ALGEBRA_SQUARE);
        count_uses(writer, at->terms[t].node);
    }
}

/* The expression as a comment: what would end or break one becomes '?'. */
static void append_comment(struct strbuf *text, const char *words) {
    strbuf_append(text, "/*\n * expression — ");
    for (const char *c = words; *c; c++) {
        const bool ends = c > words && c[-1] == '*' && *c == '/';
        const bool plain = isprint((unsigned char)*c) && *c != '\\' && !ends;
        strbuf_append(text, "%c", plain ? *c : '?');
    }
    strbuf_append(text, "\n *\n * Made from that text.\n */\n");
}

static void append_signature(struct strbuf *text, const struct expression *expression) {
    const int values = expression->value_count;
    if (expression->variable) {
        strbuf_append(text, "DEVICE real slope_of_%s(real q", expression->variable);
    } else {
        strbuf_append(text, "DEVICE real expression_force_over_r(real r2, real4 particle_i, real4 "
                            "particle_j");
    }
    for (int p = 0; p < expression->parameter_count; p++) {
        strbuf_append(text, ", real p%d", p);
    }
    for (int v = 0; v < values; v++) {
        strbuf_append(text, ", real value_%di, real value_%dj", v, v);
    }
    strbuf_append(text, ", real *energy)\n{\n");
}

/* What the values of the two particles are mixed to, where that is used. */
static void append_mixing(struct writer *writer, const struct expression *expression) {
    for (int d = 0; d < expression->definition_count; d++) {
        const struct expression_definition *definition = &expression->definitions[d];
        const int v = definition->values;
        if (v < 0 || definition->mixing == EXPRESSION_UNMIXED) {
            continue;
        }
        strbuf_append(&writer->text,
                      definition->mixing == EXPRESSION_GEOMETRIC
                          ? "    const real mixed_%d = SQRT(value_%di * value_%dj);\n"
                          : "    const real mixed_%d = REAL(0.5) * (value_%di + value_%dj);\n",
                      v, v, v);
        writer->operations += 2;
    }
}

/* The expressions that a kernel evaluates. */
struct wanted_nodes {
    int energy, force;
};

static bool write_function(struct algebra *algebra, const struct expression *expression,
                           struct wanted_nodes wanted, char **text, int *operations,
                           struct error *error) {
    struct writer writer = { .algebra = algebra };
    char operand[OPERAND_SIZE];
    writer.uses = calloc((size_t)algebra->count, sizeof *writer.uses);
    writer.name = calloc((size_t)algebra->count, sizeof *writer.name);
    writer.failed = !writer.uses || !writer.name;
    if (!writer.failed) {
        append_comment(&writer.text, expression->text);
        for (int t = 0; t < expression->table_count; t++) {
            expression_table_append(expression->tables[t], t, &writer.text);
        }
        append_signature(&writer.text, expression);
        append_mixing(&writer, expression);
        count_uses(&writer, wanted.energy);
        count_uses(&writer, wanted.force);
        write_operand(&writer, wanted.force, operand);
        *operations = writer.operations + ADDING_A_FORCE;
        struct strbuf behind = { 0 };
        strbuf_append(&behind, "    return %s;\n}\n", operand);
        strbuf_append(&writer.text, "#if WITH_ENERGY\n");
        write_operand(&writer, wanted.energy, operand);
        strbuf_append(&writer.text, "    *energy = %s;\n#endif\n%s", operand, strbuf_text(&behind));
        writer.failed = writer.failed || behind.failed;
        strbuf_free(&behind);
    }
    free(writer.uses);
    free(writer.name);
    free(writer.powers);
    if (writer.failed || writer.text.failed) {
        strbuf_free(&writer.text);
        return fail_out_of_memory(error, "the text of an expression");
    }
    *text = writer.text.data;
    return true;
}

/* ---- whole ---- */

static bool fail_no_number(const struct builder *builder, size_t *place, struct error *error) {
    static const char words[] = "no finite number (as 1/0 or log(-1))";
    if (builder->no_number < 0) {
        return fail(error, STATUS_BAD_INPUT,
                    "the derivative of the expression has a constant that is %s", words);
    }
    *place = builder->expression->nodes[builder->no_number].place;
    return fail(error, STATUS_BAD_INPUT, "a constant that is %s", words);
}

static bool make_text(struct expression *expression, bool by_arguments, size_t *place,
                      struct error *error) {
    struct algebra algebra = { 0 };
    struct builder builder = {
        .expression = expression, .algebra = &algebra, .by_arguments = by_arguments, .no_number = -1
    };
    int operations = 0;
    for (int d = 0; d < EXPRESSION_MAX_DEFINITIONS; d++) {
        builder.defined[d] = -1;
    }
    const int zero = algebra_number(&algebra, 0.0); /* the first node, which stands for failures */
    const int energy = build_definition(&builder, 0, 0);
    const bool symmetric =
        builder.too_deep || algebra.failed || algebra_is_symmetric(&algebra, energy);
    const double times = expression->variable ? 1.0 : -2.0; /* see derivative.c */
    const int force = builder.too_deep || algebra.failed
                          ? zero
                          : algebra_multiply(&algebra, algebra_number(&algebra, times),
                                             algebra_derivative(&algebra, energy));
    bool made = false;
    if (algebra.no_memory) {
        (void)fail_out_of_memory(error, "the expression");
    } else if (algebra.failed || builder.too_deep) {
        (void)fail(error, STATUS_BAD_INPUT,
                   "the expression is too large: its parts, or those of its derivative, are too "
                   "many or too deep within each other");
    } else if (builder.no_number >= 0 || !stays_finite(&builder)) {
        (void)fail_no_number(&builder, place, error);
    } else if (!symmetric) {
        (void)fail(error, STATUS_BAD_INPUT,
                   "the energy changes when the two particles change places; expected one that is "
                   "the same with q1 and q2 exchanged");
    } else {
        made = write_function(&algebra, expression, (struct wanted_nodes){ energy, force },
                              &expression->kernel[by_arguments], &operations, error);
    }
    if (!by_arguments) {
        expression->operations = operations;
    }
    algebra_free(&algebra);
    return made;
}

bool kernel_words_make(struct expression *expression, size_t *place, struct error *error) {
    *place = KERNEL_WORDS_NO_PLACE;
    return make_text(expression, false, place, error) && make_text(expression, true, place, error);
}
