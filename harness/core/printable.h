/*
 * printable — what of a text can be shown: UTF-8 without control characters.
 */
#ifndef PAIRMARK_CORE_PRINTABLE_H
#define PAIRMARK_CORE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>

/* The bytes of the UTF-8 character that a text begins with, 1 to 4; 0 where it begins with none. */
size_t utf8_length(const char *words);

/* The bytes at the beginning of a text by which some editors and spreadsheets say that it is UTF-8:
 * 3, or 0 where there are none. They belong to nothing that the text says. */
size_t byte_order_mark(const char *text);

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

#endif
