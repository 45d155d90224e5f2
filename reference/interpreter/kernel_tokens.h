/*
 * kernel_tokens — the words of a kernel text, one after the other, as the interpreter reads them.
 * Private to reference/.
 *
 * Macros are put in their places while words are added, so that whoever reads tokens meets none.
 * What is wrong with a text is told once, of the line where it stands ("path:line: ..."); from then
 * on `failed` holds and readers come to an end by themselves.
 */
#ifndef PAIRMARK_REFERENCE_INTERPRETER_KERNEL_TOKENS_H
#define PAIRMARK_REFERENCE_INTERPRETER_KERNEL_TOKENS_H

#include "kernels/potentials/pair_text.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    MAX_TOKENS = 20000,
    MAX_MACROS = 96,
    MAX_DEPTH = 100, /* of what stands within each other */
    NUMBER_SIZE = 40,
    OWN_WORDS = 4 /* macros whose words are numbers of the scene */
};

enum token_kind { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_SIGN };

/* Signs of two letters, beside those that are letters themselves. */
enum { SIGN_LESS_EQUAL = 256, SIGN_MORE_EQUAL, SIGN_EQUAL, SIGN_UNEQUAL, SIGN_AND, SIGN_OR };

struct token {
    enum token_kind kind;
    const char *at;
    size_t length;
    int line;
};

struct macro {
    const char *name;
    size_t length;
    const char *words;
    size_t words_length;
    bool open; /* its words are being put in its place */
};

struct tokens {
    const struct pair_text *text;
    struct error *error;
    bool failed;
    struct macro macros[MAX_MACROS];
    int macro_count;
    char own[OWN_WORDS][NUMBER_SIZE];
    struct token *list; /* room for MAX_TOKENS */
    int count, at;      /* at: the one that is read next */
    int depth;
    int line; /* of the line being read */
};

/* ---- what is added ---- */

/* Names and words must stay where they are while tokens are read. */
void tokens_define(struct tokens *tokens, const char *name, size_t length, const char *words,
                   size_t words_length);
void tokens_define_empty(struct tokens *tokens, const char *name);
/* `own`: which of the places for numbers it takes. */
void tokens_define_number(struct tokens *tokens, int own, const char *name, double value);
/* NULL: there is none. */
struct macro *tokens_find_macro(struct tokens *tokens, const char *name, size_t length);

/* The tokens of some words, macros put in their places but for what stands in `defined` of a
 * condition. */
void tokens_add_words(struct tokens *tokens, const char *at, size_t length, bool in_condition);
/* The last one: it is not counted. */
void tokens_end(struct tokens *tokens);

/* ---- what is read: all 0 or false once something failed ---- */

const struct token *token_peek(const struct tokens *tokens);
bool token_is_sign(const struct token *token, const char *sign);
bool token_is_name(const struct token *token, const char *name);
/* Whether the sign stands there; the reader is after it then. */
bool token_take_sign(struct tokens *tokens, const char *sign);
bool token_expect_sign(struct tokens *tokens, const char *sign);

/* How tightly an operation of two operands binds; 0: it is none. */
int token_binding(const struct token *token, int *sign);

__attribute__((format(printf, 3, 4))) int token_fail_at(struct tokens *tokens, int line,
                                                        const char *format, ...);
int token_fail_expected(struct tokens *tokens, const char *what);

#endif
