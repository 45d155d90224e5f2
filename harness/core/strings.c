#include "core/strings.h"

#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- a string that grows ---- */

void (*strbuf_ran_out)(void);

static bool text_reserve(struct strbuf *text, size_t extra) {
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
        if (strbuf_ran_out) {
            strbuf_ran_out();
        }
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void strbuf_append_bytes(struct strbuf *text, const void *bytes, size_t length) {
    if (text_reserve(text, length)) {
        memcpy(text->data + text->length, bytes, length);
        text->length += length;
        text->data[text->length] = '\0';
    }
}

void strbuf_append(struct strbuf *text, const char *format, ...) {
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

const char *strbuf_text(const struct strbuf *text) {
    return text->data ? text->data : "";
}

void strbuf_end_line(struct strbuf *text, size_t from) {
    while (!text->failed && text->length > from && text->data[text->length - 1] == ' ') {
        text->data[--text->length] = '\0';
    }
    strbuf_append(text, "\n");
}

void strbuf_append_quoted(struct strbuf *text, const char *words) {
    strbuf_append_bytes(text, "\"", 1);
    for (; *words; words++) {
        /* A question mark may begin a trigraph, which stands for another character. */
        strbuf_append(text, strchr("\"\\?", *words) ? "\\%c" : "%c", *words);
    }
    strbuf_append_bytes(text, "\"", 1);
}

static const char *markup_of(unsigned char character) {
    switch (character) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    case '\n':
        return "&#10;";
    default:
        return (character < ' ' && character != '\t') || character == 127 ? "&#xFFFD;" : NULL;
    }
}

void strbuf_append_markup(struct strbuf *text, const char *words) {
    for (; *words; words++) {
        const char *markup = markup_of((unsigned char)*words);
        strbuf_append_bytes(text, markup ? markup : words, markup ? strlen(markup) : 1);
    }
}

void strbuf_append_line(struct strbuf *text, int line, const char *path) {
    strbuf_append(text, "#line %d ", line);
    strbuf_append_quoted(text, path);
    strbuf_append(text, "\n");
}

void strbuf_append_file(struct strbuf *text, const char *path, const char *content) {
    strbuf_append_line(text, 1, path);
    strbuf_append(text, "%s\n", content);
}

void strbuf_free(struct strbuf *text) {
    free(text->data);
    *text = (struct strbuf){ 0 };
}

/* ---- words, numbers, patterns and lists ---- */

bool is_vanished(const char *word, double value) {
    return value == 0.0 && strcspn(word, "123456789") < strcspn(word, "eE") &&
           word[strcspn(word, "123456789")] != '\0';
}

enum decimal read_decimal(const char *word, size_t length, double *value) {
    char copy[512]; /* longer than any number: what follows a word need not end it for strtod */
    char *end = copy;
    *value = 0.0;
    if (length == 0 || length >= sizeof copy || isspace((unsigned char)*word)) {
        return DECIMAL_NONE; /* strtod would skip blanks */
    }
    memcpy(copy, word, length);
    copy[length] = '\0';
    const size_t digits = strspn(copy, "+-.0123456789");
    if (copy[digits] == 'x' || copy[digits] == 'X') {
        return DECIMAL_NONE;
    }
    if (digits > 0 && (copy[digits] == 'd' || copy[digits] == 'D')) {
        copy[digits] = 'e';
    }
    *value = strtod(copy, &end);
    if (end != copy + length) {
        return DECIMAL_NONE;
    }
    return isfinite(*value) && !is_vanished(copy, *value) ? DECIMAL_FINITE : DECIMAL_BEYOND;
}

bool parse_double(const char *word, double *value) {
    double number;
    const bool finite = read_decimal(word, strlen(word), &number) == DECIMAL_FINITE;
    *value = finite ? number : *value;
    return finite;
}

bool parse_count(const char *word, uint64_t *value) {
    static const char suffixes[] = "kMG";
    const size_t length = strlen(word);
    const char *suffix = length > 0 ? strchr(suffixes, word[length - 1]) : NULL;
    double number;
    if (read_decimal(word, suffix ? length - 1 : length, &number) != DECIMAL_FINITE) {
        return false;
    }
    number *= suffix ? pow(1e3, (double)(suffix - suffixes + 1)) : 1.0;
    if (!(number >= 0.0 && number < 9007199254740992.0) || number != floor(number)) {
        return false;
    }
    *value = (uint64_t)number;
    return true;
}

bool is_spelt(const char *text, size_t length, const char *word) {
    return strlen(word) == length && strncmp(text, word, length) == 0;
}

void trim_end(char *text, const char *characters) {
    for (size_t end = strlen(text); end > 0 && strchr(characters, text[end - 1]); end--) {
        text[end - 1] = '\0';
    }
}

bool begins_with(const char *text, const char *beginning) {
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

bool ends_with(const char *text, const char *ending) {
    const size_t length = strlen(text);
    const size_t end = strlen(ending);
    return length >= end && strcmp(text + length - end, ending) == 0;
}

const char *skip_blanks(const char *text) {
    return text + strspn(text, " \t");
}

const char *skip_whitespace(const char *text) {
    while (isspace((unsigned char)*text)) {
        text++;
    }
    return text;
}

bool matches_pattern(const char *pattern, const char *name) {
    return fnmatch(pattern, name, 0) == 0;
}

char **split_list(const char *list, char separator) {
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

const char *line_after(const char *text) {
    text += strcspn(text, "\n");
    return text + (*text == '\n');
}

size_t words_count(const char *const *words) {
    size_t count = 0;
    while (words[count]) {
        count++;
    }
    return count;
}

int word_place(const char *const *words, const char *word) {
    for (int place = 0; words && words[place]; place++) {
        if (strcmp(words[place], word) == 0) {
            return place;
        }
    }
    return -1;
}

/* ---- words of code ---- */

bool is_word_character(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

size_t identifier_length(const char *text) {
    size_t length = 0;
    while (is_word_character(text[length]) && !isdigit((unsigned char)*text)) {
        length++;
    }
    return length;
}

static bool cut(const char **rest, size_t length, char *word, size_t size) {
    if (length == 0 || length >= size) {
        return false;
    }
    memcpy(word, *rest, length);
    word[length] = '\0';
    *rest = skip_blanks(*rest + length);
    return true;
}

bool cut_word(const char **rest, char *word, size_t size) {
    return cut(rest, strcspn(*rest, " \t"), word, size);
}

bool cut_identifier(const char **rest, char *name, size_t size) {
    return cut(rest, identifier_length(*rest), name, size);
}

bool is_identifier(const char *text) {
    return *text && identifier_length(text) == strlen(text);
}

const char *find_identifier(const char *text, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)) != NULL; at += length) {
        if ((at == text || !is_word_character(at[-1])) && !is_word_character(at[length])) {
            return at;
        }
    }
    return NULL;
}

const char *skip_comment(const char *code) {
    if (begins_with(code, "/*")) {
        const char *end = strstr(code + 2, "*/");
        return end ? end + 2 : code + strlen(code);
    }
    return begins_with(code, "//") ? code + strcspn(code, "\n") : code;
}

const char *skip_quoted(const char *code) {
    if (*code != '"') {
        return skip_comment(code);
    }
    code += 1 + strcspn(code + 1, "\"\n");
    return *code ? code + 1 : code;
}

const char *find_in_code(const char *code, const char *word) {
    const size_t wanted = strlen(word);
    while (*code) {
        const char *behind = skip_quoted(code);
        if (behind > code) {
            code = behind;
            continue;
        }
        size_t length = 0;
        while (is_word_character(code[length])) {
            length++;
        }
        if (length == wanted && strncmp(code, word, length) == 0) {
            return code + length;
        }
        code += length > 0 ? length : 1;
    }
    return NULL;
}

/* ---- what can be shown ---- */

size_t utf8_length(const char *words) {
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

bool has_control_characters(const char *words) {
    for (size_t length; *words; words += length > 0 ? length : 1) {
        length = utf8_length(words);
        if (length > 0 && is_control(words, length)) {
            return true;
        }
    }
    return false;
}

void make_printable(char *words, enum printable lines) {
    char *to = words;
    while (*to >= ' ' && *to < 127) { /* what most lines are, to their end */
        to++;
    }
    for (const char *from = to; *from;) {
        const size_t length = utf8_length(from);
        const bool is_break = lines == PRINTABLE_LINES && (*from == '\n' || *from == '\t' ||
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

size_t byte_order_mark(const char *text) {
    static const char mark[] = "\xEF\xBB\xBF";
    return strncmp(text, mark, sizeof mark - 1) == 0 ? sizeof mark - 1 : 0;
}

void end_lines_by_newline(char *text, size_t length) {
    char *const end = text + length;
    for (char *at = text; (at = memchr(at, '\r', (size_t)(end - at))) != NULL; at++) {
        if (at + 1 == end || at[1] != '\n') {
            *at = '\n';
        }
    }
}

/* ---- the word that was meant ---- */

enum { LONGEST_WORD = 64 };

static int small_letter(char c) {
    return tolower((unsigned char)c);
}

static bool is_same_letter(char a, char b) {
    return small_letter(a) == small_letter(b);
}

static size_t lesser(size_t a, size_t b) {
    return a < b ? a : b;
}

/* By a table of distances between beginnings: rows[i][j] of i letters of a and j of b. Optimal
 * string alignment: R. A. Wagner, M. J. Fischer, J. ACM 21, 168 (1974), and letters exchanged. */
size_t word_distance(const char *a, const char *b) {
    size_t rows[LONGEST_WORD + 1][LONGEST_WORD + 1];
    const size_t a_length = strnlen(a, LONGEST_WORD);
    const size_t b_length = strnlen(b, LONGEST_WORD);
    for (size_t i = 0; i <= a_length; i++) {
        for (size_t j = 0; j <= b_length; j++) {
            if (i == 0 || j == 0) {
                rows[i][j] = i + j;
                continue;
            }
            const size_t other = is_same_letter(a[i - 1], b[j - 1]) ? 0 : 1;
            size_t least = lesser(rows[i - 1][j], rows[i][j - 1]) + 1;
            least = lesser(least, rows[i - 1][j - 1] + other);
            if (i > 1 && j > 1 && is_same_letter(a[i - 1], b[j - 2]) &&
                is_same_letter(a[i - 2], b[j - 1])) {
                least = lesser(least, rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = least;
        }
    }
    return rows[a_length][b_length];
}

const char *words_nearest(const char *word, const char *const *choices) {
    const char *nearest = NULL;
    /* A third of the letters may be wrong: more is another word. */
    size_t least = strlen(word) / 3 + 1;
    for (size_t i = 0; choices[i]; i++) {
        size_t distance = word_distance(word, choices[i]);
        if (strlen(word) >= 3 && strncasecmp(word, choices[i], strlen(word)) == 0) {
            distance = 1; /* an abbreviation */
        }
        if (distance < least && distance < strlen(choices[i])) {
            least = distance;
            nearest = choices[i];
        }
    }
    return nearest;
}

const char *did_you_mean(const char *nearest, char quote, char hint[HINT_SIZE]) {
    hint[0] = '\0';
    if (nearest) {
        (void)snprintf(hint, HINT_SIZE, " (did you mean %c%.220s%c?)", quote, nearest, quote);
    }
    return hint;
}
