#include "boxes/files/xyz_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool reader_fail(const struct reader *reader, const char *format, ...) {
    char words[1024];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    return fail(reader->error, STATUS_BAD_INPUT, "%s:%zu: %s", reader->path, reader->line, words);
}

bool reader_next_line(struct reader *reader, struct span *line) {
    if (reader->at == reader->end) {
        return false;
    }
    const char *newline = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
    line->begin = reader->at;
    line->end = newline ? newline : reader->end;
    reader->at = newline ? newline + 1 : reader->end;
    reader->line++;
    if (line->end > line->begin && line->end[-1] == '\r') {
        line->end--;
    }
    return true;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

struct span next_word(struct span *line) {
    const char *at = line->begin;
    while (at < line->end && is_blank(*at)) {
        at++;
    }
    struct span word = { at, at };
    while (word.end < line->end && !is_blank(*word.end)) {
        word.end++;
    }
    line->begin = word.end;
    return word;
}

bool span_is(struct span span, const char *text) {
    return strlen(text) == span_length(span) &&
           strncasecmp(span.begin, text, span_length(span)) == 0;
}

bool span_to_double(struct span word, double *value, bool *not_finite) {
    /* Longer than any number: copied, since what follows a word need not end it for strtod. */
    char copy[512];
    size_t length = span_length(word);
    *not_finite = false;
    if (length == 0 || length >= sizeof copy) {
        return false;
    }
    memcpy(copy, word.begin, length);
    copy[length] = '\0';
    char *end;
    *value = strtod(copy, &end);
    if (end != copy + length || copy[0] == '\v' || copy[0] == '\f' || copy[0] == '\r') {
        return false; /* strtod would skip what the file's grammar does not count as blank */
    }
    *not_finite = !isfinite(*value);
    return !*not_finite;
}

struct shown show(struct span word) {
    struct shown shown;
    size_t most = sizeof shown.text - 4;
    size_t length = span_length(word) < most ? span_length(word) : most;
    for (size_t k = 0; k < length; k++) {
        char c = word.begin[k];
        shown.text[k] = c >= ' ' && c <= '~' ? c : '?';
    }
    strcpy(shown.text + length, length < span_length(word) ? "..." : "");
    return shown;
}

bool reader_number(const struct reader *reader, struct span word, const char *what, double *value) {
    bool not_finite;
    if (span_to_double(word, value, &not_finite)) {
        return true;
    }
    return reader_fail(reader, "%s is '%s', %s; expected a finite number", what, show(word).text,
                       not_finite ? "which is not finite" : "which is no number");
}
