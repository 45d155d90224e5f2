/* The words of an expression, one after the other: how they are read, and how they are spelled. */
#include "kernels/expressions/expression.h"

#include "core/quantity.h"
#include "core/strings.h"
#include "kernels/expressions/expression_parts.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool reader_fail_at(const struct reader *reader, size_t place, const char *format, ...) {
    char message[512];
    size_t line = 1;
    size_t column = 1;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    for (size_t k = 0; k < place; k++) {
        const bool ends = reader->text[k] == '\n' && reader->path;
        line += ends;
        column = ends ? 1 : column + 1;
    }
    return reader->path ? fail(reader->error, STATUS_BAD_INPUT, "%s:%zu:%zu: %s", reader->path,
                               line, column, message)
                        : fail(reader->error, STATUS_BAD_INPUT, "column %zu: %s", column, message);
}

size_t reader_place(const struct reader *reader) {
    return (size_t)(reader->at - reader->text);
}

bool reader_fail_expected(const struct reader *reader, const char *what) {
    enum { SHOWN = 24 };
    const char *at = reader->at;
    if (*at == '\0') {
        return reader_fail_at(reader, reader_place(reader), "expected %s; the text ends", what);
    }
    size_t length = identifier_length(at);
    if (length == 0 && isdigit((unsigned char)*at)) {
        length = strspn(at, "0123456789.");
    }
    length = length == 0 ? 1 : length;
    while (length < SHOWN && ((unsigned char)at[length] & 0xC0U) == 0x80U) { /* all of a letter */
        length++;
    }
    return reader_fail_at(reader, reader_place(reader), "expected %s, not '%.*s%s'", what,
                          (int)(length < SHOWN ? length : SHOWN), at, length > SHOWN ? "..." : "");
}

void reader_skip_space(struct reader *reader) {
    for (;;) {
        reader->at += strspn(reader->at, " \t\r\n");
        if (!reader->path || *reader->at != '#') {
            return;
        }
        reader->at += strcspn(reader->at, "\n");
    }
}

bool reader_take_sign(struct reader *reader, char sign) {
    if (*reader->at != sign) {
        return false;
    }
    reader->at++;
    reader_skip_space(reader);
    return true;
}

bool reader_take_name(struct reader *reader, char name[EXPRESSION_NAME_SIZE]) {
    const size_t length = identifier_length(reader->at);
    if (length == 0) {
        return reader_fail_expected(reader, "a name");
    }
    if (length >= EXPRESSION_NAME_SIZE) {
        return reader_fail_at(reader, reader_place(reader),
                              "a name of %zu letters; expected at most %d", length,
                              EXPRESSION_NAME_SIZE - 1);
    }
    (void)snprintf(name, EXPRESSION_NAME_SIZE, "%.*s", (int)length, reader->at);
    reader->at += length;
    return true;
}

size_t reader_number_length(const char *at) {
    static const char digits[] = "0123456789";
    const size_t whole = strspn(at, digits);
    size_t length = whole;
    if (at[length] == '.') {
        const size_t rest = strspn(at + length + 1, digits);
        if (whole + rest == 0) {
            return 0;
        }
        length += 1 + rest;
    }
    if (length > 0 && (at[length] == 'e' || at[length] == 'E')) {
        const size_t sign = at[length + 1] == '+' || at[length + 1] == '-';
        const size_t exponent = strspn(at + length + 1 + sign, digits);
        length += exponent > 0 ? 1 + sign + exponent : 0;
    }
    return length;
}

bool reader_take_number(struct reader *reader, double *value) {
    char word[64];
    const size_t length = reader_number_length(reader->at);
    if (length == 0) {
        return reader_fail_expected(reader, "a number");
    }
    (void)snprintf(word, sizeof word, "%.*s", (int)length, reader->at);
    *value = strtod(word, NULL);
    if (length >= sizeof word || !isfinite(*value) || is_vanished(word, *value)) {
        return reader_fail_at(reader, reader_place(reader), "'%s' is beyond what a number can be",
                              word);
    }
    if (identifier_length(reader->at + length) > 0) {
        reader->at += length;
        return reader_fail_expected(reader, "an operator after the number");
    }
    reader->at += length;
    reader_skip_space(reader);
    return true;
}

/* ---- names ---- */

static const char *const variables[] = { "r", "q1", "q2" };
static const enum expression_op variable_ops[] = { OP_R, OP_Q1, OP_Q2 };

static int variable_count(const struct expression *expression) {
    return expression->variable ? 1 : 3;
}

static const char *variable_name(const struct expression *expression, int v) {
    return expression->variable ? expression->variable : variables[v];
}

struct nearest {
    const char *name;
    size_t distance;
};

static void consider(struct nearest *nearest, const char *word, const char *candidate) {
    const size_t distance = word_distance(word, candidate);
    if (!nearest->name || distance < nearest->distance) {
        *nearest = (struct nearest){ candidate, distance };
    }
}

static bool fail_unknown_name(const struct reader *reader, size_t place, const char *word) {
    const struct expression *expression = reader->expression;
    struct nearest nearest = { 0 };
    for (int v = 0; v < variable_count(expression); v++) {
        consider(&nearest, word, variable_name(expression, v));
    }
    char of_particle[EXPRESSION_MAX_VALUES][EXPRESSION_NAME_SIZE + 1];
    const size_t last = strlen(word) - 1;
    const bool has_side = last > 0 && (word[last] == '1' || word[last] == '2');
    for (int d = 1; d < expression->definition_count; d++) {
        const struct expression_definition *definition = &expression->definitions[d];
        if (definition->values >= 0 && has_side) {
            char *name = of_particle[definition->values];
            (void)snprintf(name, sizeof of_particle[0], "%s%c", definition->name, word[last]);
            consider(&nearest, word, name);
        } else {
            consider(&nearest, word, definition->name);
        }
    }
    if (expression->variable) {
        return reader_fail_at(
            reader, place,
            "nothing is named '%s'; the nearest is '%s' (expected %s, a column of the "
            "file, or a later definition)",
            word, nearest.name, expression->variable);
    }
    char column[EXPRESSION_NAME_SIZE + 32] = "";
    if (has_side) {
        (void)snprintf(column, sizeof column, "a column %.*s:R:1 of the box, ", (int)last, word);
    }
    return reader_fail_at(reader, place,
                          "nothing is named '%s'; the nearest is '%s' (expected r, q1, q2, %sor a "
                          "later definition, as \"; %s = 1\")",
                          word, nearest.name, column, word);
}

static bool fail_unknown_function(const struct reader *reader, size_t place, const char *word) {
    struct nearest nearest = { 0 };
    for (int f = 0; f < FUNCTION_COUNT; f++) {
        consider(&nearest, word, expression_function_names[f]);
    }
    for (int d = 0; d < reader->expression->definition_count; d++) {
        if (reader->expression->definitions[d].table >= 0) {
            consider(&nearest, word, reader->expression->definitions[d].name);
        }
    }
    return reader_fail_at(reader, place, "no function is named '%s'; the nearest is '%s'", word,
                          nearest.name);
}

/* Which variable has the name; -1: none. */
static int find_variable(const struct expression *expression, const char *name) {
    for (int v = 0; v < variable_count(expression); v++) {
        if (strcmp(name, variable_name(expression, v)) == 0) {
            return v;
        }
    }
    return -1;
}

bool expression_name_is_reserved(const struct expression *expression, const char *name) {
    return find_variable(expression, name) >= 0 || expression_function_find(name) >= 0;
}

int expression_find_definition(const struct expression *expression, const char *name) {
    for (int d = 0; d < expression->definition_count; d++) {
        if (strcmp(expression->definitions[d].name, name) == 0) {
            return d;
        }
    }
    return -1;
}

static bool resolve_table(struct reader *reader, struct expression_node *node) {
    const struct expression *expression = reader->expression;
    char name[EXPRESSION_NAME_SIZE];
    const char *at = reader->text + node->place;
    (void)snprintf(name, sizeof name, "%.*s", (int)identifier_length(at), at);
    node->which = expression_find_definition(expression, name);
    if (node->which < 0 || expression->definitions[node->which].table < 0) {
        return fail_unknown_function(reader, node->place, name);
    }
    return node->number == 0.0 ||
           reader_fail_at(reader, node->place, "the table '%s' has one argument; expected no ','",
                          name);
}

/* Whether it is the value of one of the two particles: NAME1 or NAME2. */
static bool is_value(const struct expression *expression, const char *name,
                     struct expression_node *node) {
    char stem[EXPRESSION_NAME_SIZE];
    const size_t length = strlen(name);
    if (length < 2 || (name[length - 1] != '1' && name[length - 1] != '2')) {
        return false;
    }
    (void)snprintf(stem, sizeof stem, "%.*s", (int)length - 1, name);
    const int found = expression_find_definition(expression, stem);
    if (found < 0 || expression->definitions[found].values < 0) {
        return false;
    }
    *node = (struct expression_node){
        .op = OP_VALUE, .which = found, .number = name[length - 1] - '0', .place = node->place
    };
    return true;
}

static bool resolve_name(struct reader *reader, int user, struct expression_node *node) {
    const struct expression *expression = reader->expression;
    char name[EXPRESSION_NAME_SIZE];
    const char *at = reader->text + node->place;
    (void)snprintf(name, sizeof name, "%.*s", (int)identifier_length(at), at);
    const int variable = find_variable(expression, name);
    if (variable >= 0) {
        node->op = variable_ops[variable];
        return true;
    }
    node->which = expression_find_definition(expression, name);
    if (node->which < 0 && is_value(expression, name, node)) {
        return true;
    }
    if (node->which < 0) {
        return expression_function_find(name) >= 0
                   ? reader_fail_at(reader, node->place,
                                    "'%s' is a function; expected '(' after it", name)
                   : fail_unknown_name(reader, node->place, name);
    }
    if (expression->definitions[node->which].table >= 0) {
        return reader_fail_at(reader, node->place, "'%s' is a table; expected '(' after it", name);
    }
    if (expression->definitions[node->which].values >= 0) {
        node->op = OP_VALUE;
        return expression->definitions[node->which].mixing != EXPRESSION_UNMIXED ||
               reader_fail_at(
                   reader, node->place,
                   "'%s' has a value per particle; expected '%s1' and '%s2', or how it is mixed "
                   "after its file: arithmetic or geometric",
                   name, name, name);
    }
    if (node->which <= user && expression->definitions[node->which].node >= 0) {
        return reader_fail_at(reader, node->place,
                              node->which == user
                                  ? "'%s' is defined by itself; expected definitions that only "
                                    "earlier statements use"
                                  : "'%s' is defined before '%s', which uses it; expected it after "
                                    "(statements use later definitions, without a circle)",
                              name, expression->definitions[user].name);
    }
    return true;
}

/* Every name of one definition; nodes of a definition stand before its own, after those of the
 * one before. */
static bool resolve_names(struct reader *reader, bool *used) {
    struct expression *expression = reader->expression;
    int node = 0;
    for (int d = 0; d < expression->definition_count; d++) {
        for (; expression->definitions[d].node >= node; node++) {
            struct expression_node *each = &expression->nodes[node];
            if ((each->op == OP_DEFINED && !resolve_name(reader, d, each)) ||
                (each->op == OP_TABLE && !resolve_table(reader, each))) {
                return false;
            }
        }
    }
    used[0] = true;
    node = 0;
    for (int d = 0; d < expression->definition_count; d++) { /* users stand before what they use */
        for (; expression->definitions[d].node >= node; node++) {
            const struct expression_node *each = &expression->nodes[node];
            if (used[d] &&
                (each->op == OP_DEFINED || each->op == OP_TABLE || each->op == OP_VALUE)) {
                used[each->which] = true;
            }
        }
    }
    return true;
}

bool expression_names_resolve(struct reader *reader) {
    struct expression *expression = reader->expression;
    bool used[EXPRESSION_MAX_DEFINITIONS] = { false };
    if (!resolve_names(reader, used)) {
        return false;
    }
    for (int d = 0; d < expression->definition_count; d++) {
        if (!used[d]) {
            return reader_fail_at(
                reader, expression->definitions[d].place,
                "nothing that the energy needs uses '%s'; expected every definition to "
                "serve one before it",
                expression->definitions[d].name);
        }
    }
    return true;
}

/* ---- how an expression is spelled ---- */

/* How tightly an operation binds. An operand that binds less tightly than its place demands gets
 * parentheses. */
enum { BIND_SUM = 1, BIND_PRODUCT, BIND_UNARY, BIND_POWER, BIND_ATOM };

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
        strbuf_append(text, "%s", quantity_shortest(node->number).text);
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
            strbuf_append(text, "%s", quantity_shortest(definition->value).text);
            strbuf_append(text, "%s", mixing[definition->mixing]);
        }
    }
    for (int v = 0; v < expression->type_value_count; v++) {
        const struct expression_type_value *typed = &expression->type_values[v];
        const int definition = expression->parameters[typed->parameter];
        strbuf_append(text, "; %s.%s = ", expression->definitions[definition].name, typed->type);
        strbuf_append(text, "%s", quantity_shortest(typed->value).text);
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
