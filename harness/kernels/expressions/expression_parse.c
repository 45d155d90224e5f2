/* How an expression is read: its operators by their precedence, its statements in order. */
#include "core/files.h"
#include "core/strings.h"
#include "kernels/expressions/expression.h"
#include "kernels/expressions/expression_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 200 };

/* ---- the tree ---- */

/* -1: there are too many. */
static int add_node(struct reader *reader, struct expression_node node) {
    struct expression *expression = reader->expression;
    if (expression->node_count == EXPRESSION_MAX_NODES) {
        (void)reader_fail_at(reader, reader_place(reader), "the expression has more than %d parts",
                             EXPRESSION_MAX_NODES);
        return -1;
    }
    expression->nodes[expression->node_count] = node;
    return expression->node_count++;
}

static int read_sum(struct reader *reader);
static int read_unary(struct reader *reader);

/* Reads a binary operation from its operator, which is the node's place; its left operand has been
 * read. */
static int read_binary(struct reader *reader, enum expression_op op, int left,
                       int read_right(struct reader *reader)) {
    struct expression_node node = { .op = op, .place = reader_place(reader) };
    (void)reader_take_sign(reader, *reader->at);
    node.operand[0] = left;
    node.operand[1] = read_right(reader);
    return node.operand[1] < 0 ? -1 : add_node(reader, node);
}

/* A call of no known function may be of a table that is defined later: see resolve_names(). */
static int read_table_call(struct reader *reader, size_t place) {
    struct expression_node node = { .op = OP_TABLE, .which = -1, .place = place };
    int ignored = 0;
    (void)reader_take_sign(reader, '(');
    node.operand[0] = read_sum(reader);
    while (node.operand[0] >= 0 && ignored >= 0 && reader_take_sign(reader, ',')) {
        node.number += 1.0; /* arguments too many */
        ignored = read_sum(reader);
    }
    if (node.operand[0] < 0 || ignored < 0) {
        return -1;
    }
    if (!reader_take_sign(reader, ')')) {
        (void)reader_fail_expected(reader, "')' or an operator");
        return -1;
    }
    return add_node(reader, node);
}

static int read_call(struct reader *reader, const char *name, size_t place) {
    struct expression_node node = { .op = OP_CALL,
                                    .which = expression_function_find(name),
                                    .place = place };
    if (node.which < 0) {
        return read_table_call(reader, place);
    }
    const int operands = expression_function_operands((enum expression_function)node.which);
    (void)reader_take_sign(reader, '(');
    for (int k = 0; k < operands; k++) {
        if (k > 0 && !reader_take_sign(reader, ',')) {
            char what[64];
            (void)snprintf(what, sizeof what, "',' (%s has %d arguments)", name, operands);
            (void)reader_fail_expected(reader, what);
            return -1;
        }
        node.operand[k] = read_sum(reader);
        if (node.operand[k] < 0) {
            return -1;
        }
    }
    if (!reader_take_sign(reader, ')')) {
        (void)reader_fail_expected(reader, "')' or an operator");
        return -1;
    }
    return add_node(reader, node);
}

/* What a name means is found when all definitions are read: see resolve_names(). Its place is kept
 * for messages. */
static int read_name(struct reader *reader) {
    char name[EXPRESSION_NAME_SIZE];
    const size_t place = reader_place(reader);
    if (!reader_take_name(reader, name)) {
        return -1;
    }
    reader_skip_space(reader);
    if (*reader->at == '(') {
        return read_call(reader, name, place);
    }
    return add_node(reader,
                    (struct expression_node){ .op = OP_DEFINED, .which = -1, .place = place });
}

static int read_atom(struct reader *reader) {
    double number;
    if (reader_take_sign(reader, '(')) {
        const int inner = read_sum(reader);
        if (inner >= 0 && !reader_take_sign(reader, ')')) {
            (void)reader_fail_expected(reader, "')' or an operator");
            return -1;
        }
        return inner;
    }
    if (identifier_length(reader->at) > 0) {
        return read_name(reader);
    }
    if (reader_number_length(reader->at) == 0) {
        (void)reader_fail_expected(reader, "a number, a name or '('");
        return -1;
    }
    return reader_take_number(reader, &number)
               ? add_node(reader, (struct expression_node){ .op = OP_NUMBER, .number = number })
               : -1;
}

static int read_unary_inner(struct reader *reader) {
    if (reader_take_sign(reader, '+')) {
        return read_unary(reader);
    }
    if (reader_take_sign(reader, '-')) {
        const int inner = read_unary(reader);
        return inner < 0 ? -1
                         : add_node(reader, (struct expression_node){ .op = OP_NEGATE,
                                                                      .operand = { inner } });
    }
    const int base = read_atom(reader);
    return base >= 0 && *reader->at == '^' ? read_binary(reader, OP_POWER, base, read_unary) : base;
}

static int read_unary(struct reader *reader) {
    if (reader->depth == MAX_DEPTH) {
        (void)reader_fail_at(reader, reader_place(reader),
                             "more than %d operations within each other", MAX_DEPTH);
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
        node = read_binary(reader, op, node, read_unary);
    }
    return node;
}

static int read_sum(struct reader *reader) {
    int node = read_product(reader);
    while (node >= 0 && (*reader->at == '+' || *reader->at == '-')) {
        const enum expression_op op = *reader->at == '+' ? OP_ADD : OP_SUBTRACT;
        node = read_binary(reader, op, node, read_product);
    }
    return node;
}

/* ---- statements ---- */

static struct expression_definition *add_definition(struct reader *reader, const char *name,
                                                    size_t place) {
    struct expression *expression = reader->expression;
    if (expression_name_is_reserved(expression, name)) {
        (void)reader_fail_at(reader, place, "'%s' has a meaning of its own; expected another name",
                             name);
        return NULL;
    }
    if (expression_find_definition(expression, name) >= 0) {
        (void)reader_fail_at(reader, place, "'%s' is defined twice", name);
        return NULL;
    }
    if (expression->definition_count == EXPRESSION_MAX_DEFINITIONS) {
        (void)reader_fail_at(reader, place, "more than %d definitions", EXPRESSION_MAX_DEFINITIONS);
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
        if (identifier_length(reader->at) == strlen(words[w]) &&
            begins_with(reader->at, words[w])) {
            reader->at += strlen(words[w]);
            reader_skip_space(reader);
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
    const size_t length = reader_number_length(at);
    struct reader tried = *reader;
    struct error ignored;
    double value;
    tried.at = at;
    tried.error = &ignored;
    if (length == 0 || !reader_take_number(&tried, &value)) {
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

/* WORD "FILE": true, and the reader stands after the word; else it stays where it was. */
static bool take_file_word(struct reader *reader, const char *word) {
    const size_t length = strlen(word);
    const char *at = reader->at;
    if (identifier_length(at) != length || strncmp(at, word, length) != 0) {
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
    const size_t place = reader_place(reader);
    const size_t length = strcspn(reader->at + 1, "\"\n");
    if (reader->at[1 + length] != '"') {
        return reader_fail_at(reader, place, "the name of a file has no end; expected '\"'");
    }
    if (!fs_beside(reader->path, reader->at + 1, length, path, PATH_SIZE)) {
        return reader_fail_at(reader, place, "the name of the file is too long");
    }
    reader->at += length + 2;
    reader_skip_space(reader);
    return true;
}

static bool read_table(struct reader *reader, struct expression_definition *definition) {
    struct expression *expression = reader->expression;
    char path[PATH_SIZE];
    const size_t place = reader_place(reader);
    struct expression_table *table = NULL;
    if (!take_path(reader, path)) {
        return false;
    }
    if (expression->table_count == EXPRESSION_MAX_TABLES) {
        return reader_fail_at(reader, place, "more than %d tables", EXPRESSION_MAX_TABLES);
    }
    if (!expression_table_read(path, &table, reader->error)) {
        return false;
    }
    definition->table = expression->table_count;
    expression->table_texts[expression->table_count] = table->text;
    expression->tables[expression->table_count++] = table;
    return true;
}

/* particles "FILE" [column NAME] [arithmetic|geometric], after the word. */
static bool read_values(struct reader *reader, struct expression_definition *definition) {
    static const char word[] = "column";
    struct expression *expression = reader->expression;
    char path[PATH_SIZE];
    char column[64] = "";
    const size_t place = reader_place(reader);
    struct particle_values *values = NULL;
    if (!take_path(reader, path)) {
        return false;
    }
    if (identifier_length(reader->at) == strlen(word) && begins_with(reader->at, word)) {
        reader->at += strlen(word);
        reader_skip_space(reader);
        const size_t length = strcspn(reader->at, " \t\r\n;#");
        if (length == 0 || length >= sizeof column) {
            return reader_fail_expected(reader, "the name of a column");
        }
        (void)snprintf(column, sizeof column, "%.*s", (int)length, reader->at);
        reader->at += length;
        reader_skip_space(reader);
    }
    definition->mixing = take_mixing(reader);
    if (expression->value_count == EXPRESSION_MAX_VALUES) {
        return reader_fail_at(reader, place, "more than %d parameters with a value per particle",
                              EXPRESSION_MAX_VALUES);
    }
    if (!particle_values_read(path, *column ? column : NULL, &values, reader->error)) {
        return false;
    }
    definition->values = expression->value_count;
    expression->values[expression->value_count++] = values;
    return values->least >= 0.0 || definition->mixing != EXPRESSION_GEOMETRIC ||
           reader_fail_at(reader, place,
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
            return reader_fail_at(reader, place, "more than %d parameters",
                                  EXPRESSION_MAX_PARAMETERS);
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

/* NAME.TYPE = NUMBER, after the point. */
static bool read_type_value(struct reader *reader, const char *name, size_t place) {
    struct expression *expression = reader->expression;
    const int found = expression_find_definition(expression, name);
    const size_t length = strcspn(reader->at, " \t\r\n=;");
    if (found < 0 || expression->definitions[found].parameter < 0) {
        return reader_fail_at(
            reader, place,
            "values for single types are of parameters that stand before them; expected "
            "\"%s = NUMBER arithmetic\" or geometric",
            name);
    }
    if (length == 0 || length >= EXPRESSION_TYPE_SIZE) {
        return reader_fail_expected(reader, "the name of a type");
    }
    if (expression->definitions[found].mixing == EXPRESSION_UNMIXED) {
        return reader_fail_at(
            reader, place,
            "'%s' has values for single types and no mixing rule; expected \"%s = NUMBER "
            "arithmetic\" or geometric",
            name, name);
    }
    if (expression->type_value_count == EXPRESSION_MAX_TYPE_VALUES) {
        return reader_fail_at(reader, place, "more than %d values of single types",
                              EXPRESSION_MAX_TYPE_VALUES);
    }
    struct expression_type_value *added = &expression->type_values[expression->type_value_count];
    added->parameter = expression->definitions[found].parameter;
    (void)snprintf(added->type, sizeof added->type, "%.*s", (int)length, reader->at);
    for (int v = 0; v < expression->type_value_count; v++) {
        if (expression->type_values[v].parameter == added->parameter &&
            strcmp(expression->type_values[v].type, added->type) == 0) {
            return reader_fail_at(reader, place, "%s.%s is given twice", name, added->type);
        }
    }
    expression->type_value_count++;
    reader->at += length;
    reader_skip_space(reader);
    if (!reader_take_sign(reader, '=')) {
        return reader_fail_expected(reader, "'='");
    }
    const double sign = *reader->at == '-' ? -1.0 : 1.0;
    (void)(reader_take_sign(reader, '-') || reader_take_sign(reader, '+'));
    const size_t at = reader_place(reader);
    if (!reader_take_number(reader, &added->value)) {
        return false;
    }
    added->value *= sign;
    return added->value >= 0.0 || expression->definitions[found].mixing != EXPRESSION_GEOMETRIC ||
           reader_fail_at(reader, at, "%s.%s has a geometric mean and must not be negative", name,
                          added->type);
}

static bool read_statement(struct reader *reader) {
    char name[EXPRESSION_NAME_SIZE];
    const size_t place = reader_place(reader);
    const bool first = reader->expression->definition_count == 0;
    const size_t length = identifier_length(reader->at);
    const char *behind = reader->at + length + strspn(reader->at + length, " \t\r\n");
    if (first && (length == 0 || *behind != '=')) {
        return read_definition(reader, "energy", place);
    }
    if (!reader_take_name(reader, name)) {
        return false;
    }
    if (!first && *reader->at == '.') {
        reader->at++;
        return read_type_value(reader, name, place);
    }
    reader_skip_space(reader);
    if (first && strcmp(name, "energy") != 0) {
        return reader_fail_at(reader, place, "expected \"energy = ...\" first, not '%s'", name);
    }
    return reader_take_sign(reader, '=') ? read_definition(reader, name, place)
                                         : reader_fail_expected(reader, "'='");
}

static bool read_text(struct reader *reader) {
    reader_skip_space(reader);
    do {
        if (!read_statement(reader)) {
            return false;
        }
        if (*reader->at != ';' && *reader->at != '\0') {
            return reader_fail_expected(reader, "an operator, ';' or the end");
        }
        (void)reader_take_sign(reader, ';');
    } while (*reader->at);
    return true;
}

/* ---- whole ---- */

bool expression_is_labelled(const char *words) {
    static const char label[] = "energy";
    words += strspn(words, " \t\r\n");
    if (!begins_with(words, label)) {
        return false;
    }
    words += strlen(label);
    return words[strspn(words, " \t\r\n")] == '=';
}

bool expression_is_meant(const char *words) {
    const char ends = words[strcspn(words, "*/^(;")];
    /* No name and no parameter of a named function has any of these but the semicolon. */
    return (ends != '\0' && ends != ';') || expression_is_labelled(words);
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
    hash_bytes(text.data, text.length + 1, expression->hash);
    (void)snprintf(expression->path, sizeof expression->path,
                   "variants/interactions/expression-%.16s.cl", expression->hash);
    struct error *error = reader->error;
    size_t place;
    if (kernel_words_make(expression, &place, error)) {
        return true;
    }
    if (place != KERNEL_WORDS_NO_PLACE) {
        return reader_fail_at(reader, place, "%s", error->message);
    }
    return reader->path ? fail_within(error, "%s", reader->path) : false;
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
    if (!read_text(&reader) || !expression_names_resolve(&reader) || !finish(&reader)) {
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
