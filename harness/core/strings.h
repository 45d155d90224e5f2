/*
 * strings — text: strings that grow, numbers and lists as the user spells them, what can be
 * shown, which word a misspelt one was meant to be.
 */
#ifndef PAIRMARK_CORE_STRINGS_H
#define PAIRMARK_CORE_STRINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- a string that grows ---- */

/* Called where an append runs out of memory; it may end the program, which then needs not look at
 * `failed`. NULL, as in the library: `failed` says it. */
extern void (*strbuf_ran_out)(void);

/* A string that grows. Zero-initialise; release with strbuf_free. After a failed append `failed`
 * stays set. */
struct strbuf {
    char *data; /* NUL-terminated, NULL while empty */
    size_t length;
    size_t capacity;
    bool failed; /* an append ran out of memory */
};

void strbuf_append(struct strbuf *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void strbuf_append_bytes(struct strbuf *text, const void *bytes, size_t length);

/* What it holds; "" while it is empty. */
const char *strbuf_text(const struct strbuf *text);

/* Takes the blanks off the end of a line that began at `from`, and ends it. */
void strbuf_end_line(struct strbuf *text, size_t from);

/* Between quotes, as C wants it: quotes and backslashes escaped. For one line: `words` has no
 * control characters. */
void strbuf_append_quoted(struct strbuf *text, const char *words);
/* For HTML and XML, between tags or within a quoted attribute: < > & " ' and the ends of lines
 * become references, other control characters, which neither allows, the replacement character. */
void strbuf_append_markup(struct strbuf *text, const char *words);
/* Appends #line: what follows is line `line` of the file at `path`, so that compilers' messages
 * name the file's own lines. */
void strbuf_append_line(struct strbuf *text, int line, const char *path);
/* Appends a file's content, and where it is from. */
void strbuf_append_file(struct strbuf *text, const char *path, const char *content);

void strbuf_free(struct strbuf *text);

/* ---- words, numbers, patterns and lists ---- */

/* The one reader of numbers, of command lines as of files: decimal, with an exponent behind e, E
 * or, as Fortran writes it, d, D; the word has `length` bytes, all of which are of the number.
 * BEYOND: NaN, infinite, or not 0 and too small for a double. */
enum decimal { DECIMAL_NONE, DECIMAL_FINITE, DECIMAL_BEYOND };
enum decimal read_decimal(const char *word, size_t length, double *value);

/* read_decimal() of a whole string: false unless it is finite, and *value stays. NaN, infinities
 * and what is too small for a double are refused; "inf" is a word of its own where an option allows
 * it. */
bool parse_double(const char *word, double *value);

/* Whether a word that strtod() read as `value` says a number that is not 0 but too small for a
 * double: "1e-400", not "0e5". */
bool is_vanished(const char *word, double value);

/* A count: digits with an optional k, M or G (times 1000, 10^6, 10^9): "64", "16k", "1M"; "1.5k" is
 * refused unless it comes to a whole number. */
bool parse_count(const char *word, uint64_t *value);

/* Whether the `length` characters at `text` are a whole word, as it is spelt. */
bool is_spelt(const char *text, size_t length, const char *word);

/* Whether `text` begins with `beginning`, or ends with `ending`. */
bool begins_with(const char *text, const char *beginning);
bool ends_with(const char *text, const char *ending);

/* Takes such characters off the end of a text, as many as there are. */
void trim_end(char *text, const char *characters);

/* Past the blanks and tabs, or past all white space, that a text begins with. */
const char *skip_blanks(const char *text);
const char *skip_whitespace(const char *text);

/* Shell-style match of a whole name: * ? [a-z]. */
bool matches_pattern(const char *pattern, const char *name);

/* Splits `list` at `separator` into a NULL-terminated array; empty items are kept. One free()
 * releases all. NULL when memory ran out. */
char **split_list(const char *list, char separator);

/* Where the line after that at `text` begins; the end of the text where there is none. */
const char *line_after(const char *text);

/* How many words stand before the NULL that ends them. */
size_t words_count(const char *const *words);

/* The place of a word among others, which NULL ends; -1 where it is none of them, or `words` is
 * NULL. */
int word_place(const char *const *words, const char *word);

/* ---- words of code ---- */

/* Letters, digits and the underscore. */
bool is_word_character(char c);

/* How many characters the identifier has that a text begins with; 0 where it begins with none. */
size_t identifier_length(const char *text);

/* Copies the word that a text begins with, up to a blank, and moves *rest past it and the blanks
 * after it. False where there is none, or it has no room with its NUL in `size`. */
bool cut_word(const char **rest, char *word, size_t size);
/* The same of an identifier. */
bool cut_identifier(const char **rest, char *name, size_t size);

/* Whether a text is one identifier. */
bool is_identifier(const char *text);

/* Where a name first stands as an identifier of its own, in comments, too; NULL: nowhere. */
const char *find_identifier(const char *text, const char *name);

/* The place after a comment of C that begins at `code`; `code` itself where none does. */
const char *skip_comment(const char *code);
/* The same of a comment or a string. */
const char *skip_quoted(const char *code);

/* The place after the next such word of C code, outside of comments and strings; NULL where there
 * is none.
 */
const char *find_in_code(const char *code, const char *word);

/* ---- what can be shown ---- */

/* UTF-8 without control characters. */

/* The bytes of the UTF-8 character that a text begins with, 1 to 4; 0 where it begins with none. */
size_t utf8_length(const char *words);

/* The bytes at the beginning of a text by which some editors and spreadsheets say that it is UTF-8:
 * 3, or 0 where there are none. They belong to nothing that the text says. */
size_t byte_order_mark(const char *text);

/* Makes each carriage return that no newline follows a newline: some editors end lines so, and else
 * what stands behind it would be part of the line, or of a comment. */
void end_lines_by_newline(char *text, size_t length);

/* Whether a text holds control characters, which no line of a message or a program can show. */
bool has_control_characters(const char *words);

/* What may stand in a text besides printable characters. */
enum printable {
    PRINTABLE_LINE, /* nothing */
    PRINTABLE_LINES /* line breaks (of either kind) and tabs */
};

/* Puts '?' in the place of all that would drive a terminal instead of being read on it, and of
 * bytes that are no UTF-8: what is said of files and arguments may hold anything. */
void make_printable(char *words, enum printable lines);

/* ---- the word that was meant ---- */

/* How many letters must change to make one word the other (V. I. Levenshtein, 1966); capitals are
 * as good as small letters. Of long words the first 64 bytes are compared. */
size_t word_distance(const char *a, const char *b);

/* The choice that `word` was most likely meant to be; NULL when none is near. Choices are
 * NULL-terminated. */
const char *words_nearest(const char *word, const char *const *choices);

enum { HINT_SIZE = 256 };

/* What an error message says after a word that it refuses: " (did you mean 'nearest'?)", in quotes
 * like those around the word; nothing where `nearest` is NULL. Returns `hint`. */
const char *did_you_mean(const char *nearest, char quote, char hint[HINT_SIZE]);

#endif
