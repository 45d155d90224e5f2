/*
 * xyz_text — walking through the text of a box, line by line and word by word (private to
 * harness/boxes).
 *
 * Errors name path and line: "path:line: what is wrong; expected what".
 */
#ifndef PAIRMARK_BOXES_FILES_XYZ_TEXT_H
#define PAIRMARK_BOXES_FILES_XYZ_TEXT_H

#include "boxes/box.h"

struct span {
    const char *begin, *end;
};

struct reader {
    const char *path;
    const char *at, *end; /* what has not been read; *end is '\0' */
    size_t line;          /* number of the line read last; 0 before the first */
    struct error *error;
    double rotation[9]; /* row-major, of the positions; where the box says that it is rotated */
};

/* Fails with "path:line: " before the words. Returns false. */
bool reader_fail(const struct reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The next line without its line end (\n or \r\n); false at the end of the text. */
bool reader_next_line(struct reader *reader, struct span *line);

/* The next word of a line, parted by blanks and tabs, and moves line->begin past it; empty at the
 * end. */
struct span next_word(struct span *line);

static inline size_t span_length(struct span span) {
    return (size_t)(span.end - span.begin);
}

bool span_is(struct span span, const char *text); /* without regard to case */

/* The whole word as a finite number; *not_finite says whether one that was refused is NaN, an
 * infinity or too large. */
bool span_to_double(struct span word, double *value, bool *not_finite);

/* A word from the file fit for a message: cut short, without control characters. */
struct shown {
    char text[48];
};
struct shown show(struct span word);

/* A number that the file must have at `what` ("pos (column 3)"). */
bool reader_number(const struct reader *reader, struct span word, const char *what, double *value);

#endif
