/*
 * text — growing strings, whole files, and the number forms of the command line.
 */
#ifndef PAIRMARK_BASE_TEXT_H
#define PAIRMARK_BASE_TEXT_H

#include "base/error.h"

#include <stdint.h>
#include <stdio.h>

/* A string that grows. Zero-initialise; release with text_free. After a failed append `failed`
 * stays set. */
struct text {
    char *data; /* NUL-terminated, NULL while empty */
    size_t length;
    size_t capacity;
    bool failed; /* an append ran out of memory */
};

void text_append(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_append_bytes(struct text *text, const void *bytes, size_t length);

/* Between quotes, as C wants it: quotes and backslashes escaped. For one line: `words` has no
 * control characters. */
void text_append_quoted(struct text *text, const char *words);
void text_free(struct text *text);

/* The bytes of the UTF-8 character that a text begins with, 1 to 4; 0 where it begins with none. */
size_t text_character(const char *words);

/* What may stand in a text besides printable characters. */
enum text_lines {
    TEXT_ONE_LINE, /* nothing */
    TEXT_LINES     /* line breaks (of either kind) and tabs */
};

/* Puts '?' in the place of all that would drive a terminal instead of being read on it, and of
 * bytes that are no UTF-8: what is said of files and arguments may hold anything. */
void text_make_printable(char *words, enum text_lines lines);

/* A line of a log, made printable, and a line break. Nothing where the log is NULL. */
void text_tell(FILE *log, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* input_read of base/input_file.h, for files of at most INPUT_TABLE_BYTES. */
bool text_read_file(const char *path, char **data, size_t *length, struct error *error);

/* The bytes at the beginning of a text by which some editors and spreadsheets say that it is UTF-8:
 * 3, or 0 where there are none. They belong to nothing that the text says. */
size_t text_byte_order_mark(const char *text);

/* output_write of base/output_file.h, for files of pairmark's own: what is there is replaced. */
bool text_write_file(const char *path, const void *data, size_t length, struct error *error);

/* Whether a text holds control characters, which no line of a message or a program can show. */
bool text_has_control(const char *words);

/* Whether both paths name one file that is there. */
bool text_same_file(const char *a, const char *b);

/* mkdir -p. STATUS_SYSTEM on failure. */
bool text_make_directories(const char *path, struct error *error);

/* A number and nothing after it; false otherwise. NaN and infinities are refused; "inf" is a word
 * of its own where an option allows it. */
bool text_to_double(const char *word, double *value);

/* A count: digits with an optional k, M or G (times 1000, 10^6, 10^9): "64", "16k", "1M"; "1.5k" is
 * refused unless it comes to a whole number. */
bool text_to_count(const char *word, uint64_t *value);

/* Shell-style match of a whole name: * ? [a-z]. */
bool text_matches(const char *pattern, const char *name);

/* Splits `list` at `separator` into a NULL-terminated array; empty items are kept. One free()
 * releases all. NULL when memory ran out. */
char **text_split(const char *list, char separator);

/* "DIRECTORY/NAME", allocated; NULL when memory ran out. */
char *path_join(const char *directory, const char *name, struct error *error);

#endif
