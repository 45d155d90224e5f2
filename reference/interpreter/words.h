/*
 * words — names in a kernel's text, as the interpreter reads them.
 */
#ifndef PAIRMARK_REFERENCE_INTERPRETER_WORDS_H
#define PAIRMARK_REFERENCE_INTERPRETER_WORDS_H

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* How long the name is that begins at `at`: letters, _ and, but for the first, digits; 0 for none.
 */
static inline size_t word_length(const char *at) {
    size_t length = 0;
    while (isalpha((unsigned char)at[length]) || at[length] == '_' ||
           (length > 0 && isdigit((unsigned char)at[length]))) {
        length++;
    }
    return length;
}

static inline bool same_word(const char *a, size_t a_length, const char *b, size_t b_length) {
    return a_length == b_length && strncmp(a, b, a_length) == 0;
}

#endif
