/*
 * expression_reader — the words of an expression, one after the other, and what is said of one that
 * is wrong there. Private to expression_parse.c and expression_names.c.
 *
 * What takes a word leaves the reader at the next one. What fails returns false with the error set:
 * STATUS_BAD_INPUT, begun by the place, "PATH:LINE:COLUMN: " or "column N: ".
 */
#ifndef PAIRMARK_KERNELS_EXPRESSIONS_EXPRESSION_READER_H
#define PAIRMARK_KERNELS_EXPRESSIONS_EXPRESSION_READER_H

#include "kernels/expressions/expression.h"

struct reader {
    const char *text, *at;
    const char *path; /* NULL: an option */
    struct expression *expression;
    int depth;
    struct error *error;
};

/* `place`: bytes from the text's begin. */
__attribute__((format(printf, 3, 4))) bool reader_fail_at(const struct reader *reader, size_t place,
                                                          const char *format, ...);
/* "expected WHAT, not 'FOUND'" */
bool reader_fail_expected(const struct reader *reader, const char *what);

/* Where the reader stands. */
size_t reader_place(const struct reader *reader);

/* How long the name is that begins at `at`; 0: none does. */
size_t reader_name_length(const char *at);

/* Likewise of a number: digits with a point and an exponent. */
size_t reader_number_length(const char *at);

/* Also comments, in a file. */
void reader_skip_space(struct reader *reader);
bool reader_take_sign(struct reader *reader, char sign);
bool reader_take_name(struct reader *reader, char name[EXPRESSION_NAME_SIZE]);
bool reader_take_number(struct reader *reader, double *value);

#endif
