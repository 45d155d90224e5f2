#include "expression/expression.h"

#include "base/nearest.h"
#include "expression/kernel_words.h"
#include "expression/particle_values.h"
#include "expression/table.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 200 };

const char *const expression_function_names[FUNCTION_COUNT] = {
    [FUNCTION_SQRT] = "sqrt",   [FUNCTION_EXP] = "exp",      [FUNCTION_LOG] = "log",
    [FUNCTION_SIN] = "sin",     [FUNCTION_COS] = "cos",      [FUNCTION_TAN] = "tan",
    [FUNCTION_ASIN] = "asin",   [FUNCTION_ACOS] = "acos",    [FUNCTION_ATAN] = "atan",
    [FUNCTION_SINH] = "sinh",   [FUNCTION_COSH] = "cosh",    [FUNCTION_TANH] = "tanh",
    [FUNCTION_ERF] = "erf",     [FUNCTION_ERFC] = "erfc",    [FUNCTION_ABS] = "abs",
    [FUNCTION_FLOOR] = "floor", [FUNCTION_CEIL] = "ceil",    [FUNCTION_STEP] = "step",
    [FUNCTION_DELTA] = "delta", [FUNCTION_MIN] = "min",      [FUNCTION_MAX] = "max",
    [FUNCTION_POW] = "pow",     [FUNCTION_SELECT] = "select"
};

int expression_function_operands(enum expression_function function) {
    return function == FUNCTION_SELECT ? 3 : function >= FUNCTION_MIN ? 2 : 1;
}

static const char *const variables[] = { "r", "q1", "q2" };
static const enum expression_op variable_ops[] = { OP_R, OP_Q1, OP_Q2 };

static int variable_count(const struct expression *expression) {
    return expression->variable ? 1 : 3;
}

static const char *variable_name(const struct expression *expression, int v) {
    return expression->variable ? expression->variable : variables[v];
}

struct reader {
    const char *text, *at;
    const char *path; /* NULL: an option */
    struct expression *expression;
    int depth;
    struct error *error;
};

/* ---- messages ---- */

/* Begins the message with the place and returns false. */
__attribute__((format(printf, 3, 4))) static bool fail_at(const struct reader *reader, size_t place,
                                                          const char *format, ...) {
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

static size_t here(const struct reader *reader) {
    return (size_t)(reader->at - reader->text);
}

static size_t name_length(const char *at) {
    size_t length = 0;
    if (isalpha((unsigned char)*at) || *at == '_') {
        while (isalnum((unsigned char)at[length]) || at[length] == '_') {
            length++;
        }
    }
    return length;
}

/* "expected WHAT, not 'FOUND'" */
static bool fail_expected(const struct reader *reader, const char *what) {
    enum { SHOWN = 24 };
    const char *at = reader->at;
    if (*at == '\0') {
        return fail_at(reader, here(reader), "expected %s; the text ends", what);
    }
    size_t length = name_length(at);
    if (length == 0 && isdigit((unsigned char)*at)) {
        length = strspn(at, "0123456789.");
    }
    length = length == 0 ? 1 : length;
    while (length < SHOWN && ((unsigned char)at[length] & 0xC0U) == 0x80U) { /* all of a letter */
        length++;
    }
    return fail_at(reader, here(reader), "expected %s, not '%.*s%s'", what,
                   (int)(length < SHOWN ? length : SHOWN), at, length > SHOWN ? "..." : "");
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
    for (int d = 1; d < expression->definition_count; d++) {
        const struct expression_definition *definition = &expression->definitions[d];
        const bool sided = definition->values >= 0 && (word[last] == '1' || word[last] == '2');
        if (sided) {
            char *name = of_particle[definition->values];
            (void)snprintf(name, sizeof of_particle[0], "%s%c", definition->name, word[last]);
            consider(&nearest, word, name);
        } else {
            consider(&nearest, word, definition->name);
        }
    }
    if (expression->variable) {
        return fail_at(reader, place,
                       "nothing is named '%s'; the nearest is '%s' (expected %s, a column of the "
                       "file, or what a definition behind says)",
                       word, nearest.name, expression->variable);
    }
    return fail_at(reader, place,
                   "nothing is named '%s'; the nearest is '%s' (expected r, q1, q2, or what a "
                   "definition behind says, as \"; %s = 1\")",
                   word, nearest.name, word);
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
    return fail_at(reader, place, "no function is named '%s'; the nearest is '%s'", word,
                   nearest.name);
}

/* ---- words ---- */

static void skip_space(struct reader *reader) {
    for (;;) {
        reader->at += strspn(reader->at, " \t\r\n");
        if (!reader->path || *reader->at != '#') {
            return;
        }
        reader->at += strcspn(reader->at, "\n");
    }
}

static bool take_sign(struct reader *reader, char sign) {
    if (*reader->at != sign) {
        return false;
    }
    reader->at++;
    skip_space(reader);
    return true;
}

static bool take_name(struct reader *reader, char name[EXPRESSION_NAME_SIZE]) {
    const size_t length = name_length(reader->at);
    if (length == 0) {
        return fail_expected(reader, "a name");
    }
    if (length >= EXPRESSION_NAME_SIZE) {
        return fail_at(reader, here(reader), "a name of %zu letters; expected at most %d", length,
                       EXPRESSION_NAME_SIZE - 1);
    }
    (void)snprintf(name, EXPRESSION_NAME_SIZE, "%.*s", (int)length, reader->at);
    reader->at += length;
    return true;
}

/* Digits with a point and an exponent; 0: none stand here. */
static size_t number_length(const char *at) {
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

static bool take_number(struct reader *reader, double *value) {
    char word[64];
    const size_t length = number_length(reader->at);
    if (length == 0) {
        return fail_expected(reader, "a number");
    }
    (void)snprintf(word, sizeof word, "%.*s", (int)length, reader->at);
    *value = strtod(word, NULL);
    if (length >= sizeof word || !isfinite(*value)) {
        return fail_at(reader, here(reader), "'%s' is beyond what a number can be", word);
    }
    if (name_length(reader->at + length) > 0) {
        reader->at += length;
        return fail_expected(reader, "an operator behind the number");
    }
    reader->at += length;
    skip_space(reader);
    return true;
}

/* ---- the tree ---- */

/* -1: there are too many. */
static int add_node(struct reader *reader, struct expression_node node) {
    struct expression *expression = reader->expression;
    if (expression->node_count == EXPRESSION_MAX_NODES) {
        (void)fail_at(reader, here(reader), "the expression has more than %d parts",
                      EXPRESSION_MAX_NODES);
        return -1;
    }
    expression->nodes[expression->node_count] = node;
    return expression->node_count++;
}

static int read_sum(struct reader *reader);
static int read_unary(struct reader *reader);

/* Both operands are there, or have failed. */
static int add_binary(struct reader *reader, enum expression_op op, int left, int right) {
    return right < 0
               ? -1
               : add_node(reader, (struct expression_node){ .op = op, .operand = { left, right } });
}

static int find_function(const char *name) {
    for (int f = 0; f < FUNCTION_COUNT; f++) {
        if (strcmp(name, expression_function_names[f]) == 0) {
            return f;
        }
    }
    return -1;
}

/* What is no function may be a table that is named behind: see resolve_names(). */
static int read_table_call(struct reader *reader, size_t place) {
    struct expression_node node = { .op = OP_TABLE, .which = -1, .place = place };
    int ignored = 0;
    (void)take_sign(reader, '(');
    node.operand[0] = read_sum(reader);
    while (node.operand[0] >= 0 && ignored >= 0 && take_sign(reader, ',')) {
        node.number += 1.0; /* arguments too many */
        ignored = read_sum(reader);
    }
    if (node.operand[0] < 0 || ignored < 0) {
        return -1;
    }
    if (!take_sign(reader, ')')) {
        (void)fail_expected(reader, "')' or an operator");
        return -1;
    }
    return add_node(reader, node);
}

static int read_call(struct reader *reader, const char *name, size_t place) {
    struct expression_node node = { .op = OP_CALL, .which = find_function(name), .place = place };
    if (node.which < 0) {
        return read_table_call(reader, place);
    }
    const int operands = expression_function_operands((enum expression_function)node.which);
    (void)take_sign(reader, '(');
    for (int k = 0; k < operands; k++) {
        if (k > 0 && !take_sign(reader, ',')) {
            char what[64];
            (void)snprintf(what, sizeof what, "',' (%s has %d arguments)", name, operands);
            (void)fail_expected(reader, what);
            return -1;
        }
        node.operand[k] = read_sum(reader);
        if (node.operand[k] < 0) {
            return -1;
        }
    }
    if (!take_sign(reader, ')')) {
        (void)fail_expected(reader, "')' or an operator");
        return -1;
    }
    return add_node(reader, node);
}

/* A name waits for all definitions: see resolve_names(). Where it begins is kept. */
static int read_name(struct reader *reader) {
    char name[EXPRESSION_NAME_SIZE];
    const size_t place = here(reader);
    if (!take_name(reader, name)) {
        return -1;
    }
    skip_space(reader);
    if (*reader->at == '(') {
        return read_call(reader, name, place);
    }
    return add_node(reader,
                    (struct expression_node){ .op = OP_DEFINED, .which = -1, .place = place });
}

static int read_atom(struct reader *reader) {
    double number;
    if (take_sign(reader, '(')) {
        const int inner = read_sum(reader);
        if (inner >= 0 && !take_sign(reader, ')')) {
            (void)fail_expected(reader, "')' or an operator");
            return -1;
        }
        return inner;
    }
    if (name_length(reader->at) > 0) {
        return read_name(reader);
    }
    if (number_length(reader->at) == 0) {
        (void)fail_expected(reader, "a number, a name or '('");
        return -1;
    }
    return take_number(reader, &number)
               ? add_node(reader, (struct expression_node){ .op = OP_NUMBER, .number = number })
               : -1;
}

static int read_unary_inner(struct reader *reader) {
    if (take_sign(reader, '+')) {
        return read_unary(reader);
    }
    if (take_sign(reader, '-')) {
        const int inner = read_unary(reader);
        return inner < 0 ? -1
                         : add_node(reader, (struct expression_node){ .op = OP_NEGATE,
                                                                      .operand = { inner } });
    }
    const int base = read_atom(reader);
    return base >= 0 && take_sign(reader, '^')
               ? add_binary(reader, OP_POWER, base, read_unary(reader))
               : base;
}

static int read_unary(struct reader *reader) {
    if (reader->depth == MAX_DEPTH) {
        (void)fail_at(reader, here(reader), "more than %d operations within each other", MAX_DEPTH);
        return -1;
    }
    reader->depth++;
    const int node = read_unary_inner(reader);
    reader->depth--;
    return node;
}

static int read_product(struct reader *reader) {
    int node = read_unary(reader);
    while (node >= 0 && (*reader->at == '*' || *reader->at == '/')) {
        const enum expression_op op = *reader->at == '*' ? OP_MULTIPLY : OP_DIVIDE;
        (void)take_sign(reader, *reader->at);
        node = add_binary(reader, op, node, read_unary(reader));
    }
    return node;
}

static int read_sum(struct reader *reader) {
    int node = read_product(reader);
    while (node >= 0 && (*reader->at == '+' || *reader->at == '-')) {
        const enum expression_op op = *reader->at == '+' ? OP_ADD : OP_SUBTRACT;
        (void)take_sign(reader, *reader->at);
        node = add_binary(reader, op, node, read_product(reader));
    }
    return node;
}

/* ---- statements ---- */

static bool is_reserved(const struct expression *expression, const char *name) {
    for (int v = 0; v < variable_count(expression); v++) {
        if (strcmp(name, variable_name(expression, v)) == 0) {
            return true;
        }
    }
    return find_function(name) >= 0;
}

static int find_definition(const struct expression *expression, const char *name) {
    for (int d = 0; d < expression->definition_count; d++) {
        if (strcmp(expression->definitions[d].name, name) == 0) {
            return d;
        }
    }
    return -1;
}

static struct expression_definition *add_definition(struct reader *reader, const char *name,
                                                    size_t place) {
    struct expression *expression = reader->expression;
    if (is_reserved(expression, name)) {
        (void)fail_at(reader, place, "'%s' has a meaning of its own; expected another name", name);
        return NULL;
    }
    if (find_definition(expression, name) >= 0) {
        (void)fail_at(reader, place, "'%s' is defined twice", name);
        return NULL;
    }
    if (expression->definition_count == EXPRESSION_MAX_DEFINITIONS) {
        (void)fail_at(reader, place, "more than %d definitions", EXPRESSION_MAX_DEFINITIONS);
        return NULL;
    }
    struct expression_definition *added = &expression->definitions[expression->definition_count++];
    *added = (struct expression_definition){
        .place = place, .node = -1, .parameter = -1, .table = -1, .values = -1
    };
    (void)snprintf(added->name, sizeof added->name, "%s", name);
    return added;
}

/* [arithmetic|geometric] */
static enum expression_mixing take_mixing(struct reader *reader) {
    static const char *const words[] = { NULL, "arithmetic", "geometric" };
    for (int w = EXPRESSION_ARITHMETIC; w <= EXPRESSION_GEOMETRIC; w++) {
        if (name_length(reader->at) == strlen(words[w]) &&
            strncmp(reader->at, words[w], strlen(words[w])) == 0) {
            reader->at += strlen(words[w]);
            skip_space(reader);
            return (enum expression_mixing)w;
        }
    }
    return EXPRESSION_UNMIXED;
}

/* [+|-] NUMBER [arithmetic|geometric] and the end of the statement: true, and the reader stands
 * there; else it stays where it was. */
static bool take_parameter(struct reader *reader, struct expression_definition *definition) {
    const char *at = reader->at;
    const double sign = *at == '-' ? -1.0 : 1.0;
    at += *at == '-' || *at == '+';
    at += strspn(at, " \t\r\n");
    const size_t length = number_length(at);
    struct reader tried = *reader;
    struct error ignored;
    double value;
    tried.at = at;
    tried.error = &ignored;
    if (length == 0 || !take_number(&tried, &value)) {
        return false;
    }
    const enum expression_mixing mixing = take_mixing(&tried);
    if (*tried.at != ';' && *tried.at != '\0') {
        return false;
    }
    reader->at = tried.at;
    definition->value = sign * value;
    definition->mixing = mixing;
    return true;
}

/* WORD "FILE": true, and the reader stands behind the word; else it stays where it was. */
static bool take_file_word(struct reader *reader, const char *word) {
    const size_t length = strlen(word);
    const char *at = reader->at;
    if (name_length(at) != length || strncmp(at, word, length) != 0) {
        return false;
    }
    at += length + strspn(at + length, " \t\r\n");
    if (*at != '"') {
        return false;
    }
    reader->at = at;
    return true;
}

enum { PATH_SIZE = 4096 };

/* A file beside that of the expression, in quotes. */
static bool take_path(struct reader *reader, char path[PATH_SIZE]) {
    const size_t place = here(reader);
    const size_t length = strcspn(reader->at + 1, "\"\n");
    const char *slash = reader->path ? strrchr(reader->path, '/') : NULL;
    const bool beside = slash && reader->at[1] != '/';
    if (reader->at[1 + length] != '"') {
        return fail_at(reader, place, "the name of a file has no end; expected '\"'");
    }
    if (snprintf(path, PATH_SIZE, "%.*s%.*s", beside ? (int)(slash + 1 - reader->path) : 0,
                 beside ? reader->path : "", (int)length, reader->at + 1) >= PATH_SIZE) {
        return fail_at(reader, place, "the name of the file is too long");
    }
    reader->at += length + 2;
    skip_space(reader);
    return true;
}

static bool read_table(struct reader *reader, struct expression_definition *definition) {
    struct expression *expression = reader->expression;
    char path[PATH_SIZE];
    const size_t place = here(reader);
    struct expression_table *table = NULL;
    if (!take_path(reader, path)) {
        return false;
    }
    if (expression->table_count == EXPRESSION_MAX_TABLES) {
        return fail_at(reader, place, "more than %d tables", EXPRESSION_MAX_TABLES);
    }
    if (!expression_table_read(path, &table, reader->error)) {
        return false;
    }
    definition->table = expression->table_count;
    expression->table_texts[expression->table_count] = table->text;
    expression->tables[expression->table_count++] = table;
    return true;
}

/* particles "FILE" [column NAME] [arithmetic|geometric], behind the word. */
static bool read_values(struct reader *reader, struct expression_definition *definition) {
    static const char word[] = "column";
    struct expression *expression = reader->expression;
    char path[PATH_SIZE];
    char column[64] = "";
    const size_t place = here(reader);
    struct particle_values *values = NULL;
    if (!take_path(reader, path)) {
        return false;
    }
    if (name_length(reader->at) == strlen(word) && strncmp(reader->at, word, strlen(word)) == 0) {
        reader->at += strlen(word);
        skip_space(reader);
        const size_t length = strcspn(reader->at, " \t\r\n;#");
        if (length == 0 || length >= sizeof column) {
            return fail_expected(reader, "the name of a column");
        }
        (void)snprintf(column, sizeof column, "%.*s", (int)length, reader->at);
        reader->at += length;
        skip_space(reader);
    }
    definition->mixing = take_mixing(reader);
    if (expression->value_count == EXPRESSION_MAX_VALUES) {
        return fail_at(reader, place, "more than %d parameters with a value per particle",
                       EXPRESSION_MAX_VALUES);
    }
    if (!particle_values_read(path, *column ? column : NULL, &values, reader->error)) {
        return false;
    }
    definition->values = expression->value_count;
    expression->values[expression->value_count++] = values;
    return values->least >= 0.0 || definition->mixing != EXPRESSION_GEOMETRIC ||
           fail_at(reader, place,
                   "%s holds %.9g; '%s' has a geometric mean and must not be negative", path,
                   values->least, definition->name);
}

static bool read_definition(struct reader *reader, const char *name, size_t place) {
    struct expression *expression = reader->expression;
    struct expression_definition *definition = add_definition(reader, name, place);
    if (!definition) {
        return false;
    }
    if (expression->definition_count > 1 && take_parameter(reader, definition)) {
        if (expression->parameter_count == EXPRESSION_MAX_PARAMETERS) {
            return fail_at(reader, place, "more than %d parameters", EXPRESSION_MAX_PARAMETERS);
        }
        definition->parameter = expression->parameter_count;
        expression->parameters[expression->parameter_count++] = expression->definition_count - 1;
        return true;
    }
    if (expression->definition_count > 1 && take_file_word(reader, "table")) {
        return read_table(reader, definition);
    }
    if (expression->definition_count > 1 && take_file_word(reader, "particles")) {
        return read_values(reader, definition);
    }
    definition->node = read_sum(reader);
    return definition->node >= 0;
}

/* NAME.TYPE = NUMBER, behind the point. */
static bool read_type_value(struct reader *reader, const char *name, size_t place) {
    struct expression *expression = reader->expression;
    const int found = find_definition(expression, name);
    const size_t length = strcspn(reader->at, " \t\r\n=;");
    if (found < 0 || expression->definitions[found].parameter < 0) {
        return fail_at(reader, place,
                       "values for single types are of parameters that stand before them; expected "
                       "\"%s = NUMBER arithmetic\" or geometric",
                       name);
    }
    if (length == 0 || length >= EXPRESSION_TYPE_SIZE) {
        return fail_expected(reader, "the name of a type");
    }
    if (expression->definitions[found].mixing == EXPRESSION_UNMIXED) {
        return fail_at(
            reader, place,
            "'%s' has values for single types and no mixing rule; expected \"%s = NUMBER "
            "arithmetic\" or geometric",
            name, name);
    }
    if (expression->type_value_count == EXPRESSION_MAX_TYPE_VALUES) {
        return fail_at(reader, place, "more than %d values of single types",
                       EXPRESSION_MAX_TYPE_VALUES);
    }
    struct expression_type_value *added = &expression->type_values[expression->type_value_count];
    added->parameter = expression->definitions[found].parameter;
    (void)snprintf(added->type, sizeof added->type, "%.*s", (int)length, reader->at);
    for (int v = 0; v < expression->type_value_count; v++) {
        if (expression->type_values[v].parameter == added->parameter &&
            strcmp(expression->type_values[v].type, added->type) == 0) {
            return fail_at(reader, place, "%s.%s is given twice", name, added->type);
        }
    }
    expression->type_value_count++;
    reader->at += length;
    skip_space(reader);
    if (!take_sign(reader, '=')) {
        return fail_expected(reader, "'='");
    }
    const double sign = *reader->at == '-' ? -1.0 : 1.0;
    (void)(take_sign(reader, '-') || take_sign(reader, '+'));
    const size_t at = here(reader);
    if (!take_number(reader, &added->value)) {
        return false;
    }
    added->value *= sign;
    return added->value >= 0.0 || expression->definitions[found].mixing != EXPRESSION_GEOMETRIC ||
           fail_at(reader, at, "%s.%s has a geometric mean and must not be negative", name,
                   added->type);
}

static bool read_statement(struct reader *reader) {
    char name[EXPRESSION_NAME_SIZE];
    const size_t place = here(reader);
    const bool first = reader->expression->definition_count == 0;
    const size_t length = name_length(reader->at);
    const char *behind = reader->at + length + strspn(reader->at + length, " \t\r\n");
    if (first && reader->path && (length == 0 || *behind != '=')) {
        return read_definition(reader, "energy", place);
    }
    if (!take_name(reader, name)) {
        return false;
    }
    if (!first && *reader->at == '.') {
        reader->at++;
        return read_type_value(reader, name, place);
    }
    skip_space(reader);
    if (first && strcmp(name, "energy") != 0) {
        return fail_at(reader, place, "expected \"energy = ...\" first, not '%s'", name);
    }
    return take_sign(reader, '=') ? read_definition(reader, name, place)
                                  : fail_expected(reader, "'='");
}

static bool read_text(struct reader *reader) {
    skip_space(reader);
    do {
        if (!read_statement(reader)) {
            return false;
        }
        if (*reader->at != ';' && *reader->at != '\0') {
            return fail_expected(reader, "an operator, ';' or the end");
        }
        (void)take_sign(reader, ';');
    } while (*reader->at);
    return true;
}

/* ---- names ---- */

static bool resolve_table(struct reader *reader, struct expression_node *node) {
    const struct expression *expression = reader->expression;
    char name[EXPRESSION_NAME_SIZE];
    const char *at = reader->text + node->place;
    (void)snprintf(name, sizeof name, "%.*s", (int)name_length(at), at);
    node->which = find_definition(expression, name);
    if (node->which < 0 || expression->definitions[node->which].table < 0) {
        return fail_unknown_function(reader, node->place, name);
    }
    return node->number == 0.0 ||
           fail_at(reader, node->place, "the table '%s' has one argument; expected no ','", name);
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
    const int found = find_definition(expression, stem);
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
    (void)snprintf(name, sizeof name, "%.*s", (int)name_length(at), at);
    for (int v = 0; v < variable_count(expression); v++) {
        if (strcmp(name, variable_name(expression, v)) == 0) {
            node->op = variable_ops[v];
            return true;
        }
    }
    node->which = find_definition(expression, name);
    if (node->which < 0 && is_value(expression, name, node)) {
        return true;
    }
    if (node->which < 0) {
        return find_function(name) >= 0
                   ? fail_at(reader, node->place, "'%s' is a function; expected '(' behind it",
                             name)
                   : fail_unknown_name(reader, node->place, name);
    }
    if (expression->definitions[node->which].table >= 0) {
        return fail_at(reader, node->place, "'%s' is a table; expected '(' behind it", name);
    }
    if (expression->definitions[node->which].values >= 0) {
        node->op = OP_VALUE;
        return expression->definitions[node->which].mixing != EXPRESSION_UNMIXED ||
               fail_at(
                   reader, node->place,
                   "'%s' has a value per particle; expected '%s1' and '%s2', or how it is mixed "
                   "behind its file: arithmetic or geometric",
                   name, name, name);
    }
    if (node->which <= user && expression->definitions[node->which].node >= 0) {
        return fail_at(reader, node->place,
                       node->which == user
                           ? "'%s' is defined by itself; expected definitions that serve those "
                             "before them"
                           : "'%s' is defined before '%s', which uses it; expected it behind "
                             "(definitions serve those before them, and go in no circle)",
                       name, expression->definitions[user].name);
    }
    return true;
}

/* Every name of one definition; nodes of a definition stand before its own, behind those of the
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

static bool check_used(struct reader *reader) {
    struct expression *expression = reader->expression;
    bool used[EXPRESSION_MAX_DEFINITIONS] = { false };
    if (!resolve_names(reader, used)) {
        return false;
    }
    for (int d = 0; d < expression->definition_count; d++) {
        if (!used[d]) {
            return fail_at(reader, expression->definitions[d].place,
                           "nothing that the energy needs uses '%s'; expected every definition to "
                           "serve one before it",
                           expression->definitions[d].name);
        }
    }
    return true;
}

/* ---- whole ---- */

bool expression_is_meant(const char *words) {
    static const char first[] = "energy";
    words += strspn(words, " \t\r\n");
    if (strncmp(words, first, strlen(first)) != 0) {
        return false;
    }
    words += strlen(first);
    return words[strspn(words, " \t\r\n")] == '=';
}

static bool finish(struct reader *reader) {
    struct expression *expression = reader->expression;
    struct strbuf text = { 0 };
    expression_format(expression, &text);
    if (text.failed) {
        strbuf_free(&text);
        return fail_out_of_memory(reader->error, "an expression");
    }
    expression->text = text.data;
    struct hash_state *hash = hash_begin();
    hash_add_string(hash, text.data);
    hash_end(hash, expression->hash);
    (void)snprintf(expression->path, sizeof expression->path,
                   "variants/interactions/expression-%.16s.cl", expression->hash);
    struct error *error = reader->error;
    return kernel_words_make(expression, error) ||
           (reader->path && fail_within(error, "%s", reader->path));
}

static bool parse(const char *text, const char *path, const char *variable,
                  struct expression **expression, struct error *error) {
    struct expression *made = calloc(1, sizeof *made);
    struct reader reader = {
        .text = text, .at = text, .path = path, .expression = made, .error = error
    };
    *expression = NULL;
    if (!made || !(made->words = strdup(text))) {
        free(made);
        return fail_out_of_memory(error, "an expression");
    }
    made->variable = variable;
    if (!read_text(&reader) || !check_used(&reader) || !finish(&reader)) {
        expression_free(made);
        return false;
    }
    *expression = made;
    return true;
}

bool expression_parse(const char *text, const char *path, struct expression **expression,
                      struct error *error) {
    return parse(text, path, NULL, expression, error);
}

bool expression_parse_term(const char *text, const char *variable, struct expression **expression,
                           struct error *error) {
    return parse(text, NULL, variable, expression, error);
}

void expression_free(struct expression *expression) {
    if (expression) {
        free(expression->words);
        free(expression->text);
        free(expression->kernel[0]);
        free(expression->kernel[1]);
        for (int t = 0; t < expression->table_count; t++) {
            expression_table_free(expression->tables[t]);
        }
        for (int v = 0; v < expression->value_count; v++) {
            particle_values_free(expression->values[v]);
        }
        free(expression);
    }
}
