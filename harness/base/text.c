#include "base/text.h"

#include "base/input_file.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool text_reserve(struct text *text, size_t extra) {
    size_t needed = text->length + extra + 1;
    if (text->failed) {
        return false;
    }
    if (needed <= text->capacity) {
        return true;
    }
    size_t capacity = text->capacity ? text->capacity : 256;
    while (capacity < needed) {
        capacity *= 2;
    }
    char *data = realloc(text->data, capacity);
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void text_append_bytes(struct text *text, const void *bytes, size_t length) {
    if (text_reserve(text, length)) {
        memcpy(text->data + text->length, bytes, length);
        text->length += length;
        text->data[text->length] = '\0';
    }
}

void text_append(struct text *text, const char *format, ...) {
    va_list arguments;
    va_list again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length >= 0 && text_reserve(text, (size_t)length)) {
        (void)vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

void text_append_quoted(struct text *text, const char *words) {
    text_append_bytes(text, "\"", 1);
    for (; *words; words++) {
        /* A question mark may begin a trigraph, which stands for another character. */
        text_append(text, strchr("\"\\?", *words) ? "\\%c" : "%c", *words);
    }
    text_append_bytes(text, "\"", 1);
}

void text_free(struct text *text) {
    free(text->data);
    *text = (struct text){ 0 };
}

size_t text_character(const char *words) {
    const unsigned char *bytes = (const unsigned char *)words;
    const size_t length = *bytes < 0x80                      ? 1
                          : *bytes >= 0xc2 && *bytes <= 0xdf ? 2
                          : *bytes >= 0xe0 && *bytes <= 0xef ? 3
                          : *bytes >= 0xf0 && *bytes <= 0xf4 ? 4
                                                             : 0;
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    /* Spelt longer than need be, a surrogate, or beyond the last character. */
    const bool wrong = (*bytes == 0xe0 && bytes[1] < 0xa0) || (*bytes == 0xed && bytes[1] > 0x9f) ||
                       (*bytes == 0xf0 && bytes[1] < 0x90) || (*bytes == 0xf4 && bytes[1] > 0x8f);
    return wrong ? 0 : length;
}

/* Control characters of one byte, and those of two: U+0080 to U+009F. */
static bool is_control(const char *character, size_t length) {
    const unsigned char *bytes = (const unsigned char *)character;
    return length == 1 ? *bytes < ' ' || *bytes == 127
                       : length == 2 && bytes[0] == 0xc2 && bytes[1] < 0xa0;
}

bool text_has_control(const char *words) {
    for (size_t length; *words; words += length > 0 ? length : 1) {
        length = text_character(words);
        if (length > 0 && is_control(words, length)) {
            return true;
        }
    }
    return false;
}

void text_make_printable(char *words, enum text_lines lines) {
    char *to = words;
    for (const char *from = words; *from;) {
        const size_t length = text_character(from);
        const bool is_break = lines == TEXT_LINES && (*from == '\n' || *from == '\t' ||
                                                      (from[0] == '\r' && from[1] == '\n'));
        if (length > 0 && (is_break || !is_control(from, length))) {
            memmove(to, from, length);
            to += length;
        } else {
            *to++ = '?';
        }
        from += length > 0 ? length : 1;
    }
    *to = '\0';
}

void text_tell(FILE *log, const char *format, ...) {
    va_list arguments;
    char *line = NULL;
    if (!log) {
        return;
    }
    va_start(arguments, format);
    const int length = vasprintf(&line, format, arguments);
    va_end(arguments);
    if (length >= 0) {
        text_make_printable(line, TEXT_ONE_LINE);
        (void)fprintf(log, "%s\n", line);
        free(line);
    }
}

bool text_read_file(const char *path, char **data, size_t *length, struct error *error) {
    return input_read(path, INPUT_TABLE_BYTES, data, length, error);
}

size_t text_byte_order_mark(const char *text) {
    static const char mark[] = "\xEF\xBB\xBF";
    return strncmp(text, mark, sizeof mark - 1) == 0 ? sizeof mark - 1 : 0;
}

bool text_same_file(const char *a, const char *b) {
    struct stat first;
    struct stat second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

bool text_make_directories(const char *path, struct error *error) {
    char *copy = strdup(path);
    if (!copy) {
        return fail_out_of_memory(error, path);
    }
    bool made = true;
    for (char *slash = copy + 1; made; slash++) {
        if (*slash != '/' && *slash != '\0') {
            continue;
        }
        char end = *slash;
        *slash = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST) {
            made = fail(error, STATUS_SYSTEM, "%s: %s", copy, strerror(errno));
        }
        *slash = end;
        if (end == '\0') {
            break;
        }
    }
    free(copy);
    return made;
}

bool text_to_double(const char *word, double *value) {
    char *end = NULL;
    if (*word == '\0' || isspace((unsigned char)*word)) {
        return false; /* strtod would skip them */
    }
    double number = strtod(word, &end);
    if (*end != '\0' || !isfinite(number)) {
        return false;
    }
    *value = number;
    return true;
}

bool text_to_count(const char *word, uint64_t *value) {
    char *end = NULL;
    if (*word < '0' || *word > '9') {
        return false;
    }
    double number = strtod(word, &end);
    if (*end == 'k') {
        number *= 1e3;
        end++;
    } else if (*end == 'M') {
        number *= 1e6;
        end++;
    } else if (*end == 'G') {
        number *= 1e9;
        end++;
    }
    if (*end != '\0' || !(number < 9007199254740992.0) || number != floor(number)) {
        return false;
    }
    *value = (uint64_t)number;
    return true;
}

bool text_matches(const char *pattern, const char *name) {
    return fnmatch(pattern, name, 0) == 0;
}

char **text_split(const char *list, char separator) {
    size_t items = 1;
    for (const char *c = list; *c; c++) {
        items += *c == separator;
    }
    size_t table = (items + 1) * sizeof(char *);
    char **split = malloc(table + strlen(list) + 1);
    if (!split) {
        return NULL;
    }
    char *copy = strcpy((char *)split + table, list);
    size_t item = 0;
    split[item++] = copy;
    for (; *copy; copy++) {
        if (*copy == separator) {
            *copy = '\0';
            split[item++] = copy + 1;
        }
    }
    split[item] = NULL;
    return split;
}

char *path_join(const char *directory, const char *name, struct error *error) {
    char *path = NULL;
    if (asprintf(&path, "%s/%s", directory, name) < 0) {
        (void)fail_out_of_memory(error, name);
        return NULL;
    }
    return path;
}
