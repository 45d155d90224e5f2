#include "reference/interpreter/kernel_tokens.h"

#include "core/error.h"
#include "reference/interpreter/words.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int token_fail_at(struct tokens *tokens, int line, const char *format, ...) {
    char message[400];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (!tokens->failed) {
        (void)fail(tokens->error, STATUS_BAD_INPUT, "%s:%d: %s", tokens->text->path, line, message);
    }
    tokens->failed = true;
    return 0;
}

struct macro *tokens_find_macro(struct tokens *tokens, const char *name, size_t length) {
    for (int m = tokens->macro_count - 1; m >= 0; m--) {
        if (same_word(tokens->macros[m].name, tokens->macros[m].length, name, length)) {
            return &tokens->macros[m];
        }
    }
    return NULL;
}

void tokens_define(struct tokens *tokens, const char *name, size_t length, const char *words,
                   size_t words_length) {
    if (tokens->macro_count == MAX_MACROS) {
        (void)token_fail_at(tokens, tokens->line, "more than %d macros", MAX_MACROS);
        return;
    }
    tokens->macros[tokens->macro_count++] = (struct macro){
        .name = name, .length = length, .words = words, .words_length = words_length
    };
}

void tokens_define_number(struct tokens *tokens, int own, const char *name, double value) {
    (void)snprintf(tokens->own[own], NUMBER_SIZE, "%.17g", value);
    tokens_define(tokens, name, strlen(name), tokens->own[own], strlen(tokens->own[own]));
}

void tokens_define_empty(struct tokens *tokens, const char *name) {
    tokens_define(tokens, name, strlen(name), "", 0);
}

static void add_token(struct tokens *tokens, enum token_kind kind, const char *at, size_t length) {
    if (tokens->count == MAX_TOKENS - 1) {
        (void)token_fail_at(tokens, tokens->line, "the text has more than %d words", MAX_TOKENS);
        return;
    }
    tokens->list[tokens->count++] =
        (struct token){ .kind = kind, .at = at, .length = length, .line = tokens->line };
}

static size_t number_length(const char *at) {
    size_t length = strspn(at, "0123456789.");
    if (length > 0 && (at[length] == 'e' || at[length] == 'E')) {
        const size_t sign = at[length + 1] == '+' || at[length + 1] == '-';
        const size_t digits = strspn(at + length + 1 + sign, "0123456789");
        length += digits > 0 ? 1 + sign + digits : 0;
    }
    return length + strspn(at + length, "fFuUlL");
}

static size_t sign_length(const char *at) {
    static const char *const two[] = { "<=", ">=", "==", "!=", "&&", "||",
                                       "+=", "-=", "*=", "/=", "++", "--" };
    for (size_t k = 0; k < sizeof two / sizeof two[0]; k++) {
        if (strncmp(at, two[k], 2) == 0) {
            return 2;
        }
    }
    return 1;
}

void tokens_add_words(struct tokens *tokens, const char *at, size_t length, bool in_condition) {
    const char *end = at + length;
    bool plain = false;
    while (at < end && !tokens->failed) {
        const size_t name = word_length(at);
        size_t used = 1;
        if (isspace((unsigned char)*at)) {
            at++;
            continue;
        }
        if (name > 0) {
            struct macro *macro = plain ? NULL : tokens_find_macro(tokens, at, name);
            used = name;
            if (macro && !macro->open) {
                macro->open = true;
                tokens_add_words(tokens, macro->words, macro->words_length, in_condition);
                macro->open = false;
            } else {
                add_token(tokens, TOKEN_NAME, at, name);
            }
            plain = (in_condition && same_word(at, name, "defined", strlen("defined")));
        } else if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1]))) {
            used = number_length(at);
            add_token(tokens, TOKEN_NUMBER, at, used);
        } else {
            used = sign_length(at);
            add_token(tokens, TOKEN_SIGN, at, used);
            plain = plain && *at == '(';
        }
        at += used;
    }
}

void tokens_end(struct tokens *tokens) {
    tokens->list[tokens->count] = (struct token){ .kind = TOKEN_END, .line = tokens->line };
}

const struct token *token_peek(const struct tokens *tokens) {
    return &tokens->list[tokens->at];
}

bool token_is_sign(const struct token *token, const char *sign) {
    return token->kind == TOKEN_SIGN && same_word(token->at, token->length, sign, strlen(sign));
}

bool token_is_name(const struct token *token, const char *name) {
    return token->kind == TOKEN_NAME && same_word(token->at, token->length, name, strlen(name));
}

bool token_take_sign(struct tokens *tokens, const char *sign) {
    const bool there = !tokens->failed && token_is_sign(token_peek(tokens), sign);
    tokens->at += there;
    return there;
}

int token_fail_expected(struct tokens *tokens, const char *what) {
    const struct token *token = token_peek(tokens);
    return token->kind == TOKEN_END
               ? token_fail_at(tokens, token->line, "expected %s; the text ends", what)
               : token_fail_at(tokens, token->line, "expected %s, not '%.*s'", what,
                               token->length < 40 ? (int)token->length : 40, token->at);
}

bool token_expect_sign(struct tokens *tokens, const char *sign) {
    char what[8];
    if (token_take_sign(tokens, sign)) {
        return true;
    }
    (void)snprintf(what, sizeof what, "'%s'", sign);
    (void)token_fail_expected(tokens, what);
    return false;
}

int token_binding(const struct token *token, int *sign) {
    static const struct {
        const char *word;
        int sign, binding;
    } signs[] = { { "||", SIGN_OR, 1 },
                  { "&&", SIGN_AND, 2 },
                  { "==", SIGN_EQUAL, 3 },
                  { "!=", SIGN_UNEQUAL, 3 },
                  { "<", '<', 4 },
                  { ">", '>', 4 },
                  { "<=", SIGN_LESS_EQUAL, 4 },
                  { ">=", SIGN_MORE_EQUAL, 4 },
                  { "+", '+', 5 },
                  { "-", '-', 5 },
                  { "*", '*', 6 },
                  { "/", '/', 6 },
                  { "%", '%', 6 } };
    for (size_t k = 0; k < sizeof signs / sizeof signs[0]; k++) {
        if (token_is_sign(token, signs[k].word)) {
            *sign = signs[k].sign;
            return signs[k].binding;
        }
    }
    return 0;
}
