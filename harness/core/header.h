/*
 * header — the declarations in the first comment of a kernel file: its name line and its @words.
 */
#ifndef PAIRMARK_CORE_HEADER_H
#define PAIRMARK_CORE_HEADER_H

#include "core/error.h"

enum { HEADER_LINE_SIZE = 512 };

/* Walks the lines of the comment that begins a kernel file. */
struct header_reader {
    const char *path; /* for messages */
    const char *next; /* the rest of the text */
    int line;         /* number of the line last returned, from 1 */
    bool ended;       /* the comment is over */
    bool cut;         /* the line last returned is longer than what was returned of it */
};

/* Places the reader at the comment's first line of content. STATUS_BAD_INPUT when the text does not
 * begin with a block comment. */
bool header_begin(const char *path, const char *text, struct header_reader *reader,
                  struct error *error);

/* The next line of the comment without its decoration (leading " * ", trailing blanks), printable;
 * false at the end. */
bool header_next(struct header_reader *reader, char line[HEADER_LINE_SIZE]);

/* "path:line: ..." as STATUS_BAD_INPUT; returns false. */
bool header_fail(const struct header_reader *reader, struct error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Splits "name — summary" (an em dash, or a hyphen with blanks around it). False when there is no
 * dash or no name. */
bool header_split_name(const char *line, char *name, size_t name_size, char *summary,
                       size_t summary_size);

/* Whether the line is "@word rest" and if so, where the rest begins. */
bool header_word(const char *line, const char *word, const char **rest);

#endif
