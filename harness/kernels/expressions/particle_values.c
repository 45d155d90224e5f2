#include "kernels/expressions/expression.h"

#include "core/files.h"
#include "core/strings.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES_SHIFT = 36, MOST_SHOWN = 48 };

struct lines {
    const char *path;
    struct particle_values *values;
    size_t capacity;
    size_t line;
    const char *next; /* the rest of the text */
    struct error *error;
};

static const char blanks[] = " \t\r";

static bool fail_line(const struct lines *lines, const char *what, const char *word,
                      size_t length) {
    enum { SHOWN = 32 };
    return fail(lines->error, STATUS_BAD_INPUT, "%s:%zu: %s, not \"%.*s%s\"", lines->path,
                lines->line, what, (int)(length < SHOWN ? length : SHOWN), word,
                length > SHOWN ? "..." : "");
}

/* The next line; false at the end. */
static bool next_line(struct lines *lines, const char **line, size_t *length) {
    if (!*lines->next) {
        return false;
    }
    *line = lines->next;
    *length = strcspn(lines->next, "\n");
    lines->next = line_after(lines->next);
    lines->line++;
    return true;
}

/* Word number `which` of a line, from 0; its length is 0 where there is none. */
static size_t find_word(const char *line, size_t length, int which, const char **word) {
    const char *end = line + length;
    for (const char *at = line;;) {
        at += strspn(at, blanks);
        if (at >= end) {
            return 0;
        }
        const size_t letters = strcspn(at, " \t\r\n");
        if (which-- == 0) {
            *word = at;
            return letters;
        }
        at += letters;
    }
}

static bool add_value(struct lines *lines, const char *word, size_t length) {
    struct particle_values *values = lines->values;
    double value;
    if (read_decimal(word, length, &value) != DECIMAL_FINITE) {
        return fail_line(lines, "expected a finite number", word, length);
    }
    double *numbers = with_room(values->value, values->count, &lines->capacity, sizeof *numbers,
                                "values of particles", lines->error);
    if (!numbers) {
        return false;
    }
    values->value = numbers;
    values->least = values->count == 0 || value < values->least ? value : values->least;
    values->value[values->count++] = value;
    return true;
}

/* ---- numbers alone ---- */

static bool read_numbers(struct lines *lines) {
    const char *line;
    size_t length;
    while (next_line(lines, &line, &length)) {
        const char *sharp = memchr(line, '#', length);
        const char *word = NULL;
        const char *further = NULL;
        length = sharp ? (size_t)(sharp - line) : length;
        size_t letters = find_word(line, length, 0, &word);
        if (letters == 0) {
            continue;
        }
        letters = sharp && word + letters > sharp ? (size_t)(sharp - word) : letters;
        if (find_word(line, length, 1, &further) > 0) {
            return fail_line(lines,
                             "expected one number per line (of extended XYZ, say which "
                             "column: particles \"FILE\" column NAME)",
                             line, length);
        }
        if (!add_value(lines, word, letters)) {
            return false;
        }
    }
    return lines->values->count > 0 ||
           fail(lines->error, STATUS_BAD_INPUT, "%s: no numbers; expected one per particle",
                lines->path);
}

/* ---- extended XYZ ---- */

/* Where Properties begin in line 2; NULL: nowhere. */
static const char *find_properties(const char *line, size_t length) {
    static const char word[] = "Properties=";
    const size_t letters = sizeof word - 1;
    for (size_t k = 0; k + letters <= length; k++) {
        if (strncmp(line + k, word, letters) == 0 && (k == 0 || strchr(blanks, line[k - 1]))) {
            return line + k + letters + (line[k + letters] == '"');
        }
    }
    return NULL;
}

/* Looks for a column among Properties=name:kind:count:name:...; its first word. */
static bool find_column(const struct lines *lines, const char *line, size_t length,
                        const char *column, int *word) {
    const char *at = find_properties(line, length);
    const char *end = line + length;
    struct strbuf names = { 0 };
    bool found = false;
    bool single = true;
    *word = 0;
    while (at && at < end && !found) {
        const size_t name = strcspn(at, ": \t\r\n\"");
        const char *kind = at + name + (at[name] == ':');
        const char *number = kind + (*kind ? 1 : 0);
        number += *number == ':';
        const long count = strtol(number, NULL, 10);
        if (name == 0 || at[name] != ':' || count < 1 || count > 1000) {
            break;
        }
        found = is_spelt(at, name, column);
        single = !found || (count == 1 && (*kind == 'R' || *kind == 'I'));
        if (!found) {
            *word += (int)count;
            strbuf_append(&names, "%s%.*s", names.length ? ", " : "", (int)name, at);
            at = number + strcspn(number, ": \t\r\n\"");
            at = *at == ':' ? at + 1 : end;
        }
    }
    if (found && !single) {
        (void)fail(lines->error, STATUS_BAD_INPUT,
                   "%s:%zu: column \"%s\" is no single number per particle; expected %s:R:1 or I:1",
                   lines->path, lines->line, column, column);
    } else if (!found) {
        (void)fail(lines->error, STATUS_BAD_INPUT, "%s:%zu: no column \"%s\"; expected one of %s",
                   lines->path, lines->line, column,
                   names.data ? names.data : "those that Properties=... names: there is none");
    }
    strbuf_free(&names);
    return found && single;
}

/* Checks what follows the frame: nothing, or another one. */
static bool check_rest(const struct lines *lines, long n) {
    struct lines rest = *lines;
    const char *line;
    size_t length;
    while (next_line(&rest, &line, &length)) {
        const char *word = NULL;
        const size_t letters = find_word(line, length, 0, &word);
        if (letters > 0) {
            return strspn(word, "0123456789") >= letters ||
                   fail(rest.error, STATUS_BAD_INPUT,
                        "%s:%zu: '%.*s' after the %ld particles that line 1 announces; expected "
                        "the end of the file or the count of another frame",
                        rest.path, rest.line, (int)(letters < MOST_SHOWN ? letters : MOST_SHOWN),
                        word, n);
        }
    }
    return true;
}

static bool read_column(struct lines *lines, const char *column) {
    const char *line = "";
    size_t length = 0;
    int which = 0;
    (void)next_line(lines, &line, &length);
    char *end = NULL;
    errno = 0;
    const long n = strtol(line, &end, 10);
    if (end == line || errno || n < 1) {
        return fail_line(lines, "expected the number of particles, as extended XYZ begins", line,
                         length);
    }
    length = 0;
    if (!next_line(lines, &line, &length) || !find_column(lines, line, length, column, &which)) {
        return length > 0 ? false
                          : fail(lines->error, STATUS_BAD_INPUT,
                                 "%s: one line; expected extended XYZ", lines->path);
    }
    for (long i = 0; i < n; i++) {
        const char *word = "";
        if (!next_line(lines, &line, &length)) {
            return fail(lines->error, STATUS_BAD_INPUT,
                        "%s: the file ends after %ld of %ld particles", lines->path, i, n);
        }
        const size_t letters = find_word(line, length, which, &word);
        if (letters == 0) {
            return fail(lines->error, STATUS_BAD_INPUT,
                        "%s:%zu: too few columns; \"%s\" is number %d", lines->path, lines->line,
                        column, which + 1);
        }
        if (!add_value(lines, word, letters)) {
            return false;
        }
    }
    return check_rest(lines, n);
}

/* ---- whole ---- */

bool particle_values_read(const char *path, const char *column, struct particle_values **values,
                          struct error *error) {
    struct particle_values *made = calloc(1, sizeof *made);
    char *text = NULL;
    *values = NULL;
    if (!made || !(made->path = strdup(path))) {
        free(made);
        return fail_out_of_memory(error, "values of particles");
    }
    if (!input_read_text(path, (uint64_t)1 << MAX_BYTES_SHIFT, &text, error)) {
        particle_values_free(made);
        return false;
    }
    struct lines lines = { .path = path, .values = made, .next = text, .error = error };
    const bool read = column ? read_column(&lines, column) : read_numbers(&lines);
    free(text);
    if (!read) {
        particle_values_free(made);
        return false;
    }
    hash_bytes(made->value, made->count * sizeof *made->value, made->hash);
    *values = made;
    return true;
}

void particle_values_free(struct particle_values *values) {
    if (values) {
        free(values->path);
        free(values->value);
        free(values);
    }
}
