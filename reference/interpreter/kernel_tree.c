#include "reference/interpreter/kernel_tree.h"

#include "core/strings.h"
#include "reference/interpreter/words.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_NAME = 65 };

int kernel_tree_add(struct parser *parser, struct node node) {
    struct text_program *program = parser->program;
    if (program->node_count == MAX_NODES) {
        return token_fail_at(parser->tokens, token_peek(parser->tokens)->line,
                             "the text is too long");
    }
    node.next = -1;
    program->nodes[program->node_count] = node;
    return program->node_count++;
}

int kernel_tree_add_two(struct parser *parser, int sign, int a, int b) {
    return kernel_tree_add(
        parser,
        (struct node){ .kind = NODE_BINARY, .sign = sign, .operand = { a, b }, .operands = 2 });
}

int kernel_tree_add_variable(struct parser *parser, const char *name, size_t length,
                             struct type type) {
    struct text_program *program = parser->program;
    if (program->variable_count == MAX_NAMES) {
        return token_fail_at(parser->tokens, token_peek(parser->tokens)->line, "more than %d names",
                             MAX_NAMES);
    }
    parser->variables[program->variable_count] =
        (struct variable){ .name = name, .length = length, .type = type };
    return program->variable_count++;
}

int kernel_tree_find_variable(const struct parser *parser, const struct token *token) {
    for (int v = parser->program->variable_count - 1; v >= 0; v--) {
        const struct variable *variable = &parser->variables[v];
        if (!variable->hidden &&
            same_word(variable->name, variable->length, token->at, token->length)) {
            return v;
        }
    }
    return -1;
}

int kernel_tree_find_array(const struct parser *parser, const struct token *token) {
    for (int a = 0; a < parser->program->text->array_count; a++) {
        const char *name = parser->program->text->arrays[a].name;
        if (same_word(name, strlen(name), token->at, token->length)) {
            return a;
        }
    }
    return -1;
}

static int fail_nearest(struct parser *parser, const struct token *token) {
    const struct variable *nearest = &parser->variables[0];
    size_t least = LONGEST_NAME;
    char word[LONGEST_NAME];
    char name[LONGEST_NAME];
    (void)snprintf(word, sizeof word, "%.*s", (int)token->length, token->at);
    for (int v = 0; v < parser->program->variable_count; v++) {
        const struct variable *variable = &parser->variables[v];
        (void)snprintf(name, sizeof name, "%.*s", (int)variable->length, variable->name);
        const size_t distance = word_distance(word, name);
        if (!variable->hidden && distance < least) {
            least = distance;
            nearest = variable;
        }
    }
    return token_fail_at(parser->tokens, token->line,
                         "nothing is named '%.*s'; the nearest is '%.*s'",
                         token->length < 40 ? (int)token->length : 40, token->at,
                         (int)nearest->length, nearest->name);
}

int kernel_tree_fail_unknown(struct parser *parser, const struct token *token) {
    if (parser->program->text->atoms > 0) {
        if (token_is_name(token, "index")) {
            return token_fail_at(
                parser->tokens, token->line,
                "'index' changes with the order of the terms: only a parameter's NAME[index] is "
                "known; expected a column of the terms' file for what depends on it");
        }
    } else if (token_is_name(token, "delta") || token_is_name(token, "dEdR1") ||
               token_is_name(token, "dEdR2")) {
        return token_fail_at(
            parser->tokens, token->line,
            "'%.*s' is not given: forces here lie along the line between the particles, "
            "and texts find the distance alone",
            (int)token->length, token->at);
    }
    return fail_nearest(parser, token);
}

bool kernel_tree_take_type(struct parser *parser, struct type *type) {
    static const char *const reals[] = { "real", "float", "double", "mixed" };
    static const char *const wholes[] = { "int", "uint", "unsigned", "long", "short", "bool" };
    const int begin = parser->tokens->at;
    bool found = false;
    *type = (struct type){ .components = 1 };
    for (const struct token *token = token_peek(parser->tokens); token->kind == TOKEN_NAME;
         token = token_peek(parser->tokens)) {
        bool known = token_is_name(token, "const");
        for (size_t k = 0; k < sizeof wholes / sizeof wholes[0]; k++) {
            if (token_is_name(token, wholes[k])) {
                known = found = type->whole = true;
                type->truth = token_is_name(token, "bool");
            }
        }
        for (size_t k = 0; k < sizeof reals / sizeof reals[0]; k++) {
            const size_t length = strlen(reals[k]);
            const bool scalar = same_word(token->at, token->length, reals[k], length);
            const bool vector = token->length == length + 1 &&
                                strncmp(token->at, reals[k], length) == 0 &&
                                token->at[length] >= '2' && token->at[length] <= '4';
            if (scalar || vector) {
                known = found = true;
                type->components = vector ? token->at[length] - '0' : 1;
            }
        }
        if (!known) {
            break;
        }
        parser->tokens->at++;
    }
    parser->tokens->at = found ? parser->tokens->at : begin;
    return found;
}
