#include "kernels/expressions/expression_reader.h"

#include "core/strings.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool reader_fail_at(const struct reader *reader, size_t place, const char *format, ...) {
    char message[512];
    size_t line = 1;
    size_t column = 1;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    for (size_t k = 0; k < place; k++) {
        const bool ends = reader->text[k] == '\n' && reader->path;
        line += ends;
        column = ends ? 1 : column + 1;
    }
    return reader->path ? fail(reader->error, STATUS_BAD_INPUT, "%s:%zu:%zu: %s", reader->path,
                               line, column, message)
                        : fail(reader->error, STATUS_BAD_INPUT, "column %zu: %s", column, message);
}

size_t reader_place(const struct reader *reader) {
    return (size_t)(reader->at - reader->text);
}

size_t reader_name_length(const char *at) {
    size_t length = 0;
    if (isalpha((unsigned char)*at) || *at == '_') {
        while (isalnum((unsigned char)at[length]) || at[length] == '_') {
            length++;
        }
    }
    return length;
}

bool reader_fail_expected(const struct reader *reader, const char *what) {
    enum { SHOWN = 24 };
    const char *at = reader->at;
    if (*at == '\0') {
        return reader_fail_at(reader, reader_place(reader), "expected %s; the text ends", what);
    }
    size_t length = reader_name_length(at);
    if (length == 0 && isdigit((unsigned char)*at)) {
        length = strspn(at, "0123456789.");
    }
    length = length == 0 ? 1 : length;
    while (length < SHOWN && ((unsigned char)at[length] & 0xC0U) == 0x80U) { /* all of a letter */
        length++;
    }
    return reader_fail_at(reader, reader_place(reader), "expected %s, not '%.*s%s'", what,
                          (int)(length < SHOWN ? length : SHOWN), at, length > SHOWN ? "..." : "");
}

void reader_skip_space(struct reader *reader) {
    for (;;) {
        reader->at += strspn(reader->at, " \t\r\n");
        if (!reader->path || *reader->at != '#') {
            return;
        }
        reader->at += strcspn(reader->at, "\n");
    }
}

bool reader_take_sign(struct reader *reader, char sign) {
    if (*reader->at != sign) {
        return false;
    }
    reader->at++;
    reader_skip_space(reader);
    return true;
}

bool reader_take_name(struct reader *reader, char name[EXPRESSION_NAME_SIZE]) {
    const size_t length = reader_name_length(reader->at);
    if (length == 0) {
        return reader_fail_expected(reader, "a name");
    }
    if (length >= EXPRESSION_NAME_SIZE) {
        return reader_fail_at(reader, reader_place(reader),
                              "a name of %zu letters; expected at most %d", length,
                              EXPRESSION_NAME_SIZE - 1);
    }
    (void)snprintf(name, EXPRESSION_NAME_SIZE, "%.*s", (int)length, reader->at);
    reader->at += length;
    return true;
}

size_t reader_number_length(const char *at) {
    static const char digits[] = "0123456789";
    const size_t whole = strspn(at, digits);
    size_t length = whole;
    if (at[length] == '.') {
        const size_t rest = strspn(at + length + 1, digits);
        if (whole + rest == 0) {
            return 0;
        }
        length += 1 + rest;
    }
    if (length > 0 && (at[length] == 'e' || at[length] == 'E')) {
        const size_t sign = at[length + 1] == '+' || at[length + 1] == '-';
        const size_t exponent = strspn(at + length + 1 + sign, digits);
        length += exponent > 0 ? 1 + sign + exponent : 0;
    }
    return length;
}

bool reader_take_number(struct reader *reader, double *value) {
    char word[64];
    const size_t length = reader_number_length(reader->at);
    if (length == 0) {
        return reader_fail_expected(reader, "a number");
    }
    (void)snprintf(word, sizeof word, "%.*s", (int)length, reader->at);
    *value = strtod(word, NULL);
    if (length >= sizeof word || !isfinite(*value) || is_vanished(word, *value)) {
        return reader_fail_at(reader, reader_place(reader), "'%s' is beyond what a number can be",
                              word);
    }
    if (reader_name_length(reader->at + length) > 0) {
        reader->at += length;
        return reader_fail_expected(reader, "an operator after the number");
    }
    reader->at += length;
    reader_skip_space(reader);
    return true;
}
