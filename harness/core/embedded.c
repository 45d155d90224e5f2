#include "core/embedded.h"

#include "core/files.h"
#include "core/strings.h"

#include <ctype.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What stands in the place of built-in texts. Few, and constant once variants are read. */
static struct replacement {
    const char *path; /* the embedded file's own */
    char *text;
} *replacements = NULL;
static size_t replacement_count = 0;

static const struct embedded_file *find_file(const char *path) {
    const struct embedded_file *file = embedded_files;
    while (file->path && strcmp(file->path, path) != 0) {
        file++;
    }
    return file->path ? file : NULL;
}

const char *embedded_original(const char *path) {
    const struct embedded_file *file = find_file(path);
    return file ? file->text : NULL;
}

const char *embedded_text(const char *path) {
    for (size_t i = 0; i < replacement_count; i++) {
        if (strcmp(replacements[i].path, path) == 0) {
            return replacements[i].text;
        }
    }
    return embedded_original(path);
}

const char *embedded_file_text(const char *path) {
    const size_t length = sizeof EMBEDDED_PREFIX - 1;
    return strncmp(path, EMBEDDED_PREFIX, length) == 0 ? embedded_text(path + length) : NULL;
}

bool embedded_or_file_text(const char *path, uint64_t most, char **text, struct error *error) {
    const char *built_in = embedded_file_text(path);
    if (!built_in) {
        return input_read_text(path, most, text, error);
    }
    *text = strdup(built_in);
    return *text || fail_out_of_memory(error, path);
}

bool embedded_replace(const char *path, const char *text, bool *known) {
    const struct embedded_file *file = find_file(path);
    *known = file != NULL;
    if (!file) {
        return false;
    }
    struct replacement *longer =
        realloc(replacements, (replacement_count + 1) * sizeof *replacements);
    char *copy = strdup(text);
    if (longer) {
        replacements = longer;
    }
    if (!longer || !copy) {
        free(copy);
        return false;
    }
    replacements[replacement_count++] = (struct replacement){ .path = file->path, .text = copy };
    return true;
}

/* ---- the comment that begins a kernel file ---- */

bool header_fail(const struct header_reader *reader, const char *format, ...) {
    char what[1024];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return fail(reader->error, STATUS_BAD_INPUT, "%s:%d: %s", reader->path, reader->line, what);
}

bool header_begin(const char *path, const char *text, struct header_reader *reader,
                  struct error *error) {
    *reader = (struct header_reader){ .path = path, .next = text, .error = error, .line = 1 };
    while (isspace((unsigned char)*reader->next)) {
        reader->line += *reader->next == '\n';
        reader->next++;
    }
    if (strncmp(reader->next, "/*", 2) != 0) {
        return header_fail(reader,
                           "a kernel file begins with a comment that declares it; expected \"/*\" "
                           "(`pairmark init NAME` writes a kernel to begin with)");
    }
    if (!strstr(reader->next + 2, "*/")) { /* the '*' that begins it does not end it */
        return header_fail(reader, "the comment that begins here never ends; expected \"*/\"");
    }
    reader->next += 2;
    reader->line--; /* the rest of the first line is read as the first line */
    return true;
}

bool header_next(struct header_reader *reader, char line[HEADER_LINE_SIZE]) {
    if (reader->ended) {
        return false;
    }
    const char *start = reader->next;
    size_t length = strcspn(start, "\n");
    const char *end = strstr(start, "*/");
    if (end && (size_t)(end - start) <= length) {
        length = (size_t)(end - start);
        reader->ended = true;
    }
    reader->next = start + length + (start[length] == '\n');
    reader->line++;
    size_t from = 0;
    while (from < length && isspace((unsigned char)start[from])) {
        from++;
    }
    if (from < length && start[from] == '*') {
        from++;
        from += from < length && start[from] == ' ';
    }
    while (length > from && isspace((unsigned char)start[length - 1])) {
        length--;
    }
    reader->cut = length - from >= HEADER_LINE_SIZE;
    (void)snprintf(line, HEADER_LINE_SIZE, "%.*s",
                   HEADER_LINE_SIZE - 1 < length - from ? HEADER_LINE_SIZE - 1
                                                        : (int)(length - from),
                   start + from);
    make_printable(line, PRINTABLE_LINES); /* of which tabs alone can be in a line */
    return true;
}

bool header_split_name(const char *line, char *name, size_t name_size, char *summary,
                       size_t summary_size) {
    static const char *const dashes[] = { " \xe2\x80\x94 ", " - ", " -- " };
    for (size_t i = 0; i < sizeof dashes / sizeof dashes[0]; i++) {
        const char *dash = strstr(line, dashes[i]);
        if (dash && dash > line && (size_t)(dash - line) < name_size) {
            (void)snprintf(name, name_size, "%.*s", (int)(dash - line), line);
            (void)snprintf(summary, summary_size, "%s", dash + strlen(dashes[i]));
            return strcspn(name, " \t") == strlen(name);
        }
    }
    return false;
}

bool header_word(const char *line, const char *word, const char **rest) {
    size_t length = strlen(word);
    while (isspace((unsigned char)*line)) {
        line++;
    }
    if (*line != '@' || strncmp(line + 1, word, length) != 0 ||
        (line[length + 1] != '\0' && !isspace((unsigned char)line[length + 1]))) {
        return false;
    }
    line += length + 1;
    while (isspace((unsigned char)*line)) {
        line++;
    }
    *rest = line;
    return true;
}
