#include "reference/interpreter/kernel_directives.h"

#include "reference/interpreter/words.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_CONDITIONS = 32 };

static long condition(struct tokens *tokens, int least);

static long condition_operand(struct tokens *tokens) {
    const struct token *token = token_peek(tokens);
    long value = 0;
    if (++tokens->depth > MAX_DEPTH) {
        return token_fail_at(tokens, tokens->line, "more than %d operations within each other",
                             MAX_DEPTH);
    }
    if (token_take_sign(tokens, "!")) {
        value = !condition_operand(tokens);
    } else if (token_take_sign(tokens, "-")) {
        value = -condition_operand(tokens);
    } else if (token_take_sign(tokens, "(")) {
        value = condition(tokens, 1);
        (void)token_expect_sign(tokens, ")");
    } else if (token->kind == TOKEN_NUMBER) {
        value = strtol(token->at, NULL, 0);
        tokens->at++;
    } else if (token_is_name(token, "defined")) {
        tokens->at++;
        const bool enclosed = token_take_sign(tokens, "(");
        token = token_peek(tokens);
        if (token->kind != TOKEN_NAME) {
            return token_fail_expected(tokens, "a name");
        }
        value = tokens_find_macro(tokens, token->at, token->length) != NULL;
        tokens->at++;
        (void)(enclosed && token_expect_sign(tokens, ")"));
    } else if (token->kind == TOKEN_NAME) { /* what is no macro is 0 */
        tokens->at++;
    } else {
        return token_fail_expected(tokens, "a number or a name");
    }
    tokens->depth--;
    return value;
}

static long combine(int sign, long a, long b) {
    switch (sign) {
    case SIGN_OR:
        return a || b;
    case SIGN_AND:
        return a && b;
    case SIGN_EQUAL:
        return a == b;
    case SIGN_UNEQUAL:
        return a != b;
    case '<':
        return a < b;
    case '>':
        return a > b;
    case SIGN_LESS_EQUAL:
        return a <= b;
    case SIGN_MORE_EQUAL:
        return a >= b;
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    default:
        return b == 0 ? 0 : sign == '/' ? a / b : a % b;
    }
}

static long condition(struct tokens *tokens, int least) {
    long value = condition_operand(tokens);
    int sign = 0;
    for (int binding = token_binding(token_peek(tokens), &sign);
         !tokens->failed && binding >= least; binding = token_binding(token_peek(tokens), &sign)) {
        if (binding == 0) {
            break;
        }
        const int own = sign;
        tokens->at++;
        value = combine(own, value, condition(tokens, binding + 1));
    }
    return value;
}

/* Whether the condition after #if holds. */
static bool holds(struct tokens *tokens, const char *at, size_t length) {
    const int before = tokens->count;
    const int at_before = tokens->at;
    tokens_add_words(tokens, at, length, true);
    tokens->at = before;
    tokens_end(tokens);
    const long value = condition(tokens, 1);
    if (!tokens->failed && token_peek(tokens)->kind != TOKEN_END) {
        (void)token_fail_expected(tokens, "an operator");
    }
    tokens->count = before;
    tokens->at = at_before;
    tokens->depth = 0;
    return value != 0;
}

struct conditions {
    bool reads[MAX_CONDITIONS];  /* lines count */
    bool chosen[MAX_CONDITIONS]; /* a part of this #if has counted */
    int depth;
};

static bool begin_condition(struct tokens *tokens, struct conditions *conditions, bool value) {
    const bool outside = conditions->reads[conditions->depth];
    if (conditions->depth == MAX_CONDITIONS - 1) {
        (void)token_fail_at(tokens, tokens->line, "more than %d #if within each other",
                            MAX_CONDITIONS);
        return false;
    }
    conditions->depth++;
    conditions->reads[conditions->depth] = outside && value;
    conditions->chosen[conditions->depth] = !outside || value;
    return true;
}

static void read_define(struct tokens *tokens, const char *at, const char *end) {
    const size_t name = word_length(at);
    if (name == 0 || at[name] == '(') {
        (void)token_fail_at(
            tokens, tokens->line,
            "the reference knows macros without arguments alone; expected #define NAME "
            "words");
        return;
    }
    tokens_define(tokens, at, name, at + name, (size_t)(end - at) - name);
}

static void read_directive(struct tokens *tokens, struct conditions *conditions, const char *at,
                           const char *end) {
    at++;
    at += strspn(at, " \t");
    const char *word = at;
    const size_t length = word_length(at);
    at += length;
    at += strspn(at, " \t");
    const int depth = conditions->depth;
    const bool reads = conditions->reads[depth];
    const bool is_ifdef = same_word(word, length, "ifdef", 5);
    if (is_ifdef || same_word(word, length, "ifndef", 6)) {
        const bool there = tokens_find_macro(tokens, at, word_length(at)) != NULL;
        (void)begin_condition(tokens, conditions, there == is_ifdef);
    } else if (same_word(word, length, "if", 2)) {
        (void)begin_condition(tokens, conditions, reads && holds(tokens, at, (size_t)(end - at)));
    } else if (depth == 0 &&
               (same_word(word, length, "else", 4) || same_word(word, length, "elif", 4) ||
                same_word(word, length, "endif", 5))) {
        (void)token_fail_at(tokens, tokens->line, "#%.*s without #if before it", (int)length, word);
    } else if (same_word(word, length, "else", 4)) {
        conditions->reads[depth] = !conditions->chosen[depth];
        conditions->chosen[depth] = true;
    } else if (same_word(word, length, "elif", 4)) {
        conditions->reads[depth] =
            !conditions->chosen[depth] && holds(tokens, at, (size_t)(end - at));
        conditions->chosen[depth] = conditions->chosen[depth] || conditions->reads[depth];
    } else if (same_word(word, length, "endif", 5)) {
        conditions->depth--;
    } else if (reads && same_word(word, length, "define", 6)) {
        read_define(tokens, at, end);
    } else if (reads && same_word(word, length, "undef", 5)) {
        struct macro *macro = tokens_find_macro(tokens, at, word_length(at));
        if (macro) {
            macro->length = 0;
        }
    } else if (reads) {
        (void)token_fail_at(tokens, tokens->line, "the reference does not know #%.*s", (int)length,
                            word);
    }
}

/* Comments become blanks; lines stay lines. */
static void blank_comments(char *text) {
    for (char *at = text; *at; at++) {
        const bool block = at[0] == '/' && at[1] == '*';
        if (!block && !(at[0] == '/' && at[1] == '/')) {
            continue;
        }
        const char *end = block ? strstr(at + 2, "*/") : at + strcspn(at, "\n");
        end = block ? (end ? end + 2 : at + strlen(at)) : end;
        for (; at < end; at++) {
            *at = *at == '\n' ? '\n' : ' ';
        }
        at--;
    }
}

void kernel_directives_read(struct tokens *tokens, char *body) {
    struct conditions conditions = { .reads = { true }, .chosen = { true } };
    blank_comments(body);
    for (const char *line = body; *line && !tokens->failed; tokens->line++) {
        const size_t length = strcspn(line, "\n");
        const char *at = line + strspn(line, " \t\r");
        if (*at == '#') {
            read_directive(tokens, &conditions, at, line + length);
        } else if (conditions.reads[conditions.depth]) {
            tokens_add_words(tokens, line, length, false);
        }
        line += length + (line[length] == '\n');
    }
    if (conditions.depth > 0) {
        (void)token_fail_at(tokens, tokens->line, "#if without #endif");
    }
    tokens_end(tokens);
}
